"""Projection onto the probability simplex."""

from __future__ import annotations

import jax.numpy as jnp

from smoothcall.learners.networks import Arrays


def nearest(point: Arrays, legal: Arrays) -> Arrays:
    """Return the Euclidean projection of point[..., A] onto the probabilities over legal actions (Held, Wolfe and Crowder
    1974).

    It is max(point - level, 0), where the level makes the sum 1; the level follows from how many of the greatest
    coordinates lie above it. Illegal actions have probability 0.
    """
    point = jnp.where(legal, point, -jnp.inf)
    point = point - point.max(axis=-1, keepdims=True)  # does not change the projection; keeps digits where numbers are large
    falling = -jnp.sort(-point, axis=-1)
    levels = (jnp.cumsum(falling, axis=-1) - 1) / jnp.arange(1, point.shape[-1] + 1)  # level if so many lay above it
    above = jnp.sum(falling > levels, axis=-1, keepdims=True)
    return jnp.where(legal, jnp.maximum(point - jnp.take_along_axis(levels, above - 1, axis=-1), 0), 0)

"""The simplex: probabilities of actions, none below zero, that add up to 1."""

from __future__ import annotations

import jax.numpy as jnp

from smoothcall.learners.networks import Arrays


def nearest(point: Arrays, legal: Arrays) -> Arrays:
    """The probabilities over the legal actions that are nearest to point[..., A], exactly (Held, Wolfe and Crowder 1974).

    They are what is left of the point above some level, as high as needed for the rest to add up to 1: it follows from how
    many of the greatest numbers lie above it. Numbers of actions that are not legal do not count; their probabilities are 0.
    """
    point = jnp.where(legal, point, -jnp.inf)
    point = point - point.max(axis=-1, keepdims=True)  # the same probabilities, and no digits lost where numbers are huge
    falling = -jnp.sort(-point, axis=-1)
    levels = (jnp.cumsum(falling, axis=-1) - 1) / jnp.arange(1, point.shape[-1] + 1)  # if so many lay above
    above = jnp.sum(falling > levels, axis=-1, keepdims=True)
    return jnp.where(legal, jnp.maximum(point - jnp.take_along_axis(levels, above - 1, axis=-1), 0), 0)

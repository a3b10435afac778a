"""Policies as networks: learning to make moves, each as much as it is worth, without forgetting to try others."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from smoothcall.learners.networks import Arrays, masked


def log_chances(said: Arrays, legal: Arrays) -> Arrays:
    """The logarithm of the softmax of said[n, A] over the legal actions."""
    return jax.nn.log_softmax(masked(said, legal), axis=-1)


def likelihood_loss(said: Arrays, legal: Arrays, action: Arrays, weight: Arrays | float = 1.0) -> Arrays:
    """Mean negative log-likelihood of the moves action[n], each counted weight[n] times.

    With weight 1 the network learns how often moves were made: the average policy. With what a move earned more than
    expected (its return less a baseline) it learns to make those that did.
    """
    chosen = jnp.take_along_axis(log_chances(said, legal), action[:, None], axis=-1)[:, 0]
    return -jnp.mean(weight * chosen)


def entropy(said: Arrays, legal: Arrays) -> Arrays:
    """Mean over states of the entropy of the softmax, in nats: the greater, the more is tried."""
    logarithm = log_chances(said, legal)
    return -jnp.mean(jnp.sum(jnp.where(legal, jnp.exp(logarithm) * logarithm, 0.0), axis=-1))

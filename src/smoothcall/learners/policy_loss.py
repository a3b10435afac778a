"""Losses of policy networks: weighted log-likelihood and entropy of a softmax over legal actions."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from smoothcall.learners.networks import Arrays, masked


def log_probabilities(logits: Arrays, legal: Arrays) -> Arrays:
    """Return [n, A] the log-softmax of logits[n, A] over legal[n, A]."""
    return jax.nn.log_softmax(masked(logits, legal), axis=-1)


def likelihood_loss(logits: Arrays, legal: Arrays, action: Arrays, weight: Arrays | float = 1.0) -> Arrays:
    """Return the mean of -weight[n] * log-probability of action[n].

    With weight 1 this fits the frequencies of actions (the average policy of NFSP); with an advantage as weight its
    gradient is the policy gradient.
    """
    chosen = jnp.take_along_axis(log_probabilities(logits, legal), action[:, None], axis=-1)[:, 0]
    return -jnp.mean(weight * chosen)


def entropy(logits: Arrays, legal: Arrays) -> Arrays:
    """Return the mean entropy of the softmax over legal actions, in nats."""
    logarithm = log_probabilities(logits, legal)
    return -jnp.mean(jnp.sum(jnp.where(legal, jnp.exp(logarithm) * logarithm, 0.0), axis=-1))

"""Deep Q-learning: what a move should be found worth, and how far a network is from that.

A target is the reward plus what the next state is worth, discounted. Three ways to value the next state: the greatest value of
a slower *target network* (Mnih et al. 2015); the target network's value of the action that the learning network prefers
(double, van Hasselt et al. 2016), which does not overestimate; the smaller of two learning networks' greatest values (clipped
double, Fujimoto et al. 2018, as epfl2020 writes it).
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from smoothcall.learners.networks import Arrays, masked


def greatest(values: Arrays, legal: Arrays) -> Arrays:
    """values[n, A] of the next states -> [n]."""
    return masked(values, legal).max(axis=-1)


def double(values: Arrays, preferred: Arrays, legal: Arrays) -> Arrays:
    """values[n, A] of the target network at the action that preferred[n, A] of the learning one holds best."""
    best = masked(preferred, legal).argmax(axis=-1)
    return jnp.take_along_axis(values, best[:, None], axis=-1)[:, 0]


def clipped_double(one: Arrays, other: Arrays, legal: Arrays) -> Arrays:
    """The smaller of two networks' opinions of their own best action."""
    return jnp.minimum(greatest(one, legal), greatest(other, legal))


def target(reward: Arrays, ahead: Arrays, last: Arrays, discount: float = 1.0) -> Arrays:
    """reward[n] + discount * ahead[n], without what is ahead where a move was the last. Nothing is learned through it."""
    return jax.lax.stop_gradient(reward + jnp.where(last, 0.0, discount * ahead))


def bellman_loss(values: Arrays, action: Arrays, aim: Arrays) -> Arrays:
    """Mean squared distance of the values[n, A] of the moves made, action[n], from aim[n]."""
    chosen = jnp.take_along_axis(values, action[:, None], axis=-1)[:, 0]
    return jnp.mean((aim - chosen) ** 2)

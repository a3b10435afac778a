"""Targets and loss of deep Q-learning.

A target is reward + discount * value of the next state. Three estimates of that value: the greatest action value of a
target network (Mnih et al. 2015); the target network's value of the action that the learning network prefers (double DQN,
van Hasselt et al. 2016), which reduces overestimation; the smaller of two learning networks' greatest values (clipped
double DQN, Fujimoto et al. 2018, as in epfl2020).
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from smoothcall.learners.networks import Arrays, masked


def greatest(values: Arrays, legal: Arrays) -> Arrays:
    """Return [n] the greatest of values[n, A] among legal actions."""
    return masked(values, legal).max(axis=-1)


def double(values: Arrays, preferred: Arrays, legal: Arrays) -> Arrays:
    """Return [n] values[n, A] of the target network at the greatest of preferred[n, A], the learning network's values."""
    best = masked(preferred, legal).argmax(axis=-1)
    return jnp.take_along_axis(values, best[:, None], axis=-1)[:, 0]


def clipped_double(one: Arrays, other: Arrays, legal: Arrays) -> Arrays:
    """Return [n] the smaller of two networks' greatest values."""
    return jnp.minimum(greatest(one, legal), greatest(other, legal))


def target(reward: Arrays, next_value: Arrays, last: Arrays, discount: float = 1.0) -> Arrays:
    """Return reward[n] + discount * next_value[n], without the second term where last[n]. No gradient flows through it."""
    return jax.lax.stop_gradient(reward + jnp.where(last, 0.0, discount * next_value))


def bellman_loss(values: Arrays, action: Arrays, target: Arrays) -> Arrays:
    """Return the mean squared error of values[n, A] at action[n] from target[n]."""
    chosen = jnp.take_along_axis(values, action[:, None], axis=-1)[:, 0]
    return jnp.mean((target - chosen) ** 2)

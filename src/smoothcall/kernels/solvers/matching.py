"""Regret matching on one-shot games, by playing them."""

from __future__ import annotations

import numpy as np

from smoothcall.kernels import kernel
from smoothcall.kernels.random import draw
from smoothcall.kernels.tables import Array


@kernel
def policy_of(regret: Array, policy: Array) -> None:
    """One row: proportional to positive regrets, uniform where there are none. regret[A] -> policy[A]."""
    total = 0.0
    for action in range(len(regret)):
        policy[action] = max(regret[action], 0.0)
        total += policy[action]
    for action in range(len(regret)):
        policy[action] = policy[action] / total if total > 0 else 1.0 / len(regret)


@kernel
def choose(policy: Array, chance: float) -> int:
    """The action of a policy[A] that a number in [0, 1) falls on; never one of probability 0."""
    chosen = -1
    for action in range(len(policy)):
        if policy[action] > 0:
            chosen = action
            chance -= policy[action]
            if chance < 0:
                break
    return chosen


@kernel
def iterate(payoffs: Array, regret: Array, average: Array, generator: Array, count: int) -> None:
    """payoffs[A^P, P]: flat over the players' choices, the last player's fastest; regret[P, A], average[P, A]."""
    players, actions = regret.shape
    policy, chosen = np.empty((players, actions)), np.empty(players, np.int64)
    for _ in range(count):
        place = 0
        for player in range(players):
            policy_of(regret[player], policy[player])
            average[player] += policy[player]
            chosen[player] = choose(policy[player], draw(generator))
            place = place * actions + chosen[player]
        stride = 1
        for player in range(players - 1, -1, -1):
            for action in range(actions):
                other = place + (action - chosen[player]) * stride
                regret[player, action] += payoffs[other, player] - payoffs[place, player]
            stride *= actions

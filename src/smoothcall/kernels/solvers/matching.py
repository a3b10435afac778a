"""Regret matching (Hart and Mas-Colell 2000): the step that every member of the CFR family shares, and one-shot games."""

from __future__ import annotations

import numpy as np

from smoothcall.kernels import callee, inlined, kernel
from smoothcall.kernels.random import draw, draw_index
from smoothcall.kernels.tables import Array, Integer
from smoothcall.kernels.vectors import add


@inlined
def keep_positive(regret: Array, prediction: Array | None, policy: Array, first: Integer, last: Integer) -> float:
    """Write policy[first:last], the positive part of regret[first:last]. Return its sum.

    A `prediction` of the next regrets, of the same indices, is added to them before.
    """
    total = 0.0
    for index in range(first, last):
        positive = regret[index]
        if prediction is not None:
            positive += prediction[index]
        positive = max(positive, 0.0)
        policy[index] = positive
        total += positive
    return total


@inlined
def matched(positive: float, total: float, legal: Integer) -> float:
    """Return the probability of an action with this positive regret, of `total` over `legal` actions; uniform without any."""
    return positive * (1.0 / total) if total > 0 else 1.0 / legal


@callee
def match_regrets(regret: Array, child: Array, policy: Array) -> int:
    """Write policy[A], proportional to the positive part of regret[A]. Return the number of legal actions.

    Without positive regrets the policy is uniform over the legal actions, those with child[action] >= 0. Illegal actions have
    regret 0.
    """
    total, legal = keep_positive(regret, None, policy, 0, len(policy)), 0
    for action in range(len(policy)):
        legal += child[action] >= 0
    for action in range(len(policy)):
        if total > 0 or child[action] >= 0:
            policy[action] = matched(policy[action], total, legal)
    return legal


@kernel
def iterate(payoffs: Array, regret: Array, average: Array, generator: Array, count: int) -> None:
    """Play a one-shot game `count` times and update regret[P, A] and average[P, A], the sum of the policies played.

    payoffs[A^P, P]: one row for each joint action, the last player's action varying fastest.
    """
    players, actions = regret.shape
    policy, chosen, every = np.empty((players, actions)), np.empty(players, np.int64), np.zeros(actions, np.int32)
    for _ in range(count):
        joint = 0
        for player in range(players):
            match_regrets(regret[player], every, policy[player])
            add(policy[player], average[player])
            chosen[player] = draw_index(policy[player], actions, draw(generator))
            joint = joint * actions + chosen[player]
        stride = 1
        for player in range(players - 1, -1, -1):
            for action in range(actions):
                other = joint + (action - chosen[player]) * stride
                regret[player, action] += payoffs[other, player] - payoffs[joint, player]
            stride *= actions

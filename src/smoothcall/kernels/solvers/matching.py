"""Regret matching (Hart and Mas-Colell 2000): the step that every member of the CFR family shares, and one-shot games."""

from __future__ import annotations

import numpy as np

from smoothcall.kernels import inlined, kernel
from smoothcall.kernels.random import draw, draw_index
from smoothcall.kernels.tables import Array, Integer


@inlined
def match_regrets(
    regret: Array, prediction: Array | None, child: Array | None, policy: Array, first: Integer, last: Integer
) -> Integer:
    """Write policy[first:last], proportional to the positive part of regret[first:last]. Return the number of legal actions.

    Without positive regrets the policy is uniform over the legal actions: those with child[index] >= 0, all where `child` is
    None. Illegal actions have regret 0. A `prediction` of the next regrets, of the same indices, is added to them.
    """
    total, legal = 0.0, last - first
    for index in range(first, last):
        positive = regret[index]
        if prediction is not None:
            positive += prediction[index]
        positive = max(positive, 0.0)
        policy[index] = positive
        total += positive
    if child is not None:
        legal = 0
        for index in range(first, last):
            if child[index] >= 0:
                legal += 1
    scale, even = 1.0 / total if total > 0 else 0.0, 1.0 / legal
    for index in range(first, last):
        if total > 0:
            policy[index] *= scale
        elif child is None or child[index] >= 0:
            policy[index] = even
    return legal


@kernel
def iterate(payoffs: Array, regret: Array, average: Array, generator: Array, count: int) -> None:
    """Play a one-shot game `count` times and update regret[P, A] and average[P, A], the sum of the policies played.

    payoffs[A^P, P]: one row for each joint action, the last player's action varying fastest.
    """
    players, actions = regret.shape
    policy, chosen = np.empty((players, actions)), np.empty(players, np.int64)
    for _ in range(count):
        joint = 0
        for player in range(players):
            match_regrets(regret[player], None, None, policy[player], 0, actions)
            average[player] += policy[player]
            chosen[player] = draw_index(policy[player], np.uint32(actions), draw(generator))
            joint = joint * actions + chosen[player]
        stride = 1
        for player in range(players - 1, -1, -1):
            for action in range(actions):
                other = joint + (action - chosen[player]) * stride
                regret[player, action] += payoffs[other, player] - payoffs[joint, player]
            stride *= actions

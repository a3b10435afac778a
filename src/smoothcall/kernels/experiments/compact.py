"""bahuguna2018's iteration in our own compact form, for fitting thresholds: fewer tables than `iterative`, one loop a pass.

It learns what the other forms learn, several times as fast.
"""

from __future__ import annotations

import numpy as np

from smoothcall.kernels import inlined, kernel
from smoothcall.kernels.experiments.steps import ACTIONS, AVERAGE, REGRET, Pruning, is_pruned, threshold_now
from smoothcall.kernels.random import draw_deal
from smoothcall.kernels.solvers.matching import matched
from smoothcall.kernels.tables import Array, Integer, Walk


@inlined
def descend(
    child: Array,
    learned: Array,
    weights: Array,
    policy: Array,
    reach: Array,
    node: Integer,
    actor: Integer,
    row: Integer,
    rule: int,
    threshold: float,
) -> None:
    """First pass at a decision: compute its policy[node, 2], its children's weights[N, P] and reach[N]."""
    passing, betting = max(learned[REGRET, row, 0], 0.0), max(learned[REGRET, row, 1], 0.0)
    policy[node, 0] = matched(passing, passing + betting, ACTIONS)
    policy[node, 1] = matched(betting, passing + betting, ACTIONS)
    learned[AVERAGE, row, 0] += weights[node, actor] * policy[node, 0]
    learned[AVERAGE, row, 1] += weights[node, actor] * policy[node, 1]
    total = learned[AVERAGE, row, 0] + learned[AVERAGE, row, 1]
    for action in range(ACTIONS):
        below = child[node, action]
        average = learned[AVERAGE, row, action] / total if total > 0 else 1.0
        reach[below] = reach[node] * average
        if is_pruned(rule, threshold, policy[node, action], average, reach[below]):
            reach[below] = -1.0
        else:
            for player in range(weights.shape[1]):
                weights[below, player] = weights[node, player]
            weights[below, actor] *= policy[node, action]


@inlined
def ascend(
    child: Array,
    learned: Array,
    weights: Array,
    policy: Array,
    reach: Array,
    value: Array,
    node: Integer,
    actor: Integer,
    row: Integer,
) -> None:
    """Second pass at a decision: compute its value[node, P] from its children's, and update its regrets."""
    others = 1.0
    for player in range(weights.shape[1]):
        value[node, player] = 0.0
        if player != actor:
            others *= weights[node, player]
    for action in range(ACTIONS):
        below = child[node, action]
        if reach[below] >= 0:
            for player in range(weights.shape[1]):
                value[node, player] += policy[node, action] * value[below, player]
    for action in range(ACTIONS):
        below = child[node, action]
        if reach[below] >= 0:
            learned[REGRET, row, action] += others * (value[below, actor] - value[node, actor])


@kernel
def iterate(
    actors: Array,
    child: Array,
    rows: Array,
    values: Array,
    walk: Walk,
    learned: Array,
    generator: Array,
    pruning: Pruning,
    start: int,
    count: int,
) -> int:
    """Run `count` iterations after the first `start`. Return the nodes visited.

    actors[N]: who acts, -1 at endings; child[N, 2]; rows[D, N]: row of who acts; values[D, N, P]: chips at endings, scratch
    elsewhere.
    """
    size, players = values.shape[1:]
    weights, policy = np.ones((size, players)), np.zeros((size, ACTIONS))
    reach, visited = np.ones(size), 0  # reach: of the average policies, -1 below a pruned action
    for iteration in range(start, start + count):
        deal, threshold = draw_deal(walk, generator), threshold_now(pruning, iteration)
        for node in range(size):  # parents come before children
            if actors[node] >= 0:
                if reach[node] >= 0:
                    row = rows[deal, node]
                    descend(child, learned, weights, policy, reach, node, actors[node], row, pruning.rule, threshold)
                else:
                    reach[child[node, 0]] = reach[child[node, 1]] = -1.0
            visited += reach[node] >= 0
        value = values[deal]
        for node in range(size - 1, -1, -1):
            if actors[node] >= 0 and reach[node] >= 0:
                ascend(child, learned, weights, policy, reach, value, node, actors[node], rows[deal, node])
    return visited

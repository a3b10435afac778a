"""The iterative form of bahuguna2018's iteration (its Algorithms 1 and 2): on one thread, or the nodes of a level in parallel.

The first pass goes down level by level and computes policies and weights, the second goes up and computes utilities and
regrets. Pruned nodes are on a blacklist, which both passes check. As first written, it has four faults of the recursive form:
terminal utilities are computed at every visit, rows are looked up in an ordered map, slices of tables are passed to a function
that computes a policy, and tables are made anew in every iteration. Section 6.3 improves all four.
"""

from __future__ import annotations

from collections.abc import Callable

import numba
import numpy as np

from smoothcall.kernels import inlined, kernel, on_threads
from smoothcall.kernels.experiments.steps import (
    ACTIONS,
    AVERAGE,
    CHILD,
    PLAYER,
    REGRET,
    Pruning,
    find_row,
    is_pruned,
    settle_terminal,
    threshold_now,
)
from smoothcall.kernels.random import draw_deal
from smoothcall.kernels.solvers.matching import match_regrets, matched
from smoothcall.kernels.tables import Array, Walk

PRECOMPUTED, INDEXED, IN_PLACE, REUSED = 1, 2, 4, 8  # improvements, in the order of Section 6.3
NONE, ALL = 0, 15
THREADS = 16  # a bit beside them, because Numba's cache tells kernels apart by the values that they close over


@inlined
def descend(
    nodes: Array,
    keys: Array,
    cards: Array,
    rows: Array,
    learned: Array,
    weights: Array,
    policy: Array,
    reach: Array,
    blacklist: Array,
    node: int,
    rule: int,
    threshold: float,
    improved: int,
) -> int:
    """First pass at a decision: compute its policy and its children's weights. Return the number of children visited.

    rows[N]: of the deal; weights[N, P], policy[N, 2], reach[N] (of the average policies), blacklist[N] bool.
    """
    actor, players, visited = nodes[node, PLAYER], len(cards), 0
    if blacklist[node]:
        for action in range(ACTIONS):
            blacklist[nodes[node, CHILD + action]] = True
        return 0
    row = rows[node] if improved & INDEXED else find_row(keys, node * (players + 1) + cards[actor])
    if improved & IN_PLACE:
        passing, betting = max(learned[REGRET, row, 0], 0.0), max(learned[REGRET, row, 1], 0.0)
        policy[node, 0] = matched(passing, passing + betting, ACTIONS)
        policy[node, 1] = matched(betting, passing + betting, ACTIONS)
    else:
        match_regrets(learned[REGRET, row], nodes[node, CHILD : CHILD + ACTIONS], policy[node])
    total = 0.0
    for action in range(ACTIONS):
        learned[AVERAGE, row, action] += weights[node, actor] * policy[node, action]
        total += learned[AVERAGE, row, action]
    for action in range(ACTIONS):
        child, average = nodes[node, CHILD + action], learned[AVERAGE, row, action] / total if total > 0 else 1.0
        if is_pruned(rule, threshold, policy[node, action], average, reach[node] * average):
            blacklist[child] = True
            continue
        reach[child] = reach[node] * average
        for player in range(players):
            weights[child, player] = weights[node, player]
        weights[child, actor] *= policy[node, action]
        visited += 1
    return visited


@inlined
def ascend(
    nodes: Array,
    keys: Array,
    cards: Array,
    rows: Array,
    terminal: Array,
    learned: Array,
    weights: Array,
    policy: Array,
    utilities: Array,
    blacklist: Array,
    node: int,
    improved: int,
) -> None:
    """Second pass at a decision: compute its utilities[node, P] from its children's, and update its regrets.

    terminal[N, P]: precomputed utilities of the deal's endings.
    """
    actor, players = nodes[node, PLAYER], len(cards)
    if blacklist[node]:
        return
    others = 1.0
    for player in range(players):
        if player != actor:
            others *= weights[node, player]
    for action in range(ACTIONS):
        child = nodes[node, CHILD + action]
        if blacklist[child]:
            continue
        if nodes[child, PLAYER] < 0:
            if improved & PRECOMPUTED:
                for player in range(players):
                    utilities[child, player] = terminal[child, player]
            else:
                settle_terminal(nodes, child, cards, utilities, child)
        for player in range(players):
            utilities[node, player] += policy[node, action] * utilities[child, player]
    row = rows[node] if improved & INDEXED else find_row(keys, node * (players + 1) + cards[actor])
    for action in range(ACTIONS):
        child = nodes[node, CHILD + action]
        if not blacklist[child]:
            learned[REGRET, row, action] += others * (utilities[child, actor] - utilities[node, actor])


def iterative_kernel(improved: int) -> Callable[..., int]:  # long: the loop is compiled for `improved`, a constant to it
    """Return the kernel with some improvements of Section 6.3, bits of `improved`; with ALL it is the optimised form.

    With THREADS the nodes of a level are divided among threads, in both passes: they have rows, weights and utilities of their
    own, so that threads write to different places. Nothing else runs in parallel.
    """

    @(on_threads if improved & THREADS else kernel)
    def iterate(
        nodes: Array,
        keys: Array,
        cards: Array,
        rows: Array,
        terminal: Array,
        walk: Walk,
        learned: Array,
        decisions: Array,
        levels: Array,
        generator: Array,
        pruning: Pruning,
        start: int,
        count: int,
    ) -> int:
        """Run `count` iterations after the first `start`, with cards[D, P]. Return the nodes visited.

        rows[D, N] and terminal[D, N, P] are read where `improved` says so. The decisions of level l are decisions[levels[l]] to
        decisions[levels[l + 1] - 1].
        """
        (size, players), visited = (len(nodes), cards.shape[1]), count
        weights, utilities = np.ones((size, players)), np.zeros((size, players))
        policy, reach, blacklist = np.zeros((size, ACTIONS)), np.ones(size), np.zeros(size, np.bool_)
        for iteration in range(start, start + count):
            deal, threshold = draw_deal(walk, generator), threshold_now(pruning, iteration)
            dealt, row, ends = cards[deal], rows[deal], terminal[deal]
            if improved & REUSED:
                utilities[:] = 0.0
                blacklist[:] = False
            else:
                weights, utilities = np.ones((size, players)), np.zeros((size, players))
                policy, reach, blacklist = np.zeros((size, ACTIONS)), np.ones(size), np.zeros(size, np.bool_)
            for level in range(len(levels) - 1):
                for index in numba.prange(levels[level], levels[level + 1]):  # a plain range without THREADS
                    node = decisions[index]
                    visited += descend(
                        nodes,
                        keys,
                        dealt,
                        row,
                        learned,
                        weights,
                        policy,
                        reach,
                        blacklist,
                        node,
                        pruning.rule,
                        threshold,
                        improved,
                    )
            for level in range(len(levels) - 2, -1, -1):
                for index in numba.prange(levels[level], levels[level + 1]):
                    node = decisions[index]
                    ascend(nodes, keys, dealt, row, ends, learned, weights, policy, utilities, blacklist, node, improved)
        return visited

    return iterate

"""The recursive form of bahuguna2018's iteration: its first implementation, before any optimisation.

Terminal utilities are computed at every visit, rows are looked up in an ordered map, weights are copied for every child, and
scratch memory is made anew in every iteration. All tables are in few arrays, because every argument costs the recursion time.
"""

from __future__ import annotations

import numpy as np

from smoothcall.kernels import uncached
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
from smoothcall.kernels.solvers.matching import match_regrets
from smoothcall.kernels.tables import Array, Walk


@uncached
def visit(  # long: Numba cannot inline a function into one that calls itself
    nodes: Array,
    keys: Array,
    cards: Array,
    learned: Array,
    memory: Array,
    node: int,
    depth: int,
    reach: float,
    rule: int,
    threshold: float,
) -> int:
    """Update all rows below a node. Return the nodes visited.

    nodes[N, 4 + P]; keys[rows]; cards[P]; learned[2, rows, 2]; memory[depth, 2 P + 4]: the players' utilities of the node
    (written), their weights (read), the policy and the values of the actions (scratch). reach: of the average policies.
    """
    actor = nodes[node, PLAYER]
    if actor < 0:
        settle_terminal(nodes, node, cards, memory, depth)
        return 1
    players = len(cards)
    policy, value = 2 * players, 2 * players + ACTIONS
    row = find_row(keys, node * (players + 1) + cards[actor])
    match_regrets(learned[REGRET, row], nodes[node, CHILD : CHILD + ACTIONS], memory[depth, policy:value])
    others, total, visited = 1.0, 0.0, 1
    for player in range(players):
        memory[depth, player] = 0.0
        if player != actor:
            others *= memory[depth, players + player]
    for action in range(ACTIONS):
        learned[AVERAGE, row, action] += memory[depth, players + actor] * memory[depth, policy + action]
        total += learned[AVERAGE, row, action]
    for action in range(ACTIONS):
        probability = memory[depth, policy + action]
        average = learned[AVERAGE, row, action] / total if total > 0 else 1.0
        if is_pruned(rule, threshold, probability, average, reach * average):
            memory[depth, value + action] = np.nan
            continue
        for player in range(players):
            memory[depth + 1, players + player] = memory[depth, players + player]
        memory[depth + 1, players + actor] *= probability
        child = nodes[node, CHILD + action]
        visited += visit(nodes, keys, cards, learned, memory, child, depth + 1, reach * average, rule, threshold)
        memory[depth, value + action] = memory[depth + 1, actor]
        for player in range(players):
            memory[depth, player] += probability * memory[depth + 1, player]
    for action in range(ACTIONS):
        if not np.isnan(memory[depth, value + action]):
            learned[REGRET, row, action] += others * (memory[depth, value + action] - memory[depth, actor])
    return visited


@uncached
def iterate(
    nodes: Array,
    keys: Array,
    cards: Array,
    walk: Walk,
    learned: Array,
    depth: int,
    generator: Array,
    pruning: Pruning,
    start: int,
    count: int,
) -> int:
    """Run `count` iterations after the first `start`, with cards[D, P]. Return the nodes visited."""
    players, visited = cards.shape[1], 0
    for iteration in range(start, start + count):
        deal = draw_deal(walk, generator)
        memory = np.zeros((depth + 1, 2 * players + 2 * ACTIONS))
        memory[0, players : 2 * players] = 1.0
        threshold = threshold_now(pruning, iteration)
        visited += visit(nodes, keys, cards[deal], learned, memory, 0, 0, 1.0, pruning.rule, threshold)
    return visited

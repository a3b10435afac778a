"""Chance-sampled CFR as bahuguna2018 writes it: a recursion over the nodes of one deal.

`kernels.solvers.one_deal` computes the same by sweeping lists. The recursion is kept for the paper's comparison of the two,
and as an independent check in the tests. All tables are in four arrays, because every argument costs the recursion time.
"""

from __future__ import annotations

import numpy as np

from smoothcall.kernels import uncached
from smoothcall.kernels.random import draw_deal
from smoothcall.kernels.solvers.matching import match_regrets
from smoothcall.kernels.solvers.one_deal import REVIEW
from smoothcall.kernels.tables import Array, Walk

PLAYER, ROW, ENDING, CHILD = 0, 1, 2, 3  # columns of `nodes`; the children of all actions follow
REGRET, AVERAGE = 0, 1  # `learned`


@uncached
def visit(nodes: Array, payoff: Array, learned: Array, memory: Array, node: int, depth: int, seen: float, prune: float) -> int:
    """Update all rows below a node. Return the nodes visited.

    nodes[N, 3 + A]: of one deal; payoff[endings, P] chips; learned[2, rows, A]; memory[depth, 2 P + 2 A]: the players' values
    of the node (written), their reach probabilities (read), the policy and the values of the actions (scratch).
    """
    players, actions = payoff.shape[1], learned.shape[2]
    actor, row = nodes[node, PLAYER], nodes[node, ROW]
    if actor < 0:
        for player in range(players):
            memory[depth, player] = payoff[nodes[node, ENDING], player]
        return 1
    policy, value = 2 * players, 2 * players + actions
    visited, counted, others = 1, 0.0, 1.0
    children, probabilities = nodes[node, CHILD:], memory[depth, policy:value]
    match_regrets(learned[REGRET, row], children, probabilities)
    for player in range(players):
        memory[depth, player] = 0.0
        memory[depth + 1, players + player] = memory[depth, players + player]
        if player != actor:
            others *= memory[depth, players + player]
    for action in range(actions):
        if children[action] >= 0:
            learned[AVERAGE, row, action] += memory[depth, players + actor] * probabilities[action]
            counted += learned[AVERAGE, row, action]
    for action in range(actions):
        child, probability = children[action], probabilities[action]
        if child < 0:
            continue
        likely = seen * learned[AVERAGE, row, action] / counted if counted > 0 else seen
        if probability == 0.0 and likely < prune:
            memory[depth, value + action] = np.nan
            continue
        memory[depth + 1, players + actor] = memory[depth, players + actor] * probability
        visited += visit(nodes, payoff, learned, memory, child, depth + 1, likely, prune)
        memory[depth, value + action] = memory[depth + 1, actor]
        for player in range(players):
            memory[depth, player] += probability * memory[depth + 1, player]
    for action in range(actions):
        if children[action] >= 0 and not np.isnan(memory[depth, value + action]):
            learned[REGRET, row, action] += others * (memory[depth, value + action] - memory[depth, actor])
    return visited


@uncached
def iterate(
    nodes: Array, payoff: Array, walk: Walk, learned: Array, depth: int, prune: float, generator: Array, count: int
) -> int:
    """Run `count` iterations over nodes[D, N, 3 + A] and payoff[D, endings, P]. Return the nodes visited."""
    players = payoff.shape[2]
    memory = np.zeros((depth + 2, 2 * players + 2 * learned.shape[2]))
    visited = 0
    for iteration in range(count):
        deal, now = draw_deal(walk, generator), prune if iteration % REVIEW else 0.0
        memory[0, players : 2 * players] = 1.0
        visited += visit(nodes[deal], payoff[deal], learned, memory, 0, 0, 1.0, now)
    return visited

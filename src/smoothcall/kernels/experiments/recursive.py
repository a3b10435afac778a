"""The one-deal CFR iteration as bahuguna2018 writes it down: a recursion over the nodes.

It does what `kernels.solvers.one_deal` does by sweeping lists. It is kept for the document's comparison of the two, and as a second
opinion in the tests. Everything is in four arrays, because each one handed down costs the recursion time.
"""

from __future__ import annotations

import numpy as np

from smoothcall.kernels import uncached
from smoothcall.kernels.random import draw_deal
from smoothcall.kernels.solvers.one_deal import REVIEW
from smoothcall.kernels.tables import Array, Walk

PLAYER, ROW, ENDING, CHILD = 0, 1, 2, 3  # columns of `nodes`; the children of all actions follow
REGRET, AVERAGE = 0, 1  # `learned`


@uncached
def visit(nodes: Array, payoff: Array, learned: Array, memory: Array, node: int, depth: int, seen: float, prune: float) -> int:
    """Walk everything below a node; returns the nodes visited.

    nodes[N, 3 + A]: of one deal; payoff[endings, P]; learned[2, rows, A]; memory[depth, 2 P + 2 A]: the values of the node
    (written), the players' reach (read), the policy and the values of the actions (scratch).
    """
    players, actions = payoff.shape[1], learned.shape[2]
    actor, row = nodes[node, PLAYER], nodes[node, ROW]
    if actor < 0:
        for player in range(players):
            memory[depth, player] = payoff[nodes[node, ENDING], player]
        return 1
    policy, gain = 2 * players, 2 * players + actions
    total, legal, visited, counted, others = 0.0, 0, 1, 0.0, 1.0
    for action in range(actions):
        if nodes[node, CHILD + action] >= 0:
            legal += 1
            total += max(learned[REGRET, row, action], 0.0)
    for player in range(players):
        memory[depth, player] = 0.0
        memory[depth + 1, players + player] = memory[depth, players + player]
        if player != actor:
            others *= memory[depth, players + player]
    for action in range(actions):
        if nodes[node, CHILD + action] >= 0:
            chance = max(learned[REGRET, row, action], 0.0) / total if total > 0 else 1.0 / legal
            memory[depth, policy + action] = chance
            learned[AVERAGE, row, action] += memory[depth, players + actor] * chance
            counted += learned[AVERAGE, row, action]
    for action in range(actions):
        child, chance = nodes[node, CHILD + action], memory[depth, policy + action]
        if child < 0:
            continue
        likely = seen * learned[AVERAGE, row, action] / counted if counted > 0 else seen
        if chance == 0.0 and likely < prune:
            memory[depth, gain + action] = np.nan
            continue
        memory[depth + 1, players + actor] = memory[depth, players + actor] * chance
        visited += visit(nodes, payoff, learned, memory, child, depth + 1, likely, prune)
        memory[depth, gain + action] = memory[depth + 1, actor]
        for player in range(players):
            memory[depth, player] += chance * memory[depth + 1, player]
    for action in range(actions):
        if nodes[node, CHILD + action] >= 0 and not np.isnan(memory[depth, gain + action]):
            learned[REGRET, row, action] += others * (memory[depth, gain + action] - memory[depth, actor])
    return visited


@uncached
def iterate(
    nodes: Array, payoff: Array, walk: Walk, learned: Array, depth: int, prune: float, generator: Array, count: int
) -> int:
    """`count` iterations over nodes[D, N, 3 + A] and payoff[D, endings, P]; returns the nodes visited."""
    players = payoff.shape[2]
    memory = np.zeros((depth + 2, 2 * players + 2 * learned.shape[2]))
    visited = 0
    for iteration in range(count):
        deal, now = draw_deal(walk, generator), prune if iteration % REVIEW else 0.0
        memory[0, players : 2 * players] = 1.0
        visited += visit(nodes[deal], payoff[deal], learned, memory, 0, 0, 1.0, now)
    return visited

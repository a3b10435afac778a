"""CFR with sampled deals: each iteration sweeps the sequence form of one deal and updates all players.

This is bahuguna2018's iteration and chance-sampled CFR (Zinkevich et al. 2007): the rows of full-width CFR, those of one deal.
"""

from __future__ import annotations

import numpy as np

from smoothcall.kernels import inlined, kernel
from smoothcall.kernels.random import draw_deal
from smoothcall.kernels.solvers.cfr import State, learn_row, match_row
from smoothcall.kernels.tables import Array, Form, OneDeal, Walk

REVIEW = 16


@inlined
def open_row(form: Form, row: int, state: State) -> None:
    """Play the row by its regrets, count that in the average, and clear its gains."""
    match_row(form, row, state, False)
    for sequence in range(form.row_sequence[row], form.row_sequence[row + 1]):
        state.average[sequence] += state.plan[sequence]
        state.gain[sequence] = 0.0


@inlined
def pay(part: OneDeal, deal: int, ending: int, state: State) -> None:
    """Give each player's last sequence what the ending pays, times the others' probability of coming there."""
    players = part.sequence.shape[2]
    for player in range(players):
        amount = part.payoff[deal, ending, player]
        for other in range(players):
            if other != player:
                amount *= state.plan[part.sequence[deal, ending, other]]
        state.gain[part.sequence[deal, ending, player]] += amount


@inlined
def sweep(form: Form, part: OneDeal, deal: int, state: State) -> None:
    """Everything the deal comes to."""
    rows = part.row.shape[1]
    for index in range(rows):
        open_row(form, part.row[deal, index], state)
    for ending in range(part.sequence.shape[1]):
        pay(part, deal, ending, state)
    for index in range(rows - 1, -1, -1):
        learn_row(form, part.row[deal, index], state, 1.0, 1.0, False)


@inlined
def sweep_pruned(
    form: Form, part: OneDeal, deal: int, state: State, prune: float, seen: Array, skipped: Array, held: Array
) -> int:
    """The same without what is hardly ever seen; returns how many nodes were visited. seen[N], skipped[N], held[N]: scratch.

    A step is skipped, with all below it, while its player does not take it now and the average policies would come there
    with a probability under `prune`. Values stay exact, because what is skipped has probability 0; its regret waits.
    """
    visited, skips = 0, 0
    for node in range(part.node_row.shape[1]):
        step, parent = part.node_step[deal, node], form.node_parent[node]
        if parent >= 0:
            if seen[parent] < 0:
                seen[node] = -1.0
                continue
            row, total = part.node_row[deal, parent], 0.0
            for sequence in range(form.row_sequence[row], form.row_sequence[row + 1]):
                total += state.average[sequence]
            seen[node] = seen[parent] * state.average[step] / total if total > 0 else seen[parent]
            if state.policy[step] == 0.0 and seen[node] < prune:
                seen[node] = -1.0
                skipped[skips], held[skips] = step, state.regret[step]
                skips += 1
                continue
        else:
            seen[node] = 1.0
        visited += 1
        if part.node_row[deal, node] >= 0:
            open_row(form, part.node_row[deal, node], state)
        else:
            ending = form.node_ending[node]
            pay(part, deal, ending, state)
    for node in range(part.node_row.shape[1] - 1, -1, -1):
        if seen[node] >= 0 and part.node_row[deal, node] >= 0:
            learn_row(form, part.node_row[deal, node], state, 1.0, 1.0, False)
    for index in range(skips):
        state.regret[skipped[index]] = held[index]
    return visited


@kernel
def iterate(form: Form, part: OneDeal, walk: Walk, state: State, generator: Array, count: int) -> int:
    """`count` iterations. Returns the nodes visited."""
    for player in range(walk.bucket.shape[1]):
        state.plan[player] = 1.0
    for _ in range(count):
        sweep(form, part, draw_deal(walk, generator), state)
    return count * int(part.node_row.shape[1])


@kernel
def iterate_pruned(
    form: Form, part: OneDeal, walk: Walk, state: State, generator: Array, start: int, count: int, prune: float
) -> int:
    """The same with pruning, after the first `start` iterations; every 16th iteration prunes nothing.

    Those look again at what was given up: without them games larger than Kuhn do not converge.
    """
    nodes = part.node_row.shape[1]
    seen, skipped, held = np.empty(nodes), np.empty(nodes, np.int32), np.empty(nodes)
    visited = 0
    for player in range(walk.bucket.shape[1]):
        state.plan[player] = 1.0
    for iteration in range(start, start + count):
        now = prune if iteration % REVIEW else 0.0
        visited += sweep_pruned(form, part, draw_deal(walk, generator), state, now, seen, skipped, held)
    return visited

"""Chance-sampled CFR (Zinkevich et al. 2007; bahuguna2018): sweep the sequence form of one deal, update all players.

The row updates are those of full-width CFR, applied to the rows of one deal.
"""

from __future__ import annotations

import numpy as np

from smoothcall.kernels import inlined, kernel
from smoothcall.kernels.random import draw_deal
from smoothcall.kernels.solvers.cfr import State, learn_row, match_row
from smoothcall.kernels.tables import Array, Form, OneDeal, Walk

REVIEW = 16  # every so many iterations nothing is pruned


@inlined
def open_row(form: Form, row: int, state: State) -> None:
    """Match the row's regrets, count its realisation plan in the average and clear its counterfactual values."""
    match_row(form, row, state, False)
    for sequence in range(form.row_sequence[row], form.row_sequence[row + 1]):
        state.average[sequence] += state.plan[sequence]
        state.value[sequence] = 0.0


@inlined
def pay(dealt: OneDeal, deal: int, ending: int, state: State) -> None:
    """Add to each player's last sequence what the ending pays, times the others' probability of reaching it."""
    players = dealt.sequence.shape[2]
    for player in range(players):
        amount = dealt.payoff[deal, ending, player]
        for other in range(players):
            if other != player:
                amount *= state.plan[dealt.sequence[deal, ending, other]]
        state.value[dealt.sequence[deal, ending, player]] += amount


@inlined
def sweep(form: Form, dealt: OneDeal, deal: int, state: State) -> None:
    """Update every row of a deal."""
    rows = dealt.row.shape[1]
    for index in range(rows):
        open_row(form, dealt.row[deal, index], state)
    for ending in range(dealt.sequence.shape[1]):
        pay(dealt, deal, ending, state)
    for index in range(rows - 1, -1, -1):
        learn_row(form, dealt.row[deal, index], state, 1.0, 1.0, False)


@inlined
def sweep_pruned(
    form: Form, dealt: OneDeal, deal: int, state: State, prune: float, reach: Array, skipped: Array, held: Array
) -> int:
    """Update the rows of a deal that are not pruned. Return the nodes visited. reach[N], skipped[N], held[N]: scratch.

    A step is pruned, with everything below it, while its player's current policy does not take it and the average policies
    reach it with a probability below `prune`. Values stay exact, because a pruned step has probability 0; its regret is kept.
    reach[N] is the probability that the average policies reach a node, -1 where it is pruned.
    """
    visited, skips = 0, 0
    for node in range(dealt.node_row.shape[1]):
        step, parent = dealt.node_step[deal, node], form.node_parent[node]
        if parent >= 0:
            if reach[parent] < 0:
                reach[node] = -1.0
                continue
            row, total = dealt.node_row[deal, parent], 0.0
            for sequence in range(form.row_sequence[row], form.row_sequence[row + 1]):
                total += state.average[sequence]
            reach[node] = reach[parent] * state.average[step] / total if total > 0 else reach[parent]
            if state.policy[step] == 0.0 and reach[node] < prune:
                reach[node] = -1.0
                skipped[skips], held[skips] = step, state.regret[step]
                skips += 1
                continue
        else:
            reach[node] = 1.0
        visited += 1
        if dealt.node_row[deal, node] >= 0:
            open_row(form, dealt.node_row[deal, node], state)
        else:
            ending = form.node_ending[node]
            pay(dealt, deal, ending, state)
    for node in range(dealt.node_row.shape[1] - 1, -1, -1):
        if reach[node] >= 0 and dealt.node_row[deal, node] >= 0:
            learn_row(form, dealt.node_row[deal, node], state, 1.0, 1.0, False)
    for index in range(skips):
        state.regret[skipped[index]] = held[index]
    return visited


@kernel
def iterate(form: Form, dealt: OneDeal, walk: Walk, state: State, generator: Array, count: int) -> int:
    """Run `count` iterations. Return the nodes visited."""
    for player in range(walk.bucket.shape[1]):
        state.plan[player] = 1.0
    for _ in range(count):
        sweep(form, dealt, draw_deal(walk, generator), state)
    return count * int(dealt.node_row.shape[1])


@kernel
def iterate_pruned(
    form: Form, dealt: OneDeal, walk: Walk, state: State, generator: Array, start: int, count: int, prune: float
) -> int:
    """Run `count` iterations with pruning after the first `start`. Return the nodes visited.

    Every REVIEW-th iteration prunes nothing and so reconsiders pruned steps: otherwise games larger than Kuhn do not converge.
    """
    nodes = dealt.node_row.shape[1]
    reach, skipped, held = np.empty(nodes), np.empty(nodes, np.int32), np.empty(nodes)
    visited = 0
    for player in range(walk.bucket.shape[1]):
        state.plan[player] = 1.0
    for iteration in range(start, start + count):
        now = prune if iteration % REVIEW else 0.0
        visited += sweep_pruned(form, dealt, draw_deal(walk, generator), state, now, reach, skipped, held)
    return visited

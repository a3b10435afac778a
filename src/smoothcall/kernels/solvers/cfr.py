"""Counterfactual regret minimisation over the sequence form: one traversal for every member of the family.

The members differ only in how they weigh the past. After iteration t (counted from 1)
    positive regrets are multiplied by t^alpha / (t^alpha + 1), negative ones by t^beta / (t^beta + 1),
    and the realisation plan of iteration t counts t^gamma in the average (Brown and Sandholm 2019).
alpha = inf keeps positive regrets, beta = -inf drops negative ones (CFR+). A predictive solver matches its regrets plus the
last instantaneous ones (Farina, Kroer and Sandholm 2021).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from smoothcall.kernels import callee, inlined, kernel
from smoothcall.kernels.information.sequences import add_leaves, clear
from smoothcall.kernels.solvers.matching import keep_positive, matched
from smoothcall.kernels.tables import Array, Form, Integer

LARGEST_LOG = 700.0  # exp of more overflows
NO_PRUNING = -1.0  # a threshold that visits everything


class Weights(NamedTuple):
    alpha: float
    beta: float
    gamma: float
    predictive: bool


class State(NamedTuple):
    """Tables of a run, [sequences] float64 each."""

    regret: Array
    average: Array  # weighted sum of realisation plans
    policy: Array  # the current one
    plan: Array  # realisation plan of the current policy
    value: Array  # scratch: counterfactual values
    last: Array  # instantaneous regrets of the last update, where predictive


@kernel
def discount(iteration: int, power: float) -> float:
    """Return t^power / (t^power + 1); its limit where the power is infinite or t^power overflows."""
    if power == -np.inf:
        return 0.0
    if power == np.inf or power * np.log(iteration) > LARGEST_LOG:
        return 1.0
    grown: float = float(iteration) ** power
    return grown / (grown + 1.0)


@inlined
def match_row(form: Form, row: Integer, state: State, predictive: bool) -> None:
    """Match the regrets of a row: write its policy and its part of the realisation plan."""
    first, last = form.row_sequence[row], form.row_sequence[row + 1]
    if predictive:
        total = keep_positive(state.regret, state.last, state.policy, first, last)
    else:
        total = keep_positive(state.regret, None, state.policy, first, last)
    reach = state.plan[form.row_parent[row]]
    for sequence in range(first, last):
        probability = matched(state.policy[sequence], total, last - first)
        state.policy[sequence] = probability
        state.plan[sequence] = reach * probability


@inlined
def learn_row(form: Form, row: Integer, state: State, keep: float, forget: float, predictive: bool) -> None:
    """Update the regrets of a row from its counterfactual values; add the row's value to that of the sequence that leads to it.

    Positive regrets are multiplied by `keep`, negative ones by `forget`.
    """
    first, last = form.row_sequence[row], form.row_sequence[row + 1]
    value = 0.0
    for sequence in range(first, last):
        value += state.policy[sequence] * state.value[sequence]
    for sequence in range(first, last):
        instant = state.value[sequence] - value
        regret = state.regret[sequence] + instant
        state.regret[sequence] = regret * (keep if regret > 0 else forget)
        if predictive:
            state.last[sequence] = instant
    state.value[form.row_parent[row]] += value


@callee
def match_player(form: Form, player: int, state: State, predictive: bool) -> None:
    """Match the regrets of all rows of a player, downwards."""
    state.plan[player] = 1.0
    if predictive:  # outside the loop: a branch within it makes Numba count references to arrays in every row
        for row in range(form.player_row[player], form.player_row[player + 1]):
            match_row(form, row, state, True)
    else:
        for row in range(form.player_row[player], form.player_row[player + 1]):
            match_row(form, row, state, False)


@callee
def accumulate(form: Form, player: int, state: State, weight: float) -> None:
    """Count the player's current realisation plan in the average."""
    for sequence in range(form.player_sequence[player], form.player_sequence[player + 1]):
        state.average[sequence] += weight * state.plan[sequence]


@kernel
def learn(form: Form, player: int, state: State, weights: Weights, iteration: int) -> None:
    """Update the regrets of all rows of a player from the counterfactual values of the leaves, upwards."""
    keep, forget = discount(iteration, weights.alpha), discount(iteration, weights.beta)
    for row in range(form.player_row[player + 1] - 1, form.player_row[player] - 1, -1):
        learn_row(form, row, state, keep, forget, weights.predictive)


@callee
def live_endings(form: Form, player: int, plan: Array, threshold: float, reach: Array, live: Array) -> tuple[int, int]:
    """List the endings that the others reach with a probability above `threshold`.

    The reach of a node is an upper bound: the product over the other players of the largest realisation probability of any of
    their buckets. A node at or
    below the threshold is cut off with all below it. Threshold 0 is exact: what is cut off adds nothing.
    Write live[endings]; return (how many, (node, deal) pairs visited). reach[P, N] is scratch.
    """
    count, visited = 0, 0
    players = len(reach)
    for node in range(len(form.node_parent)):
        parent = form.node_parent[node]
        product = 1.0
        for other in range(players):
            reach[other, node] = reach[other, parent] if parent >= 0 else 1.0
        mover = form.node_player[node]
        if mover >= 0:
            best = 0.0
            for index in range(form.node_sequence[node], form.node_sequence[node + 1]):
                best = max(best, plan[form.sequences[index]])
            reach[mover, node] = min(best, reach[mover, parent])
        for other in range(players):
            if other != player:
                product *= reach[other, node]
        if product <= threshold:
            reach[:, node] = 0.0
            continue
        visited += form.node_deals[node]
        if form.node_ending[node] >= 0:
            live[count] = form.node_ending[node]
            count += 1
    return count, visited


@kernel
def update(
    form: Form, player: int, state: State, weights: Weights, iteration: int, threshold: float, reach: Array, live: Array
) -> int:
    """Compute the player's counterfactual values and learn from them. Return the (node, deal) pairs visited."""
    clear(form, player, state.value)
    if threshold == NO_PRUNING:
        add_leaves(form, player, state.plan, state.value, 0, form.leaf_sequence.shape[1])
        visited = int(form.node_deals.sum())
    else:
        count, visited = live_endings(form, player, state.plan, threshold, reach, live)
        for index in range(count):
            ending = live[index]
            add_leaves(form, player, state.plan, state.value, form.ending_leaf[ending], form.ending_leaf[ending + 1])
    learn(form, player, state, weights, iteration)
    return visited


@kernel
def iterate(form: Form, state: State, weights: Weights, start: int, count: int, alternating: bool, threshold: float) -> int:
    """Run `count` iterations after the first `start`. Return the (node, deal) pairs visited.

    Alternating: the update of each player sees the policies that earlier players have just learned; else all learn at once.
    """
    players = len(form.player_row) - 1
    reach = np.ones((players, len(form.node_parent)))
    live = np.empty(len(form.ending_leaf), np.int32)
    visited = 0
    for iteration in range(start + 1, start + count + 1):
        weight = float(iteration) ** weights.gamma
        for player in range(players):
            accumulate(form, player, state, weight)
            visited += update(form, player, state, weights, iteration, threshold, reach, live)
            if alternating:
                match_player(form, player, state, weights.predictive)
        if not alternating:
            for player in range(players):
                match_player(form, player, state, weights.predictive)
    return visited


@kernel
def restart(form: Form, state: State, weights: Weights) -> None:
    """Match the regrets of all players, as after an iteration."""
    for player in range(len(form.player_row) - 1):
        match_player(form, player, state, weights.predictive)

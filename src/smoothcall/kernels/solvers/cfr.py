"""Counterfactual regret minimisation over the sequence form: one traversal for every member of the family.

The members differ in how they weigh the past, nothing else. After iteration t (counted from 1)
    positive regrets are multiplied by t^alpha / (t^alpha + 1), negative ones by t^beta / (t^beta + 1),
    and the plan of iteration t counts t^gamma in the average (Brown and Sandholm 2019).
alpha = inf keeps positive regrets, beta = -inf drops negative ones (CFR+). A predictive solver plays against its regrets
plus the last instantaneous ones (Farina, Kroer and Sandholm 2021).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from smoothcall.kernels import inlined, kernel
from smoothcall.kernels.information.sequences import clear, collect
from smoothcall.kernels.tables import Array, Form

LARGEST_LOG = 700.0  # exp of more overflows


class Weights(NamedTuple):
    alpha: float
    beta: float
    gamma: float
    predictive: bool


class State(NamedTuple):
    """Tables of a run, [sequences] float64 each."""

    regret: Array
    average: Array  # weighted sum of plans
    policy: Array  # the current one
    plan: Array  # of the current policy
    gain: Array  # scratch: counterfactual action values
    last: Array  # the instantaneous regrets of the last update


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
def match_row(form: Form, row: int, state: State, predictive: bool) -> None:
    """The row's policy proportional to positive regrets, uniform where there are none; and its part of the plan."""
    first, last = form.row_sequence[row], form.row_sequence[row + 1]
    total = 0.0
    for sequence in range(first, last):
        regret = state.regret[sequence]
        if predictive:
            regret += state.last[sequence]
        regret = max(regret, 0.0)
        state.policy[sequence] = regret
        total += regret
    reach = state.plan[form.row_parent[row]]
    scale, even = 1.0 / total if total > 0 else 0.0, 1.0 / (last - first)
    for sequence in range(first, last):
        chance = state.policy[sequence] * scale if total > 0 else even
        state.policy[sequence] = chance
        state.plan[sequence] = reach * chance


@inlined
def learn_row(form: Form, row: int, state: State, keep: float, forget: float, predictive: bool) -> None:
    """Turn the row's gains into regrets, weigh them, and add the row's value to the gain of the sequence before it."""
    first, last = form.row_sequence[row], form.row_sequence[row + 1]
    value = 0.0
    for sequence in range(first, last):
        value += state.policy[sequence] * state.gain[sequence]
    for sequence in range(first, last):
        instant = state.gain[sequence] - value
        regret = state.regret[sequence] + instant
        state.regret[sequence] = regret * (keep if regret > 0 else forget)
        if predictive:
            state.last[sequence] = instant
    state.gain[form.row_parent[row]] += value


@kernel
def match_regrets(form: Form, player: int, state: State, predictive: bool) -> None:
    """The player's policy and plan that belong to the regrets, downwards over the rows."""
    state.plan[player] = 1.0
    for row in range(form.player_row[player], form.player_row[player + 1]):
        match_row(form, row, state, predictive)


@kernel
def accumulate(form: Form, player: int, state: State, weight: float) -> None:
    """Count the player's current plan in the average."""
    for sequence in range(form.player_sequence[player], form.player_sequence[player + 1]):
        state.average[sequence] += weight * state.plan[sequence]


@kernel
def learn(form: Form, player: int, state: State, weights: Weights, iteration: int) -> None:
    """Learn from the collected gains, upwards over the player's rows."""
    keep, forget = discount(iteration, weights.alpha), discount(iteration, weights.beta)
    for row in range(form.player_row[player + 1] - 1, form.player_row[player] - 1, -1):
        learn_row(form, row, state, keep, forget, weights.predictive)


@kernel
def live_endings(form: Form, player: int, plan: Array, threshold: float, reach: Array, live: Array) -> tuple[int, int]:
    """The endings worth a visit for the player's update: those whose way down the others take with more than `threshold`.

    The reach of a node is the product over the others of their most likely way there (over what they may hold); a node
    under the threshold is cut off with all below it. At threshold 0 nothing is lost: what is cut adds nothing.
    Writes live[endings] and returns (how many, (node, deal) pairs visited). reach[P, N] is scratch.
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
    """Collect the player's gains and learn from them. Returns the (node, deal) pairs visited."""
    clear(form, player, state.gain)
    if threshold < 0:
        collect(form, player, state.plan, state.gain, 0, form.result_sequence.shape[1])
        visited = int(form.node_deals.sum())
    else:
        count, visited = live_endings(form, player, state.plan, threshold, reach, live)
        for index in range(count):
            ending = live[index]
            collect(form, player, state.plan, state.gain, form.ending_result[ending], form.ending_result[ending + 1])
    learn(form, player, state, weights, iteration)
    return visited


@kernel
def iterate(form: Form, state: State, weights: Weights, start: int, count: int, alternating: bool, threshold: float) -> int:
    """`count` iterations after the first `start`. A threshold under 0 prunes nothing. Returns (node, deal) pairs visited.

    Alternating: each player's update sees the policies the earlier players have just learned. Else all learn at once.
    """
    players = len(form.player_row) - 1
    reach = np.ones((players, len(form.node_parent)))
    live = np.empty(len(form.ending_result), np.int32)
    visited = 0
    for iteration in range(start + 1, start + count + 1):
        weight = float(iteration) ** weights.gamma
        for player in range(players):
            accumulate(form, player, state, weight)
            visited += update(form, player, state, weights, iteration, threshold, reach, live)
            if alternating:
                match_regrets(form, player, state, weights.predictive)
        if not alternating:
            for player in range(players):
                match_regrets(form, player, state, weights.predictive)
    return visited


@kernel
def restart(form: Form, state: State, weights: Weights) -> None:
    """The policies and plans that belong to the regrets."""
    for player in range(len(form.player_row) - 1):
        match_regrets(form, player, state, weights.predictive)

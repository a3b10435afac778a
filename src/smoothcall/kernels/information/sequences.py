"""Full-width sweeps over the sequence form. Tables are flat, indexed by sequence: see `Form`.

Downwards over a player's rows turns a policy into a plan; one pass over the results gives every sequence its *gain*, the
chips it earns against the others' plans; upwards over the rows, a row's value is added to the gain of the sequence before it.
"""

from __future__ import annotations

import numpy as np

from smoothcall.kernels import kernel
from smoothcall.kernels.tables import Array, Form


@kernel
def plan_from_policy(form: Form, player: int, policy: Array, plan: Array) -> None:
    """policy[sequences] -> plan[sequences], the player's part of both."""
    plan[player] = 1.0
    for row in range(form.player_row[player], form.player_row[player + 1]):
        reach = plan[form.row_parent[row]]
        for sequence in range(form.row_sequence[row], form.row_sequence[row + 1]):
            plan[sequence] = reach * policy[sequence]


@kernel
def policy_from_plan(form: Form, player: int, plan: Array, policy: Array) -> None:
    """plan[sequences], or any positive multiple of one -> policy[sequences]; uniform where the plan never comes."""
    for row in range(form.player_row[player], form.player_row[player + 1]):
        first, last = form.row_sequence[row], form.row_sequence[row + 1]
        total = 0.0
        for sequence in range(first, last):
            total += plan[sequence]
        for sequence in range(first, last):
            policy[sequence] = plan[sequence] / total if total > 0 else 1.0 / (last - first)


@kernel
def collect(form: Form, player: int, plan: Array, gain: Array, first: int, last: int) -> None:
    """Add to the player's gain[sequences] what the results from `first` to `last` pay against the others' plans."""
    sequence, payoff = form.result_sequence, form.result_payoff
    players = len(sequence)
    if players == 2:
        other = 1 - player
        for result in range(first, last):
            gain[sequence[player, result]] += payoff[player, result] * plan[sequence[other, result]]
        return
    for result in range(first, last):
        reach = payoff[player, result]
        for other in range(players):
            if other != player:
                reach *= plan[sequence[other, result]]
        gain[sequence[player, result]] += reach


@kernel
def clear(form: Form, player: int, gain: Array) -> None:
    gain[player] = 0.0
    gain[form.player_sequence[player] : form.player_sequence[player + 1]] = 0.0


@kernel
def best_response(form: Form, player: int, plan: Array, gain: Array, policy: Array) -> float:
    """The value of the player's best response to the others' plans; writes it to policy[sequences] (first best action).

    A choice is made once a row, on the sum over everything the player cannot tell apart there.
    """
    clear(form, player, gain)
    collect(form, player, plan, gain, 0, form.result_sequence.shape[1])
    for row in range(form.player_row[player + 1] - 1, form.player_row[player] - 1, -1):
        first, last = form.row_sequence[row], form.row_sequence[row + 1]
        best = first
        for sequence in range(first, last):
            policy[sequence] = 0.0
            if gain[sequence] > gain[best]:
                best = sequence
        policy[best] = 1.0
        gain[form.row_parent[row]] += gain[best]
    return float(gain[player])


@kernel
def expected_values(form: Form, plan: Array, values: Array) -> None:
    """values[P]: chips a hand under the plans of all players."""
    sequence, payoff = form.result_sequence, form.result_payoff
    values[:] = 0.0
    for result in range(sequence.shape[1]):
        reach = 1.0
        for player in range(len(sequence)):
            reach *= plan[sequence[player, result]]
        for player in range(len(sequence)):
            values[player] += reach * payoff[player, result]


@kernel
def evaluate(form: Form, policy: Array, values: Array, best: Array) -> None:
    """values[P] under the policy, and best[P], each player's value when only that player deviates, at best."""
    plan, gain, response = np.empty_like(policy), np.empty_like(policy), np.empty_like(policy)
    for player in range(len(values)):
        plan_from_policy(form, player, policy, plan)
    expected_values(form, plan, values)
    for player in range(len(values)):
        best[player] = best_response(form, player, plan, gain, response)

"""Full-width sweeps over the sequence form. Tables are flat, [sequences]: see `Form`.

A sweep down a player's rows turns a policy into a realisation plan. One pass over the leaves gives every sequence its
*counterfactual value*, the chips it earns against the others' realisation plans. A sweep up the rows adds the value of each
row to that of the sequence that leads to it.
"""

from __future__ import annotations

import numpy as np

from smoothcall.kernels import callee, kernel
from smoothcall.kernels.tables import Array, Form


@kernel
def plan_from_policy(form: Form, player: int, policy: Array, plan: Array) -> None:
    """Write the player's part of plan[sequences], the realisation plan of policy[sequences]."""
    plan[player] = 1.0
    for row in range(form.player_row[player], form.player_row[player + 1]):
        reach = plan[form.row_parent[row]]
        for sequence in range(form.row_sequence[row], form.row_sequence[row + 1]):
            plan[sequence] = reach * policy[sequence]


@kernel
def policy_from_plan(form: Form, player: int, plan: Array, policy: Array) -> None:
    """Write the player's part of policy[sequences]. plan[sequences]: a realisation plan times any positive number.

    The policy is uniform at rows that the plan does not reach.
    """
    for row in range(form.player_row[player], form.player_row[player + 1]):
        first, last = form.row_sequence[row], form.row_sequence[row + 1]
        total = 0.0
        for sequence in range(first, last):
            total += plan[sequence]
        for sequence in range(first, last):
            policy[sequence] = plan[sequence] / total if total > 0 else 1.0 / (last - first)


@kernel
def add_leaves(form: Form, player: int, plan: Array, value: Array, first: int, last: int) -> None:
    """Add to the player's value[sequences] what the leaves from `first` to `last` pay against the others' plans."""
    sequence, payoff = form.leaf_sequence, form.leaf_payoff
    players = len(sequence)
    if players == 2:
        other = 1 - player
        for leaf in range(first, last):
            value[sequence[player, leaf]] += payoff[player, leaf] * plan[sequence[other, leaf]]
        return
    for leaf in range(first, last):
        reach = payoff[player, leaf]
        for other in range(players):
            if other != player:
                reach *= plan[sequence[other, leaf]]
        value[sequence[player, leaf]] += reach


@callee
def clear(form: Form, player: int, value: Array) -> None:
    """Set the player's part of value[sequences] to 0."""
    value[player] = 0.0
    value[form.player_sequence[player] : form.player_sequence[player + 1]] = 0.0


@kernel
def best_response(form: Form, player: int, plan: Array, value: Array, policy: Array) -> float:
    """Return the value of the player's best response to the others' plans, in chips; write it to policy[sequences].

    A row takes the action of the highest counterfactual value, of equals the first. value[sequences] is scratch.
    """
    clear(form, player, value)
    add_leaves(form, player, plan, value, 0, form.leaf_sequence.shape[1])
    for row in range(form.player_row[player + 1] - 1, form.player_row[player] - 1, -1):
        first, last = form.row_sequence[row], form.row_sequence[row + 1]
        best = first
        for sequence in range(first, last):
            policy[sequence] = 0.0
            if value[sequence] > value[best]:
                best = sequence
        policy[best] = 1.0
        value[form.row_parent[row]] += value[best]
    return float(value[player])


@kernel
def expected_values(form: Form, plan: Array, values: Array) -> None:
    """Write values[P], chips a hand under the realisation plans of all players."""
    sequence, payoff = form.leaf_sequence, form.leaf_payoff
    values[:] = 0.0
    for leaf in range(sequence.shape[1]):
        reach = 1.0
        for player in range(len(sequence)):
            reach *= plan[sequence[player, leaf]]
        for player in range(len(sequence)):
            values[player] += reach * payoff[player, leaf]


@kernel
def evaluate(form: Form, policy: Array, values: Array, best: Array) -> None:
    """Write values[P] under policy[sequences], and best[P], the value of each player's best response to the others."""
    plan, value, response = np.empty_like(policy), np.empty_like(policy), np.empty_like(policy)
    for player in range(len(values)):
        plan_from_policy(form, player, policy, plan)
    expected_values(form, plan, values)
    for player in range(len(values)):
        best[player] = best_response(form, player, plan, value, response)

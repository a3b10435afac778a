"""Extensive-form fictitious play: the average realisation plan moves towards the best response to it."""

from __future__ import annotations

import numpy as np

from smoothcall.kernels import kernel
from smoothcall.kernels.information.sequences import best_response, plan_from_policy
from smoothcall.kernels.tables import Array, Form


@kernel
def iterate(form: Form, average: Array, response: Array, start: int, count: int) -> None:
    """Run `count` iterations after the first `start`.

    average[sequences]: realisation plans, updated in place; response[sequences]: policies of the last best responses.
    """
    players = len(form.player_row) - 1
    value, plan = np.empty_like(average), np.ones_like(average)
    for iteration in range(start + 1, start + count + 1):
        for player in range(players):
            best_response(form, player, average, value, response)
        for player in range(players):
            plan_from_policy(form, player, response, plan)
        average += (plan - average) / (iteration + 1.0)

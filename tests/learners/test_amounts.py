"""Amounts of the continuous deep Q-learner of epfl2020: what a move counts as, and the squared loss."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

import smoothcall.solvers  # noqa: F401 - modules of smoothcall.learners cannot be imported before it
from smoothcall.agents.batch_wrappers import ALL_IN, Table, likely_legal
from smoothcall.agents.q_networks import amounts
from smoothcall.kernels.simulation.observations import OBSERVATION, OTHER_STACK, STACK, TO_CALL
from smoothcall.kernels.tables import CALL, FOLD_SLOT
from smoothcall.learners.deep_q import amount_of
from smoothcall.learners.policy_gradient import squared_loss
from smoothcall.solvers import solver
from tests.conftest import WHOLE_BETS, built
from tests.learners.test_formulas import near, near_differences


def test_the_squared_loss_of_amounts() -> None:
    """The advantage is the weight; where it is negative, the output is pushed away from the amount that was bet."""
    said, better = np.array([[0.5], [2.0]], np.float32), np.array([3.0, -1.0], np.float32)
    made = np.array([1.0, 1.0], np.float32)

    def loss(said: Any) -> Any:
        return squared_loss(lambda inputs: inputs, said, (made, made), better, 0.2, 1.0)

    near(loss(said), (3 * 0.5**2 - 1 * 1.0**2) / 2)
    near(jax.grad(loss)(said), [[3 * (0.5 - 1)], [-1 * (2 - 1)]])
    near_differences(loss, said)


def test_amounts_of_moves() -> None:
    """Nothing for a check or a fold, what is to call for a call, the bets of a raise, and more than twice what is to call."""
    table, seen = Table(0.1, (1, 2, 3, 4, ALL_IN)), np.zeros((6, OBSERVATION), np.float32)
    seen[:, TO_CALL], seen[:, STACK], seen[:, OTHER_STACK] = [0, 0.2, 0.2, 0, 0.1, 0.3], 0.8, 0.8
    action = np.array([CALL, FOLD_SLOT, CALL, CALL + 2, CALL + 4, CALL + 3])
    found = amount_of(table, seen, action)
    near(found, [0, 0, 2, 2, 4, 6], 1e-5)
    low, high = amounts(table, seen, likely_legal(table, seen))
    rows, last = np.arange(len(seen) - 1), len(seen) - 1
    assert (low[rows, action[rows]] < found[rows]).all(), "the betting rule takes each for the move that was made"
    assert (found[rows] <= high[rows, action[rows]]).all()
    assert low[last, CALL + 4] < found[last] <= high[last, CALL + 4], "of six bets and more the largest raise"


def test_the_paper_s_loss_is_the_default() -> None:
    """It acts by the output itself; with the logistic loss amounts are spread around it while it learns."""
    options = {"freezeouts": 16, "memory": 4096, "batch": 64}
    squared, logistic = (
        solver("deep-q-continuous", built(WHOLE_BETS), **options, **more) for more in ({}, {"loss": "logistic"})
    )
    assert (squared.options["loss"], squared.options["alpha"]) == ("squared", 0.5)
    assert (squared._acting().blur, logistic._acting().blur) == (0, 1)
    for learner in (squared, logistic):
        before = {name: table.copy() for name, table in learner._learned().items()}
        learner.run(400)
        assert any((learner._learned()[name] != table).any() for name, table in before.items())
        assert learner.batch_policy().blur == 0, "what it has learned is the output"

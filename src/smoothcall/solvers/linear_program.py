"""Exact equilibrium of a two-player zero-sum game by linear programming over the sequence form.

Koller, Megiddo and von Stengel 1996: player 0 chooses a realisation plan x that maximises the value against player 1's best
response. The values q of player 1 are one number a row and one for the start. Player 1's plan is the dual solution. The first
iteration solves the game; further ones change nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from smoothcall.errors import UsageError
from smoothcall.information.game import Game
from smoothcall.kernels.tables import Array
from smoothcall.policy import Policy
from smoothcall.solvers.base import Solver

if TYPE_CHECKING:
    from scipy.sparse import csr_array


class LinearProgram(Solver):
    CHANCE_NODES: ClassVar[bool] = True
    LAST: ClassVar[int] = 1

    def __init__(self, name: str, game: Game, *, seed: int = 0, threads: int = 1, options: Mapping[str, object]) -> None:
        super().__init__(name, game, seed=seed, threads=threads, options=options)
        if game.players != 2 or not game.zero_sum:
            raise UsageError(f"{name} solves two-player zero-sum games, {game.spec} is none")
        self._plan = Policy.uniform(game).realisation_plan.copy()

    def tables(self) -> dict[str, Array]:
        return {"plan": self._plan}

    def _advance(self, count: int) -> int:
        if count and self.iterations == 0:
            self._plan[:] = solve(self.game)
        return 0

    def policy(self) -> Policy:
        return Policy.from_realisation_plan(self.game, self._plan, self.card)

    def current_policy(self) -> Policy:
        return self.policy()


def solve(game: Game) -> Array:
    """Return [sequences], equilibrium realisation plans of both players."""
    from scipy.optimize import linprog  # half a second, for this solver alone
    from scipy.sparse import csr_array, hstack

    form = game.form
    payoff = _payoffs(game)
    flow = [_flow(game, player) for player in range(2)]
    sequences, values = payoff.shape[0], flow[1].shape[0]
    # maximise q[start], such that no sequence of player 1 gives player 0 less than q, and x is a realisation plan
    objective = np.zeros(sequences + values)
    objective[sequences] = -1.0
    result = linprog(
        objective,
        A_ub=hstack([-payoff.T, flow[1].T], format="csr"),
        b_ub=np.zeros(payoff.shape[1]),
        A_eq=hstack([flow[0], csr_array((flow[0].shape[0], values))], format="csr"),
        b_eq=np.eye(1, flow[0].shape[0]).ravel(),
        bounds=[(0, None)] * sequences + [(None, None)] * values,
        method="highs-ds",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if result.status != 0 or result.x is None:
        raise RuntimeError(f"the linear program of {game.spec} was not solved: {result.message}")
    plan = np.ones(int(form.player_sequence[-1]))
    for player, part in enumerate((result.x[:sequences], -result.ineqlin.marginals)):
        plan[form.player_sequence[player] : form.player_sequence[player + 1]] = part[1:]
    return np.maximum(plan, 0.0)


def _local(game: Game, player: int, sequences: Array) -> Array:
    """Number sequences of one player from 0, the empty one first."""
    return np.where(sequences < game.players, 0, sequences - game.form.player_sequence[player] + 1)


def _sizes(game: Game) -> list[int]:
    """Return the number of sequences of each player, the empty one included."""
    return [int(count) + 1 for count in np.diff(game.form.player_sequence)]


def _payoffs(game: Game) -> csr_array:
    """Return the expected pay-off of player 0 for each pair of sequences, [sequences of 0, sequences of 1] chips."""
    from scipy.sparse import csr_array

    form = game.form
    places = (_local(game, 0, form.leaf_sequence[0]), _local(game, 1, form.leaf_sequence[1]))
    rows, columns = _sizes(game)
    return csr_array((form.leaf_payoff[0], places), shape=(rows, columns))


def _flow(game: Game, player: int) -> csr_array:
    """Return the constraints of a realisation plan: the empty sequence has 1, the sequences of a row sum to its parent."""
    from scipy.sparse import csr_array

    form = game.form
    first, last = int(form.player_row[player]), int(form.player_row[player + 1])
    rows = np.arange(first, last)
    widths = np.diff(form.row_sequence)[first:last]
    own = np.arange(form.player_sequence[player], form.player_sequence[player + 1])
    parents = _local(game, player, form.row_parent[rows])
    data = np.concatenate([[1.0], -np.ones(len(rows)), np.ones(len(own))])
    equation = np.concatenate([[0], rows - first + 1, np.repeat(rows - first + 1, widths)])
    column = np.concatenate([[0], parents, _local(game, player, own)])
    return csr_array((data, (equation, column)), shape=(len(rows) + 1, _sizes(game)[player]))

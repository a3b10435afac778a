"""Extensive-form fictitious play, XFP (Heinrich, Lanctot and Silver 2015): everybody answers the others' average so far.

Averaging realisation plans is averaging by reach, so the average policy is the one a player would show who drew one of
the past best responses for each hand. The uniform policy counts as the first of them.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from smoothcall.information.game import Game
from smoothcall.kernels.solvers import fictitious_play as kernels
from smoothcall.kernels.tables import Array
from smoothcall.policy import Policy
from smoothcall.solvers.base import Solver


class FictitiousPlay(Solver):
    """One iteration: a best response for every player, counted 1/(t+1) in the average."""

    def __init__(self, name: str, game: Game, *, seed: int = 0, threads: int = 1, options: Mapping[str, object]) -> None:
        super().__init__(name, game, seed=seed, threads=threads, options=options)
        start = Policy.uniform(game)
        self._average, self._response = start.plan.copy(), start.sequences.copy()
        self._nodes_each = game.players * int(game.form.node_deals.sum())

    def tables(self) -> dict[str, Array]:
        return {"average": self._average, "response": self._response}

    def _advance(self, count: int) -> int:
        kernels.iterate(self.game.form, self._average, self._response, self.iterations, count)
        return count * self._nodes_each

    def policy(self) -> Policy:
        return Policy.from_plan(self.game, self._average, self.card)

    def current_policy(self) -> Policy:
        """The latest best responses."""
        return Policy.from_sequences(self.game, np.asarray(self._response), self.card)

"""Extensive-form fictitious play, XFP (Heinrich, Lanctot and Silver 2015): best responses to the others' average policies.

Realisation plans are averaged, so the average policy is that of a player who draws one of the past best responses for each
hand. The uniform policy counts as the first of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from smoothcall.information.game import Game
from smoothcall.kernels.solvers import fictitious_play as kernels
from smoothcall.kernels.tables import Array
from smoothcall.policy import Policy
from smoothcall.solvers.base import Solver


class FictitiousPlay(Solver):
    """Iteration t computes a best response for every player and counts it 1 / (t + 1) in the average."""

    CHANCE_NODES: ClassVar[bool] = True

    def __init__(self, name: str, game: Game, *, seed: int = 0, threads: int = 1, options: Mapping[str, object]) -> None:
        super().__init__(name, game, seed=seed, threads=threads, options=options)
        start = Policy.uniform(game)
        self._average, self._response = start.realisation_plan.copy(), start.sequences.copy()
        self._nodes_each = game.players * int(game.form.node_deals.sum())

    def tables(self) -> dict[str, Array]:
        return {"average": self._average, "response": self._response}

    def _advance(self, count: int) -> int:
        kernels.iterate(self.game.form, self._average, self._response, self.iterations, count)
        return count * self._nodes_each

    def policy(self) -> Policy:
        return Policy.from_realisation_plan(self.game, self._average, self.card)

    def current_policy(self) -> Policy:
        """Return the latest best responses."""
        return Policy.from_sequences(self.game, self._response, self.card)

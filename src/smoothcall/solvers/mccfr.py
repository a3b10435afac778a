"""Monte-Carlo CFR (Lanctot et al. 2009): chance, external and outcome sampling.

With chance sampling an iteration is bahuguna2018's: one deal, one walk of its whole betting tree, all players updated.
With the others an iteration draws a deal for each player and updates that player.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from smoothcall.errors import UsageError
from smoothcall.information.game import Game
from smoothcall.kernels import mccfr as kernels
from smoothcall.kernels import one_deal
from smoothcall.kernels.cfr import State
from smoothcall.kernels.random import seeded
from smoothcall.kernels.tables import Array
from smoothcall.options import Option
from smoothcall.policy import Policy
from smoothcall.solvers.base import Solver, apart, on_threads

SCHEMES = {"external": kernels.EXTERNAL, "outcome": kernels.OUTCOME}


class MonteCarloCFR(Solver):
    """External and outcome sampling keep [rows, A] tables, chance sampling flat ones over the sequence form."""

    THREADS: ClassVar[str] = "threads share the tables without locks, so results are not bit-reproducible"
    OPTIONS: ClassVar[dict[str, Option]] = {
        "sampling": Option("external", "what is sampled", choices=(*SCHEMES, "chance")),
        "epsilon": Option(0.6, "outcome sampling: how often the learner tries any action", low=0.01, high=1),
        "prune": Option(
            0.0,
            "chance sampling: skip actions not taken now that the average policy comes to with less than this",
            0,
            1,
        ),
    }

    def __init__(self, name: str, game: Game, *, seed: int = 0, threads: int = 1, options: Mapping[str, object]) -> None:
        super().__init__(name, game, seed=seed, threads=threads, options=options)
        self._one_deal = self.options["sampling"] == "chance"
        if self.options["prune"] and (not self._one_deal or game.tree.shares_rows):
            raise UsageError("option prune goes with sampling=chance, in games whose players move in turn (accepted: 0)")
        shape = game.sequence_cells.shape if self._one_deal else game.legal.shape
        self._regret, self._average = np.zeros(shape), np.zeros(shape)
        self._generators = seeded(self.seed, self.threads)

    def tables(self) -> dict[str, Array]:
        return {"regret": self._regret, "average": self._average, "generators": self._generators}

    def _advance(self, count: int) -> int:
        return on_threads(self._work, self.threads, count)

    def _work(self, thread: int, count: int) -> int:
        generator = apart(self._generators[thread])
        visited = self._walk(generator, count)
        self._generators[thread] = generator
        return visited

    def _walk(self, generator: Array, count: int) -> int:
        game = self.game
        if self._one_deal:
            scratch = (np.ones_like(self._regret) for _ in range(4))
            state = State(self._regret, self._average, *scratch)
            tables = (game.form, game.parts, game.walk, state, generator)
            prune = self.options["prune"]
            if prune:
                return one_deal.iterate_pruned(*tables, self.iterations, count, prune)
            return one_deal.iterate(*tables, count)
        scheme = SCHEMES[self.options["sampling"]]
        return kernels.iterate(game.walk, scheme, self.options["epsilon"], self._regret, self._average, generator, count)

    def policy(self) -> Policy:
        return self._read(self._average)

    def current_policy(self) -> Policy:
        return self._read(np.maximum(self._regret, 0.0))

    def _read(self, weights: Array) -> Policy:
        if self._one_deal:
            return Policy.from_plan(self.game, weights, self.card)
        return Policy.from_weights(self.game, weights, self.card)

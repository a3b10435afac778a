"""Regret matching on one-shot games (Hart and Mas-Colell 2000), as bahuguna2018 plays Rock-Paper-Scissors.

An iteration is one play: every player samples an action, then adds to the regret of each action how much more it would have
earned.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from smoothcall.errors import UsageError
from smoothcall.games.matrix import MatrixGame
from smoothcall.information.game import Game
from smoothcall.kernels.random import seeded
from smoothcall.kernels.solvers import matching
from smoothcall.kernels.tables import Array
from smoothcall.policy import Policy
from smoothcall.solvers.base import Solver


class RegretMatching(Solver):
    def __init__(self, name: str, game: Game, *, seed: int = 0, threads: int = 1, options: Mapping[str, object]) -> None:
        super().__init__(name, game, seed=seed, threads=threads, options=options)
        if not isinstance(game.rules, MatrixGame):
            raise UsageError(f"{name} plays one-shot games such as rps, {game.spec} is none")
        shape = (game.players, len(game.actions))
        self._payoffs = game.rules.payoffs.reshape(-1, game.players)
        self._regret, self._average, self._generator = np.zeros(shape), np.zeros(shape), seeded(self.seed)

    def tables(self) -> dict[str, Array]:
        return {"regret": self._regret, "average": self._average, "generator": self._generator}

    def _advance(self, count: int) -> int:
        matching.iterate(self._payoffs, self._regret, self._average, self._generator[0], count)
        return count

    def policy(self) -> Policy:
        return Policy.from_weights(self.game, self._average, self.card)

    def current_policy(self) -> Policy:
        return Policy.from_weights(self.game, np.maximum(self._regret, 0.0), self.card)

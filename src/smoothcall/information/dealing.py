"""Sampling deals of a game: from the list of its deals, or from the deck where an abstraction hides the cards."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from smoothcall.kernels.tables import Array

if TYPE_CHECKING:
    from smoothcall.information.game import Game


class Dealer:
    """Samples fair deals with a generator of its own."""

    def __init__(self, game: Game, seed: int) -> None:
        from smoothcall.kernels.random import seeded

        self.game, self._generator = game, seeded(seed)[0]

    def deal(self, count: int) -> tuple[Array, Array]:
        """Return (bucket[count, P, R] int32, outcome[count] uint32), as in `Walk`."""
        from smoothcall.kernels.holdem import dealing

        walk, abstraction = self.game.walk, self.game.abstraction
        bucket = np.zeros((count, *walk.bucket.shape[1:]), np.int32)
        outcome = np.zeros(count, np.uint32)
        if abstraction is None:
            dealing.deal_listed(walk, bucket, outcome, self._generator)
        else:
            dealing.deal_many(abstraction.cards, bucket, outcome, self._generator)
        return bucket, outcome

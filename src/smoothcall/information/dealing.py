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
        bucket, outcome = empty_deals(self.game, count)
        deal_into(self.game, bucket, outcome, self._generator)
        return bucket, outcome


def empty_deals(game: Game, count: int) -> tuple[Array, Array]:
    """Return (bucket[count, P, R] int32, outcome[count] uint32) of zeros."""
    return np.zeros((count, *game.walk.bucket.shape[1:]), np.int32), np.zeros(count, np.uint32)


def deal_into(game: Game, bucket: Array, outcome: Array, generator: Array) -> None:
    """Fill bucket[n, P, R] and outcome[n] with fair deals; where a series of deals is cut into calls does not matter."""
    from smoothcall.kernels.holdem import dealing

    if game.abstraction is None:
        dealing.deal_listed(game.walk, bucket, outcome, generator)
    else:
        dealing.deal_many(game.abstraction.cards, bucket, outcome, generator)


class DealSampler:
    """Samples batches of deals for kernels. Deals that are listed are sampled as indices and not copied."""

    def __init__(self, game: Game, size: int) -> None:
        """`size`: deals of a batch, at most."""
        listed = game.abstraction is None
        self.game, walk = game, game.walk
        self._bucket, self._outcome = (walk.bucket, walk.outcome) if listed else empty_deals(game, size)
        self._index = np.arange(size, dtype=np.uint32)

    def sample(self, count: int, generator: Array) -> tuple[Array, Array, Array]:
        """Return (bucket[D, P, R], outcome[D], index[count]). The deals sampled are those of `index`, until the next call.

        Where a series of deals is cut into calls does not matter.
        """
        from smoothcall.kernels.holdem.dealing import draw_deals

        index = self._index[:count]
        if self.game.abstraction is None:
            draw_deals(self.game.walk, index, generator)
        else:
            deal_into(self.game, self._bucket[:count], self._outcome[:count], generator)
        return self._bucket, self._outcome, index

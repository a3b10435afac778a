"""A batch of hands in play, for whoever learns or plays by answering for many of them at once."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from smoothcall.information.dealing import deal_into
from smoothcall.information.game import Game
from smoothcall.kernels.simulation import batch as kernels
from smoothcall.kernels.tables import Array, Walk

AHEAD = 4  # deals made beforehand, for each hand in play

Deal = Callable[[Array, Array, Array], None]  # fills dealt[n, P, V] int32 and outcome[n] uint32 with fair deals of a generator


def dealing(game: Game) -> Deal:
    """Deals of a game, each seat seeing its buckets by street."""
    return partial(deal_into, game)


def by_name(**parts: Any) -> dict[str, Array]:
    """The arrays of named tuples, as `part field`."""
    return {f"{part} {name}": table for part, tables in parts.items() for name, table in tables._asdict().items()}


class Batch:
    """`count` hands of a walk. The caller says who sits down (`hands.who`) before `begin`, looks, answers, and advances.

    Everything that tells how it goes on is in `tables`.
    """

    def __init__(
        self,
        walk: Walk,
        deal: Deal,
        *,
        count: int,
        things: int,
        moves: int,
        width: int,
        kind: type[np.generic],
        generators: Array,
    ) -> None:
        """A seat may come to see `things`, and makes at most `moves` with observations of `width` numbers of a `kind`.

        generators[2, 4]: of the deals, and of the moves.
        """
        seats, slots = walk.payoff.shape[2], walk.child.shape[1]
        self.walk, self._deal, self.generators = walk, deal, generators
        self.hands = kernels.Hands(
            node=np.zeros(count, np.int32),
            dealt=np.zeros((count, seats, things), np.int32),
            outcome=np.zeros(count, np.uint32),
            who=np.zeros((count, seats), np.int8),
            moves=np.zeros((count, seats), np.int8),
            seen=np.zeros((count, seats, moves, width), kind),
            action=np.zeros((count, seats, moves), np.int8),
            over=np.ones(count, bool),
            won=np.zeros((count, seats), np.float32),
        )
        ahead = AHEAD * count
        self.deals = kernels.Deals(np.zeros((ahead, seats, things), np.int32), np.zeros(ahead, np.uint32))
        self._taken = np.full(1, ahead, np.int64)  # of the deals
        self.root = np.zeros(count, np.int32)  # where each hand begins
        self.seen = np.zeros((count, width), kind)  # by the seats to move
        self.who = np.zeros(count, np.int8)  # is to move, -1 where the hand is over
        self.legal = np.zeros((count, slots), bool)

    def __len__(self) -> int:
        return len(self.hands.node)

    def tables(self) -> dict[str, Array]:
        """By name, the arrays that hold everything."""
        return {
            **by_name(hands=self.hands, deals=self.deals),
            "deals taken": self._taken,
            "hands root": self.root,
            "hands generators": self.generators,
        }

    def begin(self) -> None:
        """New hands in the place of those that are over, with the next deals."""
        taken = int(self._taken[0])
        if (left := len(self.deals.outcome) - taken) < len(self):
            for table in self.deals:
                table[:left] = table[taken:].copy()
            self._deal(self.deals.dealt[left:], self.deals.outcome[left:], self.generators[0])
            taken = 0
        deal = taken - 1 + np.cumsum(self.hands.over)
        self._taken[0] = deal[-1] + 1
        self.begin_with(self.deals, deal)

    def begin_with(self, deals: kernels.Deals, deal: Array) -> None:
        """The same with deal[B] of these; none where it is -1."""
        kernels.begin(self.walk, self.hands, self.root, deals, deal)

    def look(self) -> None:
        """Say who is to move and what is legal."""
        kernels.see_movers(self.walk, self.hands, self.who, self.legal)

    def advance(self, probabilities: Array) -> int:
        """One move in every hand, drawn from probabilities[B, A]; returns how many hands ended."""
        return kernels.advance(self.walk, self.hands, self.seen, probabilities, self.generators[1])

"""A batch of hands in play, for policies that answer for many hands in one call."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from smoothcall.information.dealing import deal_into
from smoothcall.information.game import Game
from smoothcall.kernels.simulation import batch as kernels
from smoothcall.kernels.tables import Array, Walk

AHEAD = 4  # deals made in advance, per hand in play

Deal = Callable[[Array, Array, Array], None]  # fills dealt[n, P, V] int32 and outcome[n] uint32 with fair deals of a generator


def dealing(game: Game) -> Deal:
    """Return a function that deals a game; private values are each seat's buckets by street."""
    return partial(deal_into, game)


def by_name(**parts: Any) -> dict[str, Array]:
    """Return the arrays of named tuples, by names `part field`."""
    return {f"{part} {name}": table for part, tables in parts.items() for name, table in tables._asdict().items()}


class Batch:
    """`count` hands on one action tree. For every move the caller sets `hands.policy` of hands that are over, calls `begin` and
    `list_movers`, writes `observations`, and calls `advance` with action probabilities.

    `tables` holds the whole state.
    """

    def __init__(
        self,
        walk: Walk,
        deal: Deal,
        *,
        count: int,
        private: int,
        moves: int,
        width: int,
        dtype: type[np.generic],
        generators: Array,
    ) -> None:
        """`private`: private values per seat; `moves`: most moves of a seat in a hand; `width` and `dtype`: of an observation;
        generators[2, 4]: of deals and of moves.
        """
        seats, slots = walk.payoff.shape[2], walk.child.shape[1]
        self.walk, self._deal, self.generators = walk, deal, generators
        self.hands = kernels.Hands(
            node=np.zeros(count, np.int32),
            dealt=np.zeros((count, seats, private), np.int32),
            outcome=np.zeros(count, np.uint32),
            policy=np.zeros((count, seats), np.int8),
            moves=np.zeros((count, seats), np.int8),
            observations=np.zeros((count, seats, moves, width), dtype),
            action=np.zeros((count, seats, moves), np.int8),
            over=np.ones(count, bool),
            won=np.zeros((count, seats), np.float32),
        )
        ahead = AHEAD * count
        self.deals = kernels.Deals(np.zeros((ahead, seats, private), np.int32), np.zeros(ahead, np.uint32))
        self._taken = np.full(1, ahead, np.int64)  # deals used up
        self.root = np.zeros(count, np.int32)  # node where each hand begins
        self.observations = np.zeros((count, width), dtype)  # of the seats to move
        self.policy = np.zeros(count, np.int8)  # number of the policy to move, -1 where the hand is over
        self.legal = np.zeros((count, slots), bool)

    def __len__(self) -> int:
        return len(self.hands.node)

    def tables(self) -> dict[str, Array]:
        """Return by name the arrays that hold the whole state."""
        return {**self.in_play(), "hands generators": self.generators}

    def in_play(self) -> dict[str, Array]:
        """Return by name the arrays that hold the whole state but the generators."""
        return {**by_name(hands=self.hands, deals=self.deals), "deals taken": self._taken, "hands root": self.root}

    def begin(self) -> None:
        """Begin new hands in the place of those that are over, with the next deals."""
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
        """Begin new hands in the place of those that are over, each with deal number deal[B] of `deals`; none where it is
        -1.
        """
        kernels.begin(self.walk, self.hands, self.root, deals, deal)

    def list_movers(self) -> None:
        """Fill `policy` and `legal` for the seats to move."""
        kernels.list_movers(self.walk, self.hands, self.policy, self.legal)

    def advance(self, probabilities: Array) -> int:
        """Make one move in every hand, sampled from probabilities[B, A]; return how many hands ended."""
        return kernels.advance(self.walk, self.hands, self.observations, probabilities, self.generators[1])

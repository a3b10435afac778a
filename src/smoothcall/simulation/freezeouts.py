"""A vectorised environment of freezeouts for two: several hands each, chips kept from hand to hand (epfl2020: ten hands)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from smoothcall.games.rules import PokerRules
from smoothcall.holdem.abstraction import Abstraction
from smoothcall.holdem.equity_table import PARTS, equity_table
from smoothcall.kernels.holdem.dealing import deal_estimated, deal_many, deal_visible_cards
from smoothcall.kernels.simulation import freezeouts as kernels
from smoothcall.kernels.simulation.batch import Deals
from smoothcall.kernels.simulation.observations import CARD_OBSERVATION, CARDS, OBSERVATION, encode_hands
from smoothcall.kernels.tables import Array
from smoothcall.options import Option
from smoothcall.simulation.batch import Batch, by_name
from smoothcall.simulation.batch_policy import BatchPolicy
from smoothcall.simulation.stack_trees import stack_trees

LENGTH = 10  # hands
UNTIL_BROKE = 100  # hands after which a freezeout ends even if both players have chips left
ROLLOUTS = Option(0, "simulated rollouts from which equities are estimated; 0: they are exact", low=0, high=10_000)


class FreezeoutEnv:
    """`count` freezeouts. Players are 0 and 1 of each; `freezeouts.policy` holds the number of each player's policy.

    One step is: `sit`, `batch.begin`, `move`, use of the hands that are over, `settle`.
    """

    def __init__(
        self,
        rules: PokerRules,
        *,
        count: int,
        length: int,
        generators: Array,
        rollouts: int = 0,
        abstraction: Abstraction | None = None,
        full_stacks: bool = False,
    ) -> None:
        """generators[n, 4]: of deals and of moves; the last one of simulated rollouts, if there are any.

        With `rollouts` a seat's equity is estimated from so many once a street (epfl2020: 100); with 0 it is exact. With an
        abstraction observations have cards, and its buckets. `full_stacks`: freezeouts of one hand, trees of that stack only.
        """
        assert length == 1 or not full_stacks
        ROLLOUTS.read("rollouts", rollouts)
        assert not rollouts or len(generators) > 2
        self._rollouts, self._rollout_generator = int(rollouts), generators[-1]
        self.stack_trees, self.length = stack_trees(rules, full_stacks=full_stacks), length
        assert rules.stack is not None
        self.start = rules.stack
        self._cards = equity_table(rules.deck).cards(rules.seats)
        self._buckets = abstraction.cards if abstraction is not None else None
        streets = len(rules.streets)
        self.batch = Batch(
            self.stack_trees.walk,
            self._deal,
            count=count,
            private=2 * streets + CARDS if abstraction is not None else streets,
            moves=self.stack_trees.depth,
            width=CARD_OBSERVATION if abstraction is not None else OBSERVATION,
            dtype=np.float32,
            generators=generators[:2],
        )
        self.freezeouts = kernels.FreezeoutTables(
            chips=np.full((count, 2), self.start, np.int32),
            first=(np.arange(count) % 2).astype(np.int8),
            policy=np.tile(np.array([0, -1], np.int8), (count, 1)),
            played=np.zeros(count, np.int16),
            habits=np.zeros((count, 2, 4), np.int32),
        )
        self.gain = np.full(count, np.nan)  # chips of player 0 in freezeouts that have just ended, NaN elsewhere

    def tables(self) -> dict[str, Array]:
        """Return by name the arrays that hold the whole state."""
        rollouts = {"rollouts generator": self._rollout_generator} if self._rollouts else {}
        return {**self.in_play(), "hands generators": self.batch.generators, **rollouts}

    def in_play(self) -> dict[str, Array]:
        """Return by name the arrays that hold the whole state but the generators."""
        return {**self.batch.in_play(), **by_name(freezeouts=self.freezeouts)}

    def sit(self) -> None:
        """Seat the players of hands that are about to begin."""
        kernels.seat_players(self.batch.hands, self.freezeouts, self.stack_trees.root, self.stack_trees.unit, self.batch.root)

    def observe(self) -> None:
        """Fill the batch's `policy`, `legal` and `observations` for the seats to move."""
        batch, freezeouts = self.batch, self.freezeouts
        batch.list_movers()
        encode_hands(
            batch.walk,
            self.stack_trees.public,
            batch.hands,
            freezeouts.first,
            freezeouts.chips,
            freezeouts.habits,
            float(PARTS),
            float(self.start),
            batch.observations,
        )

    def move(self, batch_policies: Sequence[BatchPolicy]) -> None:
        """Make one move in every hand, by batch_policies[policy number]."""
        batch = self.batch
        self.observe()
        probabilities = np.zeros(batch.legal.shape)
        for number, batch_policy in enumerate(batch_policies):
            own = np.flatnonzero(batch.policy == number)
            if len(own):
                probabilities[own] = batch_policy.probabilities(batch.observations[own], batch.legal[own])
        batch.advance(probabilities)

    def settle(self, playing: Array | None = None) -> int:
        """Book the hands that are over, in all freezeouts or in those still playing[B]; return how many were booked.

        `gain` has the results of freezeouts that ended with them.
        """
        if playing is None:
            playing = np.ones(len(self.gain), bool)
        return kernels.settle(self.batch.hands, self.freezeouts, playing, self.start, self.length, self.gain)

    def deal(self, count: int) -> Deals:
        """Return `count` fair deals."""
        deals = Deals(np.zeros((count, *self.batch.hands.dealt.shape[1:]), np.int32), np.zeros(count, np.uint32))
        self._deal(*deals, self.batch.generators[0])
        return deals

    def _deal(self, dealt: Array, outcome: Array, generator: Array) -> None:
        """Fill fair deals: equities by street; for observations with cards also buckets by street and cards of the same
        deals.
        """
        if self._buckets is None:
            self._deal_equities(dealt, outcome, generator)
            return
        count, seats = dealt.shape[:2]
        streets = len(self.stack_trees.rules.streets)
        equity, bucket = (np.empty((count, seats, streets), np.int32) for _ in range(2))
        cards = np.empty((count, seats, CARDS), np.int32)
        self._deal_equities(equity, outcome, generator.copy())
        deal_many(self._buckets, bucket, outcome, generator.copy())
        deal_visible_cards(self._buckets, cards, outcome, generator)
        np.concatenate([equity, bucket, cards], axis=2, out=dealt)

    def _deal_equities(self, dealt: Array, outcome: Array, generator: Array) -> None:
        if self._rollouts:
            deal_estimated(self._cards, self._rollouts, PARTS, dealt, outcome, generator, self._rollout_generator)
        else:
            deal_many(self._cards, dealt, outcome, generator)

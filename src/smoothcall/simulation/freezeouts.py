"""A room of freezeouts: rollouts of some hands for two, many at once, with chips kept from hand to hand (epfl2020: ten hands)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from smoothcall.games.rules import PokerRules
from smoothcall.holdem.abstraction import Abstraction
from smoothcall.holdem.equity_table import PARTS, equity_table
from smoothcall.kernels.holdem.dealing import deal_cards_seen, deal_estimated, deal_many
from smoothcall.kernels.simulation import freezeouts as kernels
from smoothcall.kernels.simulation.batch import Deals
from smoothcall.kernels.simulation.observations import CARD_OBSERVATION, CARDS, OBSERVATION
from smoothcall.kernels.tables import Array
from smoothcall.options import Option
from smoothcall.simulation.batch import Batch, by_name
from smoothcall.simulation.batch_policy import BatchPolicy
from smoothcall.simulation.stack_trees import stack_trees

LENGTH = 10  # hands
UNTIL_BROKE = 100  # hands, after which a game that should last until one is broke ends anyway
ROLLOUTS = Option(0, "simulated rollouts from which equities are estimated; 0: they are exact", low=0, high=10_000)


class FreezeoutEnv:
    """`count` freezeouts. Players are 0 and 1 of each; `freezeouts.policy` says who they are.

    A turn is: `sit`, `begin` new hands, `move`, look at hands that are over, `settle`.
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
    ) -> None:
        """generators[n, 4]: of the deals, and of the moves; the last one of the simulated rollouts, where there are any.

        From so many `rollouts` a seat's equity is estimated, once a street (epfl2020: 100); 0: it is exact. With an abstraction
        observations are wide, and the buckets are its.
        """
        ROLLOUTS.read("rollouts", rollouts)
        assert not rollouts or len(generators) > 2
        self._rollouts, self._simulator = int(rollouts), generators[-1]
        self.stack_trees, self.length = stack_trees(rules), length
        assert rules.stack is not None
        self.start = rules.stack
        self._cards = equity_table(rules.deck).cards(rules.seats)
        self._buckets = abstraction.cards if abstraction is not None else None
        streets = len(rules.streets)
        self.batch = Batch(
            self.stack_trees.walk,
            self._deal,
            count=count,
            things=2 * streets + CARDS if abstraction is not None else streets,
            moves=self.stack_trees.depth,
            width=CARD_OBSERVATION if abstraction is not None else OBSERVATION,
            kind=np.float32,
            generators=generators[:2],
        )
        self.freezeouts = kernels.FreezeoutTables(
            chips=np.full((count, 2), self.start, np.int32),
            first=(np.arange(count) % 2).astype(np.int8),
            policy=np.tile(np.array([0, -1], np.int8), (count, 1)),
            played=np.zeros(count, np.int16),
            habits=np.zeros((count, 2, 4), np.int32),
        )
        self.gain = np.full(count, np.nan)  # of player 0 in freezeouts that have just ended, chips

    def tables(self) -> dict[str, Array]:
        """By name, the arrays that hold everything."""
        simulator = {"rollouts generator": self._simulator} if self._rollouts else {}
        return {**self.batch.tables(), **by_name(freezeouts=self.freezeouts), **simulator}

    def sit(self) -> None:
        """Players take their seats for the hands that begin."""
        kernels.seat_players(self.batch.hands, self.freezeouts, self.stack_trees.root, self.stack_trees.unit, self.batch.root)

    def look(self) -> None:
        """See who is to move, and the observation."""
        batch = self.batch
        batch.look()
        kernels.encode_observations(
            batch.walk, self.stack_trees.public, batch.hands, self.freezeouts, float(PARTS), float(self.start), batch.seen
        )

    def move(self, batch_policies: Sequence[BatchPolicy]) -> None:
        """One move in every hand, made by `batch policies[who]`."""
        batch = self.batch
        self.look()
        probabilities = np.zeros(batch.legal.shape)
        for number, batch_policy in enumerate(batch_policies):
            mine = np.flatnonzero(batch.who == number)
            if len(mine):
                probabilities[mine] = batch_policy.probabilities(batch.seen[mine], batch.legal[mine])
        batch.advance(probabilities)

    def settle(self, playing: Array | None = None) -> int:
        """Book the hands that are over, in all freezeouts or those still playing[B]; returns how many.

        `gain` has the results of freezeouts that ended with them.
        """
        if playing is None:
            playing = np.ones(len(self.gain), bool)
        return kernels.settle(self.batch.hands, self.freezeouts, playing, self.start, self.length, self.gain)

    def deal(self, count: int) -> Deals:
        """So many deals."""
        deals = Deals(np.zeros((count, *self.batch.hands.dealt.shape[1:]), np.int32), np.zeros(count, np.uint32))
        self._deal(*deals, self.batch.generators[0])
        return deals

    def _deal(self, dealt: Array, outcome: Array, generator: Array) -> None:
        """The equities of fair deals; for observations with cards also the buckets and the cards of the same deals."""
        if self._buckets is None:
            self._deal_positions(dealt, outcome, generator)
            return
        count, seats = dealt.shape[:2]
        streets = len(self.stack_trees.rules.streets)
        known, bucket = (np.empty((count, seats, streets), np.int32) for _ in range(2))
        visible = np.empty((count, seats, CARDS), np.int32)
        self._deal_positions(known, outcome, generator.copy())
        deal_many(self._buckets, bucket, outcome, generator.copy())
        deal_cards_seen(self._buckets, visible, outcome, generator)
        np.concatenate([known, bucket, visible], axis=2, out=dealt)

    def _deal_positions(self, dealt: Array, outcome: Array, generator: Array) -> None:
        if self._rollouts:
            deal_estimated(self._cards, self._rollouts, PARTS, dealt, outcome, generator, self._simulator)
        else:
            deal_many(self._cards, dealt, outcome, generator)

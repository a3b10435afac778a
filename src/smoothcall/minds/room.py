"""A room of sessions: games of some hands for two, many at once, with chips kept from hand to hand (epfl2020: ten hands)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from smoothcall.games.rules import PokerRules
from smoothcall.information.batch import Batch, by_name
from smoothcall.information.forest import forest
from smoothcall.information.position import PARTS, positions
from smoothcall.kernels import sessions as kernels
from smoothcall.kernels.batch import Deals
from smoothcall.kernels.dealing import deal_many
from smoothcall.kernels.tables import Array
from smoothcall.minds.mind import Mind, Table

LENGTH = 10  # hands


class Room:
    """`count` sessions. Players are 0 and 1 of each; `sessions.mind` says who they are.

    A turn is: `sit`, `begin` new hands, `move`, look at hands that are over, `settle`.
    """

    def __init__(self, rules: PokerRules, *, count: int, length: int, generators: Array) -> None:
        """generators[2, 4]: of the deals, and of the moves."""
        self.forest, self.table, self.length = forest(rules), Table.of(rules), length
        assert rules.stack is not None
        self.start = rules.stack
        cards = self._cards = positions(rules.deck).cards(rules.seats)
        self.batch = Batch(
            self.forest.walk,
            lambda dealt, outcome, generator: deal_many(cards, dealt, outcome, generator),
            count=count,
            things=len(rules.streets),
            moves=self.forest.depth,
            width=kernels.COLUMNS,
            kind=np.float32,
            generators=generators,
        )
        self.sessions = kernels.Sessions(
            chips=np.full((count, 2), self.start, np.int32),
            first=(np.arange(count) % 2).astype(np.int8),
            mind=np.tile(np.array([0, -1], np.int8), (count, 1)),
            played=np.zeros(count, np.int16),
            habits=np.zeros((count, 2, 4), np.int32),
        )
        self.gain = np.full(count, np.nan)  # of player 0 in sessions that have just ended, chips

    def tables(self) -> dict[str, Array]:
        """By name, the arrays that hold everything."""
        return {**self.batch.tables(), **by_name(sessions=self.sessions)}

    def sit(self) -> None:
        """Players take their seats for the hands that begin."""
        kernels.seat_players(self.batch.hands, self.sessions, self.forest.root, self.forest.unit, self.batch.root)

    def move(self, minds: Sequence[Mind]) -> None:
        """One move in every hand, made by `minds[who]`."""
        batch = self.batch
        batch.look()
        kernels.see_situations(
            batch.walk, self.forest.public, batch.hands, self.sessions, float(PARTS), float(self.start), batch.seen
        )
        chances = np.zeros(batch.legal.shape)
        for number, mind in enumerate(minds):
            mine = np.flatnonzero(batch.who == number)
            if len(mine):
                chances[mine] = mind.chances(batch.seen[mine], batch.legal[mine])
        batch.advance(chances)

    def settle(self, playing: Array | None = None) -> int:
        """Book the hands that are over, in all sessions or those still playing[B]; returns how many.

        `gain` has the results of sessions that ended with them.
        """
        if playing is None:
            playing = np.ones(len(self.gain), bool)
        return kernels.settle(self.batch.hands, self.sessions, playing, self.start, self.length, self.gain)

    def deal(self, count: int) -> Deals:
        """So many deals."""
        deals = Deals(np.zeros((count, *self.batch.hands.dealt.shape[1:]), np.int32), np.zeros(count, np.uint32))
        deal_many(self._cards, *deals, self.batch.generators[0])
        return deals

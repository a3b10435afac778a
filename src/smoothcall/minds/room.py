"""A room of sessions: games of some hands for two, many at once, with chips kept from hand to hand (epfl2020: ten hands)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from smoothcall.games.rules import PokerRules
from smoothcall.information.abstraction import Abstraction
from smoothcall.information.batch import Batch, by_name
from smoothcall.information.forest import forest
from smoothcall.information.position import PARTS, positions
from smoothcall.kernels import sessions as kernels
from smoothcall.kernels.batch import Deals
from smoothcall.kernels.dealing import deal_cards_seen, deal_estimated, deal_many
from smoothcall.kernels.tables import Array
from smoothcall.minds.mind import Mind
from smoothcall.options import Option

LENGTH = 10  # hands
UNTIL_BROKE = 100  # hands, after which a game that should last until one is broke ends anyway
GAMES = Option(0, "simulated games from which positions are estimated; 0: they are exact", low=0, high=10_000)


class Room:
    """`count` sessions. Players are 0 and 1 of each; `sessions.mind` says who they are.

    A turn is: `sit`, `begin` new hands, `move`, look at hands that are over, `settle`.
    """

    def __init__(
        self,
        rules: PokerRules,
        *,
        count: int,
        length: int,
        generators: Array,
        games: int = 0,
        abstraction: Abstraction | None = None,
    ) -> None:
        """generators[n, 4]: of the deals, and of the moves; the last one of the simulated games, where there are any.

        From so many `games` a seat's position is estimated, once a street (epfl2020: 100); 0: it is exact. With an abstraction
        situations are wide, and the buckets are its.
        """
        GAMES.read("games", games)
        assert not games or len(generators) > 2
        self._games, self._simulator = int(games), generators[-1]
        self.forest, self.length = forest(rules), length
        assert rules.stack is not None
        self.start = rules.stack
        self._cards = positions(rules.deck).cards(rules.seats)
        self._buckets = abstraction.cards if abstraction is not None else None
        streets = len(rules.streets)
        self.batch = Batch(
            self.forest.walk,
            self._deal,
            count=count,
            things=2 * streets + kernels.CARDS if abstraction is not None else streets,
            moves=self.forest.depth,
            width=kernels.WIDE if abstraction is not None else kernels.COLUMNS,
            kind=np.float32,
            generators=generators[:2],
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
        simulator = {"games generator": self._simulator} if self._games else {}
        return {**self.batch.tables(), **by_name(sessions=self.sessions), **simulator}

    def sit(self) -> None:
        """Players take their seats for the hands that begin."""
        kernels.seat_players(self.batch.hands, self.sessions, self.forest.root, self.forest.unit, self.batch.root)

    def look(self) -> None:
        """See who is to move, and the situation."""
        batch = self.batch
        batch.look()
        kernels.see_situations(
            batch.walk, self.forest.public, batch.hands, self.sessions, float(PARTS), float(self.start), batch.seen
        )

    def move(self, minds: Sequence[Mind]) -> None:
        """One move in every hand, made by `minds[who]`."""
        batch = self.batch
        self.look()
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
        self._deal(*deals, self.batch.generators[0])
        return deals

    def _deal(self, dealt: Array, outcome: Array, generator: Array) -> None:
        """The positions of fair deals; for wide situations also the buckets and the cards of the same deals."""
        if self._buckets is None:
            self._deal_positions(dealt, outcome, generator)
            return
        count, seats = dealt.shape[:2]
        streets = len(self.forest.rules.streets)
        known, bucket = (np.empty((count, seats, streets), np.int32) for _ in range(2))
        visible = np.empty((count, seats, kernels.CARDS), np.int32)
        self._deal_positions(known, outcome, generator.copy())
        deal_many(self._buckets, bucket, outcome, generator.copy())
        deal_cards_seen(self._buckets, visible, outcome, generator)
        np.concatenate([known, bucket, visible], axis=2, out=dealt)

    def _deal_positions(self, dealt: Array, outcome: Array, generator: Array) -> None:
        if self._games:
            deal_estimated(self._cards, self._games, PARTS, dealt, outcome, generator, self._simulator)
        else:
            deal_many(self._cards, dealt, outcome, generator)

"""Tables in memory: a cache of their rows in the database, bounded in bytes together with the agents (`play.cache`)."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from fractions import Fraction
from threading import RLock

from smoothcall.agents.suffixes import SEARCH
from smoothcall.games.hand import Hand
from smoothcall.games.rules import PokerRules
from smoothcall.play.cache import Cache
from smoothcall.play.opponents import Agents
from smoothcall.play.standing import Standing
from smoothcall.play.table import OpponentPlayer
from smoothcall.store.records import HandRow, TableRow

IDLE = timedelta(minutes=30)  # tables idle for longer are evicted
SHARE = 8  # tables take up to this part of the cache's bytes: one in eight
TABLE_BYTES, OPPONENT_BYTES, MOVE_BYTES = 4096, 5120, 256  # upper estimates; an opponent has a random generator of 2.5 kB
SEARCH_BYTES = 400_000  # of an opponent that searches, upper estimate: ranges, and values for each card that may come


@dataclass(slots=True)
class LiveTable:
    """A table in memory."""

    row: TableRow
    rules: PokerRules
    players: tuple[OpponentPlayer, ...] | None  # None until a move is needed: loading an agent may take long
    names: tuple[str, ...]  # of the opponents
    hand: Hand
    about: HandRow  # the hand's row as it began; later moves are in `hand`
    standing: Standing  # after the finished hands
    asked: datetime  # time of the last request
    hands: int = 0  # finished; these are the hands number 1 to `hands`
    won: Fraction = Fraction(0)
    lock: RLock = field(default_factory=RLock)  # held while the table is used

    @property
    def at(self) -> tuple[int, int]:
        """The number of the hand, and of its moves."""
        return self.about.number, len(self.hand.moves)

    @property
    def nbytes(self) -> int:
        """Bytes that the table takes, estimated; agents are counted by the cache that they are in."""
        found = TABLE_BYTES + OPPONENT_BYTES * len(self.names) + MOVE_BYTES * len(self.hand.moves)
        return found + SEARCH_BYTES if self.searches else found

    @property
    def searches(self) -> bool:
        """Whether an opponent searches."""
        return any(player_id.endswith(SEARCH) for player_id in self.row.opponents)

    def is_current(self, last: HandRow) -> bool:
        """Return whether `last`, the row of the table's last hand, is the hand as it is here."""
        return self.at == (last.number, last.moves) and self.hand.finished == (last.ended is not None)


class LiveTables(OrderedDict[str, LiveTable]):
    """Tables by id, the longest idle first. Whoever changes it holds its lock, and waits for nothing meanwhile."""

    def __init__(self) -> None:
        super().__init__()
        self.lock = RLock()

    def drop(self, id: str) -> None:
        """Evict a table if it is here."""
        with self.lock:
            self.pop(id, None)

    def release(self, dropped: set[Hashable], agents: Agents) -> None:
        """Let go of the players of tables with an agent that the cache has dropped."""
        with self.lock:
            tables = [live for live in self.values() if live.players is not None]
        seated = {player_id for live in tables for player_id in live.row.opponents}
        gone = {player_id for player_id in seated if not dropped.isdisjoint(agents.keys([player_id]))}
        for live in tables:
            if not gone.isdisjoint(live.row.opponents):
                live.players = None  # whoever uses the table has them for this request

    @property
    def nbytes(self) -> int:
        return sum(live.nbytes for live in list(self.values()))

    def keep(self, live: LiveTable, cache: Cache) -> None:
        """Add a table; evict those that are idle, and the longest idle beyond the tables' share of the cache's limit.

        The latest table is always kept. Moves made at tables later are counted when the next table is added.
        """
        self[live.row.id] = live
        while next(iter(self.values())).asked < live.asked - IDLE:
            self.popitem(last=False)
        over = self.nbytes - cache.limit // SHARE
        while over > 0 and len(self) > 1:
            over -= self.popitem(last=False)[1].nbytes


class dropped_on_failure:
    """Evict a table from memory when the block fails, unless nothing has changed yet."""

    def __init__(self, live: LiveTables, id: str, keep: Callable[[], bool] = lambda: False) -> None:
        self._live, self._id, self._keep = live, id, keep

    def __enter__(self) -> None: ...

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        if kind is not None and not self._keep():
            self._live.drop(self._id)


def choices_of(row: TableRow, number: int) -> str:
    """Return the seed of the opponents' random choices in a hand."""
    return f"{row.seed}/{number}/moves"

"""Records of people's tables and hands, as the database returns and takes them. They belong to no session and never change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class Filter:
    """Which finished hands: those that meet every condition given."""

    game: str | None = None
    table: str | None = None
    opponent: str | None = None
    player_ids: tuple[str, ...] = ()  # all that count as this opponent; empty: that id alone
    since: date | None = None
    until: date | None = None
    result: str | None = None  # "won" or "lost"
    showdown: bool | None = None


@dataclass(frozen=True, slots=True)
class SignInRow:
    """A browser or program in which a person is known."""

    id: int
    person: int
    created: datetime
    seen: datetime  # used; to the day
    label: str  # what the browser said it is
    settings: Mapping[str, Any] | None = None  # of the person, where a query asked for them


@dataclass(frozen=True, slots=True)
class TableRow:
    """A table at which a person plays."""

    id: str
    person: int
    game: str
    opponents: tuple[str, ...]  # player ids, in the order they sit after the person
    seed: str
    created: datetime
    freezeouts: int = 0  # of a match, in which chips are carried over; 0: no match
    cash: bool = False  # chips are carried over, and whoever has none buys in again
    closed: datetime | None = None  # when the person left it for good


@dataclass(frozen=True, slots=True)
class HandRow:
    """A hand with the table it was played at."""

    id: int
    table: str
    person: int
    number: int  # at its table, from 1
    seat: int  # the person's
    deck: tuple[int, ...]  # cards in the order they are dealt; None where a query left it out
    betting: str
    moves: int
    started: datetime
    game: str
    opponents: tuple[str, ...]
    ended: datetime | None = None
    reason: str = ""
    payoffs: tuple[str, ...] = ()  # each seat's net chips, as exact fractions
    won: float | None = None
    luck_adjusted: float | None = None  # AIVAT, chips; None where it was not computed
    marks: Mapping[str, Any] | None = None
    stacks: tuple[int, ...] | None = None  # chips each seat began with; None: full


@dataclass(frozen=True, slots=True)
class Ending:
    """The result of a hand that is over."""

    ended: datetime
    reason: str
    payoffs: tuple[str, ...]
    won: float
    marks: Mapping[str, Any]  # what statistics count


@dataclass(frozen=True, slots=True)
class Begun:
    """A new hand, played up to the person's first turn."""

    number: int
    seat: int
    deck: tuple[int, ...]
    betting: str
    moves: int
    started: datetime
    ending: Ending | None = None
    stacks: tuple[int, ...] | None = None


def now() -> datetime:
    """Return the present as databases keep it: universal time without a zone."""
    return datetime.now(UTC).replace(tzinfo=None)

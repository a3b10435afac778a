"""A poker game as frozen data: everything that tells one game from another, and nothing that plays it."""

from __future__ import annotations

from dataclasses import dataclass

from smoothcall.errors import UsageError
from smoothcall.games.cards import Deck
from smoothcall.games.hands import HandOrder

MAX_SEATS = 10


@dataclass(frozen=True, slots=True)
class Street:
    """One round of dealing and betting."""

    bet: int  # limit: the size of every bet and raise; no-limit: the smallest bet
    hole: int = 0  # cards dealt to each player before the betting
    board: int = 0  # cards dealt face up before the betting
    max_raises: int | None = None  # bets and raises players may make; blinds do not count; None: no cap
    first: int = 0  # the seat that acts first, or the next one that can


@dataclass(frozen=True, slots=True)
class PokerRules:
    """A poker game. Seat 0 is named first in every list; blinds and antes are in seat order."""

    name: str
    deck: Deck
    order: HandOrder
    streets: tuple[Street, ...]
    seats: int = 2
    antes: tuple[int, ...] = ()  # dead money each seat puts in; missing seats pay none
    blinds: tuple[int, ...] = ()  # live bets each seat puts in before the first card
    limit: bool = True
    stack: int | None = None  # chips each seat starts with; None: always enough

    def __post_init__(self) -> None:
        if not 2 <= self.seats <= MAX_SEATS:
            raise UsageError(f"{self.name}: {self.seats} seats (accepted: 2 to {MAX_SEATS})")
        if not self.streets:
            raise UsageError(f"{self.name}: a poker game needs at least one street")
        if len(self.antes) > self.seats or len(self.blinds) > self.seats:
            raise UsageError(f"{self.name}: more antes or blinds than the {self.seats} seats")
        if min((*self.antes, *self.blinds, 0)) < 0 or min(street.bet for street in self.streets) <= 0:
            raise UsageError(f"{self.name}: antes and blinds must not be negative and bets must be positive")
        if self.stack is not None and self.stack <= 0:
            raise UsageError(f"{self.name}: a stack of {self.stack} (accepted: 1 or more)")
        if not self.limit and self.stack is None:
            raise UsageError(f"{self.name}: a no-limit game needs a stack")
        needed = sum(street.hole * self.seats + street.board for street in self.streets)
        if needed > self.deck.size:
            raise UsageError(f"{self.name}: {needed} cards are dealt, the deck has {self.deck.size}")
        if any(not 0 <= street.first < self.seats for street in self.streets):
            raise UsageError(f"{self.name}: the first seat to act must be 0 to {self.seats - 1}")

    def ante(self, seat: int) -> int:
        return self.antes[seat] if seat < len(self.antes) else 0

    def blind(self, seat: int) -> int:
        return self.blinds[seat] if seat < len(self.blinds) else 0

"""The rules of a poker game as frozen data. `games.betting` and `games.hand` play by them."""

from __future__ import annotations

from dataclasses import dataclass

from smoothcall.errors import UsageError
from smoothcall.games.cards import Deck
from smoothcall.games.menu import BetMenu
from smoothcall.games.rankings import HandOrder

MAX_SEATS = 10


@dataclass(frozen=True, slots=True)
class Street:
    """One round of dealing and betting."""

    bet: int  # limit: the size of every bet and raise; no-limit: the smallest bet
    hole: int = 0  # cards dealt to each player before the betting
    board: int = 0  # cards dealt face up before the betting
    max_raises: int | None = None  # bets and raises players may make; blinds do not count; None: no cap
    first: int = 0  # the seat that acts first, or the next one that can
    listed: int | None = None  # limit: bets and raises where the betting is listed, a bet menu; play allows `max_raises`


@dataclass(frozen=True, slots=True)
class PokerRules:
    """A poker game. Seat 0 is named first in every list; blinds and antes are in seat order."""

    name: str
    deck: Deck
    order: HandOrder
    streets: tuple[Street, ...]
    seats: int = 2
    antes: tuple[int, ...] = ()  # dead money, the same from every seat, or none at all
    blinds: tuple[int, ...] = ()  # live bets each seat puts in before the first card; missing seats put in none
    limit: bool = True
    stack: int | None = None  # chips each seat starts with; None: always enough
    menu: BetMenu | None = None  # no-limit: the raises the game is reduced to where its betting is listed; play allows all
    reopen: bool = False  # whether a short all-in re-opens the betting for players who have acted (the ACPC dealer)
    checks: bool = True  # whether a player with nothing to call may check; if not, that player bets or folds
    dead: tuple[int, ...] = ()  # chips of each seat that go to the main pot and are no bet: a big-blind ante, a dead blind
    stacks: tuple[int, ...] = ()  # chips of each seat where they differ; `stack` is then the largest

    def __post_init__(self) -> None:
        if not 2 <= self.seats <= MAX_SEATS:
            raise UsageError(f"{self.name}: {self.seats} seats (accepted: 2 to {MAX_SEATS})")
        if not self.streets:
            raise UsageError(f"{self.name}: a poker game needs at least one street")
        if self.antes and (len(self.antes) != self.seats or len(set(self.antes)) > 1):  # pots are layers of equal chips
            raise UsageError(f"{self.name}: antes {self.antes} (accepted: none, or the same from each of {self.seats} seats)")
        if len(self.blinds) > self.seats:
            raise UsageError(f"{self.name}: {len(self.blinds)} blinds (accepted: at most {self.seats}, the seats)")
        if self.dead and (len(self.dead) != self.seats or min(self.dead) < 0):
            raise UsageError(f"{self.name}: dead money {self.dead} (accepted: none, or chips of each of {self.seats} seats)")
        if min((*self.antes, *self.blinds, 0)) < 0 or min(street.bet for street in self.streets) <= 0:
            raise UsageError(f"{self.name}: antes and blinds must not be negative and bets must be positive")
        if min(min(street.hole, street.board, street.max_raises or 0) for street in self.streets) < 0:
            raise UsageError(f"{self.name}: a street's cards and raises must not be negative")
        if self.stack is not None and self.stack <= 0:
            raise UsageError(f"{self.name}: a stack of {self.stack} (accepted: 1 or more)")
        if self.stacks and (len(self.stacks) != self.seats or min(self.stacks) <= 0 or max(self.stacks) != self.stack):
            raise UsageError(f"{self.name}: stacks {self.stacks} (accepted: {self.seats}, the largest of {self.stack})")
        if not self.limit and self.stack is None:
            raise UsageError(f"{self.name}: a no-limit game needs a stack")
        if self.limit and self.menu is not None:
            raise UsageError(f"{self.name}: a limit game has one size of raise and no bet menu")
        if self.stack is None and any(street.max_raises is None for street in self.streets):
            raise UsageError(f"{self.name}: a game in which everybody always has enough needs max_raises on every street")
        needed = sum(street.hole * self.seats + street.board for street in self.streets)
        if needed > self.deck.size:
            raise UsageError(f"{self.name}: {needed} cards are dealt, the deck has {self.deck.size}")
        if any(not 0 <= street.first < self.seats for street in self.streets):
            raise UsageError(f"{self.name}: the first seat to act must be 0 to {self.seats - 1}")

    def ante(self, seat: int) -> int:
        return self.antes[seat] if seat < len(self.antes) else 0

    def blind(self, seat: int) -> int:
        return self.blinds[seat] if seat < len(self.blinds) else 0

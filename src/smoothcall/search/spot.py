"""A spot: a board, two ranges, chips and bet sizes, from which the rest of a hand is played."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import cached_property
from math import inf, nextafter
from typing import Any

from smoothcall.errors import UsageError
from smoothcall.games.betting import Betting
from smoothcall.games.cards import STANDARD, Cards, Deck
from smoothcall.games.notation import move_name
from smoothcall.games.rankings import BEST_FIVE
from smoothcall.games.rules import PokerRules, Street
from smoothcall.holdem.ranges import weighted_hands
from smoothcall.options import number
from smoothcall.search.bet_sizes import ACCEPTED, STREETS, Menu
from smoothcall.search.boards import PLAYERS, Range

MAX_CHIPS = 10**9
MAX_LIMIT_RAISES = 4  # bets and raises of a street in limit games
BOARD_CARDS = (3, 4, 5)
_TOTAL = re.compile(r"r([0-9]{1,15})")


@dataclass(frozen=True)
class Spot:
    """Player 0 acts first on every street. Chips are whole numbers; wrong input raises UsageError."""

    board: str
    ranges: tuple[str, str]
    pot: int  # chips in the middle
    stack: int | tuple[int, int]  # chips that each player has left
    bets: str = "50%,a"
    raises: str = "75%,a"
    street_bets: tuple[str, ...] = ()
    limit: str = ""  # sizes of the bets of each street to come, as in 10,20: limit betting, without the sizes above
    rake: float = 0.0  # share of the pot taken from the winner
    cap: float | None = None  # the most that is taken, in chips
    threshold: float = 0.1  # a bet that leaves at most this share of the pot behind becomes all-in

    def __post_init__(self) -> None:
        """Verify every field, and keep numbers and tuples of one type each: a spot is saved as JSON."""
        limit: object = self.limit
        limit = str(limit) if isinstance(limit, int) else limit
        kept: dict[str, Any] = {
            "board": _text("board", self.board, "three to five cards, such as Td9d6hQc"),
            "ranges": self._read_ranges(),
            "pot": _chips("pot", self.pot),
            "stack": self._read_stack(),
            "bets": _text("bets", self.bets, ACCEPTED),
            "raises": _text("raises", self.raises, ACCEPTED),
            "street_bets": self._read_street_bets(),
            "limit": _text("limit", limit, "bets in chips, such as 10,20"),
            "rake": _between("rake", self.rake, 0, nextafter(1, 0), "a share of the pot from 0 to below 1, such as 5%"),
            "cap": None if self.cap is None else _between("cap", self.cap, 0, inf, "chips, at least 0"),
            "threshold": _between("threshold", self.threshold, 0, 10, "a share of the pot from 0 to 10"),
        }
        for name, value in kept.items():
            object.__setattr__(self, name, value)
        if self.cap is not None and not self.rake:
            raise UsageError(f"cap={self.cap:g} without a rake (accepted: with a rake, of which it is the most)")
        if self.limit and (self.bets, self.raises, self.street_bets) != (Spot.bets, Spot.raises, Spot.street_bets):
            raise UsageError(f"limit={self.limit} with other sizes of bets (accepted: one or the other)")
        if len(self.cards) not in BOARD_CARDS:
            raise UsageError(f"board {self.board!r} has {len(self.cards)} cards (accepted: 3, 4 or 5)")
        self.menu.verify(STREETS[self.street :], max(self.stacks))
        self.bet_chips, self.hands  # noqa: B018 - read now, so that what is wrong is found before any work

    def _read_ranges(self) -> tuple[str, ...]:
        given: Any = self.ranges
        texts = tuple(given) if isinstance(given, tuple | list) else ()
        if len(texts) != PLAYERS or not all(isinstance(text, str) for text in texts):
            raise UsageError(
                f"ranges={self.ranges!r} (accepted: {PLAYERS} texts, that of the player who acts first and the other's)"
            )
        return texts

    def _read_stack(self) -> int | tuple[int, ...]:
        given: Any = self.stack
        if not isinstance(given, tuple | list):
            return _chips("stack", given)
        if len(given) != PLAYERS:
            raise UsageError(f"{len(given)} stacks (accepted: one of both players, or {PLAYERS})")
        return tuple(_chips("stack", each) for each in given)

    def _read_street_bets(self) -> tuple[str, ...]:
        given: Any = self.street_bets
        given = (given,) if isinstance(given, str) else given
        if not isinstance(given, tuple | list):
            raise UsageError(f"street_bets={given!r} (accepted: texts such as river=75%,a)")
        return tuple(_text("street_bets", each, "texts such as river=75%,a") for each in given)

    @property
    def deck(self) -> Deck:
        return STANDARD

    @cached_property
    def cards(self) -> Cards:
        return self.deck.parse(self.board)

    @property
    def stacks(self) -> tuple[int, int]:
        return self.stack if isinstance(self.stack, tuple) else (self.stack, self.stack)

    @cached_property
    def menu(self) -> Menu:
        return Menu.parse(self.bets, self.raises, self.street_bets, self.threshold)

    @cached_property
    def hands(self) -> tuple[Range, Range]:
        first, second = (Range(*weighted_hands(text, self.cards, self.deck)) for text in self.ranges)
        return first, second

    @property
    def street(self) -> int:
        """The number of the street that the board belongs to, as in STREETS."""
        return BOARD_CARDS.index(len(self.cards)) + 1

    @property
    def unit(self) -> int:
        """Half of the pot counts as each player's ante, so the chips of an odd pot are counted in halves."""
        return 1 + self.pot % 2

    @property
    def ante(self) -> int:
        """Each player's half of the pot, in units."""
        return self.pot * self.unit // 2

    @cached_property
    def bet_chips(self) -> tuple[int, ...]:
        """The bets of limit betting, one for each street to come; () in no-limit betting."""
        if not self.limit:
            return ()
        chips, streets = [number(piece.strip(), whole=True) or 0 for piece in self.limit.split(",")], len(STREETS) - self.street
        if not 1 <= min(chips) <= max(chips) <= MAX_CHIPS or len(chips) not in (1, streets):
            every = f", or {streets} joined by commas, one a street" if streets > 1 else ""
            raise UsageError(f"limit={self.limit!r} (accepted: the bet in chips{every})")
        return tuple(int(each) for each in (chips * streets if len(chips) == 1 else chips))

    @cached_property
    def rules(self) -> PokerRules:
        """The rest of the hand as a game of its own: its first street is that of the board, its antes are the pot."""
        limit = bool(self.bet_chips)
        bets = [chips * self.unit for chips in self.bet_chips] or [self.unit] * (len(STREETS) - self.street)
        most = MAX_LIMIT_RAISES if limit else None
        streets = [
            Street(bet=bet, hole=0 if place else 2, board=1 if place else len(self.cards), max_raises=most)
            for place, bet in enumerate(bets)
        ]
        stack = self.ante + max(self.stacks) * self.unit
        return PokerRules("spot", self.deck, BEST_FIVE, tuple(streets), antes=(self.ante,) * PLAYERS, limit=limit, stack=stack)

    def start(self) -> Betting:
        return Betting(self.rules, [self.ante + stack * self.unit for stack in self.stacks])

    def moves(self, state: Betting) -> Sequence[str]:
        """Return the moves that a state of the betting offers."""
        if self.bet_chips:
            return [letter for letter in state.slots if letter is not None]
        return self.menu.moves(state, STREETS[self.street + state.street], self.unit)

    def settle(self, payoffs: Sequence[Fraction], state: Betting) -> Sequence[float]:
        """Return pay-offs in chips: what the winner gets is less by the rake, which is taken from chips that were matched."""
        pot = 2 * min(state.paid)
        most = float("inf") if self.cap is None else self.cap * self.unit
        rake = min(self.rake * pot, most)
        winners = [payoff > 0 for payoff in payoffs]
        shares = [1.0 if winner else 0.0 for winner in winners] if any(winners) else [0.5, 0.5]
        return [(float(payoff) - rake * share) / self.unit for payoff, share in zip(payoffs, shares, strict=True)]

    def move_name(self, state: Betting, letter: str) -> str:
        """Return the name of a move, in chips."""
        return re.sub(r"[0-9]+", lambda found: str(int(found[0]) // self.unit), move_name(state, letter))

    def shown(self, text: str) -> str:
        """Return the engine's betting in a user's chips: totals count what a player has put in since the spot began."""
        return _TOTAL.sub(lambda found: f"r{(int(found[1]) - self.ante) // self.unit}", text)

    def read(self, text: str) -> str:
        """Return a user's betting as the engine writes it: the inverse of `shown`."""
        return _TOTAL.sub(lambda found: f"r{int(found[1]) * self.unit + self.ante}", text)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def _text(name: str, given: object, accepted: str) -> str:
    if not isinstance(given, str):
        raise UsageError(f"{name}={given!r} (accepted: {accepted})")
    return given


def _chips(name: str, given: object) -> int:
    known = number(given, whole=True)
    if known is None or not 1 <= known <= MAX_CHIPS:
        raise UsageError(f"{name}={given} (accepted: a whole number of chips from 1 to {MAX_CHIPS:,})")
    return int(known)


def _between(name: str, given: object, low: float, high: float, accepted: str) -> float:
    known = number(given, whole=False)
    if known is None or not low <= known <= high:
        raise UsageError(f"{name}={given} (accepted: {accepted})")
    return float(known)

"""What a person at a table may see, as data. Pages, the terminal and the JSON API show nothing else.

No field depends on cards that the person has not been shown.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

CHIPS, BIG_BLINDS = "chips", "bb"
UNITS = (CHIPS, BIG_BLINDS)  # in which amounts are written for a person
VULGAR = {
    Fraction(1, 2): "½", Fraction(1, 3): "⅓", Fraction(2, 3): "⅔", Fraction(1, 4): "¼", Fraction(3, 4): "¾",
    Fraction(1, 5): "⅕", Fraction(2, 5): "⅖", Fraction(3, 5): "⅗", Fraction(4, 5): "⅘", Fraction(1, 6): "⅙",
    Fraction(5, 6): "⅚",
}  # fmt: skip


def chips_text(chips: int | Fraction) -> str:
    """Return an amount of chips, not negative, as people read it: `1,200`, `12½`."""
    if isinstance(chips, int):
        return f"{chips:,}"
    whole, rest = divmod(chips, 1)
    part = "" if not rest else VULGAR.get(rest, f" {rest}")
    return f"{whole:,}{part}" if whole or not part else part.strip()


def money_text(chips: int | Fraction, unit: str = CHIPS, blind: int = 1) -> str:
    """Return an amount in chips or in big blinds: `1,200`, `2.5 bb`."""
    return chips_text(chips) if unit == CHIPS else f"{float(round(Fraction(chips, blind), 2)):,.10g} bb"


def signed(chips: Fraction) -> str:
    """Return net chips as text: `+12`, `0`, `-7/2`."""
    return f"+{chips}" if chips > 0 else str(chips)


@dataclass(frozen=True, slots=True)
class Choice:
    """A legal move. `letter` is `f`, `c`, `r`, or in no-limit games `r` with the total chosen between `low` and `high`."""

    letter: str
    name: str  # "Fold", "Check", "Call 10", "Bet 10", "Raise to 40"; no-limit: "Bet" or "Raise"
    chips: int  # chips it adds to the pot; no-limit raises: the minimum
    low: int | None = None  # no-limit raises: the smallest and largest total chips in the hand
    high: int | None = None
    presets: tuple[tuple[str, int], ...] = ()  # no-limit raises: named totals, as ("1/2 pot", 30)
    earlier: int = 0  # no-limit raises: chips put in before this street


@dataclass(frozen=True, slots=True)
class SeatView:
    """A seat as the person sees it."""

    seat: int  # 0: the first player; in games with blinds, the small blind
    name: str
    you: bool
    cards: tuple[str, ...]  # as "Ah"; () where they are hidden
    hidden: int  # how many cards lie face down
    stack: int | None  # chips left; None in games where everybody always has enough
    began: int | None  # the same before the hand
    paid: int  # chips put in so far in this hand
    bet: int  # the part of them on this street
    alive: bool
    turn: bool
    button: bool
    position: str = ""  # "SB" or "BB": who posts the small and the big blind
    did: str = ""  # the letter of its last action on this street: "f", "c" or "r"
    action: str = ""  # the same in words: "Raise to 20", "Fold", "All in"
    won: str | None = None  # net chips of the hand, once it is over: "+12", "-7/2"
    collected: str | None = None  # once the hand is over: chips taken from the pots
    returned: int = 0  # once the hand is over: the part of its bet that nobody called
    hand: str = ""  # at a showdown, what the cards make: "a pair of kings"


@dataclass(frozen=True, slots=True)
class Event:
    """One line of the log of a hand."""

    street: int
    seat: int | None  # None: the dealer
    text: str  # "You raise to 20", "Flop: Ah Td 2c"
    kind: str  # "post", "deal", "move", "return" (of an uncalled bet), "show", "end"


@dataclass(frozen=True, slots=True)
class HandView:
    """A hand as the person sees it, after some of its moves."""

    id: int
    number: int  # at its table, from 1
    seat: int  # the person's
    street: int
    street_name: str  # "Preflop", "Flop", ...; "Round 1" in small games
    boards: tuple[tuple[str, ...], ...]  # the board cards of each street so far
    pot: int  # once the hand is over, without the part of a bet that nobody called
    pots: tuple[int, ...]  # the main pot, then the side pots
    betting: str  # as in the information-state keys
    move: int  # number of moves made; a form with another number is stale
    seats: tuple[SeatView, ...]
    events: tuple[Event, ...]
    choices: tuple[Choice, ...]  # empty while it is not the person's turn
    over: bool
    unit: str = CHIPS  # "chips" or "bb": in which texts write amounts; numbers are always chips
    blind: int = 1  # chips of the big blind, in games without blinds of the ante
    reason: str = ""  # once over: "fold" or "showdown"
    verdict: str = ""  # once over, how it ended for the person: "You folded", "You win 40 with a pair of aces"
    won: str | None = None  # once over: the person's net chips
    won_chips: float | None = None

    @property
    def you(self) -> SeatView:
        return self.seats[self.seat]

    def money(self, chips: int | str) -> str:
        """Return an amount in the person's unit, with its sign if it is text: `1,200`, `+2.5 bb`, `−3½`."""
        exact = Fraction(chips)
        sign = "" if isinstance(chips, int) else "\N{MINUS SIGN}" if exact < 0 else "+" if chips.startswith("+") else ""
        return sign + money_text(abs(exact), self.unit, self.blind)


@dataclass(frozen=True, slots=True)
class Opponent:
    """An opponent at a table."""

    id: str  # player id, perhaps with a suffix of `agents.suffixes.STYLES`
    name: str  # as people read it


@dataclass(frozen=True, slots=True)
class MatchView:
    """A match of several freezeouts: chips are carried over for a number of hands, or until one player has none."""

    freezeouts: int
    won: int  # by the person
    lost: int
    drawn: int
    over: bool
    length: int  # hands of a freezeout at most; 0: until one player has no chips
    hand: int  # number of the hand in its freezeout, from 1
    freezeout_over: bool  # it ended with the hand that is shown

    @property
    def ended(self) -> int:
        return self.won + self.lost + self.drawn


@dataclass(frozen=True, slots=True)
class TableView:
    """A table with its current hand."""

    id: str
    game: str
    title: str  # "Leduc hold'em"
    opponents: tuple[Opponent, ...]
    hands: int  # finished
    won: str  # the person's net chips over all finished hands
    hand: HandView
    match: MatchView | None = None  # None where the table is no match
    closed: bool = False  # no more hands are dealt
    cash: int = 0  # chips of a buy-in at a cash table, where chips are carried over; 0: every hand begins with full stacks


@dataclass(frozen=True, slots=True)
class Figure:
    """A mean in mbb/h with the half width of its 95 % interval, None with too few hands."""

    mean: float
    half_width: float | None
    hands: int


@dataclass(frozen=True, slots=True)
class Results:
    """What a person has won at a table, raw and luck-adjusted (AIVAT)."""

    hands: int
    won: str  # net chips
    curve: tuple[float, ...]  # net chips after each hand
    luck_adjusted_curve: tuple[float, ...]  # () where AIVAT is not available
    raw: Figure | None
    luck_adjusted: Figure | None
    note: str  # how AIVAT was computed, or why it is not available
    match: MatchView | None = None

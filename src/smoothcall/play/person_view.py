"""What a person at a table may see, as data: everything pages, the terminal and JSON show comes from here.

Nothing in it depends on cards the person has not been shown, so whatever is made of it cannot leak them.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


def signed(chips: Fraction) -> str:
    """Net chips as people read them: `+12`, `0`, `-7/2`."""
    return f"+{chips}" if chips > 0 else str(chips)


@dataclass(frozen=True, slots=True)
class Choice:
    """A legal move. `letter` is `f`, `c`, `r`, or in no-limit games `r` with the total chosen between `low` and `high`."""

    letter: str
    name: str  # "Fold", "Check", "Call 10", "Bet 10", "Raise to 40"; no-limit: "Bet" or "Raise"
    chips: int  # what it adds to the pot; no-limit raises: the least
    low: int | None = None  # no-limit raises: the smallest and largest total chips in the hand
    high: int | None = None
    presets: tuple[tuple[str, int], ...] = ()  # no-limit raises: named totals, as ("1/2 pot", 30)
    earlier: int = 0  # no-limit raises: chips put in before this street; people say what they raise to on the street alone


@dataclass(frozen=True, slots=True)
class SeatView:
    """A seat as the person sees it."""

    seat: int  # 0 acts first in the small blind's place; see the game's rules
    name: str
    you: bool
    cards: tuple[str, ...]  # as "Ah"; () where they are hidden
    hidden: int  # how many cards lie face down
    stack: int | None  # chips left; None in games where everybody always has enough
    paid: int  # chips put in so far in this hand
    bet: int  # the part of them on this street
    alive: bool
    turn: bool
    button: bool
    won: str | None = None  # net chips of the hand, once it is over: "+12", "-7/2"
    hand: str = ""  # at a showdown, what the cards make: "a pair of kings"


@dataclass(frozen=True, slots=True)
class Event:
    """A line of the annotated sequence of events."""

    street: int
    seat: int | None  # None: the dealer
    text: str  # "You raise to 20", "Flop: Ah Td 2c"
    kind: str  # "post", "deal", "move", "show", "end"


@dataclass(frozen=True, slots=True)
class HandView:
    """A hand as the person sees it, at some moment of it."""

    id: int
    number: int  # at its table, from 1
    seat: int  # the person's
    street: int
    street_name: str  # "Preflop", "Flop", ...; "Round 1" in small games
    boards: tuple[tuple[str, ...], ...]  # the board cards of each street so far
    pot: int
    betting: str  # as in the information-state keys
    move: int  # how many moves were made: a form that names another number is stale
    seats: tuple[SeatView, ...]
    events: tuple[Event, ...]
    choices: tuple[Choice, ...]  # empty while it is not the person's turn
    over: bool
    reason: str = ""  # once over: "fold" or "showdown"
    won: str | None = None  # once over: the person's net chips
    won_chips: float | None = None

    @property
    def you(self) -> SeatView:
        return self.seats[self.seat]


@dataclass(frozen=True, slots=True)
class Opponent:
    """Who sits at a table with the person."""

    id: str  # an agent's or simple player's id, `:greedy` behind it for its most likely actions
    name: str  # as people read it


@dataclass(frozen=True, slots=True)
class MatchView:
    """A match: so many games, each of which goes on, chips kept from hand to hand, until somebody has none."""

    games: int
    won: int  # by the person
    lost: int
    over: bool


@dataclass(frozen=True, slots=True)
class TableView:
    """A table with the hand that is being played at it."""

    id: str
    game: str
    title: str  # "Leduc hold'em"
    opponents: tuple[Opponent, ...]
    hands: int  # finished
    won: str  # the person's net chips over all finished hands
    hand: HandView
    match: MatchView | None = None  # None where each hand is dealt with full stacks


@dataclass(frozen=True, slots=True)
class Figure:
    """A mean with its 95 % interval, in mbb/h; None where hands are too few to say."""

    mean: float
    half_width: float | None
    hands: int


@dataclass(frozen=True, slots=True)
class Results:
    """What a person has won, raw and corrected for luck."""

    hands: int
    won: str  # net chips
    curve: tuple[float, ...]  # net chips after each hand
    luck_adjusted_curve: tuple[float, ...]  # () where luck cannot be told from skill
    raw: Figure | None
    luck_adjusted: Figure | None
    note: str  # what the correction rests on, or why there is none
    match: MatchView | None = None

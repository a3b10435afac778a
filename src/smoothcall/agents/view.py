"""What one seat may know of a hand, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from smoothcall.games.betting import Call, Raise
from smoothcall.games.cards import Cards
from smoothcall.games.hand import Hand
from smoothcall.games.matrix import MatrixGame
from smoothcall.games.notation import split_moves
from smoothcall.games.rules import PokerRules

Habits = tuple[int, int, int, int]  # counts of earlier hands: hands, hands raised on the first street, raises, calls
STRANGER: Habits = (0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class View:
    """A hand as one seat sees it. `to_call`, `raises` and `slots` are empty while another seat is to move."""

    rules: PokerRules | MatrixGame
    seat: int
    hole: Cards = ()  # the seat's own cards
    boards: tuple[Cards, ...] = ()  # the board cards of each street so far
    text: str = ""  # the betting so far, as in the information-state keys
    paid: tuple[int, ...] = ()  # chips each seat has put in
    stacks: tuple[int, ...] = ()  # chips each seat has left
    alive: tuple[bool, ...] = ()  # who is still in
    to_call: int = 0
    raises: tuple[int, int] | None = None  # the smallest and the largest total a raise may bring the seat to
    slots: tuple[str | None, ...] = ()  # [A] the move of each action slot of the game, None where it is not legal now
    habits: Habits = STRANGER  # of the opponent at a table of two

    @property
    def pot(self) -> int:
        return sum(self.paid)

    @property
    def street(self) -> int:
        return self.text.count("/")

    @property
    def letters(self) -> tuple[str, ...]:
        """The legal moves among the game's action slots; in no-limit games every amount within `raises` is legal too."""
        return tuple(letter for letter in self.slots if letter is not None)


class Player(Protocol):
    """Chooses the moves of one seat, hand by hand."""

    def act(self, view: View) -> str:
        """Return the move, written as in the information-state keys: `f`, `c`, `r` or `r<total>`."""


def visible_hole_cards(hand: Hand, seat: int | None) -> tuple[Cards, ...]:
    """Return the hole cards of every seat that `seat` may see, () where they are hidden. None stands for a spectator.

    A seat sees its own cards. When a hand has ended at a showdown, everybody sees the cards of the players who have not
    folded. Folded cards are never shown. Views, tables, match states and hand histories all take their cards from here.
    """
    showdown = hand.outcome is not None and hand.alive_count > 1
    return tuple(cards if place == seat or (showdown and hand.alive[place]) else () for place, cards in enumerate(hand.hole))


def habits_of(hand: Hand, seat: int) -> Habits:
    """Return what a seat did in a finished hand, as counted in freezeouts (`kernels.simulation.freezeouts`)."""
    opening = len(split_moves(hand.text.partition("/")[0]))  # moves on the first street
    own = [(number, move) for number, move in enumerate(hand.moves) if move.player == seat]
    raised = [number for number, move in own if isinstance(move, Raise)]
    called = sum(isinstance(move, Call) and move.amount > 0 for _, move in own)
    return 1, int(any(number < opening for number in raised)), len(raised), called


def more_habits(known: Habits, hand: Hand, seat: int) -> Habits:
    """Return habits with those of one more finished hand."""
    one, other = known, habits_of(hand, seat)
    return one[0] + other[0], one[1] + other[1], one[2] + other[2], one[3] + other[3]


def view_of(hand: Hand, seat: int, habits: Habits = STRANGER) -> View:
    """Return what a seat may know of a hand now; `habits` of its one opponent are from earlier hands."""
    turn = hand.player == seat and hand.due is None
    return View(
        rules=hand.rules,
        seat=seat,
        hole=visible_hole_cards(hand, seat)[seat],
        boards=tuple(hand.boards),
        text=hand.text,
        paid=tuple(hand.paid),
        stacks=tuple(map(hand.stack, range(hand.rules.seats))),
        alive=tuple(hand.alive),
        to_call=hand.to_call if turn else 0,
        raises=hand.raises if turn else None,
        slots=hand.slots if turn else (),
        habits=habits,
    )


def view_of_matrix(rules: MatrixGame, seat: int) -> View:
    """Return the view of a one-shot game: a seat sees only its actions."""
    return View(rules, seat, slots=rules.actions)

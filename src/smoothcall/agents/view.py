"""What one seat may know of a hand, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Protocol

from smoothcall.games.betting import Betting, Call, Raise
from smoothcall.games.cards import Cards
from smoothcall.games.hand import Hand
from smoothcall.games.matrix import MatrixGame
from smoothcall.games.notation import split_moves
from smoothcall.games.rules import PokerRules

Habits = tuple[int, int, int, int]  # counts of earlier hands: hands, hands raised on the first street, raises, calls
NO_HABITS: Habits = (0, 0, 0, 0)


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
    habits: Habits = NO_HABITS  # of the opponent at a table of two
    shown: tuple[Cards, ...] = ()  # hole cards of each seat, () where they are hidden (`visible_hole_cards`)
    payoffs: tuple[Fraction, ...] = ()  # chips that each seat has won; () while the hand goes on

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


def habits_of(hand: Betting, seat: int) -> Habits:
    """Return what a seat did in a finished hand, as counted in freezeouts (`kernels.simulation.freezeouts`)."""
    opening = len(split_moves(hand.text.partition("/")[0]))  # moves on the first street
    own = [(number, move) for number, move in enumerate(hand.moves) if move.player == seat]
    raised = [number for number, move in own if isinstance(move, Raise)]
    called = sum(isinstance(move, Call) and move.amount > 0 for _, move in own)
    return 1, int(any(number < opening for number in raised)), len(raised), called


def more_habits(known: Habits, hand: Betting, seat: int) -> Habits:
    """Return habits with those of one more finished hand."""
    one, other = known, habits_of(hand, seat)
    return one[0] + other[0], one[1] + other[1], one[2] + other[2], one[3] + other[3]


def view_of(hand: Hand, seat: int, habits: Habits = NO_HABITS) -> View:
    """Return what a seat may know of a hand now; `habits` of its one opponent are from earlier hands."""
    view = view_of_betting(hand, seat, visible_hole_cards(hand, seat), hand.boards, habits, dealt=hand.due is None)
    return view if hand.outcome is None else replace(view, payoffs=hand.outcome.payoffs)


def view_of_betting(
    state: Betting,
    seat: int,
    shown: Sequence[Cards],
    boards: Sequence[Cards],
    habits: Habits = NO_HABITS,
    *,
    dealt: bool = True,
) -> View:
    """Return the view of a seat that is shown these cards; `dealt`: whether no more cards are due."""
    turn = state.player == seat and dealt
    return View(
        rules=state.rules,
        seat=seat,
        hole=shown[seat],
        boards=tuple(boards),
        text=state.text,
        paid=tuple(state.paid),
        stacks=tuple(map(state.stack, range(state.rules.seats))),
        alive=tuple(state.alive),
        to_call=state.to_call if turn else 0,
        raises=state.raises if turn else None,
        slots=state.slots if turn else (),
        habits=habits,
        shown=tuple(shown),
    )


def view_of_matrix(rules: MatrixGame, seat: int) -> View:
    """Return the view of a one-shot game: a seat sees only its actions."""
    return View(rules, seat, slots=rules.actions)

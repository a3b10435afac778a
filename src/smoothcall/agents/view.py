"""What one seat may know of a hand, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from smoothcall.games.cards import Cards
from smoothcall.games.hand import Hand
from smoothcall.games.matrix import MatrixGame
from smoothcall.games.rules import PokerRules


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


def view_of(hand: Hand, seat: int) -> View:
    """Return what a seat may know of a hand now."""
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
    )


def view_of_matrix(rules: MatrixGame, seat: int) -> View:
    """Return the view of a one-shot game: a seat sees only its actions."""
    return View(rules, seat, slots=rules.actions)

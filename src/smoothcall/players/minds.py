"""A mind in a seat: it looks at the hand itself, so that it needs no tree and answers whatever was raised."""

from __future__ import annotations

from random import Random

import numpy as np

from smoothcall.errors import UsageError
from smoothcall.games.betting import Betting, Call, Fold, Move, Raise
from smoothcall.games.notation import split_moves
from smoothcall.games.rules import PokerRules
from smoothcall.information.position import positions
from smoothcall.information.translation import same_table
from smoothcall.kernels.sessions import (
    AGGRESSION,
    COLUMNS,
    LAST,
    LAST_SIZE,
    OTHER_STACK,
    POSITION,
    POT,
    STACK,
    STREET,
    TO_CALL,
    UNKNOWN,
)
from smoothcall.kernels.tables import CALLED, CHECKED, NOTHING, RAISED, Array
from smoothcall.minds.mind import Mind
from smoothcall.players.simple import draw_slot
from smoothcall.players.view import View


class MindPlayer:
    """Plays a mind as it is, or its most likely move (of equals, the first in the order of the game's actions).

    It sits at any table of the rules whose raises it has learned, whatever the table's bet menu. Each hand is its first with
    somebody unknown.
    """

    def __init__(self, mind: Mind, rules: PokerRules, *, greedy: bool = False, random: Random | None = None) -> None:
        """`rules` are those of a game that minds play (`minds.files.verify_game`)."""
        self.mind, self.rules, self.greedy = mind, rules, greedy
        self.random = random or Random()
        self._table = rules  # the rules last seen, so that they are compared once
        positions(rules.deck)  # read now, so that no move waits for it

    def act(self, view: View) -> str:
        state = self._state(view)
        letters = state.slots
        legal = np.array([[letter is not None for letter in letters]])
        chances = self.mind.chances(_seen(self.rules, view, state)[None], legal)[0]
        letter = letters[int(np.argmax(chances)) if self.greedy else draw_slot(chances, self.random)]
        assert letter is not None
        return letter

    def situation(self, view: View) -> Array:
        """[COLUMNS] float32: what the seat to move looks at, as `kernels.sessions.see_situations` says it."""
        return _seen(self.rules, view, self._state(view))

    def _state(self, view: View) -> Betting:
        """The hand's betting, with the raises that the mind knows."""
        if view.rules is not self._table:
            if not isinstance(view.rules, PokerRules) or not same_table(view.rules, self.rules):
                raise UsageError(f"this mind plays {self.rules.name}, not {view.rules.name}")
            self._table = view.rules
        state = Betting(self.rules, [paid + left for paid, left in zip(view.paid, view.stacks, strict=True)])
        for letter in split_moves(view.text):
            state.play(letter)
        return state


def _seen(rules: PokerRules, view: View, state: Betting) -> Array:
    """Habits are those of somebody unknown."""
    assert rules.stack is not None
    other = 1 - view.seat
    last, size = _last_move(state, other)
    seen = np.zeros(COLUMNS, np.float32)
    seen[POSITION] = positions(rules.deck).of(view.hole, tuple(card for cards in view.boards for card in cards))
    seen[STREET], seen[LAST], seen[AGGRESSION] = view.street, last, UNKNOWN
    for column, chips in (
        (POT, view.pot),
        (TO_CALL, view.to_call),
        (STACK, view.stacks[view.seat]),
        (OTHER_STACK, view.stacks[other]),
        (LAST_SIZE, size),
    ):
        seen[column] = chips / rules.stack
    return seen


def _last_move(state: Betting, seat: int) -> tuple[int, int]:
    """(the last move of a seat, the chips that it put in with it)."""
    made: Move | None = next((move for move in reversed(state.moves) if move.player == seat), None)
    if made is None or isinstance(made, Fold):
        return NOTHING, 0
    if isinstance(made, Raise):
        return RAISED, made.amount
    assert isinstance(made, Call)
    return (CALLED if made.amount else CHECKED), made.amount

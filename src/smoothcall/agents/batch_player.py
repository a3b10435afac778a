"""A batch policy in a seat: it looks at the hand itself, so that it needs no tree and answers whatever was raised.

Batch policies learn for two. At a larger table one that looks at observations with cards sees the opponents still in as one, their average
(pricope2021): its equity is the share of the pot that its cards win against so many.
"""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from random import Random

import numpy as np

from smoothcall.agents.rule_players import draw_slot
from smoothcall.agents.tabulated import TabulatedPolicy
from smoothcall.agents.view import View
from smoothcall.errors import UsageError
from smoothcall.games.betting import Betting, Call, Fold, Move, Raise
from smoothcall.games.matrix import MatrixGame
from smoothcall.games.notation import split_moves
from smoothcall.games.rules import PokerRules
from smoothcall.holdem.abstraction import Abstraction
from smoothcall.holdem.equity_table import equity_table, simulated
from smoothcall.information.translation import same_table
from smoothcall.kernels.random import seeded
from smoothcall.kernels.simulation.observations import (
    AGGRESSION,
    BEFORE_CALL,
    BEFORE_POT,
    BEFORE_STREET,
    BUCKET,
    CARD,
    CARD_OBSERVATION,
    CARDS,
    EQUITY,
    LAST,
    LAST_SIZE,
    NEVER,
    OBSERVATION,
    OTHER_STACK,
    POT,
    SEAT,
    STACK,
    STREET,
    TO_CALL,
    UNKNOWN,
)
from smoothcall.kernels.tables import CALLED, CHECKED, NOTHING, RAISED, Array
from smoothcall.policy import Policy
from smoothcall.simulation.batch_policy import BatchPolicy, sees_cards

MOST_SEATS = 6  # at a table with a batch policy that looks at observations with cards
GAMES = 1000  # simulated for a equity against several

_Before = tuple[int, int, int]  # street, pot and chips to call at somebody's last move


def may_sit(own: PokerRules | MatrixGame, table: PokerRules | MatrixGame, *, wide: bool) -> bool:
    """Whether somebody who has learned by its own rules may sit at a table: whatever its bet menu, and with observations with cards
    also where more than two play, and so others act first."""
    if same_table(own, table):
        return True
    if not (wide and isinstance(own, PokerRules) and isinstance(table, PokerRules)):
        return False
    if len(table.streets) != len(own.streets) or table.antes or own.seats != 2 or table.seats > MOST_SEATS:
        return False
    streets = [replace(each, first=mine.first) for each, mine in zip(table.streets, own.streets, strict=True)]
    return same_table(own, replace(table, seats=2, streets=tuple(streets)))


def observes_cards_of(policy: Policy, table: PokerRules | MatrixGame) -> bool:
    """Whether a policy is a batch policy that looks at the hands of a table that is not its own game's."""
    own = policy.game.rules
    return (
        isinstance(policy, TabulatedPolicy)
        and own != table
        and sees_cards(policy.batch_policy)
        and may_sit(own, table, wide=True)
    )


class BatchPlayer:
    """Plays a batch policy as it is, or its most likely move (of equals, the first in the order of the game's actions).

    It sits at any table of the rules whose raises it has learned, whatever the table's bet menu and the stacks (`may_sit`).
    Each hand is its first with somebody unknown.
    """

    def __init__(
        self,
        batch_policy: BatchPolicy,
        rules: PokerRules,
        *,
        greedy: bool = False,
        random: Random | None = None,
        abstraction: Abstraction | None = None,
    ) -> None:
        """`rules` are those of a game that batch policies play (`agents.serialization.verify_game`). With an abstraction observations with cards have its
        buckets; without one BUCKET is 0. NODE always is."""
        self.batch_policy, self.rules, self.greedy, self.abstraction = batch_policy, rules, greedy, abstraction
        self.random = random or Random()
        self.wide = sees_cards(batch_policy)
        self._table, self._menu = (
            rules,
            rules,
        )  # the rules last seen, so that they are compared once; with the batch policy's raises
        equity_table(rules.deck)  # read now, so that no move waits for it

    def act(self, view: View) -> str:
        state, before = self._replay(view)
        letters = state.slots
        legal = np.array([[letter is not None for letter in letters]])
        probabilities = self.batch_policy.probabilities(self._seen(view, state, before)[None], legal)[0]
        letter = letters[int(np.argmax(probabilities)) if self.greedy else draw_slot(probabilities, self.random)]
        assert letter is not None
        if letter[0] != "r":
            return letter
        assert view.raises is not None
        low, high = view.raises
        return f"r{min(max(int(letter[1:]), low), high)}"  # all that others have may be less than a full raise

    def observation(self, view: View) -> Array:
        """[OBSERVATION or CARD_OBSERVATION] float32: what the seat to move looks at, as `kernels.simulation.freezeouts.encode_observations` says it."""
        return self._seen(view, *self._replay(view))

    def _replay(self, view: View) -> tuple[Betting, _Before | None]:
        """The hand's betting, with the raises that the batch policy knows, and what the table showed at the seat's last move.

        Nobody can lose more than the second largest stack: who has more plays for so much, as in freezeouts.
        """
        rules = self._at(view)
        starting = [paid + left for paid, left in zip(view.paid, view.stacks, strict=True)]
        most = sorted(starting)[-2]
        state, before = Betting(rules, [min(chips, most) for chips in starting]), None
        for letter in split_moves(view.text):
            if state.player == view.seat:
                before = state.street, state.pot, state.to_call
            state.play(f"r{min(int(letter[1:]), most)}" if letter[0] == "r" else letter)
        return state, before

    def _at(self, view: View) -> PokerRules:
        """The rules of the table with the batch policy's raises."""
        if view.rules is not self._table:
            if not isinstance(view.rules, PokerRules) or not may_sit(self.rules, view.rules, wide=self.wide):
                seats = f" for {view.rules.seats}" if view.rules.seats != self.rules.seats else ""
                raise UsageError(f"this batch policy plays {self.rules.name}, not {view.rules.name}{seats}")
            self._table, self._menu = view.rules, replace(view.rules, menu=self.rules.menu)
        return self._menu

    def _seen(self, view: View, state: Betting, before: _Before | None) -> Array:
        """Habits are those of somebody unknown."""
        assert self.rules.stack is not None
        start, seat = self.rules.stack, view.seat
        others = [place for place, alive in enumerate(state.alive) if alive and place != seat]
        last, size = _last_move(state, others)
        left = [view.paid[place] + view.stacks[place] - state.paid[place] for place in range(state.rules.seats)]
        seen = np.zeros(CARD_OBSERVATION if self.wide else OBSERVATION, np.float32)
        seen[EQUITY] = self._equity(view, len(others))
        seen[STREET], seen[LAST], seen[AGGRESSION] = state.street, last, UNKNOWN
        for column, chips in (
            (POT, state.pot),
            (TO_CALL, state.to_call),
            (STACK, left[seat]),
            (OTHER_STACK, sum(left[place] for place in others) / len(others)),
            (LAST_SIZE, size),
        ):
            seen[column] = chips / start
        if self.wide:
            self._see_more(view, state, before, start, seen)
        return seen

    def _see_more(self, view: View, state: Betting, before: _Before | None, start: int, seen: Array) -> None:
        cards = [card for each in (view.hole, *view.boards) for card in sorted(each)]
        seen[CARD : CARD + CARDS] = -1
        seen[CARD : CARD + len(cards)] = cards
        seen[BUCKET] = 0 if self.abstraction is None else self.abstraction.bucket(view.hole, view.boards)
        seen[SEAT] = view.seat != _last_to_act(state)
        seen[BEFORE_STREET] = NEVER
        if before is not None:
            street, pot, to_call = before
            seen[BEFORE_STREET], seen[BEFORE_POT], seen[BEFORE_CALL] = street, pot / start, to_call / start

    def _equity(self, view: View, opponents: int) -> float:
        """Against one opponent exact, against more from simulated games, the same ones whenever this hand comes here."""
        board = tuple(card for cards in view.boards for card in cards)
        if opponents == 1:
            return equity_table(self.rules.deck).of(view.hole, board)
        spot = sha256(f"{view.hole} {board} {view.text}".encode()).digest()
        generator = seeded(int.from_bytes(spot[:8], "big"))[0]
        return simulated(self.rules.deck, view.hole, board, generator, GAMES, opponents)


def _last_to_act(state: Betting) -> int:
    """The seat of those still in that acts last after the first street: of two, the small blind's."""
    first, seats = state.rules.streets[-1].first, state.rules.seats
    return next(place for step in range(seats) if state.alive[place := (first - 1 - step) % seats])


def _last_move(state: Betting, seats: list[int]) -> tuple[int, int]:
    """(the last move of any of these seats, the chips that it put in with it)."""
    made: Move | None = next((move for move in reversed(state.moves) if move.player in seats), None)
    if made is None or isinstance(made, Fold):
        return NOTHING, 0
    if isinstance(made, Raise):
        return RAISED, made.amount
    assert isinstance(made, Call)
    return (CALLED if made.amount else CHECKED), made.amount

"""The adapter from a batch policy to a player.

It encodes the observation from the view, so it needs no action tree and answers raises of any size. Batch policies learn for
two players. At a larger table a batch policy that sees cards takes the opponents still in the hand as one, their average
(pricope2021): its equity is the share of the pot that its cards win against all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from random import Random

import numpy as np

from smoothcall.agents.scripted import Rule
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
from smoothcall.kernels.simulation.observations import CARDS, NEVER, PrivateStates
from smoothcall.kernels.tables import CALLED, CHECKED, NOTHING, RAISED, Array
from smoothcall.policy import Policy
from smoothcall.simulation.batch_policy import BatchPolicy, ignores_observations, prepare, sees_cards
from smoothcall.simulation.observations import encode, public_state

MAX_SEATS = 6  # of a table with a batch policy that sees cards
ROLLOUTS = 1000  # simulated for an equity against several opponents

_Before = tuple[int, int, int]  # street, pot and chips to call at the seat's last move


def draw_slot(weights: Array, random: Random) -> int:
    """Draw an action slot with probability proportional to weights[A]."""
    listed = weights.tolist()
    legal = [slot for slot, weight in enumerate(listed) if weight]
    return int(random.choices(legal, [listed[slot] for slot in legal])[0])


def may_sit(own: PokerRules | MatrixGame, table: PokerRules | MatrixGame, *, with_cards: bool) -> bool:
    """Return whether a player that learned the rules `own` can sit at a table: the bet menu may differ.

    With `with_cards`, for players that see cards, more than two may play, and so another seat may act first.
    """
    if same_table(own, table):
        return True
    if not (with_cards and isinstance(own, PokerRules) and isinstance(table, PokerRules)):
        return False
    if len(table.streets) != len(own.streets) or table.antes or own.seats != 2 or table.seats > MAX_SEATS:
        return False
    streets = [replace(each, first=mine.first) for each, mine in zip(table.streets, own.streets, strict=True)]
    return same_table(own, replace(table, seats=2, streets=tuple(streets)))


def observes_cards_of(policy: Policy, table: PokerRules | MatrixGame) -> bool:
    """Return whether a policy is a batch policy that sees cards and can sit at a table that is not of its own game."""
    own = policy.game.rules
    return (
        isinstance(policy, TabulatedPolicy)
        and own != table
        and sees_cards(policy.batch_policy)
        and may_sit(own, table, with_cards=True)
    )


class BatchPlayer:
    """Plays a batch policy as it is, or its most likely move (of equals, the first in the order of the game's actions).

    It sits at any table of the rules whose raises it has learned, whatever the table's bet menu and stacks (`may_sit`). A batch
    policy that ignores observations needs no rules: it sits at any table and chooses among the table's action slots. What the
    opponent did in earlier hands is in the view (`View.habits`); at tables for more than two it is unknown.
    """

    def __init__(
        self,
        batch_policy: BatchPolicy,
        rules: PokerRules | None = None,
        *,
        greedy: bool = False,
        random: Random | None = None,
        abstraction: Abstraction | None = None,
    ) -> None:
        """`rules`: of the game that the batch policy plays (`agents.serialization.verify_game`).

        `abstraction`: gives observations with cards their BUCKET; 0 without one. NODE is always 0.
        """
        self.batch_policy, self.greedy, self.abstraction = batch_policy, greedy, abstraction
        self.random = random or Random()
        self.with_cards = sees_cards(batch_policy)
        self.observes = not ignores_observations(batch_policy)
        if not self.observes:
            return
        if rules is None:
            raise UsageError(f"{type(batch_policy).__name__} needs the rules of its game to observe a hand")
        self.rules = rules
        self._table, self._menu = rules, rules  # the rules of the last view, and these with the batch policy's bet menu
        equity_table(rules.deck)  # read now, so that no move waits for it
        prepare(batch_policy)

    def act(self, view: View) -> str:
        if not self.observes:
            if isinstance(self.batch_policy, Rule):
                self.batch_policy.verify_game(view.rules)
            return self._choose(view.slots, np.zeros(0, np.float32))
        state, before = self._replay(view)
        return _legal(view, self._choose(state.slots, self._encode(view, state, before)))

    def moves(self, view: View) -> dict[str, float]:
        """Return the probability of each move that `act` chooses from; of a batch policy that observes the hand."""
        state, before = self._replay(view)
        found: dict[str, float] = {}
        probabilities = self._probabilities(state.slots, self._encode(view, state, before))
        for slot, letter in enumerate(state.slots):
            if letter is not None:
                move = _legal(view, letter)
                share = slot == int(np.argmax(probabilities)) if self.greedy else probabilities[slot]
                found[move] = found.get(move, 0.0) + float(share)
        return found

    def _probabilities(self, letters: Sequence[str | None], observation: Array) -> Array:
        legal = np.array([[letter is not None for letter in letters]])
        found: Array = self.batch_policy.probabilities(observation[None], legal)[0]
        return found

    def _choose(self, letters: Sequence[str | None], observation: Array) -> str:
        probabilities = self._probabilities(letters, observation)
        letter = letters[int(np.argmax(probabilities)) if self.greedy else draw_slot(probabilities, self.random)]
        assert letter is not None
        return letter

    def observation(self, view: View) -> Array:
        """Return [OBSERVATION or CARD_OBSERVATION] float32: the observation of the seat to move."""
        return self._encode(view, *self._replay(view))

    def _replay(self, view: View) -> tuple[Betting, _Before | None]:
        """Replay the betting with the batch policy's bet menu; also street, pot and chips to call at the seat's last move.

        Stacks are capped at the second largest one, as in freezeouts: nobody can lose more.
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
        """Return the rules of the table with the batch policy's bet menu."""
        if view.rules is not self._table:
            if not isinstance(view.rules, PokerRules) or not may_sit(self.rules, view.rules, with_cards=self.with_cards):
                seats = f" for {view.rules.seats}" if view.rules.seats != self.rules.seats else ""
                raise UsageError(f"this batch policy plays {self.rules.name}, not {view.rules.name}{seats}")
            self._table, self._menu = view.rules, replace(view.rules, menu=self.rules.menu)
        return self._menu

    def _encode(self, view: View, state: Betting, before: _Before | None) -> Array:
        """Encode the observation of the seat to act. NODE is 0: the betting may be off the tree."""
        assert self.rules.stack is not None
        seat, places = view.seat, range(state.rules.seats)
        others = [place for place in places if state.alive[place] and place != seat]
        left = [view.paid[place] + view.stacks[place] - state.paid[place] for place in places]
        last, size = _last_move(state, others)
        before_street, before_pot, before_call = before or (NEVER, 0, 0)
        public = public_state(
            street=state.street,
            pot=state.pot,
            to_call=state.to_call,
            stack=left[seat],
            other_stack=sum(left[place] for place in others) / len(others),
            last=last,
            last_size=size,
            node=0,
            seat=seat != _last_to_act(state),
            before_street=before_street,
            before_pot=before_pot,
            before_call=before_call,
        )
        cards = [card for each in (view.hole, *view.boards) for card in sorted(each)]
        bucket = self.abstraction.bucket(view.hole, view.boards) if self.with_cards and self.abstraction is not None else 0
        equity, cards = self._equity(view, len(others)), cards + [-1] * (CARDS - len(cards))
        private = PrivateStates(np.array([equity]), np.array([bucket]), np.array([cards]))
        found = encode(public, private, self.rules.stack, with_cards=self.with_cards, habits=view.habits)
        observation: Array = found[0, 0]
        return observation

    def _equity(self, view: View, opponents: int) -> float:
        """Equity: exact against one opponent, from rollouts against more (seeded by the hand, so that it is reproducible)."""
        board = tuple(card for cards in view.boards for card in cards)
        if opponents == 1:
            return equity_table(self.rules.deck).of(view.hole, board)
        spot = sha256(f"{view.hole} {board} {view.text}".encode()).digest()
        generator = seeded(int.from_bytes(spot[:8], "big"))[0]
        return simulated(self.rules.deck, view.hole, board, generator, ROLLOUTS, opponents)


def batch_player_of(policy: Policy, *, greedy: bool = False, random: Random | None = None) -> BatchPlayer | None:
    """Return the player of a tabulated batch policy; None for any other policy."""
    if not isinstance(policy, TabulatedPolicy):
        return None
    return BatchPlayer(policy.batch_policy, policy.rules, greedy=greedy, random=random, abstraction=policy.game.abstraction)


def _legal(view: View, letter: str) -> str:
    """Return a move whose raise is within what the table allows: the others may have less than a full raise left."""
    if letter[0] != "r":
        return letter
    assert view.raises is not None
    low, high = view.raises
    return f"r{min(max(int(letter[1:]), low), high)}"


def _last_to_act(state: Betting) -> int:
    """Return the seat of those still in that acts last after the first street: of two, the small blind's."""
    first, seats = state.rules.streets[-1].first, state.rules.seats
    return next(place for step in range(seats) if state.alive[place := (first - 1 - step) % seats])


def _last_move(state: Betting, seats: list[int]) -> tuple[int, int]:
    """Return (the last move of any of these seats, the chips that it put in with it)."""
    made: Move | None = next((move for move in reversed(state.moves) if move.player in seats), None)
    if made is None or isinstance(made, Fold):
        return NOTHING, 0
    if isinstance(made, Raise):
        return RAISED, made.amount
    assert isinstance(made, Call)
    return (CALLED if made.amount else CHECKED), made.amount

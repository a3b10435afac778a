"""The hands that a player of two-player hold'em may hold, followed exactly through its strategy.

Every move multiplies the weight of each hand by the probability that the strategy makes the move with it.
"""

from __future__ import annotations

import numpy as np

from smoothcall.agents.fixed import Fixed, Rule, by_letter
from smoothcall.games.betting import Betting
from smoothcall.games.cards import Cards
from smoothcall.information.game import Game
from smoothcall.information.translation import node_like
from smoothcall.kernels.evaluation.hand_equities import free_hands, hand_equities
from smoothcall.kernels.tables import Array


class FollowedRange:
    """The range of one player. Hands are numbered as in the tables of hold'em; `hole` are cards that it cannot hold."""

    def __init__(self, game: Game, player: Fixed, hole: Cards = ()) -> None:
        assert game.abstraction is not None
        self.game, self.player, self.cards = game, player, game.abstraction.cards
        self.hole = np.array(hole, np.int64)
        self.reach = np.ones(len(self.cards.preflop))  # [hands] probability of the player's moves with each hand
        self.see(0, ())

    def see(self, street: int, board: Cards) -> None:
        """Deal the board of a street, all of its cards: update buckets, and drop the hands that share a card with it."""
        self.street, self._equity = street, None
        self.board = np.array(board, np.int64)
        assert self.game.abstraction is not None
        self.bucket, possible = self.game.abstraction.hand_buckets(street, board), np.zeros(len(self.reach), np.bool_)
        free_hands(len(self.cards.evaluator.card_key), self.hole, self.board, possible)
        self.reach = self.reach * possible  # a new vector: copies of a range share theirs
        if not self.reach.any():  # the strategy never gets here: use all possible hands
            self.reach = possible.astype(np.float64)

    _equity: Array | None

    @property
    def equity(self) -> Array:
        """The equity of `hole` against each hand [hands], over all boards to come. Takes seconds before the flop."""
        if self._equity is None:
            card = np.array([*self.hole, *self.hole, *self.board], np.uint8)  # the kernel computes two seats
            score, found = np.zeros((2, len(self.reach)), np.int32), np.zeros((2, len(self.reach)))
            hand_equities(self.cards.evaluator, card, len(self.board), score, found)
            self._equity = found[0]
        return self._equity

    def probabilities(self, state: Betting) -> dict[str, Array]:
        """Return the probability of each move [hands]."""
        if isinstance(self.player, Rule):
            letters = state.slots
            legal = np.array([[letter is not None for letter in letters]])
            return by_letter(letters, np.broadcast_to(self.player.among(legal), (len(self.reach), len(letters))))
        node = node_like(self.game, state.text)
        if node is None:
            return {"c": np.ones(len(self.reach))}
        return self.player.moves(state.text, self.game.tree.first_row[node] + self.bucket)

    def follow(self, state: Betting, letter: str) -> bool:
        """Multiply the range by the probability of a move. Return False, and change nothing, if the strategy never makes it."""
        probability = self.probabilities(state).get(letter)
        if probability is None or not (self.reach * probability).any():
            return False
        self.reach = self.reach * probability
        return True

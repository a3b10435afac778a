"""A local best response to whoever has a strategy for every hand at public histories: a table, a player that searches.

`local_best_response` plays thousands of deals a second, against tables only. `LocalResponder` plays one deal at a time against
anybody whose range can be followed, with the same choices (`kernels.evaluation.local_best_response.best_action`). The
opponent's strategy at the nodes that the responder looks at is given to the kernel as a table in which every hand is a bucket
of its own.
"""

from __future__ import annotations

from copy import copy
from functools import cached_property
from math import comb
from random import Random

import numpy as np

from smoothcall.agents.batch_player import draw_slot
from smoothcall.agents.fixed import Fixed
from smoothcall.errors import UsageError
from smoothcall.evaluation.followed_range import FollowedRange
from smoothcall.evaluation.local_best_response import against, preflop_scores, read_start
from smoothcall.evaluation.searched_range import range_of
from smoothcall.games.betting import Betting
from smoothcall.games.cards import Cards
from smoothcall.games.rules import PokerRules
from smoothcall.information.game import Game
from smoothcall.kernels.evaluation.local_best_response import BOARD, LOSE, RIVER, WIN, best_action
from smoothcall.kernels.tables import CALL, FOLD_SLOT, SHOWDOWN, Array, read_only
from smoothcall.search.player import SearchPlayer


class LocalResponder:
    """Plays two-player hold'em against a player of the game's betting tree, with the bets of that tree.

    The opponent holds no single hand: it acts with the mean probabilities of all hands that fit the deal, and a showdown pays
    the mean over them. Before `averaged` its moves are sampled; from that street on the mean over all of its moves is taken,
    which changes no expectation. Before `start_street` the responder checks and calls.
    """

    def __init__(self, game: Game, player: Fixed | SearchPlayer, *, start_street: int = 0, averaged: int = RIVER) -> None:
        if game.abstraction is None:
            raise UsageError(f"ranges are followed in hold'em, not in {game.spec}")
        assert isinstance(game.rules, PokerRules)
        self.game, self.rules, self.player, self.averaged = game, game.rules, player, averaged
        self.hands = len(game.abstraction.cards.preflop)
        self._folds = np.zeros((len(game.actions) * self.hands, 1))  # [A * H, 1] the opponent's probability of folding
        self._first_row = game.walk.first_row.copy()  # of these rows, at the nodes after the responder's actions
        self._walk = game.walk._replace(first_row=read_only(self._first_row))
        self._against = against(game, self._folds, 1.0, read_start(game, start_street))
        self._bucket = np.arange(self.hands, dtype=np.int32)

    @cached_property
    def _preflop(self) -> Array:
        """[H, H] float64: the row's equity against the column before the flop."""
        deck = self.rules.deck
        found: Array = 0.5 + 0.5 * preflop_scores(deck) / comb(deck.size - 4, 5)
        return found

    def play(self, hole: Cards, board: Cards, seat: int, random: Random) -> float:
        """Return the winnings in chips, in a seat with these cards and all five cards of the board."""
        known = range_of(self.game, self.player, hole)
        fits = np.asarray(~np.isin(self._cards, [*hole, *board]).any(axis=1))
        return _Deal(self, hole, board, seat, fits, random).value(known, Betting(self.rules), 0)

    @cached_property
    def _cards(self) -> Array:
        """[H, 2] the cards of each hand."""
        high, low = np.tril_indices(self.rules.deck.size, -1)
        return np.column_stack([high, low])

    def choose(self, known: FollowedRange, state: Betting, node: int, seat: int, equity: Array) -> int:
        """Return the responder's action slot at a node where it acts."""
        child = self.game.tree.child
        for slot, letter in enumerate(state.slots):
            after = int(child[node, slot])
            if letter is None or self.game.tree.player[after] != 1 - seat or child[after, FOLD_SLOT] < 0:
                continue
            answered = state.copy()
            answered.play(letter)
            self._first_row[after] = slot * self.hands
            self._folds[slot * self.hands : (slot + 1) * self.hands, 0] = known.probabilities(answered).get("f", 0.0)
        possible = known.reach > 0
        return best_action(self._walk, self._against, seat, node, possible, self._bucket, equity, known.reach)

    def equity(self, known: FollowedRange) -> Array:
        """Return [H] the equity of the responder's cards against each hand."""
        if known.street > 0:
            return known.equity
        return np.asarray(self._preflop[known.cards.hand[known.hole[0], known.hole[1]]])

    def paid(self, node: int, seat: int, share: float) -> float:
        """Return the responder's winnings at an ending, where its share of the pot would be so large at a showdown."""
        stake = self._against.stake[self.game.walk.ending[node], seat]
        return float(stake[LOSE] + (stake[WIN] - stake[LOSE]) * share)

    @property
    def start(self) -> int:
        return int(self._against.start)


class _Deal:
    """The cards of a deal and the responder's seat. fits[H] bool: hands without a card of them."""

    def __init__(self, responder: LocalResponder, hole: Cards, board: Cards, seat: int, fits: Array, random: Random) -> None:
        self.responder, self.hole, self.board, self.seat, self.fits, self.random = responder, hole, board, seat, fits, random

    def value(self, known: FollowedRange, state: Betting, node: int) -> float:
        """Return the winnings from a node on; `known` and `state` are those of the node, and are changed."""
        responder, tree = self.responder, self.responder.game.tree
        while tree.player[node] >= 0:
            self._deal(known, int(tree.round[node]))
            if tree.player[node] == self.seat:
                slot = CALL
                if known.street >= responder.start:
                    slot = responder.choose(known, state, node, self.seat, responder.equity(known))
            else:
                probabilities = self._mean_probabilities(known, state)
                if known.street >= responder.averaged:
                    return self._mean(known, state, node, probabilities)
                slot = draw_slot(probabilities, self.random)
            node = self._play(known, state, node, slot)
        if tree.kind[node] != SHOWDOWN:
            return responder.paid(node, self.seat, 1.0)  # after a fold both stakes are equal
        self._deal(known, RIVER)
        return responder.paid(node, self.seat, float(known.reach @ known.equity / known.reach.sum()))

    def _mean(self, known: FollowedRange, state: Betting, node: int, probabilities: Array) -> float:
        """Return the mean of the values of the opponent's moves."""
        total = 0.0
        for slot, probability in enumerate(probabilities.tolist()):
            if probability > 0:
                there, after = copy(known), state.copy()
                total += probability * self.value(there, after, self._play(there, after, node, slot))
        return total / float(probabilities.sum())

    def _mean_probabilities(self, known: FollowedRange, state: Betting) -> Array:
        """Return [A] how likely the opponent's moves are, over all hands that fit the deal; not scaled."""
        found, reach = known.probabilities(state), known.reach * self.fits
        return np.array([reach @ found[letter] if letter in found else 0.0 for letter in state.slots])

    def _play(self, known: FollowedRange, state: Betting, node: int, slot: int) -> int:
        """Make a move and return the node after it."""
        letter = state.slots[slot]
        assert letter is not None
        if state.player != self.seat:
            known.follow(state, letter)
        state.play(letter)
        return int(self.responder.game.tree.child[node, slot])

    def _deal(self, known: FollowedRange, street: int) -> None:
        """Deal the boards up to a street."""
        while known.street < street:
            known.see(known.street + 1, self.board[: BOARD[known.street + 1]])

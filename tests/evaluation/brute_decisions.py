"""EVs of decisions computed hand by hand with the rules alone: an oracle for `evaluation.decision_values`."""

from __future__ import annotations

from functools import cache
from itertools import combinations

import numpy as np

import smoothcall as sc
from smoothcall.games.betting import Betting
from smoothcall.games.cards import Cards
from smoothcall.games.hand import settled
from smoothcall.games.rules import PokerRules
from smoothcall.information.translation import moves_like, node_like


class BruteForce:
    """EVs of one hand of cards against a policy. Buckets are looked up one hand at a time, strengths by the game's ranking."""

    def __init__(self, policy: sc.Policy, seat: int, hole: Cards) -> None:
        self.policy, self.game, self.seat, self.hole = policy, policy.game, seat, hole
        assert isinstance(self.game.rules, PokerRules)
        self.rules = self.game.rules
        deck = range(self.rules.deck.size)
        self.hands = [(low, high) for low, high in combinations(deck, 2) if not {low, high} & set(hole)]
        self.buckets, self.strengths = cache(self._buckets), cache(self._strengths)

    def _buckets(self, boards: tuple[Cards, ...]) -> np.ndarray:
        board = {card for cards in boards for card in cards}
        bucket = self.game.abstraction.bucket  # type: ignore[union-attr]
        return np.array([0 if board & set(hand) else bucket(hand, boards) for hand in self.hands])

    def _strengths(self, board: Cards) -> tuple[int, np.ndarray]:
        strength, deck = self.rules.order.strength, self.rules.deck
        return strength(deck, self.hole, board), np.array(
            [0 if set(board) & set(hand) else strength(deck, hand, board) for hand in self.hands]
        )

    def free(self, cards: Cards) -> np.ndarray:
        return np.array([not set(cards) & set(hand) for hand in self.hands])

    def probabilities(self, state: Betting, boards: tuple[Cards, ...]) -> dict[str, np.ndarray]:
        node = node_like(self.game, state.text)
        if node is None:
            return {"c": np.ones(len(self.hands))}
        table = self.policy.table[self.game.tree.first_row[node] + self.buckets(boards)]
        found: dict[str, np.ndarray] = {}
        for slot, letter in enumerate(moves_like(self.game, state.text)):
            if letter is not None:
                found[letter] = found.get(letter, 0) + table[:, slot]
        return found

    def value(self, state: Betting, boards: tuple[Cards, ...], reach: np.ndarray) -> float:
        """Return the person's chips, summed over the opponent's hands weighted by their reach."""
        board = tuple(card for cards in boards for card in cards)
        if state.finished and state.alive_count == 1:
            return float(settled(state, [(), ()], ()).payoffs[self.seat]) * float(reach.sum())
        dealt = len(boards) - 1
        if dealt < (len(self.rules.streets) - 1 if state.finished else state.street):
            left = [card for card in range(self.rules.deck.size) if card not in board + self.hole]
            each = [self.value(state, (*boards, (card,)), reach * self.free((card,))) for card in left]
            return sum(each) / (len(left) - 2)  # the opponent's two cards do not come
        if state.finished:
            mine, theirs = self.strengths(board)
            chips = min(state.paid)
            return chips * float(reach @ (np.sign(mine - theirs)))
        if state.player == self.seat:
            return max(self.after(state, letter, boards, reach) for letter in state.slots if letter)
        total = 0.0
        for letter, probability in self.probabilities(state, boards).items():
            total += self.after(state, letter, boards, reach * probability)
        return total

    def after(self, state: Betting, letter: str, boards: tuple[Cards, ...], reach: np.ndarray) -> float:
        if not reach.any():
            return 0.0
        later = state.copy()
        later.play(letter)
        return self.value(later, boards, reach)

    def reach(self, betting: list[str], boards: tuple[Cards, ...]) -> tuple[Betting, np.ndarray]:
        """Return the state after some moves, and the opponent's range."""
        state, reach = Betting(self.rules), np.ones(len(self.hands))
        for letter in betting:
            known = boards[: state.street + 1]
            reach *= self.free(tuple(card for cards in known for card in cards))
            if state.player != self.seat:
                reach *= self.probabilities(state, known)[letter]
            state.play(letter)
        return state, reach * self.free(tuple(card for cards in boards[: state.street + 1] for card in cards))

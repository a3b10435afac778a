"""Best responses on public trees in plain NumPy, hand against hand, without sums over cards."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from smoothcall.games.betting import Betting
from smoothcall.games.cards import Cards, Deck
from smoothcall.games.notation import split_moves
from smoothcall.games.pots import split_pots
from smoothcall.kernels.search.sweep import DECISION, FOLDED
from smoothcall.kernels.tables import Array
from smoothcall.search.boards import Range
from smoothcall.search.solution import Solution


def everything(deck: Deck, hole: int, board: Cards = ()) -> Range:
    """Return the range of all hands that a board leaves."""
    left = [card for card in range(deck.size) if card not in board]
    hands = np.array(list(combinations(left, hole)), np.uint8)
    return Range(hands, np.ones(len(hands)))


def listed(state: Betting) -> list[str]:
    """Return the moves of the game's own rules."""
    return [letter for letter in state.slots if letter is not None]


class River:
    """The values of a solved river by matrices over pairs of hands: payoff[hands of one, hands of the other]."""

    def __init__(self, solution: Solution) -> None:
        self.solution, self.street = solution, solution.solver.streets[0]
        spot, rules = solution.spot, solution.spot.rules
        hands = [[tuple(hand) for hand in each.hands.tolist()] for each in spot.hands]
        strength = [np.array([rules.order.strength(rules.deck, hand, spot.cards) for hand in each]) for each in hands]
        self.ahead = np.sign(np.subtract.outer(strength[0], strength[1]))
        apart = [[not set(one) & set(other) for other in hands[1]] for one in hands[0]]
        self.pairs = np.outer(spot.hands[0].weight, spot.hands[1].weight) * np.array(apart)

    def _payoff(self, node: int, player: int) -> Array:
        """Return [hands of 0, hands of 1] what a player gets at an ending."""
        spot, state = self.solution.spot, self.solution.spot.start()
        for letter in split_moves(self.street.text[node]):
            state.play(letter)
        orders = ([0, 0],) * 3 if self.street.kind[node] == FOLDED else ([1, 0], [0, 0], [0, 1])
        win, tie, lose = (spot.settle(split_pots(state.paid, state.alive, order), state)[player] for order in orders)
        return np.where(self.ahead > 0, win, np.where(self.ahead < 0, lose, tie))

    def strategy(self, node: int) -> Array:
        """Return [hands, moves] in the order of the range."""
        player = self.street.player[node]
        places = self.solution.solver.levels[0].boards[0].hands[player]
        found = np.zeros((len(places), len(self.street.moves[node])))
        found[places] = self.solution._strategy(0, 0, node)
        return found

    def best(self, player: int) -> float:
        """Return the value of a best response, in chips of pay-off."""
        mass = self.pairs if player == 0 else self.pairs.T
        return float(self._values(0, player, mass).sum() / self.pairs.sum())

    def _values(self, node: int, player: int, mass: Array) -> Array:
        """Return [hands] values of the player's hands; mass[own, other]: weights times the other's probability to come here."""
        if self.street.kind[node] != DECISION:
            payoff = self._payoff(node, player)
            return np.asarray((mass * (payoff if player == 0 else payoff.T)).sum(axis=1))
        below = self.street.children[node]
        if self.street.player[node] == player:
            return np.asarray(np.max([self._values(child, player, mass) for child in below], axis=0))
        mixed = self.strategy(node)
        return np.asarray(sum(self._values(child, player, mass * mixed[:, number]) for number, child in enumerate(below)))

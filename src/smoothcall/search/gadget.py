"""Safe re-solving of the rest of a hand: the gadget of CFR-D (Burch, Johanson and Bowling, 2014).

The player who searches comes to a public state with a known range. Its opponent has a counterfactual value there with each
hand if the player goes on with the strategy that it had: the *alternative*. In the gadget the opponent chooses with each hand
between the alternative and *entering* the solved game. The strategy that the player had leaves no hand with more than its
alternative, so an equilibrium of the gadget does not either: no opponent gains by the re-solving, whatever its range is.

The gadget alone is content with any such strategy. So a share of the time the opponent is *forced* to enter, with the range
that it is thought to have: among strategies that cost nothing against any range, one that does well against this range is
found. Where these goals conflict, because an alternative is lower than what can be held, the share weighs them. With a share
of 1 the solving is *unsafe*: the opponent's range is taken as given.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from smoothcall.games.betting import Betting
from smoothcall.games.cards import Cards
from smoothcall.games.rules import PokerRules
from smoothcall.kernels.search import sweep as kernels
from smoothcall.kernels.tables import Array
from smoothcall.search.boards import PLAYERS, Range
from smoothcall.search.public_tree import Moves
from smoothcall.search.range_solver import RangeSolver
from smoothcall.search.range_sweep import NO_WEIGHTS

WARM_ITERATIONS = 3  # that a strategy to start from counts for
WARM_REGRET = 0.3  # of it, in pots: that of an action taken with every chance


def undelayed(iteration: int) -> kernels.Weights:
    """Return the weights of discounted CFR (alpha 1.5, beta 0, gamma 3), whose average never restarts: for few iterations."""
    power = iteration**1.5
    return kernels.Weights(power / (power + 1), 0.5, (iteration / (iteration + 1)) ** 3)


class GadgetSolver(RangeSolver):
    """A range solver with the gadget at its root. Suits are not merged: choices at the root may differ by rounding."""

    def __init__(
        self, rules: PokerRules, start: Betting, board: Cards, ranges: Sequence[Range], moves: Moves, **how: Any
    ) -> None:
        super().__init__(rules, start, board, ranges, moves, **{"weights": undelayed, **how, "isomorphic": False})
        self._opponent: int | None = None
        self._pot = start.pot

    def start_from_average(self) -> None:
        """Take the strategies in the averages as a start: as if they had come out of a few iterations.

        Regrets are set in proportion to probabilities. From a good strategy, few iterations find a better one.
        """
        for player, regret in enumerate(self.regret):
            scale = WARM_REGRET * self._pot * self.ranges[1 - player].weight.sum()
            np.multiply(self.average[player], self.dtype.type(scale), out=regret)
        self.iterations = WARM_ITERATIONS

    def protect(self, opponent: int, alternative: Array, *, forced: float = 0.0, spread: float = 0.1) -> None:
        """Let a player choose at the root with each hand between alternative[hands] and entering.

        Alternatives are counterfactual values as `root_values` returns them: summed over the other player's range. `forced`:
        how often it enters whatever it chooses. `spread`: is added to the weight of each hand that may choose, as a share of
        the mean weight, so that hands count which the opponent is not thought to have: without it they could gain.
        """
        self._opponent, self._alternative, self._forced = opponent, np.asarray(alternative, np.float64), forced
        self._prior = self.ranges[opponent]
        self._chosen = self._prior.weight + spread * (self._prior.weight.mean() or 1.0)
        self._regret = np.zeros((2, len(self._prior.hands)))  # of the alternative, of entering
        self._enter = np.ones(len(self._prior.hands))

    def root_values(self, player: int, *, best: bool = False) -> Array:
        """Return [hands] counterfactual values of a player at the root: both follow their averages, or it responds best."""
        return self._sweep(player, kernels.BEST if best else kernels.MEAN, self.average, NO_WEIGHTS).astype(np.float64)

    def run(self, iterations: int) -> None:
        """Update both players in turn, so many times; the opponent's choice at the root with its other strategies."""
        if self._opponent is None:
            super().run(iterations)
            return
        held = list(self.ranges)
        for _ in range(iterations):
            weights = self.weights(self.iterations)
            entering = self._forced * self._prior.weight + (1 - self._forced) * self._enter * self._chosen
            held[self._opponent] = Range(self._prior.hands, entering)
            self.ranges = tuple(held)
            for player in range(PLAYERS):
                values = self._sweep(player, kernels.LEARN, self.regret, weights)
                if player == self._opponent:
                    self._choose(values.astype(np.float64), weights)
            self.iterations += 1
        held[self._opponent] = self._prior
        self.ranges = tuple(held)

    def _choose(self, values: Array, weights: kernels.Weights) -> None:
        """Update the regrets of the choice at the root by the values of entering, and the choice by regret matching."""
        gain = values - self._alternative
        self._regret *= np.where(self._regret > 0, weights.positive, weights.negative)
        self._regret += np.stack([-self._enter * gain, (1 - self._enter) * gain])
        positive = np.maximum(self._regret, 0)
        total = positive.sum(axis=0)
        self._enter = np.where(total > 0, positive[1] / np.where(total > 0, total, 1), 1.0)

"""Monte-Carlo control (epfl2020, section 4.1): a table of action values over a discretised state.

The value of a move is the mean of its discounted returns. The discount makes the final reward small at the first moves of a
hand, so the learner's next move in the hand adds a shaping reward: a fraction of the pot at that point, by its equity
(`shaping`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from smoothcall.agents.batch_wrappers import MOVES, moves_of
from smoothcall.agents.q_networks import ROWS, Discrete, rows_of
from smoothcall.kernels.simulation.observations import EQUITY, POT
from smoothcall.kernels.tables import Array
from smoothcall.learners.freezeout_learner import FreezeoutLearner
from smoothcall.options import Option
from smoothcall.simulation.batch_policy import BatchPolicy


class MonteCarloControl(FreezeoutLearner):
    """On-policy, every visit, epsilon-greedy."""

    OPTIONS: ClassVar[dict[str, Option]] = {
        **FreezeoutLearner.OPTIONS,
        "discount": Option(0.95, "discount of the reward for each later move", low=0, high=1),
        "shaping": Option(0.1, "fraction of (2 equity - 1) x pot that is a reward at the next move", low=0, high=1),
        "least": Option(0.001, "smallest step size of a new return", low=0, high=1),
    }

    def _begin(self) -> None:
        self._values, self._visits = np.zeros((ROWS, MOVES), np.float32), np.zeros((ROWS, MOVES), np.float32)

    def _learned(self) -> dict[str, Array]:
        return {"values": self._values, "visits": self._visits}

    def _policy_of(self, learned: Mapping[str, Array]) -> BatchPolicy:
        return Discrete(self.table, learned["values"])

    def _learn(self, fresh: int) -> int:
        """Learn from every fresh move once."""
        if fresh == 0:
            return 0
        ring, place = self._ring, self._places(fresh, fresh)
        observations, after = ring.observations[0, place], ring.next_observations[0, place]
        moves_left = ring.moves_left[0, place].astype(np.float32)
        discount = self.options["discount"]
        shaping = (2 * after[:, EQUITY] - 1) * after[:, POT] * self.options["shaping"]
        earned = ring.won[0, place] / self.env.start * discount**moves_left + np.where(moves_left > 0, discount * shaping, 0)
        cell = rows_of(self.table, observations) * MOVES + moves_of(self.table, observations, ring.action[0, place])
        cells, where = np.unique(cell, return_inverse=True)
        count, total = np.bincount(where), np.bincount(where, earned)
        visits, values = self._visits.reshape(-1), self._values.reshape(-1)
        visits[cells] += count
        step = np.maximum(count / visits[cells], 1 - (1 - self.options["least"]) ** count)
        values[cells] += step * (total / count - values[cells])
        return fresh

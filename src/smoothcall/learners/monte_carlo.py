"""Monte-Carlo control (epfl2020, section 4.1): a table of what moves have brought, in observations told apart coarsely.

A move in a observation is worth the mean of what came of it. The discount makes the final reward faint at the first moves of a
hand, so one that comes sooner is added: at the learner's next move in the hand, a share of what its equity promises of the
pot then (`shaping`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from smoothcall.agents.batch_policy import MOVES, moves_of
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
        "discount": Option(0.95, "of the reward for each move that follows", low=0, high=1),
        "shaping": Option(0.1, "how much of what the equity promises of the pot is a reward at the next move", low=0, high=1),
        "least": Option(0.001, "how much a new return counts at least", low=0, high=1),
    }

    def _begin(self) -> None:
        self._values, self._visits = np.zeros((ROWS, MOVES), np.float32), np.zeros((ROWS, MOVES), np.float32)

    def _learned(self) -> dict[str, Array]:
        return {"values": self._values, "visits": self._visits}

    def _policy_of(self, learned: Mapping[str, Array]) -> BatchPolicy:
        return Discrete(self.table, learned["values"])

    def _learn(self, fresh: int) -> int:
        """Every move that is new, once."""
        if fresh == 0:
            return 0
        ring, place = self._ring, self._places(fresh, fresh)
        seen, after, left = ring.seen[0, place], ring.after[0, place], ring.left[0, place].astype(np.float32)
        discount = self.options["discount"]
        promised = (2 * after[:, EQUITY] - 1) * after[:, POT] * self.options["shaping"]
        earned = ring.won[0, place] / self.env.start * discount**left + np.where(left > 0, discount * promised, 0)
        cell = rows_of(self.table, seen) * MOVES + moves_of(self.table, seen, ring.action[0, place])
        cells, where = np.unique(cell, return_inverse=True)
        count, total = np.bincount(where), np.bincount(where, earned)
        visits, values = self._visits.reshape(-1), self._values.reshape(-1)
        visits[cells] += count
        step = np.maximum(count / visits[cells], 1 - (1 - self.options["least"]) ** count)
        values[cells] += step * (total / count - values[cells])
        return fresh

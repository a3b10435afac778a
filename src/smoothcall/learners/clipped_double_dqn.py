"""Clipped double deep Q-learning (epfl2020, section 4.3): two networks, whose target is the smaller of their two values.

Layers of 10, 16, 16, 16 and 6, Adam, mean squared error. The inputs have two metrics of the opponent over the earlier hands
of the freezeout: how often it raised before the flop, and its aggression factor, (bets + raises) / calls, up to 10.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from smoothcall.agents.batch_wrappers import MOVES, legal_moves, likely_legal, moves_of
from smoothcall.agents.layers import from_arrays
from smoothcall.agents.q_networks import Values, ten_inputs
from smoothcall.kernels.simulation.observations import OBSERVATION
from smoothcall.kernels.tables import Array
from smoothcall.learners import verify_packages
from smoothcall.learners.memory import draw_transitions
from smoothcall.learners.network_learner import HIDDEN, NetworkLearner
from smoothcall.options import Option
from smoothcall.simulation.batch_policy import BatchPolicy

if TYPE_CHECKING:
    from smoothcall.learners.double_q_updates import DoubleQUpdates

INPUTS = 10
NETWORKS = ("one", "other")
UPDATES = 8  # in one call


class ClippedDoubleDQN(NetworkLearner):
    OPTIONS: ClassVar[dict[str, Option]] = {
        **NetworkLearner.OPTIONS,
        "discount": Option(1.0, "discount of the next value", low=0, high=1),
        "rate": Option(0.001, "learning rate (Adam)", low=0, high=100),
        "batch": Option(256, "moves of an update", low=1, high=1_000_000),
        "every": Option(1024, "moves between updates", low=1, high=10**9),
    }

    _updates: DoubleQUpdates

    def _begin(self) -> None:
        verify_packages(self.name)
        from smoothcall.learners.double_q_updates import DoubleQUpdates

        chosen = {name: self.options[name] for name in ("rate", "discount")}
        self._updates = DoubleQUpdates((INPUTS, *HIDDEN, MOVES), NETWORKS, seed=self.seed, **chosen)

    def _policy_of(self, learned: Mapping[str, Array]) -> BatchPolicy:
        return Values(self.table, tuple(from_arrays(learned, name) for name in NETWORKS))

    def _learn(self, fresh: int) -> int:
        """Make UPDATES updates at a time, one for `every` fresh moves."""
        chosen, moves = self.options, UPDATES * self.options["every"]
        if self._ring.total[0] < chosen["batch"]:
            return 0
        used = 0
        while fresh - used >= moves:
            sampled = draw_transitions(self._ring, UPDATES, chosen["batch"], self._generators[3])
            shape = (UPDATES, chosen["batch"])
            tables = (sampled.observations, sampled.next_observations)
            here, after = (table.reshape(-1, OBSERVATION) for table in tables)
            last = sampled.moves_left == 0
            flat = (
                ten_inputs(here),
                moves_of(self.table, here, sampled.action.reshape(-1)).astype(np.int32),
                ten_inputs(after),
                legal_moves(self.table, after, likely_legal(self.table, after)),
                last.reshape(-1),
                np.where(last, sampled.won / self.env.start, 0).astype(np.float32).reshape(-1),
            )
            self._updates.update(*(part.reshape(*shape, *part.shape[1:]) for part in flat))
            used += moves
        return used

"""Clipped double deep Q-learning (epfl2020, section 4.3): two networks, each aiming at the smaller of their two opinions.

Layers of 10, 16, 16, 16 and 6, Adam, mean squared error. The state has two metrics of the opponent: how often it has raised
before the flop, and how often it raises rather than calls, both over the freezeout's earlier hands.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from smoothcall.agents.batch_policy import MOVES, legal_moves, likely_legal, moves_of
from smoothcall.agents.q_networks import Values, ten_inputs
from smoothcall.kernels.simulation.observations import OBSERVATION
from smoothcall.kernels.tables import Array
from smoothcall.learners import learning
from smoothcall.learners.memory import draw_transitions
from smoothcall.learners.network_learner import HIDDEN, NetworkLearner, layers_of
from smoothcall.options import Option
from smoothcall.simulation.batch_policy import BatchPolicy

INPUTS = 10
NETWORKS = ("one", "other")
UPDATES = 8  # in one call


class ClippedDoubleDQN(NetworkLearner):
    OPTIONS: ClassVar[dict[str, Option]] = {
        **NetworkLearner.OPTIONS,
        "discount": Option(1.0, "of what is ahead", low=0, high=1),
        "rate": Option(0.001, "learning rate (Adam)", low=0, high=100),
        "batch": Option(256, "moves of an update", low=1, high=1_000_000),
        "every": Option(1024, "moves between updates", low=1, high=10**9),
    }

    def _begin(self) -> None:
        made = learning("double_q_updates", self.name)
        chosen = {name: self.options[name] for name in ("rate", "discount")}
        self._learner = made.Twins((INPUTS, *HIDDEN, MOVES), NETWORKS, seed=self.seed, **chosen)

    def _policy_of(self, learned: Mapping[str, Array]) -> BatchPolicy:
        return Values(self.table, tuple(layers_of(learned, name) for name in NETWORKS))

    def _learn(self, fresh: int) -> int:
        """UPDATES updates at a time, for every so many moves."""
        chosen, moves = self.options, UPDATES * self.options["every"]
        if self._ring.total[0] < chosen["batch"]:
            return 0
        used = 0
        while fresh - used >= moves:
            sampled = draw_transitions(self._ring, UPDATES, chosen["batch"], self._generators[3])
            shape = (UPDATES, chosen["batch"])
            seen, after = (table.reshape(-1, OBSERVATION) for table in (sampled.seen, sampled.after))
            flat = (
                ten_inputs(seen),
                moves_of(self.table, seen, sampled.action.reshape(-1)).astype(np.int32),
                ten_inputs(after),
                legal_moves(self.table, after, likely_legal(self.table, after)),
                sampled.left.reshape(-1) == 0,
                np.where(sampled.left == 0, sampled.won / self.env.start, 0).astype(np.float32).reshape(-1),
            )
            self._learner.update(*(part.reshape(*shape, *part.shape[1:]) for part in flat))
            used += moves
        return used

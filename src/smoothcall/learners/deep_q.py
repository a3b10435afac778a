"""Deep Q-learning as epfl2020 has it (section 4.2): a policy network, and a value network as its baseline.

What a move is worth is estimated as R = alpha E1 + (1 - alpha) E2. E1 is what theory says when the move is made: p_call being
the chance that the other stays in (1 after a check, a call or a fold, else 1 / bets raised by) and p_win the equity (0 after
a fold), E1 = p_call (p_win P1 - (1 - p_win) P1) + (1 - p_call) P2, P1 and P2 being the pot with and without the bet. E2 is what
the hand brought, discounted by every move that followed. The value network learns to expect R; the policy network learns the
moves, each weighted by how much better it was than expected.

*Discrete*: the network says how likely each of six moves is; entropy is rewarded, so that it goes on trying. *Continuous*: it
says an amount (`agents.q_networks.Amount`). The paper weighs the squared distance from the amount bet by how much better that was,
which pushes without bound away from amounts that were worse. Here amounts are a logistic variable of the scale `blur` around
the network's answer while it learns, a move is as likely as all amounts that mean it together, and the pull is bounded.

Trials of any move (`explore`) are followed where they did better; where they did worse they hardly count, see
`policy_gradient.weighted`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from smoothcall.agents.batch_policy import MOVES, Table, legal_moves, likely_legal, moves_of, raised_by
from smoothcall.agents.q_networks import Amount, Softmax, amounts, six_inputs
from smoothcall.kernels.simulation.observations import EQUITY, POT, STACK, TO_CALL
from smoothcall.kernels.tables import FOLD_SLOT, Array
from smoothcall.learners import learning
from smoothcall.learners.network_learner import HIDDEN, NetworkLearner, layers_of
from smoothcall.options import Option
from smoothcall.simulation.batch_policy import BatchPolicy

INPUTS = 6
FAR, NEAR = 1000.0, 0.01  # bets


def promised(table: Table, seen: Array, action: Array) -> Array:
    """[n] E1 of action[n] slots."""
    bets, folds = raised_by(table, action), action == FOLD_SLOT
    paid = np.minimum(np.where(folds, 0, seen[:, TO_CALL] + bets * table.bet), seen[:, STACK])
    stays, wins = 1 / np.maximum(bets, 1), np.where(folds, 0, seen[:, EQUITY])
    without, pot = seen[:, POT], seen[:, POT] + paid
    found: Array = stays * (wins * pot - (1 - wins) * pot) + (1 - stays) * without
    return found


class DeepQ(NetworkLearner):
    """What both have in common."""

    OPTIONS: ClassVar[dict[str, Option]] = {
        **NetworkLearner.OPTIONS,
        "explore": replace(NetworkLearner.OPTIONS["explore"], default=0.2),
        "fade": replace(NetworkLearner.OPTIONS["fade"], default=1e7),
        "alpha": Option(0.02, "how much of the estimate is theory", low=0, high=1),
        "discount": Option(0.95, "of the reward for each move that follows", low=0, high=1),
        "rate": Option(0.003, "learning rate (Adam)", low=0, high=100),
        "batch": Option(1024, "moves of an update", low=1, high=1_000_000),
    }
    OUTPUTS: ClassVar[int]
    KIND: ClassVar[str]
    PRICE: ClassVar[str]

    def _begin(self) -> None:
        made = learning("policy_gradient", self.name)
        outputs = {"policy": self.OUTPUTS, "value": 1}
        self._learner = made.PolicyGradient(
            {name: (INPUTS, *HIDDEN, count) for name, count in outputs.items()},
            kind=self.KIND,
            rate=self.options["rate"],
            price=self.options[self.PRICE],
            seed=self.seed,
        )

    def _verify_memory(self, least: int) -> None:
        super()._verify_memory(least + self.options["batch"])

    def _learn(self, fresh: int) -> int:
        """From as many moves as an update takes, in the order they were made."""
        ring, batch, used = self._ring, self.options["batch"], 0
        while fresh - used >= batch:
            place = self._places(fresh - used, batch)
            self._learner.update(
                self._explored, *self._samples(*(table[0, place] for table in (ring.seen, ring.action, ring.left, ring.won)))
            )
            used += batch
        return used

    def _samples(self, seen: Array, action: Array, left: Array, won: Array) -> tuple[Any, ...]:
        """(inputs, R, and what the policy network learns from)"""
        practical = won / self.env.start * self.options["discount"] ** left.astype(np.float32)
        alpha = self.options["alpha"]
        worth = alpha * promised(self.table, seen, action) + (1 - alpha) * practical
        return six_inputs(seen).astype(np.float32), worth.astype(np.float32), *self._made(seen, action)

    @abstractmethod
    def _made(self, seen: Array, action: Array) -> tuple[Array, Array]:
        """What the policy network learns from."""


class DiscreteDeepQ(DeepQ):
    OPTIONS: ClassVar[dict[str, Option]] = {
        **DeepQ.OPTIONS,
        "entropy": Option(0.02, "what a nat of entropy is worth", low=0, high=100),
    }
    OUTPUTS, KIND, PRICE = MOVES, "likely", "entropy"

    def _policy_of(self, learned: Mapping[str, Array]) -> BatchPolicy:
        return Softmax(self.table, layers_of(learned, "policy"))

    def _made(self, seen: Array, action: Array) -> tuple[Array, Array]:
        """(legal moves, moves)"""
        legal = legal_moves(self.table, seen, likely_legal(self.table, seen))
        return legal, moves_of(self.table, seen, action).astype(np.int32)


class ContinuousDeepQ(DeepQ):
    OPTIONS: ClassVar[dict[str, Option]] = {
        **DeepQ.OPTIONS,
        "rate": replace(DeepQ.OPTIONS["rate"], default=0.005),
        "blur": Option(1.0, "scale of the amounts tried while learning, in bets", low=0.01, high=100),
    }
    OUTPUTS, KIND, PRICE = 1, "amount", "blur"

    def _policy_of(self, learned: Mapping[str, Array]) -> BatchPolicy:
        return Amount(self.table, layers_of(learned, "policy"))

    def _acting(self) -> BatchPolicy:
        return Amount(self.table, layers_of(self._learned(), "policy"), self.options["blur"])

    def _made(self, seen: Array, action: Array) -> tuple[Array, Array]:
        """(from above which amount, up to which), in bets; finite, and apart"""
        found = amounts(self.table, seen, likely_legal(self.table, seen))
        low, high = (np.take_along_axis(each, action[:, None].astype(np.int64), axis=1)[:, 0] for each in found)
        low, high = np.clip(low, -FAR, FAR), np.clip(high, -FAR, FAR)
        return low.astype(np.float32), np.maximum(high, low + NEAR).astype(np.float32)

"""Deep Q-learning as in epfl2020 (section 4.2): a policy network, and a value network as its baseline.

The return of a move is estimated as R = alpha E1 + (1 - alpha) E2. E1 is a theoretical value when the move is made: E1 =
p_call (p_win P1 - (1 - p_win) P1) + (1 - p_call) P2, where P1 and P2 are the pot with and without the bet, p_call is the
probability that the opponent calls (1 after a check, a call or a fold, else 1 / bets raised by), and p_win is the equity (0
after a fold). E2 are the chips won in the hand, discounted for every later move. The value network learns R; the policy
network learns moves, weighted by their advantage R - value.

*Discrete*: the policy network gives probabilities of the six moves, with an entropy bonus. *Continuous*: it gives an amount
(`agents.q_networks.Amount`), and learns by one of two losses. `loss=squared`, the paper's: the squared distance of the output
from the amount that was bet, weighted by the advantage. Weights may be negative, so that the output has no bound.
`loss=logistic`, ours: the amount is a logistic variable of scale `blur` around the output while it learns, and a move has the
probability of all amounts that mean it, so the gradient is bounded.

In the discrete form and with `loss=logistic`, exploratory moves (`explore`) with a positive advantage count in full; those with
a negative one count less, see `policy_gradient.weighted`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from smoothcall.agents.batch_wrappers import EDGE, MOVES, Table, legal_moves, likely_legal, moves_of, raised_by
from smoothcall.agents.layers import from_arrays
from smoothcall.agents.q_networks import Amount, Softmax, amounts, six_inputs
from smoothcall.kernels.simulation.observations import EQUITY, POT, STACK, TO_CALL
from smoothcall.kernels.tables import FOLD_SLOT, Array
from smoothcall.learners import verify_packages
from smoothcall.learners.network_learner import HIDDEN, NetworkLearner
from smoothcall.options import Option
from smoothcall.simulation.batch_policy import BatchPolicy

if TYPE_CHECKING:
    from smoothcall.learners.policy_gradient import PolicyGradientUpdates

INPUTS = 6
SQUARED, LOGISTIC = LOSSES = ("squared", "logistic")
FAR, NEAR = 1000.0, 0.01  # bets: bound of amounts, and least width of an interval of amounts


def theoretical_value(table: Table, observations: Array, action: Array) -> Array:
    """Return [n] E1 of slots action[n]."""
    bets, folds = raised_by(table, action), action == FOLD_SLOT
    paid = np.minimum(np.where(folds, 0, observations[:, TO_CALL] + bets * table.bet), observations[:, STACK])
    stays, wins = 1 / np.maximum(bets, 1), np.where(folds, 0, observations[:, EQUITY])
    without, pot = observations[:, POT], observations[:, POT] + paid
    found: Array = stays * (wins * pot - (1 - wins) * pot) + (1 - stays) * without
    return found


def amount_of(table: Table, observations: Array, action: Array) -> Array:
    """Return [n] the amount in bets that means slots action[n]: 0 for a check or fold, the amount to call, the bets raised by.

    A raise by less than twice the amount to call, which the betting rule would take for a call, counts as twice that amount.
    """
    owed, bets = observations[:, TO_CALL] / table.bet, np.minimum(raised_by(table, action), FAR)
    found: Array = np.where(action == FOLD_SLOT, 0, np.where(bets > 0, np.maximum(bets, 2 * owed + EDGE), owed))
    return found


class DeepQ(NetworkLearner):
    """Base class of both forms."""

    OPTIONS: ClassVar[dict[str, Option]] = {
        **NetworkLearner.OPTIONS,
        "explore": replace(NetworkLearner.OPTIONS["explore"], default=0.2),
        "fade": replace(NetworkLearner.OPTIONS["fade"], default=1e7),
        "alpha": Option(0.02, "weight of the theoretical value E1 in returns", low=0, high=1),
        "discount": Option(0.95, "discount of the reward for each later move", low=0, high=1),
        "rate": Option(0.003, "learning rate (Adam)", low=0, high=100),
        "batch": Option(1024, "moves of an update", low=1, high=1_000_000),
    }
    OUTPUTS: ClassVar[int]
    PRICE: ClassVar[str]

    _updates: PolicyGradientUpdates

    def _begin(self) -> None:
        verify_packages(self.name)
        from smoothcall.learners.policy_gradient import PolicyGradientUpdates

        outputs = {"policy": self.OUTPUTS, "value": 1}
        self._updates = PolicyGradientUpdates(
            {name: (INPUTS, *HIDDEN, count) for name, count in outputs.items()},
            kind=self._kind,
            rate=self.options["rate"],
            price=self.options[self.PRICE],
            seed=self.seed,
        )

    @property
    @abstractmethod
    def _kind(self) -> str:
        """The name of the policy network's loss in `policy_gradient.LOSSES`."""

    def _verify_memory(self, least: int) -> None:
        super()._verify_memory(least + self.options["batch"])

    def _learn(self, fresh: int) -> int:
        """Make one update for every `batch` fresh moves, in the order they were made."""
        ring, batch, used = self._ring, self.options["batch"], 0
        while fresh - used >= batch:
            place = self._places(fresh - used, batch)
            tables = (ring.observations, ring.action, ring.moves_left, ring.won)
            self._updates.update(self._exploration, *self._samples(*(table[0, place] for table in tables)))
            used += batch
        return used

    def _samples(self, observations: Array, action: Array, moves_left: Array, won: Array) -> tuple[Any, ...]:
        """Return (inputs, returns R, the two arrays of `_made`)."""
        practical = won / self.env.start * self.options["discount"] ** moves_left.astype(np.float32)
        alpha = self.options["alpha"]
        returns = alpha * theoretical_value(self.table, observations, action) + (1 - alpha) * practical
        return six_inputs(observations).astype(np.float32), returns.astype(np.float32), *self._made(observations, action)

    @abstractmethod
    def _made(self, observations: Array, action: Array) -> tuple[Array, Array]:
        """Return the moves as the loss of the policy network takes them."""


class DiscreteDeepQ(DeepQ):
    OPTIONS: ClassVar[dict[str, Option]] = {
        **DeepQ.OPTIONS,
        "entropy": Option(0.02, "bonus per nat of entropy", low=0, high=100),
    }
    OUTPUTS, PRICE = MOVES, "entropy"

    @property
    def _kind(self) -> str:
        return "moves"

    def _policy_of(self, learned: Mapping[str, Array]) -> BatchPolicy:
        return Softmax(self.table, from_arrays(learned, "policy"))

    def _made(self, observations: Array, action: Array) -> tuple[Array, Array]:
        """Return (legal moves [n, 6], moves [n])."""
        legal = legal_moves(self.table, observations, likely_legal(self.table, observations))
        return legal, moves_of(self.table, observations, action).astype(np.int32)


class ContinuousDeepQ(DeepQ):
    OPTIONS: ClassVar[dict[str, Option]] = {
        **DeepQ.OPTIONS,
        "alpha": replace(DeepQ.OPTIONS["alpha"], default=0.5),
        "rate": replace(DeepQ.OPTIONS["rate"], default=0.005),
        "loss": Option(
            SQUARED,
            "squared: squared error of the amount, weighted by the advantage (epfl2020); logistic: ours",
            choices=LOSSES,
        ),
        "blur": Option(1.0, "with loss=logistic: scale of the amounts while learning, in bets", low=0.01, high=100),
    }
    OUTPUTS, PRICE = 1, "blur"
    ANY_RAISE = True

    @property
    def _kind(self) -> str:
        return str(self.options["loss"])

    def _policy_of(self, learned: Mapping[str, Array]) -> BatchPolicy:
        return Amount(self.table, from_arrays(learned, "policy"))

    def _acting(self) -> BatchPolicy:
        blur = 0.0 if self._kind == SQUARED else self.options["blur"]
        return Amount(self.table, from_arrays(self._learned(), "policy"), blur)

    def _made(self, observations: Array, action: Array) -> tuple[Array, Array]:
        """Return (low [n], high [n]): the interval of amounts of each move, in bets; finite, and at least NEAR wide.

        With loss=squared both are the amount that was bet.
        """
        if self._kind == SQUARED:
            amount = amount_of(self.table, observations, action).astype(np.float32)
            return amount, amount
        found = amounts(self.table, observations, likely_legal(self.table, observations))
        low, high = (np.take_along_axis(each, action[:, None].astype(np.int64), axis=1)[:, 0] for each in found)
        low, high = np.clip(low, -FAR, FAR), np.clip(high, -FAR, FAR)
        return low.astype(np.float32), np.maximum(high, low + NEAR).astype(np.float32)

"""Batch policies that taught themselves (pricope2021): an average policy and action values, each a network that looks at the cards.

Playing them needs NumPy only. What networks are shown of a observation with cards is *compact* (`kernels.simulation.freezeouts.encode_inputs`) or
the paper's *picture* (`agents.images`); either says the same, with or without the hand-made numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from smoothcall.agents import convolutions
from smoothcall.agents.batch_policy import surely
from smoothcall.agents.images import pictures
from smoothcall.agents.q_networks import Layers, forward, most_valued
from smoothcall.games.cards import STANDARD
from smoothcall.holdem.evaluator import evaluator
from smoothcall.kernels.simulation.freezeouts import INPUTS, encode_inputs
from smoothcall.kernels.simulation.observations import AGGRESSION, RAISES, UNKNOWN
from smoothcall.kernels.tables import Array


def compact(seen: Array, metrics: bool = True) -> Array:
    """[n, INPUTS] of observations seen[n, CARD_OBSERVATION]."""
    shown = np.empty((len(seen), INPUTS), np.float32)
    encode_inputs(evaluator(STANDARD), metrics, np.ascontiguousarray(seen, np.float32), shown)
    return shown


def picture(seen: Array, metrics: bool = True) -> Array:
    """[n, PLANES, SIDE, SIDE] of the same observations; of the other's habits, which are not in the paper's, nothing."""
    seen = np.array(seen, np.float32)
    seen[:, RAISES], seen[:, AGGRESSION] = 0, UNKNOWN
    return pictures(seen, metrics=metrics)


SHOWN: dict[str, tuple[Callable[[Array, bool], Array], Callable[[Layers, Array], Array]]] = {
    "compact": (compact, forward),
    "picture": (picture, convolutions.forward),
}  # what is shown, and what a network makes of it


@dataclass(frozen=True, eq=False)
class SelfTaught:
    """Follows its average policy, and with the chance eta the move of the highest value."""

    SEES_CARDS: ClassVar[bool] = True

    policy: Layers
    values: Layers
    shown: str = "compact"
    metrics: bool = True
    eta: float = 0.0

    def probabilities(self, seen: Array, legal: Array) -> Array:
        show, answer = SHOWN[self.shown]
        inputs = show(seen, self.metrics)
        said = np.where(legal, answer(self.policy, inputs), -np.inf)
        likely = np.exp(said - said.max(axis=1, keepdims=True))
        average: Array = likely / likely.sum(axis=1, keepdims=True)
        if not self.eta:
            return average
        best = surely(most_valued(answer(self.values, inputs), legal), legal.shape[1])
        return (1 - self.eta) * average + self.eta * best

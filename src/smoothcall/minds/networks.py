"""Minds that taught themselves (pricope2021): an average policy and action values, each a network that looks at the cards.

Playing them needs NumPy only. What networks are shown of a wide situation is *compact* (`kernels.sessions.show_situations`) or
the paper's *picture* (`minds.pictures`); either says the same, with or without the hand-made numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from smoothcall.games.cards import STANDARD
from smoothcall.information.evaluator import evaluator
from smoothcall.kernels.sessions import AGGRESSION, INPUTS, RAISES, UNKNOWN, show_situations
from smoothcall.kernels.tables import Array
from smoothcall.minds import convolutions
from smoothcall.minds.learned import Layers, forward, most_valued
from smoothcall.minds.mind import surely
from smoothcall.minds.pictures import pictures


def compact(seen: Array, metrics: bool = True) -> Array:
    """[n, INPUTS] of situations seen[n, WIDE]."""
    shown = np.empty((len(seen), INPUTS), np.float32)
    show_situations(evaluator(STANDARD), metrics, np.ascontiguousarray(seen, np.float32), shown)
    return shown


def picture(seen: Array, metrics: bool = True) -> Array:
    """[n, PLANES, SIDE, SIDE] of the same situations; of the other's habits, which are not in the paper's, nothing."""
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

    WIDE: ClassVar[bool] = True

    policy: Layers
    values: Layers
    shown: str = "compact"
    metrics: bool = True
    eta: float = 0.0

    def chances(self, seen: Array, legal: Array) -> Array:
        show, answer = SHOWN[self.shown]
        inputs = show(seen, self.metrics)
        said = np.where(legal, answer(self.policy, inputs), -np.inf)
        likely = np.exp(said - said.max(axis=1, keepdims=True))
        average: Array = likely / likely.sum(axis=1, keepdims=True)
        if not self.eta:
            return average
        best = surely(most_valued(answer(self.values, inputs), legal), legal.shape[1])
        return (1 - self.eta) * average + self.eta * best

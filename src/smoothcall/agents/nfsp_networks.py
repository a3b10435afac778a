"""Batch policies learned by NFSP in freezeouts (pricope2021): an average policy and action values, each a network.

They need NumPy and SciPy only. Network inputs are *compact* features (`kernels.agents.features`) or the paper's *images*
(`agents.images`) of observations with cards; both carry the same information, with or without hand-made metrics.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from smoothcall.agents import convolutions, layers
from smoothcall.agents.batch_wrappers import one_hot
from smoothcall.agents.images import images
from smoothcall.agents.layers import Layers
from smoothcall.agents.q_networks import best_legal
from smoothcall.games.cards import STANDARD
from smoothcall.holdem.evaluator import evaluator
from smoothcall.kernels.agents.features import FEATURES, encode_compact
from smoothcall.kernels.simulation.observations import AGGRESSION, RAISES, UNKNOWN
from smoothcall.kernels.tables import Array


def compact_features(observations: Array, metrics: bool = True) -> Array:
    """Return [n, FEATURES] float32 of observations[n, CARD_OBSERVATION]."""
    features = np.empty((len(observations), FEATURES), np.float32)
    encode_compact(evaluator(STANDARD), metrics, np.ascontiguousarray(observations, np.float32), features)
    return features


def image_features(observations: Array, metrics: bool = True) -> Array:
    """Return [n, PLANES, SIDE, SIDE] float32 of observations[n, CARD_OBSERVATION], without the opponent's habits as in the
    paper.
    """
    observations = np.array(observations, np.float32)
    observations[:, RAISES], observations[:, AGGRESSION] = 0, UNKNOWN
    return images(observations, metrics=metrics)


class InputKind(NamedTuple):
    """Features of observations, and how a network is evaluated on them."""

    encode: Callable[[Array, bool], Array]
    forward: Callable[[Layers, Array], Array]


INPUTS: dict[str, InputKind] = {
    "compact": InputKind(compact_features, layers.forward),
    "images": InputKind(image_features, convolutions.forward),
}


@dataclass(frozen=True, eq=False)
class NFSPNetworks:
    """Plays the average policy; with probability eta the action of the highest value."""

    SEES_CARDS: ClassVar[bool] = True

    policy: Layers
    values: Layers
    inputs: str = "compact"
    metrics: bool = True
    eta: float = 0.0

    def probabilities(self, observations: Array, legal: Array) -> Array:
        from scipy.special import softmax

        kind = INPUTS[self.inputs]
        features = kind.encode(observations, self.metrics)
        average: Array = softmax(np.where(legal, kind.forward(self.policy, features), -np.inf), axis=1)
        if not self.eta:
            return average
        best = one_hot(best_legal(kind.forward(self.values, features), legal), legal.shape[1])
        return (1 - self.eta) * average + self.eta * best

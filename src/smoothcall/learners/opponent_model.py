"""Fitting opponent models to hands between batch policies, and their quality on held-out hands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax  # type: ignore[import-untyped]

from smoothcall.agents.expert import Expert
from smoothcall.agents.opponent_models import (
    CLASSES,
    PUBLIC_PLANES,
    STREETS,
    BothModels,
    Examples,
    ImageModel,
    Model,
    NaiveBayes,
    count_features,
    examples,
    public_images,
)
from smoothcall.agents.scripted import HeuristicMC, MostlyCalls, Rule
from smoothcall.information.game import Game
from smoothcall.kernels.simulation.observations import STREET
from smoothcall.kernels.tables import Array
from smoothcall.learners.convolutions import Convolutions, ImageSizes
from smoothcall.learners.networks import Arrays, Tree, layers_of, optimise, untrained
from smoothcall.simulation.batch_policy import BatchPolicy

CHANNELS, DENSE = (8, 8, 16, 16), 64
RATE, BATCH = 2e-3, 256
HONEST: tuple[BatchPolicy, ...] = (MostlyCalls(), HeuristicMC(), Expert())  # few raises are bluffs
OPPONENTS: tuple[BatchPolicy, ...] = (*HONEST, Rule.RANDOM, Rule.PROBE)  # a raise of the last two says nothing of their cards


@dataclass(frozen=True)
class Quality:
    """How well a model predicts the class of the opponent's cards, on held-out decisions.

    The base rate is that of predicting the most frequent class of the street. Intervals treat the decisions of one hand as one
    cluster.
    """

    decisions: int
    accuracy: float
    base_rate: float
    margin: float  # accuracy less base rate
    half_width: float  # 95 %, of the margin
    log_loss: float  # nats per decision
    base_log_loss: float  # of the frequencies of classes by street
    gain: float  # base_log_loss less log_loss
    gain_half_width: float

    def __str__(self) -> str:
        return (
            f"accuracy {self.accuracy:.2%} against {self.base_rate:.2%}, margin {self.margin:+.2%} ± {self.half_width:.2%}; "
            f"log-loss {self.log_loss:.4f} against {self.base_log_loss:.4f}, less by {self.gain:.4f} ± "
            f"{self.gain_half_width:.4f} (95 %, {self.decisions:,} decisions)"
        )


def quality(model: Model, known: Examples, held_out: Examples) -> Quality:
    """Return the quality on held-out decisions; `known` are the training decisions, for the base rate."""
    counts = np.ones((STREETS, CLASSES))
    np.add.at(counts, (known.observations[:, STREET].astype(np.int64), known.cards), 1)
    base = (counts / counts.sum(axis=1, keepdims=True))[held_out.observations[:, STREET].astype(np.int64)]
    likely, cards, rows = model.probabilities(held_out.observations), held_out.cards, np.arange(len(held_out.cards))
    right, base_right = likely.argmax(axis=1) == cards, base.argmax(axis=1) == cards
    loss, base_loss = -np.log(likely[rows, cards]), -np.log(base[rows, cards])
    more, less = right.astype(float) - base_right, base_loss - loss
    return Quality(
        decisions=len(cards),
        accuracy=float(right.mean()),
        base_rate=float(base_right.mean()),
        margin=float(more.mean()),
        half_width=_half_width(more, held_out.hand),
        log_loss=float(loss.mean()),
        base_log_loss=float(base_loss.mean()),
        gain=float(less.mean()),
        gain_half_width=_half_width(less, held_out.hand),
    )


def _half_width(value: Array, hand: Array) -> float:
    """Return the half-width of the 95 % interval of the mean of value[n], clustered by hand[n]."""
    total = np.bincount(hand, value - value.mean())
    return float(1.96 * np.sqrt((total**2).sum()) / len(value))


def fit_network(
    known: Examples,
    seed: int = 0,
    *,
    epochs: int = 4,
    rate: float = RATE,
    channels: tuple[int, ...] = CHANNELS,
    dense: int = DENSE,
) -> ImageModel:
    """Fit a convolutional network by Adam for `epochs` passes over shuffled decisions; the rate falls to 0 (cosine)."""
    draws = np.random.default_rng(seed)
    sizes = ImageSizes(CLASSES, len(PUBLIC_PLANES), channels, dense)
    network: Convolutions = untrained(Convolutions, sizes, jax.random.key(seed))
    batches = len(known.cards) // BATCH
    rule = optax.adam(optax.cosine_decay_schedule(rate, max(epochs * batches, 1)))
    state = rule.init(eqx.filter(network, eqx.is_array))

    @eqx.filter_jit
    def learn(network: Convolutions, state: Tree, images: Array, cards: Array) -> tuple[Any, Any]:
        return optimise(rule, eqx.filter_grad(_loss)(network, images, cards), state, network)  # type: ignore[arg-type]

    for _ in range(epochs):
        order = draws.permutation(len(known.cards))
        for batch in range(batches):
            some = order[batch * BATCH : (batch + 1) * BATCH]
            network, state = learn(network, state, public_images(known.observations[some]), known.cards[some])
    return ImageModel(layers_of(network))


def _loss(network: Convolutions, images: Array, cards: Array) -> Arrays:
    """Return the mean negative log-likelihood of the classes cards[n]."""
    return jnp.mean(optax.softmax_cross_entropy_with_integer_labels(jax.vmap(network)(jnp.asarray(images)), cards))


@dataclass(frozen=True, eq=False)
class Trained:
    """Both models and their quality."""

    naive_bayes: NaiveBayes
    network: ImageModel
    quality: dict[str, Quality]  # of each model and of their mean, "both"

    @property
    def both(self) -> BothModels:
        return BothModels(self.naive_bayes, self.network)


def train_models(
    game: Game,
    seed: int = 0,
    opponents: Sequence[BatchPolicy] = OPPONENTS,
    *,
    known: int = 200_000,
    held_out: int = 50_000,
    epochs: int = 4,
) -> Trained:
    """Fit both models to decisions of hands between these opponents. Held-out decisions are of hands of another seed."""
    learned, others = examples(game, opponents, known, 2 * seed), examples(game, opponents, held_out, 2 * seed + 1)
    naive_bayes, network = count_features(learned.observations, learned.cards), fit_network(learned, seed, epochs=epochs)
    both = BothModels(naive_bayes, network)
    named: dict[str, Model] = {"naive-bayes": naive_bayes, "network": network, "both": both}
    return Trained(naive_bayes, network, {name: quality(model, learned, others) for name, model in named.items()})

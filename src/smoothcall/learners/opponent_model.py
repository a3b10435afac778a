"""Learning models of the opponent from hands between batch policies, and how good they are on other hands."""

from __future__ import annotations

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
    LOOKED_AT,
    STREETS,
    Examples,
    Model,
    NaiveBayes,
    PictureModel,
    count_features,
    examples,
    shown,
)
from smoothcall.agents.scripted import HeuristicMC, MostlyCalls
from smoothcall.information.game import Game
from smoothcall.kernels.simulation.observations import STREET
from smoothcall.kernels.tables import Array
from smoothcall.learners.convolutions import Convolutions, layers_of
from smoothcall.learners.networks import Arrays, Tree, step
from smoothcall.simulation.batch_policy import BatchPolicy

CHANNELS, DENSE = (8, 8, 16, 16), 64
RATE, BATCH = 2e-3, 256


@dataclass(frozen=True)
class Quality:
    """How well a model says the class of the other's cards, on decisions it has not learned from.

    The base rate is of naming the most frequent class of the street. Decisions of a hand belong together: intervals are of
    means over hands.
    """

    decisions: int
    accuracy: float
    base_rate: float
    margin: float  # accuracy less base rate
    half_width: float  # 95 %, of the margin
    log_loss: float  # nats
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
    """On held-out decisions; `known` are those from which the model learned, for the base rate."""
    counts = np.ones((STREETS, CLASSES))
    np.add.at(counts, (known.seen[:, STREET].astype(np.int64), known.cards), 1)
    base = (counts / counts.sum(axis=1, keepdims=True))[held_out.seen[:, STREET].astype(np.int64)]
    likely, cards, rows = model.likely(held_out.seen), held_out.cards, np.arange(len(held_out.cards))
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
    """95 % of the mean of value[n], those of a hand[n] belonging together."""
    total = np.bincount(hand, value - value.mean())
    return float(1.96 * np.sqrt((total**2).sum()) / len(value))


def learn_pictures(
    known: Examples,
    seed: int = 0,
    *,
    epochs: int = 4,
    rate: float = RATE,
    channels: tuple[int, ...] = CHANNELS,
    dense: int = DENSE,
) -> PictureModel:
    """A network that has seen all decisions so many times, in another order each; its rate falls to 0."""
    draws = np.random.default_rng(seed)
    network = Convolutions(CLASSES, jax.random.key(seed), planes=len(LOOKED_AT), channels=channels, dense=dense)
    batches = len(known.cards) // BATCH
    rule = optax.adam(optax.cosine_decay_schedule(rate, max(epochs * batches, 1)))
    state = rule.init(eqx.filter(network, eqx.is_array))

    @eqx.filter_jit
    def learn(network: Convolutions, state: Tree, seen: Array, cards: Array) -> tuple[Any, Any]:
        return step(rule, eqx.filter_grad(_loss)(network, seen, cards), state, network)  # type: ignore[arg-type]

    for _ in range(epochs):
        order = draws.permutation(len(known.cards))
        for batch in range(batches):
            some = order[batch * BATCH : (batch + 1) * BATCH]
            network, state = learn(network, state, shown(known.seen[some]), known.cards[some])
    return PictureModel(layers_of(network))


def _loss(network: Convolutions, seen: Array, cards: Array) -> Arrays:
    """Mean negative log-likelihood of the classes cards[n]."""
    return jnp.mean(optax.softmax_cross_entropy_with_integer_labels(jax.vmap(network)(jnp.asarray(seen)), cards))


@dataclass(frozen=True, eq=False)
class Trained:
    """Both models, and how good they are."""

    naive_bayes: NaiveBayes
    network: PictureModel
    quality: dict[str, Quality]


def train_models(game: Game, seed: int = 0, *, known: int = 200_000, held_out: int = 50_000, epochs: int = 4) -> Trained:
    """From hands between three batch policies: one that mostly calls, one that simulates, an expert without a model.

    Both learn from the same decisions; those held out are of hands of another seed.
    """
    batch_policies: list[BatchPolicy] = [MostlyCalls(), HeuristicMC(), Expert()]
    learned, others = examples(game, batch_policies, known, 2 * seed), examples(game, batch_policies, held_out, 2 * seed + 1)
    naive_bayes, network = count_features(learned.seen, learned.cards), learn_pictures(learned, seed, epochs=epochs)
    named: dict[str, Model] = {"naive-bayes": naive_bayes, "network": network}
    return Trained(naive_bayes, network, {name: quality(model, learned, others) for name, model in named.items()})

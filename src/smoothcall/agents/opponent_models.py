"""Opponent models: probabilities of how strong the opponent's cards are, from public information (pricope2021, agent 1).

Cards are in CLASSES classes by their equity on the street. The EDGES are fixed: each class has a fifth of fair deals. A
model takes observations with cards, but not the player's own cards: naive Bayes over features of the betting and the board,
a convolutional network on images, or both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

import numpy as np

from smoothcall.agents import convolutions, layers
from smoothcall.agents.images import images, public_part
from smoothcall.agents.layers import Layers
from smoothcall.errors import unknown
from smoothcall.files import field
from smoothcall.games.rules import PokerRules
from smoothcall.holdem.equity_table import PARTS
from smoothcall.information.game import Game
from smoothcall.kernels.agents.images import BOARD, BOARD_THEN, CHIPS, REST
from smoothcall.kernels.random import seeded
from smoothcall.kernels.simulation.batch import Hands
from smoothcall.kernels.simulation.observations import (
    AGGRESSION,
    BEFORE_CALL,
    BEFORE_STREET,
    CARD,
    CARDS,
    LAST,
    LAST_SIZE,
    POT,
    RAISES,
    SEAT,
    STREET,
    TO_CALL,
)
from smoothcall.kernels.tables import RAISED, Array
from smoothcall.simulation.batch_policy import BatchPolicy
from smoothcall.simulation.freezeouts import FreezeoutEnv

CLASSES, STREETS = 5, 4
EDGES = np.array(
    [
        [0.4051, 0.4718, 0.5233, 0.5781],
        [0.3105, 0.4235, 0.5397, 0.6904],
        [0.2657, 0.4092, 0.5509, 0.7425],
        [0.1864, 0.3970, 0.5985, 0.8131],
    ]
)  # [STREETS, CLASSES - 1]: the quintiles of equities in two million deals
PUBLIC_PLANES = (BOARD, BOARD_THEN, CHIPS, REST)  # planes of an image that the network gets
MODELS = ("naive-bayes", "network", "both")


class Model(Protocol):
    def probabilities(self, observations: Array) -> Array:
        """Return [n, CLASSES] probabilities of the opponent's class, for observations[n, CARD_OBSERVATION]."""


def class_of(street: Array, equity: Array) -> Array:
    """Return [n] the class of equity[n] on street[n]."""
    found: Array = (np.asarray(equity)[:, None] >= EDGES[np.asarray(street).astype(np.int64)]).sum(axis=1)
    return found


# Naive Bayes

SIZES, POTS, AGGRESSIONS, FIRST_RAISES = (0.45, 0.8, 1.3), (0.21, 0.35, 0.55, 0.9, 1.4), (0.25, 0.5001, 0.75), (0.15, 0.4)
HIGH = (8, 11)  # ranks of the highest card of the board: below ten, ten to queen, king or ace
TRUSTS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
MOVES, BEFORE, TEXTURES = RAISED + len(SIZES) + 1, 6, 18
VALUES = (MOVES * (len(AGGRESSIONS) + 1) * (len(FIRST_RAISES) + 1), len(POTS) + 1, 2 * BEFORE, TEXTURES)  # of each feature


def features(observations: Array) -> Array:
    """Return [n, F] int64 below VALUES: the opponent's last move by its habits; pot; previous decision by seat; board."""
    last, pot = observations[:, LAST].astype(np.int64), np.maximum(observations[:, POT], 1e-6)
    size = np.searchsorted(SIZES, observations[:, LAST_SIZE] / np.maximum(pot - observations[:, LAST_SIZE], 1e-6), side="right")
    move = np.where(last == RAISED, RAISED + size, last)
    move = move * (len(AGGRESSIONS) + 1) + np.searchsorted(AGGRESSIONS, observations[:, AGGRESSION], side="right")
    move = move * (len(FIRST_RAISES) + 1) + np.searchsorted(FIRST_RAISES, observations[:, RAISES], side="right")
    street, then = observations[:, STREET].astype(np.int64), observations[:, BEFORE_STREET].astype(np.int64)
    before = np.where(then < 0, 0, 1 + (street == then) + 2 * (observations[:, BEFORE_CALL] > 0))  # 0 to 4
    before = np.where((before == 0) & (observations[:, TO_CALL] > 0), BEFORE - 1, before)
    pots = np.searchsorted(POTS, observations[:, POT], side="right")
    return np.column_stack([move, pots, 2 * before + observations[:, SEAT].astype(np.int64), _texture(observations)])


def _texture(observations: Array) -> Array:
    """Return [n] below TEXTURES: most cards of one suit (1, 2, 3 and more), whether a rank is paired, the highest rank."""
    board = observations[:, CARD + 2 : CARD + CARDS].astype(np.int64)
    there = board >= 0
    suits = ((board % 4)[:, :, None] == np.arange(4)) & there[:, :, None]
    ranks = ((board // 4)[:, :, None] == np.arange(13)) & there[:, :, None]
    suited = np.clip(suits.sum(axis=1).max(axis=1), 1, 3) - 1
    paired = ranks.sum(axis=1).max(axis=1) > 1
    high = np.searchsorted(HIGH, np.where(there, board // 4, 0).max(axis=1), side="right")
    found: Array = (suited * 2 + paired) * 3 + high
    return found


@dataclass(frozen=True, eq=False)
class NaiveBayes:
    """Naive Bayes: features are taken as independent, given the street and the class of cards."""

    prior: Array  # [STREETS, CLASSES] float32: log-probabilities
    given: tuple[Array, ...]  # of each feature [STREETS, CLASSES, VALUES] float32: log-probabilities of its values
    trust: float = 1.0  # exponent of the likelihood; below 1 because features are correlated

    def probabilities(self, observations: Array) -> Array:
        from scipy.special import softmax

        street = observations[:, STREET].astype(np.int64)
        log_likelihood = np.zeros((len(observations), CLASSES))
        for value, table in zip(features(observations).T, self.given, strict=True):
            log_likelihood += table[street, :, value]
        posterior: Array = softmax(self.prior[street] + self.trust * log_likelihood, axis=1)
        return posterior


def count_features(observations: Array, cards: Array, smoothing: float = 1.0) -> NaiveBayes:
    """Fit naive Bayes to observations[n, CARD_OBSERVATION] and the opponent's class cards[n], with Laplace smoothing.

    `trust` is the one of TRUSTS with the smallest log-loss on the same observations.
    """
    street, value = observations[:, STREET].astype(np.int64), features(observations)
    counts = [np.full((STREETS, CLASSES, many), smoothing) for many in VALUES]
    for table, each in zip(counts, value.T, strict=True):
        np.add.at(table, (street, cards, each), 1)
    prior = np.full((STREETS, CLASSES), smoothing)
    np.add.at(prior, (street, cards), 1)
    found = NaiveBayes(_logarithm(prior), tuple(_logarithm(table) for table in counts))
    rows = np.arange(len(cards))
    loss = {trust: -np.log(replace(found, trust=trust).probabilities(observations)[rows, cards]).mean() for trust in TRUSTS}
    return replace(found, trust=min(loss, key=lambda trust: loss[trust]))


def _logarithm(counts: Array) -> Array:
    found: Array = np.log(counts / counts.sum(axis=-1, keepdims=True)).astype(np.float32)
    return found


# A network


@dataclass(frozen=True, eq=False)
class ImageModel:
    """A convolutional network on PUBLIC_PLANES of an image; it learns in `learners.opponent_model`."""

    layers: Layers

    def probabilities(self, observations: Array) -> Array:
        from scipy.special import softmax

        logits = convolutions.forward(self.layers, public_images(observations)).astype(np.float64)
        posterior: Array = softmax(logits, axis=1)
        return posterior


@dataclass(frozen=True, eq=False)
class BothModels:
    """The mean of the probabilities of both models: the paper's agent uses both classifiers, but does not say how."""

    naive_bayes: NaiveBayes
    network: ImageModel

    def probabilities(self, observations: Array) -> Array:
        mean: Array = (self.naive_bayes.probabilities(observations) + self.network.probabilities(observations)) / 2
        return mean


def public_images(observations: Array) -> Array:
    """Return [n, PUBLIC_PLANES, side, side] images of public information."""
    return images(public_part(observations), metrics=False)[:, PUBLIC_PLANES]


# Training examples


class Examples(NamedTuple):
    """Decisions of hands that are over, with the opponent's class."""

    observations: Array  # [n, CARD_OBSERVATION] float32
    cards: Array  # [n] int64: the class of the opponent's cards on the street
    hand: Array  # [n] int64: the number of the hand


def examples(
    game: Game, batch_policies: Sequence[BatchPolicy], count: int, seed: int, *, together: int = 500, length: int = 25
) -> Examples:
    """Return at least `count` decisions of freezeouts between batch policies, whose pairing is sampled for each freezeout."""
    assert isinstance(game.rules, PokerRules)
    generators = seeded(seed, 2)
    env = FreezeoutEnv(game.rules, count=together, length=length, generators=generators, abstraction=game.abstraction)
    draws, parts, done, hands = np.random.default_rng(seed), list[Examples](), 0, 0
    while done < count:
        new = env.batch.hands.over & (env.freezeouts.played == 0)
        env.freezeouts.policy[new] = draws.integers(len(batch_policies), size=(new.sum(), 2))
        env.sit()
        env.batch.begin()
        env.move(batch_policies)
        parts.append(_ended_decisions(env.batch.hands, hands))
        hands, done = hands + int(env.batch.hands.over.sum()), done + len(parts[-1].observations)
        env.settle()
    return Examples(*(np.concatenate(each) for each in zip(*parts, strict=True)))


def _ended_decisions(hands: Hands, first: int) -> Examples:
    """Return the decisions of hands that have just ended; hands are numbered from `first`."""
    over = np.flatnonzero(hands.over)
    made = np.arange(hands.observations.shape[2]) < hands.moves[over][:, :, None]  # [hands, seats, moves]
    hand, seat, move = np.nonzero(made)
    observations = hands.observations[over[hand], seat, move]
    street = observations[:, STREET].astype(np.int64)
    equity = hands.dealt[over[hand], 1 - seat, street] / PARTS
    return Examples(observations, class_of(street, equity), hand + first)


# As data


def to_data(model: NaiveBayes | ImageModel | BothModels) -> tuple[dict[str, Any], dict[str, Array]]:
    """Return (the model's entries of an agent card, its arrays by name)."""
    if isinstance(model, BothModels):
        (about, tables), (_, weights) = to_data(model.naive_bayes), to_data(model.network)
        return {**about, "model": "both"}, {**tables, **weights}
    if isinstance(model, NaiveBayes):
        tables = {f"given-{number}": table for number, table in enumerate(model.given)}
        return {"model": "naive-bayes", "trust": model.trust}, {"prior": model.prior, **tables}
    return {"model": "network"}, layers.to_arrays(model.layers)


def from_data(about: Mapping[str, Any], arrays: Mapping[str, Array]) -> NaiveBayes | ImageModel | BothModels:
    """Return the model that `to_data` wrote."""
    named = field(about, "model", str)
    if named not in MODELS:
        raise unknown("model of an opponent", named, MODELS)
    if named == "both":
        return BothModels(_naive_bayes(about, arrays), _network(arrays))
    return _network(arrays) if named == "network" else _naive_bayes(about, arrays)


def _network(arrays: Mapping[str, Array]) -> ImageModel:
    return ImageModel(convolutions.from_arrays(arrays, CLASSES, planes=len(PUBLIC_PLANES)))


def _naive_bayes(about: Mapping[str, Any], arrays: Mapping[str, Array]) -> NaiveBayes:
    wanted = {"prior": (STREETS, CLASSES), **{f"given-{n}": (STREETS, CLASSES, many) for n, many in enumerate(VALUES)}}
    prior, *given = (layers.array_of_shape(arrays, name, shape) for name, shape in wanted.items())
    return NaiveBayes(prior, tuple(given), field(about, "trust", float))

"""Models of the opponent: how likely its cards are weak or strong, by what everybody at the table knows (pricope2021, agent 1).

Cards are in CLASSES classes by their equity on the street. The EDGES are fixed: of fair deals a fifth is in each. A model
looks at a observation with cards but not at the player's own cards. Naive Bayes counts; a network looks at a picture of the board.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

import numpy as np

from smoothcall.agents.convolutions import forward, from_arrays, to_arrays
from smoothcall.agents.images import pictures, public
from smoothcall.agents.q_networks import Layers
from smoothcall.errors import UsageError, unknown
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
LOOKED_AT = (BOARD, BOARD_THEN, CHIPS, REST)  # planes of a picture that a network is shown
MODELS = ("naive-bayes", "network")


class Model(Protocol):
    def likely(self, seen: Array) -> Array:
        """seen[n, CARD_OBSERVATION] -> [n, CLASSES]: how likely the other's cards are in each class."""


def class_of(street: Array, equity: Array) -> Array:
    """[n] the class of equities[n] on streets[n]."""
    found: Array = (np.asarray(equity)[:, None] >= EDGES[np.asarray(street).astype(np.int64)]).sum(axis=1)
    return found


# Naive Bayes

SIZES, POTS, AGGRESSIONS, FIRST_RAISES = (0.45, 0.8, 1.3), (0.21, 0.35, 0.55, 0.9, 1.4), (0.25, 0.5001, 0.75), (0.15, 0.4)
HIGH = (8, 11)  # ranks of the highest card of the board: below ten, ten to queen, king or ace
TRUSTS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
MOVES, BEFORE, TEXTURES = RAISED + len(SIZES) + 1, 6, 18
VALUES = (MOVES * (len(AGGRESSIONS) + 1) * (len(FIRST_RAISES) + 1), len(POTS) + 1, 2 * BEFORE, TEXTURES)  # of each feature


def features(seen: Array) -> Array:
    """[n, F] int64 below VALUES: what the other did last, by its habits; the pot; what was before, by seat; the board."""
    last, pot = seen[:, LAST].astype(np.int64), np.maximum(seen[:, POT], 1e-6)
    size = np.searchsorted(SIZES, seen[:, LAST_SIZE] / np.maximum(pot - seen[:, LAST_SIZE], 1e-6), side="right")
    move = np.where(last == RAISED, RAISED + size, last)
    move = move * (len(AGGRESSIONS) + 1) + np.searchsorted(AGGRESSIONS, seen[:, AGGRESSION], side="right")
    move = move * (len(FIRST_RAISES) + 1) + np.searchsorted(FIRST_RAISES, seen[:, RAISES], side="right")
    street, then = seen[:, STREET].astype(np.int64), seen[:, BEFORE_STREET].astype(np.int64)
    before = np.where(then < 0, 0, 1 + (street == then) + 2 * (seen[:, BEFORE_CALL] > 0))  # 0 to 4
    before = np.where((before == 0) & (seen[:, TO_CALL] > 0), BEFORE - 1, before)
    pots = np.searchsorted(POTS, seen[:, POT], side="right")
    return np.column_stack([move, pots, 2 * before + seen[:, SEAT].astype(np.int64), _texture(seen)])


def _texture(seen: Array) -> Array:
    """[n] below TEXTURES: cards of a suit (up to 1, 2, 3 and more), whether a rank is there twice, the highest rank."""
    board = seen[:, CARD + 2 : CARD + CARDS].astype(np.int64)
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
    """As if, on a street and for a class of cards, features had nothing to do with one another."""

    prior: Array  # [STREETS, CLASSES] float32: logarithms of probabilities
    given: tuple[Array, ...]  # each [STREETS, CLASSES, VALUES] float32: logarithms of the probabilities of a feature's values
    trust: float = 1.0  # power of these probabilities: features do have to do with one another, and would count more than once

    def likely(self, seen: Array) -> Array:
        street = seen[:, STREET].astype(np.int64)
        said = np.zeros((len(seen), CLASSES))
        for value, table in zip(features(seen).T, self.given, strict=True):
            said += table[street, :, value]
        return _softmax(self.prior[street] + self.trust * said)


def count_features(seen: Array, cards: Array, smoothing: float = 1.0) -> NaiveBayes:
    """From observations seen[n, CARD_OBSERVATION] and the class cards[n] of the other's: counts, each more by `smoothing` (Laplace).

    Of the TRUSTS it takes the one with which the same observations are most likely.
    """
    street, value = seen[:, STREET].astype(np.int64), features(seen)
    counts = [np.full((STREETS, CLASSES, many), smoothing) for many in VALUES]
    for table, each in zip(counts, value.T, strict=True):
        np.add.at(table, (street, cards, each), 1)
    prior = np.full((STREETS, CLASSES), smoothing)
    np.add.at(prior, (street, cards), 1)
    found = NaiveBayes(_logarithm(prior), tuple(_logarithm(table) for table in counts))
    rows = np.arange(len(cards))
    loss = {trust: -np.log(replace(found, trust=trust).likely(seen)[rows, cards]).mean() for trust in TRUSTS}
    return replace(found, trust=min(loss, key=lambda trust: loss[trust]))


def _logarithm(counts: Array) -> Array:
    found: Array = np.log(counts / counts.sum(axis=-1, keepdims=True)).astype(np.float32)
    return found


def _softmax(said: Array) -> Array:
    weights = np.exp(said - said.max(axis=1, keepdims=True))
    found: Array = weights / weights.sum(axis=1, keepdims=True)
    return found


# A network


@dataclass(frozen=True, eq=False)
class PictureModel:
    """A network that looks at the planes LOOKED_AT of a picture; it learns in `learners.opponent_model`."""

    layers: Layers

    def likely(self, seen: Array) -> Array:
        return _softmax(forward(self.layers, shown(seen)).astype(np.float64))


def shown(seen: Array) -> Array:
    """[n, LOOKED_AT, side, side] what a network is shown."""
    return pictures(public(seen), metrics=False)[:, LOOKED_AT]


# What models learn from


class Examples(NamedTuple):
    """Decisions of hands that are over, with what was hidden."""

    seen: Array  # [n, CARD_OBSERVATION] float32
    cards: Array  # [n] int64: the class of the other's cards on the street
    hand: Array  # [n] int64: the number of the hand


def examples(
    game: Game, batch_policies: Sequence[BatchPolicy], count: int, seed: int, *, together: int = 500, length: int = 25
) -> Examples:
    """At least so many decisions from freezeouts between batch policies, who is whose opponent being drawn anew for each freezeout."""
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
        parts.append(_looked_into(env.batch.hands, hands))
        hands, done = hands + int(env.batch.hands.over.sum()), done + len(parts[-1].seen)
        env.settle()
    return Examples(*(np.concatenate(each) for each in zip(*parts, strict=True)))


def _looked_into(hands: Hands, first: int) -> Examples:
    """The decisions of hands that have just ended, numbered from `first` on."""
    over = np.flatnonzero(hands.over)
    made = np.arange(hands.seen.shape[2]) < hands.moves[over][:, :, None]  # [hands, seats, moves]
    hand, seat, move = np.nonzero(made)
    seen = hands.seen[over[hand], seat, move]
    street = seen[:, STREET].astype(np.int64)
    equity = hands.dealt[over[hand], 1 - seat, street] / PARTS
    return Examples(seen, class_of(street, equity), hand + first)


# As data


def to_data(model: NaiveBayes | PictureModel) -> tuple[dict[str, Any], dict[str, Array]]:
    """(what a card says of a model, its arrays by name)."""
    if isinstance(model, NaiveBayes):
        tables = {f"given-{number}": table for number, table in enumerate(model.given)}
        return {"model": "naive-bayes", "trust": model.trust}, {"prior": model.prior, **tables}
    return {"model": "network"}, to_arrays(model.layers)


def from_data(about: Mapping[str, Any], arrays: Mapping[str, Array]) -> NaiveBayes | PictureModel:
    """The model that such data describe."""
    named = field(about, "model", str)
    if named not in MODELS:
        raise unknown("model of an opponent", named, MODELS)
    if named == "network":
        return PictureModel(from_arrays(arrays, CLASSES, planes=len(LOOKED_AT)))
    wanted = {"prior": (STREETS, CLASSES), **{f"given-{n}": (STREETS, CLASSES, many) for n, many in enumerate(VALUES)}}
    for name, shape in wanted.items():
        found = arrays[name].shape if name in arrays else None
        if found != shape:
            raise UsageError(f"array {name!r} of a model has the shape {found}, not {shape}")
    return NaiveBayes(
        np.asarray(arrays["prior"]),
        tuple(np.asarray(arrays[f"given-{n}"]) for n in range(len(VALUES))),
        field(about, "trust", float),
    )

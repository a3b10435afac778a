"""Batch policies that have learned: networks as epfl2020 builds them, and a table. Playing them needs NumPy only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from smoothcall.agents.batch_policy import MOVES, Table, legal_moves, slots_of, surely
from smoothcall.kernels.simulation.observations import (
    AGGRESSION,
    EQUITY,
    LAST,
    OTHER_STACK,
    POT,
    RAISES,
    STACK,
    STREET,
    TO_CALL,
)
from smoothcall.kernels.tables import CALL, FOLD_SLOT, Array
from smoothcall.simulation.batch_policy import BatchPolicy

EDGE = 1e-6  # bets: amounts are compared after rounding

Layers = Sequence[tuple[Array, Array]]  # weights[out, in] and bias[out] of each


def forward(layers: Layers, seen: Array) -> Array:
    """What a network of rectified linear units says, the last layer being linear: seen[n, F] -> [n, out]."""
    for number, (weight, bias) in enumerate(layers, 1):
        seen = seen @ weight.T + bias
        seen = np.maximum(seen, 0) if number < len(layers) else seen
    return seen


SIX_MIDDLE = np.array([0.5, 0.3, 0.5, 0.6, 0.6, 0.1], np.float32)
SIX_SCALE = np.array([5, 3, 2, 2, 2, 5], np.float32)  # so that each is about as wide as the others


def six_inputs(seen: Array) -> Array:
    """Equity, pot, cards on the board, both stacks, amount to call; around 0, so that none is learned before the others."""
    board = np.array([0, 0.6, 0.8, 1.0], np.float32)[seen[:, STREET].astype(np.int64)]
    plain = np.column_stack([seen[:, EQUITY], seen[:, POT], board, seen[:, STACK], seen[:, OTHER_STACK], seen[:, TO_CALL]])
    scaled: Array = (plain - SIX_MIDDLE) * SIX_SCALE
    return scaled


def ten_inputs(seen: Array) -> Array:
    """Equity, pot, the street as one of three after the first, both stacks, amount to call, the other's habits."""
    streets = seen[:, STREET, None] == np.arange(1, 4)
    rest = seen[:, [STACK, OTHER_STACK, TO_CALL, RAISES, AGGRESSION]]
    return np.column_stack([seen[:, [EQUITY, POT]], streets, rest]).astype(np.float32)


def most_valued(values: Array, legal: Array) -> Array:
    """[n] the legal move of the highest value."""
    found: Array = np.where(legal, values, -np.inf).argmax(axis=1)
    return found


@dataclass(frozen=True, eq=False)
class Values:
    """Networks that say what each of the six moves is worth; the move whose mean is the highest is made."""

    table: Table
    networks: tuple[Layers, ...]

    def probabilities(self, seen: Array, legal: Array) -> Array:
        values = sum(forward(layers, ten_inputs(seen)) for layers in self.networks)
        moves = most_valued(np.asarray(values), legal_moves(self.table, seen, legal))
        return slots_of(self.table, surely(moves, MOVES), legal.shape[1])


@dataclass(frozen=True, eq=False)
class Softmax:
    """A network that says how likely each of the six moves is."""

    table: Table
    layers: Layers

    def probabilities(self, seen: Array, legal: Array) -> Array:
        said = np.where(legal_moves(self.table, seen, legal), forward(self.layers, six_inputs(seen)), -np.inf)
        likely = np.exp(said - said.max(axis=1, keepdims=True))
        return slots_of(self.table, likely / likely.sum(axis=1, keepdims=True), legal.shape[1])


@dataclass(frozen=True, eq=False)
class Amount:
    """A network that says how much to bet: at most half of what is to call is none, up to twice as much is a call.

    With a `blur`, the amount is a logistic variable around what the network says: so it is learned (`learners.deep_q`).
    """

    table: Table
    layers: Layers
    blur: float = 0.0  # in bets

    def probabilities(self, seen: Array, legal: Array) -> Array:
        amount = forward(self.layers, six_inputs(seen))
        low, high = amounts(self.table, seen, legal)
        if not self.blur:
            return ((low < amount) & (amount <= high)).astype(np.float64)
        return np.asarray(expit((high - amount) / self.blur) - expit((low - amount) / self.blur))


def amounts(table: Table, seen: Array, legal: Array) -> tuple[Array, Array]:
    """([n, A], [n, A]): from above which amount, in bets, up to which each slot is meant; nowhere for illegal ones.

    x bets, with y to call: a check or fold up to y / 2, a call up to 2 y, then a raise by as many whole bets as x has; by the
    most that is legal below that, or the least that is legal at all.
    """
    owed = seen[:, TO_CALL] / table.bet
    low, high = np.full(legal.shape, np.inf), np.full(legal.shape, np.inf)
    above = np.full(len(seen), np.inf)  # where the next larger raise begins
    first = np.argmax(legal[:, CALL + 1 :], axis=1) + CALL + 1
    for slot in range(legal.shape[1] - 1, CALL, -1):
        begins = np.where(slot == first, 1, table.factors[slot - CALL - 1]) - EDGE
        begins = np.where(legal[:, slot], np.maximum(begins, 2 * owed), above)
        low[:, slot], high[:, slot] = begins, above
        above = begins
    least = np.where(legal[:, FOLD_SLOT], owed / 2, -np.inf)
    low[:, CALL], high[:, CALL] = least, above
    low[:, FOLD_SLOT], high[:, FOLD_SLOT] = -np.inf, least
    return low, high


@dataclass(frozen=True, eq=False)
class Discrete:
    """A table of values: observations that are alike in coarse numbers share a row (`rows_of`)."""

    table: Table
    values: Array  # [rows, 6]

    def probabilities(self, seen: Array, legal: Array) -> Array:
        moves = most_valued(self.values[rows_of(self.table, seen)], legal_moves(self.table, seen, legal))
        return slots_of(self.table, surely(moves, MOVES), legal.shape[1])


@dataclass(frozen=True, eq=False)
class Exploring:
    """A batch policy that makes any of the six moves with the chance `explore`."""

    batch_policy: BatchPolicy
    table: Table
    explore: float

    def probabilities(self, seen: Array, legal: Array) -> Array:
        moves = legal_moves(self.table, seen, legal)
        anything = slots_of(self.table, moves / moves.sum(axis=1, keepdims=True), legal.shape[1])
        return self.explore * anything + (1 - self.explore) * self.batch_policy.probabilities(seen, legal)


POSITIONS, POTS, CALLS, STACKS = 10, (2, 4, 8), (0.1, 1.1, 2.1, 3.1), (1.1, 4.1, 9.1)
ROWS = 4 * POSITIONS * (len(POTS) + 1) * (len(CALLS) + 1) * 4 * (len(STACKS) + 1) ** 2


def rows_of(table: Table, seen: Array) -> Array:
    """[n] rows of the discrete state: street, tenth of the equity, pot, amount to call, the other's last move, both stacks.

    Chips are counted in bets and cut at POTS, CALLS and STACKS: all nodes of the betting with the same cuts share rows.
    """
    row = seen[:, STREET].astype(np.int64)
    row = row * POSITIONS + np.minimum((seen[:, EQUITY] * POSITIONS).astype(np.int64), POSITIONS - 1)
    for column, cuts in ((POT, POTS), (TO_CALL, CALLS), (STACK, STACKS), (OTHER_STACK, STACKS)):
        row = row * (len(cuts) + 1) + np.searchsorted(cuts, seen[:, column] / table.bet, side="right")
    return row * 4 + seen[:, LAST].astype(np.int64)

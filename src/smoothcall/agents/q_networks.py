"""Learned batch policies of epfl2020: networks, and a table of action values. They need NumPy and SciPy only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from smoothcall.agents.batch_wrappers import EDGE, MOVES, Table, legal_moves, one_hot, slots_of
from smoothcall.agents.layers import Layers, forward
from smoothcall.agents.scripted import any_move
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

MOST_AGGRESSIVE = 10.0  # bound of the aggression factor; it has none where the opponent never calls
SIX_MIDDLE = np.array([0.5, 0.3, 0.5, 0.6, 0.6, 0.1], np.float32)
SIX_SCALE = np.array([5, 3, 2, 2, 2, 5], np.float32)  # inputs then have about the same variance


def six_inputs(observations: Array) -> Array:
    """Return [n, 6] float32: equity, pot, cards on the board, both stacks, amount to call; centred and scaled."""
    board = np.array([0, 0.6, 0.8, 1.0], np.float32)[observations[:, STREET].astype(np.int64)]
    plain = np.column_stack(
        [
            observations[:, EQUITY],
            observations[:, POT],
            board,
            observations[:, STACK],
            observations[:, OTHER_STACK],
            observations[:, TO_CALL],
        ]
    )
    scaled: Array = (plain - SIX_MIDDLE) * SIX_SCALE
    return scaled


def aggression_factor(observations: Array) -> Array:
    """Return [n] the opponent's bets and raises per call in earlier hands (epfl2020, section 4.3.2), at most MOST_AGGRESSIVE.

    It is 1 where the opponent has neither raised nor called yet.
    """
    frequency = observations[:, AGGRESSION].astype(np.float64)  # raises / (raises + calls)
    factor: Array = np.minimum(frequency / np.maximum(1 - frequency, 1e-9), MOST_AGGRESSIVE)
    return factor


def ten_inputs(observations: Array) -> Array:
    """Return [n, 10] float32: equity, pot, one bit for each street after the first, both stacks, amount to call; how often the
    opponent raised before the flop, and its aggression factor as a fraction of MOST_AGGRESSIVE.
    """
    streets = observations[:, STREET, None] == np.arange(1, 4)
    rest = observations[:, [STACK, OTHER_STACK, TO_CALL, RAISES]]
    factor = aggression_factor(observations) / MOST_AGGRESSIVE
    return np.column_stack([observations[:, [EQUITY, POT]], streets, rest, factor]).astype(np.float32)


def best_legal(values: Array, legal: Array) -> Array:
    """Return [n] the legal move of the highest value."""
    found: Array = np.where(legal, values, -np.inf).argmax(axis=1)
    return found


@dataclass(frozen=True, eq=False)
class Values:
    """Action-value networks of the six moves; plays the move with the highest mean value."""

    OBSERVES_HABITS: ClassVar[bool] = True

    table: Table
    networks: tuple[Layers, ...]

    def probabilities(self, observations: Array, legal: Array) -> Array:
        values = sum(forward(layers, ten_inputs(observations)) for layers in self.networks)
        moves = best_legal(np.asarray(values), legal_moves(self.table, observations, legal))
        return slots_of(self.table, one_hot(moves, MOVES), legal.shape[1])


@dataclass(frozen=True, eq=False)
class Softmax:
    """A policy network over the six moves."""

    table: Table
    layers: Layers

    def probabilities(self, observations: Array, legal: Array) -> Array:
        from scipy.special import softmax

        logits = forward(self.layers, six_inputs(observations))
        logits = np.where(legal_moves(self.table, observations, legal), logits, -np.inf)
        return slots_of(self.table, softmax(logits, axis=1), legal.shape[1])


@dataclass(frozen=True, eq=False)
class Amount:
    """A network whose output is an amount to bet, which `amounts` turns into an action.

    With `blur` the amount is a logistic variable of that scale around the output, as while it is learned (`learners.deep_q`).
    """

    table: Table
    layers: Layers
    blur: float = 0.0  # in bets

    def probabilities(self, observations: Array, legal: Array) -> Array:
        from scipy.special import expit

        amount = forward(self.layers, six_inputs(observations))
        low, high = amounts(self.table, observations, legal)
        if not self.blur:
            return ((low < amount) & (amount <= high)).astype(np.float64)
        return np.asarray(expit((high - amount) / self.blur) - expit((low - amount) / self.blur))


def amounts(table: Table, observations: Array, legal: Array) -> tuple[Array, Array]:
    """Return ([n, A], [n, A]) the interval (low, high] of amounts, in bets, that mean each slot; empty for illegal slots.

    With y bets to call, an amount x means a check or fold up to y / 2, a call up to 2 y, then a raise by the whole bets of
    x: the largest legal raise up to that, or else the smallest legal raise. No amount means all-in beside other raises.
    """
    owed = observations[:, TO_CALL] / table.bet
    low, high = np.full(legal.shape, np.inf), np.full(legal.shape, np.inf)
    above = np.full(len(observations), np.inf)  # where the next larger raise begins
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
    """A table of action values by discretised observation (`rows_of`)."""

    table: Table
    values: Array  # [rows, 6]

    def probabilities(self, observations: Array, legal: Array) -> Array:
        moves = best_legal(self.values[rows_of(self.table, observations)], legal_moves(self.table, observations, legal))
        return slots_of(self.table, one_hot(moves, MOVES), legal.shape[1])


@dataclass(frozen=True, eq=False)
class Exploring:
    """A batch policy that plays a uniformly random legal move with probability `explore`: one of the six moves, or with
    `any_raise` also the raises that are none of them.
    """

    batch_policy: BatchPolicy
    table: Table
    explore: float
    any_raise: bool = False

    def probabilities(self, observations: Array, legal: Array) -> Array:
        if self.any_raise:
            uniform = any_move(self.table, observations, legal)
        else:
            moves = legal_moves(self.table, observations, legal)
            uniform = slots_of(self.table, moves / moves.sum(axis=1, keepdims=True), legal.shape[1])
        return self.explore * uniform + (1 - self.explore) * self.batch_policy.probabilities(observations, legal)


EQUITIES, POTS, CALLS, STACKS = 10, (2, 4, 8), (0.1, 1.1, 2.1, 3.1), (1.1, 4.1, 9.1)
ROWS = 4 * EQUITIES * (len(POTS) + 1) * (len(CALLS) + 1) * 4 * (len(STACKS) + 1) ** 2


def rows_of(table: Table, observations: Array) -> Array:
    """Return [n] rows of the discretised state: street, equity in tenths, pot, amount to call, both stacks, opponent's last
    move.

    Chips are counted in bets and cut at POTS, CALLS and STACKS.
    """
    row = observations[:, STREET].astype(np.int64)
    row = row * EQUITIES + np.minimum((observations[:, EQUITY] * EQUITIES).astype(np.int64), EQUITIES - 1)
    for column, cuts in ((POT, POTS), (TO_CALL, CALLS), (STACK, STACKS), (OTHER_STACK, STACKS)):
        row = row * (len(cuts) + 1) + np.searchsorted(cuts, observations[:, column] / table.bet, side="right")
    return row * 4 + observations[:, LAST].astype(np.int64)

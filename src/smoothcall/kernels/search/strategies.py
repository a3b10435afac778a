"""Strategies on blocks of hands: what a table makes of a reach and of values, and how a table learns.

A strategy is what is proportional to the positive part of a table; where no number is positive, all actions are alike.

Tables of many boards are larger than the processor's cache. While a decision is computed, the table of the next one in the
walk is fetched: its rows lie behind those of the decision on the way down, before them on the way up.
"""

from __future__ import annotations

from typing import NamedTuple

from smoothcall.kernels import callee, inlined, kernel
from smoothcall.kernels.search.lanes import Lanes, choose, fill, load, prefetch, store
from smoothcall.kernels.tables import Array


class Tables(NamedTuple):
    """The tables of one sweep."""

    regret: Array  # of the player; its strategy is proportional to the positive part
    average: Array  # of the player: sums of its strategies
    other: Array  # which the opponent follows: its regrets or its average
    policy: Array  # [rows, slots] uint8: which it follows instead, by bucket, where there are rows
    scale: float  # of the policy: probabilities are its numbers divided by this one
    sums: Array  # of the player: regrets, where the table `regret` holds predictions; else empty


class Weights(NamedTuple):
    """Factors of one iteration of CFR."""

    positive: float  # on positive regrets
    negative: float  # on negative regrets
    average: float  # on the sum of strategies


@inlined
def _shares(table: Array, first: int, actions: int, stride: int) -> tuple[Lanes, Lanes]:
    """Return (factor on positive numbers, probability to add) that make one block of a table a strategy."""
    none, one = fill(table, 0.0), fill(table, 1.0)
    total = none
    for action in range(actions):
        each = load(table, first + action * stride)
        total = total + choose(each, each, none)
    share = choose(total, one, none) / choose(total, total, one)
    return share, choose(total, none, fill(table, 1.0 / actions))


@kernel
def act(table: Array, first: int, actions: int, stride: int, reach: Array, before: int, after: Array) -> None:
    """Write the opponent's reach behind each action. after[action], `before` and `first` are blocks."""
    for block in range(stride):
        share, even = _shares(table, first + block, actions, stride)
        come, none = load(reach, before + block), fill(table, 0.0)
        for action in range(actions):
            prefetch(table, first + (action + actions) * stride + block)
            each = load(table, first + action * stride + block)
            store(reach, after[action] + block, come * (choose(each, each, none) * share + even))


@callee
def mean_values(table: Array, first: int, value: Array, own: int, below: Array, actions: int, stride: int) -> None:
    """Write the mean of the actions' values under the player's strategy."""
    for block in range(stride):
        share, even = _shares(table, first + block, actions, stride)
        none = fill(table, 0.0)
        mean = none
        for action in range(actions):
            each = load(table, first + action * stride + block)
            mean = mean + load(value, below[action] + block) * (choose(each, each, none) * share + even)
        store(value, own + block, mean)


@kernel
def learn(
    tables: Tables, first: int, value: Array, own: int, below: Array, actions: int, stride: int, weights: Weights
) -> None:
    """Write the mean of the actions' values under the current strategy; update regrets and the sum of strategies.

    Predictive CFR+ takes the gains of an action now as a prediction of the next ones: its strategy is proportional to the
    positive part of the regrets with the prediction added once more, and the regrets themselves are in `tables.sums`.
    """
    regret, average = tables.regret, tables.average
    for block in range(stride):
        share, even = _shares(regret, first + block, actions, stride)
        none = fill(regret, 0.0)
        positive, negative = fill(regret, weights.positive), fill(regret, weights.negative)
        fading = fill(regret, weights.average)
        mean = none
        for action in range(actions):
            place = first + action * stride + block
            each = load(regret, place)
            strategy = choose(each, each, none) * share + even
            mean = mean + load(value, below[action] + block) * strategy
            prefetch(average, place - actions * stride)
            store(average, place, load(average, place) * fading + strategy)
        for action in range(actions):
            place = first + action * stride + block
            prefetch(regret, place - actions * stride)
            old, gain = load(regret, place), load(value, below[action] + block) - mean
            if len(tables.sums):
                old = load(tables.sums, place)
                summed = old * choose(old, positive, negative) + gain
                store(tables.sums, place, summed)
                store(regret, place, choose(summed, summed, none) + gain)
            else:
                store(regret, place, old * choose(old, positive, negative) + gain)
        store(value, own + block, mean)

"""Quantised policies of large games: one byte an action, the bytes of a row summing to 255.

The action tree says which actions a row has: child[N, A] (negative where illegal), first_row[N] (negative at endings),
street[N], and buckets[R], the number of rows of a decision on each street.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from smoothcall.kernels import kernel
from smoothcall.kernels.tables import NO_SLOT, Array

SCALE = 255  # probabilities are bytes / SCALE


@kernel
def quantise_rows(
    weights: Array, child: Array, first_row: Array, street: Array, buckets: Array, unseen: Array, quantised: Array
) -> int:
    """Write weights[rows, A], normalised, to quantised[rows, A] uint8, by largest remainders.

    unseen[A] are the weights of rows without any. Return the first row with a weight that is negative or not finite, or -1.
    """
    actions = child.shape[1]
    for decision in range(len(child)):
        if first_row[decision] < 0:
            continue
        legal = 0.0
        for action in range(actions):
            legal += unseen[action] if child[decision, action] >= 0 else 0.0
        for row in range(first_row[decision], first_row[decision] + buckets[street[decision]]):
            total = 0.0
            for action in range(actions):
                if child[decision, action] >= 0:
                    total += float(weights[row, action])
                    if not 0 <= float(weights[row, action]) < np.inf:
                        return row
            left = SCALE
            for action in range(actions):
                quantised[row, action] = 0
                if child[decision, action] >= 0:
                    share = float(weights[row, action]) / total if total > 0 else unseen[action] / legal
                    quantised[row, action] = int(share * SCALE)
                    left -= int(quantised[row, action])
            while left > 0:  # to the largest remainders
                most, chosen = -1.0, 0
                for action in range(actions):
                    if child[decision, action] >= 0:
                        share = float(weights[row, action]) / total if total > 0 else unseen[action] / legal
                        if share * SCALE - float(quantised[row, action]) > most:
                            most, chosen = share * SCALE - float(quantised[row, action]), action
                quantised[row, chosen] += 1
                left -= 1
    return -1


@kernel
def threshold_rows(weights: Array, least: float, quantised: Array) -> None:
    """Write weights[rows, A] uint8 to quantised[rows, A] without those below `least`.

    The most likely action, of equals the first, always stays. The remaining ones are scaled up and rounded down; the remainder
    goes to the most likely.
    """
    actions = weights.shape[1]
    for row in range(len(weights)):
        most, total = 0, 0
        for action in range(actions):
            if weights[row, action] > weights[row, most]:
                most = action
        for action in range(actions):
            if action == most or weights[row, action] >= least:
                total += int(weights[row, action])
        left = SCALE
        for action in range(actions):
            quantised[row, action] = 0
            if action == most or weights[row, action] >= least:
                quantised[row, action] = int(weights[row, action]) * SCALE // total
                left -= int(quantised[row, action])
        quantised[row, most] += left


@kernel
def round_rows(weights: Array, unit: int, quantised: Array) -> None:
    """Write weights[rows, A] uint8, rounded to multiples of `unit` by largest remainders, to quantised[rows, A].

    Of equal remainders the first goes up. `unit` divides SCALE.
    """
    actions = weights.shape[1]
    for row in range(len(weights)):
        left = SCALE
        for action in range(actions):
            quantised[row, action] = int(weights[row, action]) // unit * unit
            left -= int(quantised[row, action])
        while left > 0:
            most, chosen = np.int64(-unit), 0
            for action in range(actions):
                over = np.int64(weights[row, action]) - np.int64(quantised[row, action])
                if over > most:
                    most, chosen = over, action
            quantised[row, chosen] += unit
            left -= unit


@kernel
def greedy_rows(
    mean: Array, visits: Array, child: Array, first_row: Array, street: Array, buckets: Array, exact: int, min_visits: int,
    fallback: int, quantised: Array,
) -> None:  # fmt: skip
    """Write the greedy policy of mean[rows, A]: probability 1 for the action of the highest mean.

    Where a legal action has no visits, the policy takes the slot `fallback`; with NO_SLOT, or where that is illegal, the best
    visited action, or uniform where none is visited. The slot `exact` has an exact mean: it needs no visits of its own, but
    `min_visits` of its row.
    """
    actions = child.shape[1]
    for decision in range(len(child)):
        if first_row[decision] < 0:
            continue
        for row in range(first_row[decision], first_row[decision] + buckets[street[decision]]):
            best, chosen, legal, untried, total = -np.inf, -1, 0, 0, 0.0
            for action in range(actions):
                quantised[row, action] = 0
                total += float(visits[row, action])
            for action in range(actions):
                if child[decision, action] < 0:
                    continue
                legal += 1
                untried += visits[row, action] == 0 and action != exact
                comparable = total >= min_visits if action == exact else visits[row, action] > 0
                if comparable and mean[row, action] > best:
                    best, chosen = float(mean[row, action]), action
            if fallback != NO_SLOT and untried > 0 and child[decision, fallback] >= 0:
                chosen = fallback
            if chosen >= 0:
                quantised[row, chosen] = SCALE
                continue
            left = SCALE
            for action in range(actions):
                if child[decision, action] >= 0:
                    quantised[row, action] = left // legal
                    left -= int(quantised[row, action])
                    legal -= 1


@kernel
def first_wrong(
    weights: Array, scale: Any, tolerance: float, child: Array, first_row: Array, street: Array, buckets: Array
) -> int:
    """Return the first row whose weights / scale are not probabilities that sum to 1, or -1."""
    for decision in range(len(child)):
        if first_row[decision] < 0:
            continue
        for row in range(first_row[decision], first_row[decision] + buckets[street[decision]]):
            total, wrong = 0.0, False
            for action in range(child.shape[1]):
                weight = float(weights[row, action])
                wrong |= not weight >= 0 or (child[decision, action] < 0 and weight > 0)
                total += weight
            if wrong or not abs(total - scale) <= tolerance * scale:
                return row
    return -1

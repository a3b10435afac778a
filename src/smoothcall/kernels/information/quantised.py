"""Policies of large games, rounded: a row's probabilities are whole parts of 255, one byte an action.

The nodes of the tree say which actions a row has: child[N, A] (negative where illegal), first_row[N] (negative at endings),
street[N], and how many rows a decision on each street has, buckets[R].
"""

from __future__ import annotations

from typing import Any

import numpy as np

from smoothcall.kernels import kernel
from smoothcall.kernels.tables import Array

SCALE = 255


@kernel
def round_rows(
    weights: Array, child: Array, first_row: Array, street: Array, buckets: Array, unseen: Array, parts: Array
) -> int:
    """weights[rows, A] -> parts[rows, A] uint8: as close as parts can be; unseen[A] are the weights where a row has none.

    Returns the first row with a weight that is negative or not finite, or -1.
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
                parts[row, action] = 0
                if child[decision, action] >= 0:
                    share = float(weights[row, action]) / total if total > 0 else unseen[action] / legal
                    parts[row, action] = int(share * SCALE)
                    left -= int(parts[row, action])
            while left > 0:  # what rounding down left goes where it is missed most
                most, chosen = -1.0, 0
                for action in range(actions):
                    if child[decision, action] >= 0:
                        share = float(weights[row, action]) / total if total > 0 else unseen[action] / legal
                        if share * SCALE - float(parts[row, action]) > most:
                            most, chosen = share * SCALE - float(parts[row, action]), action
                parts[row, chosen] += 1
                left -= 1
    return -1


@kernel
def threshold_rows(weights: Array, least: float, parts: Array) -> None:
    """weights[rows, A] uint8 -> parts[rows, A]: none below `least` parts but the most likely (of equals, the first).

    The others are scaled up and rounded down; what that leaves goes to the most likely.
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
            parts[row, action] = 0
            if action == most or weights[row, action] >= least:
                parts[row, action] = int(weights[row, action]) * SCALE // total
                left -= int(parts[row, action])
        parts[row, most] += left


@kernel
def greedy_rows(
    mean: Array, visits: Array, child: Array, first_row: Array, street: Array, buckets: Array, known: int, few: int,
    unknown: int, parts: Array,
) -> None:  # fmt: skip
    """All on the action of the highest mean[rows, A].

    Where a legal action was never visited means cannot be compared: all on `unknown`; below 0, the best of those visited,
    or even where none was. The action `known`, if not -1, needs no visits, but its row `few`.
    """
    actions = child.shape[1]
    for decision in range(len(child)):
        if first_row[decision] < 0:
            continue
        for row in range(first_row[decision], first_row[decision] + buckets[street[decision]]):
            best, chosen, legal, untried, total = -np.inf, -1, 0, 0, 0.0
            for action in range(actions):
                parts[row, action] = 0
                total += float(visits[row, action])
            for action in range(actions):
                if child[decision, action] < 0:
                    continue
                legal += 1
                untried += visits[row, action] == 0 and action != known
                tell = total >= few if action == known else visits[row, action] > 0
                if tell and mean[row, action] > best:
                    best, chosen = float(mean[row, action]), action
            if unknown >= 0 and untried > 0:
                chosen = unknown
            if chosen >= 0:
                parts[row, chosen] = SCALE
                continue
            left = SCALE
            for action in range(actions):
                if child[decision, action] >= 0:
                    parts[row, action] = left // legal
                    left -= int(parts[row, action])
                    legal -= 1


@kernel
def first_wrong(
    weights: Array, unit: Any, tolerance: float, child: Array, first_row: Array, street: Array, buckets: Array
) -> int:
    """The first row whose weights are no policy (in parts of `unit`), or -1."""
    for decision in range(len(child)):
        if first_row[decision] < 0:
            continue
        for row in range(first_row[decision], first_row[decision] + buckets[street[decision]]):
            total, wrong = 0.0, False
            for action in range(child.shape[1]):
                weight = float(weights[row, action])
                wrong |= not weight >= 0 or (child[decision, action] < 0 and weight > 0)
                total += weight
            if wrong or not abs(total - unit) <= tolerance * unit:
                return row
    return -1

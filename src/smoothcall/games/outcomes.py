"""Showdown outcomes: the ways in which hands can compare."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

Integers = np.ndarray[Any, np.dtype[np.integer[Any]]]


def standing(strength: Integers) -> Integers:
    """strength[..., P] -> [..., P] how many players each one beats or ties: equal for deals whose hands compare alike."""
    beaten: Integers = (strength[..., :, None] >= strength[..., None, :]).sum(axis=-1)
    return beaten


def every_outcome(players: int) -> tuple[Integers, Integers]:
    """Return every way hands can compare: ([P ** P] uint16 index, [outcomes, P] strengths).

    The index is read at the number whose digit p in base P says how many players hold a better hand than player p.
    """
    ranks = np.array(list(product(range(players), repeat=players)))
    orders = np.unique(standing(ranks), axis=0)
    index = np.zeros(players**players, np.uint16)
    index[((players - orders) * players ** np.arange(players)).sum(axis=1)] = np.arange(len(orders))
    return index, orders

"""How the hands of a deal compare at showdown."""

from __future__ import annotations

from itertools import product

import numpy as np

from smoothcall.kernels.tables import Array


def standing(strength: Array) -> Array:
    """strength[..., P] -> how many players each one beats or ties: equal for deals whose hands compare alike."""
    beaten: Array = (strength[..., :, None] >= strength[..., None, :]).sum(axis=-1)
    return beaten


def every_outcome(players: int) -> tuple[Array, Array]:
    """All the ways hands can compare: ([P ** P] uint16 index by how many are better than each, [outcomes, P] strengths)."""
    ranks = np.array(list(product(range(players), repeat=players)))
    orders = np.unique(standing(ranks), axis=0)
    index = np.zeros(players**players, np.uint16)
    index[((players - orders) * players ** np.arange(players)).sum(axis=1)] = np.arange(len(orders))
    return index, orders

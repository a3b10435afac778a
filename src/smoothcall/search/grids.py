"""Grids of starting hands: figures of hands as the field draws them, 13 x 13."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from smoothcall.kernels.tables import Array


def mean_grid(hands: Sequence[str], ranks: str, figure: Array, weight: Array) -> Array:
    """Return [ranks, ranks] means of figure[hands] with these weights; nan: no such hand, or none with a figure.

    Hands are written as `AhKs`. The first of `ranks` is the highest; suited hands are on the right of the diagonal.
    """
    places, shape = {rank: place for place, rank in enumerate(ranks)}, (len(ranks), len(ranks))
    total, whole = np.zeros(shape), np.zeros(shape)
    known = np.isfinite(figure)
    for hand, each, share in zip(hands, np.where(known, figure, 0), np.where(known, weight, 0), strict=True):
        one, other = sorted((places[hand[0]], places[hand[2]]))
        cell = (one, other) if hand[1] == hand[3] else (other, one)
        total[cell] += share * each
        whole[cell] += share
    found: Array = np.divide(total, whole, out=np.full(shape, np.nan), where=whole > 0)
    return found

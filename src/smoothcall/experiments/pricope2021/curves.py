"""Figs 2 and 3: the difference between the winnings of two copies of an agent, and what it is by chance."""

from __future__ import annotations

import numpy as np

from smoothcall.experiments.pricope2021.data import Data
from smoothcall.experiments.pricope2021.results import Played
from smoothcall.kernels.tables import Array

POINT = 500  # games of a point, as in the paper
LAST = 50  # points of which the paper says that they stay in a range
RANGE = 20.0  # mbb/h


def last_points(data: Data, label: str) -> Array:
    """Return [seeds, LAST] the last points of the curve; half of all points, where there are fewer than twice as many."""
    every = data.differences(label)
    return every[:, -max(min(LAST, every.shape[1] // 2), 1) :]


def in_range(points: Array) -> float:
    """Return the share of points in the paper's range."""
    return float((points <= RANGE).mean())


def chance(data: Data, label: str) -> float:
    """Return the expected |difference| between two identical players over POINT games, in mbb/h.

    The difference is twice the winnings of one; these are normal with mean 0.
    """
    played = Played.of(data[f"two copies of {label}"])
    hands = POINT * played.hands / played.freezeouts
    return float(2 * np.sqrt(2 / np.pi) * played.deviation * np.sqrt(POINT) / hands / data.blind * 1000)

"""Figs 2 and 3: the difference between the winnings of two copies of an agent, and what it is by chance."""

from __future__ import annotations

import numpy as np

from smoothcall.experiments.pricope2021.data import Data
from smoothcall.experiments.pricope2021.results import Played
from smoothcall.kernels.tables import Array

POINT = 500  # games of a point, as in the paper
PAPER_POINTS, LAST = 300, 50  # of its curve; the last, of which it says that they stay in a range
RANGE = 20.0  # mbb/h


def last_points(data: Data, label: str) -> Array:
    """Return [seeds, n] the last points of the curve: the last sixth, as in the paper, where they are LAST of 300."""
    every = data.differences(label)
    return every[:, -max(every.shape[1] * LAST // PAPER_POINTS, 1) :]


def narrowing(data: Data, label: str) -> Array:
    """Return [seeds] the mean of the last points less that of all points before."""
    every, last = data.differences(label), last_points(data, label)
    found: Array = last.mean(axis=1) - every[:, : -last.shape[1]].mean(axis=1)
    return found


def above_chance(data: Data, label: str) -> dict[int, Array]:
    """Return by how much the mean |difference| in stretches of a training is above that of identical copies, in mbb/h.

    By the freezeouts at which a stretch ends, [seeds]: where versions of the agent were kept, of all seeds. Winnings of a game
    between identical players have mean 0 and the standard deviation of a full stack; the hands of a game are those of the
    stretch.
    """
    trained = data.trained(label)
    found, start, before = {}, 0, [0] * len(trained)
    for points in zip(*(each["points"] for each in trained), strict=False):
        end = points[0]["iterations"]
        parts = [each["differences"][start // POINT : end // POINT] for each in trained]
        hands = [point["hands"] for point in points]
        if len(parts[0]):
            per_game = (np.array(hands) - before) / (end - start)
            found[end] = np.mean(parts, axis=1) - _by_chance(data.stack, per_game, data.blind)
        start, before = end, hands
    return found


def _by_chance(deviation: float, hands: Array | float, blind: int) -> Array:
    """Return the expected |difference| over POINT games, in mbb/h: twice the winnings of one, normal with mean 0.

    deviation: of the chips won in a game; hands: of a game.
    """
    return np.asarray(2 * np.sqrt(2 / np.pi) * deviation * np.sqrt(POINT) / (POINT * np.asarray(hands)) / blind * 1000)


def in_range(points: Array) -> float:
    """Return the share of points in the paper's range."""
    return float((points <= RANGE).mean())


def chance(data: Data, label: str) -> float:
    """Return the expected |difference| between an agent and itself over POINT games, in mbb/h."""
    played = Played.of(data[f"two copies of {label}"])
    return float(_by_chance(played.deviation, played.hands / played.freezeouts, data.blind))

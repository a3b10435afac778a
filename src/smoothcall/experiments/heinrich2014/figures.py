"""Figures of parts: estimates as JSON data and back, and curves of several seeds reduced to mean and range."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from smoothcall.evaluation.statistics import Estimate, Tally
from smoothcall.kernels.tables import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def save(estimate: Estimate) -> dict[str, Any]:
    """Return an estimate as JSON data; an unknown error is None."""
    return {"mean": estimate.mean, "error": estimate.error, "count": estimate.count}


def read(data: Mapping[str, Any]) -> Estimate:
    """Return the estimate that `save` wrote."""
    return Estimate(data["mean"], inf if data["error"] is None else data["error"], data["count"])


def mean(samples: Sequence[float] | Array) -> Estimate:
    """Return the mean of independent samples."""
    tally = Tally(1)
    tally.add(np.asarray(samples, float).reshape(-1, 1))
    return tally.estimates()[0]


def spread(figure: Array) -> dict[str, Any]:
    """Return mean and range over the seeds of figure[seeds, points], and the seeds' figures at the last point."""
    return {"mean": figure.mean(axis=0), "low": figure.min(axis=0), "high": figure.max(axis=0), "last": figure[:, -1]}


def draw(axes: Axes, x: Sequence[float], curve: Mapping[str, Any], label: str) -> None:
    """Draw the mean over the seeds, with their range as a band."""
    (line,) = axes.plot(x, curve["mean"], label=label)
    if len(curve["last"]) > 1:
        axes.fill_between(x, curve["low"], curve["high"], alpha=0.2, color=line.get_color())

"""Means with confidence intervals."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isfinite, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np

from smoothcall.errors import UsageError
from smoothcall.kernels.tables import Array

FEW = 30  # with fewer samples, intervals are Student's


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean of `count` independent samples, with its standard error; the error of one sample is infinite.

    A figure computed without sampling is `exact`: its count and its error are 0. A sample whose values are all equal has an
    error of 0 too, and is still an estimate.
    """

    mean: float
    error: float
    count: int

    @property
    def exact(self) -> bool:
        """Whether the figure was computed without sampling."""
        return self.count == 0 and self.error == 0

    def half_width(self, level: float = 0.95) -> float:
        """Return half the width of the confidence interval; 0 for exact figures, infinite for one sample."""
        if not 0 < level < 1:
            raise UsageError(f"confidence {level} (accepted: between 0 and 1)")
        if self.exact:
            return 0.0
        if self.count < 2:
            return inf
        return self.error * _quantile((1 + level) / 2, self.count)

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        half = self.half_width(level)
        return self.mean - half, self.mean + half

    @property
    def rounded(self) -> str:
        """Rounded to whole units, with the 95 % interval: +12 ± 3."""
        return f"{self.mean:+.0f} ± {self.half_width():.0f}"

    def scaled(self, factor: float) -> Estimate:
        """Return the estimate multiplied by a factor, which may be negative."""
        return Estimate(factor * self.mean, abs(factor) * self.error, self.count)

    def as_dict(self) -> dict[str, Any]:
        """Return data for JSON; infinite errors and intervals are None."""
        known = isfinite(self.error)
        return {
            "mean": self.mean,
            "error": self.error if known else None,
            "interval_68": list(self.interval(0.68)) if known else None,
            "interval_95": list(self.interval(0.95)) if known else None,
            "count": self.count,
        }


def _quantile(probability: float, count: int) -> float:
    """Return a quantile of the normal distribution, or of Student's below FEW samples."""
    if count >= FEW:
        return NormalDist().inv_cdf(probability)
    from scipy.special import stdtrit

    return float(stdtrit(count - 1, probability))


class Tally:
    """Running mean and variance of W figures, updated batch by batch (Chan, Golub and LeVeque 1983)."""

    def __init__(self, width: int) -> None:
        self.count = 0
        self._mean = np.zeros(width)
        self._squares = np.zeros(width)  # sums of squared distances from the mean

    def add(self, samples: Array) -> None:
        """samples[n, W]"""
        if not len(samples):
            return
        mean = samples.mean(axis=0)
        apart, total = mean - self._mean, self.count + len(samples)
        self._squares += ((samples - mean) ** 2).sum(axis=0) + apart**2 * (self.count * len(samples) / total)
        self._mean += apart * (len(samples) / total)
        self.count = total

    def estimates(self, scale: float = 1.0) -> tuple[Estimate, ...]:
        """Return one estimate per figure, multiplied by `scale`."""
        if self.count < 2:
            return tuple(Estimate(scale * mean, inf, self.count) for mean in self._mean.tolist())
        errors = np.sqrt(self._squares / (self.count - 1)) / sqrt(self.count)
        found = zip(self._mean.tolist(), errors.tolist(), strict=True)
        return tuple(Estimate(scale * mean, abs(scale) * error, self.count) for mean, error in found)

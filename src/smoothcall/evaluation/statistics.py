"""What a sample says about a mean: estimates with confidence intervals."""

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
    """A mean of `count` independent samples, with its standard error: infinite where one sample says nothing about it.

    A figure known without sampling has no error and no samples.
    """

    mean: float
    error: float
    count: int

    def half_width(self, level: float = 0.95) -> float:
        """How far the interval of this confidence reaches to each side of the mean."""
        if not 0 < level < 1:
            raise UsageError(f"confidence {level} (accepted: between 0 and 1)")
        if self.error == 0:  # known exactly
            return 0.0
        if self.count < 2:
            return inf
        return self.error * _quantile((1 + level) / 2, self.count)

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        half = self.half_width(level)
        return self.mean - half, self.mean + half

    @property
    def rounded(self) -> str:
        """In whole units, with the 95 % interval: +12 ± 3."""
        return f"{self.mean:+.0f} ± {self.half_width():.0f}"

    def scaled(self, factor: float) -> Estimate:
        """The same in other units; a negative factor turns it round."""
        return Estimate(factor * self.mean, abs(factor) * self.error, self.count)

    def as_dict(self) -> dict[str, Any]:
        """For JSON: what one sample cannot say is None."""
        known = isfinite(self.error)
        return {
            "mean": self.mean,
            "error": self.error if known else None,
            "interval_68": list(self.interval(0.68)) if known else None,
            "interval_95": list(self.interval(0.95)) if known else None,
            "count": self.count,
        }


def _quantile(probability: float, count: int) -> float:
    """Of the normal distribution, or of Student's where there are few samples."""
    if count >= FEW:
        return NormalDist().inv_cdf(probability)
    from scipy.special import stdtrit

    return float(stdtrit(count - 1, probability))


class Tally:
    """Samples of W figures at once, added batch by batch and not kept (Chan, Golub and LeVeque 1983)."""

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
        """One a figure, each multiplied by `scale`."""
        if self.count < 2:
            return tuple(Estimate(scale * mean, inf, self.count) for mean in self._mean.tolist())
        errors = np.sqrt(self._squares / (self.count - 1)) / sqrt(self.count)
        found = zip(self._mean.tolist(), errors.tolist(), strict=True)
        return tuple(Estimate(scale * mean, abs(scale) * error, self.count) for mean, error in found)

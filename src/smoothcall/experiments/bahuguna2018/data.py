"""Measured parts as arrays over trials."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from smoothcall.evaluation.statistics import Estimate
from smoothcall.experiments.bahuguna2018.settings import ITERATIONS, PLAIN, PRUNED, TRIALS
from smoothcall.experiments.curves import means
from smoothcall.experiments.parts import NotMeasured, Part
from smoothcall.kernels.tables import Array


def estimate(values: Sequence[float] | Array) -> Estimate:
    """Return the mean of one figure per trial."""
    return means(np.asarray(values, float)[:, None])[0]


def smaller_batches(part: Part) -> float:
    """Return the iterations that the document timed, divided by those of a part that times batches."""
    return float(ITERATIONS * TRIALS / (part.settings["batches"] * part.settings["batch"] * part.settings["trials"]))


@dataclass(frozen=True, eq=False)
class Trials:
    """The trials of a game."""

    played: str
    iterations: int
    sample: int  # iterations timed at a point, on average
    figures: list[Mapping[str, Any]]  # of each trial

    @classmethod
    def of(cls, parts: Mapping[str, Part], played: str) -> Trials:
        found = [part for name, part in parts.items() if name.startswith(f"{played}, trial ")]
        if not found:
            raise NotMeasured(f"{played}, trial 0")
        settings = found[0].settings
        return cls(played, int(settings["iterations"]), int(settings["sample"]), [part.figures for part in found])

    @property
    def count(self) -> int:
        return len(self.figures)

    @property
    def smaller(self) -> float:
        """The document's size divided by ours."""
        return ITERATIONS * TRIALS / (self.iterations * self.count)

    @property
    def smaller_timed(self) -> float:
        """The iterations that the document timed, divided by those that we did."""
        return ITERATIONS * TRIALS / (self.sample * len(self.points) * self.count)

    @property
    def points(self) -> list[int]:
        return list(self.figures[0]["points"])

    def figure(self, name: str) -> Array:
        """Return one figure per trial, or one array per trial, stacked."""
        return np.array([trial[name] for trial in self.figures], float)

    def epsilon(self, form: str) -> Array:
        """Return [trials, points] the epsilon that a form has learned."""
        return np.array([trial["epsilon"][_learner(form)] for trial in self.figures], float)

    def elapsed(self, form: str) -> Array:
        """Return [trials, points] the processor seconds of a form."""
        return np.array([trial["seconds"][form] for trial in self.figures], float)

    def seconds(self, form: str) -> Array:
        """Return [trials] the processor seconds of the document's number of iterations."""
        return self.elapsed(form)[:, -1] * (ITERATIONS / self.iterations)

    def nodes(self, form: str) -> Array:
        """Return [trials] the nodes visited in the document's number of iterations."""
        return np.array([trial["nodes"][_learner(form)] for trial in self.figures], float) * (ITERATIONS / self.iterations)

    def speedup(self, form: str, other: str) -> Array:
        """Return [trials] how much faster `form` is than `other`, in %."""
        return 100 * (self.seconds(other) / self.seconds(form) - 1)

    def at(self, share: float) -> int:
        """Return the index of the point closest to a share of the iterations."""
        return int(abs(np.log(np.array(self.points) / (share * self.iterations))).argmin())


def _learner(form: str) -> str:
    """Return under which name a form's learning is measured: the document's forms learn the same."""
    return PRUNED if "pruned" in form else PLAIN


def settled(points: Sequence[int], good: Array) -> Array:
    """Return [trials] the first point from which good[trials, points] holds to the end; the last point where it never does."""
    bad_after = [np.flatnonzero(~row) for row in good]
    firsts = [0 if not len(bad) else min(int(bad[-1]) + 1, len(points) - 1) for bad in bad_after]
    return np.array([points[first] for first in firsts], float)

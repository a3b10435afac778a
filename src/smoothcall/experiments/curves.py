"""Learning curves of several seeds, and figures of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from smoothcall.evaluation.statistics import Estimate, Tally
from smoothcall.kernels.tables import Array
from smoothcall.solvers import Solver

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True)
class Curves:
    """Measurements by name, [seeds, points] each, at `points` numbers of iterations."""

    points: list[int]
    figures: dict[str, Array]

    def last(self, name: str) -> float:
        """Return the mean of the seeds at the last point."""
        return float(self.figures[name][:, -1].mean())

    def lowest(self, name: str) -> float:
        """Return the lowest mean of the seeds over all points."""
        return float(self.figures[name].mean(axis=0).min())

    def as_data(self) -> dict[str, Any]:
        return {"points": self.points, **{name: figure.tolist() for name, figure in self.figures.items()}}


def spaced(first: int, last: int, count: int = 40) -> list[int]:
    """Return about `count` log-spaced numbers of iterations from `first` to `last`, both included."""
    return sorted({round(point) for point in np.geomspace(first, last, count)})


def follow(
    build: Callable[[int], Solver], seeds: int, points: Sequence[int], measures: Mapping[str, Callable[[Any], float]]
) -> Curves:
    """Run a solver for each seed and measure it at each point."""
    figures = {name: np.empty((seeds, len(points))) for name in measures}
    for seed in range(seeds):
        learner = build(seed)
        for index, point in enumerate(points):
            learner.run(point - learner.iterations)
            for name, measure in measures.items():
                figures[name][seed, index] = measure(learner)
    return Curves(list(points), figures)


def means(figure: Array) -> tuple[Estimate, ...]:
    """Return the mean of the seeds at each point; `figure` is [seeds, points]."""
    tally = Tally(figure.shape[1])
    tally.add(figure)
    return tally.estimates()


def draw(axes: Axes, curves: Curves, name: str, label: str, *, logarithmic: bool = True, intervals: bool = False) -> None:
    """Draw the mean of the seeds, with their range or the 95 % interval of the mean as a band."""
    figure = curves.figures[name]
    (line,) = axes.plot(curves.points, figure.mean(axis=0), label=label)
    if len(figure) > 1:
        low, high = figure.min(axis=0), figure.max(axis=0)
        if intervals:
            low, high = np.array([estimate.interval() for estimate in means(figure)]).T
        axes.fill_between(curves.points, low, high, alpha=0.2, color=line.get_color())
    axes.set(xscale="log" if logarithmic else "linear")

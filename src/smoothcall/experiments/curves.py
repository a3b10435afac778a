"""What reproductions share: learning curves of several seeds, and pictures of them."""

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
    """Figures by name, [seeds, points] each, at these numbers of iterations."""

    points: list[int]
    figures: dict[str, Array]

    def last(self, name: str) -> float:
        """The mean of the seeds at the last point."""
        return float(self.figures[name][:, -1].mean())

    def lowest(self, name: str) -> float:
        """The lowest mean of the seeds along the way."""
        return float(self.figures[name].mean(axis=0).min())

    def as_data(self) -> dict[str, Any]:
        return {"points": self.points, **{name: figure.tolist() for name, figure in self.figures.items()}}


def spaced(first: int, last: int, count: int = 40) -> list[int]:
    """About so many log-spaced numbers of iterations, both ends included."""
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
    """figure[seeds, points] -> the mean of the seeds at each point."""
    tally = Tally(figure.shape[1])
    tally.add(figure)
    return tally.estimates()


def draw(axes: Axes, curves: Curves, name: str, label: str, *, logarithmic: bool = True, intervals: bool = False) -> None:
    """The mean of the seeds, and their range as a band, or the interval of the mean."""
    figure = curves.figures[name]
    (line,) = axes.plot(curves.points, figure.mean(axis=0), label=label)
    if len(figure) > 1:
        low, high = figure.min(axis=0), figure.max(axis=0)
        if intervals:
            low, high = np.array([estimate.interval() for estimate in means(figure)]).T
        axes.fill_between(curves.points, low, high, alpha=0.2, color=line.get_color())
    axes.set(xscale="log" if logarithmic else "linear")

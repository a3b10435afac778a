"""Learning curves as pictures."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

from smoothcall.errors import unknown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from smoothcall.store.runs import Metric

AXES = {"iterations": "iterations", "seconds": "seconds", "nodes": "nodes visited"}
FLOOR = 1e-16  # what rounding leaves of an exact equilibrium; logarithms need something above 0


def new_figure(columns: int = 1, rows: int = 1, *, width: float = 7.0, height: float = 4.2) -> Figure:
    """An empty figure in the house style; it needs no display."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width * columns, height * rows), layout="constrained", dpi=110)
    for axes in figure.subplots(rows, columns, squeeze=False).flat:
        axes.grid(visible=True, which="major", alpha=0.35)
        axes.spines[["top", "right"]].set_visible(False)
    return figure


def png(figure: Figure) -> bytes:
    data = io.BytesIO()
    figure.savefig(data, format="png", metadata={"Software": None})
    return data.getvalue()


def draw_curves(runs: Sequence[tuple[str, Sequence[Metric]]], x: str = "iterations") -> bytes:
    """NashConv of (label, metrics) over iterations, seconds or nodes visited, both on logarithmic scales, as PNG."""
    if x not in AXES:
        raise unknown("axis", x, AXES)
    figure = new_figure()
    axes = figure.axes[0]
    for label, metrics in runs:
        points = [(getattr(metric, x), max(metric.nash_conv or 0.0, FLOOR)) for metric in metrics if getattr(metric, x) > 0]
        axes.plot(*zip(*points, strict=True), marker="o", markersize=3, linewidth=1.4, label=label) if points else None
    axes.set(xscale="log", yscale="log", xlabel=AXES[x], ylabel="NashConv (chips a hand)")
    if axes.lines:
        axes.legend(frameon=False)
    return png(figure)

"""Learning curves as pictures."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

from smoothcall.errors import UsageError, unknown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from smoothcall.store.metrics import Metric

AXES = {"iterations": "iterations", "seconds": "seconds", "nodes": "nodes visited"}
FLOOR = 1e-16  # drawn for an exact equilibrium: logarithms need a number above 0
FEWEST = 1000  # hands or freezeouts between points: the mean of fewer is mostly noise
NASH_CONV = "NashConv"
LABELS = {
    NASH_CONV: "NashConv (chips a hand)",
    "winnings a hand": "won since the point before (chips a hand)",
    "winnings a freezeout": "won since the point before (chips a freezeout)",
}


def new_figure(columns: int = 1, rows: int = 1, *, width: float = 7.0, height: float = 4.2) -> Figure:
    """Return an empty figure with the project's style; needs no display."""
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
    """Return the learning curves of (label, metrics) as PNG, over iterations, seconds or nodes visited on a logarithmic scale.

    The curve is NashConv on a logarithmic scale; in games with sampled deals, the winnings between evaluations.
    """
    if x not in AXES:
        raise unknown("axis", x, AXES)
    kinds = [_kind(label, metrics) for label, metrics in runs]
    if len(set(kinds)) > 1:
        told = ", ".join(f"{kind} of {label}" for (label, _), kind in zip(runs, kinds, strict=True))
        raise UsageError(f"{told}: these do not go on one picture (accepted: runs of which the same is known)")
    figure = new_figure()
    axes = figure.axes[0]
    kind = kinds[0] if kinds else NASH_CONV
    for label, metrics in runs:
        lines = {label: _nash_conv(metrics, x)} if kind == NASH_CONV else _winnings(label, metrics, x)
        for name, points in lines.items():
            axes.plot(*zip(*points, strict=True), marker="o", markersize=3, linewidth=1.4, label=name) if points else None
    axes.set(xscale="log", yscale="log" if kind == NASH_CONV else "linear", xlabel=AXES[x], ylabel=LABELS[kind])
    if axes.lines:
        axes.legend(frameon=False)
    return png(figure)


def _kind(label: str, metrics: Sequence[Metric]) -> str:
    """Return what is drawn of a run: a key of LABELS."""
    won = metrics[-1].won if metrics else None
    if won is None and any(metric.nash_conv is None for metric in metrics):
        raise UsageError(f"{label} has no NashConv to draw, its game is too large, nor does its solver know what was won")
    return NASH_CONV if won is None else f"winnings a {won.each}"


def _nash_conv(metrics: Sequence[Metric], x: str) -> list[tuple[float, float]]:
    return [(getattr(metric, x), max(metric.nash_conv or 0.0, FLOOR)) for metric in metrics if getattr(metric, x) > 0]


def _winnings(label: str, metrics: Sequence[Metric], x: str) -> dict[str, list[tuple[float, float]]]:
    """Return a line for each player: mean chips since the point before, of FEWEST hands or freezeouts or more."""
    lines: dict[str, list[tuple[float, float]]] = {}
    before: Metric | None = None
    for metric in metrics:
        won = metric.since(before)
        short = metric is metrics[-1] and not lines  # a run so short has one point
        if won is None or (won.count < FEWEST and not short):
            continue
        for player, chips in enumerate(won.chips):
            name = f"{label}, player {player}" if len(won.chips) > 1 else label
            lines.setdefault(name, []).append((getattr(metric, x), chips / won.count))
        before = metric
    return lines

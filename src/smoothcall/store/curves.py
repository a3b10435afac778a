"""Learning curves as pictures."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from smoothcall.errors import UsageError, unknown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from smoothcall.store.metrics import Metric

AXES = {"iterations": "iterations", "seconds": "seconds", "nodes": "nodes visited"}
FLOOR = 1e-16  # drawn for an exact equilibrium: logarithms need a number above 0
FEWEST = 1000  # hands or freezeouts between points: the mean of fewer is mostly noise
NASH_CONV = "NashConv"
DIGEST = "Smoothcall-Drawing"  # keyword in a picture's metadata
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


def png(figure: Figure, digest: str = "") -> bytes:
    """Return a figure as PNG, with the digest of what is drawn in its metadata."""
    data = io.BytesIO()
    figure.savefig(data, format="png", metadata={"Software": None} | ({DIGEST: digest} if digest else {}))
    return data.getvalue()


def png_digest(image: bytes) -> str:
    """Return the digest that `png` wrote into an image; "" if there is none."""
    mark = f"tEXt{DIGEST}\0".encode("latin-1")
    start = image.find(mark)
    length = len(hashlib.sha256().hexdigest())
    return "" if start < 0 else image[start + len(mark) : start + len(mark) + length].decode("latin-1")


def drawing_digest(figure: Figure) -> str:
    """Return a digest of what a figure shows: its data to six digits, texts and scales; not of pixels, fonts or colours."""
    digest = hashlib.sha256()

    def add(*values: object) -> None:
        for value in values:
            digest.update((value if isinstance(value, str) else _six_digits(value)).encode() + b"\n")

    for axes in figure.axes:
        add(axes.get_title(), axes.get_xlabel(), axes.get_ylabel(), axes.get_xscale(), axes.get_yscale())
        for line in axes.lines:
            add(str(line.get_label()), line.get_xydata())
        for collection in axes.collections:
            add(*(path.vertices for path in collection.get_paths()))
        for patch in axes.patches:
            add(patch.get_path().vertices, patch.get_patch_transform().get_matrix())
        for image in axes.images:
            add(image.get_array())
        for text in axes.texts:
            add(text.get_text(), text.get_position())
        add(*(label.get_text() for label in (*axes.get_xticklabels(), *axes.get_yticklabels())) if axes.texts else ())
    return digest.hexdigest()


def _six_digits(values: Any) -> str:
    numbers: Any = np.ma.filled(np.ma.asarray(values, float), np.nan).ravel()
    return " ".join(f"{number:.6g}" for number in numbers.tolist())


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

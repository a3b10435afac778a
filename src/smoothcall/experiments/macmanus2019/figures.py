"""Figures of macmanus2019's parts: estimates at numbers of episodes, and pictures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from smoothcall.evaluation.statistics import Estimate, Tally
from smoothcall.experiments.curves import Curves, draw
from smoothcall.experiments.macmanus2019.measurements import FIRST, SPECS, WINDOW, long_part, nash_conv_part, part_name
from smoothcall.experiments.macmanus2019.search import (
    AGAINST_RANDOM,
    LEDUC,
    PROGRAM,
    SELF_PLAY,
    SMOOTH,
    SMOOTH_HEINRICH,
    Method,
    Setting,
)
from smoothcall.experiments.parts import Part
from smoothcall.kernels.tables import Array
from smoothcall.store.curves import new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PUBLISHED_LONG = 0.0223
OTHER_HALF = "the point of the low is that of the other half of the repetitions"
NAMES = ("exact", "document", "stochastic", "folds", "reward")


def estimate(values: Array) -> Estimate:
    """Return the mean of independent values."""
    tally = Tally(1)
    tally.add(np.asarray(values, float).reshape(-1, 1))
    return tally.estimates()[0]


@dataclass(frozen=True, slots=True)
class Curve:
    """Figures of one search by name, [repetitions, points] each."""

    points: list[int]
    figures: dict[str, Array]
    windows: Array  # [episodes / 1,000] reward in each, mean of the repetitions

    @classmethod
    def of(cls, parts: Mapping[str, Part], setting: Setting, method: Method) -> Curve:
        found = parts[part_name(setting, method)].figures
        return cls(found["points"], {name: np.array(found[name]) for name in NAMES}, np.array(found["windows"]))

    @property
    def repetitions(self) -> int:
        return len(self.figures["exact"])

    def index(self, episodes: int) -> int:
        """Return the point nearest to a number of episodes."""
        return int(np.argmin(np.abs(np.array(self.points) - episodes)))

    def at(self, name: str, episodes: int) -> Array:
        """Return [repetitions] of a figure."""
        return self.figures[name][:, self.index(episodes)]

    def last(self, name: str) -> Array:
        return self.figures[name][:, -1]

    def lowest(self, name: str) -> int:
        """Return the episodes at which the mean of the even repetitions is lowest, from where the document's curves begin.

        What is lowest there by chance is not so in the odd ones, on which it is tested.
        """
        first = self.index(FIRST)
        return self.points[first + int(self.figures[name][::2, first:].mean(axis=0).argmin())]

    def between(self, begin: int, end: int) -> Array:
        """Return [repetitions] the mean reward of player 1 between the points nearest to `begin` (0: the start) and `end`."""
        last = self.index(end)
        total = self.figures["reward"][:, last] * self.points[last]
        first = self.index(begin) if begin else last
        found: Array = total / self.points[last]
        if begin and first != last:
            before = self.figures["reward"][:, first] * self.points[first]
            found = (total - before) / (self.points[last] - self.points[first])
        return found

    def drawn(self) -> Curves:
        """Return the points from where the document's curves begin."""
        first = self.index(FIRST)
        return Curves(self.points[first:], {name: figure[:, first:] for name, figure in self.figures.items()})


def nash_conv_curves(parts: Mapping[str, Part], suits: str, d: float | None) -> Curves:
    found = parts[nash_conv_part(suits, d)].figures
    return Curves(found["points"], {name: np.array(found[name]) for name in ("average", "greedy")})


def long_curves(parts: Mapping[str, Part], suits: str, d: float | None = 0.002) -> Curves:
    """Return the long runs of all seeds."""
    found = [part.figures for name, part in parts.items() if name.startswith(long_part(suits, d))]
    return Curves(found[0]["points"], {"average": np.array([each["average"] for each in found])})


# Pictures


def against_random(parts: Mapping[str, Part]) -> Figure:
    """Figs 4.1 to 4.3."""
    figure = new_figure(3, width=4.8)
    left, middle, right = figure.axes
    for setting, label in ((PROGRAM, "its program"), (LEDUC, "Leduc hold'em")):
        found = parts[f"cumulative reward: {setting.label}"].figures
        draw(left, Curves(found["points"], {"reward": np.array(found["reward"])}), "reward", label, logarithmic=False)
        _rewards(middle, Curve.of(parts, setting, AGAINST_RANDOM), label)
    left.set(xlabel="episodes", ylabel="cumulative reward (pots)", title="Fig 4.1")
    middle.set(xlabel="episodes", ylabel="reward (pots a hand)", title="Fig 4.2")
    _exploitability(right, parts, AGAINST_RANDOM, 4.9, "Fig 4.3")
    for axes in figure.axes:
        axes.legend(frameon=False)
    return figure


def self_play(parts: Mapping[str, Part]) -> Figure:
    """Figs 4.4 to 4.6, and Smooth UCT with Heinrich's d."""
    figure = new_figure(2, 2, width=6.0)
    first, second, third, fourth = figure.axes
    _rewards(first, Curve.of(parts, PROGRAM, SELF_PLAY), "its program")
    first.axhline(0, color="grey", linestyle=":")
    first.set(xlabel="episodes", ylabel="reward of player 1 (pots a hand)", title="Fig 4.4: UCT")
    _exploitability(second, parts, SELF_PLAY, 4.6, "Fig 4.5: UCT")
    _exploitability(third, parts, SMOOTH, 2.2, "Fig 4.6: Smooth UCT, d = 0.1")
    _exploitability(fourth, parts, SMOOTH_HEINRICH, None, "Smooth UCT, d = 0.002")
    for axes in figure.axes:
        axes.legend(frameon=False)
    return figure


def _rewards(axes: Axes, curve: Curve, label: str) -> None:
    episodes = WINDOW * (1 + np.arange(len(curve.windows)))
    axes.plot(episodes, curve.windows, label=label, linewidth=0.9)


def _exploitability(axes: Axes, parts: Mapping[str, Part], method: Method, published: float | None, title: str) -> None:
    program, leduc = (Curve.of(parts, setting, method).drawn() for setting in (PROGRAM, LEDUC))
    draw(axes, program, "document", "its program, its best response", intervals=True)
    draw(axes, program, "exact", "its program, exact", intervals=True)
    draw(axes, leduc, "exact", "Leduc hold'em, exact", intervals=True)
    if published is not None:
        axes.axhline(published, color="grey", linestyle=":", label=f"published: {published:g}")
    axes.set(xlabel="episodes", ylabel="exploitability (pots a hand)", title=title, ylim=(0, None))


def nash_conv(parts: Mapping[str, Part]) -> Figure:
    figure = new_figure(2)
    for axes, suits in zip(figure.axes, SPECS, strict=True):
        for d, label in ((None, "UCT"), (0.1, "Smooth UCT, d = 0.1"), (0.002, "Smooth UCT, d = 0.002")):
            draw(axes, nash_conv_curves(parts, suits, d), "average", label)
        axes.set(yscale="log", xlabel="episodes", ylabel="NashConv (chips a hand)", title=f"average policy, suits {suits}")
        axes.legend(frameon=False)
    return figure


def long(parts: Mapping[str, Part]) -> Figure:
    figure = new_figure()
    (axes,) = figure.axes
    for suits in SPECS:
        draw(axes, long_curves(parts, suits), "average", f"Smooth UCT, d = 0.002, suits {suits}")
        draw(axes, long_curves(parts, suits, None), "average", f"UCT, suits {suits}")
    axes.axhline(1.5, color="grey", linestyle="--", label="Heinrich's UCT at the end: 1.5")
    axes.axhline(PUBLISHED_LONG, color="grey", linestyle=":", label=f"Heinrich after 500 M: {PUBLISHED_LONG}")
    axes.set(yscale="log", xlabel="episodes", ylabel="NashConv (chips a hand)")
    axes.legend(frameon=False)
    return figure

"""Pictures of the page, in the place of the document's Figs 7.1 to 7.7."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from smoothcall.experiments.bahuguna2018.data import Trials
from smoothcall.experiments.bahuguna2018.settings import EPSILON, GAMES, RPS_ITERATIONS
from smoothcall.kernels.tables import Array
from smoothcall.store.curves import new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ITERATIONS_AXIS = "one-deal iterations"
EPSILON_AXIS = "epsilon (chips a hand)"


def _band(axes: Axes, points: Any, curves: Array, label: str) -> None:
    """Draw the mean of curves[trials, points] and their range."""
    (line,) = axes.plot(points, curves.mean(axis=0), label=label)
    axes.fill_between(points, curves.min(axis=0), curves.max(axis=0), alpha=0.2, color=line.get_color())


def rps_picture(found: Mapping[str, Any]) -> Figure:
    figure = new_figure(2)
    until = list(found["points"]).index(RPS_ITERATIONS) + 1
    points = found["points"][1:until]  # after one iteration the average is uniform
    labels = ("Kullback-Leibler divergence, nats", "Euclidean distance")
    for axes, name, label in zip(figure.axes, ("kullback_leibler", "euclidean"), labels, strict=True):
        _band(axes, points, np.array(found[name], float)[:, 1:until], "mean and range of the trials")
        axes.set(xscale="log", yscale="log", xlabel="iterations", ylabel=label)
        axes.legend(frameon=False)
    return figure


def value_picture(found: Trials) -> Figure:
    """Draw game values and epsilon over iterations."""
    figure = new_figure(2)
    left, right = figure.axes
    values = found.figure("values")
    for player in range(values.shape[2]):
        _band(left, found.points, values[:, :, player], f"player {player + 1}")
    _band(right, found.points, found.epsilon("recursive"), "mean and range of the trials")
    right.axhline(EPSILON, color="grey", linestyle=":", label="the document's goal")
    left.set(xscale="log", xlabel=ITERATIONS_AXIS, ylabel="value (chips a hand)")
    right.set(xscale="log", yscale="log", xlabel=ITERATIONS_AXIS, ylabel=EPSILON_AXIS)
    for axes in figure.axes:
        axes.legend(frameon=False)
    return figure


def bet_picture(found: Trials, keys: list[str], row_player: list[int]) -> Figure:
    """Draw Fig 7.2: one panel per card, one curve per information state."""
    figure = new_figure(3, width=4.6)
    bets = found.figure("bets")
    for axes, card in zip(figure.axes, "JQK", strict=True):
        for row, key in enumerate(keys):
            if key.startswith(card):
                _band(axes, found.points, bets[:, :, row], f"player {row_player[row] + 1} {key}")
        axes.set(xscale="log", ylim=(-0.03, 1.03), xlabel=ITERATIONS_AXIS, title=card)
        axes.legend(frameon=False, fontsize="small")
    figure.axes[0].set_ylabel("probability of betting or calling")
    return figure


def pruning_picture(two: Trials, three: Trials) -> Figure:
    """Draw Fig 7.5: epsilon with and without pruning."""
    figure = new_figure(2)
    for axes, found in zip(figure.axes, (two, three), strict=True):
        _band(axes, found.points, found.epsilon("recursive"), "without pruning")
        _band(axes, found.points, found.epsilon("recursive, pruned"), "with pruning")
        axes.set(xscale="log", yscale="log", xlabel=ITERATIONS_AXIS, ylabel=EPSILON_AXIS, title=GAMES[found.played])
        axes.legend(frameon=False)
    return figure


def implementation_picture(two: Trials, three: Trials, forms: tuple[str, ...]) -> Figure:
    """Draw Fig 7.7: epsilon over seconds."""
    figure = new_figure(2)
    for axes, found in zip(figure.axes, (two, three), strict=True):
        for form in forms:
            seconds, epsilon = found.elapsed(form).mean(axis=0), found.epsilon(form).mean(axis=0)
            axes.plot(seconds, epsilon, label=form)
        axes.set(xscale="log", yscale="log", xlabel="processor seconds", ylabel=EPSILON_AXIS, title=GAMES[found.played])
        axes.legend(frameon=False)
    return figure


def thread_picture(threads: Mapping[str, Mapping[str, Any]]) -> Figure:
    """Draw Fig 7.6: microseconds of an iteration on one thread and on several."""
    figure = new_figure(2)
    for axes, (played, found) in zip(figure.axes, threads.items(), strict=True):
        names = {"one": "one thread", "levels": f"levels on {found['threads']} threads"}
        for place, (name, label) in enumerate(names.items()):
            times = np.array(found[name], float)
            axes.plot(np.full(len(times), place), times, "o", label=label)
        axes.set(yscale="log", xlim=(-0.5, 1.5), ylabel="microseconds of an iteration", title=GAMES[played])
        axes.set_xticks([0, 1], list(names.values()))
    return figure

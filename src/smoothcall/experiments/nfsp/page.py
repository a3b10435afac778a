"""The NFSP page: sections, pictures and tables, made from its parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from smoothcall.experiments.curves import draw
from smoothcall.experiments.ledger import Page
from smoothcall.experiments.nfsp.published import CURVES
from smoothcall.experiments.nfsp.rows import rows
from smoothcall.experiments.nfsp.settings import BY_AUTHOR, CHANGES, DEFAULTS, KUHN, LONGER, Q_LEARNING, STEPS
from smoothcall.experiments.nfsp.training import (
    EXPLOITABILITY,
    GAP,
    GREEDY,
    ITERATION,
    MOVES,
    PROCESSOR,
    RESERVOIR,
    SECONDS,
    Learned,
    labels,
    learned,
)
from smoothcall.experiments.parts import Part
from smoothcall.kernels.tables import Array
from smoothcall.store.curves import new_figure

YLABEL = "exploitability (NashConv / 2)"


def write(page: Page, parts: Mapping[str, Part]) -> None:
    found = {label: learned(parts, label) for label in labels(parts)}
    for row in rows(parts):
        page.row(row)
    page.text(
        "Exploitability is the exact NashConv / 2 of the average policy, in chips per hand. Seconds are those of training in "
        "one process, without evaluations: by the clock of a machine shared with other work, and of the processor. The paper "
        "is known from its abstract (arXiv 1603.01121), from macmanus2019, from the program that its author published "
        "(github.com/Johannes-H/nfsp-leduc, commit b86356e) and from points that others read off its Figure 1 "
        "(github.com/aicenter/openspiel_reproductions, `target_results`); rows name the source. The published curves are "
        "taken for single trainings."
    )
    if KUHN in found:
        _kuhn(page, found[KUHN])
    if by_author := [found[label] for label in BY_AUTHOR.values() if label in found]:
        _author(page, by_author)
    if defaults := [found[label] for label in DEFAULTS.values() if label in found]:
        _defaults(page, defaults)
    if Q_LEARNING in found:
        _alone(page, found[Q_LEARNING])
    if ours := [found[label] for label in STEPS if label in found]:
        _ours(page, ours)
    if LONGER in found:
        _longer(page, found[LONGER])
    page.heading("Commands")
    page.table(["training", "command"], [[each.label, f"`{each.command}`"] for each in found.values()])


def _curves(page: Page, name: str, mine: Sequence[Learned], caption: str) -> None:
    """Draw exploitability over episodes; bands are the range of the seeds."""
    figure = new_figure()
    for each in mine:
        draw(figure.axes[0], each.curves, EXPLOITABILITY, each.label)
    figure.axes[0].set(yscale="log", xlabel="episodes", ylabel=YLABEL)
    figure.axes[0].legend()
    page.picture(name, figure, f"{caption}; bands are the range of the seeds")


def _table(page: Page, mine: Sequence[Learned]) -> None:
    heads = ["", "episodes", "exploitability at the end, by seed", "seconds", "of the processor"]
    page.table(heads, [[each.label, f"{each.points[-1]:,}", by_seed(each.last()), *_clocks(each)] for each in mine])


def _clocks(each: Learned) -> list[str]:
    """Return the mean seconds of training, by both clocks; the second was not always recorded."""
    known = PROCESSOR in each.curves.figures
    return [f"{each.last(SECONDS).mean():,.0f}", f"{each.last(PROCESSOR).mean():,.0f}" if known else "not recorded"]


def by_seed(figures: Array) -> str:
    return ", ".join(f"{figure:.3f}" for figure in figures)


def _kuhn(page: Page, each: Learned) -> None:
    page.heading("Kuhn poker")
    page.text("The paper has no figures of Kuhn poker. All settings are the solver's defaults.")
    _curves(page, "kuhn", [each], "Kuhn poker: exploitability over episodes")
    _table(page, [each])


def _author(page: Page, mine: Sequence[Learned]) -> None:
    page.heading("The author's program")
    page.text(
        "An iteration of the program is one move in each of 128 hands, then two updates of every network with batches of "
        "128: one update for 32 moves of a player. Learning rates are 0.1 for the best response and 0.005 for the average"
        " policy; the best response follows the gradient of *half* the squared error of rewards in 1/26 chips "
        "(`value_rate=0.05 scale=26`). Exploration is 0.06 / (1 + 0.01 sqrt(iterations)), which `fade=300000` "
        "approximates. What still differs: our 512 hands are played at once, and 8 updates follow 512 moves; rewards come"
        " at the end of the hand, the program books chips when they are paid, which shifts all values of a state alike; "
        "illegal actions are left out, the program calls instead; the target network is renewed every 300 updates as in "
        "the paper, the program has none."
    )
    figure = new_figure()
    for each in mine:
        over = np.exp(np.log(each.curves.figures[MOVES]).mean(axis=0)) / ITERATION
        line = each.curves.figures[EXPLOITABILITY]
        (drawn,) = figure.axes[0].plot(over, line.mean(axis=0), label=each.label)
        figure.axes[0].fill_between(over, line.min(axis=0), line.max(axis=0), alpha=0.2, color=drawn.get_color())
    for units, published in CURVES.items():
        figure.axes[0].plot(list(published), list(published.values()), "o--", markersize=3, label=f"published, {units} units")
    figure.axes[0].set(xscale="log", yscale="log", xlabel="iterations of 128 moves", ylabel=YLABEL)
    figure.axes[0].legend()
    page.picture("author", figure, "Leduc with the settings of the author's program, beside Figure 1 of the paper")
    heads = ["", "iterations", "exploitability at the end, by seed", "best response gap", "seconds", "of the processor"]
    page.table(
        heads,
        [
            [each.label, f"{each.iterations:,.0f}", by_seed(each.last()), by_seed(each.last(GAP)), *_clocks(each)]
            for each in mine
        ],
    )


def _defaults(page: Page, mine: Sequence[Learned]) -> None:
    page.heading("The solver's defaults")
    page.text(
        "The paper's numbers read literally, which are the defaults of `smoothcall train leduc nfsp`: two updates of each "
        "network for every 128 moves *of a player*, the gradient of the whole squared error of rewards in chips, and "
        "exploration of 0.06 that falls with the square root of the episodes."
    )
    _curves(page, "defaults", mine, "Leduc, defaults: exploitability over episodes")
    _table(page, mine)


def _alone(page: Page, each: Learned) -> None:
    page.heading("Q-learning alone")
    page.text(
        "With `eta=1` both players play their best response in every hand, and the best response is deep Q-learning in "
        "self-play. Its greedy policy is what Q-learning has learned; the average policy imitates all of its past."
    )
    figure = new_figure()
    for name, label in ((GREEDY, "greedy policy"), (EXPLOITABILITY, "average policy")):
        draw(figure.axes[0], each.curves, name, label)
    figure.axes[0].set(yscale="log", xlabel="episodes", ylabel=YLABEL)
    figure.axes[0].legend()
    page.picture(
        "q-learning", figure, "Leduc, Q-learning in self-play: exploitability over episodes; bands are the range of the seeds"
    )


def _ours(page: Page, mine: Sequence[Learned]) -> None:
    page.heading("Ours: one change at a time")
    page.text(
        "Every training has the changes of the ones above it, and its own. The settings of the last one were chosen by "
        "looking at seed 0 only. Beside the average policy's network stands a table of the frequencies of the moves in "
        "the reservoir, which that network imitates: where both are equally exploitable, the network is not the limit. "
        "The *best response gap* is what the learned best response falls short of the exact one against the same average "
        "policy, the mean of both players; the learned one is trained against the opponent as it plays, which is its best "
        "response in a share eta of the hands."
    )
    _curves(page, "leduc", mine, "Leduc, ours: exploitability over episodes")
    heads = [*LIMITS, "seconds", "of the processor"]
    page.table(heads, [[*_limits(each, each.points[-1]), *_clocks(each)] for each in mine])
    common = max(set.intersection(*(set(each.points) for each in mine)))
    page.text(f"All of them after {common:,} episodes, the last point that they share:")
    page.table([*LIMITS, "change"], [[*_limits(each, common), _settings(each)] for each in mine])


def _longer(page: Page, each: Learned) -> None:
    page.text("The last settings once more, trained for longer with the same seeds:")
    _curves(page, "longer", [each], "Leduc, ours, trained for longer: exploitability over episodes")
    page.table([*LIMITS, "seconds", "of the processor"], [[*_limits(each, each.points[-1]), *_clocks(each)]])


LIMITS = ["", "episodes", "exploitability, by seed", "of the reservoir's frequencies", "best response gap"]


def _limits(each: Learned, episodes: int) -> list[str]:
    """Return the cells of LIMITS."""
    figures = [
        by_seed(each.after(episodes, name)) if name in each.curves.figures else "not recorded"
        for name in (EXPLOITABILITY, RESERVOIR, GAP)
    ]
    return [each.label, f"{episodes:,}", *figures]


def _settings(each: Learned) -> str:
    return "`" + " ".join(f"{name}={each.options[name]}" for name in CHANGES[each.label]) + "`"

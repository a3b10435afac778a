"""Gradient play on Leduc hold'em (pricope2021): exact exploitability of NFSP with and without it.

The document compares its two agents in no-limit hold'em only, by their winnings. Here both learn a game whose exploitability is
computed exactly. Eta, rho, the ratio of updates to moves and the memory of transitions are the document's. With its batches of
256, its target network renewed every 1,000 updates and its smaller reservoir, exploitability fluctuates by 0.05; one seed of
each is listed as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from smoothcall.evaluation.statistics import Estimate
from smoothcall.experiments.curves import draw, means
from smoothcall.experiments.ledger import Page
from smoothcall.experiments.nfsp.training import EXPLOITABILITY, SECONDS, Learned, Training, learned
from smoothcall.experiments.nfsp.training import measure as measure_trainings
from smoothcall.experiments.parts import Part, Parts
from smoothcall.experiments.verdicts import Below, Measured, Row
from smoothcall.store.curves import new_figure

OURS = {"policy_rate": 0.1, "batch": 512}  # a faster average policy; larger batches reduce its noise
PAPER = {"batch": 256, "every": 64, "updates": 1, "target": 1000, "moves": 1_000_000, "double": True}
RATES = {
    "policy_rate": 0.1,
    "cool": 20_000,
}  # not in the document; chosen for discrete play, which came to 0.164 without cooling
TINY = {"hands": 64, "batch": 32, "every": 16, "updates": 1, "transitions": 5000, "moves": 10_000, "target": 50}

SOURCE = "Leduc (ours)"
DISCRETE, COLUMNS, DIAGONAL = (
    f"Leduc, {arm}" for arm in ("discrete play", "gradient play, columns", "gradient play, diagonal")
)
ARMS: dict[str, dict[str, Any]] = {DISCRETE: {}, COLUMNS: {"rho": 0.92}, DIAGONAL: {"rho": 0.92, "matrix": "diagonal"}}
SEEDS = {DISCRETE: 3, COLUMNS: 3, DIAGONAL: 1}
AS_PAPER = {f"{label}, batches of 256": ARMS[label] for label in (DISCRETE, COLUMNS)}
FULL = (
    *(Training(label, "leduc", 12_000_000, SEEDS[label], OURS | arm, until=5_826_370) for label, arm in ARMS.items()),
    *(Training(label, "leduc", 6_000_000, 1, PAPER | RATES | arm) for label, arm in AS_PAPER.items()),
)
QUICK = tuple(Training(label, "leduc", 3000, 2, OURS | TINY | ARMS[label]) for label in (DISCRETE, COLUMNS))
BAR = 0.15  # exploitability by which speeds are compared


def measure(parts: Parts, quick: bool) -> None:
    """Train all arms, seed by seed."""
    measure_trainings(parts, QUICK if quick else FULL)


def write(page: Page, parts: Mapping[str, Part]) -> None:
    """Add the section and its rows to a page."""
    found = [learned(parts, label) for label in (*ARMS, *AS_PAPER) if f"{label}, seed 0" in parts]
    page.heading("Leduc: does gradient play help?")
    page.text(
        "The document's two variants in Leduc hold'em, where exploitability (NashConv / 2 of the average policy, in chips per "
        "hand) is exact. Discrete play (`rho=1`) is neural fictitious self-play. In gradient play (`rho=0.92`), 8 % of the "
        "hands that do not follow the average policy follow P[Pi + M Pi'] instead of the best response. The document does not "
        "define M: with *columns* M Pi' is the action values Q, the gradient of the value; with *diagonal* it is Q times the "
        "opponent's average policy. Eta (0.1), rho, one update for every 64 moves and 200,000 transitions are the document's. "
        "Batches (512, the document: 256), the target network (renewed every 300 updates, the document: 1,000), the reservoir "
        "(2 M, the document: 1 M; not full here), learning rates, the network (64 units) and exploration (the document gives "
        "an epsilon of 0.9 without a schedule) are ours. The trainings with batches of 256 have the document's numbers, with "
        "learning rates chosen for discrete play; one seed of each is weak evidence. Bands are 95 % intervals of the mean over "
        "the seeds."
    )
    arms = [each for each in found if each.label in ARMS]
    if DISCRETE not in [each.label for each in arms]:
        page.text("Not measured yet.")
        return
    figure = new_figure()
    for each in arms:
        draw(figure.axes[0], each.curves, EXPLOITABILITY, each.label, intervals=True)
    figure.axes[0].set(yscale="log", xlabel="episodes", ylabel="exploitability (NashConv / 2)")
    figure.axes[0].legend()
    page.picture("leduc", figure, "Leduc hold'em: exploitability over episodes")
    heads = [
        "",
        "seeds",
        "episodes",
        "exploitability at the end, by seed",
        f"episodes until below {BAR:g}",
        "seconds",
        "command",
    ]
    page.table(heads, [_cells(each) for each in found])
    discrete = next(each for each in arms if each.label == DISCRETE)
    for each in arms:
        if each.label != DISCRETE:
            page.row(_better(each, discrete))
            page.row(_faster(each, discrete))


def _cells(each: Learned) -> list[object]:
    last = ", ".join(f"{value:.3f}" for value in each.last())
    seconds = f"{each.last(SECONDS).mean():.0f}"
    return [each.label, each.seeds, f"{each.points[-1]:,}", last, _in_words(_until_below(each)), seconds, f"`{each.command}`"]


def _until_below(each: Learned) -> list[float | None]:
    """Return by seed the episodes after which exploitability stays below BAR."""
    points = np.array(each.points, float)
    return [each.stays_below(seed, points, BAR) for seed in range(each.seeds)]


def _in_words(reached: Sequence[float | None]) -> str:
    return ", ".join("not reached" if when is None else f"{when:,.0f}" for when in reached)


def _apart(each: Learned, discrete: Learned) -> tuple[Estimate, Estimate]:
    """Return the mean of gradient play - discrete play: at the end, and over the last nine tenths of the episodes."""
    pairs = slice(min(each.seeds, discrete.seeds))
    apart = each.curves.figures[EXPLOITABILITY][pairs] - discrete.curves.figures[EXPLOITABILITY][pairs]  # [seeds, points]
    late = np.array(each.points) >= each.points[-1] / 10
    end, along = means(np.stack([apart[:, -1], apart[:, late].mean(axis=1)], axis=1))
    return end, along


def _better(each: Learned, discrete: Learned) -> Row:
    end, _ = _apart(each, discrete)
    return Row(
        SOURCE,
        f"{each.label}, does better than discrete play: exploitability after {each.points[-1]:,} episodes, gradient - discrete",
        None,
        (Measured(end, Below(0), form="+.3f", unit="chips a hand"),),
        note=f"{outcome(end)}; pairs of trainings with the same initial networks",
    )


def _faster(each: Learned, discrete: Learned) -> Row:
    _, along = _apart(each, discrete)
    return Row(
        SOURCE,
        f"{each.label}, learns faster than discrete play: mean exploitability over the last nine tenths of the episodes, "
        "gradient - discrete",
        None,
        (Measured(along, Below(0), form="+.3f", unit="chips a hand"),),
        note=f"{outcome(along)}; episodes until below {BAR:g}: {_in_words(_until_below(each))}, discrete play "
        f"{_in_words(_until_below(discrete))}",
    )


def outcome(apart: Estimate) -> str:
    """Return the conclusion from an interval of gradient play - discrete play."""
    if apart.count == 1:
        return "one pair of trainings decides nothing"
    low, high = apart.interval()
    if low <= 0 <= high:
        return "no difference beyond the seeds' spread"
    return "gradient play is the more exploitable" if low > 0 else "gradient play is the less exploitable"

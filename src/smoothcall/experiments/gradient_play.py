"""Gradient play on Leduc hold'em (pricope2021): exact exploitability of NFSP with and without it.

The paper compares its two agents in no-limit hold'em only, by their winnings. Here both learn a game whose exploitability is
computed exactly. Discrete play is `nfsp` with our settings, at the same points, up to the last point of gradient play. Eta,
rho, the ratio of updates to moves and the memory of transitions are the paper's. With the paper's batches of 256, its target
network renewed every 1,000 updates and its smaller reservoir, exploitability fluctuates by 0.05; one seed of each is listed as
well.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from smoothcall.evaluation.statistics import Estimate
from smoothcall.experiments.curves import means
from smoothcall.experiments.ledger import Page
from smoothcall.experiments.nfsp import OURS, Found, Training, as_data, below, check, in_words, learned, picture, row

PAPER = {"batch": 256, "every": 64, "updates": 1, "target": 1000, "moves": 1_000_000, "double": True}
RATES = {"policy_rate": 0.1, "cool": 20_000}  # not in the paper; chosen for discrete play, which came to 0.164 without cooling
TINY = {"hands": 64, "batch": 32, "every": 16, "updates": 1, "transitions": 5000, "moves": 10_000, "target": 50}

DISCRETE, COLUMNS, DIAGONAL = "discrete play", "gradient play, columns", "gradient play, diagonal"
ARMS: dict[str, dict[str, Any]] = {DISCRETE: {}, COLUMNS: {"rho": 0.92}, DIAGONAL: {"rho": 0.92, "matrix": "diagonal"}}
SEEDS = {DISCRETE: 3, COLUMNS: 3, DIAGONAL: 1}
FULL = tuple(Training(label, "leduc", 12_000_000, SEEDS[label], OURS | arm, until=5_826_370) for label, arm in ARMS.items())
QUICK = tuple(Training(label, "leduc", 3000, 2, OURS | TINY | ARMS[label]) for label in (DISCRETE, COLUMNS))
AS_PAPER = tuple(
    Training(f"{label}, batches of 256", "leduc", 6_000_000, 1, PAPER | RATES | ARMS[label]) for label in (DISCRETE, COLUMNS)
)
BAR, LIMIT = 0.15, 1800  # exploitability, and seconds within which it should be reached


def leduc(page: Page, *, quick: bool, kept: Found, tell: Callable[[str], None]) -> dict[str, Any]:
    """Add the section to a page, with saved curves where there are some; return the curves as JSON data."""
    arms = QUICK if quick else FULL
    wanted = arms if quick else arms + AS_PAPER
    found = learned(wanted, kept, tell)
    page.heading("Leduc: does gradient play help?")
    page.text(
        "The paper's two variants in Leduc hold'em, where exploitability (NashConv / 2 of the average policy, in chips per "
        "hand) is exact. Discrete play (`rho=1`) is neural fictitious self-play. In gradient play (`rho=0.92`), 8 % of the "
        "hands that do not follow the average policy follow P[Pi + M Pi'] instead of the best response. The paper does not "
        "define M: with *columns* M Pi' is the action values Q, the gradient of the value; with *diagonal* it is Q times the "
        "opponent's average policy. Eta (0.1), rho, one update for every 64 moves and 200,000 transitions are the paper's. "
        "Batches (512, the paper: 256), the target network (renewed every 300 updates, the paper: 1,000), the reservoir (2 M, "
        "the paper: 1 M; not full here), learning rates, the network (64 units) and exploration (the paper gives an epsilon of "
        "0.9 without a schedule) are those of the NFSP page, whose curve is that of discrete play. The rows with batches of "
        "256 have the paper's numbers, with learning rates chosen for discrete play; one seed of each is weak evidence. Bands "
        "are 95 % intervals of the mean over the seeds. Seconds are those of training in one process; except for discrete "
        "play, the machine was busy with other work at the time."
    )
    picture(page, arms, found, name="leduc", title="Leduc hold'em", intervals=True)
    heads = ["", "episodes", "exploitability at the end, by seed", "seconds", "command", f"stays below {BAR:g} after"]
    page.table(heads, [[*row(each, found), in_words(below(each, found, BAR))] for each in wanted])
    for each in arms:
        check(page, each, found, f"leduc, {each.label}", "(not in the paper)", bar=BAR, limit=LIMIT, judged=not quick)
        if each.label != DISCRETE:
            page.text(_compared(each.label, found))
    return as_data(wanted, found)


def _compared(label: str, found: Found) -> str:
    """Return a sentence that compares gradient play with discrete play, seed by seed."""
    (one, _), (other, _) = found[label], found[DISCRETE]
    seeds = len(one.figures["exploitability"])
    apart = one.figures["exploitability"] - other.figures["exploitability"][:seeds]  # [seeds, points]
    late = np.array(one.points) >= one.points[-1] / 10
    end, along = means(np.stack([apart[:, -1], apart[:, late].mean(axis=1)], axis=1))
    what = f"{label.capitalize()}, less discrete play at equal episodes, in exploitability"
    last = "on average over the points of the last nine tenths of the episodes"
    if seeds == 1:
        return f"{what}, of one seed: {end.mean:+.3f} at the end, {along.mean:+.3f} {last}; one seed is weak evidence."
    return (
        f"{what}, mean of {seeds} seeds with the same initial networks: {_difference(end)} at the end ({verdict(end)}); "
        f"{_difference(along)} {last} ({verdict(along)})."
    )


def _difference(apart: Estimate) -> str:
    return f"{apart.mean:+.3f} ± {apart.half_width():.3f}"


def verdict(apart: Estimate) -> str:
    """Return the conclusion from an interval of (gradient play - discrete play)."""
    low, high = apart.interval()
    if low <= 0 <= high:
        return "no difference beyond the seeds' spread"
    return "gradient play is the more exploitable" if low > 0 else "gradient play is the less exploitable"

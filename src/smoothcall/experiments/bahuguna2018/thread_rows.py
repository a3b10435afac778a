"""Rows on threads: Table 7.2 and Fig 7.6."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from smoothcall.experiments.bahuguna2018.data import estimate, smaller_batches
from smoothcall.experiments.bahuguna2018.settings import GAMES, ITERATIONS, THREAD_SECONDS, THREAD_SPEEDUPS, TRIALS
from smoothcall.experiments.bahuguna2018.speed_rows import OTHER_MACHINE, PERCENT
from smoothcall.experiments.parts import Part
from smoothcall.experiments.verdicts import Above, Below, Measured, Near, Row, difference, exact
from smoothcall.kernels.tables import Array

LEVELS = "Threads"  # a heading of the page
INTERRUPTED = 1000.0  # microseconds of an iteration, which undisturbed takes 10 to 40


def uninterrupted(figures: Mapping[str, Any]) -> tuple[Array, Array, int]:
    """Return (one, levels) of the trials of which some batch was not interrupted, and the number of the other trials.

    Where every trial was interrupted, the fastest is kept: it has no interval and decides nothing.
    """
    one, levels = (np.array(figures[name], float) for name in ("one", "levels"))
    kept = levels <= max(INTERRUPTED, levels.min())
    return one[kept], levels[kept], int((~kept).sum())


def thread_rows(parts: Mapping[str, Part]) -> Iterator[Row]:
    lost = {}
    for played in GAMES:
        part = parts[f"{played}, threads"]
        one, levels, _ = uninterrupted(part.figures)
        lost[played] = 100 * (one / levels - 1)
        yield from _second_rows(played, one, levels, smaller_batches(part))
        yield from _speed_rows(played, part, lost[played], _thread_cause(played, one, levels))
    yield Row(
        "Section 7.2.1",
        "Kuhn poker: threads cost more speed with two players than with three",
        "44.0 % against 22.7 %",
        (
            Measured(
                difference(estimate(lost["kuhn-3p"]), estimate(lost["kuhn"])),
                Above(0),
                "change of speed, three players less two",
                "+.1f",
                "%",
            ),
        ),
        smaller=smaller_batches(parts["kuhn, threads"]),
        cause=f"See {LEVELS!r}",
    )


def _second_rows(played: str, one: Array, levels: Array, smaller: float) -> Iterator[Row]:
    """Return a row for each printed second; `one` and `levels` are microseconds of an iteration, one figure per trial."""
    timed = (("one thread", one), ("several threads", levels))
    for (threads, micro), seconds in zip(timed, THREAD_SECONDS[played], strict=True):
        yield Row(
            "Table 7.2, Fig 7.6",
            f"Kuhn poker, {GAMES[played]}: seconds of the iterative form on {threads} for 10 M iterations",
            f"{seconds} s",
            (Measured(estimate(micro * ITERATIONS / 1e6), None, "", ".1f", "s"),),
            deviations=(OTHER_MACHINE,),
            smaller=smaller,
        )


def _speed_rows(played: str, part: Part, lost: Array, cause: str) -> Iterator[Row]:
    players, figures, smaller = GAMES[played], part.figures, smaller_batches(part)
    yield Row(
        "Table 7.2",
        f"Kuhn poker, {players}: change of speed by threads that share the nodes of a level",
        f"{THREAD_SPEEDUPS[played]} %",
        (Measured(estimate(lost), Near(THREAD_SPEEDUPS[played], PERCENT, TRIALS), "", "+.1f", "%"),),
        smaller=smaller,
        cause=cause,
    )
    yield Row(
        "Table 7.2, Fig 7.6, Section 7.2.1",
        f"Kuhn poker, {players}: threads that share the nodes of a level make the iteration slower",
        "a significant decrease in performance",
        (Measured(estimate(lost), Below(0), "change of speed", "+.1f", "%"),),
        smaller=smaller,
        note=f"{figures['threads']} threads; the document's number is not published",
    )
    yield Row(
        "Section 6.2",
        f"Kuhn poker, {players}: the decision nodes of a level are independent of each other",
        "independent",
        (Measured(exact(figures["levels_apart"]), Near(0), "largest difference of tables learned on one and several threads"),),
        smaller=ITERATIONS * TRIALS / (part.settings["batch"] * part.settings["trials"]),
    )
    ours = np.array(figures["ours_one"], float) / np.array(figures["ours_two"], float)
    yield Row(
        "Section 8.2",
        f"Kuhn poker, {players}: change of speed by two threads that share tables without locks (our `mccfr`)",
        None,
        (Measured(estimate(100 * (ours - 1)), None, "", "+.1f", "%"),),
        note="another algorithm than the document's: each thread walks deals of its own",
    )


def _thread_cause(played: str, one: Array, levels: Array) -> str:
    single, several = (seconds / ITERATIONS * 1e6 for seconds in THREAD_SECONDS[played])
    return (
        f"starting threads costs {(levels - one).mean():.1f} microseconds an iteration here and {several - single:.1f} there, "
        f"but an iteration on one thread takes {one.mean():.2f} here and {single:.1f} there. See {LEVELS!r}"
    )

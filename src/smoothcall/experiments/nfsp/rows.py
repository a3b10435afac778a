"""The rows of the NFSP page: published statements beside our figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from smoothcall.evaluation.statistics import Estimate
from smoothcall.experiments.curves import means
from smoothcall.experiments.nfsp.published import (
    ABSTRACT,
    CURVES,
    FIGURE_1,
    LAST,
    MACMANUS,
    MACMANUS_BELOW,
    MACMANUS_START,
    PROGRAM,
    PROGRAM_HOURS,
    PROGRAM_REACHES,
)
from smoothcall.experiments.nfsp.settings import BEST, BY_AUTHOR, DEFAULTS, KUHN, LONGER, Q_LEARNING, STEPS
from smoothcall.experiments.nfsp.training import EXPLOITABILITY, GREEDY, PROCESSOR, RESERVOIR, SECONDS, Learned, labels, learned
from smoothcall.experiments.parts import NotMeasured, Part
from smoothcall.experiments.verdicts import Above, Below, Criterion, Deviation, Measured, Near, Row, deviating, difference
from smoothcall.kernels.tables import Array

UNIT = "chips a hand"
COMPARED = (0.01, 0.03, 0.1, 0.3, 1.0)  # of the iterations that we trained: the points of Figure 1 nearest to them are compared
BAR, LIMIT = 0.06, 1200  # what ours should reach: exploitability, and seconds


def rows(parts: Mapping[str, Part]) -> Iterator[Row]:
    """Yield the rows of a page with these parts."""
    for row, measured in (*_figure_1(parts), *_abstract(parts), *_macmanus(parts), *_program(parts)):
        try:
            yield replace(row, **measured())
        except NotMeasured as missing:
            yield replace(row, deviations=(Deviation("nothing", f"the training {str(missing)!r} is not measured yet"),))
    yield from _limit_holdem()
    yield from _beyond(parts)


Statements = Iterator[tuple[Row, Callable[[], dict[str, Any]]]]  # a row, and what returns its fields that need trainings


def mean(figures: Array) -> Estimate:
    """Return the mean of figures[seeds]."""
    return means(figures[:, None])[0]


def chips(figures: Array, criterion: Criterion | None, label: str = "", form: str = ".3f") -> Measured:
    return Measured(mean(figures), criterion, label, form, UNIT)


def smaller(iterations: float) -> float:
    """Return the iterations of Figure 1 over ours."""
    return max(LAST / iterations, 1.0)


def short_of(each: Learned, wanted: int, why: str = "") -> tuple[Deviation, ...]:
    """Return the deviation of a training with fewer iterations than wanted; () if it has as many."""
    if each.iterations >= wanted:
        return ()
    return (Deviation("nothing", f"we trained {each.iterations:,.0f} iterations of {wanted:,}{why}"),)


def _by_author(parts: Mapping[str, Part], units: int) -> Learned:
    return learned(parts, BY_AUTHOR[units])


def _figure_1(parts: Mapping[str, Part]) -> Statements:
    for units, published in CURVES.items():
        first, last = min(published), max(published)
        ends = f"{published[first]:.3g} after {first:,} iterations to {published[last]:.3g} after {last:,}"
        yield (
            Row(FIGURE_1, f"{units} units: exploitability over iterations", ends),
            partial(_over_iterations, parts, units),
        )
        yield (
            Row(FIGURE_1, f"{units} units: exploitability in the end", f"{published[last]:.3g} after {last:,} iterations"),
            partial(_in_the_end, parts, units),
        )
    yield (
        Row(
            FIGURE_1,
            "128 units are less exploitable than 16 at equal iterations: 128 - 16 units",
            f"{CURVES[128][3_001_047] - CURVES[16][2_962_040]:.3f} after {LAST:,} iterations",
        ),
        partial(_apart, parts, 128, 16),
    )


def _over_iterations(parts: Mapping[str, Part], units: int) -> dict[str, Any]:
    each, published = _by_author(parts, units), CURVES[units]
    reached = [point for point in published if point <= each.iterations]
    if not reached:
        return {"deviations": short_of(each, min(published))}
    wanted = [min(reached, key=lambda point: abs(np.log(point / (share * each.iterations)))) for share in COMPARED]
    points = sorted(set(wanted))
    return {
        "published": "; ".join(f"{published[point]:.3g} after {point:,}" for point in points),
        "measured": tuple(
            chips(each.at(point), Near(published[point], repetitions=1), f"after {point:,}:") for point in points
        ),
        "smaller": smaller(each.iterations),
        "cause": f"in part the imitation: the moves in the reservoir, which the network of the average policy learns, have an "
        f"exploitability of {each.at(points[-1], RESERVOIR).mean():.3f} after {points[-1]:,}; the rest is not explained",
    }


def _in_the_end(parts: Mapping[str, Part], units: int) -> dict[str, Any]:
    each, last = _by_author(parts, units), max(CURVES[units])
    return {
        "measured": (
            chips(each.last(), Near(CURVES[units][last], repetitions=1), f"after {each.iterations:,.0f} iterations:"),
        ),
        "deviations": short_of(each, last),
    }


def _apart(parts: Mapping[str, Part], large: int, small: int) -> dict[str, Any]:
    """Compare the exploitability of two networks after equal iterations, those of the shorter training."""
    one, other = (_by_author(parts, units) for units in (large, small))
    end = min(one.iterations, other.iterations)
    apart = difference(mean(one.at(end)), mean(other.at(end)))
    measured = (Measured(apart, Below(0), f"after {end:,.0f} iterations:", "+.3f", UNIT),)
    if end >= LAST:
        return {"measured": measured}
    found = deviating(Row("", "", "", measured), "size", f"we trained {end:,.0f} iterations of {LAST:,}")
    return {"measured": measured, "deviations": found.deviations}


def _abstract(parts: Mapping[str, Part]) -> Statements:
    statement = "Leduc: NFSP approaches a Nash equilibrium, common reinforcement learning methods diverge"
    yield Row(ABSTRACT, statement, "no figure"), partial(_against_q_learning, parts)


def _against_q_learning(parts: Mapping[str, Part]) -> dict[str, Any]:
    """NFSP and Q-learning are compared at the last point of the shorter training."""
    nfsp, alone = _by_author(parts, 128), learned(parts, Q_LEARNING)
    end = min(nfsp.iterations, alone.iterations)
    figures = (
        (
            difference(mean(alone.at(end, GREEDY)), mean(nfsp.at(end))),
            Above(0),
            f"greedy policy of Q-learning in self-play (eta = 1) - NFSP, after {end:,.0f} iterations:",
        ),
        (
            mean(alone.at(end, GREEDY) - alone.at(end / 10, GREEDY)),
            Above(0),
            "Q-learning, in the end - after a tenth of it:",
        ),
        (mean(nfsp.at(end) - nfsp.at(end / 10)), Below(0), "NFSP, the same:"),
    )
    measured = tuple(Measured(figure, criterion, label, "+.2f", UNIT) for figure, criterion, label in figures)
    return {"measured": measured, "smaller": smaller(end)}


BELOW_BAR = min(point for point, figure in CURVES[128].items() if figure < MACMANUS_BELOW)  # iterations, in Figure 1


def _macmanus(parts: Mapping[str, Part]) -> Statements:
    yield (
        Row(MACMANUS, f"Leduc, 128 units: exploitability below {MACMANUS_BELOW:g}", f"less than {MACMANUS_BELOW:g}"),
        partial(_below_bar, parts, 128, MACMANUS_BELOW),
    )
    yield (
        Row(MACMANUS, "Leduc, 128 units: exploitability at the start", f"{MACMANUS_START:g}"),
        partial(_at_the_start, parts),
    )
    yield (
        Row(MACMANUS, "Leduc: networks of 128 units are the best: 128 - 64 units at equal iterations", "no figure"),
        partial(_apart, parts, 128, 64),
    )


def _below_bar(parts: Mapping[str, Part], units: int, bar: float) -> dict[str, Any]:
    each = _by_author(parts, units)
    return {
        "measured": (chips(each.last(), Below(bar), f"after {each.iterations:,.0f} iterations:"),),
        "deviations": short_of(each, BELOW_BAR, f", where Fig 1 (128 units) first is below {MACMANUS_BELOW:g}"),
        "smaller": smaller(each.iterations),
    }


def _at_the_start(parts: Mapping[str, Part]) -> dict[str, Any]:
    each = _by_author(parts, 128)
    return {
        "measured": (
            Measured(
                mean(each.curves.figures[EXPLOITABILITY][:, 0]),
                Near(MACMANUS_START, 0.05),
                f"after {each.points[0]:,} episodes:",
                unit=UNIT,
            ),
            chips(each.at(1000), None, "after 1,000 iterations:"),
        ),
        "cause": f"the first point of Fig 1 itself is {CURVES[128][1_000]:.3g}, after 1,000 iterations",
    }


def _program(parts: Mapping[str, Part]) -> Statements:
    yield (
        Row(
            PROGRAM,
            f"Leduc, 64 units: an exploitability of {PROGRAM_REACHES:g} is reached",
            f"{PROGRAM_REACHES:g} in about {PROGRAM_HOURS} hours on an AWS c5.large",
        ),
        partial(_within_hours, parts),
    )


def _within_hours(parts: Mapping[str, Part]) -> dict[str, Any]:
    each = _by_author(parts, 64)
    hours = [each.stays_below(seed, each.curves.figures[PROCESSOR][seed] / 3600, PROGRAM_REACHES) for seed in range(each.seeds)]
    words = ", ".join("not reached" if hour is None else f"{hour:.2f} h" for hour in hours)
    note = f"after {words} of processor time; the hours of another program on another machine are not compared"
    return _below_bar(parts, 64, PROGRAM_REACHES) | {"note": note}


def _limit_holdem() -> Iterator[Row]:
    yield Row(
        ABSTRACT,
        "Limit Texas hold'em: NFSP approaches the performance of the best programs",
        "no figure",
        deviations=(Deviation("nothing", "its opponents are not available, and NFSP was not trained there for this page"),),
    )
    yield Row(
        MACMANUS,
        "Limit Texas hold'em: win rate against the best three of the 2014 competition, after and before training",
        "-13 to -52 mbb/h, from about -700",
        deviations=(Deviation("opponents", "the three programs are not available"),),
    )


def _beyond(parts: Mapping[str, Part]) -> Iterator[Row]:
    ours = "Heinrich and Silver (beyond)"
    measured = labels(parts)
    for label in (KUHN, *DEFAULTS.values(), *STEPS):
        if label not in measured or label == BEST:
            continue
        each = learned(parts, label)
        yield Row(
            ours,
            f"{label}: exploitability after {each.points[-1]:,} episodes",
            None,
            (chips(each.last(), None),),
            note=_clocks(each),
        )
    for label in (BEST, LONGER):
        if label in measured:
            yield _goal(ours, learned(parts, label))


def _goal(source: str, each: Learned) -> Row:
    """Return the row of what ours should reach."""
    found = mean(each.last())
    met = (
        "not met" if found.mean >= BAR else "met" if found.interval()[1] < BAR else "met by the mean, not by its whole interval"
    )
    return Row(
        source,
        f"{each.label}: exploitability below {BAR:g} within {LIMIT:,} s of training, mean of {each.seeds} seeds",
        None,
        (chips(each.last(), Below(BAR), form=".4f"),),
        note=f"{met}; {each.points[-1]:,} episodes; {_clocks(each)}",
    )


def _clocks(each: Learned) -> str:
    """Return the mean seconds of a training by both clocks; early trainings recorded one of them only."""
    clock = f"{each.last(SECONDS).mean():,.0f} s by the clock of a machine shared with other work"
    if PROCESSOR not in each.curves.figures:
        return f"{clock}, processor time was not recorded"
    return f"{each.last(PROCESSOR).mean():,.0f} s of processor time on one core, {clock}"

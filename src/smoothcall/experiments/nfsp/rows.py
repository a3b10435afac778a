"""The rows of the NFSP page: published statements beside our figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

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
from smoothcall.experiments.nfsp.settings import BEST, BY_AUTHOR, DEFAULTS, FIRST, KUHN, Q_LEARNING
from smoothcall.experiments.nfsp.training import EXPLOITABILITY, GREEDY, PROCESSOR, SECONDS, Learned, labels, learned
from smoothcall.experiments.parts import NotMeasured, Part
from smoothcall.experiments.verdicts import Above, Below, Criterion, Deviation, Measured, Near, Row, difference
from smoothcall.kernels.tables import Array

UNIT = "chips a hand"
NOT_YET = Deviation("nothing", "not measured yet")
COMPARED = (0.01, 0.03, 0.1, 0.3, 1.0)  # of the iterations that we trained: the points of Figure 1 nearest to them are compared
BAR, LIMIT = 0.06, 1200  # what ours should reach: exploitability, and seconds


def rows(parts: Mapping[str, Part]) -> Iterator[Row]:
    """Yield the rows of a page with these parts."""
    for source, group in ((FIGURE_1, _figure_1), (ABSTRACT, _abstract), (MACMANUS, _macmanus), (PROGRAM, _program)):
        try:
            yield from list(group(parts))
        except NotMeasured as missing:
            statement = f"All statements that need the training {str(missing)!r}"
            yield Row(source, statement, "see its source", deviations=(NOT_YET,))
    yield from _limit_holdem()
    yield from _beyond(parts)


def _by_author(parts: Mapping[str, Part]) -> dict[int, Learned]:
    return {units: learned(parts, label) for units, label in BY_AUTHOR.items()}


def mean(figures: Array) -> Estimate:
    """Return the mean of figures[seeds]."""
    return means(figures[:, None])[0]


def chips(figures: Array, criterion: Criterion | None, label: str = "", form: str = ".3f") -> Measured:
    return Measured(mean(figures), criterion, label, form, UNIT)


def smaller(each: Learned) -> float:
    """Return the iterations of Figure 1 over ours."""
    return max(LAST / each.iterations, 1.0)


def _figure_1(parts: Mapping[str, Part]) -> Iterator[Row]:
    by_author = _by_author(parts)
    for units, published in CURVES.items():
        each = by_author[units]
        reached = [point for point in published if point <= each.iterations]
        if not reached:
            raise NotMeasured(f"{each.label}, {min(published):,} iterations")
        wanted = [min(reached, key=lambda point: abs(np.log(point / (share * each.iterations)))) for share in COMPARED]
        points = sorted(set(wanted))
        yield Row(
            FIGURE_1,
            f"{units} units: exploitability over iterations",
            "; ".join(f"{published[point]:.3g} after {point:,}" for point in points),
            tuple(chips(each.at(point), Near(published[point], repetitions=1), f"after {point:,}:") for point in points),
            smaller=smaller(each),
            cause=OTHER_START,
        )
        last = max(published)
        yield Row(
            FIGURE_1,
            f"{units} units: exploitability in the end",
            f"{published[last]:.3g} after {last:,} iterations",
            (chips(each.last(), Near(published[last], repetitions=1), f"after {each.iterations:,.0f} iterations:"),),
            () if each.iterations >= last else (_shorter(each, last),),
        )
    small, large = (by_author[units] for units in (16, 128))
    end = min(small.iterations, large.iterations)
    yield Row(
        FIGURE_1,
        "128 units are less exploitable than 16 at equal iterations: 128 - 16 units",
        f"{CURVES[128][3_001_047] - CURVES[16][2_962_040]:.3f} after {LAST:,} iterations",
        (Measured(_apart(large, small, end), Below(0), f"after {end:,.0f} iterations:", "+.3f", UNIT),),
        smaller=max(LAST / end, 1.0),
    )


OTHER_START = "see *The author's program*"


def _shorter(each: Learned, last: int) -> Deviation:
    return Deviation("nothing", f"we trained {each.iterations:,.0f} iterations of {last:,}")


def _apart(one: Learned, other: Learned, iterations: float) -> Estimate:
    """Return exploitability of one - other after so many iterations."""
    return difference(mean(one.at(iterations)), mean(other.at(iterations)))


def _abstract(parts: Mapping[str, Part]) -> Iterator[Row]:
    """NFSP and Q-learning are compared at the last point of the shorter training."""
    nfsp, alone = learned(parts, BY_AUTHOR[128]), learned(parts, Q_LEARNING)
    end = min(nfsp.iterations, alone.iterations)
    yield Row(
        ABSTRACT,
        "Leduc: NFSP approaches a Nash equilibrium, common reinforcement learning methods diverge",
        "no figure",
        (
            Measured(
                difference(mean(alone.at(end, GREEDY)), mean(nfsp.at(end))),
                Above(0),
                f"greedy policy of Q-learning in self-play (eta = 1) - NFSP, after {end:,.0f} iterations:",
                "+.2f",
                UNIT,
            ),
            Measured(
                mean(alone.last(GREEDY) - alone.at(end / 10, GREEDY)),
                Above(0),
                "Q-learning, in the end - after a tenth of it:",
                "+.2f",
                UNIT,
            ),
            Measured(mean(nfsp.at(end) - nfsp.at(end / 10)), Below(0), "NFSP, the same:", "+.2f", UNIT),
        ),
    )


def _macmanus(parts: Mapping[str, Part]) -> Iterator[Row]:
    by_author = _by_author(parts)
    large, middle = by_author[128], by_author[64]
    end = min(large.iterations, middle.iterations)
    yield Row(
        MACMANUS,
        f"Leduc, 128 units: exploitability below {MACMANUS_BELOW:g}",
        f"less than {MACMANUS_BELOW:g}",
        (chips(large.last(), Below(MACMANUS_BELOW), f"after {large.iterations:,.0f} iterations:"),),
        smaller=smaller(large),
        cause=f"Fig 1 falls below {MACMANUS_BELOW:g} between 541,000 and 866,000 iterations",
    )
    yield Row(
        MACMANUS,
        "Leduc, 128 units: exploitability at the start",
        f"{MACMANUS_START:g}",
        (
            Measured(mean(large.curves.figures[EXPLOITABILITY][:, 0]), Near(MACMANUS_START, 0.05), unit=UNIT),
            chips(large.at(1000), None, "after 1,000 iterations:"),
        ),
        cause="the first point of Fig 1 is 2.02, after 1,000 iterations",
    )
    yield Row(
        MACMANUS,
        "Leduc: networks of 128 units are the best: 128 - 64 units at equal iterations",
        "no figure",
        (Measured(_apart(large, middle, end), Below(0), f"after {end:,.0f} iterations:", "+.3f", UNIT),),
        smaller=max(LAST / end, 1.0),
    )


def _program(parts: Mapping[str, Part]) -> Iterator[Row]:
    each = learned(parts, BY_AUTHOR[64])
    hours = [each.stays_below(seed, each.curves.figures[PROCESSOR][seed] / 3600, PROGRAM_REACHES) for seed in range(each.seeds)]
    words = ", ".join("not reached" if hour is None else f"{hour:.2f} h" for hour in hours)
    yield Row(
        PROGRAM,
        f"Leduc, 64 units: an exploitability of {PROGRAM_REACHES:g} is reached",
        f"{PROGRAM_REACHES:g} in about {PROGRAM_HOURS} hours on an AWS c5.large",
        (chips(each.last(), Below(PROGRAM_REACHES), f"after {each.iterations:,.0f} iterations:"),),
        note=f"after {words} of processor time; the hours of another program on another machine are not compared",
        cause="the number of iterations behind the 5 hours is not known",
    )


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
    for label in (KUHN, *DEFAULTS.values(), FIRST):
        if label not in measured:
            continue
        each = learned(parts, label)
        yield Row(
            ours,
            f"{label}: exploitability after {each.points[-1]:,} episodes",
            None,
            (chips(each.last(), None),),
            note=f"{each.last(SECONDS).mean():,.0f} s",
        )
    if BEST not in measured:
        return
    each = learned(parts, BEST)
    yield Row(
        ours,
        f"{BEST}: exploitability below {BAR:g} within {LIMIT:,} s of training, mean of {each.seeds} seeds",
        None,
        (chips(each.last(), Below(BAR), form=".4f"),),
        note=f"{each.points[-1]:,} episodes; {each.last(PROCESSOR).mean():,.0f} s of processor time, "
        f"{each.last(SECONDS).mean():,.0f} s on the clock of a machine shared with other work",
    )

"""Verdicts on published statements: `verdict` decides all of them, from data alone.

A row of the ledger has a published statement, our figures with the criterion each must meet, and the deviations of our
experiment from the document's. A criterion is judged by the whole 95 % interval of a figure: it holds where every value of the
interval meets it, it is contradicted where none does, and it is undecided in between. So a wide interval never helps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import hypot, inf, isfinite, sqrt
from statistics import NormalDist
from typing import Any, Protocol

from smoothcall.evaluation.statistics import Estimate


class Status(StrEnum):
    REPRODUCED = "reproduced"
    SMALLER = "reproduced at a smaller size"
    DIFFERS = "differs"
    UNDECIDED = "undecided"
    NOT_COMPARABLE = "not comparable"
    BEYOND = "beyond"


MEANINGS = {
    Status.REPRODUCED: "the statement holds for our figures, with the document's algorithm, sizes, units and opponents",
    Status.SMALLER: "it holds, with fewer episodes or repetitions; the factor stands beside it",
    Status.DIFFERS: "our figures contradict it; the cause stands beside it",
    Status.UNDECIDED: "our intervals contain values for which it holds and values for which it does not",
    Status.NOT_COMPARABLE: "another algorithm, unit or opponent, or nothing that can be measured; the reason stands beside it",
    Status.BEYOND: "the document has no figure for this",
}


class Outcome(StrEnum):
    HOLDS = "holds"
    CONTRADICTED = "contradicted"
    UNDECIDED = "undecided"


class Criterion(Protocol):
    """What a published statement asks of a figure."""

    def outcome(self, ours: Estimate) -> Outcome: ...


@dataclass(frozen=True, slots=True)
class Below:
    """The figure is smaller than `bar`. A comparison, A less than B, is the difference A - B below 0."""

    bar: float

    def outcome(self, ours: Estimate) -> Outcome:
        low, high = ours.interval()
        return Outcome.HOLDS if high < self.bar else Outcome.CONTRADICTED if low >= self.bar else Outcome.UNDECIDED


@dataclass(frozen=True, slots=True)
class Above:
    """The figure is larger than `bar`."""

    bar: float

    def outcome(self, ours: Estimate) -> Outcome:
        return Below(-self.bar).outcome(ours.scaled(-1))


@dataclass(frozen=True, slots=True)
class BoundBelow:
    """Our figure is a lower bound of one that the statement puts below `bar`: it may contradict it, never show it."""

    bar: float

    def outcome(self, ours: Estimate) -> Outcome:
        return Outcome.CONTRADICTED if ours.interval()[0] >= self.bar else Outcome.UNDECIDED


@dataclass(frozen=True, slots=True)
class Near:
    """The figure equals the published `value` within the noise of both.

    `half_width`: of the published 95 % interval, or of its rounding. Where the document prints a mean of `repetitions` without
    an interval, that of as many repetitions of ours is assumed. It can only excuse a difference: a figure that equals the
    value within the assumed interval alone is undecided. An interval of ours wider than both a quarter of the value and the
    published interval decides nothing.
    """

    value: float
    half_width: float = 0.0
    repetitions: int = 0

    def outcome(self, ours: Estimate) -> Outcome:
        assumed = self.half_width
        if self.repetitions and not ours.exact:
            spread = ours.error * sqrt(ours.count)
            assumed = max(assumed, NormalDist().inv_cdf(0.975) * spread / sqrt(self.repetitions))
        half, apart = ours.half_width(), abs(ours.mean - self.value)
        if apart > hypot(half, assumed):
            return Outcome.CONTRADICTED
        if apart > hypot(half, self.half_width):
            return Outcome.UNDECIDED
        return Outcome.HOLDS if half <= max(assumed, abs(self.value) / 4) else Outcome.UNDECIDED


@dataclass(frozen=True, slots=True)
class Between:
    """The figure lies in the published range."""

    low: float
    high: float

    def outcome(self, ours: Estimate) -> Outcome:
        low, high = ours.interval()
        if self.low <= low and high <= self.high:
            return Outcome.HOLDS
        return Outcome.CONTRADICTED if low > self.high or high < self.low else Outcome.UNDECIDED


def magnitude(power: int) -> Between:
    """Return the criterion of a figure printed as "about 10^power": no other power of ten is closer to it, as a ratio."""
    return Between(10 ** (power - 0.5), 10 ** (power + 0.5))


@dataclass(frozen=True, slots=True)
class Every:
    """The statement is made of every single run; the figure is the share of our runs for which it is true."""

    def outcome(self, ours: Estimate) -> Outcome:
        return Outcome.HOLDS if ours.mean == 1 else Outcome.CONTRADICTED


@dataclass(frozen=True, slots=True)
class Measured:
    """A figure of ours, and the criterion it must meet; without a criterion it is context."""

    estimate: Estimate
    criterion: Criterion | None = None
    label: str = ""
    form: str = ".3g"  # of the mean; the interval has the same
    unit: str = ""

    def __str__(self) -> str:
        mean, half = f"{self.estimate.mean:{self.form}}", self.estimate.half_width()
        if isinstance(self.criterion, Every):
            figure = f"{round(self.estimate.mean * self.estimate.count)} of {self.estimate.count}"
        elif self.estimate.exact:
            figure = mean
        else:
            interval = f" ± {half:{self.form.replace('+', '').replace(',', '')}}" if isfinite(half) else ", no interval"
            figure = f"{mean}{interval}"
        unit = f" {self.unit}" if self.unit else ""
        count = "" if self.estimate.exact or isinstance(self.criterion, Every) else f" (n = {self.estimate.count:,})"
        return f"{self.label} {figure}{unit}{count}".strip()

    def as_dict(self) -> dict[str, Any]:
        outcome = None if self.criterion is None else str(self.criterion.outcome(self.estimate))
        return {"label": self.label, "unit": self.unit, **self.estimate.as_dict(), "outcome": outcome}


def exact(value: float) -> Estimate:
    """Return a figure that was computed without sampling."""
    return Estimate(float(value), 0.0, 0)


def share(passed: Sequence[bool]) -> Estimate:
    """Return the share of runs for which a statement is true, for `Every`."""
    return Estimate(sum(passed) / len(passed), 0.0, len(passed))


def difference(one: Estimate, other: Estimate) -> Estimate:
    """Return one - other, of independent samples; its count is that of the smaller sample."""
    counts = [each.count for each in (one, other) if not each.exact]
    return Estimate(one.mean - other.mean, hypot(one.error, other.error), min(counts, default=0))


@dataclass(frozen=True, slots=True)
class Deviation:
    """How our experiment deviates from the document's, in a way that keeps a statement from being compared."""

    kind: str  # algorithm, unit or opponents; or nothing, where there is nothing to measure
    text: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.text}"


@dataclass(frozen=True, slots=True)
class Row:
    """A published statement beside our figures."""

    source: str  # its table, figure or section in the document
    statement: str
    published: str | None  # its figure as printed; None: the document has none
    measured: tuple[Measured, ...] = ()
    deviations: tuple[Deviation, ...] = ()
    smaller: float = 1.0  # the document's size divided by ours: episodes, repetitions
    cause: str = ""  # why ours differs, and where that is shown
    note: str = ""

    @property
    def ours(self) -> str:
        return "; ".join([*map(str, self.measured), *([self.note] if self.note else [])]) or "not measured"

    def as_dict(self) -> dict[str, Any]:
        found = verdict(self)
        return {
            "source": self.source,
            "statement": self.statement,
            "published": self.published,
            "ours": self.ours,
            "measured": [each.as_dict() for each in self.measured],
            "deviations": [str(each) for each in self.deviations],
            "smaller": self.smaller,
            "status": str(found.status),
            "reason": found.reason,
        }


@dataclass(frozen=True, slots=True)
class Verdict:
    status: Status
    reason: str = field(default="")

    def __str__(self) -> str:
        return f"{self.status} ({self.reason})" if self.reason else str(self.status)


NO_CAUSE = "cause not investigated"


def verdict(row: Row) -> Verdict:
    """Decide a row."""
    if row.published is None:
        return Verdict(Status.BEYOND)
    judged = [each.criterion.outcome(each.estimate) for each in row.measured if each.criterion is not None]
    if row.deviations or not judged:
        return Verdict(Status.NOT_COMPARABLE, "; ".join(map(str, row.deviations)) or "not measured")
    size = f"1/{row.smaller:{',.0f' if row.smaller >= 1000 else '.3g'}} of its size" if row.smaller > 1 else ""
    if Outcome.CONTRADICTED in judged:
        return Verdict(Status.DIFFERS, "; ".join(filter(None, (size, row.cause or NO_CAUSE))))
    if Outcome.UNDECIDED in judged:
        return Verdict(Status.UNDECIDED, "; ".join(filter(None, (size, _assumed(row)))))
    return Verdict(Status.SMALLER, size) if size else Verdict(Status.REPRODUCED, _noise(row))


def deviating(row: Row, kind: str, text: str) -> Row:
    """Return a row with one more deviation, which says what the criteria of the row find for ours."""
    outcomes = [each.criterion.outcome(each.estimate) for each in row.measured if each.criterion is not None]
    if Outcome.CONTRADICTED in outcomes:
        text += f"; for ours it does not hold: {row.cause or NO_CAUSE}"
    elif outcomes:
        text += "; for ours it " + ("is undecided" if Outcome.UNDECIDED in outcomes else "holds")
    return replace(row, deviations=(*row.deviations, Deviation(kind, text)))


def _noise(row: Row) -> str:
    """Return "within noise" where the statement is an equality and our figure is not exact."""
    equal = [each.estimate for each in row.measured if isinstance(each.criterion, Near)]
    return "" if all(figure.exact for figure in equal) else "within noise"


def _assumed(row: Row) -> str:
    """Say that figures are equal only within noise that the document does not print."""
    equal = [(each.estimate, each.criterion) for each in row.measured if isinstance(each.criterion, Near)]
    alone = [replace(criterion, repetitions=0).outcome(figure) for figure, criterion in equal]
    if Outcome.CONTRADICTED not in alone:
        return ""
    return "equal only within the noise of as few repetitions as the document's, which it does not print"


def single(value: float) -> Estimate:
    """Return a figure of one run: its interval is unknown, and it decides nothing."""
    return Estimate(float(value), inf, 1)

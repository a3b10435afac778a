"""One function decides every verdict, by whole intervals."""

from __future__ import annotations

from math import inf

import pytest

from smoothcall.evaluation.statistics import Estimate
from smoothcall.experiments.verdicts import (
    NO_CAUSE,
    Above,
    Below,
    Between,
    BoundBelow,
    Criterion,
    Deviation,
    Every,
    Measured,
    Near,
    Outcome,
    Row,
    Status,
    difference,
    exact,
    magnitude,
    share,
    single,
    verdict,
)

HOLDS, CONTRADICTED, UNDECIDED = Outcome


def around(mean: float, half: float, count: int = 1000) -> Estimate:
    return Estimate(mean, half / 1.959963984540054, count)


@pytest.mark.parametrize(
    ("criterion", "ours", "outcome"),
    [
        (Below(10), around(8, 1), HOLDS),
        (Below(10), around(9.5, 1), UNDECIDED),  # the lower end alone clears the bar
        (Below(10), around(10.5, 1), UNDECIDED),
        (Below(10), around(12, 1), CONTRADICTED),
        (Below(10), exact(10), CONTRADICTED),
        (Below(10), single(1), UNDECIDED),
        (Above(10), around(12, 1), HOLDS),
        (Above(10), around(10.5, 1), UNDECIDED),
        (Above(10), around(8, 1), CONTRADICTED),
        (Above(0), exact(0), CONTRADICTED),
        (Near(10), around(10.5, 1), HOLDS),
        (Near(10), around(12, 1), CONTRADICTED),
        (Near(10, half_width=2), around(12, 1), HOLDS),
        (Near(10), around(10, 6), UNDECIDED),  # an interval that wide decides nothing
        (Near(10), single(10), UNDECIDED),
        (Near(10), exact(10), HOLDS),
        (Near(10, half_width=0.5), exact(10.4), HOLDS),
        (Near(10, half_width=0.5), exact(10.6), CONTRADICTED),
        (Between(5, 9), around(7, 1), HOLDS),
        (Between(5, 9), around(9, 1), UNDECIDED),
        (Between(5, 9), around(11, 1), CONTRADICTED),
        (magnitude(18), exact(8.5e17), HOLDS),
        (magnitude(18), exact(3.1e17), CONTRADICTED),
        (Every(), share([True, True]), HOLDS),
        (Every(), share([True] * 9 + [False]), CONTRADICTED),
    ],
)
def test_outcome(criterion: Criterion, ours: Estimate, outcome: Outcome) -> None:
    assert criterion.outcome(ours) is outcome


def test_noise_that_is_not_published_excuses_and_shows_nothing() -> None:
    """100 runs of ours have a mean of 10 and a standard deviation of 5: the mean of 4 published runs may be off by 4.9."""
    ours = Estimate(10.0, 0.5, 100)
    assert Near(10.5, repetitions=4).outcome(ours) is HOLDS
    assert Near(14, repetitions=4).outcome(ours) is UNDECIDED
    assert Near(14, repetitions=100).outcome(ours) is CONTRADICTED
    found = verdict(row(Measured(ours, Near(14, repetitions=4)), smaller=2))
    assert found.status is Status.UNDECIDED
    assert found.reason.startswith("1/2 of its size; equal only within the noise of as few repetitions as the document's")
    assert str(verdict(row(Measured(ours, Near(10.5, repetitions=4))))) == "reproduced (within noise)"
    assert verdict(row(OPEN)).reason == ""


def row(*measured: Measured, **options: object) -> Row:
    return Row("Table 1", "A beats B", "+7", measured, **options)  # type: ignore[arg-type]


WON, LOST, OPEN = (Measured(around(mean, 1), Above(0)) for mean in (7, -7, 0))


def test_a_lower_bound_shows_nothing_small() -> None:
    assert BoundBelow(50).outcome(Estimate(358.0, 45.0, 4000)) == Outcome.CONTRADICTED
    assert BoundBelow(50).outcome(Estimate(-46.0, 33.0, 4000)) == Outcome.UNDECIDED
    assert BoundBelow(50).outcome(exact(0.0)) == Outcome.UNDECIDED


def test_status() -> None:
    assert verdict(row(WON)).status is Status.REPRODUCED
    assert str(verdict(row(WON, smaller=7))) == "reproduced at a smaller size (1/7 of its size)"
    assert str(verdict(row(WON, smaller=2500))) == "reproduced at a smaller size (1/2,500 of its size)"
    assert verdict(row(OPEN)).status is Status.UNDECIDED
    assert verdict(row(WON, OPEN)).status is Status.UNDECIDED
    assert verdict(row(WON, LOST)).status is Status.DIFFERS
    assert verdict(row(LOST, smaller=7)).status is Status.DIFFERS
    assert verdict(row(LOST, cause="another shuffle")).reason == "another shuffle"
    assert verdict(row(LOST)).reason == NO_CAUSE
    assert verdict(row()).status is Status.NOT_COMPARABLE
    assert verdict(Row("Section 2", "A beats C", None, (WON,))).status is Status.BEYOND


def test_a_deviation_cannot_be_outweighed() -> None:
    """With another algorithm, unit or opponent nothing is reproduced, whatever the figures are."""
    for kind in ("algorithm", "unit", "opponents"):
        for measured in (WON, LOST):
            found = verdict(row(measured, deviations=(Deviation(kind, "pots, not chips"),)))
            assert found.status is Status.NOT_COMPARABLE
            assert found.reason == f"{kind}: pots, not chips"


def test_text() -> None:
    assert str(Measured(around(7, 1), Above(0), label="A", form="+.1f", unit="mbb/h")) == "A +7.0 ± 1.0 mbb/h (n = 1,000)"
    assert str(Measured(exact(0.5), form=".2f")) == "0.50"
    assert str(Measured(share([True, False]), Every())) == "1 of 2"
    assert str(Measured(single(0.5), form=".2f")) == "0.50, no interval (n = 1)"
    assert row().ours == "not measured"
    assert row(WON, note="both seats").ours == "7 ± 1 (n = 1,000); both seats"


def test_difference() -> None:
    found = difference(Estimate(5, 3, 50), Estimate(1, 4, 40))
    assert found == Estimate(4, 5, 40)
    assert difference(exact(3), Estimate(1, 4, 40)) == Estimate(2, 4, 40)
    assert difference(exact(3), exact(1)).exact
    assert difference(single(3), Estimate(1, 4, 40)).error == inf

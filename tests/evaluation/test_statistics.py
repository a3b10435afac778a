"""Estimates: means and errors as NumPy has them, intervals as the tables of statistics have them."""

from __future__ import annotations

import json
from math import inf, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import smoothcall as sc
from smoothcall.evaluation.statistics import Estimate, Tally
from smoothcall.experiments.cross_table import CrossTable, cell_text, title_of


@given(st.lists(st.integers(0, 7), min_size=1, max_size=6), st.integers(0, 99))
def test_batches_add_up(sizes: list[int], seed: int) -> None:
    samples = np.random.default_rng(seed).normal(1e6, 3.0, (sum(sizes), 2))
    tally, start = Tally(2), 0
    for size in sizes:
        tally.add(samples[start : start + size])
        start += size
    assert tally.count == len(samples)
    for column, found in enumerate(tally.estimates(scale=-10.0)):
        if len(samples) < 2:
            assert found.error == inf
            continue
        assert found.mean == pytest.approx(-10 * samples[:, column].mean(), rel=1e-12)
        assert found.error == pytest.approx(10 * samples[:, column].std(ddof=1) / sqrt(len(samples)), rel=1e-6)


@pytest.mark.parametrize(
    ("count", "level", "quantile"),
    [  # two-sided points of the normal and of Student's distribution, as printed in any table of them
        (30, 0.95, 1.95996),
        (10_000, 0.99, 2.57583),
        (10_000, 0.68, 0.99446),
        (2, 0.95, 12.7062),
        (10, 0.95, 2.26216),
        (29, 0.95, 2.04841),
    ],
)
def test_intervals(count: int, level: float, quantile: float) -> None:
    low, high = Estimate(5.0, 2.0, count).interval(level)
    assert high - 5 == pytest.approx(2 * quantile, rel=1e-5)
    assert low + high == pytest.approx(10)


@pytest.mark.parametrize("count", [5, 50])
def test_intervals_hold_the_mean_as_often_as_they_say(count: int) -> None:
    random, experiments = np.random.default_rng(1), 2000
    held = {0.68: 0, 0.95: 0}
    for _ in range(experiments):
        tally = Tally(1)
        tally.add(random.normal(3.0, 2.0, (count, 1)))
        for level in held:
            low, high = tally.estimates()[0].interval(level)
            held[level] += low <= 3.0 <= high
    for level, times in held.items():
        assert abs(times / experiments - level) < 4 * sqrt(level * (1 - level) / experiments) + 0.005


def test_one_sample_says_nothing_about_its_error() -> None:
    tally = Tally(1)
    tally.add(np.array([[4.0]]))
    (found,) = tally.estimates()
    assert found.interval() == (-inf, inf)
    assert json.loads(json.dumps(found.as_dict())) == {
        "mean": 4.0, "error": None, "interval_68": None, "interval_95": None, "count": 1,
    }  # fmt: skip


@pytest.mark.parametrize("level", [0, 1, 95, float("nan")])
def test_confidence_is_between_0_and_1(level: float) -> None:
    with pytest.raises(sc.UsageError, match="accepted: between 0 and 1"):
        Estimate(0.0, 1.0, 50).half_width(level)


def test_a_sample_without_variance_is_no_exact_knowledge() -> None:
    """Two equal samples do not make a figure exact; only what was computed without sampling is."""
    tally = Tally(1)
    tally.add(np.array([[4.0], [4.0]]))
    (found,) = tally.estimates()
    assert (found.error, found.exact) == (0, False)
    assert Estimate(4.0, 0.0, 0).exact
    assert Estimate(4.0, 0.0, 0).half_width() == 0
    assert Estimate(4.0, 0.0, 1).half_width() == inf, "one sample says nothing about its error"
    table = CrossTable("kuhn", ("a",), ("b",), ((found,),), ())
    assert cell_text(found) == "+4.0\n± 0.0"
    assert cell_text(Estimate(4.0, 0.0, 0)) == "+4.0"
    assert title_of(table).endswith("with 95 % intervals")

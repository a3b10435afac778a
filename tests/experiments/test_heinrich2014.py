"""heinrich2014 on Kuhn poker at a small size: the page is whole, and verdicts follow from its data."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import smoothcall as sc
from smoothcall.app import App
from smoothcall.experiments import heinrich2014
from smoothcall.experiments.heinrich2014 import comparison, kuhn
from smoothcall.experiments.heinrich2014.kuhn import AGENTS, SLOW, SMOOTH, UCT, curves_name, variant_name
from smoothcall.experiments.parts import Part
from smoothcall.experiments.verdicts import verdict
from tests.experiments.pages import Written, written

TINY = heinrich2014.Size(episodes=20_000, runs=2, seeds=2, sweep=2, compared=0.0001, compared_seeds=2, pairs=2)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Written:
    return written("heinrich2014", TINY, tmp_path_factory.mktemp("heinrich2014"))


def statuses(page: Written, change: Callable[[dict[str, Part]], None]) -> dict[str, str]:
    """The verdicts from changed data, by statement."""
    parts = deepcopy(page.parts)
    change(parts)
    return {row.statement: str(verdict(row).status) for row in heinrich2014.rows.rows(parts)}


def test_every_part(page: Written) -> None:
    for picture in ("pot-2", "pot-8", "pot-8-scaled", "pots", "comparison"):
        assert f"(tiny/{picture}.png)" in page.text
    for pot, factor in kuhn.CURVES:
        curves = page.parts[curves_name(pot, factor)].figures
        assert set(curves) == set(AGENTS)
        for curve in curves.values():
            assert curve["points"] == [10_000, 20_000]
            for measure in kuhn.MEASURES:
                assert len(curve[measure]["last"]) == TINY.runs
                assert curve[measure]["low"][-1] == min(curve[measure]["last"]) <= curve[measure]["mean"][-1]
    for pot, factor in kuhn.VARIANTS:
        variant = page.parts[variant_name(pot, factor)].figures
        assert all(variant[label]["squared"]["count"] == TINY.seeds for label in AGENTS)
    for name in comparison.GAMES:
        points = [page.parts[f"{name}, {label}"].figures["iterations"] for label in (UCT, SMOOTH, comparison.OUTCOME)]
        assert points[0] == points[1] == points[2], "compared at equal episodes"


def test_pots_are_those_of_kuhn_variants_and_c_is_scaled_with_them() -> None:
    assert kuhn.VARIANTS == ((2, 1.0), (4, 1.0), (4, 2.0), (8, 1.0), (8, 4.0), (16, 1.0), (16, 8.0))
    assert {label: c for label, (_, c, _) in AGENTS.items()} == {UCT: 2.0, SMOOTH: 1.75, SLOW: 1.75}
    assert comparison.COMPARED[UCT].options_on("kuhn")["c"] == 2.0
    assert comparison.COMPARED[UCT].options_on("leduc")["c"] == 18.0


def test_curves_are_those_of_the_solvers(page: Written) -> None:
    """A run of its own, with the options of the document, ends with the figures of the page."""
    game = sc.game("kuhn:pot=8")
    learner = sc.solver("smooth-uct", game, seed=1, c=4 * 1.75, mixing="greatest", folds="sampled")
    learner.run(20_000)
    last = page.parts[curves_name(8, 4.0)].figures[SMOOTH]["nash_conv"]["last"][1]
    assert last == pytest.approx(sc.nash_conv(game, learner.policy()))


def test_verdicts_follow_from_the_data(page: Written) -> None:
    statement = "Pot 2: Smooth UCT (3) has a smaller SQ-ERR than UCT"

    def last(uct: list[float], smooth: list[float], parts: dict[str, Part]) -> None:
        curves = parts[curves_name(2, 1.0)].figures
        curves[UCT]["squared"]["last"], curves[SMOOTH]["squared"]["last"] = uct, smooth

    for uct, smooth, status in (
        ([0.5, 0.5, 0.51], [0.1, 0.1, 0.11], "reproduced"),
        ([0.1, 0.1, 0.11], [0.5, 0.5, 0.51], "differs"),
        ([0.1, 0.5, 0.3], [0.1, 0.5, 0.2], "undecided"),
    ):
        assert statuses(page, partial(last, uct, smooth))[statement] == status


@pytest.mark.parametrize(("better", "status"), [(None, "reproduced"), (16, "differs")])
def test_schedules_are_judged_on_every_larger_pot(page: Written, better: int | None, status: str) -> None:
    """The larger error of schedule (4) is asked for with each larger pot; a scaled c is not the document's."""
    statement = "Larger pots, {}: only schedule (3) is stable (SQ-ERR, (4) less (3))"

    def change(parts: dict[str, Part]) -> None:
        for pot in (4, 8, 16):
            figures = parts[variant_name(pot, 1.0)].figures
            figures[SMOOTH]["squared"] = {"mean": 0.1, "error": 0.001, "count": 200}
            figures[SLOW]["squared"] = {"mean": 0.05 if pot == better else 0.2, "error": 0.001, "count": 200}

    found = statuses(page, change)
    assert found[statement.format("c as stated")] == status
    assert found[statement.format("c scaled with the pot")] == "not comparable"


def test_smooth_uct_with_eta_1_is_uct() -> None:
    assert comparison.constant_mixing(2_000) == {"kuhn": 0.0, "leduc": 0.0}


def test_rates_are_powers_of_ten() -> None:
    np.testing.assert_allclose(kuhn._rate(np.array([1.0, 0.1]), np.array([0.1, 0.1])), [-1, 0])


@pytest.mark.long
def test_heinrich2014_quick(tmp_path: Path) -> None:
    found = App().reproduce("heinrich2014", quick=True, out=tmp_path, tell=lambda text: None)
    assert len(found.rows) > 20

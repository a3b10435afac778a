"""NFSP at a small size: the page is whole with few trainings and with all, and trainings go on after a stop."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from smoothcall.app import App
from smoothcall.evaluation.statistics import Estimate
from smoothcall.experiments import gradient_play, nfsp
from smoothcall.experiments.curves import Curves
from smoothcall.experiments.nfsp.published import CURVES, LAST
from smoothcall.experiments.nfsp.rows import rows
from smoothcall.experiments.nfsp.settings import BY_AUTHOR, FIRST, KUHN, STEPS
from smoothcall.experiments.nfsp.training import (
    CHECKPOINT_SECONDS,
    EXPLOITABILITY,
    FIGURES,
    ITERATION,
    MOVES,
    Checkpoint,
    Learned,
    Training,
    train,
)
from smoothcall.experiments.parts import Part, Parts
from smoothcall.experiments.verdicts import Status, verdict
from tests.contracts.test_solvers import NFSP
from tests.experiments.pages import written

SMALL: dict[str, Any] = {"hands": 32, "every": 32, "batch": 32, "transitions": 2_000, "moves": 2_000}
FEW = (Training(KUHN, "kuhn", 3_000, 2, SMALL), Training(FIRST, "leduc", 1_500, 1, STEPS[FIRST] | SMALL))
SMALLER: dict[str, Any] = {**NFSP, "every": 32}  # networks that are compiled already, also in place of those of Leduc hold'em
FEWER = (Training(KUHN, "kuhn", 600, 2, SMALLER), Training(FIRST, "kuhn", 600, 1, STEPS[FIRST] | SMALLER))


@pytest.mark.parametrize("few", [FEWER, pytest.param(FEW, marks=pytest.mark.long)], ids=["fewer", "few"])
def test_a_page_of_few_trainings(few: tuple[Training, ...], tmp_path: Path) -> None:
    page = written("nfsp", few, tmp_path)
    for picture in ("kuhn", "leduc"):
        assert f"(tiny/{picture}.png)" in page.text
    assert "not measured yet" in page.text
    assert len(page.parts) == 3, "one for each seed"
    assert {part.settings["seed"] for part in page.parts.values()} == {0, 1}
    for part in page.parts.values():
        assert all(len(line) == len(part.settings["points"]) for line in part.figures.values())


def curve(units: int, iterations: float, factor: float) -> dict[str, Part]:
    """Three seeds near Figure 1, times a factor, up to so many iterations."""
    published = CURVES[min(CURVES, key=lambda known: abs(known - units))]
    points = np.geomspace(500, iterations, 40)
    line = np.exp(np.interp(np.log(points), np.log(list(published)), np.log(list(published.values())))) * factor
    settings = {"game": "leduc", "options": {}, "points": [round(point) for point in points]}
    parts = {}
    for seed, apart in enumerate((0.98, 1.0, 1.02)):
        figures = {name: list(line * apart) for name in FIGURES} | {MOVES: list(points * ITERATION)}
        parts[f"{BY_AUTHOR[units]}, seed {seed}"] = Part(settings, figures, {}, 1.0)
    return parts


def statuses(parts: dict[str, Part]) -> dict[str, Status]:
    return {row.statement: verdict(row).status for row in rows(parts) if row.published}


def test_figure_1_is_judged_by_the_iterations_trained() -> None:
    over, end = "128 units: exploitability over iterations", "128 units: exploitability in the end"
    below = "Leduc, 128 units: exploitability below 0.1"
    whole, short, worse = (statuses(curve(128, *size)) for size in ((LAST * 1.01, 1.0), (90_000, 1.0), (LAST * 1.01, 2.0)))
    assert (whole[over], whole[end], whole[below]) == (Status.REPRODUCED, Status.REPRODUCED, Status.REPRODUCED)
    assert (short[over], short[end], short[below]) == (Status.SMALLER, Status.NOT_COMPARABLE, Status.NOT_COMPARABLE)
    assert (worse[over], worse[end]) == (Status.DIFFERS, Status.DIFFERS)
    assert whole["Leduc, 64 units: an exploitability of 0.1 is reached"] == Status.NOT_COMPARABLE, "not trained"


def test_every_statement_has_a_row_without_any_training() -> None:
    assert set(statuses({})) == set(statuses(curve(16, 90_000, 1.0) | curve(64, 90_000, 1.0) | curve(128, 90_000, 1.0)))
    assert set(statuses({}).values()) == {Status.NOT_COMPARABLE}


def test_when_a_bar_is_reached_for_good() -> None:
    spent = np.array([1.0, 2.0, 3.0, 4.0])
    lines = np.array([[0.3, 0.05, 0.2, 0.05], [0.05, 0.05, 0.05, 0.05], [0.05, 0.05, 0.05, 0.2]])
    each = Learned("label", "kuhn", {}, Curves([1, 2, 3, 4], {EXPLOITABILITY: lines}))
    assert [each.stays_below(seed, spent, 0.1) for seed in range(3)] == [4, 1, None]


def test_a_training_that_was_stopped_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = replace(FEWER[0], seeds=1).settings(0)
    whole = train(settings, tmp_path, lambda line: None)
    assert CHECKPOINT_SECONDS > 0
    monkeypatch.setattr("smoothcall.experiments.nfsp.training.CHECKPOINT_SECONDS", 0.0)
    monkeypatch.setattr("smoothcall.experiments.nfsp.training.SLICE", 100)
    save, calls = Checkpoint.save, 0

    def stopped(self: Checkpoint, *rest: Any) -> None:
        nonlocal calls
        save(self, *rest)
        calls += 1
        if calls == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(Checkpoint, "save", stopped)
    with pytest.raises(KeyboardInterrupt):
        train(settings, tmp_path, lambda line: None)
    assert (tmp_path / "training.npz").exists()
    assert train(settings, tmp_path, lambda line: None)[EXPLOITABILITY] == whole[EXPLOITABILITY]
    assert not (tmp_path / "training.npz").exists()


def test_gradient_play_is_judged_by_the_interval() -> None:
    for mean, said in ((0.01, "no difference beyond"), (0.2, "the more exploitable"), (-0.2, "the less exploitable")):
        assert said in gradient_play.outcome(Estimate(mean, 0.01, 3))
    assert "decides nothing" in gradient_play.outcome(Estimate(0.2, inf, 1))


@pytest.mark.long
def test_quick(tmp_path: Path) -> None:
    report = App().reproduce("nfsp", quick=True, out=tmp_path)
    assert {row.row.source for row in report.rows} >= set(nfsp.SOURCES)
    assert App().reproduce("nfsp", quick=True, out=tmp_path) == report


@pytest.mark.long
def test_gradient_play_on_leduc(tmp_path: Path) -> None:
    parts = Parts(tmp_path / "data.json", "command", lambda line: None)
    gradient_play.measure(parts, quick=True)
    page = nfsp.page.Page("tiny", "Title", "command")
    gradient_play.write(page, parts.parts)
    assert page.pictures
    assert len(page.rows) == 2

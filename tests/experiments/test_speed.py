"""Figures of `smoothcall bench`: the arithmetic of a measurement, and quick figures. No speed is asserted."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from smoothcall.app import App
from smoothcall.errors import UsageError
from smoothcall.experiments import speed
from smoothcall.experiments.speed import TASKS, Task, timing

UNITS = {"iterations/s", "episodes/s", "hands/s", "steps/s", "s", "ms"}
QUICK = ["leduc-nash-conv", "leduc-lp", "preflop-equity"]
SLOW = [name for name in TASKS if name not in QUICK and not name.startswith(("limit-holdem", "no-limit", "strength", "spot"))]


def test_the_figure_is_the_median_of_the_repeats(monkeypatch: pytest.MonkeyPatch) -> None:
    """Repeats of 2, 1 and 4 seconds of 8 iterations: 4, 8 and 2 iterations a second."""
    calls, clock = list[str](), iter([0.0, 2.0, 10.0, 11.0, 20.0, 24.0])
    monkeypatch.setattr(speed, "perf_counter", lambda: next(clock))

    def prepare() -> speed.Timed:
        calls.append("prepare")
        return lambda: calls.append("run")

    figure = timing("name", Task("iterations/s", prepare, lambda seconds: 8 / seconds), repeats=3)
    assert calls == ["prepare", "run", "run", "run", "run"], "one repeat to warm up does not count"
    assert (figure.value, figure.spread, figure.unit) == (4, (8 - 2) / 2 / 4, "iterations/s")


def test_figures(capsys: pytest.CaptureFixture[str]) -> None:
    answer = App().bench(QUICK, repeats=1).as_dict()
    json.dumps(answer, allow_nan=False)
    figures = {figure["name"]: figure for figure in answer["figures"]}
    assert list(figures) == QUICK
    for name, figure in figures.items():
        assert set(figure) == {"name", "value", "unit", "spread", "peers"}
        assert figure["unit"] == TASKS[name].unit
        assert figure["value"] > 0


def test_units_are_known() -> None:
    assert {task.unit for task in TASKS.values()} == UNITS


def test_what_is_asked_for_is_verified() -> None:
    def measured(names: list[str], repeats: int) -> Iterator[speed.Figure]:
        return speed.measure(names, repeats=repeats, tell=lambda line: None)

    with pytest.raises(UsageError, match="unknown figure 'leduc-speed'"):
        next(measured(["leduc-speed"], 1))
    with pytest.raises(UsageError, match="repeats=0"):
        next(measured([], 0))


@pytest.mark.long
@pytest.mark.parametrize("name", SLOW)
def test_slow_figures(name: str) -> None:
    (figure,) = App().bench([name], repeats=1).figures
    assert figure.as_dict()["value"] > 0

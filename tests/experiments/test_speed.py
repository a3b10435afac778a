"""The figures can be measured, and none has fallen through the floor (a quarter of what one core gives alone)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from smoothcall.app import App

FLOORS = {
    "leduc-cfr-plus": ("iterations/s", 25_000),
    "leduc-xfp": ("iterations/s", 1_000),
    "leduc-external-mccfr": ("iterations/s", 100_000),
    "leduc-3p-cfr-plus": ("iterations/s", 100),
    "evaluate-7-cards": ("hands/s", 20e6),
    "limit-holdem-smooth-uct": ("episodes/s", 150_000),
    "limit-holdem-match": ("hands/s", 250_000),
}
CEILINGS = {
    "leduc-nash-conv": ("ms", 0.1),
    "leduc-3p-nash-conv": ("ms", 100),
    "leduc-lp": ("s", 0.3),
    "count-7-cards": ("s", 2.5),
    "preflop-equity": ("ms", 60),
}


@pytest.fixture(scope="module")
def figures() -> dict[str, Any]:
    answer = App().bench([*FLOORS, *CEILINGS], repeats=3).as_dict()
    json.dumps(answer, allow_nan=False)
    return {figure["name"]: figure for figure in answer["figures"]}


def test_figures(figures: dict[str, Any]) -> None:
    for name, (unit, floor) in FLOORS.items():
        assert figures[name]["unit"] == unit
        assert figures[name]["value"] > floor, name
    for name, (unit, ceiling) in CEILINGS.items():
        assert figures[name]["unit"] == unit
        assert figures[name]["value"] < ceiling, name
    assert all(set(figure) == {"name", "value", "unit", "spread", "peers"} for figure in figures.values())

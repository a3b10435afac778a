"""The commands of spots: `solve` and `show`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.test_cli import call as call  # the fixture


def test_solve_and_show_a_spot(call: Any, tmp_path: Path) -> None:
    spot = ["--board", "Td9d6hQc2s", "--ranges", "AA,KQs", "JJ,T9s:0.5", "--pot", "100", "--stack", "400"]
    solved = call("solve", *spot, "--bets", "50%,a", "--raises", "75%", "--accuracy", "1%", "--out", "river.spot")
    assert solved.code == 0
    assert "saved river.spot" in solved.out
    answer = json.loads(call("solve", "river.spot", "--accuracy", "0.2%", "--json").out)
    assert set(answer) >= {"ev", "equity", "exploitability", "iterations", "cpu_seconds", "memory_mb"}
    assert answer["exploitability"] <= 0.002
    assert sum(answer["ev"]) == pytest.approx(100, abs=1e-3)
    node = json.loads(call("show", "river.spot", ":r50", "--json").out)
    assert [move["letter"] for move in node["moves"]][:2] == ["f", "c"]
    assert len(node["hands"]) == 9
    assert "Call 50" in call("show", "river.spot", ":r50").out
    assert "AsAh" in call("show", "river.spot", "AsAh:").out
    refused = [
        ["solve"],
        ["solve", "river.spot", "--pot", "3"],
        ["solve", "none.spot"],
        ["solve", *spot, "--accuracy", "none"],
        ["solve", *spot, "--out", "river.agent"],
        ["show", "river.spot", "nothing"],
    ]
    for words in refused:
        result = call(*words)
        assert (result.code, result.out, result.err.count("\n")) == (2, "", 1), words

"""The commands of spots: `solve` and `show`."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from smoothcall.search.range_solver import RangeSolver
from smoothcall.search.solution import Solution
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
    behind = call("show", "river.spot", ":r50").out
    assert "Call 50" in behind
    assert "-0.000" not in behind  # of a fold
    assert "AsAh" in call("show", "river.spot", "AsAh:").out
    refused = [
        ["solve"],
        ["solve", "river.spot", "--pot", "3"],
        ["solve", "river.spot", "--rake", "5%"],
        ["solve", "river.spot", "--lock", "none.json"],
        ["solve", "river.spot", "--bets", "a"],
        ["solve", *spot, "--limit", ""],
        ["show", "river.spot", "--game", "leduc"],
        ["show", "river.spot", "--grid", "colours"],
        ["show", "kuhn-cfr", "--grid", "ev"],
        ["solve", "none.spot"],
        ["solve", *spot, "--accuracy", "none"],
        ["solve", *spot, "--out", "river.agent"],
        ["show", "river.spot", "nothing"],
    ]
    for words in refused:
        result = call(*words)
        assert (result.code, result.out, result.err.count("\n")) == (2, "", 1), words


def test_grids_show_each_figure(call: Any) -> None:
    spot = ["--board", "Td9d6hQc2s", "--ranges", "AA,KQs:0.5", "JJ,T9s:0.5", "--pot", "100", "--stack", "400"]
    assert call("solve", *spot, "--accuracy", "1%", "--out", "river.spot").code == 0
    hands = json.loads(call("show", "river.spot", "--json").out)["hands"]
    assert "suited hands" not in call("show", "river.spot").out  # few hands are shown one by one
    for figure, said, form in (("ev", "EV in chips", ".1f"), ("equity", "equity in %", ".0f"), ("weight", "weight of", ".2f")):
        shown = call("show", "river.spot", "--grid", figure).out
        assert f"each cell: {said}" in shown
        rows = {line.split()[0]: line.split()[1:] for line in shown.splitlines() if line.strip()}
        for rank in "AK":
            each = [hand[figure] for hand in hands if hand["hand"][0] == rank]  # of one weight
            mean = sum(each) / len(each) * (100 if figure == "equity" else 1)
            assert rows[rank] == [f"{mean:{form}}"]


BAD = [
    ("--board", "TdTd6hQc2s", "stands twice"),
    ("--board", "Td9d6hQc2s3s", "6 cards"),
    ("--board", "Td9d1h", "unknown card"),
    ("--ranges", "", "no hand or range"),
    ("--ranges", "TdTh", "no hand beside"),
    ("--ranges", "AA:2", "weight"),
    ("--ranges", "AsAh", "cannot be held together"),
    ("--bets", "0%", "size '0%'"),
    ("--bets", "500", "a bet of 500 chips (accepted: at most the stack, 400, or a for all-in)"),
    ("--raises", "-3", "size '-3'"),
    ("--street-bets", "turn=50%x", "size"),
    ("--pot", "-1", "pot=-1"),
    ("--stack", "0", "stack=0"),
    ("--accuracy", "0", "accuracy"),
    ("--accuracy", "101%", "accuracy"),
    ("--seconds", "-1", "seconds"),
    ("--threads", "0", "threads"),
    ("--rake", "100%", "rake"),
    ("--storage", "8", "storage=8"),
    ("--algorithm", "magic", "algorithm"),
    ("--lock", "lock.json", "nobody acts after 'r7'"),
    ("--lock", "none.json", "none.json"),
]


@pytest.mark.parametrize(("option", "value", "message"), BAD)
def test_bad_input_is_one_line_and_writes_nothing(call: Any, option: str, value: str, message: str) -> None:
    Path("lock.json").write_text('{":r7": {"any": {"c": 1}}}')
    before = {path.name for path in Path().iterdir()}
    given = {"--board": "Td9d6hQc2s", "--ranges": "AsAh,KK", "--pot": "100", "--stack": "400", option: value}
    words = [word for name, text in given.items() for word in (name, *((text, "AhAc") if name == "--ranges" else (text,)))]
    result = call("solve", *words, "--out", "river.spot")
    assert (result.code, result.out, result.err.count("\n")) == (2, "", 1)
    assert message in result.err
    assert {path.name for path in Path().iterdir()} == before


def test_interrupted_solve_saves_what_is_solved(call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C, as the signal that a terminal sends: after the first iterations."""
    run = RangeSolver.run

    def interrupted(self: RangeSolver, iterations: int) -> None:
        run(self, iterations)
        if self.iterations == 12:
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(RangeSolver, "run", interrupted)
    spot = ["--board", "Td9d6hQc2s", "--ranges", "AA,KQs", "JJ,T9s", "--pot", "100", "--stack", "400"]
    stopped = call("solve", *spot, "--accuracy", "0.0001%", "--out", "river.spot", "--json")
    assert stopped.code == 130
    answer = json.loads(stopped.out)
    assert (answer["iterations"], answer["done"], answer["saved"]) == (12, False, "river.spot")
    assert Solution.load(Path("river.spot")).solver.iterations == 12

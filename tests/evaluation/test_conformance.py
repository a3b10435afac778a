"""The check that authors of players run, and players that fail it."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

import smoothcall as sc
from smoothcall.agents import outside
from smoothcall.agents.registry import Kind, Registry
from smoothcall.errors import PlayerFailed, UsageError
from smoothcall.evaluation.conformance import GAMES, check_player
from tests.test_cli import call  # noqa: F401

MODULE = """
from random import choice

class Good:
    def __init__(self, random):
        self.random, self.ends = random, 0

    def act(self, view):
        return self.random.choice(view.letters)

    def watch(self, view):
        self.ends += bool(view.payoffs)

class Kuhn(Good):
    GAMES = ("kuhn",)

class Folds:
    def act(self, view):
        return "f"

class Number:
    def act(self, view):
        return 1

class Raises:
    def act(self, view):
        return {}["no such\\nkey"]

class Exits:
    def act(self, view):
        raise SystemExit(3)

class Unseeded:
    def act(self, view):
        return choice(view.letters)

class Blind:
    def act(self, view):
        return view.letters[0]

    def watch(self, view):
        raise RuntimeError

class Listed(Good):
    GAMES = "kuhn"

class Late(Good):
    moves = 0
    def act(self, view):
        Late.moves += 1
        if Late.moves > 60:
            raise ValueError("tired")
        return "c"

class Batch:
    IGNORES_OBSERVATIONS = True

    def probabilities(self, observations, legal):
        return legal / legal.sum(axis=1, keepdims=True)
"""


@pytest.fixture(autouse=True)
def _module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "somebots.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "somebots", raising=False)


def test_good_players_pass_in_every_game() -> None:
    for name in ("somebots:Good", "somebots:Batch"):
        found = check_player(name, Registry(), hands=6)
        assert [each.game for each in found] == [sc.game(spec).spec for spec in GAMES]
        assert not any(each.problem for each in found)
        assert all(each.moves >= 3 for each in found)
    assert [each.game for each in check_player("somebots:Kuhn", Registry(), hands=2)] == ["kuhn"]
    assert [each.problem for each in check_player("kuhn-lp", Registry(), hands=5)] == [""]


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("Folds", "player 'somebots:Folds' answered 'f' at '' in seat 0 of leduc (accepted: c, r)"),
        ("Number", "player 'somebots:Number' answered '1' at '' in seat 0 of leduc (accepted: c, r)"),
        ("Raises", "player 'somebots:Raises' raised KeyError: 'no such"),
        ("Exits", "player 'somebots:Exits' raised SystemExit: 3 at '' in seat 0 of leduc"),
        ("Blind", "player 'somebots:Blind' raised RuntimeError watching '' in seat 0 of leduc"),
        ("Unseeded", "one seed gave two lines of moves"),
    ],
)
def test_what_fails(name: str, problem: str) -> None:
    (found,) = check_player(f"somebots:{name}", Registry(), ["leduc"], hands=20)
    assert found.problem.startswith(problem)
    assert "\n" not in found.problem


def test_no_limit_moves_that_are_illegal() -> None:
    (found,) = check_player("somebots:Folds", Registry(), ["no-limit-holdem"], hands=20)
    assert "(accepted: c, r" in found.problem


def test_what_cannot_be_checked() -> None:
    for name, message in [("probe", "is scripted"), ("somebots:Listed", "GAMES = 'kuhn'"), ("nobots:It", "No module named")]:
        with pytest.raises(UsageError, match=message):
            check_player(name, Registry())
    with pytest.raises(UsageError, match="hands=0"):
        check_player("somebots:Good", Registry(), hands=0)


def test_the_command(call: Any) -> None:  # noqa: F811
    passed = call("players", "--check", "somebots:Kuhn", "--json")
    assert passed.code == 0
    assert json.loads(passed.out)["games"][0]["problem"] == ""
    failed = call("players", "--check", "somebots:Folds", "--game", "kuhn", "--hands", "5")
    assert failed.code == 1
    assert "answered 'f'" in failed.out


def test_a_match_keeps_its_result_when_a_player_fails(call: Any) -> None:  # noqa: F811
    result = call("match", "somebots:Late", "leduc-cfr", "--hands", "500", "--json")
    assert result.code == 1
    answer = json.loads(result.out)
    assert not answer["done"]
    assert answer["deals"] >= 5
    assert "player 'somebots:Late' raised ValueError: tired" in answer["failure"]
    assert result.err.splitlines()[-1].startswith("smoothcall: player 'somebots:Late' raised ValueError: tired at")
    at_once = call("match", "somebots:Raises", "leduc-cfr", "--hands", "10")
    assert (at_once.code, at_once.out) == (1, "")


def test_modules_that_raise(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("1 / 0\n")
    with pytest.raises(PlayerFailed, match="importing 'broken' raised ZeroDivisionError"):
        Registry().player("broken:Any", sc.game("kuhn"))


def test_installed_players_have_names(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [EntryPoint("mine", "somebots:Good", outside.GROUP)]
    monkeypatch.setattr(outside, "entry_points", lambda group: found if group == "smoothcall.players" else [])
    registry = Registry()
    assert registry.resolve("mine").kind is Kind.CLASS
    assert "mine" in registry.names()
    assert ("mine", "installed") in [(each.name, each.kind) for each in registry.players()]
    result = sc.match(sc.game("kuhn"), [registry.player("mine", sc.game("kuhn")), "kuhn-lp"], hands=20)
    assert result.hands == 20
    assert [each.problem for each in check_player("mine", registry, ["kuhn"], hands=3)] == [""]


def test_the_example_is_short_and_passes() -> None:
    folder = Path(__file__).parents[2] / "examples"
    body = (folder / "your_own_player.py").read_text()
    assert len([line for line in body.splitlines() if line.strip()]) <= 20
    command = [sys.executable, "-m", "smoothcall", "players", "--check", "your_own_player:Cautious", "--hands", "5"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("passed") == len(GAMES)

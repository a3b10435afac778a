"""Other packages are measured in the same run, on the same game; those that are not installed are left out, with a message."""

from __future__ import annotations

import json

import pyspiel
import pytest

import smoothcall as sc
from smoothcall.app import App
from smoothcall.experiments import peers
from smoothcall.experiments.speed import TASKS, Figure


def test_a_peer_is_measured_in_the_same_run() -> None:
    told: list[str] = []
    answer = App().bench(["leduc-external-mccfr"], repeats=1, peers=True, tell=told.append).as_dict()
    json.dumps(answer, allow_nan=False)
    (figure,) = answer["figures"]
    assert set(figure["peers"]) == {"OpenSpiel C++", "OpenSpiel C++, suits merged"}
    for peer in figure["peers"].values():
        assert set(peer) == {"value", "unit", "ratio"}
        assert peer["unit"] == figure["unit"] == "iterations/s"
        assert peer["ratio"] == figure["value"] / peer["value"]
    assert told[0] == "measuring leduc-external-mccfr"


def test_ratio_of_times_is_the_other_way_round(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = Figure("leduc-nash-conv", 6.0, "ms", 0.0)
    monkeypatch.setattr(peers, "timing", lambda *_, **__: slow)
    ours = Figure("leduc-nash-conv", 2.0, "ms", 0.0)
    assert peers.compare(ours, repeats=1, tell=lambda _: None)["OpenSpiel C++"]["ratio"] == 3


def test_what_is_not_installed_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "find_spec", lambda module: None)
    told: list[str] = []
    answer = App().bench(["leduc-external-mccfr"], repeats=1, peers=True, tell=told.append).as_dict()
    assert answer["figures"][0]["peers"] == {}
    assert told == ["OpenSpiel is not installed: pip install open_spiel", "measuring leduc-external-mccfr"]
    assert "LiteEFG is not installed: pip install LiteEFG" in peers.missing([])


def test_peers_go_with_figures_and_units() -> None:
    for name, found in peers.PEERS.items():
        assert {peer.task.unit for peer in found.values()} == {TASKS[name].unit}


def test_suits_merged_is_our_game() -> None:
    game = sc.game("leduc")
    theirs = pyspiel.load_game(peers.MERGED)
    expected = pyspiel.nash_conv(theirs, pyspiel.UniformRandomPolicy(theirs))
    assert sc.nash_conv(game, sc.Policy.uniform(game)) == pytest.approx(expected, abs=1e-12)

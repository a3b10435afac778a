"""The reproductions of tree search at a small size: pages are whole, and verdicts follow from their data."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from smoothcall.app import App
from smoothcall.experiments import heinrich2014, macmanus2019
from tests.experiments.pages import verify, written


def test_heinrich2014(tmp_path: Path) -> None:
    page = written("heinrich2014", heinrich2014.Size(episodes=50_000, runs=2, seconds=0.01), tmp_path)
    for picture in ("pot-2", "pot-8", "comparison"):
        assert f"(tiny/{picture}.png)" in page.text
    assert [check["passed"] for check in page.checks.values()] == [None] * 5, "too short for a verdict"
    for pot, labels in ((2, heinrich2014.AGENTS), (8, heinrich2014.AGENTS | heinrich2014.WIDER)):
        curves = page.data[f"pot-{pot}"]
        assert set(curves) == set(labels)
        for curve in curves.values():
            assert curve["points"] == [10_000, 20_000, 30_000, 40_000, 50_000]
            assert np.array(curve["squared"]).shape == (2, 5)
    for played in ("kuhn", "leduc"):
        for label in heinrich2014.COMPARED:
            iterations = [point["iterations"] for point in page.data[f"{played} {label}"]]
            assert iterations == sorted(iterations)
            assert iterations


def test_macmanus2019(tmp_path: Path) -> None:
    told: list[str] = []
    page = verify(App().reproduce("macmanus2019", quick=True, out=tmp_path, tell=told.append).as_dict(), tmp_path, told)
    for picture in ("against-random", "self-play", "long"):
        assert f"(macmanus2019-quick/{picture}.png)" in page.text
    assert "smoothcall reproduce macmanus2019 --quick" in page.text
    self_play = page.data["self-play"]
    last = {name: np.array(curve["greedy"])[:, -1].mean() / 2 for name, curve in self_play.items()}
    assert page.checks["UCT by self-play, greedy policy"]["passed"] == (last["uct"] < 4.6)
    assert page.checks["Smooth UCT, d = 0.1, greedy policy"]["passed"] == (last["smooth d=0.1"] < 2.2)
    assert page.checks["Smooth UCT, d = 0.002, after 500 M episodes"]["passed"] is None
    average = np.array(self_play["smooth d=0.002"]["average"]).mean(axis=0)
    assert average[-1] < average[0] / 2, "Smooth UCT converges"


def test_a_false_claim_fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """With a published figure that nobody can reach, the page says so."""
    monkeypatch.setattr(macmanus2019, "PUBLISHED_LONG", 0.0)
    page = written("macmanus2019", macmanus2019.Size(shorter=1000, repetitions=1, long=10_000, long_seeds=1), tmp_path)
    assert page.checks["Smooth UCT, d = 0.002, after 500 M episodes"]["passed"] is None
    assert page.checks["UCT against random: average reward rises and levels off"]["passed"] is False, "500 episodes are few"


@pytest.mark.long
def test_heinrich2014_quick(tmp_path: Path) -> None:
    told: list[str] = []
    page = verify(App().reproduce("heinrich2014", quick=True, out=tmp_path, tell=told.append).as_dict(), tmp_path, told)
    assert page.checks["Pot 2: squared error, Smooth UCT (3) below UCT"]["passed"]

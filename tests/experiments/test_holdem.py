"""heinrich2014 on hold'em at a small size: the page is whole, and nothing is judged too early."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import smoothcall as sc
from smoothcall.errors import UsageError
from smoothcall.experiments import heinrich2014_holdem as holdem
from smoothcall.experiments.agents import AgentFolder
from tests.experiments.pages import written

COARSE = "limit-holdem:grid=10/10/10"  # far fewer rows than grid S
COARSE_TWO = tuple(replace(agent, game=COARSE) for agent in (holdem.TWO[1], holdem.TWO[3]))
TINY = holdem.Size(COARSE_TWO, 50_000, 0, 1_000, 2_000, 2, 5_000, 20_000)
LARGE = holdem.Size((holdem.TWO[1], holdem.TWO[5]), 100_000, 0, 2_000, 4_000, 10, 20_000, 50_000)


def test_every_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MCCFR", "SMOOTH"):
        monkeypatch.setattr(holdem, name, replace(getattr(holdem, name), game=COARSE))
    page = written("heinrich2014-holdem", TINY, tmp_path)
    assert [check["verdict"] for check in page.checks.values()] == ["needs the full run"] * 4
    assert "| 3p | 169 | 1000 | 100 | 10 | 23,937,308 | 120,036,830 |" in page.text
    labels = ("UCT S, k=0.5", "Smooth UCT S, k=0.5", "MCCFR S")
    assert set(page.data["best responses"]) == {f"{label}, {how}" for label in labels for how in holdem.FORMS}
    for label, forms in page.data["folded before the flop"].items():
        assert label == holdem.MCCFR.label or forms["greedy"]["AA"] == forms["average"]["AA"] == 0
    folds = page.data["folds exact and sampled"]
    assert folds["exact"]["folded"]["AA"] == 0 < folds["sampled"]["folded"]["AA"]
    for how in holdem.FORMS:
        assert f"(tiny/table-2-{how}.png)" in page.text


@pytest.mark.long
def test_the_large_grid(tmp_path: Path) -> None:
    page = written("heinrich2014-holdem", LARGE, tmp_path)
    assert set(page.data["folded before the flop"]) == {"UCT S, k=0.5", "Smooth UCT L, k=0.5", "MCCFR S"}


def test_agents_are_kept_and_read_again_but_not_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    agent, told, folder = holdem.TWO[1], [], AgentFolder(tmp_path / "agents")
    first = holdem.trained(agent, 5_000, folder, told.append)
    again = holdem.trained(agent, 5_000, folder, told.append)
    assert len(told) == 1
    for one, other in zip(first, again, strict=True):
        assert (one.weights == other.weights).all()
    with pytest.raises(UsageError, match="5000 iterations"):
        holdem.trained(agent, 6_000, folder, told.append)
    (tmp_path / "agents" / f"{agent.file}.agent").rename(tmp_path / "agents" / f"{holdem.TWO[0].file}.agent")
    (tmp_path / "agents" / f"{agent.file}-greedy.agent").rename(tmp_path / "agents" / f"{holdem.TWO[0].file}-greedy.agent")
    with pytest.raises(UsageError, match="was not made by"):
        holdem.trained(holdem.TWO[0], 5_000, folder, told.append)


def test_how_often_a_hand_is_folded() -> None:
    """Who folds one time in four and else calls, folds in one of two places: to start with, or to a raise behind."""
    game = sc.game("limit-holdem:grid=1/1/1")
    policy = sc.Policy.from_weights(game, np.tile([1.0, 3.0, 0.0], (game.tree.rows, 1)))
    assert holdem.folded(policy, "AA") == pytest.approx(1 - 0.75 * 0.75, abs=0.01)
    assert holdem.folded(policy.thresholded(0.3), "AA") == 0
    assert holdem.folded(sc.Policy.from_weights(game, np.tile([0.0, 1.0, 0.0], (game.tree.rows, 1))), "72o") == 0

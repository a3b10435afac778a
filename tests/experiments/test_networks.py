"""The reproductions with networks at a small size: pages are whole, and their data complete."""

from __future__ import annotations

from dataclasses import replace
from math import inf, sqrt
from pathlib import Path

import numpy as np
import pytest

import smoothcall as sc
from smoothcall.app import App
from smoothcall.errors import UsageError
from smoothcall.evaluation.statistics import Estimate
from smoothcall.experiments import epfl2020, gradient_play, nfsp, pricope2021
from smoothcall.experiments.agents import AgentFolder, differences
from smoothcall.experiments.curves import Curves, means
from smoothcall.experiments.ledger import Page
from smoothcall.experiments.nfsp import _reached, read
from smoothcall.experiments.pricope2021.settings import DP, EQUILIBRIUM, GP, RAW, TWO, TWO_RANDOM
from tests.conftest import built
from tests.experiments.pages import verify, written


def test_nfsp(tmp_path: Path) -> None:
    kuhn, leduc = nfsp.QUICK
    page = written("nfsp", (kuhn, replace(leduc, episodes=3_000)), tmp_path)
    for picture in ("kuhn", "leduc"):
        assert f"(tiny/{picture}.png)" in page.text
    assert [check["passed"] for check in page.checks.values()] == [None, None]
    line = page.data["curves"]["Kuhn, ours"]["exploitability"][0]
    assert line[-1] < 0.75 * line[0], "NFSP converges"


def test_a_bar_is_judged_by_every_seed() -> None:
    training = nfsp.Training("label", "kuhn", 2_000, 2)
    for line, passed in (([0.3, 0.05], True), ([0.3, 0.2], False)):
        curves = Curves([1000, 2000], {"exploitability": np.array([[0.3, 0.05], line])})
        page = Page("name", "Title", "command")
        nfsp.check(page, training, {"label": (curves, np.ones((2, 2)))}, "kuhn", "", bar=0.1, limit=180, judged=True)
        assert [check.passed for check in page.checks] == [passed]


def test_when_a_bar_is_reached_for_good() -> None:
    spent = np.array([1.0, 2.0, 3.0, 4.0])
    assert _reached(np.array([0.3, 0.05, 0.2, 0.05]), spent, 0.1) == 4
    assert _reached(np.array([0.05, 0.05, 0.05, 0.05]), spent, 0.1) == 1
    assert _reached(np.array([0.05, 0.05, 0.05, 0.2]), spent, 0.1) is None


def test_leduc_with_gradient_play(tmp_path: Path) -> None:
    """The section is whole, what it returns is read again, and curves that are kept are not learned again."""
    page, told = Page("quick", "Title", "command"), list[str]()
    page.data["curves"] = gradient_play.leduc(page, quick=True, kept={}, tell=told.append)
    assert len(told) == 4, "two of two seeds"
    page.write(tmp_path)
    again = Page("again", "Title", "command")
    gradient_play.leduc(again, quick=True, kept=read(tmp_path / "quick" / "data.json"), tell=told.append)
    assert len(told) == 4
    assert [part.replace("(again/", "(quick/") for part in again.parts] == page.parts
    assert page.pictures["leduc"][:4] == b"\x89PNG"
    assert [check.passed for check in page.checks] == [None, None]
    one, other = (np.array(curve["exploitability"]) for curve in page.data["curves"].values())
    assert one.shape == other.shape == (2, len(page.data["curves"]["discrete play"]["points"]))
    assert f"{(other - one)[:, -1].mean():+.3f} ±" in page.parts[-1]


def test_gradient_play_is_judged_by_the_interval() -> None:
    for mean, said in ((0.01, "no difference beyond"), (0.2, "the more exploitable"), (-0.2, "the less exploitable")):
        assert said in gradient_play.verdict(Estimate(mean, 0.01, 3))
    assert "no difference beyond" in gradient_play.verdict(Estimate(0.2, inf, 1))


def test_the_mean_of_seeds_has_an_interval() -> None:
    """Of 1, 2 and 6 the mean is 3 and its standard error sqrt(7 / 3); Student's quantile with 2 degrees of freedom is 4.303."""
    (one, other) = means(np.array([[1.0, 4.0], [2.0, 4.0], [6.0, 4.0]]))
    np.testing.assert_allclose(one.interval(), (3 - 4.30265 * sqrt(7 / 3), 3 + 4.30265 * sqrt(7 / 3)), rtol=1e-5)
    assert other.interval() == (4, 4)


def test_agents_of_another_command_are_refused(tmp_path: Path) -> None:
    folder, policy = AgentFolder(tmp_path), sc.Policy.uniform(built("kuhn"))
    policy.card["solver"] = {"name": "cfr", "options": {"prune": 0.0}}
    folder.save("agent", policy)
    assert folder.has("agent")
    assert folder.find("other", None, {}, "command") is None
    assert folder.find("agent", None, {"solver": {"name": "cfr"}}, "command") is not None
    with pytest.raises(UsageError, match=r"was not made by: command \(solver.options.prune is 0.0 instead of 1.0\)"):
        folder.find("agent", None, {"solver": {"options": {"prune": 1.0}}}, "command")
    assert differences({"a": {"b": 1}, "c": 2}, {"a": 3}) == {"a": ({"b": 1}, 3), "c": (2, None)}
    assert AgentFolder(None).find("agent", None, {}, "command") is None


def verify_epfl2020(text: str, data: dict[str, list[dict[str, object]]], freezeouts: int) -> None:
    for part in ("Fig 1", "Figs 5 and 6", "3037.5/1442", "Against scripted players", "How exploitable", "clipped-double-dqn"):
        assert part in text
    for picture in ("learning", "cross-table"):
        assert f"/{picture}.png)" in text
    results = data[f"{freezeouts} freezeouts"]
    assert len(results) == 9 * 8 / 2, "four learners, the equilibrium and four scripted players, all pairs"
    for result in results:
        assert result["freezeouts"] == freezeouts
        assert abs(result["gain"]["mean"]) <= 3000, "nobody can win more than the stack"
        assert 0 <= result["wins"] <= 1
    assert set(data["responses"]) == {"MC", "DQC", "DQD", "CDQN", "EQ"}


def test_epfl2020(tmp_path: Path) -> None:
    size = replace(
        epfl2020.QUICK,
        hands=5_000,
        walks=300,
        freezeouts=100,
        local_deals=2,
        episodes=1_000,
        response_hands=1_000,
        match_hands=400,
        spots=10,
    )
    page = written("epfl2020", size, tmp_path)
    verify_epfl2020(page.text, page.data, 100)
    verdicts = [check["passed"] for check in page.checks.values()]
    assert verdicts == [True, None, None, None, None], "frequencies are exact; the rest is too short for a verdict"
    assert not (tmp_path / "tiny" / "agents").exists(), "small agents are not kept"


def verify_pricope2021(text: str, data: dict[str, list[dict[str, object]]], hands: int, trained: set[int]) -> None:
    for part in ("Figs 2 and 3", "Table 1", "361.08", "Figs 4 and 5", "How exploitable", "does gradient play help?"):
        assert part in text
    for picture in ("differences", "against-random", "cross-table", "leduc"):
        assert f"/{picture}.png)" in text
    assert len(data["hands"]) == 10 * 9 / 2, "six agents, the equilibrium and three generic players, all pairs"
    for result in data["hands"]:
        assert result["freezeouts"] == result["hands"] == hands
        assert abs(result["gain"]["mean"]) <= 20, "nobody can win more than the stack"
    assert {line["trained"] for line in data["table 1"]} == trained
    assert set(data["responses"]) == {GP, EQUILIBRIUM}


def test_pricope2021(tmp_path: Path) -> None:
    quick = pricope2021.QUICK
    freezeouts = {GP: (510, (500,)), DP: (500, ()), RAW: (500, ()), TWO: (50, ()), TWO_RANDOM: (50, ())}
    size = replace(
        quick,
        trainings={
            label: replace(quick.trainings[label], freezeouts=count, snapshots=snapshots)
            for label, (count, snapshots) in freezeouts.items()
        },
        decisions=1_000,
        walks=100,
        deals=20,
        slow_deals=2,
        freezeouts=10,
        local_deals=2,
        episodes=200,
        response_hands=50,
    )
    page = written("pricope2021", size, tmp_path)
    verify_pricope2021(page.text, page.data, hands=40, trained={500, 510})
    assert {check["passed"] for check in page.checks.values()} == {None}, "too short for a verdict"
    assert not (tmp_path / "tiny" / "agents").exists(), "small agents are not kept"


@pytest.mark.long
def test_nfsp_quick(tmp_path: Path) -> None:
    told: list[str] = []
    page = verify(App().reproduce("nfsp", quick=True, out=tmp_path, tell=told.append).as_dict(), tmp_path, told)
    for curve in page.data["curves"].values():
        assert curve["exploitability"][0][-1] < curve["exploitability"][0][0]


@pytest.mark.long
def test_epfl2020_quick(tmp_path: Path) -> None:
    told: list[str] = []
    page = verify(App().reproduce("epfl2020", quick=True, out=tmp_path, tell=told.append).as_dict(), tmp_path, told)
    verify_epfl2020(page.text, page.data, 400)


@pytest.mark.long
def test_pricope2021_quick(tmp_path: Path) -> None:
    told: list[str] = []
    page = verify(App().reproduce("pricope2021", quick=True, out=tmp_path, tell=told.append).as_dict(), tmp_path, told)
    verify_pricope2021(page.text, page.data, hands=400, trained={500, 600})
    assert len(page.data["differences Agent 3 GP"]) == 1, "of 500 freezeouts"

"""The quick versions of the reproductions with networks run, and write their pages whole."""

from __future__ import annotations

import json
from math import inf, sqrt
from pathlib import Path

import numpy as np

from smoothcall.app import App
from smoothcall.evaluation.statistics import Estimate
from smoothcall.experiments import gradient_play
from smoothcall.experiments.curves import means
from smoothcall.experiments.ledger import Page
from smoothcall.experiments.nfsp import _reached, read


def test_nfsp(tmp_path: Path) -> None:
    answer = App().reproduce("nfsp", quick=True, out=tmp_path)
    assert answer.passed, answer.checks
    page = Path(answer.page).read_text()
    for picture in ("kuhn", "leduc"):
        assert f"{picture}.png" in page
        assert (tmp_path / "nfsp-quick" / f"{picture}.png").read_bytes()[:4] == b"\x89PNG"
    curves = json.loads((tmp_path / "nfsp-quick" / "data.json").read_text())["curves"]
    line = curves["Kuhn, ours"]["exploitability"][0]
    assert line[-1] < 0.75 * line[0]


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


def test_epfl2020(tmp_path: Path) -> None:
    told: list[str] = []
    answer = App().reproduce("epfl2020", quick=True, out=tmp_path, tell=told.append)
    assert answer.passed, answer.checks
    page = Path(answer.page).read_text()
    for part in ("Fig 1", "Figs 5 and 6", "3037.5/1442", "Against the simplest", "How exploitable", "clipped-double-dqn"):
        assert part in page
    for picture in ("learning", "cross-table"):
        assert (tmp_path / "epfl2020-quick" / f"{picture}.png").read_bytes()[:4] == b"\x89PNG"
    data = json.loads((tmp_path / "epfl2020-quick" / "data.json").read_text())
    results = data["400 games"]
    assert len(results) == 9 * 8 / 2, "four learners, the equilibrium and four scripted players, everybody with everybody"
    for result in results:
        assert result["freezeouts"] == 400
        assert abs(result["gain"]["mean"]) <= 3000, "nobody can win more than there is"
        assert 0 <= result["wins"] <= 1
    assert not (tmp_path / "epfl2020-quick" / "agents").exists(), "quick agents are not kept"


def test_pricope2021(tmp_path: Path) -> None:
    told: list[str] = []
    answer = App().reproduce("pricope2021", quick=True, out=tmp_path, tell=told.append)
    assert answer.passed, answer.checks
    page = Path(answer.page).read_text()
    for part in ("Figs 2 and 3", "Table 1", "361.08", "Figs 4 and 5", "How exploitable", "does gradient play help?"):
        assert part in page
    for picture in ("differences", "against-random", "cross-table", "leduc"):
        assert (tmp_path / "pricope2021-quick" / f"{picture}.png").read_bytes()[:4] == b"\x89PNG"
    data = json.loads((tmp_path / "pricope2021-quick" / "data.json").read_text())
    assert len(data["hands"]) == 10 * 9 / 2, "six agents, the equilibrium and three generic players, everybody with everybody"
    for result in data["hands"]:
        assert result["freezeouts"] == result["hands"] == 400
        assert abs(result["gain"]["mean"]) <= 20, "nobody can win more than there is"
    assert {line["trained"] for line in data["table 1"]} == {500, 600}
    assert len(data["differences Agent 3 GP"]) == 1, "of 500 games"
    assert not (tmp_path / "pricope2021-quick" / "agents").exists(), "quick agents are not kept"

"""The quick versions of the reproductions with networks run, and write their pages whole."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from smoothcall.app import App
from smoothcall.experiments.nfsp import _reached


def test_nfsp(tmp_path: Path) -> None:
    answer = App().reproduce("nfsp", quick=True, out=tmp_path)
    assert answer["passed"], answer["checks"]
    page = Path(answer["page"]).read_text()
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


def test_epfl2020(tmp_path: Path) -> None:
    told: list[str] = []
    answer = App().reproduce("epfl2020", quick=True, out=tmp_path, tell=told.append)
    assert answer["passed"], answer["checks"]
    page = Path(answer["page"]).read_text()
    for part in ("Fig 1", "Figs 5 and 6", "3037.5/1442", "Against the simplest", "How exploitable", "clipped-double-dqn"):
        assert part in page
    for picture in ("learning", "cross-table"):
        assert (tmp_path / "epfl2020-quick" / f"{picture}.png").read_bytes()[:4] == b"\x89PNG"
    data = json.loads((tmp_path / "epfl2020-quick" / "data.json").read_text())
    results = data["400 games"]
    assert len(results) == 9 * 8 / 2, "four learners, the equilibrium and four dummies, everybody with everybody"
    for result in results:
        assert result["sessions"] == 400
        assert abs(result["gain"]["mean"]) <= 3000, "nobody can win more than there is"
        assert 0 <= result["wins"] <= 1
    assert not (tmp_path / "epfl2020-quick" / "agents").exists(), "quick agents are not kept"

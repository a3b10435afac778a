"""The quick versions of the tree search papers run, write their pages whole, and bear out what they can."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from smoothcall.app import App

PICTURES = {
    "macmanus2019": ["against-random", "self-play", "long"],
    "heinrich2014": ["pot-2", "pot-8", "comparison"],
}


@pytest.mark.parametrize("paper", PICTURES)
def test_quick(paper: str, tmp_path: Path) -> None:
    answer = App().reproduce(paper, quick=True, out=tmp_path)
    assert answer.passed, answer.checks
    page = Path(answer.page).read_text()
    assert f"smoothcall reproduce {paper} --quick" in page
    for picture in PICTURES[paper]:
        assert f"{picture}.png" in page
        assert (tmp_path / f"{paper}-quick" / f"{picture}.png").read_bytes()[:4] == b"\x89PNG"
    data = json.loads((tmp_path / f"{paper}-quick" / "data.json").read_text())
    assert len(data["checks"]) == len(answer.checks) >= 4

"""The quick version of the reproduction runs, writes its page whole, and bears out what it can."""

from __future__ import annotations

import json
from pathlib import Path

from smoothcall.app import App


def test_quick(tmp_path: Path) -> None:
    told: list[str] = []
    answer = App().reproduce("bahuguna2018", quick=True, out=tmp_path, tell=told.append)
    assert answer.passed, answer.checks
    page = Path(answer.page).read_text()
    assert "smoothcall reproduce bahuguna2018 --quick" in page
    assert "misprint" in page
    for picture in ("rps", "kuhn-values", "kuhn-bets", "kuhn-3p-values"):
        assert f"{picture}.png" in page
        assert (tmp_path / "bahuguna2018-quick" / f"{picture}.png").read_bytes()[:4] == b"\x89PNG"
    data = json.loads((tmp_path / "bahuguna2018-quick" / "data.json").read_text())
    assert len(data["checks"]) == len(answer.checks) == 17
    assert data["kuhn"]["epsilon"][0][-1] < 0.01
    assert len(told) == 5

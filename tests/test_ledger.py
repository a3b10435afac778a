"""The committed pages are those of full runs, and say of every claim whether it was borne out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from smoothcall.experiments import EXPERIMENTS

LEDGER = Path(__file__).parents[1] / "docs" / "ledger"


@pytest.mark.parametrize("paper", EXPERIMENTS)
def test_page_and_data_agree(paper: str) -> None:
    page = (LEDGER / f"{paper}.md").read_text()
    data = json.loads((LEDGER / paper / "data.json").read_text())
    assert data["command"] == f"smoothcall reproduce {paper}"
    for check in data["checks"]:
        assert check["verdict"] in ("pass", "fail")
        assert f"| {check['what']} | {check['published']} | {check['ours']} | {check['verdict']} |" in page

"""bahuguna2018 at a small size: the page is whole, and its verdicts follow from its data."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from smoothcall.app import App
from smoothcall.experiments import bahuguna2018
from tests.experiments.pages import verify, written

PICTURES = ("rps", "kuhn-values", "kuhn-bets", "kuhn-3p-values")


def test_small(tmp_path: Path) -> None:
    page = written("bahuguna2018", bahuguna2018.Size(iterations=100_000, trials=2), tmp_path)
    assert len(page.checks) == 17
    assert len(page.told) == 5
    assert "misprint" in page.text
    for picture in PICTURES:
        assert f"(tiny/{picture}.png)" in page.text
    for played, title in bahuguna2018.TITLES.items():
        epsilon = np.array(page.data[played]["epsilon"])
        assert epsilon.shape == (2, len(page.data[played]["points"]))
        assert epsilon[:, -1].max() < epsilon[:, 0].min() / 2, "trials converge"
        assert page.checks[f"{title}: epsilon"]["passed"] == (epsilon[:, -1].max() < 0.01)
        assert page.checks[f"{title}: every probability near an equilibrium"]["passed"] is None, "too short for a verdict"
        timings = page.data[f"{played}-optimisations"]["timings"]
        assert [name.split(",")[0] for name, *_ in timings] == ["one deal"] * 5 + ["full width"] * 2
        nodes = {name: count for name, count, *_ in timings}
        assert nodes["one deal, recursive, pruned at 1e-05"] < nodes["one deal, recursive"]
    divergence = np.array(page.data["rps"]["kullback_leibler"])
    assert (page.checks["Rock-Paper-Scissors: KL after 1,000 iterations"]["passed"]) == (divergence[:, -1].mean() < 0.01)


@pytest.mark.long
def test_quick(tmp_path: Path) -> None:
    told: list[str] = []
    page = verify(App().reproduce("bahuguna2018", quick=True, out=tmp_path, tell=told.append).as_dict(), tmp_path, told)
    for title in bahuguna2018.TITLES.values():
        assert page.checks[f"{title}: epsilon"]["passed"]
        assert page.checks[f"{title}: values"]["passed"]

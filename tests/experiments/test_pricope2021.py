"""The page of pricope2021 at a small size: it is whole, and its verdicts follow from the data."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from smoothcall.app import App
from smoothcall.errors import UsageError
from smoothcall.experiments import pricope2021
from smoothcall.experiments.parts import Part
from smoothcall.experiments.pricope2021 import published
from smoothcall.experiments.pricope2021.agents import Agents, Version
from smoothcall.experiments.pricope2021.data import Data
from smoothcall.experiments.pricope2021.results import Played
from smoothcall.experiments.pricope2021.rows import rows
from smoothcall.experiments.pricope2021.settings import CALL, DP, GP, GP_DIAGONAL, ONE, RANDOM, RAW, TWO, TWO_RANDOM
from smoothcall.experiments.verdicts import Status, verdict
from tests.experiments.pages import Written, rendered, written

QUICK = pricope2021.QUICK
TINY = replace(
    QUICK,
    trainings={
        label: QUICK.trainings[label] if label in (GP, DP, RAW) else replace(QUICK.trainings[label], freezeouts=40)
        for label in (GP, DP, RAW, TWO, TWO_RANDOM)
    },
    decisions=600,
    walks=100,
    freezeouts=8,
    expert_freezeouts=4,
    deals=6,
    slow_deals=2,
    local_deals=2,
    episodes=100,
    response_freezeouts=10,
)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Written:
    return written("pricope2021", TINY, tmp_path_factory.mktemp("pricope2021"))


def status(parts: dict[str, Part], statement: str) -> Status:
    (row,) = (row for row in rows(Data(parts)) if row.statement == statement)
    return verdict(row).status


def doctored(parts: dict[str, Part], name: str, figures: Any) -> dict[str, Part]:
    return {**parts, name: replace(parts[name], figures=figures)}


def played(gain: float, wins: float, actions: tuple[float, ...] = (0.1, 0.5, 0.2, 0.1, 0.1)) -> dict[str, Any]:
    return {"gain": [gain, 0.5, 1000], "wins": wins, "deviation": 20.0, "freezeouts": 2000, "hands": 8000, "actions": actions}


def test_page_is_whole(page: Written) -> None:
    for text in ("361.08", "88.46 %", "241.07", "almost 180", "does gradient play help?", "total variation", "by chance"):
        assert text.lower() in page.text.lower()
    for picture in ("differences", "against-random", "cross-table"):
        assert f"/{picture}.png)" in page.text
    assert sum(row.source == "Table 1" and row.statement.startswith("Agent3") for row in page.rows.values()) == 12
    assert len(page.parts["cross table"].figures) == 10 * 9 / 2, "six agents, the equilibrium and three scripted players"
    assert page.status("A player that always folds loses 750 mbb/h") == "reproduced"
    assert page.status("The error is halved with 1,000 games") == "reproduced"
    assert page.status("Agent 3 beats an expert: 10 games, 56 hands") == "not comparable"


def test_trainings_are_kept_as_data(page: Written) -> None:
    trained = page.parts[f"training, {GP}"].figures
    assert [each["seed"] for each in trained] == [1, 2]
    assert [point["iterations"] for point in trained[0]["points"]] == [400, 700, 1000]
    moves = [point["moves"] for point in trained[0]["points"]]
    assert 0 < moves[0] <= moves[1] <= moves[2]


def test_verdicts_follow_from_the_data(page: Written) -> None:
    at = str(TINY.trainings[GP].snapshots[0])
    for gains, wanted in (((4.0, 5.0), Status.DIFFERS), ((79.5, 79.6), Status.REPRODUCED)):
        figures = deepcopy(page.parts[f"{GP} against {RANDOM}"].figures)
        figures[at] = [played(gain, 0.5) for gain in gains]
        parts = doctored(page.parts, f"{GP} against {RANDOM}", figures)
        parts = doctored(parts, "game", {**parts["game"].figures, "stack": 100})
        assert status(parts, "GP against Random after 50,000 games of training") == wanted
    for gains, wanted in (((3.0, 3.1), Status.REPRODUCED), ((-3.0, -3.1), Status.DIFFERS), ((3.0, -3.0), Status.UNDECIDED)):
        parts = doctored(page.parts, f"{TWO} against {ONE}", [played(gain, 0.5) for gain in gains])
        assert status(parts, "Agent 2 learns to beat agent 1") == wanted
    parts = doctored(page.parts, f"{TWO} against {ONE}", [played(3.0, 0.6)])
    assert status(parts, "Agent 2 learns to beat agent 1") == Status.UNDECIDED, "one training decides nothing"


def test_gradient_play_is_judged_by_all_its_matches(page: Written) -> None:
    statement, name, other = "Gradient play improves on NFSP", f"{GP} against {DP}", f"{GP_DIAGONAL} against {DP}"
    good, bad = [played(2.0, 0.6), played(2.1, 0.6)], [played(-2.0, 0.4), played(-2.1, 0.4)]
    parts = doctored(page.parts, name, good)
    assert status(parts, statement) == Status.SMALLER, "a thousand games of training"
    assert status(doctored(parts, name, bad), statement) == Status.DIFFERS
    assert status({**parts, other: replace(parts[name], figures=bad)}, statement) == Status.DIFFERS


def test_what_is_not_measured_is_said_so(page: Written, tmp_path: Path) -> None:
    for missing in ("cross table", f"{GP} against {TWO}", f"two copies of {GP}"):
        left = {name: part for name, part in page.parts.items() if name != missing}
        found = list(rows(Data(left)))
        assert {row.statement for row in found} == {row.statement for row in rows(Data(page.parts))}
        assert any("not measured yet" in str(verdict(row)) for row in found)
    assert not any(row.measured and "not measured yet" in str(verdict(row)) for row in rows(Data(page.parts)))


def test_chance_of_two_copies_by_hand(page: Written) -> None:
    """Winnings of 500 games with standard deviation 20 have 20 sqrt(500); hands are 2,000; a big blind is 10 chips."""
    from smoothcall.experiments.pricope2021.curves import chance

    parts = doctored(page.parts, f"two copies of {GP}", played(0.0, 0.5))
    expected = 2 * np.sqrt(2 / np.pi) * 20 * np.sqrt(500) / 2000 / 10 * 1000
    assert chance(Data(parts), GP) == pytest.approx(expected)


def test_results_as_data() -> None:
    found = Played.of(played(3.0, 0.6))
    assert found.mbb(10).mean == pytest.approx(3.0 * 100 / 4), "four hands a game"
    assert found.stack(100).mean == 103
    assert found.raises == pytest.approx(0.4)


def test_agents_are_kept_and_runs_resumed(tmp_path: Path) -> None:
    told: list[str] = []
    size = replace(TINY, trainings={TWO_RANDOM: TINY.trainings[TWO_RANDOM]})
    for _ in range(2):
        agents = Agents(size, tmp_path / "agents", tmp_path / "runs", told.append)
        first = agents.trained(Version(TWO_RANDOM))
    assert len(told) == 1, "the second time it is read"
    assert first.card["iterations"] == 40
    assert not list((tmp_path / "runs").iterdir()), "finished runs are deleted"
    longer = replace(size, trainings={TWO_RANDOM: replace(size.trainings[TWO_RANDOM], freezeouts=80)})
    with pytest.raises(UsageError, match="was made by"):
        Agents(longer, tmp_path / "agents", tmp_path / "runs", told.append).trained(Version(TWO_RANDOM))


def test_published_lines() -> None:
    assert len(published.TABLE_1) == 12
    for line in published.TABLE_1:
        assert line.hours in published.TRAINED[line.agent]
        assert line.games in published.ERRORS


@pytest.mark.long
def test_quick(tmp_path: Path) -> None:
    told: list[str] = []
    App().reproduce("pricope2021", quick=True, out=tmp_path, tell=told.append)
    (tmp_path / "pricope2021-quick").rename(tmp_path / "tiny")
    found = rendered("pricope2021", tmp_path, told)
    assert len(found.parts[f"training, {GP}"].figures[0]["differences"]) == 2, "of 1,000 games"
    assert CALL in found.text

"""The page of pricope2021 at a small size: it is whole, and its verdicts follow from the data.

Agents of the small page are networks with random weights, because only `test_agents_are_kept_and_runs_resumed` and the long
test need trained ones, and the result of its deep response is made up. Its local best response takes all hands for equal before
the flop: counting their showdowns exactly takes longer than all other tests of the page (`test_local_best_response.py` counts
them with 32 cards).
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from smoothcall.agents.convolutions import CONVOLUTIONS, FLAT_SIDE
from smoothcall.agents.expert import Expert
from smoothcall.agents.nfsp_networks import NFSPNetworks
from smoothcall.agents.tabulated import TabulatedPolicy
from smoothcall.app import App
from smoothcall.errors import UsageError
from smoothcall.evaluation import local_best_response
from smoothcall.experiments import gradient_play, pricope2021
from smoothcall.experiments.parts import Part
from smoothcall.experiments.pricope2021 import published, responses
from smoothcall.experiments.pricope2021.agents import Agents, Version
from smoothcall.experiments.pricope2021.curves import above_chance, chance
from smoothcall.experiments.pricope2021.data import Data
from smoothcall.experiments.pricope2021.results import Played
from smoothcall.experiments.pricope2021.rows import rows
from smoothcall.experiments.pricope2021.settings import (
    CALL,
    DP,
    ETA,
    GP,
    GP_DIAGONAL,
    GP_HAND,
    IMAGES,
    IMAGES_RAW,
    ONE,
    RANDOM,
    RAW,
    TWO,
    TWO_CALLED,
    TWO_RANDOM,
    Training,
)
from smoothcall.experiments.verdicts import Status, verdict
from smoothcall.games.cards import Deck
from smoothcall.kernels.agents.features import FEATURES
from smoothcall.kernels.agents.images import PLANES
from smoothcall.kernels.tables import Array
from tests.contracts.test_solvers import NFSP
from tests.experiments.pages import Written, rendered, written

QUICK = pricope2021.QUICK
TINY = replace(
    QUICK,
    trainings={
        GP: Training("gp", 3000, {"rho": 0.92}, (1000, 2000), (1, 2)),
        DP: Training("dp", 3000, QUICK.trainings[DP].options, (1000, 2000), (1, 2)),
        GP_HAND: Training("gp-hand", 3000, {"episode": "hand"}, (1000,), (1, 2), 1000),
        RAW: Training("raw", 3000, {"metrics": False}, (1000,), (1, 2), 1000),
        TWO: Training("two", 3000),
        TWO_CALLED: Training("two-called", 3000),
        TWO_RANDOM: QUICK.trainings[TWO_RANDOM],
        IMAGES: Training("images", 3000, {"inputs": "images"}, (1000,)),
        IMAGES_RAW: Training("images-raw", 3000, {"inputs": "images"}, (1000,)),
    },
    compared=1000,
    decisions=200,
    walks=20,
    freezeouts=4,
    expert_freezeouts=2,
    image_freezeouts=2,
    deals=2,
    slow_deals=1,
    local_deals=1,
    episodes=20,
    response_freezeouts=4,
)


def untrained(agents: Agents, version: Version, *, images: bool = False) -> TabulatedPolicy:
    """Return networks with random weights as the agent of a version. `images`: those of IMAGES read images, as they should."""
    training = agents.size.trainings[version.label]
    at = version.freezeouts or training.freezeouts
    random, inputs = np.random.default_rng([at, version.seed]), training.options.get("inputs", "compact")
    actions = len(agents.game.actions)
    shapes: list[tuple[int, ...]] = [(8, FEATURES), (actions, 8)]
    if inputs == "images" and images:
        shapes = [(1, planes, 3, 3) for planes in (PLANES, *[1] * (CONVOLUTIONS - 1))]
        shapes += [(8, FLAT_SIDE**2), (actions, 8)]
    else:
        inputs = "compact"
    policy, values = ([(random.normal(size=shape), np.zeros(shape[0])) for shape in shapes] for _ in range(2))
    card = {"iterations": at, "hands": 3 * at, "moves": 10 * at, "seconds": 1.0}
    card["differences"] = random.uniform(50, 300, at // 500).tolist()
    return TabulatedPolicy(agents.game, NFSPNetworks(policy, values, inputs, eta=ETA), card)


def equal_hands(deck: Deck) -> Array:
    """Return a table of showdowns before the flop in which no hand is ahead of another."""
    hands = deck.size * (deck.size - 1) // 2
    return np.zeros((hands, hands), np.int32)


def expert(agents: Agents, label: str) -> TabulatedPolicy:
    """Return agent 1 without a model of its opponent."""
    models = {"both": {"accuracy": 0.3, "base_rate": 0.2, "margin": 0.1, "half_width": 0.01, "decisions": 50}}
    return TabulatedPolicy(agents.game, Expert(), {"models": models})


def small_page(folder: Path, *, whole: bool) -> Written:
    """`whole`: with networks on images and a deep response, which take long to compile; else with substitutes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Agents, "trained", lambda agents, version: untrained(agents, version, images=whole))
        patch.setattr(Agents, "agent_1", expert)
        patch.setattr(gradient_play, "QUICK", ())
        patch.setattr(local_best_response, "preflop_scores", equal_hands)
        if not whole:
            patch.setattr(responses, "_deep", lambda agents, label: played(1.0, 0.5))
        return written("pricope2021", TINY, folder)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Written:
    return small_page(tmp_path_factory.mktemp("pricope2021"), whole=False)


def told(parts: dict[str, Part], statement: str) -> str:
    (row,) = (row for row in rows(Data(parts)) if row.statement == statement)
    return str(verdict(row))


def doctored(parts: dict[str, Part], name: str, figures: Any) -> dict[str, Part]:
    return {**parts, name: replace(parts[name], figures=figures)}


def played(gain: float, wins: float, actions: tuple[float, ...] = (0.1, 0.5, 0.2, 0.1, 0.1)) -> dict[str, Any]:
    return {"gain": [gain, 0.5, 1000], "wins": wins, "deviation": 20.0, "freezeouts": 2000, "hands": 8000, "actions": actions}


@pytest.mark.long
def test_page_with_images_and_a_deep_response(tmp_path: Path) -> None:
    verify_page(small_page(tmp_path, whole=True))


def test_page_is_whole(page: Written) -> None:
    verify_page(page)


def verify_page(page: Written) -> None:
    for text in ("361.08", "88.46 %", "241.07", "almost 180", "does gradient play help?", "total variation", "by chance"):
        assert text.lower() in page.text.lower()
    for picture in ("differences", "against-random", "cross-table"):
        assert f"/{picture}.png)" in page.text
    assert sum(row.source == "Table 1" and row.statement.startswith("Agent3") for row in page.rows.values()) == 12
    assert len(page.parts["cross table"].figures) == 10 * 9 / 2, "six agents, MCCFR and three scripted players"
    assert page.status("A player that always folds loses 750 mbb/h") == "reproduced"
    assert page.status("The error is halved with 1,000 games") == "not comparable", "arithmetic"
    assert page.status("Agent 3 beats an expert: 10 games, 56 hands") == "not comparable"


def test_trainings_are_kept_as_data(page: Written) -> None:
    trained = page.parts[f"training, {GP}"].figures
    assert [each["seed"] for each in trained] == [1, 2]
    assert [point["iterations"] for point in trained[0]["points"]] == [1000, 2000, 3000]
    shorter = page.parts[f"training, {RAW}"].figures
    assert [[point["iterations"] for point in each["points"]] for each in shorter] == [[1000, 3000], [1000]]


def test_agents_are_compared_after_equally_many_games(page: Written) -> None:
    matches = page.parts[f"{GP} against {RAW}"].figures
    assert {at: len(each) for at, each in matches.items()} == {"1000": 2, "3000": 1}, "all seeds, then the first alone"
    assert list(page.parts[f"{IMAGES} against {IMAGES_RAW}"].figures) == ["1000", "3000"]


@pytest.mark.parametrize(
    ("gains", "outcome"),
    [((3.0, 3.1), "it holds"), ((-3.0, -3.1), "it does not hold"), ((3.0, -3.0), "undecided"), ((3.0,), "undecided")],
)
def test_rows_of_dense_networks_are_not_compared_but_say_what_was_found(
    page: Written, gains: tuple[float, ...], outcome: str
) -> None:
    figures = {**page.parts[f"{TWO} by seed"].figures, ONE: [played(gain, 0.5) for gain in gains]}
    parts = doctored(page.parts, f"{TWO} by seed", figures)
    verdict_of_row = told(parts, "Agent 2 learns to beat agent 1")
    assert verdict_of_row.startswith(f"{Status.NOT_COMPARABLE} (algorithm: dense networks")
    assert outcome in verdict_of_row


def test_verdicts_follow_from_the_data(page: Written) -> None:
    at = str(TINY.trainings[GP].snapshots[0])
    for gains, wanted in (((4.0, 5.0), "it does not hold"), ((79.5, 79.6), "it holds")):
        figures = deepcopy(page.parts[f"{GP} against {RANDOM}"].figures)
        figures[at] = [played(gain, 0.5) for gain in gains]
        parts = doctored(page.parts, f"{GP} against {RANDOM}", figures)
        parts = doctored(parts, "game", {**parts["game"].figures, "stack": 100})
        assert wanted in told(parts, "GP against Random after 50,000 games of training")


def test_gradient_play_is_judged_by_all_its_matches(page: Written) -> None:
    statement, name, other = "Gradient play improves on NFSP", f"{GP} against {DP}", f"{GP_DIAGONAL} against {DP}"
    good, bad = ({"1000": [played(gain, 0.5), played(1.05 * gain, 0.5)]} for gain in (2.0, -2.0))
    parts = doctored(page.parts, name, good)
    assert "it holds" in told(parts, statement)
    assert "it does not hold" in told(doctored(parts, name, bad), statement)
    assert "it does not hold" in told({**parts, other: replace(parts[name], figures=bad)}, statement)


def longer(parts: dict[str, Part], last: float) -> dict[str, Part]:
    """Return parts with trainings on images of a tenth of the paper's games, of which the last point is `last`."""
    for label in (IMAGES, IMAGES_RAW):
        figures = deepcopy(parts[f"training, {label}"].figures)
        figures[0]["points"][-1]["iterations"] = 15_000
        figures[0]["differences"] = [300.0] * 25 + [19.0] * 4 + [last]
        parts = doctored(parts, f"training, {label}", figures)
    return parts


def test_short_trainings_on_images_are_not_compared(page: Written) -> None:
    for row in page.rows.values():
        if row.statement.startswith("With networks on 17 x 17 x 9 images") and "72 hours" not in row.statement:
            assert "size: 3,000 games of training, of the paper's 150,000" in str(verdict(row))


def test_one_training_on_images_decides_nothing(page: Written) -> None:
    figures = {"1000": [played(2.0, 0.6)], "15000": [played(2.0, 0.6)]}
    parts = doctored(longer(page.parts, 300.0), f"{IMAGES} against {IMAGES_RAW}", figures)
    statement = "With networks on 17 x 17 x 9 images, hand-made inputs help an agent to train better"
    assert told(parts, statement) == f"{Status.UNDECIDED} (1/10 of its size)"


def test_last_points_of_a_training_on_images_decide_its_range(page: Written) -> None:
    statement = (
        "With networks on 17 x 17 x 9 images, the difference between two copies falls to 0 to 20 mbb/h in the last 50 points"
    )
    for last, wanted in ((19.0, Status.SMALLER), (21.0, Status.DIFFERS)):
        assert told(longer(page.parts, last), statement).startswith(f"{wanted} (1/10")


def test_what_is_not_measured_is_said_so(page: Written) -> None:
    for missing in ("cross table", f"{GP} against {TWO}", f"two copies of {GP}"):
        left = {name: part for name, part in page.parts.items() if name != missing}
        found = list(rows(Data(left)))
        assert {row.statement for row in found} == {row.statement for row in rows(Data(page.parts))}
        assert any("not measured yet" in str(verdict(row)) for row in found)
    assert not any(row.measured and "not measured yet" in str(verdict(row)) for row in rows(Data(page.parts)))


def test_chance_of_two_copies_by_hand(page: Written) -> None:
    """Winnings of 500 games with standard deviation 20 have 20 sqrt(500); hands are 2,000; a big blind is 10 chips."""
    parts = doctored(page.parts, f"two copies of {GP}", played(0.0, 0.5))
    expected = 2 * np.sqrt(2 / np.pi) * 20 * np.sqrt(500) / 2000 / 10 * 1000
    assert chance(Data(parts), GP) == pytest.approx(expected)


def test_difference_above_chance_is_that_of_a_stretch(page: Written) -> None:
    """Games of a stack of 20: three hands each in the first stretch, seven in the second."""
    figures = deepcopy(page.parts[f"training, {IMAGES}"].figures)
    figures[0]["differences"] = [100.0, 200.0, 30.0, 40.0, 50.0, 60.0]
    figures[0]["points"][1]["hands"] = 3000 + 7 * 2000
    found = above_chance(Data(doctored(page.parts, f"training, {IMAGES}", figures)), IMAGES)
    by_chance = 2 * np.sqrt(2 / np.pi) * 20 / np.sqrt(500) / 10 * 1000  # with one hand a game
    assert found[1000] == pytest.approx([150 - by_chance / 3])
    assert found[3000] == pytest.approx([45 - by_chance / 7])


def test_results_as_data() -> None:
    found = Played.of(played(3.0, 0.6))
    assert found.mbb(10).mean == pytest.approx(3.0 * 100 / 4), "four hands a game"
    assert found.stack(100).mean == 103
    assert found.raises == pytest.approx(0.4)


def test_agents_are_kept_and_runs_resumed(tmp_path: Path) -> None:
    told: list[str] = []
    learning = QUICK.trainings[TWO_RANDOM]
    learning = replace(learning, freezeouts=60, snapshots=(40,), options={**learning.options, **NFSP})
    size = replace(TINY, trainings={TWO_RANDOM: learning})
    for freezeouts in (40, 60, 60):
        agents = Agents(size, tmp_path / "agents", tmp_path / "runs", told.append)
        found = agents.trained(Version(TWO_RANDOM, freezeouts=freezeouts))
        assert found.card["iterations"] == freezeouts
        assert len(list((tmp_path / "runs").iterdir())) == (freezeouts == 40), "finished runs are deleted"
    assert len(told) == 2, "the third time it is read"
    longer = replace(size, trainings={TWO_RANDOM: replace(size.trainings[TWO_RANDOM], freezeouts=80, snapshots=())})
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

"""The reproduction of epfl2020: measured at a small size, and its verdicts from figures made by hand."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from smoothcall.agents.batch_wrappers import ALL_IN, Table
from smoothcall.agents.batch_wrappers import MOVES as MOVES_OF_LEARNERS
from smoothcall.agents.q_networks import ROWS, Amount, Discrete, Softmax, Values
from smoothcall.agents.scripted import Scripted
from smoothcall.agents.tabulated import TabulatedPolicy
from smoothcall.app import App
from smoothcall.experiments import epfl2020
from smoothcall.experiments.epfl2020.figures import CrossTable, cross_tables, pairs, published, published_mean
from smoothcall.experiments.epfl2020.matches import MOVES, Counted
from smoothcall.experiments.epfl2020.observations import EQUITIES
from smoothcall.experiments.epfl2020.rows import TESTS, rows
from smoothcall.experiments.epfl2020.settings import COLUMNS, FIRST, LEARNERS, PAPER, SCRIPTED
from smoothcall.experiments.epfl2020.training import curve, trained
from smoothcall.experiments.ledger import Page
from smoothcall.experiments.parts import Part
from smoothcall.experiments.verdicts import Row, Status, verdict
from smoothcall.games.rules import PokerRules
from smoothcall.information.named_games import game
from smoothcall.kernels.simulation.observations import EQUITY, OBSERVATION, STACK, TO_CALL
from smoothcall.store.metrics import Metric
from smoothcall.store.runs import Run
from tests.experiments.pages import verify_evidence, written

TINY = replace(
    epfl2020.QUICK,
    seeds=1,
    hands=2_000,
    freezeouts=20,
    rollout_freezeouts=4,
    choice_hands=2_000,
    alphas=(),
    walks=100,
    local_deals=0,
    spots=20,
    exact_spots=3,
)


def network(*sizes: int) -> Any:
    """Random layers of a network."""
    random = np.random.default_rng(1)
    shapes = [(out, into) for into, out in itertools.pairwise(sizes)]
    return [(random.normal(size=shape).astype(np.float32), np.zeros(shape[0], np.float32)) for shape in shapes]


def save_agents(folder: Path, size: epfl2020.Size) -> None:
    """Save untrained agents as if they were those of the page: learners have tests of their own."""
    made = game(size.game)
    assert isinstance(made.rules, PokerRules)
    table = Table.of(made.rules)
    by_hand: dict[str, Any] = {
        "MC": Discrete(table, np.random.default_rng(1).normal(size=(ROWS, MOVES_OF_LEARNERS)).astype(np.float32)),
        "DQC": Amount(table, network(6, 16, 16, 16, 1)),
        "DQC'": Amount(table, network(6, 8, 1)),
        "DQD": Softmax(table, network(6, 16, 16, 16, 6)),
        "CDQN": Values(table, (network(10, 16, 16, 16, 6), network(10, 16, 16, 6))),
    }
    folder.mkdir(parents=True)
    for label, batch_policy in by_hand.items():
        learner = LEARNERS[label]
        options = learner.with_options(size.options)
        card = {"solver": {"name": learner.solver, "seed": 1, "options": options}, "iterations": size.hands}
        card |= {"curve": [[1000, -10.0], [2000, 10.0]], "seconds": 1.0}
        TabulatedPolicy(made, batch_policy, card).save(folder / f"{learner.file}-1.agent")


def test_epfl2020(tmp_path: Path) -> None:
    save_agents(tmp_path / "tiny" / "agents", TINY)
    page = written("epfl2020", TINY, tmp_path)
    assert not [line for line in page.told if line.startswith("training MC, ")], "saved agents are not trained again"
    for piece in ("Fig 1", "3037.5/1442", "`all-in` is a move of the game", "Combining agents", "clipped-double-dqn"):
        assert piece in page.text
    for picture in ("learning", "cross-table"):
        assert f"(tiny/{picture}.png)" in page.text
    assert "Lower bounds: Not measured yet." in page.text
    assert set(page.parts["matches MC 1"].figures) == {"DQC", "DQD", "CDQN", *SCRIPTED, *FIRST}
    assert set(page.parts["combined 1"].figures["matches"]) == {*COLUMNS, *FIRST}
    assert {name: set(each) for name, each in page.parts["new opponents 1"].figures.items()} == {
        name: {"DQC'"} for name in ("COMB", *PAPER)
    }
    for part in (page.parts[f"matches {label} 1"] for label in PAPER):
        for result in part.figures.values():
            assert abs(result["gain"]) <= 3000, "nobody can win more than the stack"
            assert 0 <= result["wins"] <= 1
            assert [sum(moves[:4]) for moves in result["moves"]] == pytest.approx([1, 1])
    assert cross_tables(page.parts)[0].before == dict.fromkeys(PAPER, 10.0), "the last gain before mirror training"
    assert page.status("Frequencies of hands, 52 cards") == Status.REPRODUCED
    assert page.status("Policy networks of deep Q-learning: six inputs, three hidden layers of 16 neurons") == Status.REPRODUCED
    assert page.status("Both networks of clipped double DQN have the layers printed") == Status.DIFFERS, "one of them has not"
    one_training = [row for row in page.rows.values() if row.source == "Figs 5 and 6"]
    assert len(one_training) == len(pairs()) == 22
    assert {verdict(row).status for row in one_training} == {Status.NOT_COMPARABLE}
    assert "a smaller game, `no-limit-holdem-32:stack=3000" in verdict(one_training[0]).reason


def test_a_page_without_figures() -> None:
    """Nothing is invented: every row that needs a figure says that it is not measured."""
    page = Page("empty", epfl2020.TITLE, "command")
    epfl2020.write(page, {})
    asked = [row for row in page.rows if row.published is not None and "reduces the number" not in row.statement]
    assert len(asked) > 35
    assert {verdict(row).status for row in asked} == {Status.NOT_COMPARABLE}
    missing = [row for row in asked if "not measured yet" in verdict(row).reason]
    assert {row.source for row in missing} == {
        *("Section 2, Section 6.1", "Section 4.2", "Section 4.3.4", "Fig 1", "Section 3.1"),
        *("Section 7", "Section 8", "Section 8.1", "Figs 5 and 6"),
    }
    assert not page.pictures


def test_the_tests_named_as_evidence_exist() -> None:
    verify_evidence(TESTS.values())


def test_published_figures() -> None:
    assert published_mean("CDQN", tuple(SCRIPTED)) == pytest.approx(-690.625)
    assert [round(published_mean(label), 1) for label in PAPER] == [562.5, -437.5, -625.0, -80.4]
    deviations = [published(*pair).deviation for pair in pairs()]
    assert (min(deviations), max(deviations)) == (236, 2077)
    for row in PAPER:
        for column in PAPER:
            if row != column:
                assert published(row, column).gain == -published(column, row).gain
                assert published(row, column).deviation == published(column, row).deviation
    assert 0.02 < published("MC", "DQC").wins_half < 0.1, "40 of 40 games won is not certainty"
    assert published("MC", "DQC").gain_half == pytest.approx(1.96 * 560 / np.sqrt(40))


# Verdicts from figures made by hand

Gain = Callable[[str, str], float]
OF_MATCHES = ("Section 7", "Section 8", "Section 8.1", "Figs 5 and 6")  # sources of rows whose figures are of matches
EVEN = [0.3, 0.1, 0.1, 0.5, 0.2, 0.4, 0.3, 0.7]  # by MOVES


def match(gain: float, deviation: float, wins: float, moves: list[float]) -> dict[str, Any]:
    return {"gain": gain, "error": 1.0, "deviation": deviation, "wins": wins, "hands": 100, "moves": [moves, moves]}


def figures(
    gain: Gain, *, deviation: Callable[[str, str], float] = lambda *_: 500.0, moves: list[float] = EVEN, seeds: int = 3
) -> dict[str, Part]:
    """The matches of trainings that differ by a chip only."""
    parts = {}
    for seed in range(1, seeds + 1):
        for place, row in enumerate(PAPER):
            others = (*PAPER[place + 1 :], *SCRIPTED, *FIRST)
            found = {}
            for other in others:
                wins = published(row, other).wins if other in COLUMNS else 0.5
                found[other] = match(gain(row, other) + seed, deviation(row, other), wins, moves)
            parts[f"matches {row} {seed}"] = Part({"freezeouts": 10}, found, {}, 1.0)
    return parts


def as_published(row: str, column: str) -> float:
    return published(row, column).gain if column in COLUMNS else 100.0


def status(parts: Mapping[str, Part], piece: str) -> str:
    (found,) = [row for row in rows(parts) if piece in row.statement]
    return str(verdict(compared(found)).status)


def compared(row: Row) -> Row:
    """Return a row as if its agents had learned with estimated equities, as the document's did."""
    left = tuple(each for each in row.deviations if not each.text.startswith(EQUITIES))
    judged = row.source in OF_MATCHES and any(each.criterion is not None for each in row.measured)
    assert (len(left) < len(row.deviations)) == judged
    return replace(row, deviations=left)


def test_the_published_tables_reproduce_themselves() -> None:
    """With the published cells as our figures all observations of Section 7 hold, and what contradicts Fig 5 does not."""
    parts = figures(as_published, deviation=lambda row, column: published(row, column).deviation if column in COLUMNS else 500)
    for row in rows(parts):
        if row.source in ("Section 7", "Figs 5 and 6"):
            assert verdict(compared(row)).status is Status.REPRODUCED, row.statement
            assert verdict(row).status is Status.NOT_COMPARABLE
            assert verdict(row).reason.endswith("for ours it holds")
    assert status(parts, "is on average better than these two") == Status.DIFFERS
    assert status(parts, "rarely calls") == Status.REPRODUCED
    assert status(parts, "bets big portions") == Status.NOT_COMPARABLE


@pytest.mark.parametrize(
    ("piece", "row", "column", "gain"),
    [
        ("No agent has a positive", "MC", "BAD", 50.0),  # and BMD, below
        ("more consistent and stable", "MC", "BAD", -4000.0),
        ("performs poorly against new", "DQC", "CDQN", 2000.0),
        ("worst results on average", "DQC", "AD", -3000.0),
        ("resists Monte Carlo", "MC", "DQD", 4000.0),
        ("performs well against deep", "DQD", "CDQN", 500.0),
        ("loses to the four", "CDQN", "AD", 4000.0),
        ("extremely efficient against", "MC", "DQC", -200.0),
        ("DQC against MD", "DQC", "MD", 900.0),
    ],
)
def test_another_figure_is_another_verdict(piece: str, row: str, column: str, gain: float) -> None:
    def changed(one: str, other: str) -> float:
        if "No agent" in piece and (one, other) == ("MC", "BMD"):
            return 50.0
        if "No agent" in piece and (one, other) == ("MC", "DQD"):
            return 50.0
        return gain if (one, other) == (row, column) else as_published(one, other)

    deviation: Callable[[str, str], float] = lambda one, other: published(one, other).deviation if other in COLUMNS else 500  # noqa: E731
    assert status(figures(as_published, deviation=deviation), piece) == Status.REPRODUCED
    assert status(figures(changed, deviation=deviation), piece) == Status.DIFFERS


def test_moves_and_deviations_are_judged() -> None:
    calls = [0.2, 0.1, 0.5, 0.2, *EVEN[4:]]
    assert status(figures(as_published, moves=calls), "rarely calls") == Status.DIFFERS
    parts = figures(as_published, deviation=lambda *_: 9000.0)
    assert status(parts, "Standard deviations of the gains") == Status.DIFFERS
    assert status(parts, "it is a gambler") == Status.DIFFERS, "all are equal"
    every = [verdict(compared(row)) for row in rows(parts)]
    assert all(each.reason for each in every if each.status is Status.DIFFERS)


def test_few_trainings_decide_little() -> None:
    wild = figures(lambda row, column: 0.0)
    for seed, way in ((1, -3000.0), (2, 0.0), (3, 3000.0)):
        for name, part in wild.items():
            if name.endswith(f" {seed}"):
                for result in part.figures.values():
                    result["gain"] = way
    assert status(wild, "worst results on average") == Status.UNDECIDED
    assert len(cross_tables(wild)) == 3
    del wild["matches DQC 2"]
    assert len(cross_tables(wild)) == 2, "a seed counts when all its matches are there"
    once = [row for row in rows(figures(as_published, seeds=1)) if row.source == "Figs 5 and 6"]
    assert {verdict(compared(row)).status for row in once} == {Status.UNDECIDED}, "one training has no interval"


def test_a_cross_table_is_turned() -> None:
    table = CrossTable({"MC": {"DQC": match(300, 900, 0.7, EVEN)}, "DQC": {}}, 10)
    assert (table.pair("MC", "DQC").gain, table.pair("DQC", "MC").gain) == (300, -300)
    assert table.pair("DQC", "MC").wins == pytest.approx(0.3)
    assert table.pair("MC", "DQC").hands == 10
    assert dict(table.pair("MC", "DQC").moves) == dict(zip(MOVES, EVEN, strict=True))


# Parts


def test_moves_are_counted_with_their_stakes() -> None:
    table = Table(0.1, (1, 2, 3, 4, ALL_IN))
    counted, seen, legal = Counted(Scripted("aggressive", table), table), np.zeros((4, OBSERVATION)), np.ones((4, 7), bool)
    seen[:, EQUITY], seen[:, TO_CALL], seen[:, STACK] = [0.9, 0.9, 0.1, 0.1], [0, 0.4, 0.1, 0], [0.9, 0.8, 0.8, 0.8]
    legal[seen[:, TO_CALL] <= 0, 0] = False
    counted.probabilities(seen, legal)
    assert counted.moves.tolist() == pytest.approx([1, 1, 0, 2, 1, 0.1 / 0.9 + 0.5 / 0.8])
    assert counted.shares == pytest.approx([0.25, 0.25, 0, 0.5, 0.5, (0.1 / 0.9 + 0.5 / 0.8) / 2, 0, 1])
    other = Counted(Scripted("all-in", table), table)
    other.probabilities(seen, legal)
    assert other.moves.tolist() == pytest.approx([0, 0, 0, 4, 4, 4]), "all of its chips"


def test_a_training_that_was_stopped_goes_on(tmp_path: Path) -> None:
    whole = trained("MC", 1, TINY, tmp_path / "whole", lambda _: None)
    options = {**TINY.options, "pool": "final", "share": 1.0}
    at = tmp_path / "part" / "runs" / f"monte-carlo-1-{TINY.hands}"
    run = Run.create(at, TINY.game, "monte-carlo", seed=1, options=options, iterations=TINY.hands)
    run.train(stop=lambda: run.solver.iterations > 500)
    assert 500 < run.solver.iterations < TINY.hands
    told: list[str] = []
    again = trained("MC", 1, TINY, tmp_path / "part", told.append)
    assert (tmp_path / "part" / "agents" / "monte-carlo-1.agent").exists()
    assert (whole.batch_policy.values == again.batch_policy.values).all()  # type: ignore[attr-defined]
    trained("MC", 1, TINY, tmp_path / "part", told.append)
    assert len(told) == 1, "an agent that is kept is not trained again"


def test_learning_curves_have_enough_freezeouts() -> None:
    plain = Metric(0, 0.0, 0, None, None, (), ())
    points = ((10, (5e4, 500)), (20, (3e5, 1500)), (30, (9e5, 4500)))
    metrics = [replace(plain, iterations=hands, freezeouts=won) for hands, won in points]
    assert curve(metrics) == [[20, 200.0], [30, 200.0]]


@pytest.mark.long
def test_epfl2020_quick(tmp_path: Path) -> None:
    told: list[str] = []
    found = App().reproduce("epfl2020", quick=True, out=tmp_path, tell=told.append)
    assert len(found.rows) > 45
    assert {"alpha DQC 0.5 1", "new opponents 1", "ours DQC 1", "responses MC", "mccfr"} <= set(told)

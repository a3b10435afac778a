"""bahuguna2018 at a small size: the page is whole, its verdicts follow from its data, and its equations are right."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from smoothcall.app import App
from smoothcall.evaluation.equilibria import kuhn_member
from smoothcall.evaluation.exploitability import evaluate
from smoothcall.experiments import bahuguna2018
from smoothcall.experiments.bahuguna2018 import equations, forms, settings
from smoothcall.experiments.bahuguna2018.data import settled
from smoothcall.experiments.bahuguna2018.learning_rows import mean_ratio
from smoothcall.experiments.bahuguna2018.measuring import _integrated, _shares
from smoothcall.experiments.bahuguna2018.page import rows_of
from smoothcall.experiments.parts import Part
from smoothcall.experiments.verdicts import Row, Status, verdict
from tests.conftest import built
from tests.experiments.pages import Written, written

TINY = settings.Size(
    iterations=10_000,
    trials=2,
    sample=20,
    batches=4,
    few=1,
    others=1,
    together=10_000,
    external_iterations=1_000,
    rps_iterations=2_000,
    larger_iterations=500,
)
PICTURES = ("rps", "kuhn-values", "kuhn-bets", "kuhn-3p-values", "pruning", "threads", "implementations")
EPSILON = "Kuhn poker, two players: every run ends with epsilon < 0.01"
SHARE = "Kuhn poker: at any one threshold, pruning saves a larger share of the nodes with three players than with two"
SLOWER = "Kuhn poker, two players: threads that share the nodes of a level make the iteration slower"
WITHIN = "Kuhn poker, three players: after 10 M iterations every strategy variable of a run is within the tolerance"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Written:
    """The page, with our compact form in place of all others, which learn the same and take long to compile.

    (They are compared in tests/kernels/test_one_deal_forms.py; `test_page_of_all_forms` measures each of them.)
    """
    iterator = forms._iterator
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(forms, "_iterator", lambda made, form, improved: iterator(made, "compact", 0))
        return written("bahuguna2018", TINY, tmp_path_factory.mktemp("bahuguna2018"))


def doctored(page: Written, changes: dict[str, dict[str, Any]]) -> dict[str, Row]:
    """Return the rows of the page with other figures: {part: {name of a figure: figure}}."""
    parts = deepcopy(page.parts)
    for name, figures in changes.items():
        parts[name].figures.update(figures)
    return {row.statement: row for row in rows_of(parts)}


def changed(part: Part, figure: str, form: str, last: float) -> dict[str, Any]:
    """Return a figure of a form in a trial, with another last value."""
    found = deepcopy(part.figures[figure])
    found[form] = last if not isinstance(found[form], list) else [*found[form][:-1], last]
    return {figure: found}


def test_page(page: Written) -> None:
    verify_page(page)


@pytest.mark.long  # compiles eight kernels
def test_page_of_all_forms(tmp_path: Path) -> None:
    verify_page(written("bahuguna2018", TINY, tmp_path))


def verify_page(page: Written) -> None:
    for picture in PICTURES:
        assert f"(tiny/{picture}.png)" in page.text
    assert all(verdict(row).status != Status.REPRODUCED for row in page.rows.values() if "10 M iterations" in row.statement)
    for played, nodes in (("kuhn", 9), ("kuhn-3p", 25)):
        figures, together = page.parts[f"{played}, trial 0"].figures, page.parts[f"{played}, forms together"].figures
        assert (
            together["recursive"]["nodes"]
            == together["iterative"]["nodes"]
            == TINY.iterations * nodes
            == figures["nodes"]["plain"]
        )
        pruned = [together[f"{form}, pruned"]["nodes"] for form in ("recursive", "iterative", "optimised")]
        assert pruned[0] == pruned[1] == pruned[2] == figures["nodes"]["pruned"] < together["recursive"]["nodes"]
        assert all(form["apart"] == 0 for form in together.values()), "the compact form learns what the others learn"
        assert page.parts[f"{played}, threads"].figures["levels_apart"] == 0
        epsilon = figures["epsilon"]["plain"]
        assert epsilon[-1] < min(epsilon[:5]) / 2, "trials converge"
        for seconds in figures["seconds"].values():
            assert all(np.diff(seconds) > 0)
    nodes_of_fit = np.mean(page.parts["readings"].figures["action"]["kuhn"]["nodes"])
    assert abs(nodes_of_fit - settings.CALIBRATED) < 0.1


def test_every_printed_number_has_a_row(page: Written) -> None:
    """Each figure of Tables 7.1 to 7.3 is what some row of that table says was published."""
    told = {
        table: " ".join(row.published or "" for row in page.rows.values() if table in row.source)
        for table in bahuguna2018.SOURCES
    }
    for nodes, percent in settings.NODES_PRUNED.values():
        assert f"{nodes:.2e} nodes, {percent} %" in told["Table 7.1"]
    for played in settings.GAMES:
        for seconds in (*settings.SECONDS[played].values(), *settings.THREAD_SECONDS[played]):
            assert f"{seconds} s" in told["Table 7.3"] + told["Table 7.2"]
        for percent in settings.SPEEDUPS[played].values():
            assert f"+{percent} %" in told["Table 7.3"]
        assert f"{settings.THREAD_SPEEDUPS[played]} %" in told["Table 7.2"]


def test_causes(page: Written) -> None:
    """A section that a cause names is on the page."""
    for row in page.rows.values():
        if "See '" in row.cause:
            section = row.cause.rpartition("See '")[2].rstrip("'")
            assert f"## {section}" in page.text


def test_verdicts_follow_from_the_data(page: Written) -> None:
    trials = [f"kuhn, trial {trial}" for trial in range(TINY.trials)]
    for epsilon, status in ((0.001, Status.SMALLER), (0.02, Status.DIFFERS)):
        rows = doctored(page, {trials[0]: changed(page.parts[trials[0]], "epsilon", "plain", epsilon)})
        assert verdict(rows[EPSILON]).status == status
    for three, status in ((16.1, Status.UNDECIDED), (24.0, Status.DIFFERS)):  # the other thresholds have one trial each
        changes = {}
        for played, nodes, spread in (("kuhn", settings.CALIBRATED, 0.001), ("kuhn-3p", three, 0.01)):
            for trial, off in enumerate((-spread, spread)):
                name = f"{played}, trial {trial}"
                changes[name] = changed(page.parts[name], "nodes", "pruned", (nodes + off) * TINY.iterations)
        assert verdict(doctored(page, changes)[SHARE]).status == status
    for row in page.rows.values():
        if "nodes reached with pruning" in row.statement or "stabilises" in row.statement:
            assert verdict(row).status == Status.NOT_COMPARABLE
    for levels, status in (([9.0, 9.1], Status.SMALLER), ([0.1, 0.1], Status.DIFFERS)):
        rows = doctored(page, {"kuhn, threads": {"one": [1.0, 1.0], "levels": levels}})
        assert verdict(rows[SLOWER]).status == status
    within = {f"kuhn-3p, trial {trial}": {"equations": 0.02, "closest": 0.01} for trial in range(TINY.trials)}
    assert verdict(doctored(page, within)[WITHIN]).status == Status.SMALLER
    within["kuhn-3p, trial 1"]["equations"] = 0.04
    assert verdict(doctored(page, within)[WITHIN]).status == Status.DIFFERS


@pytest.mark.parametrize(
    ("history", "betting"), [("", ""), ("pb", "cr"), ("ppbp", "ccrf"), ("ppbb", "ccrc"), ("bb", "rc"), ("bp", "rf")]
)
def test_histories(history: str, betting: str) -> None:
    assert equations.betting_of(history) == betting


MEMBERS = [
    {"c11": 0.0, "b21": 0.2, "b11": 0.1, "b32": 0.3, "c33": 0.4},
    {"c11": 0.5, "b11": 0.2, "b21": 0.05, "b23": 0.03},
    {"c11": 0.3, "b11": 0.15, "b21": 0.15, "c34": 0.7},
]


@pytest.mark.parametrize("parameters", [*({"alpha": alpha} for alpha in (0.0, 0.1, 1 / 3)), *MEMBERS])
def test_equations_hold_for_equilibria(parameters: dict[str, float]) -> None:
    made = built("kuhn" if "alpha" in parameters else "kuhn-3p")
    member = kuhn_member(made, **parameters)
    values = equations.variables(member)
    assert equations.furthest(values)[0] < 1e-12
    np.testing.assert_allclose(equations.policy_of(made, values).table, member.table, atol=1e-15)
    np.testing.assert_allclose(equations.expected_utilities(values), evaluate(made, member).values, atol=1e-12)
    for name in ("AQ1", "BJ2"):
        distance, found = equations.furthest({**values, name: 0.4})
        assert (found, round(distance, 9)) == (name, 0.4)


def test_equations_of_equal_bluffs() -> None:
    """Between CJ1 = 0 and 1/2 player 2 must bet J and Q equally often."""
    values = equations.variables(kuhn_member(built("kuhn-3p"), **MEMBERS[2]))
    distance, name = equations.furthest({**values, "BQ1": 0.2, "BA1": 2 * 0.35, "BK2": (1 + 0.35 + 0.2) / 2})
    assert name == "BQ1"
    assert distance == pytest.approx(0.05)


def test_printed_equilibria() -> None:
    """Table 5.2 is not an equilibrium as printed, and is one with BQ1 = 0 and AJ1 = alpha."""
    made = built("kuhn")
    for alpha in (0.0, 0.2):
        printed = equations.printed_2p(alpha)
        assert evaluate(made, equations.policy_of(made, printed)).epsilon > 0.05
        corrected = printed | {"BQ1": 0.0, "AJ1": alpha}
        assert evaluate(made, equations.policy_of(made, corrected)).epsilon < 1e-12
    three = built("kuhn-3p")
    for free, bets in equations.printed_3p():
        bluffs = free["BJ1"] + free["BQ1"]
        assert (evaluate(three, equations.policy_of(three, bets)).epsilon < 1e-12) == (bluffs == 0)


def test_seconds_between_points() -> None:
    """A cost that rises evenly from one point to the next is integrated exactly."""
    assert _integrated([100, 300, 400], [1.0, 3.0, 3.0]) == [100, 500, 800]
    assert _shares([100, 300, 400]).tolist() == [0.5, 0.375, 0.125]


def test_means_of_equal_runs_do_not_differ() -> None:
    assert mean_ratio(np.full(10, 0.25), 10) == (1, 1)
    low, high = mean_ratio(np.array([0.1, 0.3]), 2)
    assert low == pytest.approx(1 / 3)
    assert high == pytest.approx(3)


def test_settled() -> None:
    good = np.array([[False, True, False, True], [True, True, True, True], [True, True, True, False]])
    assert settled([1, 2, 3, 4], good).tolist() == [4, 1, 4]


def test_published_numbers_agree_with_each_other() -> None:
    """The percentages follow from the printed nodes and seconds within their rounding, which guards against typing errors."""
    for (_, played), (nodes, percent) in settings.NODES_PRUNED.items():
        assert 100 * (nodes / settings.NODES[played] - 1) == pytest.approx(percent, abs=0.25)
    for played, seconds in settings.SECONDS.items():
        for form, percent in settings.SPEEDUPS[played].items():
            assert 100 * (seconds["recursive"] / seconds[form] - 1) == pytest.approx(percent, abs=0.6)
        ratio = seconds["iterative, pruned"] / seconds["optimised, pruned"]
        assert 100 * (ratio - 1) == pytest.approx(settings.SPEEDUPS_ITERATIVE[played], abs=0.6)
        one, several = settings.THREAD_SECONDS[played]
        assert one == seconds["iterative, pruned"]
        assert 100 * (one / several - 1) == pytest.approx(settings.THREAD_SPEEDUPS[played], abs=0.15)


@pytest.mark.long
def test_quick(tmp_path: Path) -> None:
    report = App().reproduce("bahuguna2018", quick=True, out=tmp_path)
    assert json.loads((tmp_path / "bahuguna2018-quick" / "data.json").read_text())["parts"]
    rows = {each.row.statement: each.row for each in report.rows}
    assert verdict(rows[EPSILON]).status == Status.SMALLER
    assert verdict(rows[SLOWER]).status == Status.SMALLER

"""The CFR family against independent curves, known values and known bounds."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
import pytest

import smoothcall as sc
from smoothcall.kernels.solvers import cfr as kernels
from smoothcall.solvers import SOLVERS
from tests.conftest import built

FULL_WIDTH = ["cfr", "cfr+", "linear-cfr", "discounted-cfr", "predictive-cfr+"]


@pytest.mark.interpreted
@pytest.mark.parametrize(("name", "curve"), [("cfr", "kuhn_CFR"), ("cfr+", "kuhn_CFRplus")])
def test_kuhn_curves(name: str, curve: str, golden: Any) -> None:
    _follow(name, "kuhn", golden["curves"][curve], last=100)


@pytest.mark.parametrize(
    ("name", "spec", "curve", "last"),
    [
        ("cfr", "kuhn", "kuhn_CFR", 1000),
        ("cfr", "leduc", "leduc_CFR", 300),
        ("cfr+", "kuhn", "kuhn_CFRplus", 1000),
        ("cfr+", "leduc", "leduc_CFRplus", 50),  # later, CFR+ turns the last digit of a regret near 0 into another line
    ],
)
def test_independent_curves(name: str, spec: str, curve: str, last: int, golden: Any) -> None:
    """Alternating updates, player 0 first, uniform start: the reference scripts are not project code."""
    _follow(name, spec, golden["curves"][curve], last)


def _follow(name: str, spec: str, curve: dict[str, dict[str, float]], last: int) -> None:
    game = built(spec)
    solver = sc.solver(name, game)
    for iterations, known in curve.items():
        if int(iterations) <= last:
            solver.run(int(iterations) - solver.iterations)
            found = sc.evaluate(game, solver.policy())
            assert found.nash_conv == pytest.approx(known["nashconv"], abs=1e-9), iterations
            assert found.exploitability == pytest.approx(known["exploitability"], abs=1e-9), iterations
            assert found.values[0] == pytest.approx(known["ev0"], abs=1e-9), iterations


def test_published_bounds(golden: Any) -> None:
    for bound in golden["upper_bounds"]:
        spec = bound["game"].replace("_2p", "").replace("_", "-")
        solver = sc.solver(bound["algorithm"].lower(), built(spec))
        solver.run(bound["iterations"])
        found = sc.evaluate(built(spec), solver.policy())
        measured, limit = (
            (found.nash_conv, bound["nash_conv_at_most"])
            if "nash_conv_at_most" in bound
            else (found.exploitability, bound["exploitability_at_most"])
        )
        assert measured <= limit


def test_cfr_plus_on_leduc_within_10000_iterations() -> None:
    game = built("leduc")
    solver = sc.solver("cfr+", game)
    solver.run(10_000)
    assert sc.exploitability(game, solver.policy()) < 2e-5


@pytest.mark.parametrize("alternating", [True, False])
@pytest.mark.parametrize("name", FULL_WIDTH)
def test_values_lie_within_the_exploitability(name: str, alternating: bool, golden: Any) -> None:
    for spec in ("kuhn", "leduc"):
        game = built(spec)
        solver = sc.solver(name, game, alternating=alternating)
        solver.run(5_000)
        found = sc.evaluate(game, solver.policy())
        assert found.nash_conv < (0.03 if alternating else 0.1)
        assert abs(found.values[0] - golden[spec]["value_player0"]) <= found.nash_conv


def test_variants_are_weights_over_one_traversal() -> None:
    """CFR with the weights of another member is that member."""
    game = built("leduc")
    for name in FULL_WIDTH[1:]:
        options = {option: declared.default for option, declared in SOLVERS[name].load().OPTIONS.items()}
        named, spelled = sc.solver(name, game), sc.solver("cfr", game, **options)
        named.run(50)
        spelled.run(50)
        np.testing.assert_array_equal(named.policy().table, spelled.policy().table)


def test_pruning_at_zero_changes_nothing_but_the_count() -> None:
    for spec in ("kuhn-3p", "leduc"):
        game = built(spec)
        whole, pruned = sc.solver("cfr+", game), sc.solver("cfr+", game, prune=0.0)
        whole.run(300)
        pruned.run(300)
        np.testing.assert_allclose(pruned.policy().table, whole.policy().table, atol=1e-9)
        assert whole.nodes == 300 * game.players * sum(map(int, game.form.node_deals))
        assert pruned.nodes < whole.nodes


def test_pruning_above_zero_prunes_more() -> None:
    game = built("leduc-3p")
    counts = []
    for prune in (0.0, 0.01, 0.1):
        solver = sc.solver("cfr+", game, prune=prune)
        solver.run(40)
        counts.append(solver.nodes)
    assert counts[0] > counts[1] > counts[2]


def test_bad_values() -> None:
    game = built("kuhn")
    for options, message in [
        ({"alternating": "maybe"}, "alternating=maybe .accepted: true, false"),
        ({"gamma": -1}, "gamma=-1"),
        ({"prune": 2}, "prune=2 .accepted: a number from 0 to 1, or none"),
        ({"alpha": float("nan")}, "alpha=nan"),
    ]:
        with pytest.raises(sc.UsageError, match=message):
            sc.solver("cfr", game, **options)


@pytest.mark.interpreted
@pytest.mark.parametrize(
    ("iteration", "power", "expected"),
    [
        (50, 400.0, 1.0), (10**15, 50.0, 1.0), (50, -400.0, 0.0), (1, 400.0, 0.5), (1, 1e308, 0.5), (2, 1e308, 1.0),
        (2, -1e308, 0.0), (7, inf, 1.0), (7, -inf, 0.0), (3, 2.0, 0.9), (4, 1.5, 8 / 9), (5, 0.0, 0.5), (5, -1.0, 1 / 6),
    ],
)  # fmt: skip
def test_discounts_are_numbers_for_every_power(iteration: int, power: float, expected: float) -> None:
    assert kernels.discount(iteration, power) == pytest.approx(expected, abs=0, rel=1e-15)


def test_huge_powers_are_their_limits() -> None:
    """Weights that overflow count everything or nothing: alpha = 400 is alpha = inf after the first iteration."""
    solver = sc.solver("discounted-cfr", built("kuhn"), alpha=400, beta=-400)
    solver.run(200)
    assert np.isfinite(solver.policy().table).all()
    assert sc.nash_conv(built("kuhn"), solver.policy()) < 0.02

"""The forms of bahuguna2018's iteration and our sweeps are one algorithm: the same deals give the same tables."""

from __future__ import annotations

import numpy as np
import pytest
from numba.core import config

import smoothcall as sc
from smoothcall.experiments.bahuguna2018.forms import Form, pruning_of, tables_of
from smoothcall.kernels.experiments.iterative import ALL, IN_PLACE, INDEXED, NONE, PRECOMPUTED, REUSED
from smoothcall.kernels.experiments.steps import ACTION, REGRET, Pruning, find_row, settle_terminal
from tests.conftest import built

GAMES = ["kuhn", "kuhn-3p"]
ITERATIONS = 300
compiled_long = [] if config.DISABLE_JIT else pytest.mark.long  # each form is a kernel, compiled for seconds


@pytest.mark.interpreted
@pytest.mark.parametrize("prune", [pytest.param(prune, marks=compiled_long) for prune in (0.0, 1e-2)])
@pytest.mark.parametrize("spec", ["kuhn", pytest.param("kuhn-3p", marks=compiled_long)])
def test_recursion_agrees_with_sweeps(spec: str, prune: float) -> None:
    game = built(spec)
    form = Form(game, "recursive", seed=4, pruning=pruning_of("unplayed", prune))
    form.run(ITERATIONS)
    solver = sc.solver("mccfr", game, seed=4, sampling="chance", prune=prune)
    solver.run(ITERATIONS)
    np.testing.assert_allclose(solver.policy().table, form.policy().table, atol=1e-12)
    assert solver.nodes == form.nodes
    assert (form.nodes < ITERATIONS * game.tree.nodes) == (prune > 0)


@pytest.mark.interpreted
@pytest.mark.parametrize("rule", ["action", *(pytest.param(rule, marks=compiled_long) for rule in ("reach", "unplayed"))])
@pytest.mark.parametrize("spec", ["kuhn", pytest.param("kuhn-3p", marks=compiled_long)])
def test_forms_agree(spec: str, rule: str) -> None:
    game = built(spec)
    forms = [
        Form(game, name, seed=5, pruning=pruning_of(rule, 1e-2)) for name in ("recursive", "iterative", "optimised", "compact")
    ]
    for form in forms:
        form.run(100)
        form.run(ITERATIONS - 100)  # in two runs as in one
        assert form.iterations == ITERATIONS
        assert form.nodes == forms[0].nodes < ITERATIONS * game.tree.nodes
        np.testing.assert_allclose(form.learned, forms[0].learned, atol=1e-12)


@pytest.mark.interpreted
@pytest.mark.parametrize("spec", [pytest.param(spec, marks=compiled_long) for spec in GAMES])
def test_levels_agree(spec: str) -> None:
    """Threads learn what one thread learns. Few iterations: threads wait long for each other on a busy machine."""
    one, levels = (Form(built(spec), name, seed=5, pruning=pruning_of("action", 0.2)) for name in ("iterative", "levels"))
    for form in (one, levels):
        form.run(25)
    assert levels.nodes == one.nodes < 25 * built(spec).tree.nodes
    np.testing.assert_array_equal(levels.learned, one.learned)


@pytest.mark.interpreted
@pytest.mark.parametrize("spec", [pytest.param(spec, marks=compiled_long) for spec in GAMES])
def test_improvements_change_nothing(spec: str) -> None:
    forms = [
        Form(built(spec), "iterative", seed=6, improved=bits) for bits in (NONE, PRECOMPUTED, INDEXED, IN_PLACE, REUSED, ALL)
    ]
    for form in forms:
        form.run(ITERATIONS)
        np.testing.assert_array_equal(form.learned, forms[0].learned)


@pytest.mark.interpreted
def test_rules_of_pruning_differ() -> None:
    """A product of probabilities is below a threshold sooner than its last factor; our own rule prunes less than both."""
    nodes = {}
    for rule in ("action", "reach", "unplayed"):
        form = Form(built("kuhn-3p"), "compact", seed=1, pruning=pruning_of(rule, 1e-2))
        form.run(2_000)
        nodes[rule] = form.nodes
    assert nodes["reach"] < nodes["unplayed"]
    assert nodes["reach"] < nodes["action"] < 2_000 * 25


@pytest.mark.interpreted
def test_everything_pruned() -> None:
    """Above 1 every action is pruned and only the root is visited, except in every `review`-th iteration."""
    for name in ("recursive", "iterative", "compact"):
        form = Form(built("kuhn"), name, seed=0, pruning=Pruning(ACTION, 2.0, 0))
        form.run(20)
        assert form.nodes == 20
        assert not form.learned[REGRET].any()
        form = Form(built("kuhn"), name, seed=0, pruning=Pruning(ACTION, 2.0, 4))
        form.run(20)
        assert form.nodes == 15 + 5 * 9


@pytest.mark.interpreted
@pytest.mark.parametrize("spec", GAMES)
def test_terminal_utilities(spec: str) -> None:
    """Utilities by the highest card are those of the game's rules."""
    game, tables = built(spec), tables_of(built(spec))
    ending, payoff = game.ending_payoff
    utilities = np.zeros((game.tree.nodes, game.players))
    for deal, cards in enumerate(tables.cards):
        for node in game.tree.endings:
            settle_terminal(tables.nodes, node, cards, utilities, node)
            np.testing.assert_array_equal(utilities[node], payoff[ending[node], deal])


@pytest.mark.interpreted
@pytest.mark.parametrize("spec", GAMES)
def test_map_of_rows(spec: str) -> None:
    game, tables = built(spec), tables_of(built(spec))
    for node in game.tree.decisions:
        for card in range(game.players + 1):
            assert find_row(tables.keys, node * (game.players + 1) + card) == game.tree.first_row[node] + card

"""Safe re-solving on small games: no opponent gains by it, whatever strategy it starts from."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from smoothcall.games.betting import Betting
from smoothcall.games.catalog import LEDUC
from smoothcall.games.rules import PokerRules
from smoothcall.search.range_solver import RangeSolver, cfr_plus
from tests.search.plain import everything, listed
from tests.search.subgames import subgames
from tests.search.test_range_solver import small

THREE_STREETS = small(1, 0, 1, 1)


def solved(rules: PokerRules, iterations: int) -> RangeSolver:
    held = everything(rules.deck, rules.streets[0].hole)
    found = RangeSolver(rules, Betting(rules), (), [held, held], listed, dtype=np.float64, isomorphic=False)
    found.run(iterations)
    return found


def resolved(whole: RangeSolver, player: int, iterations: int, *, safe: bool = True, uniform: bool = False, **how: Any) -> None:
    """Replace a player's strategy in every subgame of the second street by a re-solved one."""
    opponent, found = 1 - player, []
    for subgame in subgames(whole):
        weights: list[np.ndarray | None] = [None, None]
        if uniform:
            weights[opponent] = np.ones(len(subgame.reach(opponent)[0]))
        solver = subgame.solver((weights[0], weights[1]))
        if safe:
            solver.protect(opponent, solver.root_values(opponent, best=True), **how)
        solver.start_from_average()
        solver.weights = cfr_plus  # the choice at the root settles sooner than by discounted CFR, where iterations are many
        solver.run(iterations)
        found.append((subgame, solver))
    for subgame, solver in found:
        subgame.put_back(solver, player)


@pytest.mark.parametrize(
    ("rules", "iterations", "forced"),
    [
        pytest.param(LEDUC, 400, 0.0, id="leduc", marks=pytest.mark.long),
        pytest.param(LEDUC, 800, 0.5, id="leduc-forced", marks=pytest.mark.long),
        pytest.param(THREE_STREETS, 60, 0.5, id="three-streets-forced"),
        pytest.param(THREE_STREETS, 300, 0.0, id="three-streets", marks=pytest.mark.long),
    ],
)
def test_an_equilibrium_stays_one(rules: PokerRules, iterations: int, forced: float) -> None:
    """The gadget's strategy, put into an equilibrium, is exploited for no more than the equilibrium, up to its own accuracy."""
    whole = solved(rules, iterations)
    before = whole.best_values()
    for player in range(2):
        resolved(whole, player, iterations, forced=forced)
    after = whole.best_values()
    assert sum(before) / 2 < 0.01
    assert all(new <= old + 0.02 for old, new in zip(before, after, strict=True))


@pytest.mark.parametrize(
    "rules", [pytest.param(LEDUC, id="leduc"), pytest.param(THREE_STREETS, id="three-streets", marks=pytest.mark.long)]
)
def test_a_poor_strategy_gets_no_worse(rules: PokerRules) -> None:
    """From a strategy after a few iterations, with a uniform range as the guess of the opponent's: safe, and better."""
    for player in range(2):
        whole = solved(rules, 6)
        before = whole.best_values()[1 - player]
        resolved(whole, player, 50, uniform=True)
        assert whole.best_values()[1 - player] < before


def test_unsafe_solving_may_be_exploited() -> None:
    """What the gadget is for: the same wrong guess of the range, without it, costs more than the strategy did before."""
    whole = solved(LEDUC, 400)
    before = whole.best_values()[1]
    resolved(whole, 0, 200, safe=False, uniform=True)
    assert whole.best_values()[1] > before + 0.1


def test_values_at_the_root_are_those_of_the_whole_game() -> None:
    whole = solved(LEDUC, 20)
    for subgame in subgames(whole)[::7]:
        solver, root = subgame.solver(), whole.streets[1].root[subgame.entry]
        for player in range(2):
            expected = whole.at([0, subgame.board], player)[1][
                root
            ]  # of the hands that the board leaves, as the range lists them
            np.testing.assert_allclose(solver.root_values(player), expected, rtol=1e-9, atol=1e-12)


def test_forced_entry_of_everything_is_unsafe_solving() -> None:
    whole = solved(LEDUC, 20)
    subgame = subgames(whole)[3]
    plain, forced = subgame.solver(), subgame.solver()
    forced.protect(1, forced.root_values(1, best=True), forced=1.0)
    for solver in (plain, forced):
        solver.run(30)
    for player in range(2):
        np.testing.assert_array_equal(plain.average[player], forced.average[player])

"""Monte-Carlo CFR, fictitious play, the linear program and regret matching on games with known answers."""

from __future__ import annotations

from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
import scipy  # its parts are imported at their first use

import smoothcall as sc
from tests.conftest import built


def kuhn_value(pot: int) -> float:
    """The value of Kuhn poker to player 0, from its matrix of pure strategies: 27 plans against 64."""
    first = list(product("fcb", repeat=3))  # with each card: check then fold, check then call, bet
    second = list(product(product("cb", "fc"), repeat=3))  # with each card: (after a check, after a bet)
    payoff = np.zeros((len(first), len(second)))
    for (i, plan), (j, answer) in product(enumerate(first), enumerate(second)):
        for mine, other in permutations(range(3), 2):
            sign, ante = 1 if mine > other else -1, pot / 2
            after_check, after_bet = answer[other]
            if plan[mine] == "b":
                won = ante if after_bet == "f" else sign * (ante + 1)
            elif after_check == "c":
                won = sign * ante
            else:
                won = -ante if plan[mine] == "f" else sign * (ante + 1)
            payoff[i, j] += won / 6
    found = scipy.optimize.linprog(
        [0] * len(first) + [-1],
        A_ub=np.hstack([-payoff.T, np.ones((len(second), 1))]),
        b_ub=np.zeros(len(second)),
        A_eq=[[1] * len(first) + [0]],
        b_eq=[1],
        bounds=[(0, 1)] * len(first) + [(None, None)],
    )
    return float(found.x[-1])


@pytest.mark.parametrize("spec", ["kuhn", "leduc", "leduc:suits=apart", "kuhn:pot=8", "rps"])
def test_linear_program_is_exact(spec: str, golden: Any) -> None:
    game = built(spec)
    solver = sc.solver("lp", game)
    solver.run(1)
    found = sc.evaluate(game, solver.policy())
    assert found.nash_conv < 1e-9
    known = {"kuhn:pot=8": kuhn_value(8), "rps": 0.0}
    value = known[spec] if spec in known else golden[spec.partition(":suits")[0]]["value_player0"]
    assert found.values[0] == pytest.approx(value, abs=1e-9)


def test_the_matrix_of_kuhn_has_the_value_that_kuhn_found() -> None:
    assert kuhn_value(2) == pytest.approx(-1 / 18, abs=1e-9)


def test_linear_program_takes_two_players() -> None:
    with pytest.raises(sc.UsageError, match="lp solves two-player zero-sum games, kuhn-3p is none"):
        sc.solver("lp", built("kuhn-3p"))


def test_linear_program_takes_zero_sum_games() -> None:
    both_win = sc.Game(sc.MatrixGame("both-win", ("A", "B"), np.ones((2, 2, 2))))
    with pytest.raises(sc.UsageError, match="both-win is none"):
        sc.solver("lp", both_win)


def test_degenerate_games_have_their_known_answers() -> None:
    """Always win, always tie: the value is the only pay-off there is."""
    for value in (0.0, 3.0):
        payoffs = np.stack([np.full((2, 2), value), np.full((2, 2), -value)], axis=-1)
        game = sc.Game(sc.MatrixGame("fixed", ("A", "B"), payoffs))
        for name in ("cfr+", "lp", "xfp", "mccfr", "regret-matching"):
            solver = sc.solver(name, game)
            solver.run(10)
            assert sc.expected_values(game, solver.policy()) == pytest.approx((value, -value))
            assert sc.nash_conv(game, solver.policy()) == pytest.approx(0, abs=1e-12)


def test_a_lopsided_matrix_game() -> None:
    """[[3, 0], [1, 2]]: player 0 mixes 1/4, 3/4 and gets 3/2 (solved by hand)."""
    first = np.array([[3.0, 0.0], [1.0, 2.0]])
    game = sc.Game(sc.MatrixGame("lopsided", ("A", "B"), np.stack([first, -first], axis=-1)))
    for name, count, near in (("lp", 1, 1e-9), ("cfr+", 20_000, 1e-3), ("xfp", 20_000, 1e-2), ("mccfr", 200_000, 1e-2)):
        solver = sc.solver(name, game, seed=1)
        solver.run(count)
        assert sc.expected_values(game, solver.policy())[0] == pytest.approx(1.5, abs=near)
        assert solver.policy().probabilities(":", 0)["A"] == pytest.approx(0.25, abs=5 * near)


@pytest.mark.parametrize(
    ("sampling", "spec", "limit"),
    [
        ("external", "kuhn", 0.01),
        ("external", "kuhn-3p", 0.08),
        ("external", "leduc", 0.08),
        ("outcome", "kuhn", 0.03),
        ("outcome", "kuhn-3p", 0.1),
        ("outcome", "leduc", 1.2),
        ("chance", "kuhn", 0.01),
        ("chance", "kuhn-3p", 0.02),
        ("chance", "leduc", 0.08),
    ],
)
def test_sampling_converges(sampling: str, spec: str, limit: float) -> None:
    """Limits are about twice the worst of ten seeds at 200,000 iterations."""
    game = built(spec)
    solver = sc.solver("mccfr", game, seed=7, sampling=sampling)
    solver.run(200_000)
    assert sc.nash_conv(game, solver.policy()) < limit


def test_kuhn_3p_epsilon_well_inside_ten_million_deals() -> None:
    game = built("kuhn-3p")
    solver = sc.solver("mccfr", game, seed=1, sampling="chance")
    solver.run(1_000_000)
    assert sc.evaluate(game, solver.policy()).epsilon < 0.01


@pytest.mark.parametrize(("seeds", "error"), [(1_500, 0.12), pytest.param(6_000, 0.06, marks=pytest.mark.long)])
def test_sampled_regrets_are_unbiased(seeds: int, error: float) -> None:
    """The mean first update of many seeds is the regret of full-width CFR (both players learning against uniform play)."""
    game = built("kuhn")
    exact = sc.solver("cfr", game, alternating=False)
    exact.run(1)
    wanted = np.zeros(game.legal.size)
    wanted[game.form.cell[2:]] = exact.tables()["regret"][2:]
    for sampling in ("external", "outcome"):
        total = np.zeros(game.legal.shape)
        for seed in range(seeds):
            solver = sc.solver("mccfr", game, seed=seed, sampling=sampling, epsilon=0.8)
            solver.run(1)
            first_learner = (game.row_player == 0)[:, None]  # player 1 learns after player 0 has changed
            total += solver.tables()["regret"] * first_learner
        mean = total / seeds
        mine = np.flatnonzero(np.repeat(game.row_player == 0, len(game.actions)))
        np.testing.assert_allclose(mean.reshape(-1)[mine], wanted[mine], atol=error)


def test_threads_without_locks_still_learn() -> None:
    game = built("leduc")
    for sampling in ("external", "chance"):
        solver = sc.solver("mccfr", game, seed=1, threads=2, sampling=sampling)
        solver.run(60_001)
        assert solver.iterations == 60_001
        assert sc.nash_conv(game, solver.policy()) < 0.3


def test_fictitious_play_converges_and_uses_the_best_response() -> None:
    game = built("leduc")
    solver = sc.solver("xfp", game)
    solver.run(1)
    uniform = sc.Policy.uniform(game)
    for player in (0, 1):
        best = sc.best_response(game, uniform, player).policy
        mine = game.row_player == player
        np.testing.assert_array_equal(solver.current_policy().table[mine], best.table[mine])
    mixed = sc.Policy.mixture([uniform, solver.current_policy()])
    np.testing.assert_allclose(solver.policy().table, mixed.table, atol=1e-12)
    solver.run(5_000)
    assert sc.nash_conv(game, solver.policy()) < 0.08


def test_regret_matching_finds_rock_paper_scissors() -> None:
    game = built("rps")
    solver = sc.solver("regret-matching", game, seed=1)
    solver.run(200_000)
    np.testing.assert_allclose(solver.policy().table, 1 / 3, atol=0.01)
    with pytest.raises(sc.UsageError, match="one-shot games such as rps, kuhn is none"):
        sc.solver("regret-matching", built("kuhn"))


def test_prune_goes_with_chance_sampling() -> None:
    with pytest.raises(sc.UsageError, match="prune goes with sampling=chance"):
        sc.solver("mccfr", built("kuhn"), prune=0.1)
    with pytest.raises(sc.UsageError, match=r"sampling=all .accepted: external, outcome, chance"):
        sc.solver("mccfr", built("kuhn"), sampling="all")
    with pytest.raises(sc.UsageError, match="threads=2: xfp runs on one thread"):
        sc.solver("xfp", built("kuhn"), threads=2)

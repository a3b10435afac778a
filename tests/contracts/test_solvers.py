"""Every solver passes these on every game it takes: adding one means adding it to SOLVERS."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import smoothcall as sc
from smoothcall.solvers import SOLVERS
from smoothcall.solvers.uct import UCT
from tests.conftest import INTERPRETED, SMALL, TINY, WHOLE_BETS, built

SMALL_ENV = {"freezeouts": 16, "memory": 2000, "mirror": 30, "renew": 10}
FREEZEOUTS: dict[
    str, dict[str, Any]
] = {  # learn in freezeouts, here small ones, of one game; each makes some updates in 37 hands
    "monte-carlo": SMALL_ENV,
    "deep-q-continuous": SMALL_ENV | {"batch": 8, "rate": 0.05},
    "deep-q-discrete": SMALL_ENV | {"batch": 8},
    "clipped-double-dqn": SMALL_ENV | {"batch": 8, "every": 4},
}
NFSP = {"hands": 8, "moves": 500, "transitions": 500, "batch": 8, "hidden": 8, "every": 4, "eta": 0.5, "target": 8}
ROUND_TABLE = "no-limit-holdem:stack=20,grid=5/5/5"  # of whose stacks there are few
OTHERS = [name for name in SOLVERS if name not in ("nfsp", "nfsp-freezeouts", *FREEZEOUTS)]
CASES = [(name, {}) for name in OTHERS] + [
    ("mccfr", {"sampling": "outcome"}),
    ("mccfr", {"sampling": "chance"}),
    ("mccfr", {"sampling": "chance", "prune": 1e-4}),
    ("cfr", {"alternating": False}),
    ("cfr+", {"prune": 0.0}),
]
AHEAD = 30 if INTERPRETED else 180  # iterations that are rolled back
POKER_FOR_TWO = ("public-cfr", "cfr-br")
MAYBE = {"lp": {"rps", "kuhn", "kuhn:pot=8", "leduc"}, "regret-matching": {"rps"}}
MAYBE |= {name: {"kuhn", "kuhn:pot=8", "leduc"} for name in POKER_FOR_TWO}
SAMPLED = [("uct", {}), ("smooth-uct", {}), ("mccfr", {}), ("mccfr", {"sampling": "outcome"})]  # take sampled deals too
SAMPLED += [("public-cfr", {}), ("cfr-br", {"responder_grid": "30/20/1"})]


def networks() -> list[Any]:
    """Few games, because everything that networks do is compiled for each."""
    sampled = [] if INTERPRETED else [WHOLE_BETS]
    found = [pytest.param("nfsp", spec, NFSP, id=f"nfsp-{spec}", marks=pytest.mark.long) for spec in sampled]
    found.append(pytest.param("nfsp", "rps", NFSP, id="nfsp-rps", marks=pytest.mark.long))
    slow = [pytest.mark.long] if INTERPRETED else []  # JAX compiles all the same
    found.append(pytest.param("nfsp", "kuhn-3p", NFSP | {"imitate": "greedy"}, id="nfsp-kuhn-3p", marks=slow))
    if not INTERPRETED:
        several = NFSP | {"length": 3, "rho": 0.5}
        found.append(pytest.param("nfsp-freezeouts", ROUND_TABLE, several, id="nfsp-freezeouts"))
        fixed = several | {"against": "heuristic-mc"}
        found.append(pytest.param("nfsp-freezeouts", ROUND_TABLE, fixed, id="nfsp-against", marks=pytest.mark.long))
    small = {} if INTERPRETED else FREEZEOUTS
    for name, options in small.items():  # both kinds of deep Q are one class with different losses
        marks = [pytest.mark.long] if name == "deep-q-continuous" else []
        found.append(pytest.param(name, WHOLE_BETS, options, id=f"{name}-freezeouts", marks=marks))
    estimated = [] if INTERPRETED else ["monte-carlo", "clipped-double-dqn"]
    return found + [
        pytest.param(name, WHOLE_BETS, small[name] | {"rollouts": 20}, id=f"{name}-estimates", marks=pytest.mark.long)
        for name in estimated
    ]


def pairs() -> list[Any]:
    found = []
    for name, options in CASES:
        for spec in SMALL:
            pruned_at_once = spec == "rps" and options.get("prune") and options.get("sampling")
            if spec in MAYBE.get(name, SMALL) and not pruned_at_once:
                text = "-".join(f"{option}={value}" for option, value in options.items())
                found.append(pytest.param(name, spec, options, id=f"{name}-{text}-{spec}"))
    for name, options in [] if INTERPRETED else SAMPLED:
        found.append(pytest.param(name, TINY, options, id=f"{name}-{'-'.join(options.values())}-sampled"))
    return found


everywhere = pytest.mark.parametrize(("name", "spec", "options"), [*pairs(), *networks()])


@pytest.mark.interpreted
@everywhere
def test_runs_add_up_and_states_restore(name: str, spec: str, options: dict[str, object]) -> None:
    game = built(spec)
    whole, parts = (sc.solver(name, game, seed=3, **options) for _ in range(2))
    whole.run(37)
    parts.run(12)
    again = sc.solver(name, game, seed=99, **options)
    again.restore(parts.state())
    parts.run(25)
    again.run(25)
    for other in (parts, again):
        assert other.iterations == 37
        assert other.nodes == whole.nodes
        for table, value in whole.tables().items():
            np.testing.assert_array_equal(other.tables()[table], value)
        np.testing.assert_array_equal(other.policy().table, whole.policy().table)
        np.testing.assert_array_equal(other.current_policy().table, whole.current_policy().table)


@pytest.mark.interpreted
@everywhere
def test_a_solver_rolls_back(name: str, spec: str, options: dict[str, object]) -> None:
    """A state is a copy; restored on the solver that ran ahead, it goes on as if that had never happened."""
    game = built(spec)
    straight, ahead = (sc.solver(name, game, seed=5, **options) for _ in range(2))
    straight.run(9)
    ahead.run(9)
    state = ahead.state()
    kept = {table: np.array(value) for table, value in state.items()}
    ahead.run(AHEAD)
    for table, value in kept.items():
        np.testing.assert_array_equal(state[table], value, err_msg=f"{table}: a state is a copy, not a view")
    ahead.restore(state)
    for count in (0, AHEAD // 3):
        straight.run(count)
        ahead.run(count)
        assert (ahead.iterations, ahead.nodes) == (straight.iterations, straight.nodes)
        for table, value in straight.tables().items():
            np.testing.assert_array_equal(ahead.tables()[table], value, err_msg=table)
        np.testing.assert_array_equal(ahead.policy().table, straight.policy().table)
        np.testing.assert_array_equal(ahead.current_policy().table, straight.current_policy().table)


@everywhere
def test_policies_are_policies(name: str, spec: str, options: dict[str, object]) -> None:
    game = built(spec)
    solver = sc.solver(name, game, seed=1, **options)
    for count in (0, 1, 50):
        solver.run(count)
        for policy in (solver.policy(), solver.current_policy()):
            assert np.isfinite(policy.table).all()
            np.testing.assert_allclose(policy.table.sum(axis=1), 1, atol=1e-12)
            assert game.sampled == (policy.weights.dtype == np.uint8)
            assert (policy.table[~game.legal] == 0).all()
            assert policy.card["solver"]["name"] == name


@pytest.mark.parametrize(("name", "spec", "options"), [case for case in pairs() if case.values[1] not in ("rps", TINY)])
def test_learning_helps(name: str, spec: str, options: dict[str, object]) -> None:
    """(Not on rps, where full-width solvers start at the equilibrium, nor where NashConv cannot be computed.)"""
    game = built(spec)
    solver = sc.solver(name, game, seed=2, **options)
    solver.run(100_000 if "uct" in name else 30_000 if name == "mccfr" else 1_000)
    assert sc.nash_conv(game, solver.policy()) < 0.35 * max(sc.nash_conv(game, sc.Policy.uniform(game)), 0.5)


def test_networks_learn_too() -> None:
    """Neural fictitious self-play, with options that learn kuhn in seconds: of ten seeds the worst comes to 0.21."""
    game, rates = built("kuhn"), {"value_rate": 0.1, "policy_rate": 0.1, "target": 100}
    sizes = {"hands": 128, "batch": 64, "every": 32, "hidden": 32, "transitions": 10_000, "moves": 100_000}
    solver = sc.solver("nfsp", game, seed=2, **rates, **sizes)
    solver.run(40_000)
    assert sc.nash_conv(game, solver.policy()) < 0.35 * max(sc.nash_conv(game, sc.Policy.uniform(game)), 0.5)


@pytest.mark.parametrize("name", FREEZEOUTS)
def test_freezeouts_are_of_whole_bets_and_equities(name: str) -> None:
    with pytest.raises(sc.UsageError, match="these players know a menu of whole bets only"):
        sc.solver(name, built(TINY))
    for spec in ("kuhn", "rps", "no-limit-holdem", f"{WHOLE_BETS},cells=k-means"):
        with pytest.raises(sc.UsageError, match=f"{name} learns a game whose players see equities"):
            sc.solver(name, built(spec))


@pytest.mark.parametrize(("name", "spec", "options"), [case for case in networks() if case.values[1] != "kuhn-3p"])
def test_getting_ready_changes_nothing(name: str, spec: str, options: dict[str, Any]) -> None:
    solver = sc.solver(name, built(spec), seed=1, **options)
    for count in (0, 40):
        solver.run(count)
        before = solver.state()
        solver.prepare()
        for table, value in solver.state().items():
            np.testing.assert_array_equal(before[table], value, err_msg=table)


@pytest.mark.parametrize("name", SOLVERS)
def test_bad_options(name: str) -> None:
    others = "kuhn" if name in POKER_FOR_TWO else "rps"
    game = built(WHOLE_BETS if name in FREEZEOUTS else ROUND_TABLE if name == "nfsp-freezeouts" else others)
    with pytest.raises(sc.UsageError, match=r"unknown option of .* 'nonsense'"):
        sc.solver(name, game, nonsense=1)
    with pytest.raises(sc.UsageError, match="seed=-1"):
        sc.solver(name, game, seed=-1)
    with pytest.raises(sc.UsageError, match="threads=0"):
        sc.solver(name, game, threads=0)
    solver = sc.solver(name, game, **FREEZEOUTS.get(name, NFSP if "nfsp" in name else {}))
    with pytest.raises(sc.UsageError, match="iterations=-1"):
        solver.run(-1)
    with pytest.raises(sc.UsageError, match="differs"):
        solver.restore({"iterations": 1, "nodes": 0})


@pytest.mark.parametrize(
    ("name", "spec"),
    [
        ("mccfr", "kuhn"),
        ("mccfr", TINY),
        ("uct", "kuhn"),
        ("smooth-uct", TINY),
        ("public-cfr", "leduc"),
        ("cfr-br", "leduc"),
        ("nfsp", "kuhn"),
        pytest.param("nfsp-freezeouts", ROUND_TABLE, marks=pytest.mark.long),
        ("monte-carlo", WHOLE_BETS),
        ("clipped-double-dqn", WHOLE_BETS),
        pytest.param("deep-q-continuous", WHOLE_BETS, marks=pytest.mark.long),
        pytest.param("deep-q-discrete", WHOLE_BETS, marks=pytest.mark.long),
    ],
)
def test_seeds_matter_and_repeat(name: str, spec: str) -> None:
    game = built(spec)
    tables = []
    for seed in (1, 1, 2):
        solver = sc.solver(name, game, seed=seed, **FREEZEOUTS.get(name, NFSP if "nfsp" in name else {}))
        solver.run(60 if "freezeouts" in name or name in FREEZEOUTS else 500)
        tables.append(solver.policy().table)
    np.testing.assert_array_equal(tables[0], tables[1])
    assert (tables[0] != tables[2]).any()


@pytest.mark.parametrize("name", ["smooth-uct", "mccfr"])
@pytest.mark.parametrize("cuts", [(1, 511, 512, 513), (1000, 537)])
def test_batches_of_deals_may_be_cut_anywhere(name: str, cuts: tuple[int, ...]) -> None:
    whole, parts = (sc.solver(name, built(TINY), seed=4) for _ in range(2))
    whole.run(sum(cuts))
    for count in cuts:
        parts.run(count)
    for table, value in whole.tables().items():
        np.testing.assert_array_equal(parts.tables()[table], value)


@pytest.mark.parametrize("name", ["smooth-uct", "mccfr"])
def test_narrow_tables_restore_too(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Games of very many rows have tables of 32 bits: what follows from them must be the same bits after a restore."""
    monkeypatch.setattr("smoothcall.solvers.threads.FLOAT64_ROWS", 0)
    whole, parts, again = (sc.solver(name, built(TINY), seed=seed) for seed in (4, 4, 9))
    assert {table.dtype for table in whole.tables().values()} >= {np.dtype(np.float32)}
    whole.run(60_000)
    parts.run(30_000)
    again.restore(parts.state())
    if isinstance(parts, UCT):
        assert isinstance(again, UCT)
        np.testing.assert_array_equal(again._trees, parts._trees)
    again.run(30_000)
    for table, value in whole.tables().items():
        np.testing.assert_array_equal(again.tables()[table], value, err_msg=table)


@pytest.mark.parametrize(
    ("name", "spec"),
    [
        pytest.param("smooth-uct", TINY, id="few rows-smooth-uct"),
        pytest.param("mccfr", TINY, id="few rows-mccfr"),
        pytest.param("smooth-uct", "no-limit-holdem", id="many rows-smooth-uct"),
        pytest.param("mccfr", "no-limit-holdem", id="many rows-mccfr", marks=pytest.mark.long),
    ],
)
def test_threads_learn_sampled_games(name: str, spec: str) -> None:
    """What two threads learn is there afterwards, and as much as one learns: how far policies are from even, on average."""
    game, learned = built(spec), []
    even = game.legal / game.legal.sum(axis=1, keepdims=True)
    for threads in (1, 2):
        solver = sc.solver(name, game, seed=1, threads=threads)
        solver.run(200_000)
        policy = solver.policy()
        assert policy.probabilities("AA:").get("f", 0.0) < 0.2, "nobody folds aces"
        learned.append(abs(policy.table - even).max(axis=1).mean())
    assert learned[0] > 0.05
    assert learned[1] == pytest.approx(learned[0], rel=0.1)

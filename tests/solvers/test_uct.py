"""UCT and Smooth UCT: the loop by its parts, the papers' findings as comparisons with a margin."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numba.core.runtime import _nrt_python, rtsys

import smoothcall as sc
from smoothcall.experiments.heinrich2014_holdem import folded
from smoothcall.kernels.solvers import uct as kernels
from smoothcall.kernels.tables import CALL, FOLD_SLOT
from smoothcall.solvers.uct import UCT, exploration
from tests.conftest import INTERPRETED, TINY, built

HEINRICH = {"c": 18, "gamma": 0.01, "eta0": 0.9, "d": 0.002, "folds": "sampled"}


def _search(spec: str, name: str = "smooth-uct", seed: int = 0, **options: Any) -> UCT:
    found = sc.solver(name, built(spec), seed=seed, **options)
    assert isinstance(found, UCT)
    return found


@pytest.mark.interpreted
def test_one_expansion_a_player_an_episode() -> None:
    """The first episode adds one row to each tree that somebody came to, with one visit."""
    solver = _search("leduc", c=18)
    solver.run(1)
    visits = solver.tables()["visits"]
    rows = np.flatnonzero(visits.sum(axis=1))
    owners = built("leduc").row_player[rows].tolist()
    assert 1 <= len(owners) == len(set(owners)) <= 2
    assert (visits.sum(axis=1)[rows] == 1).all()
    before = visits.copy()
    solver.run(1)
    added = np.flatnonzero((visits.sum(axis=1) > 0) & (before.sum(axis=1) == 0))
    assert len(added) <= 2
    assert len({int(built("leduc").row_player[row]) for row in added}) == len(added)


@pytest.mark.interpreted
def test_returns_are_chips() -> None:
    """Chips are conserved, means lie within what can be won, and every visit below the root follows one above it."""
    game, solver = built("leduc"), _search("leduc", **HEINRICH)
    solver.run(300 if INTERPRETED else 20_000)
    visits, means = solver.tables()["visits"], solver.tables()["mean"]
    assert solver.earned.sum() == pytest.approx(0, abs=1e-9)
    assert abs(means[visits > 0]).max() <= 13
    assert (visits[~game.legal] == 0).all()
    assert (means[~game.legal] == -np.inf).all()
    root = game.row_node == 0
    assert visits[root].sum() == solver.iterations
    known = visits[root] > 0
    assert (visits[root] * np.where(known, means[root], 0)).sum() == pytest.approx(solver.earned[0])


def test_what_follows_from_the_tables_is_kept_up_to_date() -> None:
    solver = _search("leduc", **HEINRICH)
    solver.run(5_000)
    kept = solver._trees[0]
    fresh = _search("leduc", **HEINRICH)._trees[0]
    fresh[:, :6] = kept[:, :6]  # visits and means; the rest follows
    kernels.derive(fresh, solver._mixing)
    np.testing.assert_array_equal(fresh, kept)
    visits, spread, (wide, share) = kept[:, :3], kept[:, 6:9], kept[:, 9:].T
    total = visits.sum(axis=1)
    np.testing.assert_array_equal(spread[visits > 0], 1 / np.sqrt(visits[visits > 0]))
    assert (spread[(visits == 0) & built("leduc").legal] == np.inf).all()
    row = int(total.argmax())
    assert share[row] == max(0.01, 0.9 / (1 + 0.002 * np.sqrt(total[row])))
    assert wide[row] == np.sqrt(np.log(total[row]))


@pytest.mark.parametrize(
    ("options", "total", "most", "share"),
    [
        ({"mixing": "constant", "eta0": 1.0}, 50, 20, 1.0),
        ({"mixing": "constant", "eta0": 0.3}, 50, 20, 0.3),
        ({"mixing": "decay", "eta0": 0.9, "gamma": 0.1, "d": 0.1}, 100, 20, 0.9 / 2),
        ({"mixing": "decay", "eta0": 0.9, "gamma": 0.6, "d": 0.1}, 100, 20, 0.6),
        ({"mixing": "greatest"}, 100, 25, 0.25),
        ({"mixing": "slow"}, 10_000, 25, 0.9 * 10_000 / 10_100),
        ({"mixing": "greatest", "patience": 1000}, 999, 25, 0.0),
        ({"mixing": "greatest", "patience": 1000}, 1000, 250, 0.25),
    ],
)
def test_schedules(options: dict[str, Any], total: float, most: float, share: float) -> None:
    """Each schedule against its formula in the papers."""
    mixing = _search("kuhn", **options)._mixing
    plain = getattr(kernels.eta_of, "py_func", kernels.eta_of)
    assert plain(mixing, float(total), float(most)) == pytest.approx(share)


def test_bounds_and_average_select_as_they_should() -> None:
    plain = {name: getattr(f, "py_func", f) for name, f in vars(kernels).items() if callable(f)}
    visits, mean, spread = [0.0, 4.0, 1.0], [-np.inf, 2.0, 1.5], [0.0, 0.5, 1.0]
    tree = np.array([[*visits, *mean, *spread, np.sqrt(np.log(5)), 0.5]])
    row, actions = np.uint64(0), np.uint32(3)
    assert plain["best_by_bounds"](tree, row, actions, 0.0) == 1, "without exploration, the best mean"
    assert plain["best_by_bounds"](tree, row, actions, 1.0) == 2, "1.5 + 1.27 beats 2 + 0.63"
    assert [plain["from_average"](tree, row, actions, number) for number in (0.0, 0.79, 0.8, 0.999)] == [1, 1, 2, 2]
    tree[0, 8], tree[0, 5] = np.inf, 0.0
    assert plain["best_by_bounds"](tree, row, actions, 1.0) == 2, "what was never tried comes first"


def test_exploration_by_pot() -> None:
    """heinrich2014 (5): pot + k * what may still be bet, set at the start of each street. Leduc: pot 2, 26 at most."""
    game = built("leduc")
    width = exploration(game, "pot", None, 0.5)
    assert width[0] == 2 + 0.5 * (26 - 2)
    first = game.tree.child[game.tree.child[0, 1], 1]  # check, check: the second street with a pot of 2, at most 16 more
    assert game.tree.round[first] == 1
    assert width[first] == 2 + 0.5 * 16
    same = game.tree.child[first, 2]
    assert width[same] == width[first], "within a street it stays"
    assert (exploration(game, "constant", 7.0, 0.5) == 7).all()
    assert (exploration(game, "constant", None, 0.5) == 13).all()


@pytest.mark.interpreted
@pytest.mark.parametrize("spec", ["kuhn", "leduc-3p", "limit-holdem", "no-limit-holdem", TINY])
@pytest.mark.parametrize("k", [0.0, 0.5, 1.0])
def test_exploration_by_pot_is_that_of_the_definition(spec: str, k: float) -> None:
    """Node by node: at the first node of a street pot + k * (largest pot below - pot), carried on within the street."""
    game = built(spec)
    tree = game.tree
    pot = [int(paid.sum(dtype=int)) for paid in tree.paid]
    largest, expected = pot.copy(), [0.0] * tree.nodes
    for node in range(tree.nodes - 1, 0, -1):
        largest[tree.parent[node]] = max(largest[tree.parent[node]], largest[node])
    for node in range(tree.nodes):
        starts = node == 0 or tree.round[node] != tree.round[tree.parent[node]]
        expected[node] = pot[node] + k * (largest[node] - pot[node]) if starts else expected[tree.parent[node]]
    np.testing.assert_array_equal(exploration(game, "pot", None, k), expected)


def test_smooth_uct_reaches_the_published_figures() -> None:
    """Leduc, d = 0.002, mean of 5 seeds: below 0.45 after 1 M episodes (Heinrich: about 0.5)."""
    game, found = built("leduc"), []
    for seed in range(5):
        solver = _search("leduc", seed=seed, **HEINRICH)
        solver.run(1_000_000)
        found.append(sc.nash_conv(game, solver.policy()))
    assert np.mean(found) < 0.45


@pytest.mark.long
def test_smooth_uct_converges_and_uct_does_not() -> None:
    """A comparison with a margin: from 1 M to 10 M episodes Smooth UCT halves its NashConv and more, UCT does not."""
    game = built("leduc")
    reached = {}
    for name, options in (("uct", {"c": 18, "folds": "sampled"}), ("smooth-uct", HEINRICH)):
        solver = _search("leduc", name, seed=1, **options)
        reached[name] = []
        for episodes in (1_000_000, 9_000_000):
            solver.run(episodes)
            reached[name].append(sc.nash_conv(game, solver.policy()))
    assert reached["smooth-uct"][1] < 0.15
    assert reached["smooth-uct"][1] < 0.5 * reached["smooth-uct"][0]
    assert reached["uct"][1] > 0.8 * reached["uct"][0]
    assert reached["uct"][1] > 4 * reached["smooth-uct"][1]


@pytest.mark.parametrize("pot", [2, pytest.param(8, marks=pytest.mark.long)])
def test_kuhn_errors_are_below_those_of_uct(pot: int) -> None:
    """heinrich2014, Figs 1 and 2: mean of 10 runs after 1 M episodes; the exploration constant grows with the pot."""
    game, errors = sc.game("kuhn", pot=pot), {}
    for name, options in (("uct", {"c": 2.0 * pot / 2}), ("smooth-uct", {"c": 1.75 * pot / 2, "mixing": "greatest"})):
        policies = []
        for seed in range(10):
            solver = sc.solver(name, game, seed=seed, folds="sampled", **options)
            solver.run(1_000_000)
            policies.append(solver.policy())
        squared = np.mean([sc.equilibrium_distance(game, policy).squared_error for policy in policies])
        errors[name] = (squared, np.mean([sc.dominated_error(game, policy) for policy in policies]))
    assert errors["smooth-uct"][0] < errors["uct"][0]
    if pot == 2:
        assert errors["smooth-uct"][1] < errors["uct"][1]


def test_learning_against_a_fixed_policy() -> None:
    """Against a player who never changes, UCT comes close to the best response, and only the learner learns."""
    game = built("leduc")
    opponent = sc.Policy.from_weights(game, np.random.default_rng(1).random(game.legal.shape))
    for learner in (0, 1):
        solver = _search("leduc", "uct", seed=1, c=18, against=opponent, learner=learner)
        solver.run(1_000_000)
        best = sc.best_response(game, opponent, learner).value
        assert sc.expected_values(game, solver.current_policy())[learner] > best - 0.01
        others = game.row_player != learner
        np.testing.assert_array_equal(solver.policy().table[others], opponent.table[others])
    for wrong in ("nobody.agent", 3, game):
        with pytest.raises(sc.UsageError, match=r"option against=.*accepted: self, random, or an agent"):
            _search("leduc", against=wrong)
    with pytest.raises(sc.UsageError, match="this policy plays leduc, not kuhn"):
        _search("kuhn", against=opponent)
    with pytest.raises(sc.UsageError, match="player 2"):
        _search("leduc", against="random", learner=2)


def test_without_exploration_everything_is_tried_once() -> None:
    solver = _search("kuhn", "uct", c=0)
    solver.run(2_000)
    visits = solver.tables()["visits"]
    roots = built("kuhn").row_node == 0
    assert (visits[roots][:, 1:] > 0).all()


def test_three_players_learn() -> None:
    game = built("kuhn-3p")
    solver = _search("kuhn-3p", seed=1, c=3, mixing="greatest")
    solver.run(500_000)
    assert sc.nash_conv(game, solver.policy()) < 0.3 * sc.nash_conv(game, sc.Policy.uniform(game))


def test_threads_lose_nothing() -> None:
    """Every episode is counted once; NashConv at equal episodes is that of one thread within noise."""
    game = built("leduc")
    found: dict[int, list[float]] = {1: [], 2: []}
    for threads, values in found.items():
        for seed in range(4):
            solver = _search("leduc", seed=seed, threads=threads, **HEINRICH)
            solver.run(400_001)
            values.append(sc.nash_conv(game, solver.policy()))
            visits = solver.tables()["visits"]
            visits = visits if threads == 1 else visits.sum(axis=0)
            assert visits[game.row_node == 0].sum() == 400_001
    assert np.mean(found[2]) < 1.25 * np.mean(found[1])


def test_episodes_allocate_nothing() -> None:
    """A run of a hundred times the episodes makes as many allocations, and none is left behind."""
    _nrt_python.memsys_enable_stats()
    solver, made = _search("kuhn"), []
    solver.run(100)
    for count in (10, 1_000):
        before = rtsys.get_allocation_stats()
        solver.run(count)
        after = rtsys.get_allocation_stats()
        made.append(after.alloc - before.alloc)
        assert after.alloc - before.alloc == after.free - before.free
    assert made[0] == made[1]


# Halving of visit counts


@pytest.mark.interpreted
@pytest.mark.parametrize("name", ["uct", "smooth-uct"])
@pytest.mark.parametrize(("spec", "width"), [("kuhn", np.float64), ("kuhn", np.float32)])
def test_halved_visits_explore_and_resume_exactly(name: str, spec: str, width: type, monkeypatch: pytest.MonkeyPatch) -> None:
    """Visits are halved where a counter would overflow; here at 40, so that it happens all the time."""
    monkeypatch.setattr("smoothcall.solvers.threads.FLOAT64_ROWS", 0 if width is np.float32 else 10**9)

    def small() -> UCT:
        solver = _search(spec, name, seed=3)
        solver._mixing = solver._mixing._replace(max_visits=40.0)
        return solver

    whole, part, again = small(), small(), small()
    whole.run(3_000)
    part.run(1_500)
    visits, actions = part.tables()["visits"], len(built(spec).actions)
    assert visits.dtype == width
    assert visits.max() <= 41
    assert (visits % 1 > 0).any(), "something was halved"
    tried = visits > 0
    tried[:, FOLD_SLOT] = False  # its width follows from the visits of the row
    np.testing.assert_array_equal(
        part._trees[0][:, 2 * actions : 3 * actions][tried], (1 / np.sqrt(visits[tried].astype(np.float64))).astype(width)
    )
    again.restore(part.state())
    np.testing.assert_array_equal(again._trees[0], part._trees[0])
    again.run(1_500)
    np.testing.assert_array_equal(again._trees[0], whole._trees[0])


# Folds


@pytest.mark.interpreted
@pytest.mark.parametrize(
    "spec",
    [
        *("kuhn", "kuhn:pot=8", "kuhn-3p", "leduc", "leduc-3p", TINY),
        *(pytest.param(spec, marks=[pytest.mark.long] if INTERPRETED else []) for spec in ("limit-holdem", "no-limit-holdem")),
    ],
)
def test_a_known_fold_costs_what_every_ending_below_it_says(spec: str) -> None:
    """Brute force: from each fold down to all endings, whatever the cards; and it stands so in every row's record."""
    game = built(spec)
    tree, (ending, payoff) = game.tree, game.settled
    solver = _search(spec, "uct", folds="exact")
    record, actions = solver._trees[0], len(game.actions)
    rng = np.random.default_rng(0)
    folds = np.flatnonzero((tree.first_row >= 0) & (tree.child[:, FOLD_SLOT] >= 0))
    for node in rng.permutation(folds)[:200].tolist():
        below, seat = [int(tree.child[node, FOLD_SLOT])], int(tree.player[node])
        while below:
            deeper = below.pop()
            below += tree.child[deeper][tree.child[deeper] >= 0].tolist()
            if tree.first_row[deeper] < 0:
                assert (payoff[ending[deeper], :, seat] == -tree.paid[node, seat]).all()
        rows = slice(tree.first_row[node], tree.first_row[node] + game.buckets[tree.round[node]])
        assert (record[rows, actions + FOLD_SLOT] == -tree.paid[node, seat]).all()


def test_every_visit_counts_for_a_known_fold() -> None:
    """The width of its bound is that of the row's visits; rows with few of them have not folded and do not by the policies."""
    solver, game = _search("leduc", seed=2, c=18), built("leduc")
    solver.run(3_000)
    kept = solver._trees[0]
    visits, spread, total = kept[:, :3], kept[:, 6:9], kept[:, :3].sum(axis=1)
    can, few = game.legal[:, FOLD_SLOT], total < kernels.MIN_FOLD_VISITS
    assert (can & few).any()
    assert (can & ~few).any()
    np.testing.assert_array_equal(spread[can & ~few, FOLD_SLOT], 1 / np.sqrt(total[can & ~few]))
    assert (spread[can & few, FOLD_SLOT] == -np.inf).all()
    for weights in (visits, solver.policy().table, solver.current_policy().table):
        assert (weights[few, FOLD_SLOT] == 0).all()
        assert (weights[can & ~few, FOLD_SLOT] > 0).any()
    fresh = _search("leduc", **HEINRICH)._trees[0]
    fresh[:, :6] = kept[:, :6]
    kernels.derive(fresh, solver._mixing)
    np.testing.assert_array_equal(fresh, kept)


def test_nobody_folds_aces_where_folds_are_known() -> None:
    """Through ten buckets a street, from very few episodes on, in the average and in the greedy policy; tried, some do."""
    spec = "limit-holdem:grid=10/10/10"
    for episodes in (10_000, 1_000_000):
        solver = _search(spec, seed=1, mixing="greatest", explore="pot")
        solver.run(episodes)
        for policy in (solver.policy(), solver.current_policy()):
            assert folded(policy, "AA") == 0
    assert folded(solver.policy(), "72o") > 0.2, "folding is learned where it is right"
    tried = _search(spec, seed=1, mixing="greatest", explore="pot", folds="sampled")
    tried.run(1_000_000)
    assert folded(tried.policy(), "AA") > 0.005


@pytest.mark.long
def test_known_folds_leave_smooth_uct_closer_to_an_equilibrium() -> None:
    """A comparison with a margin: NashConv of Leduc after 1 M episodes, mean of 5 seeds."""
    game, found = built("leduc"), {}
    for folds in ("exact", "sampled"):
        reached = []
        for seed in range(5):
            solver = _search("leduc", seed=seed, **(HEINRICH | {"folds": folds}))
            solver.run(1_000_000)
            reached.append(sc.nash_conv(game, solver.policy()))
        found[folds] = np.mean(reached)
    assert found["exact"] < 0.95 * found["sampled"]


def test_games_without_folds_have_nothing_to_know() -> None:
    one, other = (_search("rps", seed=1, folds=folds) for folds in ("exact", "sampled"))
    for solver in (one, other):
        solver.run(2_000)
    np.testing.assert_array_equal(one.policy().table, other.policy().table)


def test_the_greedy_policy_calls_where_an_action_was_never_tried() -> None:
    solver = _search("leduc", "uct", seed=3, c=18, folds="sampled")
    solver.run(60)
    visits, mean = solver.tables()["visits"], solver.tables()["mean"]
    weights, legal = solver.current_policy().table, np.isfinite(mean)
    known = (visits > 0).sum(axis=1) == legal.sum(axis=1)
    assert 0 < known.sum() < len(known)
    np.testing.assert_array_equal(weights[~known].argmax(axis=1), CALL)
    np.testing.assert_array_equal(weights[known].argmax(axis=1), np.where(legal, mean, -np.inf)[known].argmax(axis=1))
    assert (weights.max(axis=1) == 1).all()


def test_the_greedy_policy_may_skip_actions_that_were_never_tried() -> None:
    solver = _search("leduc", "uct", seed=3, c=18, folds="sampled")
    solver.run(60)
    visits, mean = solver.tables()["visits"], solver.tables()["mean"]
    weights, seen = solver.greedy_policy("skip").table, visits.sum(axis=1) > 0
    best = np.where(visits > 0, mean, -np.inf).argmax(axis=1)
    np.testing.assert_array_equal(weights[seen].argmax(axis=1), best[seen])
    assert (weights[seen].max(axis=1) == 1).all()
    even = built("leduc").legal / built("leduc").legal.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(weights[~seen], even[~seen], atol=0.01)
    np.testing.assert_array_equal(solver.greedy_policy().table, solver.current_policy().table)
    with pytest.raises(sc.UsageError, match="rule for untried actions"):
        solver.greedy_policy("guess")

"""Every game passes these, whatever it is: adding one means adding it to GAMES, or to SAMPLED_GAMES where deals are sampled."""

from __future__ import annotations

import numpy as np
import pytest

import smoothcall as sc
from smoothcall.kernels.tables import DECISION
from smoothcall.solvers import SOLVERS
from tests.conftest import GAMES, SAMPLED_GAMES, SMALL, TINY, built

games = pytest.mark.parametrize("spec", GAMES)
sampled = pytest.mark.parametrize("spec", SAMPLED_GAMES)


@pytest.mark.parametrize("spec", [*GAMES, *SAMPLED_GAMES])
def test_tree_is_well_formed(spec: str) -> None:
    tree = built(spec).tree
    nodes = np.arange(len(tree.kind))
    assert (tree.parent[1:] < nodes[1:]).all(), "children come after parents"
    depth = np.zeros(tree.nodes, int)
    for node in nodes[1:]:
        depth[node] = depth[tree.parent[node]] + 1
    assert (np.diff(depth) >= 0).all(), "levels are contiguous"
    assert tree.depth == depth.max()
    np.testing.assert_array_equal(tree.levels, np.searchsorted(depth, np.arange(tree.depth + 2)))
    legal = tree.child >= 0
    assert (legal[tree.decisions].sum(axis=1) >= 2).all()
    assert legal.sum() == tree.nodes - 1
    np.testing.assert_array_equal(tree.child[tree.parent[1:], tree.slot[1:]], nodes[1:])
    assert (tree.first_row[tree.endings] == -1).all()
    rows = {int(row) for first, street in zip(tree.first_row[tree.decisions], tree.round[tree.decisions], strict=True)
            for row in (first, first + built(spec).buckets[street] - 1)}  # fmt: skip
    assert (min(rows), max(rows)) == (0, tree.rows - 1)
    assert (tree.child[tree.endings] == -1).all()
    assert ((tree.player >= 0) == (tree.kind == DECISION)).all()
    assert (tree.paid[1:] >= tree.paid[tree.parent[1:]]).all(), "chips are never taken back"


@sampled
def test_rows_of_drawn_games_follow_their_nodes(spec: str) -> None:
    game = built(spec)
    tree, ends = game.tree, []
    for node in tree.decisions:
        assert tree.first_row[node] == (ends[-1] if ends else 0)
        ends.append(tree.first_row[node] + game.buckets[tree.round[node]])
    assert ends[-1] == tree.rows
    assert not tree.shares_rows


@sampled
def test_keys_of_drawn_games_name_rows(spec: str) -> None:
    game = built(spec)
    random = np.random.default_rng(3)
    for row in [0, game.tree.rows - 1, *random.integers(game.tree.rows, size=300).tolist()]:
        key, player = game.key(row), int(game.tree.player[game.node_of(row)])
        assert game.rows(key) == game.rows(key, player) == [row]
        with pytest.raises(sc.UsageError, match=f"player {1 - player} has no information state"):
            game.rows(key, 1 - player)


def test_all_keys_of_a_drawn_game() -> None:
    game = built(TINY)
    assert game.keys == [game.key(row) for row in range(game.tree.rows)]
    assert len(set(game.keys)) == game.tree.rows
    for player in (0, 1):
        found = [game.rows(key, player)[0] for key in game.information_states(player)]
        assert found == list(np.flatnonzero(game.row_player == player))
    with pytest.raises(sc.UsageError, match="too many to list"):
        _ = built("no-limit-holdem-32").keys


@sampled
def test_endings_of_drawn_games_pay(spec: str) -> None:
    """Zero sum; nobody loses more than was paid; who folded loses exactly that; the only one left wins the rest."""
    game = built(spec)
    tree, (ending, payoff) = game.tree, game.settled
    paid, alive = tree.paid[tree.endings].astype(float), tree.alive[tree.endings]
    table = payoff[ending[tree.endings]]  # [E, outcomes, P]
    np.testing.assert_allclose(table.sum(axis=2), 0, atol=1e-9)
    assert (ending[tree.decisions] == -1).all()
    for player in range(game.players):
        out = (alive >> player) & 1 == 0
        np.testing.assert_array_equal(table[out][:, :, player], np.repeat(-paid[out, player, None], table.shape[1], axis=1))
        assert (table[:, :, player] >= -paid[:, player, None]).all()
        last = alive == 1 << player
        others = paid[last].sum(axis=1) - paid[last, player]
        np.testing.assert_array_equal(table[last][:, :, player], np.repeat(others[:, None], table.shape[1], axis=1))


def test_fingerprints_of_drawn_games_differ() -> None:
    specs = [
        *SAMPLED_GAMES,
        "no-limit-holdem:stack=120",
        "no-limit-holdem:menu=pot+all-in",
        "no-limit-holdem:grid=L",
        "no-limit-holdem-32:menu=pot",
        "no-limit-holdem-32:menu=x2,grid=20/10/5",
        "no-limit-holdem-32:menu=pot,grid=20/10/6",
        f"{TINY},cells=mass",
        f"{TINY},cells=k-means",
        "no-limit-holdem-32:menu=pot,grid=54/54/18",
        "no-limit-holdem-32:menu=pot,grid=54/54/18,cells=textures",
    ]
    assert len({built(spec).fingerprint for spec in specs}) == len(specs)
    assert sc.game("no-limit-holdem", grid="100/100/100").fingerprint == built("no-limit-holdem").fingerprint


SAMPLING = ("uct", "smooth-uct", "mccfr", "public-cfr", "cfr-br", "nfsp")


@pytest.mark.parametrize("name", [name for name in SOLVERS if name not in SAMPLING])
def test_what_needs_all_deals_refuses_drawn_games(name: str) -> None:
    with pytest.raises(sc.UsageError):
        sc.solver(name, built("limit-holdem")).run(1)


def test_what_needs_all_deals_is_told_in_one_line() -> None:
    game = built(TINY)
    policy = sc.Policy.uniform(game)
    for wrong in (
        lambda: game.deals,
        lambda: game.form,
        lambda: sc.nash_conv(game, policy),
        lambda: sc.expected_values(game, policy),
        lambda: sc.best_response(game, policy, 0),
        lambda: policy.realisation_plan,
        lambda: sc.Policy.mixture([policy, policy]),
        lambda: sc.solver("mccfr", game, sampling="chance").run(1),
    ):
        with pytest.raises(sc.UsageError, match="too many to list"):
            wrong()


@games
def test_deals_are_a_distribution(spec: str) -> None:
    deals = built(spec).deals
    assert deals.weight.sum() == pytest.approx(1, abs=1e-12)
    assert (deals.weight > 0).all()
    for street, labels in enumerate(deals.labels):
        assert set(np.unique(deals.bucket[:, :, street])) == set(range(len(labels)))
    accept, alias = deals.alias
    sampled = np.bincount(alias, 1 - accept, deals.count) + accept
    np.testing.assert_allclose(sampled / deals.count, deals.weight, atol=1e-12)


@games
def test_payoffs_sum_to_zero(spec: str) -> None:
    game = built(spec)
    assert game.zero_sum


@games
def test_keys_name_rows(spec: str) -> None:
    game = built(spec)
    for player in range(game.players):
        keys = game.information_states(player)
        assert len(set(keys)) == len(keys)
        assert [game.rows(key, player)[0] for key in keys] == list(np.flatnonzero(game.row_player == player))
    assert sum(len(game.information_states(player)) for player in range(game.players)) == game.tree.rows


@games
def test_sequence_form_pays_what_the_walk_pays(spec: str) -> None:
    """Expected values by the sequence form equal those by walking every deal through the tree."""
    game = built(spec)
    random = np.random.default_rng(5)
    policy = sc.Policy.from_weights(game, random.random(game.legal.shape))
    tree, deals, (ending, payoff) = game.tree, game.deals, game.ending_payoff
    reach = np.ones((len(tree.kind), deals.count))
    for node in range(1, len(tree.kind)):
        parent = tree.parent[node]
        rows = tree.first_row[parent] + deals.bucket[:, tree.player[parent], tree.round[parent]]
        reach[node] = reach[parent] * policy.table[rows, tree.slot[node]]
    values = np.einsum("nd,d,ndp->p", reach[tree.endings], deals.weight, payoff[ending[tree.endings]])
    np.testing.assert_allclose(sc.expected_values(game, policy), values, atol=1e-12)
    assert reach[tree.endings].sum(axis=0) == pytest.approx(np.ones(deals.count))


@pytest.mark.interpreted
@pytest.mark.parametrize("spec", SMALL)
def test_best_response_is_never_worse_and_beats_every_pure_change(spec: str) -> None:
    game = built(spec)
    random = np.random.default_rng(11)
    for _ in range(3):
        policy = sc.Policy.from_weights(game, random.random(game.legal.shape) ** 3)
        values = sc.expected_values(game, policy)
        for player in range(game.players):
            best = sc.best_response(game, policy, player)
            assert best.value >= values[player] - 1e-12
            assert sc.expected_values(game, best.policy)[player] == pytest.approx(best.value, abs=1e-12)
            others = np.flatnonzero(game.row_player != player)
            np.testing.assert_allclose(best.policy.table[others], policy.table[others], rtol=1e-14)
            for _ in range(5):
                pure = sc.Policy.from_weights(game, random.random(game.legal.shape)).greedy()
                changed = policy.replaced(player, pure)
                assert sc.expected_values(game, changed)[player] <= best.value + 1e-12

"""Every game passes these, whatever it is: adding one means adding it to GAMES."""

from __future__ import annotations

import numpy as np
import pytest

import smoothcall as sc
from smoothcall.kernels.tables import DECISION
from tests.conftest import GAMES, SMALL, built

games = pytest.mark.parametrize("spec", GAMES)


@games
def test_tree_is_well_formed(spec: str) -> None:
    tree = built(spec).tree
    nodes = np.arange(len(tree.kind))
    assert (tree.parent[1:] < nodes[1:]).all(), "children come after parents"
    assert (np.diff(tree.depth) >= 0).all(), "levels are contiguous"
    for node in tree.decisions:
        children = tree.child[node][tree.child[node] >= 0]
        assert len(children) >= 2
        assert (tree.parent[children] == node).all()
        assert (tree.child[node, tree.slot[children]] == children).all()
    assert (tree.child[tree.endings] == -1).all()
    assert ((tree.player >= 0) == (tree.kind == DECISION)).all()
    assert (tree.paid[1:] >= tree.paid[tree.parent[1:]]).all(), "chips are never taken back"


@games
def test_deals_are_a_distribution(spec: str) -> None:
    deals = built(spec).deals
    assert deals.weight.sum() == pytest.approx(1, abs=1e-12)
    assert (deals.weight > 0).all()
    for street, labels in enumerate(deals.labels):
        assert set(np.unique(deals.bucket[:, :, street])) == set(range(len(labels)))
    accept, alias = deals.alias
    drawn = np.bincount(alias, 1 - accept, deals.count) + accept
    np.testing.assert_allclose(drawn / deals.count, deals.weight, atol=1e-12)


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

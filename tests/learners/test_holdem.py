"""Neural fictitious self-play where deals are sampled: networks see cards, policies are tables over buckets."""

from __future__ import annotations

import numpy as np
import pytest

import smoothcall as sc
from smoothcall.information.sample_hands import SAMPLES
from smoothcall.learners import features
from smoothcall.learners.features import CardEncoder
from smoothcall.learners.networks import outputs
from smoothcall.learners.nfsp import NFSP
from tests.conftest import built

SMALLEST = "no-limit-holdem-32:stack=2000,menu=x1,grid=5/5/5"
SIZES = {"hands": 8, "moves": 500, "transitions": 500, "batch": 8, "hidden": 8, "every": 4, "eta": 0.5, "target": 8}


def learner(seed: int) -> NFSP:
    made = sc.solver("nfsp", built(SMALLEST), seed=seed, **SIZES)
    assert isinstance(made, NFSP)
    return made


@pytest.fixture(scope="module")
def learned() -> NFSP:
    solver = learner(3)
    solver.run(100)
    return solver


def test_runs_add_up_and_states_restore(learned: NFSP) -> None:
    parts, again = learner(3), learner(99)
    begun = parts.state()
    parts.run(25)
    again.restore(parts.state())
    again.run(75)
    assert again.nodes == learned.nodes
    for name, table in learned.tables().items():
        np.testing.assert_array_equal(again.tables()[name], table)
    np.testing.assert_array_equal(again.policy().weights, learned.policy().weights)
    np.testing.assert_array_equal(again.current_policy().weights, learned.current_policy().weights)
    assert all((begun[f"network {number}"] != learned.tables()[f"network {number}"]).any() for number in (0, 4, 8))


def test_getting_ready_changes_nothing() -> None:
    one, other = learner(1), learner(1)
    one.prepare()
    for name, table in one.tables().items():
        np.testing.assert_array_equal(other.tables()[name], table)


def test_memories_hold_what_was_seen(learned: NFSP) -> None:
    """Of each move: whose it was, an action that was legal there, cards of the street and no others."""
    tree, held = built(SMALLEST).tree, learned.tables()
    for player in (0, 1):
        count = int(held["transitions total"][player])
        assert 100 < count <= 500
        observations, after = (held[f"transitions {name}"][player, :count] for name in ("observations", "next_observations"))
        node = observations[:, 0]
        assert set(tree.round[node]) == {0, 1, 2, 3}
        assert (tree.player[node] == player).all()
        assert (tree.child[node, held["transitions action"][player, :count]] >= 0).all()
        np.testing.assert_array_equal((observations[:, 1:] >= 0).sum(axis=1), np.array([2, 5, 6, 7])[tree.round[node]])
        np.testing.assert_array_equal(observations[:, 1:3], after[:, 1:3])
        later = held["transitions moves_left"][player, :count] > 0
        assert (after[later, 0] > node[later]).all()
        assert abs(held["transitions won"][player, :count]).max() <= 2000


@pytest.mark.parametrize("env", [1 << 22, 8 * SAMPLES * 12, 8 * SAMPLES * 3], ids=["all", "some nodes", "some buckets"])
def test_policies_are_the_mean_over_hands_of_a_bucket(learned: NFSP, monkeypatch: pytest.MonkeyPatch, env: int) -> None:
    """As the networks say it of each hand at each node, one by one; whatever the size of the pieces."""
    monkeypatch.setattr(features, "MAX_UNITS", env)
    game, encoder, state = built(SMALLEST), learned._encoder, learned._state
    assert isinstance(encoder, CardEncoder)
    average = encoder.tabulate(learned._updates, state.policies, best=False)
    best = encoder.tabulate(learned._updates, state.values, best=True)
    random = np.random.default_rng(0)
    for node in [0, *random.choice(game.tree.decisions, 12)]:
        street, legal = int(game.tree.round[node]), game.tree.child[node] >= 0
        for bucket in {0, game.buckets[street] - 1, int(random.integers(game.buckets[street]))}:
            observations = np.full((SAMPLES, 8), node, np.int32)
            observations[:, 1:] = encoder.hands[street][bucket]
            said, values = (
                np.asarray(outputs(nets, encoder.encode(observations).features))[game.tree.player[node]]
                for nets in (state.policies, state.values)
            )
            likely = np.where(legal, np.exp(said), 0)
            row = game.tree.first_row[node] + bucket
            np.testing.assert_allclose(average[row], (likely / likely.sum(axis=1, keepdims=True)).mean(axis=0), atol=1e-5)
            chosen = np.where(legal, values, -np.inf).argmax(axis=1)
            np.testing.assert_allclose(best[row], np.bincount(chosen, minlength=len(legal)) / SAMPLES, atol=1e-6)
    for policy, table in ((learned.policy(), average), (learned.current_policy(), best)):
        assert policy.weights.dtype == np.uint8
        assert (policy.table[~game.legal] == 0).all()
        np.testing.assert_allclose(policy.table, table, atol=1 / 255)
    assert np.ptp(average, axis=0).max() > 0.01, "not the same everywhere"

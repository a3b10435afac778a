"""Batches counted by row and action give the updates of `NFSPUpdates`; and what else NFSP does with rows."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
import pytest

import smoothcall as sc
from smoothcall.kernels.learners import memory as kernels
from smoothcall.kernels.random import seeded
from smoothcall.learners.memory import MIN_RECENT, Moves, Transitions, draw_transitions, new_ring
from smoothcall.learners.networks import Network
from smoothcall.learners.nfsp import NFSP
from smoothcall.learners.nfsp_updates import NFSPUpdates
from smoothcall.learners.row_updates import RowUpdates
from tests.conftest import built
from tests.kernels.test_memory import one_move_each

ROWS, ACTIONS, BATCH, UPDATES = 9, 3, 40, 3
PLAYER = np.array([0, 1, 2, 0, 1, 0, 2, 0, 0])  # a player with 5 rows, two with 2


def tables(seed: int) -> tuple[np.ndarray, np.ndarray, Transitions, Moves]:
    """Features and legal actions of rows; batches in which every player moves at its own rows, some of them never."""
    random, shape = np.random.default_rng(seed), (UPDATES, 3, BATCH)
    features, legal = random.normal(size=(ROWS, 4)).astype(np.float32), random.random((ROWS, ACTIONS)) < 0.7
    legal[:, 1] = True
    own = [np.flatnonzero(player == PLAYER)[:4] for player in range(3)]
    rows = [np.stack([random.choice(own[player], (UPDATES, BATCH)) for player in range(3)], axis=1) for _ in range(3)]
    here, after, moved = (table.astype(np.int32) for table in rows)
    action = [np.array([random.choice(np.flatnonzero(legal[row])) for row in table.flat], np.int32) for table in (here, moved)]
    left = random.integers(0, 2, shape).astype(np.int32)
    won = random.normal(size=shape).astype(np.float32)
    return (
        features,
        legal,
        Transitions(here, action[0].reshape(shape), after, left, won),
        Moves(moved, action[1].reshape(shape)),
    )


@pytest.mark.parametrize(
    ("rule", "double"),
    [
        ("adam", True),
        *(pytest.param(*each, marks=pytest.mark.long) for each in (("sgd", False), ("adam", False), ("sgd", True))),
    ],
)
def test_counted_batches_give_the_same_updates(rule: str, double: bool) -> None:
    features, legal, transitions, moves = tables(3)
    options: dict[str, Any] = {"rule": rule, "value_rate": 0.2, "policy_rate": 0.3, "cool": 2.0, "double": double}
    one, other = NFSPUpdates(features, legal, **options), RowUpdates(features, legal, row_player=PLAYER, **options)
    state = one.begin(Network, (4, 5, ACTIONS), 3, seed=1)
    state = state._replace(target=one.begin(Network, (4, 5, ACTIONS), 3, seed=2).values)
    wanted, found = one.learn(state, transitions, moves), other.learn(state, transitions, moves)
    for before, alike, leaf in zip(*map(jax.tree.leaves, (state, wanted, found)), strict=True):
        np.testing.assert_allclose(leaf, alike, rtol=2e-4, atol=2e-5)
        assert alike.shape == before.shape
    assert not np.allclose(found.values.layers[0].weight, state.values.layers[0].weight)


@pytest.mark.parametrize("matrix", [pytest.param("columns", marks=pytest.mark.long), "diagonal"])
def test_actions_are_those_of_the_rows_observed(matrix: str) -> None:
    features, legal, _, _ = tables(4)
    options: dict[str, Any] = {"rule": "sgd", "value_rate": 0.1, "policy_rate": 0.1, "cool": 0.0, "double": False}
    one = NFSPUpdates(features, legal, matrix=matrix, **options)
    other = RowUpdates(features, legal, row_player=PLAYER, matrix=matrix, **options)
    state = one.begin(Network, (4, 5, ACTIONS), 3, seed=5)
    policy = np.concatenate([2 * PLAYER, 2 * PLAYER + 1, 6 + PLAYER]).astype(np.int8)  # all three modes at every row
    rows = np.tile(np.arange(ROWS, dtype=np.int32), 3)
    np.testing.assert_allclose(other.act(state, rows, policy, 0.1), one.act(state, rows, policy, 0.1), rtol=1e-5, atol=1e-6)


def test_large_batches_are_counted() -> None:
    """Leduc has 144 rows of each player."""
    for batch, kind in ((72, RowUpdates), (71, NFSPUpdates)):
        learner = sc.solver("nfsp", built("leduc"), batch=batch)
        assert isinstance(learner, NFSP)
        assert type(learner._updates) is kind


def test_recent_transitions_are_the_newest() -> None:
    """A tenth of 150,000 are the last 15,000, also where the ring wraps around; of 20,000 it would be fewer than the least."""
    for total, wanted in (
        (150_000, range(135_000, 150_000)),
        (20_000, range(20_000 - MIN_RECENT, 20_000)),
        (9_000, range(9_000)),
    ):
        ring, memory = new_ring(1, 40_000, 1, np.int32), np.zeros(1, np.int8)
        kernels.remember(one_move_each(np.arange(total)), memory, ring)
        drawn = np.unique(draw_transitions(ring, 4, 30_000, seeded(1)[0], recent=0.1).observations)
        assert (drawn.min() >= wanted[0], drawn.max() <= wanted[-1]) == (True, True)
        assert len(drawn) > 0.99 * len(wanted)


def test_the_reservoir_as_a_policy() -> None:
    """Frequencies of the moves kept; rows without any are uniform."""
    learner = sc.solver("nfsp", built("kuhn"), moves=50)
    assert isinstance(learner, NFSP)
    legal = learner.game.legal
    np.testing.assert_allclose(learner.reservoir_policy().table, legal / legal.sum(axis=1, keepdims=True))
    row = [int(np.flatnonzero(learner.game.row_player == player)[1]) for player in (0, 1)]
    first, second = np.flatnonzero(legal[row[0]])[:2]
    kept = learner._reservoir
    kept.observations[0, :4, 0], kept.action[0, :4], kept.total[0] = row[0], [first, first, second, first], 4
    kept.observations[1, :, 0], kept.action[1], kept.total[1] = row[1], np.flatnonzero(legal[row[1]])[0], 1000
    found = learner.reservoir_policy().table
    assert found[row[0], [first, second]].tolist() == [0.75, 0.25]
    assert found[row[1]].max() == 1


@pytest.mark.parametrize("imitate", ["greedy", "played"])
def test_exploration_is_imitated_or_not(imitate: str) -> None:
    """Best responses that never change, and explore in half of their moves."""
    learner = sc.solver("nfsp", built("kuhn"), imitate=imitate, value_rate=0, explore=0.5, fade=1e15, eta=0.5, hands=64)
    assert isinstance(learner, NFSP)
    learner.run(1000)
    best = learner.current_policy().table
    for observations, action, total in zip(*learner._reservoir, strict=True):
        greedy = best[observations[:total, 0], action[:total]] == 1
        assert total > 400
        assert greedy.mean() == 1 if imitate == "greedy" else 0.6 < greedy.mean() < 0.9


def test_rewards_in_other_units() -> None:
    """With a scale of 26, networks learn 1/26 of the chips; the target of a last move is the reward itself."""
    one, other = (sc.solver("nfsp", built("leduc"), scale=scale, hands=64, batch=64) for scale in (0, 26))
    for learner in (one, other):
        learner.run(200)
    for chips, scaled in zip(one._draw()[0].won.flat, other._draw()[0].won.flat, strict=True):
        assert scaled == pytest.approx(chips / 26)
    assert np.abs(one._draw()[0].won).max() > 4

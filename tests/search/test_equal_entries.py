"""What a best response does not walk: actions that the policy never takes, and betting whose values are known already."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import smoothcall as sc
from smoothcall.kernels.search.equal_entries import drop_equal_entries
from smoothcall.kernels.tables import DECISION, Array
from smoothcall.search import policy_response
from smoothcall.search.policy_betting import able_actions, number_betting
from smoothcall.search.policy_response import PolicyResponse
from tests.evaluation.test_exact_response import images, small

FLOP = images("TcTdJh")[0]


@cache
def forgetful() -> sc.Policy:
    """Return a policy that knows its cards, the street and its legal actions, but no chips, and raises by the least only."""
    game = small("x1+x2")
    tree, weights = game.tree, np.zeros(game.legal.shape)
    for node in tree.decisions.tolist():
        size, legal = game.buckets[tree.round[node]], tree.child[node] >= 0
        legal[3:] &= not legal[2]
        row = int(tree.first_row[node])
        weights[row : row + size] = (
            np.random.default_rng([int(tree.round[node]), *map(int, legal)]).random((size, len(legal))) * legal
        )
    return sc.Policy.from_weights(game, weights)


def values(policy: sc.Policy, monkeypatch: pytest.MonkeyPatch, **plain: Any) -> tuple[Array, int]:
    """Return (values of a flop, entries of later streets that are walked), with some functions replaced."""
    walked, drop = 0, policy_response.RangeSweep.drop_equal

    def counted(self: policy_response.RangeSweep, place: int, thread: int = 0) -> Array:
        nonlocal walked
        found = drop(self, place, thread)
        walked += int(self.buffers[thread][place].entry_reached.sum())
        return found

    with monkeypatch.context() as patch:
        patch.setattr(policy_response.RangeSweep, "drop_equal", counted)
        for name, function in plain.items():
            patch.setattr(policy_response, name, function)
        response = PolicyResponse(policy, policy.game.tree.child >= 0, double=True)
        return response.flop_values(FLOP)[0], walked


def test_equal_betting_is_walked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    found, walked = values(forgetful(), monkeypatch)
    plain, every = values(forgetful(), monkeypatch, number_betting=lambda policy, able, seat: np.arange(policy.game.tree.nodes))
    assert walked < every
    assert found == pytest.approx(plain, rel=1e-9, abs=1e-9)


def test_actions_that_are_never_taken_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    policy = forgetful()
    tree = policy.game.tree
    found, walked = values(policy, monkeypatch)
    plain, every = values(policy, monkeypatch, able_actions=lambda policy, allowed, seat: allowed)
    assert found == pytest.approx(plain, rel=1e-9, abs=1e-9)
    assert walked == every  # what is left out is never reached
    legal = tree.child >= 0
    for seat in range(2):
        able = able_actions(policy, legal, seat)
        kept = (tree.round == 0) | (tree.player == seat)
        assert (able == legal)[kept].all()
        for node in np.flatnonzero(~kept & (tree.kind == DECISION)).tolist():
            row = int(tree.first_row[node])
            plays = policy.weights[row : row + policy.game.buckets[tree.round[node]]]
            assert (able[node] == plays.any(axis=0)).all()


def alike(policy: sc.Policy, node: int, able: Array, seat: int) -> Any:
    """Return what may happen behind a node, as a nested tuple."""
    tree = policy.game.tree
    if tree.kind[node] != DECISION:
        return int(tree.kind[node]), int(tree.paid[node].min()), int(tree.alive[node])  # an uncalled bet comes back
    row, player = int(tree.first_row[node]), int(tree.player[node])
    plays = b"" if player == seat else policy.weights[row : row + policy.game.buckets[tree.round[node]]].tobytes()
    moves = [(int(slot), alike(policy, int(tree.child[node, slot]), able, seat)) for slot in np.flatnonzero(able[node])]
    return player, int(tree.round[node]), plays, tuple(moves)


def test_betting_has_equal_numbers_where_all_that_follows_is_equal() -> None:
    policy = forgetful()
    tree = policy.game.tree
    nodes = [node for node in np.flatnonzero(tree.round >= 2).tolist() if tree.kind[node] == DECISION]
    able = able_actions(policy, tree.child >= 0, 1)
    numbers = number_betting(policy, able, 1)[nodes]
    seen = [alike(policy, node, able, 1) for node in nodes]
    equal = np.array([[one == other for other in seen] for one in seen])
    assert (equal == (numbers[:, None] == numbers)).all()
    assert equal.sum() > 3 * len(nodes)


@pytest.mark.parametrize("factor", [np.ones, np.zeros], ids=["sums", "all collide"])
def test_entries_are_equal_where_every_bit_of_the_reach_is(factor: Any) -> None:
    rng = np.random.default_rng(1)
    reach = rng.integers(0, 2, (60, 3)).astype(np.float32)
    behind, reached = rng.integers(-1, 3, 60).astype(np.int32), rng.random(60) < 0.8
    before, same = reached.copy(), np.zeros(60, np.int32)
    drop_equal_entries(behind, reach.view(np.uint32), factor((2, 3), np.uint32), reached, np.zeros(128, np.int32), same)
    first: dict[tuple[Any, ...], int] = {}
    for entry in range(60):
        shared = before[entry] and behind[entry] >= 0
        expected = first.setdefault((behind[entry], *reach[entry]), entry) if shared else entry
        assert (same[entry], reached[entry]) == (expected, before[entry] and expected == entry)
    assert (before & ~reached).sum() > 5

"""Packed rows: the table comes back as it was, and arrays that are not packed rows are refused."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import smoothcall as sc
from benchmarks.built_in_agents import simplified
from smoothcall.errors import DamagedFile
from smoothcall.information.packed_rows import DISTINCT, HIGH, LOW, MAX_DISTINCT, pack, unpack
from smoothcall.kernels.tables import Array
from tests.conftest import built


@given(arrays(np.uint8, st.tuples(st.integers(1, 40), st.integers(1, 8)), elements=st.integers(0, 3)))
def test_the_table_comes_back(table: Array) -> None:
    packed = pack(table)
    assert packed is not None
    np.testing.assert_array_equal(unpack(packed, table.shape[1]), table)
    assert len(packed[DISTINCT]) == len(np.unique(table, axis=0))
    count = np.bincount(packed[LOW], minlength=1)
    assert (np.diff(count) <= 0).all(), "the most frequent rows come first"


def test_tables_that_are_not_packed() -> None:
    assert pack(np.zeros((5, 9), np.uint8)) is None
    every = np.arange(MAX_DISTINCT + 1, dtype="<u4").view(np.uint8).reshape(-1, 4)
    assert pack(every) is None
    packed = pack(every[:-1])
    assert packed is not None
    assert packed[HIGH].max() == 255
    np.testing.assert_array_equal(unpack(packed, 4), every[:-1])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({LOW: np.array([0, 2], np.uint8)}, "row 2 of 2 distinct rows"),
        ({HIGH: np.array([0, 1], np.uint8)}, "row 257 of 2 distinct rows"),
        ({DISTINCT: np.zeros((0, 3), np.uint8)}, "row 1 of 0 distinct rows"),
        ({HIGH: np.zeros(3, np.uint8)}, "of the shapes (2, 3), (2,) and (3,)"),
        ({DISTINCT: np.zeros((2, 4), np.uint8)}, "of the shapes (2, 4)"),
        ({LOW: np.array([0.0, 1.0])}, "hold uint8, float64 and uint8"),
    ],
)
def test_arrays_that_are_refused(change: dict[str, Array], said: str) -> None:
    good = {DISTINCT: np.zeros((2, 3), np.uint8), LOW: np.array([0, 1], np.uint8), HIGH: np.zeros(2, np.uint8)}
    assert unpack(good, 3).shape == (2, 3)
    with pytest.raises(DamagedFile, match=re.escape(said)):
        unpack(good | change, 3)


def test_agent_files_of_quantised_policies_are_packed(tmp_path: Path) -> None:
    game = built("no-limit-holdem-32:menu=x2+x4,grid=10/10/10")
    weights = np.random.default_rng(1).random((game.tree.rows, len(game.actions)))
    policy, path = sc.Policy.from_weights(game, weights).rounded(15), tmp_path / "coarse.agent"
    policy.save(path)
    with zipfile.ZipFile(path) as archive:
        assert set(archive.namelist()) == {"card.json", "distinct.npy", "low.npy", "high.npy"}
        parts = {name: archive.read(name) for name in archive.namelist()}
    np.testing.assert_array_equal(sc.load(path, game).weights, policy.weights)
    assert sc.load(path, game).card["rounded"] == 15
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("card.json", "distinct.npy", "low.npy"):
            archive.writestr(name, parts[name])
    with pytest.raises(sc.UsageError, match=r"damaged one .'high\.npy' is missing"):
        sc.load(path, game)


def test_rounded_policies_are_near_and_whole() -> None:
    game = built("no-limit-holdem-32:menu=x2+x4,grid=10/10/10")
    policy = sc.Policy.from_weights(game, np.random.default_rng(2).random((game.tree.rows, len(game.actions))), {"results": {}})
    coarse = policy.rounded(15)
    assert (coarse.weights % 17 == 0).all()
    assert abs(coarse.table - policy.table).max() < 1 / 15
    assert coarse.card == {"rounded": 15}
    np.testing.assert_array_equal(coarse.rounded(15).weights, coarse.weights)
    np.testing.assert_array_equal(policy.rounded(255).weights, policy.weights)
    for parts in (0, 16):
        with pytest.raises(sc.UsageError, match=r"parts \(accepted where deals are sampled: divisors of 255"):
            policy.rounded(parts)


def test_simplified_policies_keep_what_is_often_reached() -> None:
    """Where little is reached, five neighbouring buckets have the likeliest action of all their reach."""
    game = built("no-limit-holdem-32:menu=x2+x4,grid=10/10/10")
    legal = sc.Policy.uniform(game).weights > 0
    average = np.random.default_rng(3).random(legal.shape) ** 8 * legal
    average[-10:-5] = 0
    policy = sc.Policy.from_weights(game, average)
    found, reach = simplified(policy, average, 0.8), average.sum(axis=1)
    changed = (found.weights != policy.weights).any(axis=1)
    assert reach[changed].sum() < 0.2 * reach.sum()
    assert reach[changed].max() <= reach[~changed & (reach > 0)].max()
    assert not changed[: game.buckets[0]].any()
    assert not changed[-10:-5].any()
    one = (found.weights == policy.scale).sum(axis=1) == 1
    assert one[changed].all()
    block = average[-5:].sum(axis=0)
    assert all(row.argmax() == block.argmax() for row in found.weights[-5:][changed[-5:]])
    assert changed[-5:].any()

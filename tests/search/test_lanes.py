"""Lanes: as NumPy computes them, compiled and interpreted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from smoothcall.kernels import uncached
from smoothcall.kernels.search.lanes import (
    FOUR,
    ONE,
    THREE,
    TWO,
    Wide,
    choose,
    count_lanes,
    fill,
    fill_wide,
    first_blocks,
    load,
    load_whole,
    load_wide,
    prefetch,
    store,
    transpose,
)
from smoothcall.kernels.tables import Array


@uncached
def _compute(array: Array, number: Any) -> None:
    value, other = load(array, 0), fill(array, number)
    store(array, 1, choose(value, value / other, other) - value * other + value)


@uncached
def _add_whole(array: Array, table: Array) -> None:
    store(array, 0, load(array, 0) + load_whole(array, table, 1))


@uncached
def _transpose(source: Array, blocks: Array, first: int, target: Array, places: Array, start: int) -> None:
    transpose(source, blocks, first, target, places, start)


@pytest.mark.interpreted
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_lanes(dtype: Any) -> None:
    lanes, random = count_lanes(dtype), np.random.default_rng(0)
    array = random.normal(size=3 * lanes).astype(dtype)
    array[0] = 0
    first, last = array[:lanes].copy(), array[2 * lanes :].copy()
    _compute(array, dtype(2))
    assert array[lanes : 2 * lanes] == pytest.approx(np.where(first > 0, first / 2, 2) - 2 * first + first, rel=1e-6)
    assert np.array_equal(array[2 * lanes :], last)
    whole = random.integers(-128, 128, 2 * lanes).astype(np.int8)
    _add_whole(array, whole)
    assert array[:lanes] == pytest.approx(first + whole[lanes:], rel=1e-6)
    source, target = random.normal(size=(40, lanes)).astype(dtype), np.zeros((50, lanes), dtype)
    blocks, places = random.permutation(40)[:lanes], random.permutation(50)[:lanes]
    _transpose(source, blocks - 2, 2, target, places - 3, 3)
    assert np.array_equal(target[places], source[blocks].T)
    assert not target[np.setdiff1d(np.arange(50), places)].any()


@uncached
def _compute_wide(array: Array, number: Any, wide: Wide, few: Wide) -> None:
    prefetch(array, -1)  # no error: it is a hint
    value, other = load_wide(array, 1, wide), fill_wide(array, number, wide)
    store(array, 0, first_blocks(choose(value, value / other, other) - value * other, few))


@pytest.mark.interpreted
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("wide", "few"), [(TWO, ONE), (FOUR, ONE), (FOUR, FOUR), (THREE, ONE)])
def test_several_blocks_at_once(dtype: Any, wide: Wide, few: Wide) -> None:
    count, kept = (len(each) * count_lanes(dtype) for each in (wide, few))
    array = np.random.default_rng(0).normal(size=2 * count + 1).astype(dtype)
    before, value = array.copy(), array[count : count + kept].copy()
    _compute_wide(array, dtype(2), wide, few)
    assert array[:kept] == pytest.approx(np.where(value > 0, value / 2, 2) - 2 * value, rel=1e-6)
    assert np.array_equal(array[kept:], before[kept:])


@pytest.mark.interpreted
def test_half_precision() -> None:
    """Numbers of 16 bits are rounded to the nearest as NumPy rounds them."""
    lanes, random = count_lanes(np.uint16), np.random.default_rng(0)
    assert lanes == count_lanes(np.float32)
    array = (random.normal(size=2 * lanes) * 10.0 ** random.integers(-6, 4, 2 * lanes)).astype(np.float16)
    value = array[:lanes].astype(np.float32)
    _compute(array.view(np.uint16), np.float32(2))
    assert np.array_equal(array[lanes:], (np.where(value > 0, value / 2, 2) - 2 * value + value).astype(np.float16))

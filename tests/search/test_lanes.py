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
def _add(array: Array, more: Array, blocks: int) -> None:
    for block in range(blocks):
        store(array, block, load(array, block) + load(more, block))


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
    """Numbers of 16 bits are rounded up or down, and numbers that 16 bits hold stay as they are."""
    lanes, random = count_lanes(np.uint16), np.random.default_rng(0)
    assert lanes == count_lanes(np.float32)
    for _ in range(20):
        array = (random.normal(size=2 * lanes) * 10.0 ** random.integers(-7, 4, 2 * lanes)).astype(np.float16)
        value = array[:lanes].astype(np.float32)
        _compute(array.view(np.uint16), np.float32(2))
        exact = np.where(value > 0, value / 2, 2) - 2 * value + value
        nearest = exact.astype(np.float16)
        beyond = np.nextafter(nearest, np.where(exact > nearest, np.inf, -np.inf).astype(np.float16))
        assert ((array[lanes:] == nearest) | (array[lanes:] == beyond)).all()
        held = exact == nearest
        assert np.array_equal(array[lanes:][held], nearest[held])


@pytest.mark.interpreted
@pytest.mark.parametrize("start", [1000.0, 2.0**-15])
def test_sums_of_half_precision_are_right_on_average(start: float) -> None:
    """What is added is a fifth of the step between numbers of 16 bits: rounded to the nearest, the sums would stay."""
    random, lanes = np.random.default_rng(0), 8 * count_lanes(np.uint16)
    sums = np.full(lanes, start, np.float16)
    step, first = float(np.spacing(sums[0])), sums.astype(np.float64)
    added = np.zeros(lanes)
    for _ in range(200):
        more = (step / 5 * random.uniform(0.9, 1.1, lanes)).astype(np.float32)
        _add(sums.view(np.uint16), more, 8)
        added += more
    assert (sums.astype(np.float64) - first).mean() == pytest.approx(added.mean(), rel=0.05)

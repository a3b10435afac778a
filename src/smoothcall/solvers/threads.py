"""What solvers on several threads share: types of tables, shares of the work, and batches of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from smoothcall.kernels.tables import Array

FLOAT64_ROWS = 20_000_000  # tables of more rows are float32
DEALS = 16384  # sampled at a time, before they are played


def table_type(rows: int) -> np.dtype[Any]:
    """Return the type of tables with this many rows: float64, or float32 to save memory."""
    return np.dtype(np.float64 if rows <= FLOAT64_ROWS else np.float32)


def padded_copy(array: Array) -> Array:
    """Return a copy of a small array on cache lines of its own: threads that write to the same line wait for each other."""
    padded = np.zeros(array.size + 32, array.dtype)
    copy: Array = padded[16 : 16 + array.size].reshape(array.shape)
    copy[...] = array
    return copy


def on_threads(work: Callable[[int, int], int], threads: int, count: int) -> int:
    """Call `work(thread, share of count)` on all threads at once. Return the sum of the results."""
    if threads == 1:
        return work(0, count)
    shares = [count // threads + (thread < count % threads) for thread in range(threads)]
    with ThreadPoolExecutor(threads) as pool:
        return sum(pool.map(work, range(threads), shares))


def batches(count: int, size: int) -> Iterator[int]:
    """Yield the sizes of batches that add up to `count`; one batch of 0 for none, so that kernels are loaded."""
    yield min(count, size)
    for done in range(size, count, size):
        yield min(count - done, size)

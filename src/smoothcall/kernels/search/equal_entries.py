"""Entries of a street with equal betting behind them that the opponent comes to with equal ranges: they have equal values."""

from __future__ import annotations

import numpy as np

from smoothcall.kernels import callee, kernel
from smoothcall.kernels.tables import Array


@kernel
def drop_equal_entries(behind: Array, bits: Array, factor: Array, reached: Array, table: Array, same: Array) -> None:
    """Write to same[E] the first entry that is equal to each; the others are not reached any more.

    behind[E] int32 numbers the betting behind entries, -1 where no other entry has it. bits[E, W] uint32 are the bits of the
    opponent's reach, factor[2, W] odd numbers that mix them, table[2 ** n] int32 a buffer for more than twice as many entries.
    """
    table[:] = -1
    last = np.uint64(len(table) - 1)
    for entry in range(len(behind)):
        same[entry] = entry
        if not reached[entry] or behind[entry] < 0:
            continue
        place = _mix(behind[entry], bits[entry], factor) & last
        while table[place] >= 0:
            other = table[place]
            if behind[other] == behind[entry] and np.array_equal(bits[other], bits[entry]):
                same[entry], reached[entry] = other, False
                break
            place = (place + np.uint64(1)) & last
        if same[entry] == entry:
            table[place] = entry


@callee
def _mix(behind: int, bits: Array, factor: Array) -> np.uint64:
    """Return a number that differs between most entries."""
    one, other = np.uint32(behind), np.uint32(0)
    for n in range(len(bits)):
        one = np.uint32(one + bits[n] * factor[0, n])
        other = np.uint32(other + bits[n] * factor[1, n])
    return (np.uint64(one) << np.uint64(29)) ^ np.uint64(other)

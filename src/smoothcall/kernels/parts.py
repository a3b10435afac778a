"""Tables that threads learn together: each writes a part of its own, their sum is what all know.

A thread works on a copy of the sum and renews it now and then, reading the others' parts as they stand. Nothing is lost,
because nobody writes another's part, and nobody waits for another's cache lines, as threads that share a small table do all
the time. The price is that what the others learn is seen a little later: too late, and all learn the same thing twice.
"""

from __future__ import annotations

from smoothcall.kernels import kernel
from smoothcall.kernels.tables import Array


@kernel
def add_up(parts: Array, total: Array) -> None:
    """parts[threads, ...] -> total[...]"""
    total[:] = parts[0]
    for thread in range(1, len(parts)):
        total += parts[thread]


@kernel
def put_down(part: Array, table: Array, before: Array) -> None:
    """Add to a thread's part what its copy has learned since it was made."""
    part += table - before


@kernel
def until_renewal(cells: int, known: int, left: int) -> int:
    """How many iterations until the next renewal of a table of so many cells, with `known` iterations in it.

    A small share of what is known, so that nobody misses much: more than 1 in 2000 was seen to do harm. Within that, as
    seldom as renewing a table of this size asks for.
    """
    return min(max(max(16, cells // 16), min(known // 2048, 4 * cells)), left)

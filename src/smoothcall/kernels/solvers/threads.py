"""Per-thread tables that threads learn together: each thread writes its own, and all know their sum.

A thread works on a copy of the sum and renews it from time to time, reading the others' tables as they stand. Nothing is lost,
because no thread writes another's table; and no thread waits for another's cache lines, as threads that share one small table
do all the time. The price is a delay: with too long a delay, all threads learn the same thing twice.
"""

from __future__ import annotations

from smoothcall.kernels import callee


@callee
def until_renewal(cells: int, known: int, left: int) -> int:
    """Return the number of iterations until the next renewal of a table of `cells` cells that holds `known` iterations.

    1/2048 of `known`: a longer delay slowed learning in measurements. Between cells / 16 and 4 * cells, because a renewal costs
    time proportional to the cells: below it would cost too much, above it costs next to nothing. Never more than `left`.
    """
    return min(max(max(16, cells // 16), min(known // 2048, 4 * cells)), left)

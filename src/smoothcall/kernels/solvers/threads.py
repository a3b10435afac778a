"""Tables that threads learn together: each writes a part of its own, their sum is what all know.

A thread works on a copy of the sum and renews it now and then, reading the others' parts as they stand. Nothing is lost,
because nobody writes another's part, and nobody waits for another's cache lines, as threads that share a small table do all
the time. The price is that what the others learn is seen a little later: too late, and all learn the same thing twice.
"""

from __future__ import annotations

from smoothcall.kernels import kernel


@kernel
def until_renewal(cells: int, known: int, left: int) -> int:
    """How many iterations until the next renewal of a table of so many cells, with `known` iterations in it.

    A small share of what is known, so that nobody misses much: more than 1 in 2000 was seen to do harm. Within that, as
    seldom as renewing a table of this size asks for.
    """
    return min(max(max(16, cells // 16), min(known // 2048, 4 * cells)), left)

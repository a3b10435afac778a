"""Copies and sums of vectors as loops.

Where an array is assigned to a slice (`into[:] = source`), Numba compiles the text of an error for shapes that differ: two
seconds in every process that compiles such a kernel. Vectors here have the length that the caller says they have.
"""

from __future__ import annotations

from smoothcall.kernels import inlined
from smoothcall.kernels.tables import Array


@inlined
def copy(source: Array, into: Array) -> None:
    """Write `source` to the beginning of `into`."""
    for place in range(len(source)):
        into[place] = source[place]


@inlined
def add(source: Array, into: Array) -> None:
    """Add `source` to the beginning of `into`."""
    for place in range(len(source)):
        into[place] += source[place]

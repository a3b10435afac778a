"""A quantised table as its distinct rows and, for each row, which of them it is: smaller in a file than the table itself.

The distinct rows are in order of their frequency. The two bytes of a row's number are kept apart, so that compression finds
the high bytes, which are mostly 0, together.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from smoothcall.errors import DamagedFile
from smoothcall.kernels.tables import Array

MAX_DISTINCT = 1 << 16
MAX_ACTIONS = 8  # bytes of a row that fit in one number
DISTINCT, LOW, HIGH = "distinct", "low", "high"  # names of the arrays


def pack(table: Array) -> dict[str, Array] | None:
    """Return the arrays of a table [rows, A] uint8 by name; None where it has too many actions or distinct rows."""
    rows, actions = table.shape
    if actions > MAX_ACTIONS:
        return None
    wide = np.zeros((rows, MAX_ACTIONS), np.uint8)
    wide[:, :actions] = table
    _, first, number, count = np.unique(wide.view("<u8")[:, 0], return_index=True, return_inverse=True, return_counts=True)
    if len(first) > MAX_DISTINCT:
        return None
    order = np.argsort(-count, kind="stable")
    place = np.empty(len(order), np.uint16)
    place[order] = np.arange(len(order))
    found = place[number]
    return {DISTINCT: table[first[order]], LOW: (found & 255).astype(np.uint8), HIGH: (found >> 8).astype(np.uint8)}


def unpack(arrays: Mapping[str, Array], actions: int) -> Array:
    """Return the table [rows, actions] uint8 of packed arrays, whose sizes and types are checked."""
    distinct, low, high = arrays[DISTINCT], arrays[LOW], arrays[HIGH]
    if any(array.dtype != np.uint8 for array in arrays.values()):
        raise DamagedFile(f"packed rows hold {distinct.dtype}, {low.dtype} and {high.dtype} (accepted: uint8)")
    if distinct.shape != (len(distinct), actions) or low.shape != high.shape or low.ndim != 1:
        raise DamagedFile(f"packed rows of the shapes {distinct.shape}, {low.shape} and {high.shape}")
    number = low | high.astype(np.uint16) << 8
    if int(number.max(initial=0)) >= len(distinct):
        raise DamagedFile(f"row {int(number.max(initial=0))} of {len(distinct)} distinct rows")
    table: Array = distinct[number]
    return table

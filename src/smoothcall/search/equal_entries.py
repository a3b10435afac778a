"""Entries of a street that need not be walked, because their values are those of another one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from smoothcall.kernels.search.equal_entries import drop_equal_entries
from smoothcall.kernels.tables import Array


class EqualEntries(NamedTuple):
    """Which entries of a street are walked once for several, on the board that a thread is on."""

    behind: Array  # [E] int32: the number of the betting behind an entry, -1 where no other entry has it; or [0]: all differ
    table: Array  # [2 ** n] int32
    factor: Array  # [2, W] uint32
    same: Array  # [E] int32: the entry whose values each has

    @classmethod
    def of(cls, behind: Array, reach: Array) -> EqualEntries:
        """Return the buffers for entries with betting of these numbers behind them that are reached with reach[E, W]."""
        _, number, count = np.unique(behind, return_inverse=True, return_counts=True)
        shared = count[number] > 1
        kept = np.where(shared, behind, -1).astype(np.int32)[: len(behind) if shared.any() else 0]
        table = np.zeros(1 << (2 * len(kept)).bit_length(), np.int32)
        odd = np.random.default_rng(0).integers(1 << 31, size=(2, reach.view(np.uint32).shape[1]), dtype=np.uint32) * 2 + 1
        return cls(kept, table, odd.astype(np.uint32), np.arange(len(behind), dtype=np.int32))

    def drop(self, reach: Array, reached: Array) -> None:
        """Leave one of the entries that have equal betting behind them and equal reach[E, W]."""
        if len(self.behind):
            drop_equal_entries(self.behind, reach.view(np.uint32), self.factor, reached, self.table, self.same)

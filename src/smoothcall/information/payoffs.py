"""Pay-off tables: chips of every player at every ending of the action tree, for every showdown outcome."""

from __future__ import annotations

import numpy as np

from smoothcall.information.tree import ActionTree
from smoothcall.kernels.information.payoffs import settle_deals
from smoothcall.kernels.tables import Array
from smoothcall.memory import verify_memory


def poker_payoffs(tree: ActionTree, strengths: Array, name: str) -> tuple[Array, Array]:
    """Return ([N] int32 table index, -1 at decisions; [tables, outcomes, P] float64 chips).

    strengths[outcomes, P]: one deal of each showdown outcome, the higher wins. Endings with equal contributions and equal
    players left in the hand share a table. `name` is the game's, for the error.
    """
    players = tree.players
    verify_memory(len(tree.endings) * (8 * players + 60), f"pay-offs of the {len(tree.endings):,} endings of {name}")
    index = np.full(tree.nodes, -1, np.int32)
    distinct, index[tree.endings] = unique_rows(np.column_stack([tree.alive[tree.endings], tree.paid[tree.endings]]))
    tables = np.empty((len(distinct), len(strengths), players))
    for table, (alive, *paid) in zip(tables, distinct, strict=True):
        settle_deals(np.array(paid, np.int64), int(alive), strengths, table)
    return index, tables


def matrix_payoffs(tree: ActionTree) -> tuple[Array, Array]:
    """Return the pay-offs that the endings of a matrix game carry, in the form of `poker_payoffs` with one outcome."""
    index = np.full(tree.nodes, -1, np.int32)
    index[tree.endings] = np.arange(len(tree.endings))
    return index, tree.payoff[tree.endings][:, None, :]


def unique_rows(table: Array) -> tuple[Array, Array]:
    """Return (distinct rows int64, index of each row among them). Rows are ordered by the last column first.

    Sorts one int64 per row, which is faster than `np.unique(axis=0)`. Columns are packed into it from the last to the first;
    where the next column would not fit, the codes so far are replaced by their ranks.
    """
    code, values = np.zeros(len(table), np.int64), 1
    for column in table.T[::-1].astype(np.int64):
        low, span = int(column.min()), int(np.ptp(column)) + 1
        if values * span >= 2**63:
            distinct, code = np.unique(code, return_inverse=True)
            values = len(distinct)
        code = code * span + (column - low)
        values *= span
    _, first, index = np.unique(code, return_index=True, return_inverse=True)
    return table[first].astype(np.int64), index

"""Adding up what workers have learned since they last had the same tables.

Every worker starts a round with the team's tables and changes some rows. Rows that one worker changed are taken from it as they
are, so one worker alone learns bit for bit what it would learn without a team. Rows that several changed are added up, in the
order of the workers: visits, returns and averages are sums, a mean return is weighted by visits.

Regrets of several workers are old to each other: all of them correct the same mistakes, and the sum of their corrections
overshoots. Their changes are therefore divided by the number of workers that changed the row, to the power REGRET_POWER.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from smoothcall.kernels.cluster import merging as kernels
from smoothcall.kernels.tables import Array

REGRET_POWER = 1.0  # 0: sums of changes; 1: their mean. docs/scaling.md has the measurements
OWN = ("generators", "dealers")  # tables that belong to one worker
BLOCK = 1 << 14  # rows of a table that are added up at a time
Rows = tuple[Array, Array]  # (numbers of rows, ascending, int32; their values); read-only


@dataclass(frozen=True, slots=True)
class Change:
    """What a worker has learned in one step. Only the rows that differ from the tables it started with are listed."""

    worker: int
    number: int  # of the step
    rows: dict[str, Rows]  # by table; `mean` has the rows of `visits`
    own: dict[str, Array]
    visited: int  # nodes

    @property
    def nbytes(self) -> int:
        return sum(index.nbytes + values.nbytes for index, values in self.rows.values())


def as_rows(table: Array) -> Array:
    """Return a table as [rows, columns]; a view."""
    return table[:, None] if table.ndim == 1 else table if table.ndim == 2 else table.reshape(-1, table.shape[-1])


def shared_tables(tables: Mapping[str, Array]) -> dict[str, Array]:
    """Return the tables that workers learn together, as [rows, columns]."""
    return {name: as_rows(table) for name, table in tables.items() if name not in OWN}


def changed_rows(before: Mapping[str, Array], now: Mapping[str, Array]) -> dict[str, Rows]:
    """Return the rows of every table that differ, and give them back the values they had before."""
    found = dict[str, Rows]()
    for name in [name for name in now if name != "mean"]:
        rows = np.empty(len(now[name]), np.int32)
        rows = rows[: kernels.list_changed(before[name], now[name], rows)].copy()
        for each in _together(now, name):  # a mean changes where visits do
            values = np.empty((len(rows), now[each].shape[1]), now[each].dtype)
            kernels.take_back(before[each], now[each], rows, values)
            found[each] = _read_only(rows), _read_only(values)
    return found


def _together(tables: Mapping[str, Array], name: str) -> tuple[str, ...]:
    """Return the names of the tables whose rows change with those of a table."""
    return ("visits", "mean") if name == "visits" and "mean" in tables else (name,)


def _read_only(array: Array) -> Array:
    """Return an array that cannot be written to, like those that come from other processes."""
    array.flags.writeable = False
    return array


def merge(tables: Mapping[str, Array], changes: Sequence[Change]) -> dict[str, Array]:
    """Add the changes of all workers to tables. Return the numbers of the rows that changed, ascending, by table."""
    changed = dict[str, Array]()
    for name in [name for name in tables if name != "mean"]:
        names = _together(tables, name)
        if len(changes) == 1:
            for each in names:
                kernels.set_rows(tables[each], *changes[0].rows[each])
            rows = changes[0].rows[name][0]
        else:
            rows = _merge(tables, names, changes)
        changed |= dict.fromkeys(names, rows)
    return changed


def copy_rows(source: Mapping[str, Array], tables: Mapping[str, Array], rows: Mapping[str, Array]) -> None:
    """Copy rows from one set of tables to another. rows: numbers, by table."""
    for name, numbers in rows.items():
        kernels.copy_rows(source[name], tables[name], numbers)


def _merge(tables: Mapping[str, Array], names: Sequence[str], changes: Sequence[Change]) -> Array:
    """Add changes to a table, or to visits and means. Return the rows that changed."""
    table = tables[names[0]]
    rows, columns = table.shape
    given = [(change.rows[names[0]][0], *(change.rows[name][1] for name in names)) for change in changes]
    starts = range(0, rows, BLOCK)
    ends = [np.searchsorted(change[0], [*starts, rows]).tolist() for change in given]
    power = REGRET_POWER if names[0] == "regret" else 0.0
    weights = 1.0 / np.maximum(np.arange(len(changes) + 1), 1) ** power
    changed, several = np.empty(rows + 1, np.int32), np.empty(BLOCK + 1, np.int32)
    sums, count = np.empty((len(names), BLOCK, columns)), 0
    for number, start in enumerate(starts):
        some = [tuple(each[end[number] : end[number + 1]] for each in change) for change, end in zip(given, ends, strict=True)]
        workers = np.zeros(min(BLOCK, rows - start), np.int32)
        for change in some:
            kernels.count_changes(change[0], start, workers)
        count, shared = kernels.list_rows(workers, start, changed, count, several)
        if len(names) == 2:
            _add_means((table, tables[names[1]]), some, start, workers, several[:shared], sums)
        else:
            _add_sums(table, some, start, workers, several[:shared], weights, sums[0])
    return _read_only(changed[:count].copy())


def _add_sums(
    table: Array, changes: Sequence[Any], start: int, workers: Array, several: Array, weights: Array, total: Array
) -> None:
    """Add changes (rows, values) to a block of a table."""
    kernels.begin_sums(table, start, several, total)
    for rows, values in changes:
        kernels.add_sums(table, rows, values, start, workers, weights, total)
    kernels.end_sums(table, start, several, total)


def _add_means(
    both: tuple[Array, Array], changes: Sequence[Any], start: int, workers: Array, several: Array, sums: Array
) -> None:
    """Add changes (rows, visits, means) to a block of both tables: visits, and returns as visits * mean.

    A worker whose float32 visits reached their limit has halved a row: its changes are against half of what it started with,
    and the row of the team is halved too. Visits in float64 have no limit.
    """
    halved = np.zeros(len(workers), bool)
    if both[0].dtype == np.float32:
        for rows, visits, _ in changes:
            kernels.mark_halved(both[0], rows, visits, start, halved)
    kernels.begin_returns(*both, start, several, halved, *sums)
    for rows, visits, mean in changes:
        kernels.add_returns(*both, rows, visits, mean, start, workers, halved, *sums)
    kernels.end_returns(*both, start, several, *sums)

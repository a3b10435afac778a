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

import numpy as np

from smoothcall.kernels.cluster import merging as kernels
from smoothcall.kernels.tables import Array

REGRET_POWER = 1.0  # 0: sums of changes; 1: their mean. docs/scaling.md has the measurements
OWN = ("generators", "dealers")  # tables that belong to one worker
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


def set_rows(tables: Mapping[str, Array], changes: Mapping[str, Rows]) -> None:
    for name, (rows, values) in changes.items():
        kernels.set_rows(tables[name], rows, values)


def merge(tables: Mapping[str, Array], changes: Sequence[Change]) -> dict[str, Rows]:
    """Add the changes of all workers to the team's tables. Return the rows that changed, with their new values."""
    told = dict[str, Rows]()
    for name in [name for name in tables if name != "mean"]:
        names = _together(tables, name)
        if len(changes) == 1:
            alone = {each: changes[0].rows[each] for each in names}
            set_rows(tables, alone)
            told |= alone
        else:
            rows = _merge(tables, names, changes)
            told |= {each: (rows, _read_only(tables[each][rows])) for each in names}
    return told


def _merge(tables: Mapping[str, Array], names: Sequence[str], changes: Sequence[Change]) -> Array:
    """Add changes to a table, or to visits and means. Return the rows that changed."""
    table = tables[names[0]]
    place = np.zeros(len(table), np.int32)
    for change in changes:
        kernels.count_changes(change.rows[names[0]][0], place)
    changed, several, workers = np.empty((3, len(table)), np.int32)
    count, shared = kernels.list_places(place, changed, several, workers)
    several, workers = several[:shared], workers[:shared]
    if len(names) == 2:
        _merge_means(tables, changes, place, several)
    else:
        before, weight = table[several].astype(np.float64), np.ones(shared)
        if names[0] == "regret":
            weight /= workers**REGRET_POWER
        total = before.copy()
        for change in changes:
            kernels.add_sums(*change.rows[names[0]], place, before, weight, total)
        table[several] = total
    for change in changes:
        for name in names:
            kernels.set_alone(tables[name], *change.rows[name], place)
    return _read_only(changed[:count].copy())


def _merge_means(tables: Mapping[str, Array], changes: Sequence[Change], place: Array, several: Array) -> None:
    """Add visits, and returns as visits * mean, of rows that several workers changed.

    A worker whose float32 visits reached their limit has halved a row: its changes are against half of what it started with,
    and the row of the team is halved too.
    """
    visits, mean = (tables[name][several].astype(np.float64) for name in ("visits", "mean"))
    halved = np.zeros(len(several), bool)
    for change in changes:
        kernels.mark_halved(*change.rows["visits"], place, visits, halved)
    scale = np.where(halved, 0.5, 1.0)[:, None]
    total, returns = visits * scale, np.where(visits > 0, visits * np.where(visits > 0, mean, 0.0), 0.0) * scale
    for change in changes:
        kernels.add_returns(*change.rows["visits"], change.rows["mean"][1], place, visits, mean, halved, total, returns)
    kernels.set_means(tables["visits"], tables["mean"], several, total, returns)

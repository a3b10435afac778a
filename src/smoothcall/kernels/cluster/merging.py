"""Listing the rows that a worker changed, and adding up the changes of several workers.

Tables are [rows, columns]; a change is rows[n] int32, ascending, with values[n, columns], the rows as they are after it.
Changes are added up block after block of the table's rows, so that what is added up stays in the processor's cache. In a block
of B rows that begins at row `start`, workers[B] int32 counts the workers that changed each row. What one worker alone changed
is written to the table as it is. What several changed, the records several[n] int32, is added up in [B, columns] float64 first.
"""

from __future__ import annotations

import numpy as np

from smoothcall.kernels import kernel
from smoothcall.kernels.tables import Array


@kernel
def list_changed(before: Array, now: Array, rows: Array) -> int:
    """Write the numbers of the rows that differ into rows[len(now)]. Return how many there are."""
    count = 0
    for row in range(len(now)):
        differs = False
        for column in range(now.shape[1]):
            differs |= now[row, column] != before[row, column]
        rows[count] = row
        count += differs
    return count


@kernel
def take_back(before: Array, now: Array, rows: Array, values: Array) -> None:
    """Copy rows of `now` to `values`, and give these rows the values they have in `before`."""
    for number in range(len(rows)):
        row = rows[number]
        for column in range(now.shape[1]):
            values[number, column] = now[row, column]
            now[row, column] = before[row, column]


@kernel
def set_rows(table: Array, rows: Array, values: Array) -> None:
    for number in range(len(rows)):
        row = rows[number]
        for column in range(table.shape[1]):
            table[row, column] = values[number, column]


@kernel
def copy_rows(source: Array, table: Array, rows: Array) -> None:
    for number in range(len(rows)):
        row = rows[number]
        for column in range(table.shape[1]):
            table[row, column] = source[row, column]


@kernel
def count_changes(rows: Array, start: int, workers: Array) -> None:
    for number in range(len(rows)):
        workers[rows[number] - start] += 1


@kernel
def list_rows(workers: Array, start: int, changed: Array, count: int, several: Array) -> tuple[int, int]:
    """Append the rows of a block that any worker changed to changed[:count], and write the records that several changed.

    several[B + 1]. Return the numbers of rows in `changed` and of records in `several`.
    """
    shared = 0
    for record in range(len(workers)):
        changed[count], several[shared] = start + record, record
        count += workers[record] > 0
        shared += workers[record] > 1
    return count, shared


@kernel
def begin_sums(table: Array, start: int, several: Array, total: Array) -> None:
    """Write the rows that several workers changed to total[B, columns]."""
    for number in range(len(several)):
        record = several[number]
        for column in range(table.shape[1]):
            total[record, column] = table[start + record, column]


@kernel
def add_sums(table: Array, rows: Array, values: Array, start: int, workers: Array, weights: Array, total: Array) -> None:
    """Add the changes of a worker to total[B, columns]. weights[workers]: the weight of one of so many changes of a row."""
    for number in range(len(rows)):
        row = rows[number]
        record = row - start
        if workers[record] == 1:
            for column in range(values.shape[1]):
                table[row, column] = values[number, column]
        else:
            weight = weights[workers[record]]
            for column in range(values.shape[1]):
                total[record, column] += (values[number, column] - np.float64(table[row, column])) * weight


@kernel
def end_sums(table: Array, start: int, several: Array, total: Array) -> None:
    """Write the sums to the table."""
    for number in range(len(several)):
        record = several[number]
        for column in range(table.shape[1]):
            table[start + record, column] = total[record, column]


@kernel
def mark_halved(table: Array, rows: Array, visits: Array, start: int, halved: Array) -> None:
    """Set halved[B] where a worker has fewer visits of an action than the table."""
    for number in range(len(rows)):
        row = rows[number]
        fewer = False
        for column in range(visits.shape[1]):
            fewer |= visits[number, column] < table[row, column]
        halved[row - start] |= fewer


@kernel
def begin_returns(
    table: Array, mean_table: Array, start: int, several: Array, halved: Array, total: Array, returns: Array
) -> None:
    """Write visits and returns of rows that several workers changed to total and returns [B, A]; half where one halved them."""
    for number in range(len(several)):
        record = several[number]
        row, scale = start + record, 0.5 if halved[record] else 1.0
        for column in range(total.shape[1]):
            visits = np.float64(table[row, column])
            total[record, column] = visits * scale
            returns[record, column] = visits * np.float64(mean_table[row, column]) * scale if visits > 0 else 0.0


@kernel
def add_returns(
    table: Array, mean_table: Array, rows: Array, visits: Array, mean: Array, start: int, workers: Array, halved: Array,
    total: Array, returns: Array,
) -> None:  # fmt: skip
    """Add the visits and returns of a worker to total[B, A] and returns[B, A].

    A worker that has halved a row has changed half of what it was. Where any worker has, `halved`, changes of the others count
    half.
    """
    for number in range(len(rows)):
        row = rows[number]
        record = row - start
        if workers[record] == 1:
            for column in range(visits.shape[1]):
                table[row, column], mean_table[row, column] = visits[number, column], mean[number, column]
            continue
        own = 1.0
        if halved[record]:
            for column in range(visits.shape[1]):
                if visits[number, column] < table[row, column]:
                    own = 0.5
        weight = (0.5 if halved[record] else 1.0) / own
        for column in range(visits.shape[1]):
            now, past = np.float64(visits[number, column]), own * table[row, column]
            gained = now * mean[number, column] if now > 0 else 0.0
            known = past * mean_table[row, column] if past > 0 else 0.0
            total[record, column] += (now - past) * weight
            returns[record, column] += (gained - known) * weight


@kernel
def end_returns(table: Array, mean_table: Array, start: int, several: Array, total: Array, returns: Array) -> None:
    """Write the sums to the tables of visits and means. The mean of an action whose visits are as before stays."""
    for number in range(len(several)):
        record = several[number]
        row = start + record
        for column in range(total.shape[1]):
            visits = total[record, column]
            if visits > 0 and visits != table[row, column]:
                mean_table[row, column] = returns[record, column] / visits
            table[row, column] = visits

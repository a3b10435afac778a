"""Listing the rows that a worker changed, and adding up the changes of several workers.

Tables are [rows, columns]; a change is rows[n] int32, ascending, with values[n, columns], the rows as they are after it.
place[rows] int32 is ALONE for a row that one worker changed, and for one that several changed the number of its record among
those.
"""

from __future__ import annotations

import numpy as np

from smoothcall.kernels import kernel
from smoothcall.kernels.tables import Array

ALONE = -1


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
def set_alone(table: Array, rows: Array, values: Array, place: Array) -> None:
    """Take over the rows of a worker that no other changed."""
    for number in range(len(rows)):
        row = rows[number]
        if place[row] == ALONE:
            for column in range(table.shape[1]):
                table[row, column] = values[number, column]


@kernel
def count_changes(rows: Array, place: Array) -> None:
    for number in range(len(rows)):
        place[rows[number]] += 1


@kernel
def list_places(place: Array, changed: Array, several: Array, workers: Array) -> tuple[int, int]:
    """Turn counts of changes into places. Write the rows that changed, those that several workers changed, and how many did.

    All arrays are [rows] int32. Return the numbers of rows written to `changed` and to `several`.
    """
    count, shared = 0, 0
    for row in range(len(place)):
        found = place[row]
        changed[count], several[shared], workers[shared] = row, row, found
        place[row] = shared if found > 1 else ALONE
        count += found > 0
        shared += found > 1
    return count, shared


@kernel
def add_sums(rows: Array, values: Array, place: Array, before: Array, weight: Array, total: Array) -> None:
    """Add the changes of a worker to total[several, columns], of rows that several workers changed.

    before[several, columns]: these rows before all changes; weight[several]: the weight of a change.
    """
    for number in range(len(rows)):
        record = place[rows[number]]
        if record != ALONE:
            for column in range(values.shape[1]):
                total[record, column] += (values[number, column] - before[record, column]) * weight[record]


@kernel
def mark_halved(rows: Array, visits: Array, place: Array, before: Array, halved: Array) -> None:
    """Set halved[several] where a worker has fewer visits of an action than before."""
    for number in range(len(rows)):
        record = place[rows[number]]
        if record != ALONE:
            for column in range(visits.shape[1]):
                halved[record] |= visits[number, column] < before[record, column]


@kernel
def add_returns(
    rows: Array, visits: Array, mean: Array, place: Array, before: Array, mean_before: Array, halved: Array, total: Array,
    returns: Array,
) -> None:  # fmt: skip
    """Add the visits and returns of a worker to total[several, A] and returns[several, A], of rows that several changed.

    before, mean_before [several, A]: visits and means before all changes. A worker that has halved a row has changed half of
    what it was. Where any worker has, `halved`, changes of the others count half.
    """
    for number in range(len(rows)):
        record = place[rows[number]]
        if record == ALONE:
            continue
        own = 1.0
        for column in range(visits.shape[1]):
            if visits[number, column] < before[record, column]:
                own = 0.5
        weight = (0.5 if halved[record] else 1.0) / own
        for column in range(visits.shape[1]):
            now, past = np.float64(visits[number, column]), own * before[record, column]
            gained = now * mean[number, column] if now > 0 else 0.0
            known = past * mean_before[record, column] if past > 0 else 0.0
            total[record, column] += (now - past) * weight
            returns[record, column] += (gained - known) * weight


@kernel
def set_means(visits: Array, mean: Array, several: Array, total: Array, returns: Array) -> None:
    """Write the sums of rows that several workers changed to the tables of visits and means.

    The mean of an action whose visits are as before stays.
    """
    for record in range(len(several)):
        row = several[record]
        for column in range(total.shape[1]):
            sum_of_visits = total[record, column]
            if sum_of_visits > 0 and sum_of_visits != visits[row, column]:
                mean[row, column] = returns[record, column] / sum_of_visits
            visits[row, column] = sum_of_visits

"""Sweeps over the boards of a public tree, street by street: one traversal for learning, best responses and values.

`kernels.search.sweep` walks the betting of one street on some of its boards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple

import numpy as np

from smoothcall.kernels.search import sweep as kernels
from smoothcall.kernels.search.ending_lanes import Endings, walk_ending_lanes
from smoothcall.kernels.search.entry_lanes import Group, Shapes, walk_entry_lanes
from smoothcall.kernels.search.lanes import MOST_BLOCKS, count_lanes, lane_zeros
from smoothcall.kernels.search.last_streets import walk_last_streets
from smoothcall.kernels.tables import Array
from smoothcall.search.boards import Level, vector_width
from smoothcall.search.equal_entries import EqualEntries

RUNS = 16  # of boards, whose values are added up apart, so that results do not depend on the number of threads
NO_WEIGHTS = kernels.Weights(1.0, 1.0, 1.0)  # of sweeps that do not learn
NO_LOCKS = np.zeros((0, 0), np.bool_)
NO_POLICY = np.zeros((0, 0), np.uint8)
NO_POLICY.flags.writeable = False  # as policies are: Numba compiles kernels for writeable and read-only arrays apart


class SideBySide(NamedTuple):
    """The last street against a policy by bucket, with buffers for each thread."""

    shapes: Shapes  # of the entries that are in no part
    groups: Sequence[Group]
    endings: Sequence[Endings]  # of the entries in the parts

    def of(self, thread: int) -> tuple[Shapes, Group, Endings]:
        return self.shapes, self.groups[thread], self.endings[thread]


Bettings = Sequence[kernels.Betting]  # one for each street
Buffers = list[kernels.Scratch]  # one for each street


def make_tables(regret: Array, average: Array, other: Array, sums: Array | None = None) -> kernels.Tables:
    """Return the tables of a sweep in which the opponent follows a table of its own; `sums` of predictive CFR+."""
    kept = _readable(regret[:0] if sums is None else sums)
    return kernels.Tables(_readable(regret), _readable(average), _readable(other), NO_POLICY, 1.0, kept)


def _readable(table: Array) -> Array:
    """Return a table as kernels read it: numbers of 16 bits as uint16."""
    return table.view(np.uint16) if table.dtype == np.float16 else table


def policy_tables(policy: Array, scale: float, dtype: np.dtype[np.floating]) -> kernels.Tables:
    """Return the tables of a sweep in which the opponent follows policy[rows, slots], read by bucket, and nobody learns."""
    none = np.zeros(0, dtype)
    return kernels.Tables(none, none, none, policy, scale, none)


class RangeSweep:
    """The betting of each street with buffers for each thread. The result does not depend on the number of threads.

    Without `keep_reach`, values are written over the reach, so that fewer vectors have to stay in the processor's cache.

    `side_by_side`: how best responses to a policy, and nothing else, value the last street. `behind`, street by street,
    numbers the betting behind its entries: those with equal numbers and an equal reach are walked once.
    """

    def __init__(
        self,
        betting: Bettings,
        hands: int,
        cards: int,
        dtype: np.dtype[np.floating],
        threads: int = 1,
        side_by_side: SideBySide | None = None,
        *,
        keep_reach: bool = True,
        behind: Sequence[Array] = (),
    ) -> None:
        self.betting, self.dtype, self.threads, self.lanes = betting, dtype, threads, count_lanes(dtype)
        self._hands, self._cards, self._side_by_side, self._keep_reach = hands, cards, side_by_side, keep_reach
        self.buffers: list[Buffers] = [[self._scratch(each) for each in betting] for _ in range(threads)]
        behind = behind or [np.arange(len(each.root) - 1, dtype=np.int32) for each in betting]
        self._equal = [
            [EqualEntries.of(numbers, own.entry_reach) for numbers, own in zip(behind, buffers, strict=True)]
            for buffers in self.buffers
        ]
        self._pool = ThreadPoolExecutor(threads - 1) if threads > 1 else None
        shared = self.buffers[0][min(1, len(betting) - 1)].entry_value  # of the street whose boards are in runs
        self._sums = lane_zeros((RUNS if threads > 1 else 1, *shared.shape), dtype)

    def _scratch(self, betting: kernels.Betting) -> kernels.Scratch:
        lanes, width = self.lanes, vector_width(self._hands, self.lanes)
        nodes, entries = int(np.diff(betting.root[betting.part]).max()), len(betting.root) - 1

        def zeros(*shape: int) -> Array:
            return lane_zeros(shape, self.dtype)

        value = zeros(nodes + 1, width)
        return kernels.Scratch(
            reach=zeros(nodes, width) if self._keep_reach else value,
            value=value,
            entry_reach=zeros(entries, width),
            entry_value=zeros(entries, width),
            entry_reached=np.ones(entries, np.bool_),
            reached=np.ones(nodes, np.bool_),
            ending=np.zeros(int(np.diff(betting.part_endings).max()), np.int32),
            lanes=zeros(width + lanes, MOST_BLOCKS * lanes),
            lane_value=zeros(width, MOST_BLOCKS * lanes),
            square=zeros(2, lanes, MOST_BLOCKS * lanes),
            factor=zeros(4 * MOST_BLOCKS * lanes),
            card_reach=zeros(2 * self._cards + 1, MOST_BLOCKS * lanes),
            vector=np.zeros((3, MOST_BLOCKS * lanes), np.int64),
            lane_block=np.zeros((2, lanes), np.int64),
        )

    def walk_board(
        self,
        place: int,
        board: int,
        levels: Sequence[Level],
        player: int,
        how: int,
        tables: kernels.Tables,
        locked: Sequence[Array],
        weights: kernels.Weights = NO_WEIGHTS,
        thread: int = 0,
        *,
        down: bool = True,
    ) -> None:
        """Leave the opponent's reach and the player's values at all nodes of one board of a street in a thread's buffers.

        The reach at the street's entries is in the buffers already; unless `down`, that of all nodes. Values are added to the
        entries.
        """
        if place + 2 == len(self.betting) and self._side_by_side is None:
            self._walk_last_streets(place, board, levels, player, how, tables, locked, weights, thread, down=down)
            return
        own, none = self.buffers[thread][place], np.zeros((0, 0, 0), self.dtype)
        about = (self.betting[place], levels[place].arrays, player, how, tables, locked[place], weights, own)
        last = place + 1 == len(self.betting)
        if down:
            kernels.walk_boards(board, board + 1, True, last, 0, none, *about)
        if not last:
            later = self.value_children(place, board, levels, player, how, tables, locked, weights, thread)
            street = self.betting[place]
            nodes = np.flatnonzero((street.kind == kernels.NEXT_STREET) & own.reached)
            own.value[nodes] = later[self._equal[thread][place + 1].same[street.entry[nodes]]]
        if not last or not down:
            kernels.walk_boards(board, board + 1, False, True, 0, none, *about)

    def _walk_last_streets(
        self,
        place: int,
        board: int,
        levels: Sequence[Level],
        player: int,
        how: int,
        tables: kernels.Tables,
        locked: Sequence[Array],
        weights: kernels.Weights,
        thread: int,
        *,
        down: bool,
    ) -> None:
        """As `walk_board`, on the last street but one: threads share the boards behind the first street's board."""
        children = levels[place].arrays.children
        first, last = int(children[board]), int(children[board + 1])
        runs = min(RUNS, last - first) if place == 0 else 0

        def walk(thread: int, begin: int, end: int, *, down: bool, up: bool) -> None:
            here, behind = (
                (self.betting[each], levels[each].arrays, locked[each], self.buffers[thread][each])
                for each in (place, place + 1)
            )
            share = (board, down, begin, end, up, runs, self._sums[:runs])
            walk_last_streets(*share, *here, *behind, player, how, tables, weights)

        if place > 0 or self._pool is None:
            walk(thread, first, last, down=down, up=True)
            return
        own = self.buffers[0][0]
        for others in self.buffers[1:]:
            if down:
                others[0].entry_reach[:], others[0].entry_reached[:] = own.entry_reach, own.entry_reached
            else:
                others[0].reach[:], others[0].reached[:] = own.reach, own.reached
        self._share(runs, last, partial(walk, down=down, up=False))
        walk(0, last, last, down=False, up=True)

    def _share(self, runs: int, boards: int, walk: Callable[[int, int, int], None]) -> None:
        """Share a street's boards, in whole runs, among all threads: walk(thread, begin, end). This one takes the first."""
        parts = min(runs, self.threads)
        cuts = [-(-(runs * part // parts) * boards // runs) for part in range(parts + 1)]  # the first board of a run
        later = [self._pool.submit(walk, part, *cuts[part : part + 2]) for part in range(1, parts)] if self._pool else []
        try:
            walk(0, *cuts[:2])
        finally:
            for each in later:
                each.result()

    def walk_down(self, place: int, board: int, levels: Sequence[Level], player: int, tables: kernels.Tables) -> None:
        """Write the opponent's reach at the next street's entries behind one board, from the street's entries down."""
        none, own = np.zeros((0, 0, 0), self.dtype), self.buffers[0][place]
        about = (self.betting[place], levels[place].arrays, player, kernels.MEAN, tables, NO_LOCKS, NO_WEIGHTS, own)
        kernels.walk_boards(board, board + 1, True, False, 0, none, *about)
        self.enter_next(place, player)

    def enter_next(self, place: int, player: int, thread: int = 0) -> None:
        """Write the opponent's reach at the next street's entries."""
        street, (own, later) = self.betting[place], self.buffers[thread][place : place + 2]
        nodes = np.flatnonzero((street.kind == kernels.NEXT_STREET) & own.reached)
        later.entry_reached[:] = False
        later.entry_reached[street.entry[nodes]] = True
        later.entry_reach[street.entry[nodes]] = own.reach[street.source[player, nodes]]
        self.drop_equal(place + 1, thread)

    def drop_equal(self, place: int, thread: int = 0) -> Array:
        """Leave one of equal entries of a street in its buffers. Return [E] the entry whose values each has."""
        own, equal = self.buffers[thread][place], self._equal[thread][place]
        equal.drop(own.entry_reach, own.entry_reached)
        return equal.same

    def value_children(
        self,
        place: int,
        board: int,
        levels: Sequence[Level],
        player: int,
        how: int,
        tables: kernels.Tables,
        locked: Sequence[Array],
        weights: kernels.Weights = NO_WEIGHTS,
        thread: int = 0,
    ) -> Array:
        """Return [E, W] the values of the next street's entries, behind one board, that are walked.

        The opponent's reach on the board is in the thread's buffers. The first street's children, which are all boards of the
        next one, are shared by all threads in RUNS runs; these are added up in one order, whoever finds them.
        """
        children = levels[place].arrays.children
        first, last = int(children[board]), int(children[board + 1])
        own = self.buffers[thread]
        self.enter_next(place, player, thread)
        shared, later = place == 0, own[place + 1]
        runs = min(RUNS, last - first) if shared else 0
        sums = self._sums[:runs]
        sums[:] = 0

        def sweep(thread: int, begin: int, end: int) -> None:
            buffers = self.buffers[thread][place + 1]
            if self._side_by_side is not None and place + 2 == len(self.betting):
                assert how == kernels.BEST
                assert not shared
                about = (self.betting[place + 1], levels[place + 1].arrays, player, tables)
                shapes, group, endings = self._side_by_side.of(thread)
                walk_ending_lanes(begin, end, endings, *about, locked[place + 1], weights, buffers, group)
                walk_entry_lanes(begin, end, shapes, *about, buffers, group)
                return
            for child in range(begin, end):
                before, run, after = (kernels.run_of(child + step, last, runs) for step in (-1, 0, 1))
                if shared and run != before:
                    buffers.entry_value[:] = 0
                self.walk_board(place + 1, child, levels, player, how, tables, locked, weights, thread)
                if shared and run != after:
                    sums[min(run, len(sums) - 1)] += buffers.entry_value

        later.entry_value[later.entry_reached] = 0
        if not shared:
            sweep(thread, first, last)
            return later.entry_value
        for other in self.buffers[1:]:
            other[place + 1].entry_reach[:] = later.entry_reach
            other[place + 1].entry_reached[:] = later.entry_reached
        self._share(runs, last, sweep)
        found: Array = sums.sum(axis=0, dtype=self.dtype)
        return found

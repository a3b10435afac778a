"""Equilibria of the rest of a hand by CFR with vectors over all hands, on a public tree with real cards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from math import comb

import numpy as np

from smoothcall.games.betting import Betting
from smoothcall.games.cards import Cards
from smoothcall.games.rules import PokerRules
from smoothcall.kernels.search import sweep as kernels
from smoothcall.kernels.search.lanes import count_lanes
from smoothcall.kernels.tables import Array
from smoothcall.memory import verify_memory
from smoothcall.search.boards import PLAYERS, Range, blocks, board_levels
from smoothcall.search.public_tree import Moves, Settle, StreetBetting, as_arrays, check_down, street_bettings

MAX_SYMMETRIES = 24  # permutations of suits: boards that may be walked as one
NO_WEIGHTS = kernels.Weights(1.0, 1.0, 1.0)  # of sweeps that do not learn


@dataclass(frozen=True, slots=True)
class Values:
    """Values of a pair of strategies, in chips of pay-off."""

    ev: tuple[float, float]  # of each player
    best: tuple[float, float]  # of a best response to the other

    @property
    def exploitability(self) -> float:
        """The mean of what both players gain by a best response."""
        return sum(best - ev for best, ev in zip(self.best, self.ev, strict=True)) / PLAYERS


def discounted(iteration: int) -> kernels.Weights:
    """Return the weights of discounted CFR (Brown and Sandholm 2019): alpha 1.5, beta 0, gamma 3.

    The average is restarted at powers of 4, so that the first iterations do not stay in it.
    """
    power = iteration**1.5
    restart = 1 if iteration else 0
    while restart and restart * 4 <= iteration:
        restart *= 4
    since = iteration - restart
    return kernels.Weights(power / (power + 1), 0.5, (since / (since + 1)) ** 3)


def cfr_plus(iteration: int) -> kernels.Weights:
    """Return the weights of CFR+ (Tammelin 2014): no negative regrets, a linearly weighted average."""
    return kernels.Weights(1.0, 0.0, iteration / (iteration + 1))


ALGORITHMS: dict[str, Callable[[int], kernels.Weights]] = {"dcfr": discounted, "cfr+": cfr_plus}


class RangeSolver:
    """CFR on the public tree behind a state of the betting. The result does not depend on the number of threads."""

    def __init__(
        self,
        rules: PokerRules,
        start: Betting,
        board: Cards,
        ranges: Sequence[Range],
        moves: Moves,
        *,
        settle: Settle | None = None,
        threads: int = 1,
        dtype: type[np.floating] = np.float32,
        weights: Callable[[int], kernels.Weights] = discounted,
        isomorphic: bool = True,
    ) -> None:
        self.rules, self.ranges, self.threads, self.weights = rules, tuple(ranges), threads, weights
        self.dtype, self.lanes = np.dtype(dtype), count_lanes(dtype)
        self.streets: list[StreetBetting] = street_bettings(start, moves, settle)
        rows = [street.rows for street in self.streets]
        verify_memory(self._least_bytes(len(board), start.street, rows), "the table of this spot, even with all suits merged,")
        self.levels, size = board_levels(rules, start.street, board, ranges, rows, self.lanes, isomorphic=isomorphic)
        verify_memory(2 * sum(size) * self.lanes * self.dtype.itemsize, "the tables of this spot")
        self.betting = [as_arrays(street, self.dtype, parts=street is self.streets[-1]) for street in self.streets]
        self.regret = [np.zeros(each * self.lanes, self.dtype) for each in size]
        self.average = [np.zeros(each * self.lanes, self.dtype) for each in size]
        self.locked = [
            np.zeros((len(level.boards), len(street.kind)), np.bool_)
            for level, street in zip(self.levels, self.streets, strict=True)
        ]
        self.iterations = 0
        self.scratch = [[self._scratch(each) for each in self.betting] for _ in range(threads)]
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None

    def _least_bytes(self, board: int, street: int, rows: Sequence[Sequence[int]]) -> int:
        """Return a lower bound of the tables' memory, known before boards behind one of so many cards are listed."""
        boards, total = 1, 0.0
        left = self.rules.deck.size - board - PLAYERS * self.ranges[0].hands.shape[1]
        for place, each in enumerate(rows):
            coming = self.rules.streets[street + place].board if place else 0
            boards, left = boards * comb(left, coming), left - coming
            numbers = sum(count * len(held.hands) for count, held in zip(each, self.ranges, strict=True))
            total += numbers * (boards / MAX_SYMMETRIES if coming else boards)
        return int(total / 2) * 2 * self.dtype.itemsize  # half of the hands at least are left, two tables

    @property
    def table_bytes(self) -> int:
        """The memory of regrets and sums of strategies."""
        return sum(table.nbytes for table in (*self.regret, *self.average))

    @cached_property
    def matchups(self) -> float:
        """The sum over pairs of hands that share no card of the product of their weights."""
        one, other = self.ranges
        apart = [~np.isin(other.hands, hand).any(axis=1) for hand in one.hands]
        return float(sum(weight * other.weight[each].sum() for weight, each in zip(one.weight, apart, strict=True)))

    def _scratch(self, betting: kernels.Betting) -> kernels.Scratch:
        width = self.lanes * max(blocks(len(each.hands), self.lanes) for each in self.ranges)
        nodes, entries = int(np.diff(betting.root[betting.part]).max()), len(betting.root) - 1

        def zeros(*shape: int) -> Array:
            return np.zeros(shape, self.dtype)

        return kernels.Scratch(
            reach=zeros(nodes, width),
            value=zeros(nodes + 1, width),
            entry_reach=zeros(entries, width),
            entry_value=zeros(entries, width),
            lanes=zeros(width + self.lanes, self.lanes),
            lane_value=zeros(width, self.lanes),
            factor=zeros(3, self.lanes),
            card_reach=zeros(2 * self.rules.deck.size, self.lanes),
            row=np.zeros(self.lanes, np.int64),
            vector_block=np.zeros(self.lanes, np.int64),
            lane_block=np.zeros(self.lanes, np.int64),
        )

    # Learning and values

    def run(self, iterations: int) -> None:
        """Update both players in turn, so many times."""
        for _ in range(iterations):
            weights = self.weights(self.iterations)
            for player in range(PLAYERS):
                self._sweep(player, kernels.LEARN, self.regret, weights)
                self._merge_images(player)
            self.iterations += 1

    def _merge_images(self, player: int) -> None:
        """Give hands that are images of each other the same regrets, on boards behind which cards are walked as one.

        They differ by rounding, which decides where regrets are near 0. Then the strategy would not be the same after a
        permutation of suits, and what is walked would not stand for the rest.
        """
        for place, board, first in self._images[player]:
            rows = self.rows_of(self.regret, place, board, player)
            rows[:] = rows[:, first]

    def rows_of(self, tables: Sequence[Array], place: int, board: int, player: int) -> Array:
        """Return [rows of the player, hands] the numbers of a board in a table."""
        level, rows = self.levels[place].arrays, self.streets[place].rows[player]
        count, start = int(level.hands[player, board]), int(level.start[player, board]) * self.lanes
        stride = blocks(count, self.lanes) * self.lanes
        return tables[player][start : start + rows * stride].reshape(rows, stride)[:, :count]

    @cached_property
    def _images(self) -> list[list[tuple[int, int, Array]]]:
        """For each player (street, board, [hands] the first image of each hand), of boards with symmetries before the last."""
        found: list[list[tuple[int, int, Array]]] = [[], []]
        for place, level in enumerate(self.levels[:-1]):
            for number, board in enumerate(level.boards):
                for player in range(PLAYERS if len(board.symmetries) > 1 else 0):
                    held = board.hands[player]
                    order = np.zeros(len(self.ranges[player].hands), np.int64)
                    order[held] = np.arange(len(held))
                    images = [order[symmetry.hand[player][held]] for symmetry in board.symmetries]
                    found[player].append((place, number, np.min(images, axis=0)))
        return found

    def prepare(self) -> None:
        """Load the kernels, by one sweep that changes nothing."""
        self._value(0, kernels.BEST)

    def values(self) -> Values:
        """Return the values of the average strategies, and of best responses to them."""
        found = [[self._value(player, how) for player in range(PLAYERS)] for how in (kernels.MEAN, kernels.BEST)]
        return Values((found[0][0], found[0][1]), (found[1][0], found[1][1]))

    def best_values(self) -> tuple[float, float]:
        """Return the values of best responses to the average strategies: half the work of `values`."""
        return self._value(0, kernels.BEST), self._value(1, kernels.BEST)

    def _value(self, player: int, how: int) -> float:
        value = self._sweep(player, how, self.average, NO_WEIGHTS).astype(np.float64)
        return float(value @ self.ranges[player].weight) / self.matchups

    def _sweep(self, player: int, how: int, followed: Sequence[Array], weights: kernels.Weights) -> Array:
        """Return the values of a player's hands at the root. The opponent's strategy is read from its table of `followed`."""
        tables = kernels.Tables(self.regret[player], self.average[player], followed[1 - player])
        scratch, own = self.scratch[0], len(self.ranges[player].hands)
        scratch[0].entry_reach[0, : len(self.ranges[1 - player].hands)] = self.ranges[1 - player].weight
        if len(self.streets) == 1:
            scratch[0].entry_value[:] = 0
            level = self.levels[0].arrays
            none = np.zeros((0, *scratch[0].entry_value.shape), self.dtype)
            kernels.sweep_last(0, 1, none, self.betting[0], level, player, how, tables, self.locked[0], weights, scratch[0])
            return scratch[0].entry_value[0, :own]
        self._walk_board(0, 0, self.betting, scratch, player, how, tables, weights)
        return scratch[0].value[0, :own]

    def _walk_board(
        self,
        place: int,
        board: int,
        betting: Sequence[kernels.Betting],
        scratch: Sequence[kernels.Scratch],
        player: int,
        how: int,
        tables: kernels.Tables,
        weights: kernels.Weights = NO_WEIGHTS,
    ) -> None:
        """Leave the opponent's reach and the player's values at all nodes of one board of a street in its buffers.

        The reach at the street's entries is in the buffers already.
        """
        street, own, level = betting[place], scratch[place], self.levels[place].arrays
        nodes, entries = len(street.kind), len(street.root) - 1
        strides = [blocks(int(level.hands[each, board]), self.lanes) for each in range(PLAYERS)]
        kernels.enter_street(street, level, board, player, 0, entries, 0, own)
        start = level.start[:, board]
        kernels.walk_down(street, 0, nodes, player, tables.other, start[1 - player], strides[1 - player], own)
        if place + 1 < len(betting):
            later = self._value_children(place, board, betting, own.reach, player, how, tables, weights)
            kernels.return_to_street(street, later, own.value)
        kernels.value_endings(street, 0, 0, player, level, board, own)
        locked = self.locked[place][board]
        kernels.walk_up(street, 0, nodes, player, how, tables, start[player], strides[player], locked, weights, own)

    def _value_children(
        self,
        place: int,
        board: int,
        betting: Sequence[kernels.Betting],
        reach: Array,
        player: int,
        how: int,
        tables: kernels.Tables,
        weights: kernels.Weights,
    ) -> Array:
        """Return the values of the next street's entries, behind one board. Threads share the cards that may come."""
        children, level = self.levels[place].arrays.children, self.levels[place + 1].arrays
        first, last = int(children[board]), int(children[board + 1])
        every = [each[place + 1] for each in self._buffers(betting)]
        partial = np.zeros((len(self.levels[place + 1].boards), *every[0].entry_value.shape), self.dtype)
        for each in every:
            kernels.leave_street(betting[place], player, reach, each.entry_reach)
        about = (partial, betting[place + 1], level, player, how, tables, self.locked[place + 1], weights)

        def sweep(thread: int, begin: int, end: int) -> None:
            buffers = self._buffers(betting)[thread]
            if place + 2 == len(betting):
                kernels.sweep_last(begin, end, *about, buffers[place + 1])
                return
            later = (betting[place + 2], self.levels[place + 2].arrays, self.locked[place + 2], buffers[place + 2])
            kernels.sweep_inner(begin, end, *about, buffers[place + 1], *later)

        if self._pool is None:
            sweep(0, first, last)
        else:
            cuts = np.linspace(first, last, self.threads + 1).astype(int).tolist()
            list(self._pool.map(sweep, range(self.threads), cuts[:-1], cuts[1:]))
        found: Array = partial[first:last].sum(axis=0, dtype=self.dtype)
        return found

    def _buffers(self, betting: Sequence[kernels.Betting]) -> list[list[kernels.Scratch]]:
        return self._run_out_scratch if betting is self._run_out else self.scratch

    # One board at a time, for those who look at a solution

    def at(self, path: Sequence[int], player: int) -> tuple[Array, Array]:
        """Return ([M, opponent's hands] reach, [M, hands] values) of all nodes on the last board of a path, one a street.

        Both players follow their average strategies. Hands are in the order of the board.
        """
        tables = kernels.Tables(self.regret[player], self.average[player], self.average[1 - player])
        scratch = self._whole_scratch
        other = self.ranges[1 - player]
        scratch[0].entry_reach[0, : len(other.hands)] = other.weight
        for place, board in enumerate(path[:-1]):
            street, level, own = self._whole[place], self.levels[place].arrays, scratch[place]
            kernels.enter_street(street, level, board, player, 0, len(street.root) - 1, 0, own)
            stride = blocks(int(level.hands[1 - player, board]), self.lanes)
            start = level.start[1 - player, board]
            kernels.walk_down(street, 0, len(street.kind), player, tables.other, start, stride, own)
            kernels.leave_street(street, player, own.reach, scratch[place + 1].entry_reach)
        place, board = len(path) - 1, path[-1]
        betting = [*self._whole[: place + 1], *self.betting[place + 1 :]]
        self._walk_board(place, board, betting, scratch, player, kernels.MEAN, tables)
        counts = self.levels[place].arrays.hands[:, board]
        reach = scratch[place].reach[self._whole[place].source[player]]
        nodes = len(self._whole[place].kind)
        return reach[:, : counts[1 - player]].copy(), scratch[place].value[:nodes, : counts[player]].copy()

    def run_out(self, place: int, board: int, reach: Array, player: int) -> tuple[Array, Array]:
        """Return ([hands] expected share of the pot if nobody bets any more, [hands] reach of the hands it may meet).

        `reach` is the opponent's, in the order of a board.
        """
        level, scratch = self.levels[place].arrays, self._run_out_scratch[0][place]
        scratch.reach[0] = 0
        scratch.reach[0, : len(reach)] = reach
        count = int(level.hands[player, board])
        kernels.value_endings(self._meeting, 0, 0, player, level, board, scratch)
        meets = scratch.value[0, :count].copy()
        if place + 1 == len(self.streets):
            kernels.value_endings(self._run_out[place], 0, 0, player, level, board, scratch)
            won = scratch.value[0, :count].copy()
        else:
            tables = kernels.Tables(self.regret[player], self.average[player], self.average[1 - player])
            found = self._value_children(place, board, self._run_out, scratch.reach, player, kernels.MEAN, tables, NO_WEIGHTS)
            won = found[0, :count].copy()
        return np.divide(won, meets, out=np.full(count, np.nan, self.dtype), where=meets > 0), meets

    @cached_property
    def _whole(self) -> list[kernels.Betting]:
        return [as_arrays(street, self.dtype) for street in self.streets]

    @cached_property
    def _whole_scratch(self) -> list[kernels.Scratch]:
        return [self._scratch(each) for each in self._whole]

    @cached_property
    def _run_out(self) -> list[kernels.Betting]:
        return [as_arrays(street, self.dtype) for street in check_down(len(self.streets))]

    @cached_property
    def _run_out_scratch(self) -> list[list[kernels.Scratch]]:
        return [[self._scratch(each) for each in self._run_out] for _ in range(self.threads)]

    @cached_property
    def _meeting(self) -> kernels.Betting:
        """One fold that pays 1: its value is the reach of the hands that a hand may meet."""
        node = StreetBetting([kernels.FOLDED], [-1], [[]], [[]], [-1], [0], [[[0.0, 0.0, 1.0]] * 2], [-1], [""], [0], [0, 1])
        return as_arrays(node, self.dtype)

"""Equilibria of the rest of a hand by CFR with vectors over all hands, on a public tree with real cards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb
from time import perf_counter

import numpy as np

from smoothcall.games.betting import Betting
from smoothcall.games.cards import Cards
from smoothcall.games.rules import PokerRules
from smoothcall.kernels.search import sweep as kernels
from smoothcall.kernels.search.lanes import count_lanes, lane_zeros
from smoothcall.kernels.tables import Array
from smoothcall.memory import verify_memory
from smoothcall.progress import report
from smoothcall.search.all_ins import count_all_ins
from smoothcall.search.boards import PLAYERS, Range, blocks, board_levels
from smoothcall.search.public_tree import Moves, Settle, StreetBetting, as_arrays, check_down, street_bettings
from smoothcall.search.range_sweep import NO_WEIGHTS, Bettings, RangeSweep, make_tables

MAX_HALF_GAIN = 4.0  # of one iteration where tables have 16 bits: numbers to 65,504, precise to 1/2,048 of themselves
TOLD_BYTES = 100 << 20  # of tables whose size is told before they are taken
QUIET_SECONDS = 1.0  # of listing before progress is reported
MAX_SYMMETRIES = 24  # permutations of suits: boards that may be walked as one


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
    """Return the weights of discounted CFR (Brown and Sandholm 2019): alpha 1.5, beta minus infinity, gamma 3.

    Negative regrets are dropped, which took fewer iterations than beta 0 on most spots tried. The average is restarted at
    powers of 4, so that the first iterations do not stay in it.
    """
    power = iteration**1.5
    restart = 1 if iteration else 0
    while restart and restart * 4 <= iteration:
        restart *= 4
    since = iteration - restart
    return kernels.Weights(power / (power + 1), 0.0, (since / (since + 1)) ** 3)


def cfr_plus(iteration: int) -> kernels.Weights:
    """Return the weights of CFR+ (Tammelin 2014): no negative regrets, a linearly weighted average."""
    return kernels.Weights(1.0, 0.0, iteration / (iteration + 1))


def predictive_cfr_plus(iteration: int) -> kernels.Weights:
    """Return the weights of predictive CFR+ (Farina, Kroer and Sandholm 2021): as CFR+, the average weighted quadratically."""
    return kernels.Weights(1.0, 0.0, (iteration / (iteration + 1)) ** 2)


ALGORITHMS: dict[str, Callable[[int], kernels.Weights]] = {
    "dcfr": discounted,
    "cfr+": cfr_plus,
    "pcfr+": predictive_cfr_plus,
}
PREDICTIVE = ("pcfr+",)  # keep a third table


def _reporter(what: str) -> Callable[[float], None]:
    """Return a function that reports the fraction done, of work that is not over in QUIET_SECONDS."""
    began = perf_counter()

    def watch(fraction: float) -> None:
        if perf_counter() - began >= QUIET_SECONDS:
            report(what, fraction)

    return watch


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
        predictive: bool = False,
        storage: int = 32,
    ) -> None:
        self.rules, self.ranges, self.threads, self.weights = rules, tuple(ranges), threads, weights
        self.dtype, self.lanes = np.dtype(dtype), count_lanes(dtype)
        self.storage = 8 * self.dtype.itemsize if storage == 32 else storage  # bits of a number of the tables
        self.streets: list[StreetBetting] = street_bettings(start, moves, settle)
        rows = [street.rows for street in self.streets]
        verify_memory(self._least_bytes(len(board), start.street, rows), "this spot, even with all suits merged,")
        self.levels, size = board_levels(
            rules, start.street, board, ranges, rows, self.lanes, isomorphic=isomorphic, watch=_reporter("boards of this spot")
        )
        kept = np.dtype(np.float16) if storage == 16 else self.dtype
        table_bytes = (3 if predictive else 2) * sum(size) * self.lanes * kept.itemsize
        verify_memory(table_bytes, "this spot")
        if table_bytes >= TOLD_BYTES:
            report(f"taking {table_bytes / 1e6:,.0f} MB of memory for the tables of this spot", 0.0)
        walked, self.levels[0] = count_all_ins(self.streets, self.levels, table_bytes)
        self.betting = [as_arrays(street, self.dtype) for street in self.streets[:-1]]
        self.betting.append(as_arrays(self.streets[-1], self.dtype, parts=True, entries=walked))
        tables = self._allocate([*size, *size, *(size if predictive else (0, 0))], kept)
        self.regret, self.average, self.sums = tables[:2], tables[2:4], tables[4:]
        self.locked = [
            np.zeros((len(level.boards), len(street.kind)), np.bool_)
            for level, street in zip(self.levels, self.streets, strict=True)
        ]
        self._unit = [self._regret_unit(player) if storage == 16 else 1.0 for player in range(PLAYERS)]
        self.iterations = 0
        self._views: dict[int, RangeSweep] = {}  # by street
        self.sweep = self._range_sweep(self.betting)

    def _least_bytes(self, board: int, street: int, rows: Sequence[Sequence[int]]) -> int:
        """Return a lower bound of the tables' memory, known before boards behind one of so many cards are listed."""
        boards, total = 1, 0.0
        left = self.rules.deck.size - board - PLAYERS * self.ranges[0].hands.shape[1]
        for place, each in enumerate(rows):
            coming = self.rules.streets[street + place].board if place else 0
            boards, left = boards * comb(left, coming), left - coming
            numbers = sum(count * len(held.hands) for count, held in zip(each, self.ranges, strict=True))
            total += numbers * (boards / MAX_SYMMETRIES if coming else boards)
        return int(total / 2) * 2 * self.storage // 8  # half of the hands at least are left, two tables

    def _allocate(self, size: Sequence[int], dtype: np.dtype[np.floating]) -> list[Array]:
        """Return tables of so many blocks, which lie in one array: more of it is then mapped by large pages."""
        every, ends = lane_zeros(sum(size) * self.lanes, dtype), np.cumsum(size) * self.lanes
        return np.split(every, ends[:-1])

    def _regret_unit(self, player: int) -> float:
        """Return the factor on the opponent's reach while a player learns in which its gains are at most MAX_HALF_GAIN."""
        chips = max(float(np.abs(street.factor[player]).sum(axis=1).max()) for street in self.betting)
        return MAX_HALF_GAIN / (chips * float(self.ranges[1 - player].weight.sum()))

    @property
    def table_bytes(self) -> int:
        """The memory of regrets, sums of strategies and, where there are any, predictions."""
        return sum(table.nbytes for table in (*self.regret, *self.average, *self.sums))

    @cached_property
    def matchups(self) -> float:
        """The sum over pairs of hands that share no card of the product of their weights."""
        one, other = self.ranges
        apart = (~np.isin(other.hands, hand).any(axis=1) for hand in one.hands)  # one at a time: they are no memory to keep
        return float(sum(weight * other.weight[each].sum() for weight, each in zip(one.weight, apart, strict=True)))

    def _range_sweep(self, betting: Bettings, threads: int | None = None, *, keep_reach: bool = False) -> RangeSweep:
        most = max(len(each.hands) for each in self.ranges)
        return RangeSweep(betting, most, self.rules.deck.size, self.dtype, threads or self.threads, keep_reach=keep_reach)

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
            for table in (self.regret, self.sums):
                if len(table[player]):
                    rows = self.rows_of(table, place, board, player)
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
        tables = make_tables(self.regret[player], self.average[player], followed[1 - player], self.sums[player])
        own, other = self.sweep.buffers[0][0], self.ranges[1 - player]
        own.entry_reach[0, : len(other.hands)] = other.weight * (self._unit[player] if how == kernels.LEARN else 1.0)
        own.entry_value[:] = 0
        self.sweep.walk_board(0, 0, self.levels, player, how, tables, self.locked, weights)
        return own.entry_value[0, : len(self.ranges[player].hands)]

    # One board at a time, for those who look at a solution

    def at(self, path: Sequence[int], player: int) -> tuple[Array, Array]:
        """Return ([M, opponent's hands] reach, [M, hands] values) of all nodes on the last board of a path, one a street.

        Both players follow their average strategies. Hands are in the order of the board.
        """
        tables = make_tables(self.regret[player], self.average[player], self.average[1 - player])
        place, board = len(path) - 1, path[-1]
        sweep = self._view(place)
        buffers, other = sweep.buffers[0], self.ranges[1 - player]
        buffers[0].entry_reach[0, : len(other.hands)] = other.weight
        for number, passed in enumerate(path[:-1]):
            sweep.walk_down(number, passed, self.levels, player, tables)
        sweep.walk_board(place, board, self.levels, player, kernels.MEAN, tables, self.locked)
        counts, street = self.levels[place].arrays.hands[:, board], sweep.betting[place]
        reach = buffers[place].reach[street.source[player]]
        return reach[:, : counts[1 - player]].copy(), buffers[place].value[: len(street.kind), : counts[player]].copy()

    def run_out(self, place: int, board: int, reach: Array, player: int) -> tuple[Array, Array]:
        """Return ([hands] expected share of the pot if nobody bets any more, [hands] reach of the hands it may meet).

        `reach` is the opponent's, in the order of a board.
        """
        tables = make_tables(self.regret[player], self.average[player], self.average[1 - player])
        count, found = int(self.levels[place].arrays.hands[player, board]), []
        for sweep, street, levels in ((self._meeting, 0, self.levels[place:]), (self._run_out, place, self.levels)):
            own = sweep.buffers[0][street]
            own.reach[0] = 0
            own.reach[0, : len(reach)] = reach
            sweep.walk_board(street, board, levels, player, kernels.MEAN, tables, self.locked, down=False)
            found.append(own.value[0, :count].copy())
        meets, won = found
        return np.divide(won, meets, out=np.full(count, np.nan, self.dtype), where=meets > 0), meets

    def _view(self, place: int) -> RangeSweep:
        """Return a sweep whose buffers hold all nodes of a street, and of those before it."""
        if place not in self._views:
            whole = [as_arrays(street, self.dtype) for street in self.streets[: place + 1]]
            self._views[place] = self._range_sweep([*whole, *self.betting[place + 1 :]], 1, keep_reach=True)
        return self._views[place]

    @cached_property
    def _run_out(self) -> RangeSweep:
        return self._range_sweep([as_arrays(street, self.dtype) for street in check_down(len(self.streets))])

    @cached_property
    def _meeting(self) -> RangeSweep:
        """One fold that pays 1: its value is the reach of the hands that a hand may meet."""
        node = StreetBetting([kernels.FOLDED], [-1], [[]], [[]], [-1], [0], [[[0.0, 0.0, 1.0]] * 2], [-1], [""], [0], [0, 1])
        return self._range_sweep([as_arrays(node, self.dtype)], 1)

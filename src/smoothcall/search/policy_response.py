"""A best response to a policy of two-player hold'em, flop by flop, by the sweep that solves spots.

The policy sees cards through its buckets. The responder sees its own cards and the board and has perfect recall. Before the
flop hands of one class (AA, AKs, AKo, ...) are alike, so values of flops are summed over classes, C of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import comb

import numpy as np

from smoothcall.games.cards import Cards
from smoothcall.games.rules import PokerRules
from smoothcall.kernels.holdem.buckets import Cards as Buckets
from smoothcall.kernels.search import sweep as kernels
from smoothcall.kernels.search.boards import fill_buckets
from smoothcall.kernels.search.lanes import count_lanes
from smoothcall.kernels.tables import Array
from smoothcall.memory import verify_memory
from smoothcall.policy import Policy
from smoothcall.search.boards import PLAYERS, Level, Range, board_levels
from smoothcall.search.entry_lanes import endings_of, group_buffers, shapes_of, sort_entries
from smoothcall.search.policy_betting import STREETS, able_actions, entry_nodes, number_betting, policy_streets
from smoothcall.search.public_tree import StreetBetting, as_arrays, check_down
from smoothcall.search.range_sweep import NO_LOCKS, RangeSweep, SideBySide, make_tables, policy_tables

FLOP_STREET = 1
MAX_BOARDS = 49 * 48  # behind one flop


class PolicyResponse:
    """Values of best responses to a policy. `allowed`[N, A]: the actions that the responder may take at the tree's nodes."""

    def __init__(self, policy: Policy, allowed: Array, *, double: bool = False, threads: int = 1) -> None:
        game = policy.game
        assert isinstance(game.rules, PokerRules)
        self.game, self.rules, self._range = game, game.rules, Range.every_hand(game.rules.deck)
        self.classes = self._cards.preflop
        self._dtype: np.dtype[np.floating] = np.dtype(np.float64) if double else np.dtype(np.float32)
        able = [able_actions(policy, allowed, seat) for seat in range(PLAYERS)]
        self.streets = [policy_streets(game, each) for each in able]
        self._numbers = [number_betting(policy, each, seat) for seat, each in enumerate(able)]
        self._members: list[list[list[int]]] = []  # by the responder's seat and shape: entries of the last street
        for streets in self.streets:
            streets[-1], members = sort_entries(streets[-2], streets[-1])
            self._members.append(members)
        self._policy, self.threads = policy, threads
        verify_memory(self._bytes, f"a best response in {game.spec}")

    @property
    def _cards(self) -> Buckets:
        return self.game.abstraction.cards  # type: ignore[union-attr]

    @property
    def _bytes(self) -> int:
        """The memory of buffers and of the boards behind one flop, estimated from above."""
        hands, entries = len(self.classes), max(sum(len(street.root) for street in streets) for streets in self.streets)
        return hands * (2 * PLAYERS * self.threads * entries * self._dtype.itemsize + 40 * MAX_BOARDS)

    @cached_property
    def _sweeps(self) -> list[RangeSweep]:
        """For each seat of the responder, from the flop on."""
        hands, size = len(self.classes), self.rules.deck.size
        found = []
        for seat, (streets, members) in enumerate(zip(self.streets, self._members, strict=True)):
            betting = [as_arrays(street, self._dtype) for street in streets[FLOP_STREET:-1]]
            rare = len(streets[-1].root) - 1 - sum(map(len, members))
            betting.append(as_arrays(streets[-1], self._dtype, parts=True, entries=rare))
            shapes = shapes_of(streets[-1], members, seat)
            about = (streets[-1], shapes, hands, size, self.game.buckets[-1], self._dtype)
            groups = [group_buffers(*about) for _ in range(self.threads)]
            endings = [endings_of(streets[-1], betting[-1], self.game.buckets[-1], seat) for _ in range(self.threads)]
            last = SideBySide(shapes, groups, endings)
            behind = [_betting_behind(before, self._numbers[seat]) for before in streets[:-1]]
            found.append(RangeSweep(betting, hands, size, self._dtype, self.threads, last, keep_reach=False, behind=behind))
        return found

    @cached_property
    def entries(self) -> tuple[int, int]:
        """The ways into the flop, by the responder's seat."""
        first, second = (len(streets[FLOP_STREET].root) - 1 for streets in self.streets)
        return first, second

    @property
    def nodes(self) -> int:
        """Nodes of the betting that the policy takes part in, of both seats of the responder."""
        return sum(len(street.kind) for streets in self.streets for street in streets)

    def flop_values(self, flop: Cards) -> tuple[Array, int]:
        """Return ([entries of both seats, C] float64, number of rivers that were walked).

        Values are the responder's chips on one flop, summed over the hands of a class and over those of the policy.
        """
        levels = self._levels(flop)
        for street, level in enumerate(levels, FLOP_STREET):
            boards = level.arrays
            bucket = np.zeros((len(level.boards), -(-len(self.classes) // 16) * 16), np.uint16)
            fill_buckets(self._cards, street, level.listed, boards.hands[0], bucket)
            levels[street - FLOP_STREET] = type(level)(level.boards, boards._replace(bucket=bucket), level.listed)
        tables = policy_tables(self._policy.weights, self._policy.scale, self._dtype)
        return self._sweep(self._sweeps, levels, tables), len(levels[-1].boards)

    def _levels(self, flop: Cards) -> list[Level]:
        return board_levels(self.rules, FLOP_STREET, flop, [self._range] * PLAYERS, [[0, 0]] * 3, count_lanes(self._dtype))[0]

    def _sweep(self, sweeps: Sequence[RangeSweep], levels: Sequence[Level], tables: kernels.Tables) -> Array:
        """Return [entries of both seats, C] float64: the values of the ways into the flop."""
        found = []
        for seat, sweep in enumerate(sweeps):
            own, reach = sweep.buffers[0][0], self._reach[seat]
            own.entry_reach[:, : len(self.classes)] = reach[:, self.classes]
            own.entry_reached[:] = reach.any(axis=1)
            own.entry_value[:] = 0
            same = sweep.drop_equal(0)
            sweep.walk_board(0, 0, levels, seat, kernels.BEST, tables, [NO_LOCKS] * 3)
            values = np.zeros((self.entries[seat], int(self.classes.max()) + 1))
            np.add.at(values.T, self.classes, own.entry_value[:, : len(self.classes)].T.astype(np.float64))
            found.append(values[same])
        return np.concatenate(found)

    # What the ways into the flop are worth if nobody bets any more: known over all flops, and related to the values

    @cached_property
    def chips(self) -> Array:
        """[entries of both seats] the chips that each player has paid at the ways into the flop."""
        paid = [street.pot[node] / PLAYERS for street in self._preflop for node in entry_nodes(street)]
        return np.array(paid, np.float64)

    @cached_property
    def all_in(self) -> Array:
        """[entries of both seats] bool: no betting is left behind these ways into the flop."""
        flops = [streets[FLOP_STREET] for streets in self.streets]
        return np.array([street.kind[node] == kernels.NEXT_STREET for street in flops for node in street.root[:-1]])

    @cached_property
    def _check_down_sweeps(self) -> list[RangeSweep]:
        found, hands, size = [], len(self.classes), self.rules.deck.size
        for chips in np.split(self.chips, [self.entries[0]]):
            betting = [as_arrays(street, self._dtype) for street in check_down(STREETS - FLOP_STREET, _win_or_lose(chips))]
            found.append(RangeSweep(betting, hands, size, self._dtype, keep_reach=False))
        return found

    def check_down_values(self, flop: Cards) -> Array:
        """Return [entries of both seats, C] float64: as `flop_values`, if nobody bets from the flop on."""
        none = np.zeros(0, self._dtype)
        return self._sweep(self._check_down_sweeps, self._levels(flop), make_tables(none, none, none))

    def mean_check_down(self, scores: Array) -> Array:
        """Return the mean of `check_down_values` over all flops.

        scores[hands, hands] are the boards on which the row's hand beats the column's, less those on which it loses.
        """
        size, count = self.rules.deck.size, int(self.classes.max()) + 1
        by_class = np.zeros((count, len(scores)))
        np.add.at(by_class, self.classes, scores)
        meet = np.zeros((count, count))
        np.add.at(meet.T, self.classes, by_class.T)
        every = comb(size, 3) / comb(size - 4, 3) * comb(size - 4, 5)
        found: Array = np.concatenate(self._reach) @ meet.T * self.chips[:, None] / every
        return found

    # Before the flop

    @cached_property
    def _pairs(self) -> Array:
        """[C, C] float64: pairs of hands of two classes that share no card."""
        held, count = self._range.hands, int(self.classes.max()) + 1
        apart = np.ones((len(held), len(held)), np.bool_)
        for one in range(2):
            for other in range(2):
                apart &= held[:, None, one] != held[None, :, other]
        found = np.zeros((count, count))
        np.add.at(found, (self.classes[:, None], self.classes[None]), apart)
        return found

    def _action(self, street: StreetBetting, node: int, action: int) -> Array:
        """Return [C] the probability that the policy takes an action before the flop."""
        rows = street.row[node] + np.arange(int(self.classes.max()) + 1)
        found: Array = self._policy.weights[rows, street.slots[node][action]] / self._policy.scale
        return found

    @cached_property
    def _reach(self) -> list[Array]:
        """For each seat of the responder: [entries, C] the policy's reach at the ways into the flop."""
        found = []
        for seat, reach in enumerate(self._preflop_reach):
            found.append(reach[entry_nodes(self._preflop[seat])])
        return found

    @property
    def _preflop(self) -> list[StreetBetting]:
        return [streets[0] for streets in self.streets]

    @cached_property
    def _preflop_reach(self) -> list[Array]:
        """For each seat of the responder: [nodes, C]."""
        found = []
        for seat in range(PLAYERS):
            street = self.streets[seat][0]
            reach = np.ones((len(street.kind), int(self.classes.max()) + 1))
            for node, below in enumerate(street.children):
                for action, child in enumerate(below):
                    acts = street.player[node] != seat
                    reach[child] = reach[node] * (self._action(street, node, action) if acts else 1.0)
            found.append(reach)
        return found

    def respond(self, values: Array, choices: Sequence[dict[int, Array]] | None = None) -> tuple[Array, list[dict[int, Array]]]:
        """Return ([2, F] winnings in chips by the responder's seat, its choices before the flop).

        values[F, entries of both seats, C] are those of F flops, each as if it were the only one. The choices are the best
        for the mean of the flops, or those given: by node the number of the action for each class.
        """
        size = self.rules.deck.size
        deals = comb(size, 2) * comb(size - 2, 2)
        every = comb(size, 3) / comb(size - 4, 3)  # a flop is one of all; given both hands, of fewer
        cuts = np.split(values * every, [self.entries[0]], axis=1)
        found, chosen = [], []
        for seat in range(PLAYERS):
            known = None if choices is None else choices[seat]
            won, taken = self._respond_in(seat, cuts[seat], known)
            found.append(won.sum(axis=1) / deals)
            chosen.append(taken)
        return np.array(found), chosen

    def _respond_in(self, seat: int, later: Array, known: dict[int, Array] | None) -> tuple[Array, dict[int, Array]]:
        street, reach = self.streets[seat][0], self._preflop_reach[seat]
        value = np.zeros((len(street.kind), len(later), reach.shape[1]))
        taken: dict[int, Array] = {}
        for node in range(len(street.kind) - 1, -1, -1):
            below = street.children[node]
            if street.kind[node] == kernels.NEXT_STREET:
                value[node] = later[:, street.entry[node]]
            elif street.kind[node] == kernels.FOLDED:
                value[node] = street.factor[node][seat][2] * (self._pairs @ reach[node])
            elif street.player[node] != seat:
                value[node] = value[below].sum(axis=0)
            else:
                options = value[below]
                taken[node] = options.mean(axis=1).argmax(axis=0) if known is None else known[node]
                value[node] = np.take_along_axis(options, taken[node][None, None], axis=0)[0]
        return value[0], taken


def _betting_behind(street: StreetBetting, numbers: Array) -> Array:
    """Return [E] int32: entries of the next street with equal numbers have equal betting behind them."""
    found: Array = numbers[[street.like[node] for node in entry_nodes(street)]]
    return found


def _win_or_lose(chips: Array) -> list[list[list[float]]]:
    """Return the factors of showdowns at which so many chips are won or lost."""
    return [[[each, each, -each]] * PLAYERS for each in chips.tolist()]

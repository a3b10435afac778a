"""Card abstraction of hold'em: hands of similar strength share a bucket. Players forget the buckets of earlier streets.

Before the flop a bucket is a class of hands: AA, AKs, AKo, ... (169 with 52 cards). Later it is an interval of E[HS^2], the
expected square of the share of hands beaten on the river; on the river itself it is an interval of HS^2. Intervals are even
(heinrich2014), equally frequent, or found by k-means. With `cells=equity` they are even intervals of E[HS] (epfl2020). With
`cells=histograms` a bucket is a cluster of hands whose strength on the river is distributed alike (`holdem.histograms`); on
the river itself, where that is one number, an interval of HS found by k-means. With `cells=textures` each texture of boards and
each class of spread has even intervals of its own (`holdem.textures`), with `cells=boards` each cluster of boards
(`holdem.board_clusters`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isqrt
from typing import Any

import numpy as np

from smoothcall.errors import UsageError
from smoothcall.games.cards import SHORT, Cards, Deck
from smoothcall.games.rankings import BEST_FIVE
from smoothcall.games.rules import PokerRules
from smoothcall.holdem import equity_table as equity
from smoothcall.holdem import hand_strength as strength
from smoothcall.holdem import histograms, textures
from smoothcall.holdem.board_clusters import VERSION as CLUSTERS_VERSION
from smoothcall.holdem.board_clusters import board_clusters
from smoothcall.holdem.equity_table import equity_table
from smoothcall.holdem.hand_strength import FLOP, RIVER, STREETS, TURN, Strengths, Tables, board_rank, strengths, verify_players
from smoothcall.kernels.holdem import buckets
from smoothcall.kernels.tables import Array
from smoothcall.options import Option, number

GRIDS = {"S": (100, 100, 100), "L": (1000, 500, 200), "3p": (1000, 100, 10)}  # buckets on flop, turn and river
FINEST = {FLOP: 60_000, TURN: 60_000, RIVER: 60_000}
FINEST_RIVER = 1000  # intervals of HS
INTERVALS = {FLOP: 20, TURN: 20, RIVER: 40}  # of E[HS^2] for each cluster of boards and each spread (cells=boards)
BINS = 1 << 20  # of the histograms behind equally frequent intervals and k-means
MAX_K_MEANS_STEPS = 1000

GRID = Option(
    "S",
    "buckets on flop, turn and river",
    form=f"{', '.join(GRIDS)} (heinrich2014), or three numbers such as 200/100/50",
)
CELLS = Option(
    "even",
    "how buckets divide E[HS^2]: even intervals, equally frequent ones, or k-means; or even intervals of E[HS] (equity); or "
    "clusters of the distribution of HS on the river (histograms); or even intervals "
    "for each texture of boards (textures) or each cluster of boards (boards)",
    choices=("even", "mass", "k-means", "equity", "histograms", "textures", "boards"),
)


def is_holdem(rules: PokerRules) -> bool:
    """Return whether a game deals two cards each, then boards of 3, 1 and 1, and the best five cards win."""
    dealt = [(street.hole, street.board) for street in rules.streets]
    return rules.order == BEST_FIVE and dealt == [(2, 0), (0, 3), (0, 1), (0, 1)]


def read_grid(text: str) -> tuple[int, ...]:
    """Return the buckets on flop, turn and river that a grid's name or its three numbers say."""
    sizes = GRIDS.get(text) or tuple(number(part, whole=True) or 0 for part in text.split("/"))
    if len(sizes) != 3 or not all(1 <= size <= FINEST[street] for street, size in zip(STREETS, sizes, strict=True)):
        finest = "/".join(str(FINEST[street]) for street in STREETS)
        raise UsageError(f"option grid={text} (accepted: {GRID.accepted}, at most {finest})")
    return tuple(map(int, sizes))


def default_grid(rules: PokerRules) -> str:
    return "S" if rules.seats == 2 else "3p"


def default_cells(rules: PokerRules) -> str:
    """Equities with the 32 cards of epfl2020, else even intervals of E[HS^2]."""
    return "equity" if rules.deck == SHORT else "even"


@dataclass(frozen=True)
class Abstraction:
    """The buckets that the players of a hold'em game see instead of cards."""

    deck: Deck
    players: int
    grid: tuple[int, ...]  # buckets on flop, turn and river
    cells: str  # even, mass, k-means, equity, histograms, textures, boards

    def __reduce__(self) -> tuple[Any, ...]:
        return Abstraction, (self.deck, self.players, self.grid, self.cells)  # tables are built again, or read from the cache

    def __post_init__(self) -> None:
        verify_players(self.players)
        if self.clustered:
            histograms.verify_clusters(self.grid)
        said = "/".join(map(str, self.grid))
        if self.by_board and any(size % self._multiple(street) for street, size in zip(STREETS, self.grid, strict=True)):
            every = "/".join(str(self._multiple(street)) for street in STREETS)
            raise UsageError(f"option grid={said} (accepted with cells={self.cells}: multiples of {every})")
        if not self.by_board and self.grid[-1] > FINEST_RIVER:
            raise UsageError(f"option grid={said} (accepted with cells={self.cells}: at most {FINEST_RIVER} on the river)")

    @property
    def by_board(self) -> bool:
        """Whether kinds of boards have buckets of their own."""
        return self.cells in ("textures", "boards")

    def _multiple(self, street: int) -> int:
        """Return what the number of buckets of a street is a multiple of, where kinds of boards have buckets of their own."""
        return textures.classes(street) if self.cells == "textures" else textures.spreads(street) * INTERVALS[street]

    @property
    def clustered(self) -> bool:
        """Whether buckets on flop and turn are clusters of histograms and not intervals."""
        return self.cells == "histograms"

    @cached_property
    def classes(self) -> tuple[str, ...]:
        """The classes of hands before the flop, highest ranks first."""
        ranks = self.deck.ranks[::-1]
        pairs = [(high, low) for place, high in enumerate(ranks) for low in ranks[place:]]
        return tuple(
            name for high, low in pairs for name in ([high + low] if high == low else [high + low + "s", high + low + "o"])
        )

    @property
    def counts(self) -> tuple[int, ...]:
        """[4] number of buckets on each street."""
        return (len(self.classes), *self.grid)

    def label(self, street: int, bucket: int) -> str:
        """Return the card part of a bucket's key: a class of hands before the flop, `#` and the number later."""
        return self.classes[bucket] if street == 0 else f"#{bucket}"

    def read_label(self, text: str) -> tuple[int, int] | None:
        """Return (street, bucket) of a label; None where it is none. The street is -1 after the flop: the betting tells it."""
        if text in self.classes:
            return 0, self.classes.index(text)
        known = number(text[1:], whole=True) if text.startswith("#") else None
        return None if known is None else (-1, int(known))

    def class_of(self, hole: Cards) -> str:
        high, low = sorted(hole, reverse=True)
        ranks = self.deck.ranks[self.deck.rank(high)] + self.deck.ranks[self.deck.rank(low)]
        suited = (high - low) % self.deck.suit_count == 0
        return ranks if ranks[0] == ranks[1] else ranks + ("s" if suited else "o")

    def bucket(self, hole: Cards, boards: Sequence[Cards]) -> int:
        """Return the bucket of a player with these hole cards; boards[street], the first of them empty."""
        street, board = len(boards) - 1, tuple(card for cards in boards for card in cards)
        if street == 0:
            return self.classes.index(self.class_of(hole))
        if street in self.clusters:
            return int(self.clusters[street][self.strengths.place(hole, board)])
        interval = int(np.searchsorted(self.edges[street], np.uint64(self.tables.value(hole, board)), side="right")) - 1
        if not self.by_board:
            return interval
        where = self.strengths.place(hole, board)
        spread = 0 if street == RIVER else int(textures.spread(self.deck, street, where))
        return interval + (int(self._board_kinds[street][where[0]]) * textures.spreads(street) + spread) * len(
            self.edges[street]
        )

    def hand_buckets(self, street: int, board: Cards) -> Array:
        """Return [hands] int32 the bucket of every hand on a board; without meaning where a hand shares a card with it."""
        found = np.zeros(len(self.cards.preflop), np.int32)
        buckets.board_buckets(self.cards, street, np.uint32(board_rank(self.cards.binomial, board)), found)
        return found

    @cached_property
    def _board_kinds(self) -> dict[int, Array]:
        """By street, [K] uint16: the kind of each class of boards. Tables [K, hands] of first buckets would take 46 MB."""
        return {street: self.board_kinds(street) for street in STREETS}

    def _first_buckets(self, street: int) -> Array:
        """Return the first bucket of each kind of boards, and on flop and turn of each spread."""
        return textures.first_buckets(self.deck, street, self._board_kinds[street], len(self.edges[street]))

    def board_kinds(self, street: int) -> Array:
        """Return [K] uint16: the texture or the cluster of every class of boards of a street (cells=textures, cells=boards)."""
        if self.cells == "textures":
            return textures.board_textures(self.deck, street)
        return board_clusters(self.deck, street, self.grid[street - 1] // self._multiple(street), self._preflop())

    def read_tables(self) -> None:
        """Load every table that `bucket` needs, which takes seconds, so that later calls are fast."""
        boards: list[Cards] = [(), (2, 3, 4), (5,), (6,)]
        for street in STREETS:
            self.bucket((0, 1), boards[: street + 1])

    @property
    def strengths(self) -> Strengths:
        return strengths(self.deck)

    @property
    def tables(self) -> Tables:
        """The values that buckets divide: E[HS] or E[HS^2]; on the river HS for both."""
        return equity_table(self.deck) if self.cells == "equity" else self.strengths

    def scale(self, street: int) -> int:
        """Return what `tables` hold for a hand that cannot lose, without loading them."""
        return equity.scale(self.deck, street) if self.cells == "equity" else strength.scale(self.deck, street)

    @cached_property
    def edges(self) -> dict[int, Array]:
        """By street: the least value of `tables` in each bucket, ascending from 0. Streets with clusters have none.

        Where kinds of boards have buckets of their own, each kind and spread has these intervals.
        """
        sizes = list(zip(STREETS, self.grid, strict=True))
        if self.cells == "textures":
            sizes = [(street, size // textures.classes(street)) for street, size in sizes]
        elif self.cells == "boards":
            sizes = list(INTERVALS.items())
        return {street: self._edges(street, size) for street, size in sizes if street == RIVER or not self.clustered}

    @cached_property
    def clusters(self) -> dict[int, Array]:
        """By street, [K, hands] uint16: the cluster of each hand on each class of boards (cells=histograms, flop and turn)."""
        if not self.clustered:
            return {}
        return {street: histograms.clusters(self.deck, street, self.grid[street - 1]) for street in (FLOP, TURN)}

    def _edges(self, street: int, size: int) -> Array:
        most, even = self.scale(street), self.cells in ("even", "equity", "textures", "boards")
        if self.cells != "equity" and even and street == RIVER:
            return np.array([_least_square(most, place, size) for place in range(size)], np.uint64)
        if even:
            return np.array([-(-place * most // size) for place in range(size)], np.uint64)
        step = 1 if street == RIVER else max(1, most // BINS)
        histogram = self.strengths.histogram(street, step)
        middle = (np.arange(len(histogram)) * (step / most)) ** (2 if street == RIVER and not self.clustered else 1)
        first = _equal_mass(histogram, size) if self.cells == "mass" else _k_means(histogram, middle, size)
        return first.astype(np.uint64) * np.uint64(step)

    @cached_property
    def equity(self) -> tuple[Array, ...]:
        """By street, [buckets] float64: the equity in the middle of each bucket, exact before the flop (cells=equity only)."""
        if self.cells != "equity":
            raise UsageError(f"cells={self.cells} (accepted where a bucket has an equity: equity)")
        by_class = np.zeros(len(self.classes))
        by_class[self._preflop()] = equity_table(self.deck).preflop / self.scale(0)
        return by_class, *((np.arange(size) + 0.5) / size for size in self.grid)

    @cached_property
    def cards(self) -> buckets.Cards:
        """The tables that deals are sampled with."""
        tables, edges = self.tables, self.edges
        flop, turn = (
            self.clusters[street] if self.clustered else _bucketed(tables.table[street], edges[street])
            for street in (FLOP, TURN)
        )
        river_first = np.zeros(len(tables.boards[RIVER].number), np.uint16)
        if self.by_board:
            flop += self._first_buckets(FLOP)
            turn += self._first_buckets(TURN)
            river_first = self._first_buckets(RIVER)
        return tables.dealt_as(
            self.players,
            preflop=self._preflop(),
            flop=flop,
            turn=turn,
            river_bucket=_bucketed(np.arange(self.scale(RIVER) + 1), edges[RIVER]),
            river_first=river_first,
        )

    def _preflop(self) -> Array:
        buckets = np.zeros(self.deck.size * (self.deck.size - 1) // 2, np.uint16)
        index = {name: place for place, name in enumerate(self.classes)}
        for high in range(self.deck.size):
            for low in range(high):
                buckets[self.tables.hand[low, high]] = index[self.class_of((low, high))]
        return buckets

    @cached_property
    def digest(self) -> str:
        """A digest of classes, edges and, where there are clusters, all that they depend on: equal for equal abstractions."""
        digest = hashlib.sha256("\n".join(self.classes).encode())
        if self.cells == "equity":  # equal edges mean something else there
            digest.update(b"E[HS]")
        if self.cells == "textures":
            digest.update(f"textures {textures.VERSION} {self.grid}".encode())
        if self.cells == "boards":
            digest.update(f"boards {CLUSTERS_VERSION} {textures.VERSION} {self.grid}".encode())
        if self.clustered:
            digest.update(f"histograms {histograms.VERSION} {self.grid}".encode())
        for edges in self.edges.values():
            digest.update(edges.tobytes())
        return digest.hexdigest()


def _least_square(most: int, place: int, size: int) -> int:
    """Return the least strength whose square is at least place / size of the greatest square."""
    value = isqrt(place * most**2 // size)
    return value + (value**2 * size < place * most**2)


def _bucketed(table: Array, edges: Array) -> Array:
    found = np.empty(table.shape, np.uint16)
    for row, values in zip(found.reshape(len(table), -1), table.reshape(len(table), -1), strict=True):
        row[:] = np.searchsorted(edges, values, side="right") - 1
    return found


def _equal_mass(histogram: Array, size: int) -> Array:
    """Return the bins where equally frequent intervals begin; the last ones are empty where values are too few."""
    below = np.cumsum(histogram) - histogram
    wanted = np.arange(size) * (histogram.sum() / size)
    first: Array = np.searchsorted(below, wanted, side="left")
    return first


def _k_means(histogram: Array, middle: Array, size: int) -> Array:
    """Return the bins where the clusters of a one-dimensional k-means begin.

    Starts once from equally frequent and once from even intervals, and keeps the result with the smaller sum of squares.
    """
    starts = (_equal_mass(histogram, size), np.searchsorted(middle, middle[-1] * np.arange(size) / size))
    return min((_settle(histogram, middle, first) for first in starts), key=lambda found: found[1])[0]


def _settle(histogram: Array, middle: Array, first: Array) -> tuple[Array, float]:
    """Run Lloyd's algorithm; return (bins where the clusters begin, sum of squared distances)."""
    sums = [np.concatenate([[0.0], np.cumsum(histogram * middle**power)]) for power in range(3)]

    def within(power: int) -> Array:
        found: Array = sums[power][np.append(first[1:], len(histogram))] - sums[power][first]
        return found

    for _ in range(MAX_K_MEANS_STEPS):
        count = within(0)
        centre = np.where(count > 0, within(1) / np.where(count > 0, count, 1), middle[np.minimum(first, len(middle) - 1)])
        moved = np.maximum.accumulate(np.searchsorted(middle, (centre[1:] + centre[:-1]) / 2, side="left"))
        if (moved == first[1:]).all():
            break
        first = np.concatenate([[0], moved])
    count = within(0)
    return first, float((within(2) - np.where(count > 0, within(1) ** 2 / np.where(count > 0, count, 1), 0)).sum())

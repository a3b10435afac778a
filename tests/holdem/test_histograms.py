"""Distribution-aware buckets: exact histograms, the earth mover's distance, clusters that are tighter than other buckets."""

from __future__ import annotations

from itertools import combinations
from math import comb
from random import Random
from zlib import crc32

import numpy as np
import pytest
import scipy  # its parts are imported at their first use

import smoothcall as sc
from smoothcall.games.cards import SHORT, Cards
from smoothcall.holdem import histograms
from smoothcall.holdem.abstraction import Abstraction
from smoothcall.holdem.hand_strength import FLOP, RIVER, TURN, strengths
from smoothcall.holdem.histograms import BINS, clusters, rivers
from smoothcall.kernels.holdem import histograms as kernels
from smoothcall.kernels.holdem.drawing import draw_cards
from smoothcall.kernels.random import seeded
from smoothcall.kernels.tables import Array

GRID = (12, 8, 5)
SHOWN = {FLOP: 3, TURN: 4}


def abstraction(cells: str = "histograms", grid: tuple[int, ...] = GRID) -> Abstraction:
    return Abstraction(SHORT, 2, grid, cells)


def counted(hole: Cards, board: Cards) -> np.ndarray:
    """[BINS] how many run-outs end in each bin of HS, from the strength tables, card by card."""
    tables, most = strengths(SHORT), strengths(SHORT).scale(RIVER)
    left = [card for card in range(SHORT.size) if card not in (*hole, *board)]
    found = np.zeros(BINS, int)
    for more in combinations(left, 5 - len(board)):
        found[min(tables.value(hole, (*board, *more)) * BINS // most, BINS - 1)] += 1
    return found


def histograms_of(boards: Array) -> Array:
    """[boards, hands, BINS] of every hand, summed up from the left; all 0 where hand and board share a card."""
    found = np.empty((len(boards), comb(SHORT.size, 2), BINS), np.int32)
    kernels.count_boards(rivers(SHORT), boards, found)
    return found


@pytest.mark.parametrize("count", [3, pytest.param(100, marks=pytest.mark.long)])
@pytest.mark.parametrize("street", [FLOP, TURN])
def test_histograms_of_boards_are_exact(street: int, count: int) -> None:
    known, random = strengths(SHORT), Random(street)
    boards = known.boards[street].board[random.sample(range(len(known.boards[street].board)), count)]
    for board, histogram in zip(boards.tolist(), histograms_of(boards), strict=True):
        free = [card for card in range(SHORT.size) if card not in board]
        for _ in range(5):
            hole = tuple(random.sample(free, 2))
            expected = counted(hole, tuple(board))
            np.testing.assert_array_equal(histogram[known.hand[hole]], expected.cumsum())
        assert (histogram[known.hand[board[0], free[0]]] == 0).all(), "a hand that shares a card with the board"


@pytest.mark.parametrize("street", [FLOP, TURN])
def test_sampled_histograms_are_those_of_hands_on_the_boards_drawn(street: int) -> None:
    generator, each = seeded(3)[0], 40
    again, found = generator.copy(), np.empty((each, BINS), np.int32)
    kernels.sample_histograms(rivers(SHORT), SHOWN[street], each, generator, found)
    card = np.zeros(SHOWN[street], np.uint8)
    draw_cards(card, SHORT.size, again)
    [every] = histograms_of(np.sort(card)[None])
    every = {tuple(histogram) for histogram in every[every[:, -1] > 0].tolist()}
    assert {tuple(histogram) for histogram in found.tolist()} <= every
    assert len({tuple(histogram) for histogram in found.tolist()}) > each / 2, "different hands"


@pytest.mark.interpreted
def test_the_distance_is_the_earth_movers() -> None:
    """SciPy's Wasserstein distance is the oracle; ours counts run-outs times bins."""
    random = np.random.default_rng(5)
    plain = getattr(kernels.distance, "py_func", kernels.distance)
    for _ in range(50):
        one, other = (random.multinomial(46, random.dirichlet(np.ones(BINS))) for _ in range(2))
        expected = 46 * scipy.stats.wasserstein_distance(np.arange(BINS), np.arange(BINS), one, other)
        assert plain(one.cumsum().astype(np.int32), other.cumsum().astype(np.int32)) == pytest.approx(expected)


@pytest.mark.interpreted
def test_rows_go_to_the_first_of_the_closest_centres() -> None:
    random = np.random.default_rng(6)
    rows, centre = (random.integers(0, 9, (count, 4)).astype(np.int32) for count in (60, 5))
    centre[3] = centre[1]
    found = np.zeros(60, np.uint16)
    kernels.nearest(rows, centre, found)
    apart = np.abs(rows[:, None] - centre).sum(axis=2)
    np.testing.assert_array_equal(found, apart.argmin(axis=1))


@pytest.mark.interpreted
def test_separate_groups_become_clusters() -> None:
    """Three groups far apart are found whatever the start, and centres end at their rounded means."""
    random = np.random.default_rng(7)
    middles = np.array([[0, 0, 10], [200, 300, 300], [10, 290, 300]])
    rows = np.concatenate([middle + random.integers(0, 9, (40, 3)) for middle in middles]).astype(np.int32)
    for seed in range(5):
        centre = np.zeros((3, 3), np.int32)
        kernels.first_centres(rows, seeded(seed)[0], centre)
        assert {tuple(row) for row in centre.tolist()} <= {tuple(row) for row in rows.tolist()}
        assert kernels.settle(rows, centre, 50) < 50
        expected = [np.floor(group.mean(axis=0) + 0.5).astype(int).tolist() for group in np.split(rows, 3)]
        assert sorted(centre.tolist()) == sorted(expected)


def within(of: Abstraction, street: int) -> float:
    """The mean earth mover's distance of the hands on some boards to the mean histogram of their bucket."""
    known, random = strengths(SHORT), np.random.default_rng(9)
    boards = known.boards[street]
    some = random.choice(len(boards.board), 40, p=boards.number / boards.number.sum())
    histogram = histograms_of(boards.board[some])
    bucket = (of.cards.flop if street == FLOP else of.cards.turn)[some]
    free = histogram[:, :, -1] > 0
    total = 0.0
    for each in np.unique(bucket[free]):
        own = histogram[free & (bucket == each)]
        total += np.abs(own - own.mean(axis=0)).sum()
    return total / int(free.sum())


@pytest.mark.parametrize("street", [FLOP, TURN])
def test_clusters_are_tighter_than_intervals(street: int) -> None:
    """With as many buckets, hands of one cluster are distributed more alike than those of an interval of E[HS^2] or E[HS]."""
    clustered, *others = (within(abstraction(cells), street) for cells in ("histograms", "even", "mass", "k-means", "equity"))
    assert clustered < min(others)


@pytest.mark.parametrize(("size", "several"), [(30, 2), pytest.param(100, 4, marks=pytest.mark.long)])
def test_a_draw_and_a_made_hand_of_equal_strength_are_told_apart(size: int, several: int) -> None:
    """E[HS^2] of both is alike to 1 %, and yet the draw is mostly very strong or very weak on the river."""
    random, made, known = Random(2), abstraction(grid=(size, 8, 5)), strengths(SHORT)
    seen: dict[int, list[tuple[Cards, Cards]]] = {}
    for _ in range(1_500):
        cards = random.sample(range(32), 5)
        hole, board = (cards[0], cards[1]), tuple(cards[2:])
        seen.setdefault(known.value(hole, board) * 100 // known.scale(FLOP), []).append((hole, board))
    wide = [cell for cell, hands in seen.items() if len(hands) > 20]
    assert wide
    for cell in wide:
        buckets = {made.bucket(hole, [(), board]) for hole, board in seen[cell]}
        assert len(buckets) >= several, "one interval of E[HS^2] falls into several clusters"


@pytest.mark.parametrize("street", [FLOP, TURN])
def test_clusters_ascend_in_strength(street: int) -> None:
    known, size = strengths(SHORT), GRID[street - 1]
    table = clusters(SHORT, street, size)
    assert table.max() == size - 1
    value, number = known.table[street] / known.scale(street), known.boards[street].number[:, None]
    weight = number * (value > 0)
    mean = np.bincount(table.ravel(), (weight * value).ravel(), size) / np.bincount(table.ravel(), weight.ravel(), size)
    assert mean[0] < mean[size // 2] < mean[-1]
    assert np.corrcoef(mean, np.arange(size))[0, 1] > 0.9


def test_rivers_divide_the_strength_itself() -> None:
    """A distribution that is one number: intervals of HS, found by k-means, not of HS^2."""
    edges = abstraction().edges
    assert set(edges) == {RIVER}
    middle = abstraction("k-means").edges[RIVER]
    assert (edges[RIVER][1:] < middle[1:]).all(), "squares are dense where strengths are low"


def test_clusters_stay_as_agents_on_disk_know_them() -> None:
    """Other tables need another VERSION: the digest of an abstraction depends on it and not on the tables."""
    sums = [crc32(clusters(SHORT, street, GRID[street - 1]).tobytes()) for street in (FLOP, TURN)]
    assert histograms.VERSION == 1
    assert sums == [2250783527, 1848612319]


def test_digests_name_the_clusters() -> None:
    digests = {abstraction(grid=grid).digest for grid in (GRID, (12, 9, 5), (13, 8, 5), (12, 8, 6))}
    assert len(digests | {abstraction("k-means").digest}) == 5
    assert abstraction().digest == abstraction().digest


def test_too_many_clusters_are_refused() -> None:
    with pytest.raises(sc.UsageError, match=r"grid=100/1001/100 \(accepted with cells=histograms: at most 1000"):
        sc.game("limit-holdem:grid=100/1001/100,cells=histograms")

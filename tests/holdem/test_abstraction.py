"""Buckets: exact arithmetic, what each kind of cell promises, and that players and dealers see the same."""

from __future__ import annotations

from fractions import Fraction
from math import floor
from random import Random

import numpy as np
import pytest
import scipy  # its parts are imported at their first use

import smoothcall as sc
from smoothcall.games.cards import SHORT, STANDARD, Cards, Deck
from smoothcall.games.outcomes import every_outcome
from smoothcall.games.rankings import BEST_FIVE
from smoothcall.holdem.abstraction import Abstraction, _equal_mass, _k_means, _least_square
from smoothcall.holdem.equity_table import equity_table
from smoothcall.holdem.hand_strength import FLOP, RIVER, STREETS, TURN
from smoothcall.kernels.holdem import dealing, drawing
from smoothcall.kernels.random import seeded
from tests.conftest import built

FINE = (1000, 500, 200)


def abstraction(deck: Deck = SHORT, grid: tuple[int, ...] = (20, 10, 5), cells: str = "even", players: int = 2) -> Abstraction:
    return Abstraction(deck, players, grid, cells)


def frequencies(of: Abstraction, street: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(E[HS^2], how many boards, bucket) of every hand on every kind of board."""
    tables = of.strengths
    boards, table = tables.boards[street], tables.table[street]
    low, high = np.array([(low, high) for high in range(of.deck.size) for low in range(high)]).T
    free = ~((boards.board[:, :, None] == low) | (boards.board[:, :, None] == high)).any(axis=1)
    value = (table / tables.scale(street)) ** (2 if street == RIVER else 1)
    bucket = of.cards.river_bucket[table] if street == RIVER else of.cards.flop if street == FLOP else of.cards.turn
    return value[free], np.broadcast_to(boards.number[:, None], table.shape)[free], bucket[free]


def variance(of: Abstraction, street: int) -> float:
    """Within buckets."""
    value, number, bucket = frequencies(of, street)
    count = np.bincount(bucket, number)
    centre = np.bincount(bucket, number * value) / np.maximum(count, 1)
    return float((number * (value - centre[bucket]) ** 2).sum() / number.sum())


@pytest.mark.parametrize(
    ("deck", "grid"), [(SHORT, (7, 100, 300)), (SHORT, FINE), pytest.param(STANDARD, FINE, marks=pytest.mark.long)]
)
def test_even_cells_are_exact(deck: Deck, grid: tuple[int, ...]) -> None:
    """Bucket b of n holds b/n <= E[HS^2] < (b+1)/n, the last one 1 too: in whole numbers, over the whole tables."""
    of = abstraction(deck, grid)
    for street, size, bucketed in ((FLOP, grid[0], of.cards.flop), (TURN, grid[1], of.cards.turn)):
        table, scale = of.strengths.table[street].astype(np.uint64), np.uint64(of.strengths.scale(street))
        np.testing.assert_array_equal(bucketed, np.minimum(table * np.uint64(size) // scale, size - 1))
        assert of.cards.flop.max() == grid[0] - 1
    scale, size = of.strengths.scale(RIVER), grid[2]
    expected = [min(floor(Fraction(strength, scale) ** 2 * size), size - 1) for strength in range(scale + 1)]
    assert of.cards.river_bucket.tolist() == expected


@pytest.mark.parametrize("grid", [(7, 100, 300), FINE], ids=str)
def test_cells_of_positions_are_exact(grid: tuple[int, ...]) -> None:
    """Bucket b of n holds b/n <= E[HS] < (b+1)/n, the last one 1 too, on every street: in whole numbers, over the tables."""
    of, tables = abstraction(SHORT, grid, "equity"), equity_table(SHORT)
    for street, size, bucketed in ((FLOP, grid[0], of.cards.flop), (TURN, grid[1], of.cards.turn)):
        table, scale = tables.table[street].astype(np.uint64), np.uint64(tables.scale(street))
        np.testing.assert_array_equal(bucketed, np.minimum(table * np.uint64(size) // scale, size - 1))
    scale, size = tables.scale(RIVER), grid[2]
    assert of.cards.river_bucket.tolist() == [min(strength * size // scale, size - 1) for strength in range(scale + 1)]


def test_cells_of_positions_of_52_cards() -> None:
    of, tables, random = abstraction(STANDARD, FINE, "equity"), equity_table(STANDARD), Random(3)
    for _ in range(300):
        cards = random.sample(range(52), 7)
        boards = [(), tuple(cards[2:5]), (cards[5],), (cards[6],)]
        for street, size in zip(STREETS, FINE, strict=True):
            value = tables.value((cards[0], cards[1]), tuple(cards[2 : 4 + street]))
            found = of.bucket((cards[0], cards[1]), boards[: street + 1])
            assert found == min(value * size // tables.scale(street), size - 1)


def test_buckets_of_positions_have_one() -> None:
    """The class's own before the flop, the middle of an interval after it."""
    of, random = abstraction(SHORT, (20, 10, 5), "equity"), Random(6)
    assert tuple(map(len, of.equity)) == of.counts
    for _ in range(300):
        cards = random.sample(range(32), 7)
        hole, boards = (cards[0], cards[1]), [(), tuple(cards[2:5]), (cards[5],), (cards[6],)]
        for street, size in enumerate((None, *of.grid)):
            exact = equity_table(SHORT).of(hole, tuple(cards[2 : 2 + (0, 3, 4, 5)[street]]))
            middle = of.equity[street][of.bucket(hole, boards[: street + 1])]
            assert abs(middle - exact) <= (1e-12 if size is None else 0.5 / size + 1e-12)
    assert of.equity[0].argmax() == of.classes.index("AA")
    with pytest.raises(sc.UsageError, match="cells=even"):
        _ = abstraction().equity


def test_what_cells_divide_is_part_of_the_digest() -> None:
    digests = [abstraction(grid=(1, 1, 1), cells=cells).digest for cells in ("even", "mass", "k-means", "equity")]
    assert len(set(digests)) == 2, "one bucket of E[HS^2] is the same whatever the cells"
    assert digests[3] not in digests[:3]


@pytest.mark.interpreted
@pytest.mark.parametrize(
    ("deck", "grid", "digest"),
    [
        (SHORT, (20, 10, 5), "6a02538d86027983"),
        (SHORT, FINE, "07c9f03ac3eeb86e"),
        (STANDARD, (20, 10, 5), "94311c39241c5a08"),
        (STANDARD, FINE, "fab5dd904e07718f"),
    ],
    ids=str,
)
def test_digests_stay_as_agents_on_disk_know_them(deck: Deck, grid: tuple[int, ...], digest: str) -> None:
    assert abstraction(deck, grid).digest.startswith(digest)


@pytest.mark.interpreted
@pytest.mark.parametrize("scale", [600, 1980])
@pytest.mark.parametrize("size", [1, 2, 3, 7, 9, 100, 200, 225, 1000])
def test_least_squares_are_exact(scale: int, size: int) -> None:
    """Also where place / size is a square of a fraction and floating point may fall on either side."""
    for place in range(size):
        least = _least_square(scale, place, size)
        assert Fraction(least, scale) ** 2 >= Fraction(place, size)
        assert least == 0 or Fraction(least - 1, scale) ** 2 < Fraction(place, size)


@pytest.mark.parametrize("street", STREETS)
def test_mass_cells_are_equally_frequent(street: int) -> None:
    of = abstraction(grid=(20, 20, 10), cells="mass")
    value, number, bucket = frequencies(of, street)
    size = of.grid[street - 1]
    share = np.bincount(bucket, number, size) / number.sum()
    assert len(share) == size
    largest = np.bincount(np.unique(value, return_inverse=True)[1].reshape(-1), number).max() / number.sum()
    assert abs(share - 1 / size).max() < largest + 0.0002, "but for what one value holds"


@pytest.mark.parametrize("street", STREETS)
@pytest.mark.parametrize("grid", [(20, 10, 5), (100, 100, 100)], ids=str)
def test_k_means_cells_are_the_tightest(street: int, grid: tuple[int, ...]) -> None:
    clustered, *others = (variance(abstraction(grid=grid, cells=cells), street) for cells in ("k-means", "even", "mass"))
    assert clustered <= min(others)


@pytest.mark.parametrize("cells", ["even", "mass", "k-means", "equity"])
@pytest.mark.parametrize("grid", [(20, 10, 5), (100, 100, 100), (1000, 500, 900), (1, 1, 1)], ids=str)
def test_edges_ascend_from_nothing(cells: str, grid: tuple[int, ...]) -> None:
    edges = abstraction(grid=grid, cells=cells).edges
    for street, size in zip(STREETS, grid, strict=True):
        assert len(edges[street]) == size
        assert edges[street][0] == 0
        assert (edges[street][1:] >= edges[street][:-1]).all()


@pytest.mark.interpreted
def test_histograms_are_cut_as_they_should() -> None:
    histogram = np.array([5, 0, 5, 10, 0, 0, 20])
    assert _equal_mass(histogram, 2).tolist() == [0, 4]
    assert _equal_mass(histogram, 1).tolist() == [0]
    assert _equal_mass(np.ones(100, int), 4).tolist() == [0, 25, 50, 75]
    middle = np.arange(7.0)
    assert _k_means(histogram, middle, 2).tolist()[0] == 0
    assert 4 <= _k_means(histogram, middle, 2)[1] <= 6, "the 20 alone"


CASES: list[tuple[Deck, int, tuple[int, ...], str]] = [
    (SHORT, 2, (100, 100, 100), "even"),
    (SHORT, 3, FINE, "mass"),
    (SHORT, 4, (20, 10, 5), "k-means"),
    (SHORT, 2, (20, 10, 5), "equity"),
    (SHORT, 2, (108, 54, 36), "textures"),
    (STANDARD, 2, FINE, "even"),
    (SHORT, 3, (12, 8, 5), "histograms"),  # to make the buckets of these takes long
    (STANDARD, 2, (54, 108, 90), "textures"),
    (SHORT, 2, (600, 300, 160), "boards"),
]


@pytest.mark.parametrize(
    ("count", "cases"), [(25, CASES[:6]), pytest.param(2_000, CASES, marks=pytest.mark.long)], ids=["few", "many"]
)
def test_players_and_dealers_see_the_same(count: int, cases: list[tuple[Deck, int, tuple[int, ...], str]]) -> None:
    """Deals sampled once by the kernel and once card by card: `bucket` in Python and the rules' hand order are the oracles."""
    for deck, players, grid, cells in cases:
        of = abstraction(deck, grid, cells, players)
        bucket, outcome = np.zeros((count, players, 4), np.int32), np.zeros(count, np.uint32)
        generator = seeded(7)[0]
        again = generator.copy()
        dealing.deal_many(of.cards, bucket, outcome, generator)
        for deal in range(count):
            card = np.zeros(2 * players + 5, np.uint8)
            drawing.draw_cards(card, deck.size, again)
            cards: list[int] = card.tolist()
            assert len(set(cards)) == len(cards)
            assert max(cards) < deck.size
            holes = [tuple(cards[2 * player : 2 * player + 2]) for player in range(players)]
            board = cards[2 * players :]
            boards: list[Cards] = [(), tuple(board[:3]), (board[3],), (board[4],)]
            for player, street in np.ndindex(players, 4):
                assert bucket[deal, player, street] == of.bucket(holes[player], boards[: street + 1])
            strength = np.array([BEST_FIVE.strength(deck, hole, tuple(board)) for hole in holes])
            order = every_outcome(players)[1][outcome[deal]]
            np.testing.assert_array_equal(
                np.sign(order[:, None] - order), np.sign(strength[:, None] - strength), err_msg=f"deal {deal}"
            )
        np.testing.assert_array_equal(generator, again)


@pytest.mark.interpreted
@pytest.mark.parametrize(("players", "count"), [(2, 3), (3, 13), (4, 75), (5, 541)])  # ordered Bell numbers
def test_outcomes_are_all_ways_to_compare(players: int, count: int) -> None:
    index, orders = every_outcome(players)
    assert len(orders) == count
    compared = {tuple(np.sign(order[:, None] - order).reshape(-1)) for order in orders}
    assert len(compared) == count, "no two compare alike"
    for place, order in enumerate(orders):
        better = [int((order > own).sum()) for own in order]
        assert index[sum(digit * players**player for player, digit in enumerate(better))] == place


def test_cards_are_drawn_evenly() -> None:
    """Chi-square of each place alone and of two places together; fixed seeds, so it cannot fail by chance."""
    for size in (32, 52):
        generator = seeded(11)[0]
        sampled = np.zeros((60_000, 9), np.uint8)
        for cards in sampled:
            drawing.draw_cards(cards, size, generator)
        for place in range(9):
            count = np.bincount(sampled[:, place], minlength=size)
            expected = len(sampled) / size
            assert ((count - expected) ** 2 / expected).sum() < scipy.stats.chi2.ppf(0.9999, size - 1)
        for one, other in ((0, 1), (3, 8)):
            count = np.bincount(sampled[:, one].astype(int) * size + sampled[:, other], minlength=size * size).reshape(
                size, size
            )
            assert (np.diag(count) == 0).all()
            expected = len(sampled) / (size * (size - 1))
            off = count[~np.eye(size, dtype=bool)]
            assert ((off - expected) ** 2 / expected).sum() < scipy.stats.chi2.ppf(0.9999, size * (size - 1) - 1)


@pytest.mark.parametrize("spec", ["leduc", "no-limit-holdem-32:menu=pot,grid=20/10/5"])
def test_cuts_of_deals_do_not_matter(spec: str) -> None:
    whole, parts = built(spec).dealer(5), built(spec).dealer(5)
    bucket, outcome = whole.deal(1500)
    some = [parts.deal(count) for count in (300, 700, 1, 0, 499)]
    np.testing.assert_array_equal(np.concatenate([deal[0] for deal in some]), bucket)
    np.testing.assert_array_equal(np.concatenate([deal[1] for deal in some]), outcome)
    assert (built(spec).dealer(6).deal(1500)[0] != bucket).any()


def test_dealt_classes_and_outcomes_are_as_frequent_as_they_should_be() -> None:
    """12 of 1,326 offsuit hands, 4 suited, 6 pairs; both players win as often, and see buckets that go with it."""
    game = built("limit-holdem")
    of = game.abstraction
    assert of is not None
    bucket, outcome = game.dealer(1).deal(400_000)
    ways = [6 if len(name) == 2 else 4 if name[2] == "s" else 12 for name in of.classes]
    assert sum(ways) == 1326
    for player in (0, 1):
        expected = np.array(ways) * len(bucket) / 1326
        count = np.bincount(bucket[:, player, 0], minlength=169)
        assert ((count - expected) ** 2 / expected).sum() < 260  # chi-square of 168: 1 in 100,000
    better = every_outcome(2)[1][outcome]
    wins = [(better[:, player] > better[:, 1 - player]).mean() for player in (0, 1)]
    assert abs(wins[0] - wins[1]) < 0.005
    rivers = bucket[:, :, 3]
    assert ((rivers[:, 0] > rivers[:, 1]) <= (better[:, 0] >= better[:, 1])).mean() > 0.8


@pytest.mark.interpreted
def test_classes() -> None:
    of = abstraction(STANDARD)
    assert len(of.classes) == len(set(of.classes)) == 169
    assert len(abstraction(SHORT).classes) == 8 * 8
    assert of.classes[:3] == ("AA", "AKs", "AKo")
    for text, name in (("AhKh", "AKs"), ("KhAh", "AKs"), ("AhKd", "AKo"), ("2c2d", "22"), ("2cTd", "T2o")):
        assert of.class_of(STANDARD.parse(text)) == name


def test_a_change_of_suits_changes_nothing() -> None:
    of, random = abstraction(STANDARD, FINE), Random(4)
    for _ in range(300):
        cards, suits = random.sample(range(52), 7), random.sample(range(4), 4)
        changed = [card // 4 * 4 + suits[card % 4] for card in cards]
        for street in range(4):
            seen = []
            for hand in (cards, changed, [cards[1], cards[0], *cards[2:]], [*cards[:2], *cards[2:5][::-1], *cards[5:]]):
                boards = [(), tuple(hand[2:5]), (hand[5],), (hand[6],)]
                seen.append(of.bucket((hand[0], hand[1]), boards[: street + 1]))
            assert len(set(seen)) == 1


@pytest.mark.interpreted
@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("limit-holdem:grid=XL", "grid=XL"),
        ("limit-holdem:grid=100/100", "grid=100/100"),
        ("limit-holdem:grid=100/100/0", "grid=100/100/0"),
        ("limit-holdem:grid=100/100/1001", "at most 1000 on the river"),
        ("limit-holdem:grid=100/1.5/100", "grid=100/1.5/100"),
        ("limit-holdem:grid=", "grid="),
        ("limit-holdem:cells=odd", "cells=odd"),
        ("limit-holdem:suits=apart", "unknown option of limit-holdem 'suits'"),
        ("leduc:grid=S", "unknown option of leduc 'grid'"),
        ("no-limit-holdem:seats=7", "7 players"),
    ],
)
def test_wrong_grids(spec: str, message: str) -> None:
    with pytest.raises(sc.UsageError) as caught:
        sc.game(spec)
    assert message in str(caught.value)

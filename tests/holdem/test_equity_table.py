"""EquityTable against enumeration, against showdowns counted another way and against published ones; estimates against them."""

from __future__ import annotations

from itertools import combinations
from math import comb
from random import Random

import numpy as np
import pytest
import scipy  # its parts are imported at their first use

from smoothcall.errors import UsageError
from smoothcall.evaluation.local_best_response import preflop_scores
from smoothcall.games.cards import SHORT, STANDARD, Cards, Deck
from smoothcall.games.outcomes import every_outcome
from smoothcall.games.rankings import BEST_FIVE
from smoothcall.holdem.equity_table import PARTS, PREFLOP, equity_table, simulated, simulation_error
from smoothcall.holdem.evaluator import evaluator
from smoothcall.holdem.hand_strength import FLOP, RIVER, STREETS, TURN, strengths
from smoothcall.kernels.holdem import dealing, drawing
from smoothcall.kernels.random import seeded
from smoothcall.kernels.tables import Array
from tests.holdem.test_hand_strength import decks, draws, enumerated

# All-in against a random hand, exactly, ties half: jazbo.com/poker/huholdem.html
PUBLISHED = {
    "AhAs": 0.8520371, "KhKs": 0.8239568, "JcJd": 0.7746947, "TcTd": 0.7501178, "9c9h": 0.7205725, "8d8h": 0.6916304,
    "AhKh": 0.6704463, "7c7s": 0.6623602, "Ac4c": 0.5903364, "Ah7d": 0.5884120, "QcJd": 0.5813469, "Kd2d": 0.5321173,
    "9h6h": 0.4742829, "Js2s": 0.4737815, "8c5d": 0.4142753, "6h4h": 0.4133332, "7d3d": 0.4003594,
}  # fmt: skip


def coming(deck: Deck, hole: Cards, board: Cards) -> list[Cards]:
    """Every complete board."""
    left = [card for card in range(deck.size) if card not in (*hole, *board)]
    return [(*board, *cards) for cards in combinations(left, 5 - len(board))]


def expected(deck: Deck, hole: Cards, board: Cards) -> float:
    rivers = coming(deck, hole, board)
    return sum(enumerated(deck, hole, rivers)) / (len(rivers) * 2 * comb(deck.size - 7, 2))


@decks
@pytest.mark.parametrize(("street", "count"), [(RIVER, 60), (TURN, 9), (FLOP, 3)], ids=["rivers", "turns", "flops"])
def test_positions_are_those_of_all_games(deck: Deck, street: int, count: int) -> None:
    for hole, board in draws(deck, count if deck is SHORT else -(-count // 3), 5):
        board = board[: street + 2]
        assert equity_table(deck).of(hole, board) == pytest.approx(expected(deck, hole, board), abs=1e-12)


def test_one_turn_by_the_rules_alone() -> None:
    """Every river and every hand of the opponent, compared by `games.rankings`."""
    hole, board = SHORT.parse("AhTh"), SHORT.parse("Td9hAs7h")
    won = rollouts = 0.0
    for river in coming(SHORT, hole, board):
        own = BEST_FIVE.strength(SHORT, hole, river)
        for other in combinations([card for card in range(SHORT.size) if card not in (*hole, *river)], 2):
            theirs = BEST_FIVE.strength(SHORT, other, river)
            won, rollouts = won + (own > theirs) + (own == theirs) / 2, rollouts + 1
    assert rollouts == 26 * 300
    assert equity_table(SHORT).of(hole, board) == pytest.approx(won / rollouts, abs=1e-12)


@pytest.mark.parametrize("cards", PUBLISHED)
def test_published_positions_before_the_flop(cards: str) -> None:
    assert equity_table(STANDARD).of(STANDARD.parse(cards), ()) == pytest.approx(PUBLISHED[cards], abs=5.1e-8)


def test_positions_before_the_flop_are_those_of_all_showdowns() -> None:
    """Of all hands of 32 cards: wins less losses against every other hand on every board, counted by another kernel."""
    scores, tables = preflop_scores(SHORT), equity_table(SHORT)
    rollouts = comb(30, 2) * comb(28, 5)
    twice = rollouts + scores.sum(axis=1, dtype=np.int64)  # 2 * wins + ties
    for hand in range(len(scores)):
        assert int(tables.preflop[hand]) * 2 * rollouts == int(twice[hand]) * tables.scale(PREFLOP)


@decks
def test_each_street_is_the_mean_of_the_next(deck: Deck) -> None:
    of, random = equity_table(deck).of, Random(1)
    for street in (FLOP, TURN):
        cards = random.sample(range(deck.size), 4 + street)
        hole, board = (cards[0], cards[1]), tuple(cards[2:])
        after = [of(hole, (*board, card)) for card in range(deck.size) if card not in cards]
        assert of(hole, board) == pytest.approx(np.mean(after), abs=1e-12)
    flops = combinations([card for card in range(SHORT.size) if card not in (3, 17)], 3)
    assert equity_table(SHORT).of((3, 17), ()) == pytest.approx(
        np.mean([equity_table(SHORT).of((3, 17), f) for f in flops]), abs=1e-12
    )


@decks
def test_what_one_wins_the_other_loses(deck: Deck) -> None:
    """On every board the hands have half on average: in whole numbers."""
    tables = equity_table(deck)
    assert 2 * sum(map(int, tables.preflop)) == comb(deck.size, 2) * tables.scale(PREFLOP)
    for street in STREETS:
        sums = tables.table[street].sum(axis=1, dtype=np.int64)
        assert (2 * sums == comb(deck.size - street - 2, 2) * tables.scale(street)).all()
        assert tables.table[street].max() <= tables.scale(street)
    assert tables.table[RIVER] is strengths(deck).table[RIVER], "not kept twice"


@decks
def test_names_of_suits_and_orders_of_cards_change_nothing(deck: Deck) -> None:
    of, random = equity_table(deck).of, Random(2)
    for _ in range(50):
        cards, suits = random.sample(range(deck.size), 7), random.sample(range(4), 4)
        changed = [card // 4 * 4 + suits[card % 4] for card in cards]
        for count in (0, 3, 4, 5):
            (one, other), board = changed[:2], changed[2 : 2 + count]
            again = of((other, one), tuple(random.sample(board, count)))
            assert of((cards[0], cards[1]), tuple(cards[2 : 2 + count])) == again


@pytest.mark.parametrize(("deck", "players"), [(SHORT, 2), (SHORT, 3), (STANDARD, 2)], ids=["32", "32, 3 players", "52"])
def test_the_kernel_deals_positions(deck: Deck, players: int) -> None:
    tables, count = equity_table(deck), 300
    dealt, outcome = np.zeros((count, players, 4), np.int32), np.zeros(count, np.uint32)
    generator = seeded(3)[0]
    again = generator.copy()
    dealing.deal_many(tables.cards(players), dealt, outcome, generator)
    card = np.zeros(2 * players + 5, np.uint8)
    for deal in range(count):
        drawing.draw_cards(card, deck.size, again)
        cards: list[int] = card.tolist()
        board = tuple(cards[2 * players :])
        holes = [(cards[2 * player], cards[2 * player + 1]) for player in range(players)]
        for player, street in np.ndindex(players, 4):
            equity = tables.of(holes[player], board[: street + 2] if street else ())
            assert abs(dealt[deal, player, street] - equity * PARTS) <= 0.5 + 1e-6
        strength = [BEST_FIVE.strength(deck, hole, board) for hole in holes]
        order = every_outcome(players)[1][outcome[deal]]
        assert (np.argsort(order, kind="stable") == np.argsort(strength, kind="stable")).all()
    np.testing.assert_array_equal(generator, again)


def won(deck: Deck, hole: Cards, board: Cards, rollouts: int, generator: Array) -> int:
    """What `deal_estimated` counts."""
    visible, unseen = np.array([*hole, *board], np.int32), np.zeros(deck.size, np.uint8)
    return drawing.count_won(evaluator(deck), visible, len(visible), rollouts, unseen, generator)


@pytest.mark.parametrize(("deck", "players"), [(SHORT, 2), (SHORT, 3), (STANDARD, 2)], ids=["32", "32, 3 players", "52"])
def test_the_kernel_deals_estimates(deck: Deck, players: int) -> None:
    """Of the same hands as without; right on average, and off as shares of a hundred rollouts are (without ties, at most)."""
    cards, count, rollouts = equity_table(deck).cards(players), 10_000, 100
    exact, estimate = np.zeros((2, count, players, 4), np.int32)
    outcome, same = np.zeros((2, count), np.uint32)
    generator, again = seeded(3)[0], seeded(3)[0]
    dealing.deal_many(cards, exact, outcome, generator)
    dealing.deal_estimated(cards, rollouts, PARTS, estimate, same, again, seeded(4)[0])
    np.testing.assert_array_equal(same, outcome)
    np.testing.assert_array_equal(again, generator)
    halves = estimate / PARTS * 2 * rollouts
    assert abs(halves - halves.round()).max() <= rollouts / PARTS + 1e-9, "shares of the rollouts, ties counting half"
    assert 0 <= estimate.min() <= estimate.max() <= PARTS
    off, binomial = (estimate - exact) / PARTS, exact / PARTS * (1 - exact / PARTS) / rollouts
    for street in range(4):
        each, wanted = off[:, :, street].reshape(-1), binomial[:, :, street].mean()
        assert abs(each.mean()) < 4 * each.std() / len(each) ** 0.5
        assert 0.8 * wanted < each.var() < wanted


def test_estimates_may_be_dealt_in_any_batches() -> None:
    cards = equity_table(SHORT).cards(2)
    found = []
    for cuts in ((1200,), (1, 511, 600, 88), (513, 687)):
        dealt, outcome, at = np.zeros((1200, 2, 4), np.int32), np.zeros(1200, np.uint32), 0
        generators = seeded(5, 2)
        for count in cuts:
            dealing.deal_estimated(cards, 3, PARTS, dealt[at : at + count], outcome[at : at + count], *generators)
            at += count
        found.append((dealt, outcome, generators))
    for other in found[1:]:
        for one, two in zip(found[0], other, strict=True):
            np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("board", ["Td9hAs7h", "Td9hAs7hKc", "AdAcTdTcKs"])
def test_single_games_are_won_tied_and_lost_as_often_as_all_games_are(board: str) -> None:
    """By the rules, on a turn and on rivers."""
    hole, seen, generator, count = SHORT.parse("AhTh"), SHORT.parse(board), seeded(6)[0], 20_000
    every = np.zeros(3)
    for river in coming(SHORT, hole, seen):
        own = BEST_FIVE.strength(SHORT, hole, river)
        for other in combinations([card for card in range(SHORT.size) if card not in (*hole, *river)], 2):
            theirs = BEST_FIVE.strength(SHORT, other, river)
            every[(own > theirs) + (own >= theirs)] += 1
    found = np.bincount([won(SHORT, hole, seen, 1, generator) for _ in range(count)], minlength=3)
    possible = every > 0
    assert found[~possible].sum() == 0
    assert scipy.stats.chisquare(found[possible], every[possible] / every.sum() * count).pvalue > 1e-4
    hundred = np.array([won(SHORT, hole, seen, 100, generator) for _ in range(2_000)]) / 2
    mean, square = every @ [0, 0.5, 1] / every.sum(), every @ [0, 0.25, 1] / every.sum()
    assert hundred.var() == pytest.approx(100 * (square - mean**2), rel=4 * (2 / 2_000) ** 0.5), "a hundred times one"


@pytest.mark.parametrize("count", [2, 5, 6, 7])
def test_simulated_games_draw_every_unseen_card_alike(count: int) -> None:
    visible, unseen, generator = np.arange(3, 3 + count, dtype=np.int32), np.zeros(SHORT.size, np.uint8), seeded(7)[0]
    left, repeats = SHORT.size - count, 20_000
    sampled = np.zeros((9 - count, SHORT.size))
    for _ in range(repeats):
        drawing.count_won(evaluator(SHORT), visible, count, 2, unseen, generator)
        sampled[np.arange(9 - count), unseen[: 9 - count]] += 1
    assert sorted(unseen[:left].tolist()) == [card for card in range(SHORT.size) if not 3 <= card < 3 + count]
    assert sampled[:, visible].sum() == 0
    for place in sampled:
        assert scipy.stats.chisquare(np.delete(place, visible)).pvalue > 1e-4


def test_certain_games() -> None:
    """A royal flush beats everybody; where it lies on the board everybody ties, exactly and in each simulated game."""
    royal, other, generator = STANDARD.parse("AhKhQhJhTh"), STANDARD.parse("2c2d"), seeded(1)[0]
    for hole, board, equity in ((royal[:2], (*royal[2:], *other), 1.0), (other, royal, 0.5), (royal[:2], royal[2:], 1.0)):
        assert equity_table(STANDARD).of(hole, board) == equity
        assert simulated(STANDARD, hole, board, generator) == equity
        assert won(STANDARD, hole, board, 100, generator) == 200 * equity
    assert equity_table(STANDARD).cards(2).river_bucket[[0, -1]].tolist() == [0, PARTS]


@decks
@pytest.mark.parametrize("count", [0, 3, 4, 5])
def test_simulated_games_come_close_and_are_repeatable(deck: Deck, count: int) -> None:
    hole, board = draws(deck, 1, 8)[0]
    board, rollouts = board[:count], 40_000
    found = simulated(deck, hole, board, seeded(2)[0], rollouts)
    assert abs(found - equity_table(deck).of(hole, board)) < 4 * 0.5 / rollouts**0.5
    assert found == simulated(deck, hole, board, seeded(2)[0], rollouts)
    assert found != simulated(deck, hole, board, seeded(3)[0], rollouts)
    assert simulated(deck, hole, board, seeded(2)[0]) * 200 == pytest.approx(round(found * 200), abs=40), "a hundred games"


@pytest.mark.parametrize("street", [PREFLOP, RIVER], ids=["before the flop", "on the river"])
def test_the_error_of_a_hundred_games_is_that_of_theory(street: int) -> None:
    """The variance of a hundred rollouts that tie nowhere is p (1 - p) / 100, at most 0.05 squared: ties make it less."""
    found = simulation_error(SHORT, street, spots=400)
    assert 0.9 * found.expected < found.deviation < found.expected < 0.05
    assert abs(found.bias) < 4 * found.deviation / (400 * 20) ** 0.5
    assert found.error == pytest.approx(found.deviation * (2 / np.pi) ** 0.5, rel=0.08), "as a bell's, all but"


@pytest.mark.parametrize(
    ("hole", "board", "message"),
    [
        ((0,), (), "1 hole cards and 0"),
        ((0, 1, 2), (), "3 hole cards"),
        ((0, 1), (2,), "1 on the board .accepted: 2, and 0, 3, 4 or 5"),
        ((0, 1), (2, 3), "2 on the board"),
        ((0, 1), (2, 3, 4, 5, 6, 7), "6 on the board"),
        ((0, 0), (), "different ones from 0 to 31"),
        ((0, 1), (2, 3, 1), "different ones"),
        ((0, 32), (), "from 0 to 31"),
        ((0, -1), (2, 3, 4), "from 0 to 31"),
    ],
    ids=str,
)
def test_wrong_spots_are_refused(hole: Cards, board: Cards, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        equity_table(SHORT).of(hole, board)
    with pytest.raises(UsageError, match=message):
        simulated(SHORT, hole, board, seeded(0)[0])


def test_other_wrong_input_is_refused() -> None:
    with pytest.raises(UsageError, match="rollouts=0"):
        simulated(SHORT, (0, 1), (), seeded(0)[0], 0)
    with pytest.raises(UsageError, match="7 players"):
        equity_table(SHORT).cards(7)
    with pytest.raises(UsageError, match="street=4"):
        simulation_error(SHORT, 4)

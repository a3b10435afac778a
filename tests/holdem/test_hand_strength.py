"""Hand strengths against enumeration, and boards up to a change of suits against all 24 of them."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from itertools import combinations, permutations
from math import comb
from random import Random

import numpy as np
import pytest

from smoothcall.games.cards import SHORT, STANDARD, Cards, Deck
from smoothcall.holdem.evaluator import evaluator
from smoothcall.holdem.hand_strength import FLOP, RIVER, STREETS, TURN, strengths
from smoothcall.kernels.holdem.evaluator import evaluate_hands
from tests.conftest import GOLDEN

SIZE = {FLOP: 3, TURN: 4, RIVER: 5}  # cards on the board
decks = pytest.mark.parametrize("deck", [SHORT, STANDARD], ids=["32 cards", "52 cards"])
streets = pytest.mark.parametrize("street", STREETS, ids=["flop", "turn", "river"])


def images(cards: Cards) -> list[Cards]:
    """Cards after each of the 24 changes of suits, in their order."""
    return [tuple(card // 4 * 4 + change[card % 4] for card in cards) for change in permutations(range(4))]


@cache
def kinds(deck: Deck, street: int) -> dict[Cards, int]:
    boards = strengths(deck).boards[street].board.tolist()
    return {tuple(board): kind for kind, board in enumerate(boards)}


def looked_up(deck: Deck, hole: Cards, board: Cards) -> int:
    """The table's value, found by trying all changes of suits until one leads to a board that stands for its kind."""
    street = len(board) - 2
    for image in images((*hole, *board)):
        kind = kinds(deck, street).get(tuple(sorted(image[2:])))
        if kind is not None:
            low, high = sorted(image[:2])
            return int(strengths(deck).table[street][kind, high * (high - 1) // 2 + low])
    raise AssertionError(f"no change of suits brings {board} to one that stands for its kind")


def enumerated(deck: Deck, hole: Cards, boards: list[Cards]) -> list[int]:
    """2 * wins + ties over every hand an opponent can hold, on each of some rivers, by evaluating all of them."""
    found = []
    for board in boards:
        left = [card for card in range(deck.size) if card not in (*hole, *board)]
        hands = np.array([(*hole, *board), *((*other, *board) for other in combinations(left, 2))], np.uint8)
        value = np.zeros(len(hands), np.uint16)
        evaluate_hands(evaluator(deck), hands, value)
        found.append(int(2 * (value[1:] < value[0]).sum() + (value[1:] == value[0]).sum()))
    return found


def draws(deck: Deck, count: int, seed: int) -> list[tuple[Cards, Cards]]:
    """Some (hole cards, boards), from the random and the special."""
    random, found = Random(seed), []
    for number in range(count):
        cards = list(range(deck.size))
        if number % 3 == 1:
            cards = [card for card in cards if card % 4 < 2]  # two suits: flushes
        if number % 3 == 2:
            cards = cards[-16:]  # few ranks: ties, full houses
        sampled = random.sample(cards, 7)
        found.append((tuple(sampled[:2]), tuple(sampled[2:])))
    return found


@decks
def test_rivers(deck: Deck) -> None:
    for hole, board in draws(deck, 90, 1):
        assert looked_up(deck, hole, board) == enumerated(deck, hole, [board])[0]


@decks
def test_turns(deck: Deck) -> None:
    for hole, board in draws(deck, 9, 2):
        board = board[:4]
        rivers = [(*board, card) for card in range(deck.size) if card not in (*hole, *board)]
        assert len(rivers) == deck.size - 6
        assert looked_up(deck, hole, board) == sum(strength**2 for strength in enumerated(deck, hole, rivers))


@pytest.mark.parametrize(("deck", "count"), [(SHORT, 6), (STANDARD, 2)], ids=["32 cards", "52 cards"])
def test_flops(deck: Deck, count: int) -> None:
    for hole, board in draws(deck, count, 3):
        board = board[:3]
        left = [card for card in range(deck.size) if card not in (*hole, *board)]
        rivers = [(*board, *cards) for cards in combinations(left, 2)]
        assert looked_up(deck, hole, board) == 2 * sum(strength**2 for strength in enumerated(deck, hole, rivers))


@decks
def test_strengths_balance_on_every_river(deck: Deck) -> None:
    """Of any two hands that can meet, the better has 2 of the other, or each has 1: a board's strengths sum to the meetings."""
    table = strengths(deck).table[RIVER]
    meetings = comb(deck.size - 5, 2) * comb(deck.size - 7, 2)
    assert (table.sum(axis=1, dtype=np.int64) == meetings).all()
    assert table.max() == strengths(deck).scale(RIVER), "the nuts beat everybody"


@decks
def test_streets_sum_up(deck: Deck) -> None:
    """Every turn board comes of four flops, and every river board of five turns."""
    tables = strengths(deck)

    def total(street: int, power: int = 1) -> int:
        sums = [int((row.astype(object) ** power).sum()) if power > 1 else int(row.sum()) for row in tables.table[street]]
        return sum(int(number) * row for number, row in zip(tables.boards[street].number, sums, strict=True))

    assert total(FLOP) == 4 * total(TURN)
    if deck is SHORT:
        assert total(TURN) == 5 * total(RIVER, 2)
    for street in STREETS:
        assert int(tables.table[street].max()) <= tables.scale(street)


@decks
@streets
def test_hands_that_meet_the_board_have_none(deck: Deck, street: int) -> None:
    table, boards = strengths(deck).table[street], strengths(deck).boards[street].board
    for kind in range(0, len(boards), len(boards) // 50):
        for high in range(deck.size):
            for low in range(high):
                if {low, high} & set(boards[kind].tolist()):
                    assert table[kind, high * (high - 1) // 2 + low] == 0


def test_kinds_of_boards_are_counted_as_published() -> None:
    golden = json.loads((GOLDEN / "holdem.json").read_text())["canonical_counts"]
    counts = [len(strengths(STANDARD).boards[street].board) for street in STREETS]
    assert counts == [golden["flops"], golden["boards_4_cards_unordered"], golden["boards_5_cards_unordered"]]
    assert counts == [1755, 16432, 134459]


@decks
@streets
def test_kinds_stand_for_all_boards(deck: Deck, street: int) -> None:
    boards, cards = strengths(deck).boards[street], SIZE[street]
    assert boards.number.sum() == comb(deck.size, cards) == len(boards.index)
    np.testing.assert_array_equal(boards.number, np.bincount(boards.index >> np.uint32(8)))


@pytest.mark.parametrize(
    ("deck", "street"),
    [(SHORT, FLOP), (SHORT, TURN), (SHORT, RIVER), (STANDARD, FLOP)],
    ids=["32 flops", "32 turns", "32 rivers", "52 flops"],
)
def test_kinds_are_the_orbits_of_the_changes_of_suits(deck: Deck, street: int) -> None:
    """Exhaustively: the boards that the 24 changes make of each kind are as many as it says, and no two kinds share one."""
    seen: Counter[Cards] = Counter()
    for board, kind in kinds(deck, street).items():
        orbit = {tuple(sorted(image)) for image in images(board)}
        assert len(orbit) == strengths(deck).boards[street].number[kind]
        seen.update(orbit)
    assert len(seen) == comb(deck.size, SIZE[street])
    assert max(seen.values()) == 1


@decks
@streets
def test_the_index_of_boards(deck: Deck, street: int) -> None:
    """A board, all its images under changes of suits and the board they are brought to are of one kind."""
    tables, random = strengths(deck), Random(street)
    boards = tables.boards[street]
    for _ in range(200):
        board = tuple(random.sample(range(deck.size), SIZE[street]))
        known = [kinds(deck, street)[key] for image in images(board) if (key := tuple(sorted(image))) in kinds(deck, street)]
        assert len(set(known)) == 1, "one of the images stands for the kind"
        for image in images(board):
            rank = sum(comb(card, place + 1) for place, card in enumerate(sorted(image)))
            entry = int(boards.index[rank])
            assert entry >> 8 == known[0]
            brought = sorted(card // 4 * 4 + (entry >> 2 * (card % 4) & 3) for card in image)
            assert brought == boards.board[known[0]].tolist()


def test_published_equities_of_the_nuts_and_the_board() -> None:
    """A royal flush beats everybody; where it lies on the board everybody ties."""
    royal, other = STANDARD.parse("AhKhQhJhTh"), STANDARD.parse("2c2d")
    most = strengths(STANDARD).scale(RIVER)
    assert looked_up(STANDARD, other, royal) == most // 2
    assert looked_up(STANDARD, royal[:2], (*royal[2:], *other)) == most

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smoothcall.games.cards import Deck
from smoothcall.games.hands import HIGH_CARD, PAIR_OR_HIGH_CARD

LEDUC = Deck("JQK", "hs")
FULL = Deck("23456789TJQKA", "cdhs")


@pytest.mark.interpreted
def test_leduc_a_pair_with_the_board_beats_everything_and_then_the_higher_card() -> None:
    def strength(hole: str, board: str) -> int:
        return PAIR_OR_HIGH_CARD.strength(LEDUC, LEDUC.parse(hole), LEDUC.parse(board))

    best_first = [("Kh", "Ks"), ("Qh", "Qs"), ("Jh", "Js"), ("Kh", "Qs"), ("Qh", "Js"), ("Jh", "Qs")]
    values = [strength(*cards) for cards in best_first]
    assert values == sorted(values, reverse=True)
    assert strength("Kh", "Js") == strength("Ks", "Jh") == strength("Kh", "Qs")
    assert PAIR_OR_HIGH_CARD.describe(LEDUC, LEDUC.parse("Kh"), LEDUC.parse("Ks")) == "pair of K"
    assert PAIR_OR_HIGH_CARD.describe(LEDUC, LEDUC.parse("Qh"), LEDUC.parse("Ks")) == "Q high"


@given(st.permutations(range(FULL.size)), st.integers(1, 3), st.integers(0, 4))
def test_high_card_compares_card_by_card_from_the_top(cards: list[int], holes: int, boards: int) -> None:
    board, first, second = cards[:boards], cards[boards : boards + holes], cards[boards + holes : boards + 2 * holes]
    ranks = [sorted(map(FULL.rank, [*hole, *board]), reverse=True) for hole in (first, second)]
    one, two = (HIGH_CARD.strength(FULL, tuple(hole), tuple(board)) for hole in (first, second))
    assert (one > two) == (ranks[0] > ranks[1])
    assert (one == two) == (ranks[0] == ranks[1])
    assert HIGH_CARD.describe(FULL, tuple(first), tuple(board)) == f"{FULL.ranks[ranks[0][0]]} high"


@pytest.mark.parametrize("order", [HIGH_CARD, PAIR_OR_HIGH_CARD])
def test_other_suits_and_another_sequence_change_nothing(order) -> None:
    hole, board = FULL.parse("AhKs"), FULL.parse("Kd7c")
    value = order.strength(FULL, hole, board)
    for suits in permutations("cdhs"):
        other = Deck(FULL.ranks, "".join(suits))
        assert order.strength(FULL, FULL.parse(other.names(hole))[::-1], FULL.parse(other.names(board))[::-1]) == value
    assert value >= 0
    assert not order.suits_matter

import json
from collections import Counter
from itertools import combinations, pairwise, permutations
from pathlib import Path
from random import Random

import pokerkit
import pytest
from hypothesis import given
from hypothesis import strategies as st

from smoothcall.errors import UsageError
from smoothcall.games.cards import SHORT, STANDARD, Deck
from smoothcall.games.rankings import (
    BEST_FIVE,
    CATEGORIES,
    HIGH_CARD,
    PAIR_OR_HIGH_CARD,
    STARTING_HANDS,
    best_five,
    classes,
    made_by,
    names_apart,
    rank_name,
)

LEDUC = Deck("JQK", "hs")
FULL = STANDARD
HOLDEM = json.loads((Path(__file__).parents[1] / "golden" / "holdem.json").read_text())


@pytest.mark.interpreted
def test_leduc_a_pair_with_the_board_beats_everything_and_then_the_higher_card() -> None:
    def strength(hole: str, board: str) -> int:
        return PAIR_OR_HIGH_CARD.strength(LEDUC, LEDUC.parse(hole), LEDUC.parse(board))

    best_first = [("Kh", "Ks"), ("Qh", "Qs"), ("Jh", "Js"), ("Kh", "Qs"), ("Qh", "Js"), ("Jh", "Qs")]
    values = [strength(*cards) for cards in best_first]
    assert values == sorted(values, reverse=True)
    assert strength("Kh", "Js") == strength("Ks", "Jh") == strength("Kh", "Qs")
    assert PAIR_OR_HIGH_CARD.describe(LEDUC, LEDUC.parse("Kh"), LEDUC.parse("Ks")) == "a pair of kings"
    assert PAIR_OR_HIGH_CARD.describe(LEDUC, LEDUC.parse("Qh"), LEDUC.parse("Ks")) == "queen high"


def test_starting_hands_of_macmanus2019() -> None:
    """The order in which its program compares a private card and the board; it has A K Q where this deck has K Q J."""

    def strength(hole: str, board: str) -> int:
        return STARTING_HANDS.strength(LEDUC, LEDUC.parse(hole), LEDUC.parse(board))

    best_first = [
        ("Kh", "Ks"),
        ("Qh", "Qs"),
        ("Jh", "Js"),
        ("Kh", "Qh"),
        ("Js", "Ks"),
        ("Kh", "Qs"),
        ("Jh", "Ks"),
        ("Jh", "Qh"),
    ]
    values = [strength(*cards) for cards in [*best_first, ("Qs", "Jh")]]
    assert values == sorted(set(values), reverse=True)
    for first, second, board in permutations(range(LEDUC.size), 3):
        one, two = (STARTING_HANDS.strength(LEDUC, (card,), (board,)) for card in (first, second))
        assert one != two, "with two suits no hands tie"
    told = {"Ks": "a pair of kings", "Qh": "KQ suited", "Qs": "KQ of two suits", "": "king high"}
    for board, words in told.items():
        assert STARTING_HANDS.describe(LEDUC, LEDUC.parse("Kh"), LEDUC.parse(board)) == words
    assert STARTING_HANDS.suits_matter


@given(st.permutations(range(FULL.size)), st.integers(1, 3), st.integers(0, 4))
def test_high_card_compares_card_by_card_from_the_top(cards: list[int], holes: int, boards: int) -> None:
    board, first, second = cards[:boards], cards[boards : boards + holes], cards[boards + holes : boards + 2 * holes]
    ranks = [sorted(map(FULL.rank, [*hole, *board]), reverse=True) for hole in (first, second)]
    one, two = (HIGH_CARD.strength(FULL, tuple(hole), tuple(board)) for hole in (first, second))
    assert (one > two) == (ranks[0] > ranks[1])
    assert (one == two) == (ranks[0] == ranks[1])
    assert HIGH_CARD.describe(FULL, tuple(first), tuple(board)) == f"{rank_name(FULL, ranks[0][0])} high"


@pytest.mark.parametrize("order", [HIGH_CARD, PAIR_OR_HIGH_CARD])
def test_other_suits_and_another_sequence_change_nothing(order) -> None:
    hole, board = FULL.parse("AhKs"), FULL.parse("Kd7c")
    value = order.strength(FULL, hole, board)
    for suits in permutations("cdhs"):
        other = Deck(FULL.ranks, "".join(suits))
        assert order.strength(FULL, FULL.parse(other.names(hole))[::-1], FULL.parse(other.names(board))[::-1]) == value
    assert value >= 0
    assert not order.suits_matter


# Best five cards

WORST_FIRST = [
    ("7c5d4h3s2c", "seven high"),
    ("AcKdQhJs9c", "ace high"),
    ("2c2d5h4s3c", "a pair of twos, five kicker"),
    ("AcAdKhQsJc", "a pair of aces, king kicker"),
    ("3c3d2h2s4c", "two pair, threes and twos, four kicker"),
    ("AcAd4h4sKc", "two pair, aces and fours, king kicker"),
    ("6c6d6h5s2c", "three of a kind, sixes, five kicker"),
    ("Ac2d3h4s5c", "a straight, five high"),
    ("2d3h4s5c6c", "a straight, six high"),
    ("TcJdQhKsAc", "a straight, ace high"),
    ("7c5c4c3c2c", "a flush, seven high"),
    ("AcKcQcJc9c", "a flush, ace high"),
    ("2c2d2hAsAc", "a full house, twos over aces"),
    ("KcKdKh2s2c", "a full house, kings over twos"),
    ("9c9d9h9sAc", "four of a kind, nines, ace kicker"),
    ("Ac2c3c4c5c", "a straight flush, five high"),
    ("6hTh7h9h8h", "a straight flush, ten high"),
    ("TsJsQsKsAs", "a royal flush"),
]


def strength(deck: Deck, text: str) -> int:
    return BEST_FIVE.strength(deck, deck.parse(text), ())


@pytest.mark.parametrize(
    ("hands", "names"),
    [
        (["AcAdKhQsJc", "AhAsQcJd9c"], ["a pair of aces, king kicker", "a pair of aces, queen kicker"]),
        (["3c3dKhQsJc", "3h3sKcQdTc"], [f"a pair of threes, king, queen and {last} kickers" for last in ("jack", "ten")]),
        (["AcAdKhQsJc", "9c9d2h3s4c"], ["a pair of aces", "a pair of nines"]),
        (["AcAd4h4sKc", "AhAs4c4dKd"], ["two pair, aces and fours"] * 2),
        (["6c6d6h5s2c", "6c6d6h5s3c"], [f"three of a kind, sixes, five and {last} kickers" for last in ("two", "three")]),
        (["AcKcQcJc9c", "AhKhQhTh9h"], ["a flush, ace-king-queen-jack high", "a flush, ace-king-queen-ten high"]),
        (["AcKdQhJs9c", "AcKdQhJs8c"], ["ace-king-queen-jack-nine high", "ace-king-queen-jack-eight high"]),
        (["AcKdQhJs9c", "2c2d5h4s3c"], ["ace high", "a pair of twos"]),
    ],
)
def test_kickers_are_named_where_they_decide(hands: list[str], names: list[str]) -> None:
    assert names_apart(STANDARD, [best_five(STANDARD, STANDARD.parse(cards)) for cards in hands]) == names


@pytest.mark.interpreted
def test_five_cards_are_ordered_and_named() -> None:
    values = [strength(STANDARD, cards) for cards, _ in WORST_FIRST]
    assert values == sorted(set(values))
    assert (values[0], values[-1]) == (1, 7462)
    for cards, name in WORST_FIRST:
        assert BEST_FIVE.describe(STANDARD, STANDARD.parse(cards[:4]), STANDARD.parse(cards[4:])) == name


@pytest.mark.parametrize(
    ("cards", "name"),
    [
        ("AcAdKhKsQcQd2h", "two pair, aces and kings, queen kicker"),
        ("AcAdAhKsKcKd2h", "a full house, aces over kings"),
        ("2c2d2hKsKcAdAh", "a full house, twos over aces"),
        ("9c9d9h9sAcAdAh", "four of a kind, nines, ace kicker"),
        ("2h3h4h5h6h7hAh", "a straight flush, seven high"),
        ("2h3h4h5h6d7hAh", "a straight flush, five high"),
        ("2h3h4d5h6h7hKc", "a flush, seven high"),
        ("AhAdAc2h4h6h8h", "a flush, ace high"),
        ("Ah2d3c4h5h5d5c", "a straight, five high"),
        ("QhKdAc2h3h5d7c", "ace high"),  # no straight goes round the ace
    ],
)
def test_the_best_five_of_seven(cards: str, name: str) -> None:
    assert BEST_FIVE.describe(STANDARD, STANDARD.parse(cards), ()) == name


def test_classes_are_numbered_densely_and_counted_as_published() -> None:
    golden = HOLDEM["hand_frequencies"]["by_number_of_cards"][0]
    assert sorted(classes(STANDARD).values()) == list(range(1, golden["distinct_classes"] + 1))
    found = Counter(CATEGORIES[made.category].replace(" ", "_") for made in classes(STANDARD))
    assert found == golden["classes_per_category"]
    assert all(made_by(STANDARD, number) == made for made, number in classes(STANDARD).items())
    assert all(a < b for a, b in pairwise(classes(STANDARD)))


@given(st.permutations(range(STANDARD.size)), st.integers(5, 7), st.integers(0, 7))
def test_it_is_the_best_of_all_choices_of_five(cards: list[int], count: int, held: int) -> None:
    hand = tuple(cards[:count])
    best = max(BEST_FIVE.strength(STANDARD, five, ()) for five in combinations(hand, 5))
    assert BEST_FIVE.strength(STANDARD, hand[:held], hand[held:]) == best


def test_seven_cards_agree_with_pokerkit() -> None:
    random = Random(1)
    for count in (5, 6, 7):
        for _ in range(80):
            hand = tuple(random.sample(range(STANDARD.size), count))
            names = STANDARD.names(hand)
            theirs = pokerkit.StandardHighHand.from_game(names[:4], names[4:]).entry
            assert BEST_FIVE.strength(STANDARD, hand[:2], hand[2:]) == theirs.index + 1
            assert CATEGORIES[best_five(STANDARD, hand).category] == theirs.label.value.lower().replace("one pair", "pair")


def test_in_a_short_deck_the_ace_plays_below_the_lowest_rank() -> None:
    assert BEST_FIVE.describe(SHORT, SHORT.parse("Ac7d8h9sTc"), ()) == "a straight, ten high"
    assert strength(SHORT, "Ac7d8h9sTc") < strength(SHORT, "7d8h9sTcJc")
    no_ace = Deck("23456789TJQK", "cdhs")
    assert BEST_FIVE.describe(no_ace, no_ace.parse("Kc2d3h4s5c"), ()) == "king high"
    five_ranks = Deck("TJQKA", "cdhs")
    assert BEST_FIVE.describe(five_ranks, five_ranks.parse("TcJdQhKsAc"), ()) == "a straight, ace high"
    assert max(classes(five_ranks).values()) == len(classes(five_ranks))


def test_suits_have_names_only() -> None:
    hand = STANDARD.parse("AhKhQh9h2h2c2d")
    value = BEST_FIVE.strength(STANDARD, hand, ())
    for suits in permutations("cdhs"):
        other = Deck(STANDARD.ranks, "".join(suits))
        assert BEST_FIVE.strength(STANDARD, STANDARD.parse(other.names(hand))[::-1], ()) == value
    assert BEST_FIVE.suits_matter


def test_hands_it_cannot_order_are_refused() -> None:
    with pytest.raises(UsageError, match=r"'AhKh' has 2 cards \(accepted: 5 to 7\)"):
        strength(STANDARD, "AhKh")
    with pytest.raises(UsageError, match="four suits and at least five ranks"):
        BEST_FIVE.strength(Deck("9TJQKA", "hs"), (0, 1, 2, 3, 4), ())
    with pytest.raises(UsageError, match="four suits and at least five ranks"):
        BEST_FIVE.strength(Deck("JQKA", "cdhs"), (0, 1, 2, 3, 4), ())

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from random import Random

import numpy as np
import pytest

from smoothcall.errors import UsageError
from smoothcall.games.cards import SHORT, STANDARD, Deck
from smoothcall.games.rankings import BEST_FIVE, CATEGORIES, made_by
from smoothcall.holdem.evaluator import evaluator
from smoothcall.kernels.holdem.evaluator import RANK_KEYS, count_strengths, evaluate_hands, step

FREQUENCIES = json.loads((Path(__file__).parents[1] / "golden" / "holdem.json").read_text())["hand_frequencies"]


def counted(deck: Deck, cards: int) -> np.ndarray:
    tables = evaluator(deck)
    count = np.zeros(tables.classes + 1, np.int64)
    count_strengths(tables, cards, count)
    return count


def evaluated(deck: Deck, hands: list[tuple[int, ...]]) -> list[int]:
    strength = np.zeros(len(hands), np.uint16)
    evaluate_hands(evaluator(deck), np.array(hands, np.uint8), strength)
    return strength.tolist()


@pytest.mark.parametrize("golden", FREQUENCIES["by_number_of_cards"], ids=lambda golden: f"{golden['cards']} cards")
def test_every_hand_is_counted_as_published(golden: dict[str, int]) -> None:
    count = counted(STANDARD, golden["cards"])
    assert count.sum() == golden["total"]
    assert count[0] == 0
    assert count[-1] == golden["royal_flush"]
    categories = dict.fromkeys(CATEGORIES, 0)
    for strength in range(1, len(count)):
        categories[CATEGORIES[made_by(STANDARD, strength).category]] += int(count[strength])
    assert categories == {name: golden[name.replace(" ", "_")] for name in CATEGORIES}
    if golden["cards"] == 5:
        assert np.count_nonzero(count) == golden["distinct_classes"]


@pytest.mark.interpreted
@pytest.mark.parametrize("deck", [STANDARD, SHORT, Deck("TJQKA", "cdhs")], ids=lambda deck: deck.ranks)
@pytest.mark.parametrize("cards", [5, 6, 7])
def test_kernel_and_rules_agree(deck: Deck, cards: int) -> None:
    random = Random(cards)
    hands = [tuple(random.sample(range(deck.size), cards)) for _ in range(2000)]
    assert evaluated(deck, hands) == [BEST_FIVE.strength(deck, hand, ()) for hand in hands]


@pytest.mark.parametrize("cards", [5, 6, 7])
def test_flushes_of_every_suit(cards: int) -> None:
    random = Random(cards)
    suited = [[card for card in range(STANDARD.size) if card % 4 == suit] for suit in range(4)]
    hands = []
    for suit in range(4):
        for extra in range(cards - 4):
            for _ in range(200):
                flush = random.sample(suited[suit], cards - extra)
                others = random.sample([card for card in range(STANDARD.size) if card not in flush], extra)
                hands.append((*flush, *others))
    assert evaluated(STANDARD, hands) == [BEST_FIVE.strength(STANDARD, hand, ()) for hand in hands]


def test_short_deck_against_all_choices_of_five() -> None:
    fives = list(combinations(range(SHORT.size), 5))
    by_five = dict(zip(fives, evaluated(SHORT, fives), strict=True))
    assert all(BEST_FIVE.strength(SHORT, five, ()) == by_five[five] for five in fives[::97])
    random = Random(3)
    hands = [tuple(sorted(random.sample(range(SHORT.size), 7))) for _ in range(3000)]
    assert evaluated(SHORT, hands) == [max(by_five[five] for five in combinations(hand, 5)) for hand in hands]
    count = counted(SHORT, 5)
    assert count.sum() == len(fives)
    np.testing.assert_array_equal(count, np.bincount(list(by_five.values()), minlength=len(count)))


def test_sums_of_keys_tell_all_choices_of_ranks_apart() -> None:
    held = {0: 0}  # sum -> cards, of choices of the ranks so far
    for key in RANK_KEYS:
        sums: dict[int, int] = {}
        for total, cards in held.items():
            for times in range(min(4, 7 - cards) + 1):
                assert total + times * key not in sums
                sums[total + times * key] = cards + times
        held = sums
    assert len([cards for cards in held.values() if cards >= 5]) == 73_775


def test_tables_stay_small_enough_for_the_cache_of_a_core() -> None:
    tables = evaluator(STANDARD)
    assert sum(array.nbytes for array in (tables.card_key, tables.card_mask, tables.offset, tables.strength)) < 256_000
    assert tables.strength.dtype == np.uint16


@pytest.mark.interpreted
@pytest.mark.parametrize(("size", "count"), [(6, 3), (5, 5), (4, 1), (3, 0)])
def test_step_goes_through_all_choices(size: int, count: int) -> None:
    choice = np.arange(count)
    seen = [tuple(choice)]
    while step(choice, size) >= 0:
        seen.append(tuple(choice))
    assert seen == list(combinations(range(size), count))


def test_decks_without_tables_are_refused() -> None:
    with pytest.raises(UsageError, match="accepted: 5 to 13"):
        evaluator(Deck("123456789TJQKA", "cdhs"))
    with pytest.raises(UsageError, match="four suits"):
        evaluator(Deck("789TJQKA", "hs"))

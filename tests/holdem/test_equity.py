from __future__ import annotations

import json
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from random import Random

import pytest

from smoothcall.errors import UsageError
from smoothcall.games.cards import SHORT, STANDARD, Deck
from smoothcall.games.rankings import BEST_FIVE, CATEGORIES
from smoothcall.holdem.equity import category_frequencies, equity, parse_range, rank
from tests.conftest import INTERPRETED

HOLDEM = json.loads((Path(__file__).parents[1] / "golden" / "holdem.json").read_text())


def by_hand(deck: Deck, hands: list[str], board: str, dead: str = "") -> list[tuple[int, int, int, Fraction]]:
    """(win, tie, lose, equity) of each player by the rules alone, hands and ranges."""
    seen = set(deck.parse(board + dead))
    results = [[0, 0, 0, Fraction()] for _ in hands]
    total = 0

    def go(held: list[tuple[int, ...]]) -> None:
        nonlocal total
        used = seen | {card for combo in held for card in combo}
        if len(held) < len(hands):
            for combo in parse_range(hands[len(held)], deck):
                if not used & set(combo):
                    go([*held, combo])
            return
        left = [card for card in range(deck.size) if card not in used]
        for rest in combinations(left, 5 - len(deck.parse(board))):
            strengths = [BEST_FIVE.strength(deck, combo, deck.parse(board) + rest) for combo in held]
            winners = [player for player, strength in enumerate(strengths) if strength == max(strengths)]
            total += 1
            for player, result in enumerate(results):
                result[2 if player not in winners else 0 if len(winners) == 1 else 1] += 1
                result[3] += Fraction(player in winners, len(winners))

    go([])
    return [(win, tie, lose, share / total) for win, tie, lose, share in results]


@pytest.mark.parametrize("golden", HOLDEM["preflop_equities"]["matchups"], ids=lambda g: f"{g['hero']}-{g['villain']}")
def test_matchups_before_the_flop(golden: dict) -> None:
    found = equity([golden["hero"], golden["villain"]])
    hero, villain = found.players
    assert found.exact
    assert found.count == golden["combos"] * golden["boards_per_combo"]
    assert (hero.win, hero.tie, hero.lose) == (golden["win"], golden["tie"], golden["lose"])
    assert float(hero.equity) == pytest.approx(golden["equity"], abs=1e-8)
    assert float(hero.equity) == pytest.approx(golden.get("published_pokerstove_equity", golden["equity"]), abs=6e-7)
    assert hero.equity + villain.equity == 1
    assert hero.standard_error == 0


@pytest.mark.interpreted
@pytest.mark.parametrize(
    ("deck", "hands", "board", "dead"),
    [
        (STANDARD, ["AhKh", "QsQd"], "Td9d2c3h", "As"),
        (STANDARD, ["AhKh", "AsKs", "AdKd"], "2c3c4d5h", ""),
        (STANDARD, ["JTs", "JJ, 98o"], "Jh8h2c7h", ""),
        (STANDARD, ["AA", "AK, KK", "7c2d"], "AcKd7h7s", "2h"),
        (STANDARD, ["AhKh", "QsQd"], "Td9d2c3h8s", ""),
        pytest.param(SHORT, ["AhKh", "QsQd", "7c7d", "TT"], "Td9d8c", "As", marks=[pytest.mark.long] if INTERPRETED else []),
    ],
    ids=str,
)
def test_every_board_is_counted_as_by_hand(deck: Deck, hands: list[str], board: str, dead: str) -> None:
    found = equity(hands, board, dead, deck=deck)
    assert [(p.win, p.tie, p.lose, p.equity) for p in found.players] == by_hand(deck, hands, board, dead)
    assert sum(player.equity for player in found.players) == 1


@pytest.mark.parametrize("board", ["", "2h", "2h3h"])
def test_a_board_is_the_sum_over_its_next_card(board: str) -> None:
    hands = ["AhAs", "KdKc"]
    used = STANDARD.parse(board + "".join(hands))
    whole = equity(hands, board)
    parts = [equity(hands, board + STANDARD.name(card)) for card in range(STANDARD.size) if card not in used]
    coming = 5 - len(board) // 2
    assert whole.count * coming == sum(part.count for part in parts)
    assert whole.players[0].win * coming == sum(part.players[0].win for part in parts)
    assert whole.players[0].tie * coming == sum(part.players[0].tie for part in parts)


def test_samples_come_close_and_are_repeatable() -> None:
    hands, board = ["AhKh", "QQ+, AKo", "random"], "Td9d2c"
    exact, sampled = equity(hands, board), equity(hands, board, samples=200_000, seed=3)
    assert sampled.count == 200_000
    assert not sampled.exact
    for known, found in zip(exact.players, sampled.players, strict=True):
        assert 0 < found.standard_error < 0.002
        assert abs(float(known.equity - found.equity)) < 4.5 * found.standard_error
    assert sampled == equity(hands, board, samples=200_000, seed=3)
    assert sampled != equity(hands, board, samples=200_000, seed=4)


def test_ten_players_with_any_hands_share_evenly() -> None:
    found = equity(["random"] * 10, samples=20_000)
    for player in found.players:
        assert abs(float(player.equity) - 0.1) < 4.5 * player.standard_error
    assert sum(player.equity for player in found.players) == 1


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("AhKh", 1), ("KhAh", 1), ("QQ", 6), ("AKs", 4), ("KAs", 4), ("AKo", 12), ("AK", 16), ("QQ+", 18), ("AA+", 6),
        ("KTo+", 36), ("A5s-A2s", 16), ("A2s-A5s", 16), ("JJ-88", 24), ("T9o", 12), ("random", 1326),
        ("QQ+, AKs, A5s-A2s, KTo+", 74), ("AKs, AK, AhKh", 16), ("A2+", 192), ("72o", 12),
    ],
)  # fmt: skip
def test_ranges(text: str, count: int) -> None:
    combos = parse_range(text)
    assert len(set(combos)) == len(combos) == count
    assert all(high > low for high, low in combos)


def test_ranges_that_overlap_leave_what_fits() -> None:
    found = equity(["KK", "KK"], "2c3d7h9sJc")
    assert (found.count, found.players[0].tie) == (6, 6)
    assert equity(["AKs", "AA"], "Ah2c3d7h9s").count == 3  # three suits, each with the pair of aces it leaves


@pytest.mark.interpreted
def test_rank() -> None:
    found = rank("AhKh", "Td9d2c")
    assert (found.name, found.category) == ("ace high", "high card")
    assert rank("AhKh", "QhJhTh2c3c").name == "a royal flush"
    assert rank("AhKh", "QhJhTh").strength == 7462
    assert rank("AhAd", "Kc7d2s").strength > rank("KhKd", "Ac7d2s").strength
    with pytest.raises(UsageError, match="has 4 cards"):
        rank("AhKh", "Td9d")
    with pytest.raises(UsageError, match="stands twice"):
        rank("AhKh", "AhTd9d")
    assert rank("AhKh", "7d8d9c", deck=SHORT).name == "ace high"


@pytest.mark.parametrize("golden", HOLDEM["hand_frequencies"]["by_number_of_cards"], ids=lambda g: f"{g['cards']} cards")
def test_categories_are_as_frequent_as_published(golden: dict) -> None:
    found = category_frequencies(STANDARD, golden["cards"])
    assert list(found) == list(CATEGORIES)
    assert found == {name: Fraction(golden[name.replace(" ", "_")], golden["total"]) for name in CATEGORIES}


def test_categories_of_32_cards() -> None:
    """Of five cards by hand: a pair is one of 8 ranks in 6 pairs of suits beside three of 7 other ranks, each in any suit."""
    ways = {
        "straight flush": 5 * 4,  # up to T (with the ace below), J, Q, K, A
        "four of a kind": 8 * 28,
        "full house": 8 * 4 * 7 * 6,
        "flush": (56 - 5) * 4,
        "straight": 5 * (4**5 - 4),
        "three of a kind": 8 * 4 * 21 * 4**2,
        "two pair": 28 * 6**2 * 24,
        "pair": 8 * 6 * 35 * 4**3,
        "high card": (56 - 5) * (4**5 - 4),
    }
    assert sum(ways.values()) == 201_376
    assert category_frequencies(SHORT, 5) == {name: Fraction(count, 201_376) for name, count in ways.items()}
    seven = category_frequencies(SHORT)
    assert sum(seven.values()) == 1
    four = Fraction(8 * 3276, 3_365_856)  # any three of the other 28 cards beside; with them, no straight flush
    assert seven["four of a kind"] == four
    with pytest.raises(UsageError, match="cards=4"):
        category_frequencies(SHORT, 4)


@pytest.mark.parametrize(
    ("hands", "options", "message"),
    [
        (["AhKh"], {}, "1 hands"),
        (["random"] * 11, {}, "11 hands"),
        ("AhKh", {}, "a list of texts"),
        (["AhKh", 5], {}, "a list of texts"),
        (["AhKh", "AhQs"], {}, "cannot be held together"),
        (["AhKh", "AhQs"], {"samples": 1000}, "held together"),
        (["AhAh", "QQ"], {}, "stands twice"),
        (["AhKx", "QQ"], {}, "unknown card 'Kx'"),
        (["AhKh", "QQ"], {"board": "AhTd9d"}, "no combination is left beside AhTd9d"),
        (["AhKh", "QQ"], {"dead": "QhQdQs"}, "'QQ': no combination is left"),
        (["AhKh", "QQ"], {"board": "2c3c4c", "dead": "4c"}, "stands twice"),
        (["AhKh", "QQ"], {"board": "2c3c4c5c6c7c"}, "has 6 cards"),
        (["random", "random"], {}, "give samples"),
        (["random", "random", "random"], {}, "give samples"),
        (["AhKh", "QQ"], {"samples": 1}, "samples=1"),
        (["AhKh", "QQ"], {"samples": 2.5}, "samples=2.5"),
        (["AhKh", "QQ"], {"samples": 10, "seed": -1}, "seed=-1"),
        (["random"] * 10, {"deck": Deck("9TJQKA", "cdhs")}, "too few"),
        *[(["AhKh", text], {}, "is no hand or range") for text in (
            "", "QQ,", "A", "AKx", "QQs", "A5s-K2s", "A5s-A2o", "QQ-A2", "QQ+-88", "1K", "AKs++", "everything", "Ah", "AhKhQh",
        )],
    ],
)  # fmt: skip
def test_wrong_input_is_refused(hands: list[str], options: dict, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        equity(hands, **options)


def test_suits_have_names_only() -> None:
    random = Random(5)
    for _ in range(20):
        cards = random.sample(range(STANDARD.size), 8)
        suits = random.sample(range(4), 4)
        names = [STANDARD.names(cards[n : n + 2]) for n in (0, 2)], STANDARD.names(cards[4:])
        others = [card // 4 * 4 + suits[card % 4] for card in cards]
        renamed = [STANDARD.names(others[n : n + 2]) for n in (0, 2)], STANDARD.names(others[4:])
        assert [p.equity for p in equity(*names).players] == [p.equity for p in equity(*renamed).players]

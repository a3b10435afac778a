"""Hand ranks and equities of hands and ranges, on any board, exact or sampled."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np

from smoothcall.errors import UsageError
from smoothcall.games.cards import STANDARD, Card, Cards, Deck
from smoothcall.games.rankings import BEST_FIVE, CATEGORIES, best_five, made_by
from smoothcall.holdem.suits import suit_permutations
from smoothcall.kernels.tables import Array
from smoothcall.options import number

MAX_PLAYERS = 10
MAX_HAND_CHOICES = 4_000_000  # choices of one hand per player that are listed
MAX_SAMPLES = 1_000_000_000
MAX_EVALUATIONS = 4_000_000_000  # of hands in an exact count: about half a minute

Combo = tuple[Card, Card]  # two cards, the higher first

RANGE = 'cards like "AhKh", or like "QQ", "AKs", "T9o", "AK", "QQ+", "KTo+", "JJ-88", "A5s-A2s", "random", joined by commas'


@dataclass(frozen=True, slots=True)
class HandRank:
    """The rank of five to seven cards."""

    name: str  # in words: "a pair of aces, king kicker"
    category: str  # one of games.rankings.CATEGORIES
    strength: int  # the higher wins, equal ones share the pot


@dataclass(frozen=True, slots=True)
class PlayerEquity:
    """One player's equity. Counts are of equally likely choices of hands and boards."""

    hand: str  # as it was given
    win: int
    tie: int  # shares the pot
    lose: int
    equity: Fraction  # expected share of the pot
    standard_error: float  # of the equity, 0 where everything was counted

    def __str__(self) -> str:
        error = f" ± {1.96 * self.standard_error:.2%} (95 %)" if self.standard_error else ""
        return f"{self.hand}: {float(self.equity):.4%}{error}"


@dataclass(frozen=True, slots=True)
class Equity:
    players: tuple[PlayerEquity, ...]
    count: int  # of hands and boards
    exact: bool  # every board counted, none sampled

    def __str__(self) -> str:
        return "\n".join(map(str, self.players))


def rank(cards: str, board: str = "", deck: Deck = STANDARD) -> HandRank:
    """Return the rank of five to seven cards, the board included: `rank("AhKh", "Td9d2c")`."""
    _verify_texts(cards, board)
    all_cards = deck.parse(cards + board)
    return HandRank(
        BEST_FIVE.describe(deck, all_cards, ()),
        CATEGORIES[best_five(deck, all_cards).category],
        BEST_FIVE.strength(deck, all_cards, ()),
    )


def category_frequencies(deck: Deck = STANDARD, cards: int = 7) -> dict[str, Fraction]:
    """Return the exact frequency of each of games.rankings.CATEGORIES among all hands of five to seven cards."""
    from smoothcall.holdem.evaluator import evaluator
    from smoothcall.kernels.holdem.evaluator import count_strengths

    if cards not in (5, 6, 7):
        raise UsageError(f"cards={cards} (accepted: 5 to 7)")
    tables, times = evaluator(deck), dict.fromkeys(CATEGORIES, 0)
    count = np.zeros(tables.classes + 1, np.int64)
    count_strengths(tables, cards, count)
    for strength in range(1, len(count)):
        times[CATEGORIES[made_by(deck, strength).category]] += int(count[strength])
    return {category: Fraction(number, math.comb(deck.size, cards)) for category, number in times.items()}


def _verify_texts(*texts: object) -> None:
    for text in texts:
        if not isinstance(text, str):
            raise UsageError(f"cards are given as text such as 'AhKh', not {text!r}")


def equity(
    hands: Sequence[str], board: str = "", dead: str = "", samples: int | None = None, seed: int = 0, deck: Deck = STANDARD
) -> Equity:
    """Return the equities of two to ten players.

    A hand is two cards or a range (`parse_range`); all choices of hands that share no card are equally likely. Counts every
    board; with `samples`, that many random hands and boards.
    """
    _verify_texts(board, dead)
    if isinstance(hands, str) or not hasattr(hands, "__len__") or not all(isinstance(hand, str) for hand in hands):
        raise UsageError(f"hands={hands!r} (accepted: a list of texts, one a player)")
    if not 2 <= len(hands) <= MAX_PLAYERS:
        raise UsageError(f"{len(hands)} hands (accepted: 2 to {MAX_PLAYERS})")
    board_cards, removed = deck.parse(board), deck.parse(board + dead)
    if len(board_cards) > 5:
        raise UsageError(f"board {board!r} has {len(board_cards)} cards (accepted: up to 5)")
    if deck.size - len(removed) < 2 * len(hands) + 5 - len(board_cards):
        raise UsageError(f"{deck.size - len(removed)} cards are left, too few for {len(hands)} hands and the board")
    ranges = []
    for hand in hands:
        fitting = [combo for combo in parse_range(hand, deck) if not set(combo) & set(removed)]
        if not fitting:
            raise UsageError(f"hand {hand!r}: no combination is left beside {deck.names(removed)}")
        ranges.append(fitting)
    if samples is None:
        return _result(hands, _count(deck, ranges, board_cards, removed), exact=True)
    wanted, start = number(samples, whole=True), number(seed, whole=True)
    if wanted is None or not 2 <= wanted <= MAX_SAMPLES:
        raise UsageError(f"samples={samples} (accepted: a whole number from 2 to {MAX_SAMPLES:,})")
    if start is None or start < 0:
        raise UsageError(f"seed={seed} (accepted: a whole number of at least 0)")
    return _result(hands, _sample(deck, ranges, board_cards, removed, int(wanted), int(start)), exact=False)


def parse_range(text: str, deck: Deck = STANDARD) -> list[Combo]:
    """Return the pairs of cards a range names, the highest first.

    `AK` is suited and offsuit together. `+` goes up: QQ+ to AA, KTo+ to KQo. `A5s-A2s` and `JJ-88` go
    from one to the other.
    """
    combos: set[Combo] = set()
    for item in text.split(","):
        combos.update(_parse_item(item.strip(), text, deck))
    return sorted(combos, reverse=True)


def _parse_item(item: str, text: str, deck: Deck) -> list[Combo]:
    wrong = UsageError(f"{item!r} in {text!r} is no hand or range (accepted: {RANGE})")
    if item.lower() == "random":
        return [(high, low) for low, high in combinations(range(deck.size), 2)]
    if len(item) == 4 and item[1] in deck.suits:
        first, second = deck.parse(item)
        return [(max(first, second), min(first, second))]
    first_name, dash, last_name = item.removesuffix("+").partition("-")
    high, low, kind = _parse_class(first_name, wrong, deck)
    lows = [low]
    if item.endswith("+"):
        if dash:
            raise wrong
        lows = list(range(low, len(deck.ranks) if high == low else high))
    elif dash:
        last_high, last_low, last_kind = _parse_class(last_name.strip(), wrong, deck)
        pairs = (high == low, last_high == last_low)
        if last_kind != kind or pairs[0] != pairs[1] or (not pairs[0] and last_high != high):
            raise wrong
        lows = list(range(min(low, last_low), max(low, last_low) + 1))
    return [combo for kicker in lows for combo in _combos(kicker if high == low else high, kicker, kind, deck)]


def _parse_class(name: str, wrong: UsageError, deck: Deck) -> tuple[int, int, str]:
    """Return (higher rank, lower rank, "s", "o" or "" for both) of `AKs`."""
    name = name.strip()
    ranks, kind = [deck.ranks.find(letter) for letter in name[:2]], name[2:].lower()
    if len(ranks) < 2 or min(ranks) < 0 or kind not in ("", "s", "o") or (ranks[0] == ranks[1] and kind):
        raise wrong
    return max(ranks), min(ranks), kind


def _combos(high: int, low: int, kind: str, deck: Deck) -> list[Combo]:
    suits = range(deck.suit_count)
    return [
        (high * deck.suit_count + one, low * deck.suit_count + other)
        for one in suits
        for other in suits
        if (one > other if high == low else kind == "" or (one == other) == (kind == "s"))
    ]


# Counting


def _count(deck: Deck, ranges: list[list[Combo]], board: Cards, removed: Cards) -> Array:
    """Count how often each set of players shares the pot, [2 ** P], over all hands and boards. `removed`: board, dead cards."""
    from smoothcall.holdem.evaluator import evaluator
    from smoothcall.kernels.holdem.equity import count_winners

    boards = math.comb(deck.size - len(removed) - 2 * len(ranges), 5 - len(board))
    choices = _choices(ranges)
    _verify_few(len(choices) // math.factorial(deck.suit_count) * len(ranges) * boards)  # before the work of merging
    hands, weight = _merge_suits(deck, choices, board, removed)
    _verify_few(len(hands) * len(ranges) * boards)
    winners = np.zeros(1 << len(ranges), np.int64)
    count_winners(evaluator(deck), hands, weight, np.array(removed, np.uint8), np.array(board, np.uint8), winners)
    return winners


def _verify_few(evaluations: int) -> None:
    if evaluations > MAX_EVALUATIONS:
        raise UsageError(f"{evaluations:,} hands to compare are too many to count (at most {MAX_EVALUATIONS:,}): give samples")


def _choices(ranges: list[list[Combo]]) -> Array:
    """Return [n, P, 2] uint8: every choice of hands, one a player, that share no card."""
    hands, taken = np.zeros((1, 0, 2), np.uint8), np.zeros(1, np.uint64)
    for combos in ranges:
        if len(hands) * len(combos) > MAX_HAND_CHOICES:
            raise UsageError(
                f"these ranges have more than {MAX_HAND_CHOICES:,} choices of hands, too many to count: give samples"
            )
        own = np.array(combos, np.uint8)
        mask = (np.uint64(1) << own.astype(np.uint64)).sum(axis=1, dtype=np.uint64)
        before, now = np.nonzero((taken[:, None] & mask) == 0)
        hands = np.concatenate([hands[before], own[now][:, None, :]], axis=1)
        taken = taken[before] | mask[now]
    if not len(hands):
        raise UsageError("these hands cannot be held together: each choice has a card twice")
    return hands


def _merge_suits(deck: Deck, hands: Array, board: Cards, removed: Cards) -> tuple[Array, Array]:
    """Return (hands, weight): one of the choices that differ only in the names of suits, and how many they are."""
    players = hands.shape[1]
    if len(hands) == 1 or players > 5:  # with more, their code would not fit into 64 bits
        return hands, np.ones(len(hands), np.int64)
    known = set(board), set(removed)
    digits = deck.size ** np.arange(2 * players, dtype=np.int64)
    code = np.full(len(hands), np.iinfo(np.int64).max)
    for renamed in suit_permutations(deck):
        if all({int(renamed[card]) for card in cards} == cards for cards in known):
            code = np.minimum(code, np.sort(renamed[hands], axis=2).reshape(len(hands), -1) @ digits)
    _, first, weight = np.unique(code, return_index=True, return_counts=True)
    return hands[first], weight


def _sample(deck: Deck, ranges: list[list[Combo]], board: Cards, removed: Cards, samples: int, seed: int) -> Array:
    """Return [2 ** P] how often each set of players shares the pot, in random hands and boards."""
    from smoothcall.holdem.evaluator import evaluator
    from smoothcall.kernels.holdem.equity import sample_winners
    from smoothcall.kernels.random import seeded

    combos = np.array([combo for own in ranges for combo in own], np.uint8)
    start = np.cumsum([0, *map(len, ranges)])
    winners = np.zeros(1 << len(ranges), np.int64)
    known = np.array(removed, np.uint8), np.array(board, np.uint8)
    done = sample_winners(evaluator(deck), combos, start, *known, samples, seeded(seed)[0], winners)
    if done < samples:
        raise UsageError("these hands can hardly ever or never be held together: nearly each choice has a card twice")
    return winners


def _result(hands: Sequence[str], winners: Array, *, exact: bool) -> Equity:
    total = int(winners.sum())
    players = []
    for player, hand in enumerate(hands):
        sharing = [0] * (len(hands) + 1)  # [so many share the pot, this player among them]
        for who in np.flatnonzero(winners):
            if int(who) >> player & 1:
                sharing[int(who).bit_count()] += int(winners[who])
        win, tie = sharing[1], sum(sharing[2:])
        mean = sum((Fraction(times, sharers) for sharers, times in enumerate(sharing) if sharers), Fraction()) / total
        square = sum((Fraction(times, sharers**2) for sharers, times in enumerate(sharing) if sharers), Fraction()) / total
        error = 0.0 if exact else math.sqrt((square - mean**2) / (total - 1))
        players.append(PlayerEquity(hand, win, tie, total - win - tie, mean, error))
    return Equity(tuple(players), total, exact)

"""Hand rankings: which hand wins at showdown, one order per family of games."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, combinations_with_replacement
from typing import NamedTuple

from smoothcall.errors import UsageError
from smoothcall.games.cards import Cards, Deck

_WORDS = {
    "2": "two", "3": "three", "4": "four", "5": "five", "6": "six", "7": "seven", "8": "eight", "9": "nine", "T": "ten",
    "J": "jack", "Q": "queen", "K": "king", "A": "ace",
}  # fmt: skip


def rank_name(deck: Deck, rank: int) -> str:
    """Return a rank in words: `king`."""
    return _WORDS.get(deck.ranks[rank], deck.ranks[rank])


@dataclass(frozen=True, slots=True)
class HandOrder:
    """An order of hands. `strength` is higher for the better hand and equal for hands that split the pot."""

    name: str
    suits_matter: bool
    strength: Callable[[Deck, Cards, Cards], int]  # (deck, hole cards, board) -> strength
    describe: Callable[[Deck, Cards, Cards], str]


def _highest(deck: Deck, hole: Cards, board: Cards) -> int:
    """Rank by the highest card, then the next one, down to the last."""
    value = 0
    for rank in sorted(map(deck.rank, hole + board), reverse=True):
        value = value * len(deck.ranks) + rank
    return value


def _paired(deck: Deck, hole: Cards, board: Cards) -> int:
    """Rank a private card in Leduc: a pair with the board beats everything; otherwise the board does not count."""
    own = _highest(deck, hole, ())
    shared = {deck.rank(card) for card in hole} & {deck.rank(card) for card in board}
    return own + (len(deck.ranks) ** len(hole) if shared else 0)


def _name_highest(deck: Deck, hole: Cards, board: Cards) -> str:
    return f"{rank_name(deck, max(map(deck.rank, hole + board)))} high"


def _name_paired(deck: Deck, hole: Cards, board: Cards) -> str:
    shared = {deck.rank(card) for card in hole} & {deck.rank(card) for card in board}
    return f"a pair of {rank_name(deck, max(shared))}s" if shared else _name_highest(deck, hole, ())


HIGH_CARD = HandOrder("high card", False, _highest, _name_highest)
PAIR_OR_HIGH_CARD = HandOrder("pair with the board, else high card", False, _paired, _name_paired)


# Starting hands: how the program of macmanus2019 compares a private card with the board

_STARTING_HANDS = ("QJ", "QJs", "KJ", "KQ", "KJs", "KQs", "JJ", "QQ", "KK")  # worst first; s: of one suit


def _starting_hand(deck: Deck, hole: Cards, board: Cards) -> int:
    """Return the place of the private card and the board, as two hole cards, in an order of starting hands of Texas hold'em.

    Suited cards beat the same ranks of two suits, so with two suits no hands tie.
    """
    first, second = sorted(hole + board, reverse=True)
    ranks = deck.ranks[deck.rank(first)] + deck.ranks[deck.rank(second)]
    suited = first % deck.suit_count == second % deck.suit_count
    return _STARTING_HANDS.index(f"{ranks}s" if suited else ranks)


def _name_starting_hand(deck: Deck, hole: Cards, board: Cards) -> str:
    if not board:
        return _name_highest(deck, hole, ())
    name = _STARTING_HANDS[_starting_hand(deck, hole, board)]
    if name[0] == name[1]:
        return _name_paired(deck, hole, board)
    return f"{name[:2]} {'suited' if name.endswith('s') else 'of two suits'}"


STARTING_HANDS = HandOrder("starting hands", True, _starting_hand, _name_starting_hand)


# The best five of five to seven cards: the order of Texas hold'em

CATEGORIES = (
    "high card", "pair", "two pair", "three of a kind", "straight", "flush", "full house", "four of a kind", "straight flush",
)  # fmt: skip
_HIGH, _PAIR, _TWO_PAIR, _THREE, _STRAIGHT, _FLUSH, _FULL, _FOUR, _STRAIGHT_FLUSH = range(len(CATEGORIES))


class Made(NamedTuple):
    """The rank of five cards. The greater tuple wins, equal ones split the pot."""

    category: int  # index into CATEGORIES
    ranks: tuple[int, ...]  # that decide between hands of a category, most important first


def best_five(deck: Deck, cards: Cards) -> Made:
    """Return the rank of the best five of five to seven cards."""
    if not 5 <= len(cards) <= 7:
        raise UsageError(f"{deck.names(cards)!r} has {len(cards)} cards (accepted: 5 to 7)")
    suits = deck.suit_count
    times, of_suit = [0] * len(deck.ranks), [0] * suits
    for card in cards:
        times[card // suits] += 1
        of_suit[card % suits] += 1
    ranks = [rank for rank in range(len(times) - 1, -1, -1) if times[rank]]
    suited = []
    if max(of_suit) >= 5:
        suit = of_suit.index(max(of_suit))
        suited = sorted([card // suits for card in cards if card % suits == suit], reverse=True)

    def with_kickers(category: int, count: int, *made: int) -> Made:
        return Made(category, (*made, *[rank for rank in ranks if rank not in made][:count]))

    first, second = sorted(ranks, key=times.__getitem__, reverse=True)[:2]
    most, next_most = times[first], times[second]
    top = _straight(deck, suited)
    if top is not None:
        return Made(_STRAIGHT_FLUSH, (top,))
    if most == 4:
        return with_kickers(_FOUR, 1, first)
    if most == 3 and next_most >= 2:
        return Made(_FULL, (first, second))
    if suited:
        return Made(_FLUSH, tuple(suited[:5]))
    top = _straight(deck, ranks)
    if top is not None:
        return Made(_STRAIGHT, (top,))
    if most == 3:
        return with_kickers(_THREE, 2, first)
    if most == next_most == 2:
        return with_kickers(_TWO_PAIR, 1, first, second)
    return with_kickers(_PAIR, 3, first) if most == 2 else with_kickers(_HIGH, 5)


def _straight(deck: Deck, ranks: list[int]) -> int | None:
    """Return the highest rank of the best straight among these ranks, None without a straight.

    The ace also plays below the lowest rank, whatever that is: A2345 in a full deck, A789T in one that begins with sevens.
    """
    if len(ranks) < 5:
        return None
    held = set(ranks)
    if deck.ranks[-1] == "A" and len(deck.ranks) - 1 in held:
        held.add(-1)
    return next((top for top in ranks if held.issuperset(range(top - 4, top))), None)


@cache
def classes(deck: Deck) -> dict[Made, int]:
    """Return the number of every rank of five cards, the worst is 1: 7,462 ranks with 52 cards."""
    if len(deck.suits) != 4 or len(deck.ranks) < 5:
        raise UsageError(f"the best five cards need four suits and at least five ranks, not {deck.ranks!r} and {deck.suits!r}")
    made = {best_five(deck, cards) for cards in (*offsuit_fives(deck), *suited_fives(deck))}
    return {what: number for number, what in enumerate(sorted(made), 1)}


def offsuit_fives(deck: Deck) -> list[Cards]:
    """Return five cards for each choice of ranks, not all of one suit."""
    choices = combinations_with_replacement(range(len(deck.ranks)), 5)
    return [tuple(4 * rank + n % 4 for n, rank in enumerate(ranks)) for ranks in choices if ranks[0] < ranks[4]]


def suited_fives(deck: Deck) -> list[Cards]:
    """Return five cards of one suit for each choice of ranks."""
    return [tuple(4 * rank for rank in ranks) for ranks in combinations(range(len(deck.ranks)), 5)]


def made_by(deck: Deck, strength: int) -> Made:
    """Return the rank of the hands of this strength."""
    return _by_number(deck)[strength]


@cache
def _by_number(deck: Deck) -> dict[int, Made]:
    return {number: what for what, number in classes(deck).items()}


def _class_of_best(deck: Deck, hole: Cards, board: Cards) -> int:
    return classes(deck)[best_five(deck, hole + board)]


def name_made(deck: Deck, made: Made, kickers: int = 0) -> str:
    """Return a rank in words, with so many of the ranks that come after those that made it: `a pair of aces, king kicker`.

    A flush or a high card names so many more of its ranks: `a flush, ace-ten high`.
    """
    words = [rank_name(deck, rank) for rank in made.ranks]
    many = [f"{word}es" if word.endswith("x") else f"{word}s" for word in words]
    category = CATEGORIES[made.category]
    if made.category in (_HIGH, _FLUSH):
        high = f"{'-'.join(words[: 1 + kickers])} high"
        return high if made.category == _HIGH else f"a flush, {high}"
    if made.category in (_STRAIGHT, _STRAIGHT_FLUSH):
        royal = made.category == _STRAIGHT_FLUSH and words[0] == "ace"
        return "a royal flush" if royal else f"a {category}, {words[0]} high"
    if made.category == _FULL:
        return f"a full house, {many[0]} over {many[1]}"
    name = f"{category}, {many[0]}"
    if made.category == _PAIR:
        name = f"a pair of {many[0]}"
    elif made.category == _TWO_PAIR:
        name += f" and {many[1]}"
    named = words[2 if made.category == _TWO_PAIR else 1 :][:kickers]
    if len(named) > 1:
        return f"{name}, {', '.join(named[:-1])} and {named[-1]} kickers"
    return f"{name}, {named[0]} kicker" if named else name


def names_apart(deck: Deck, made: Sequence[Made]) -> list[str]:
    """Return ranks in words, with kickers only where they tell two of these ranks apart."""
    return [
        next(
            name
            for kickers in range(5)
            if (name := name_made(deck, own, kickers))
            and (kickers == 4 or not any(other != own and name_made(deck, other, kickers) == name for other in made))
        )
        for own in made
    ]


def _name_best(deck: Deck, hole: Cards, board: Cards) -> str:
    made = best_five(deck, hole + board)
    return name_made(deck, made, 0 if made.category in (_HIGH, _FLUSH) else 1)


BEST_FIVE = HandOrder("best five cards", True, _class_of_best, _name_best)

"""The boards of a spot, street by street, with the hands that each leaves to both players.

Cards to come that differ only by a permutation of suits are walked once, where both ranges are the same after it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from smoothcall.games.cards import STANDARD, Cards, Deck
from smoothcall.games.rankings import BEST_FIVE
from smoothcall.games.rules import PokerRules
from smoothcall.holdem.evaluator import evaluator
from smoothcall.holdem.suits import suit_permutations
from smoothcall.kernels.search import boards as kernels
from smoothcall.kernels.search.sweep import Boards
from smoothcall.kernels.tables import Array

PLAYERS = 2

Watch = Callable[[float], None]  # is told the fraction done
Choose = Callable[[Cards, int], Sequence[Cards]]  # takes a board and a number of cards; returns those that come next


@dataclass(frozen=True, eq=False)
class Range:
    """The H hands that a player may hold, with their weights."""

    hands: Array  # [H, hole cards] uint8, cards ascending
    weight: Array  # [H] float64, from 0 to 1

    @classmethod
    def every_hand(cls, deck: Deck) -> Range:
        """Return all hands of two cards, numbered as the tables of hold'em number them."""
        high, low = np.tril_indices(deck.size, -1)
        return cls(np.stack([low, high], axis=1).astype(np.uint8), np.ones(len(low)))


@dataclass(frozen=True, eq=False)
class Board:
    """One board of the public tree."""

    cards: Cards
    hands: tuple[Array, Array]  # of each player: places in its range, in the order of the board's vectors
    images: dict[Cards, Symmetry]  # the cards that may come instead of its last ones, with the permutation; its own first
    symmetries: tuple[Symmetry, ...]  # that leave the board and both ranges as they are


@dataclass(frozen=True, eq=False)
class Symmetry:
    """A permutation of suits under which both ranges are the same."""

    number: int  # among those of the first board
    card: Array  # [cards] the image of each card
    hand: tuple[Array, Array]  # of each player: the place of the image of each hand of its range


@dataclass(frozen=True, eq=False)
class Level:
    """The boards of one street."""

    boards: list[Board]
    arrays: Boards
    listed: kernels.Listed


def blocks(count: int, lanes: int) -> int:
    """Return how many blocks of lanes hold so many numbers."""
    return -(-count // lanes)


def vector_width(hands: int, lanes: int) -> int:
    """Return the length of vectors over so many hands: whole blocks, of which the last number is no hand."""
    return lanes * blocks(hands + 1, lanes)


def board_levels(
    rules: PokerRules,
    street: int,
    board: Cards,
    ranges: Sequence[Range],
    rows: Sequence[Sequence[int]],
    lanes: int,
    *,
    isomorphic: bool = True,
    last: int | None = None,
    choose: Choose | None = None,
    watch: Watch | None = None,
) -> tuple[list[Level], list[int]]:
    """Return the boards of a street and of those after it, and the length of each player's table in blocks of `lanes`.

    rows[street][player]: numbers that the table has for a hand on one board of the street. Unless `isomorphic`, every card
    is walked. `last`: the last street to list. `choose`: the cards to walk instead of all that may come; every one of them
    keeps the probability that it has among all.
    """
    used = [0] * PLAYERS
    found = symmetries(rules, board, ranges)
    every = (np.arange(len(ranges[0].hands)), np.arange(len(ranges[1].hands)))
    above = [Board(board, every, {}, found if isomorphic and choose is None else found[:1])]
    held, levels = held_ranges(rules, ranges, found), list[Level]()
    hands = np.array([[len(each)] for each in every], np.int32)
    place = np.zeros((PLAYERS, 1, held.low.shape[1]), np.uint16)
    for player, each in enumerate(every):
        place[player, 0, : len(each)] = each
    for number, street_rows in zip(range(street, len(rules.streets) if last is None else last + 1), rows, strict=True):
        coming = rules.streets[number].board if number > street else 0
        level, children = _level(rules, number, above, coming, held, hands, place, lanes, choose, watch)
        if levels:
            levels[-1].arrays.children[:] = children
        levels.append(level)
        above, hands, place = level.boards, level.arrays.hands, level.listed.place
        for player in range(PLAYERS):
            size = street_rows[player] * -(-hands[player].astype(np.int64) // lanes)
            level.arrays.start[player] = used[player] + np.cumsum(size) - size
            used[player] += int(size.sum())
    return levels, used


def symmetries(rules: PokerRules, board: Cards, ranges: Sequence[Range]) -> tuple[Symmetry, ...]:
    """Return the permutations of suits that leave a board and both ranges as they are, the identity first."""
    deck = rules.deck
    found: list[Symmetry] = []
    permutations = suit_permutations(deck) if len(deck.suits) == 4 else np.arange(deck.size)[None]
    for card in permutations:
        if {int(card[each]) for each in board} != set(board):
            continue
        places = [_permuted(each, card) for each in ranges]
        if places[0] is not None and places[1] is not None:
            found.append(Symmetry(len(found), card, (places[0], places[1])))
    return tuple(found)


def _permuted(held: Range, card: Array) -> Array | None:
    """Return [H] the places of the images of a range's hands; None where the range is not the same after it."""
    found = _places(held.hands, np.sort(card[held.hands], axis=1), len(card))
    if (found < 0).any() or not np.allclose(held.weight[found], held.weight, rtol=0, atol=1e-12):
        return None
    return found


def _places(hands: Array, wanted: Array, size: int) -> Array:
    """Return [n] the places of wanted[n, hole cards] among hands[H, hole cards]; -1 where they are not there."""
    place = np.full((size, size), -1, np.int64)
    place[hands[:, 0], hands[:, -1]] = np.arange(len(hands))
    found: Array = place[wanted[:, 0], wanted[:, -1]]
    return found


def held_ranges(rules: PokerRules, ranges: Sequence[Range], found: Sequence[Symmetry]) -> kernels.Ranges:
    """Return the ranges as the kernels take them."""
    most, size = max(len(each.hands) for each in ranges), rules.deck.size
    low, high, across = (np.zeros((PLAYERS, most), kind) for kind in (np.uint16, np.uint16, np.int64))
    image = np.zeros((PLAYERS, len(found), most), np.int64)
    for player, each in enumerate(ranges):
        count = len(each.hands)
        low[player, :count], high[player, :count] = each.hands[:, 0], each.hands[:, -1]
        if each.hands.shape[1] == 1:
            high[player, :count] += size
        across[player, :count] = _places(ranges[1 - player].hands, each.hands, size)
        for symmetry in found:
            image[player, symmetry.number, :count] = symmetry.hand[player]
    return kernels.Ranges(np.array([len(each.hands) for each in ranges]), low, high, across, image)


@dataclass(frozen=True, eq=False)
class _Coming:
    """A board behind another one."""

    parent: int
    cards: Cards  # that come
    images: dict[Cards, Symmetry]


def _coming(rules: PokerRules, above: Sequence[Board], count: int, choose: Choose | None) -> Iterator[_Coming]:
    """Yield the boards that may come behind others, each class under their symmetries once."""
    for number, parent in enumerate(above):
        known = set[Cards]()
        left = [card for card in range(rules.deck.size) if card not in parent.cards]
        for cards in choose(parent.cards, count) if choose is not None and count else combinations(left, count):
            if cards in known:
                continue
            images: dict[Cards, Symmetry] = {}
            for symmetry in parent.symmetries:
                images.setdefault(tuple(sorted(symmetry.card[list(cards)].tolist())), symmetry)
            known.update(images)
            yield _Coming(number, cards, images)


def _level(
    rules: PokerRules,
    street: int,
    above: Sequence[Board],
    count: int,
    held: kernels.Ranges,
    hands: Array,
    place: Array,
    lanes: int,
    choose: Choose | None,
    watch: Watch | None,
) -> tuple[Level, list[int]]:
    """Return the boards of a street behind those of the street before, and the first of them behind each."""
    coming = list[_Coming]()
    for each in _coming(rules, above, count, choose):
        if watch is not None and (not coming or each.parent > coming[-1].parent):
            watch(each.parent / len(above))
        coming.append(each)
    boards, most = len(coming), held.low.shape[1]
    width = vector_width(most, lanes)
    images = [symmetry.number for each in coming for symmetry in each.images.values()]
    cards = [above[each.parent].cards + each.cards for each in coming]
    last = street + 1 == len(rules.streets)
    ranked = last and rules.order == BEST_FIVE and len(cards[0]) == 5
    listed = kernels.Listed(
        parent=np.array([each.parent for each in coming]),
        coming=np.array([each.cards if count else cards[0] for each in coming], np.uint8).reshape(
            boards, count or len(cards[0])
        ),
        board=np.array(cards, np.uint8).reshape(boards, len(cards[0])),
        strength=strengths(rules, cards, held) if last and not ranked else np.zeros((PLAYERS, 0, 0), np.uint16),
        permutation=np.array(images),
        place=np.zeros((PLAYERS, boards, most), np.uint16),
    )
    low, high, weaker, not_stronger, same = np.zeros((5, PLAYERS, boards, most), np.uint16)
    left = rules.deck.size - len(above[0].cards) - PLAYERS * (1 if held.high.max() >= rules.deck.size else 2)
    arrays = Boards(
        hands=np.zeros((PLAYERS, boards), np.int32),
        low=low,
        high=high,
        weaker=weaker,
        not_stronger=not_stronger,
        same=same,
        start=np.zeros((PLAYERS, boards), np.int64),
        image=np.cumsum([0, *(len(each.images) for each in coming)], dtype=np.int32),
        origin=np.full((PLAYERS, boards, width), width - 1, np.uint16),
        place=np.full((PLAYERS, len(images), width), width - 1, np.uint16),
        weight=1.0 / comb(left, count),
        children=np.zeros(boards + 1, np.int32),
        bucket=np.zeros((0, 0), np.uint16),
        ahead=np.zeros((0, 0, 0), np.int8),
    )
    kernels.fill_boards(held, listed, arrays, hands, place, evaluator(rules.deck if ranked else STANDARD), ranked)
    found = []
    for number, each in enumerate(coming):
        one, other = (listed.place[player, number, : arrays.hands[player, number]] for player in range(PLAYERS))
        fixed = [kept for kept in above[each.parent].symmetries if set(kept.card[list(each.cards)].tolist()) == set(each.cards)]
        found.append(Board(cards[number], (one, other), each.images, tuple(fixed)))
    children = np.searchsorted(listed.parent, np.arange(len(above) + 1)).tolist()
    return Level(found, arrays, listed), children


def strengths(rules: PokerRules, boards: Sequence[Cards], held: kernels.Ranges) -> Array:
    """Return [2, B, H] uint16: ranks of the strengths of hands on boards, by the game's own order; 0 where a card is twice."""
    deck, strength = rules.deck, rules.order.strength
    found = np.zeros((PLAYERS, len(boards), held.low.shape[1]), np.int64)
    for player in range(PLAYERS):
        for hand in range(int(held.hands[player])):
            own = [int(card) for card in (held.low[player, hand], held.high[player, hand]) if card < deck.size]
            for number, board in enumerate(boards):
                if not set(own) & set(board):
                    found[player, number, hand] = 1 + strength(deck, tuple(own), board)
    return np.unique(found, return_inverse=True)[1].reshape(found.shape).astype(np.uint16)

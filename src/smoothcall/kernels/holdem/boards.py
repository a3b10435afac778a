"""Boards up to a change of suits: which boards are the same, and how each becomes the one that stands for its kind.

A board is the set of its cards, ranked among all sets of its size by sum of C(card, place + 1) over its cards in ascending
order. It stands for its kind when the ranks its suits hold, read as numbers, are in descending order. A change of suits is
written as one number of two bits a suit. Cards are rank * 4 + suit.
"""

from __future__ import annotations

import numpy as np

from smoothcall.kernels import inlined, kernel
from smoothcall.kernels.tables import Array, Integer

SUITS = 4
SHIFT = np.uint32(8)  # an entry of a board index is (kind << SHIFT) | change of suits
CHANGE = np.uint32(255)
STAY = 0b11_10_01_00  # the change of suits that changes nothing


def choices(size: int) -> Array:
    """[size + 1, 6] uint32: binomial coefficients."""
    table = np.zeros((size + 1, 6), np.uint32)
    table[:, 0] = 1
    for n in range(1, size + 1):
        table[n, 1:] = table[n - 1, 1:] + table[n - 1, :-1]
    return table


def changed_cards(size: int) -> Array:
    """[256, size] uint8: each card after each change of suits."""
    cards = np.arange(size)
    changes = np.arange(256)[:, None]
    return (cards // SUITS * SUITS + (changes >> (2 * (cards % SUITS)) & 3)).astype(np.uint8)


@inlined
def insert(cards: Array, place: int, card: Integer) -> None:
    """Into cards[:place], which ascend."""
    while place > 0 and cards[place - 1] > card:
        cards[place] = cards[place - 1]
        place -= 1
    cards[place] = card


@inlined
def rank_board(cards: Array, count: int, binomial: Array) -> Integer:
    """Of cards[:count], which ascend."""
    rank = np.uint32(0)
    for place in range(count):
        rank += binomial[np.uint32(cards[place]), np.uint32(place + 1)]
    return rank


@kernel
def order_suits(cards: Array, count: int, held: Array) -> int:
    """The change of suits that brings a board to the one that stands for its kind. held[4] is scratch."""
    held[:] = 0
    for place in range(count):
        held[cards[place] % SUITS] |= 1 << (cards[place] // SUITS)
    change = 0
    for suit in range(SUITS):
        before = 0
        for other in range(SUITS):
            before += held[other] > held[suit] or (held[other] == held[suit] and other < suit)
        change |= before << (2 * suit)
    return change


@kernel
def index_boards(size: int, count: int, binomial: Array, changed: Array) -> tuple[Array, int]:
    """Every board of `count` cards of a deck: [C(size, count)] uint32 (kind << 8) | change of suits; the number of kinds."""
    index = np.zeros(binomial[size, count], np.uint32)
    cards, twin, held = np.arange(count), np.zeros(count, np.int64), np.zeros(SUITS, np.int64)
    kinds = np.uint32(0)
    for rank in range(len(index)):
        if order_suits(cards, count, held) == STAY:
            index[rank] = (kinds << SHIFT) | np.uint32(STAY)
            kinds += np.uint32(1)
        next_board(cards)
    cards[:] = np.arange(count)
    for rank in range(len(index)):
        change = order_suits(cards, count, held)
        if change != STAY:
            for place in range(count):
                insert(twin, place, np.int64(changed[change, cards[place]]))
            kind = index[rank_board(twin, count, binomial)] >> SHIFT
            index[rank] = (kind << SHIFT) | np.uint32(change)
        next_board(cards)
    return index, int(kinds)


@kernel
def next_board(cards: Array) -> None:
    """The next set of cards in the order of ranks."""
    place = 0
    while place + 1 < len(cards) and cards[place] + 1 == cards[place + 1]:
        cards[place] = place
        place += 1
    cards[place] += 1


@kernel
def list_kinds(index: Array, count: int, kinds: int) -> tuple[Array, Array]:
    """([kinds, count] uint8 the board that stands for each kind, [kinds] int64 how many boards are of it)."""
    boards, number = np.zeros((kinds, count), np.uint8), np.zeros(kinds, np.int64)
    cards = np.arange(count)
    for rank in range(len(index)):
        kind = index[rank] >> SHIFT
        number[kind] += 1
        if (index[rank] & CHANGE) == STAY:
            boards[kind] = cards
        next_board(cards)
    return boards, number

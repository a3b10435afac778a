"""Boards up to suit isomorphism: the class of every board, and the suit change that makes it canonical.

A board is a set of cards. Its rank among all sets of its size is the sum of C(card, place + 1) over its cards in ascending
order. The canonical board of a class has its suits in descending order of the ranks they hold, read as bit masks. A suit
change is one number with two bits per suit. Cards are rank * 4 + suit.
"""

from __future__ import annotations

import numpy as np

from smoothcall.kernels import callee, inlined, kernel
from smoothcall.kernels.tables import Array, Integer
from smoothcall.kernels.vectors import copy

SUITS = 4
SHIFT = np.uint32(8)  # an entry of a board index is (class << SHIFT) | suit change
CHANGE = np.uint32(255)  # mask of the suit change
STAY = 0b11_10_01_00  # the suit change that changes nothing


def choices(size: int) -> Array:
    """Return [size + 1, 6] uint32: binomial coefficients."""
    table = np.zeros((size + 1, 6), np.uint32)
    table[:, 0] = 1
    for n in range(1, size + 1):
        table[n, 1:] = table[n - 1, 1:] + table[n - 1, :-1]
    return table


def changed_cards(size: int) -> Array:
    """Return [256, size] uint8: each card after each suit change."""
    cards = np.arange(size)
    changes = np.arange(256)[:, None]
    return (cards // SUITS * SUITS + (changes >> (2 * (cards % SUITS)) & 3)).astype(np.uint8)


@inlined
def insert(cards: Array, place: int, card: Integer) -> None:
    """Insert a card into cards[:place], which are in ascending order."""
    while place > 0 and cards[place - 1] > card:
        cards[place] = cards[place - 1]
        place -= 1
    cards[place] = card


@inlined
def rank_board(cards: Array, count: int, binomial: Array) -> Integer:
    """Return the rank of the board cards[:count], which are in ascending order."""
    rank = np.uint32(0)
    for place in range(count):
        rank += binomial[np.uint32(cards[place]), np.uint32(place + 1)]
    return rank


@callee
def order_suits(cards: Array, count: int, held: Array) -> int:
    """Return the suit change that makes a board canonical. held[4] is scratch."""
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
    """Return ([C(size, count)] uint32 entries of all boards by rank, number of classes)."""
    index = np.zeros(binomial[size, count], np.uint32)
    cards, twin, held = np.arange(count), np.zeros(count, np.int64), np.zeros(SUITS, np.int64)
    classes = np.uint32(0)
    for rank in range(len(index)):
        if order_suits(cards, count, held) == STAY:
            index[rank] = (classes << SHIFT) | np.uint32(STAY)
            classes += np.uint32(1)
        next_board(cards)
    copy(np.arange(count), cards)
    for rank in range(len(index)):
        change = order_suits(cards, count, held)
        if change != STAY:
            for place in range(count):
                insert(twin, place, np.int64(changed[change, cards[place]]))
            found = index[rank_board(twin, count, binomial)] >> SHIFT
            index[rank] = (found << SHIFT) | np.uint32(change)
        next_board(cards)
    return index, int(classes)


@callee
def next_board(cards: Array) -> None:
    """Step to the board of the next rank."""
    place = 0
    while place + 1 < len(cards) and cards[place] + 1 == cards[place + 1]:
        cards[place] = place
        place += 1
    cards[place] += 1


@kernel
def list_classes(index: Array, count: int, classes: int) -> tuple[Array, Array]:
    """Return ([classes, count] uint8 canonical boards, [classes] int64 boards in each class)."""
    boards, size = np.zeros((classes, count), np.uint8), np.zeros(classes, np.int64)
    cards = np.arange(count)
    for rank in range(len(index)):
        found = index[rank] >> SHIFT
        size[found] += 1
        if (index[rank] & CHANGE) == STAY:
            copy(cards, boards[found])
        next_board(cards)
    return boards, size

"""Hand evaluator: the strength of the best five of five to seven cards, by a table look-up of a sum of card keys.

A card's key is a 64-bit number. Its low 32 bits stand for its rank, chosen so that no two choices of up to seven ranks have
the same sum; its top 16 bits count its suit, four bits a suit. A hand is the sum of its cards' keys: adding a card to a hand
is one addition. Where no suit has five cards, the low bits find the strength in a table packed so that the empty places of one
row hold entries of others. A flush, one hand in thirty, is found by which ranks of its suit there are: a hand's mask is the
sum of its cards' masks, sixteen bits a suit.

    keys, mask = key of A + key of B + ..., mask of A + mask of B + ...
    strength = evaluate(evaluator, keys, mask)     the higher wins; at most 7,462 with 52 cards
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from smoothcall.kernels import callee, inlined, kernel
from smoothcall.kernels.tables import Array

# Each is the least number greater than the one before that keeps the sums of up to seven, each at most four times, apart.
RANK_KEYS = (1, 5, 24, 112, 521, 2247, 9244, 30823, 103066, 250154, 667453, 1526359, 3453520)

ROWS = 1 << 14  # of the sparse table of sums: a sum is in row `sum % ROWS`, there in place `sum // ROWS`
MASKS = 1 << 13  # of the ranks of one suit
_ROW, _PLACE = np.uint64(ROWS - 1), np.uint64(14)
_RANKS = np.uint64(0xFFFFFFFF)
_THREE_EACH = np.uint64(0x3333 << 48)  # added to the counts of suits, makes five of a suit set its highest bit
_FIVE, _FIRST_SUIT = np.uint64(0x8888 << 48), np.uint64(0x8 << 48)
_COUNT_STEP, _MASK_STEP = np.uint64(4), np.uint64(16)
_ONE_SUIT = np.uint64(MASKS - 1)
_ZERO = np.uint64(0)

Number = Any  # uint64; Numba promotes int64 + uint64 to float64


class Evaluator(NamedTuple):
    """A deck's tables, 234 KB for 52 cards. C cards; strengths go from 1 to `classes`."""

    card_key: Array  # [C] uint64
    card_mask: Array  # [C] uint64: bit 16 * suit + rank
    offset: Array  # [ROWS] uint32: where each row of the sparse table of sums was laid in `strength`
    strength: Array  # uint16: by the mask of a suit with five cards or more, from MASKS on by offset + place of the sum of keys
    classes: int  # how many strengths there are


@inlined
def add_card(evaluator: Evaluator, card: Any, keys: Number, mask: Number) -> tuple[Number, Number]:
    """Return (sum of keys, sum of masks) with one card more."""
    return keys + evaluator.card_key[card], mask + evaluator.card_mask[card]


@inlined
def add_cards(evaluator: Evaluator, cards: Array, start: int, stop: int) -> tuple[Number, Number]:
    """Return (sum of keys, sum of masks) of cards[start:stop], of any type of numbers."""
    keys = mask = _ZERO
    for place in range(start, stop):
        card = np.uint32(cards[place])
        keys += evaluator.card_key[card]
        mask += evaluator.card_mask[card]
    return keys, mask


@inlined
def evaluate(evaluator: Evaluator, keys: Number, mask: Number) -> Number:
    """Return the strength of a hand of five to seven cards by the sum of its keys and the sum of its masks.

    (The branch on flushes is in a function without arrays: around one, Numba counts references to arrays, at ten times the
    cost of the rest.)
    """
    ranks = keys & _RANKS
    return evaluator.strength[_unless_flush(keys, mask, evaluator.offset[ranks & _ROW] + (ranks >> _PLACE))]


@callee
def _unless_flush(keys: Number, mask: Number, place: Number) -> Number:
    """Return the place of a hand's strength: the one given, or that of the suit with five cards or more."""
    flush = (keys + _THREE_EACH) & _FIVE
    if flush == _ZERO:
        return place
    suit = _FIRST_SUIT
    while suit != flush:
        suit <<= _COUNT_STEP
        mask >>= _MASK_STEP
    return mask & _ONE_SUIT


@kernel
def evaluate_hands(evaluator: Evaluator, hands: Array, strength: Array) -> None:
    """hands[n, cards] uint8 -> strength[n] uint16, five to seven cards each."""
    for hand in range(len(hands)):
        keys, mask = add_cards(evaluator, hands[hand], 0, hands.shape[1])
        strength[hand] = evaluate(evaluator, keys, mask)


@kernel
def count_strengths(evaluator: Evaluator, cards: int, count: Array) -> None:
    """Add to count[classes + 1] int64 how many of all hands of this many cards have each strength."""
    size = len(evaluator.card_key)
    stepped = cards - 2  # the last two cards are the loops below
    card = np.arange(stepped)
    keys, mask = np.zeros(stepped + 1, np.uint64), np.zeros(stepped + 1, np.uint64)  # sums of the first so many cards
    changed = 0
    while changed >= 0:
        for n in range(changed, stepped):
            keys[n + 1] = keys[n] + evaluator.card_key[card[n]]
            mask[n + 1] = mask[n] + evaluator.card_mask[card[n]]
        for one in range(card[stepped - 1] + 1, size - 1):
            some_keys = keys[stepped] + evaluator.card_key[one]
            some_mask = mask[stepped] + evaluator.card_mask[one]
            for other in range(one + 1, size):
                strength = evaluate(evaluator, some_keys + evaluator.card_key[other], some_mask + evaluator.card_mask[other])
                count[strength] += 1
        changed = step(card, size - 2)


@kernel
def step(choice: Array, size: int) -> int:
    """Step to the next ascending choice of numbers below `size`; return the first place that changed, -1 after the last."""
    count = len(choice)
    place = count - 1
    while place >= 0 and choice[place] == size - count + place:
        place -= 1
    if place >= 0:
        choice[place] += 1
        for n in range(place + 1, count):
            choice[n] = choice[n - 1] + 1
    return place


@kernel
def pack_rows(place: Array, value: Array, row_start: Array, order: Array, offset: Array, table: Array) -> int:
    """Lay the rows of a sparse table over one another, each at the first offset where its entries meet empty places.

    Row r has the entries row_start[r] to row_start[r + 1], each a place and a value above 0; rows are laid in the given
    order. Returns how much of the table was used.
    """
    at = used = 0
    for number, row in enumerate(order):
        first, end = row_start[row], row_start[row + 1]
        if number % 128 == 0:  # between these, places that the last row passed over are not tried again: a tenth of the time
            at = 0
        n = first
        while n < end:
            if table[at + place[n]] == 0:
                n += 1
            else:
                at, n = at + 1, first
        offset[row] = at
        for n in range(first, end):
            table[at + place[n]] = value[n]
            used = max(used, at + place[n] + 1)
    return used

"""Drawing cards: fresh deals, the rest of a board, and rollouts against random hands.

Each function has a random stream of its own, which results depend on: `draw_cards` takes two cards from 64 bits, `draw_rest`
one from 53, `count_won` shuffles so that no draw is rejected.
"""

from __future__ import annotations

import numpy as np

from smoothcall.kernels import inlined, kernel
from smoothcall.kernels.holdem.buckets import VISIBLE
from smoothcall.kernels.holdem.evaluator import Evaluator, Number, add_card, add_cards, evaluate
from smoothcall.kernels.random import below, draw, draw_bits
from smoothcall.kernels.tables import Array, Integer

_HALF = np.uint64(32)
_ZERO, _ONE = np.uint64(0), np.uint64(1)


@inlined
def card_set(cards: Array, start: int, stop: int) -> Number:
    """Return the set of cards[start:stop], one bit per card."""
    found = _ZERO
    for place in range(start, stop):
        found |= _ONE << np.uint64(cards[place])
    return found


@inlined
def draw_cards(card: Array, size: int, generator: Array) -> None:
    """Fill card[n] with different cards of a deck."""
    seen, bits, left = _ZERO, _ZERO, 0
    place = 0
    while place < len(card):
        if left == 0:
            bits, left = draw_bits(generator), 2
        sampled = below(bits, size)
        bits, left = bits >> _HALF, left - 1
        bit = _ONE << sampled
        if seen & bit == _ZERO:
            seen |= bit
            card[place] = sampled
            place += 1


@inlined
def draw_rest(card: Array, start: int, seen: Number, size: int, generator: Array) -> None:
    """Fill card[start:] with different cards of a deck that are not in the set `seen`."""
    taken, place = seen, start
    while place < len(card):
        sampled = int(draw(generator) * size)
        bit = _ONE << np.uint64(sampled)
        if taken & bit == _ZERO:
            taken |= bit
            card[place] = sampled
            place += 1


@inlined
def draw_other(generator: Array, count: int, one: int, two: int, three: int) -> Integer:
    """Return a random number below `count` that is none of the three."""
    sampled: Integer = one
    while sampled in (one, two, three):
        sampled = np.int64(below(draw_bits(generator), count))
    return sampled


@kernel
def count_won(evaluator: Evaluator, visible: Array, count: int, rollouts: int, unseen: Array, generator: Array) -> int:
    """Return twice the number of rollouts that two cards win against a random hand; ties count 1.

    visible[:count] are the two cards and the board so far; the rest of the board is random. unseen[cards] uint8 is scratch.
    """
    own_keys, own_mask = add_cards(evaluator, visible, 0, 2)
    keys, mask = add_cards(evaluator, visible, 2, count)
    seen = card_set(visible, 0, count)
    left = won = 0
    for number in range(len(unseen)):
        if seen & (_ONE << np.uint64(number)) == _ZERO:
            unseen[left] = number
            left += 1
    for _ in range(rollouts):
        bits = other_keys = other_mask = _ZERO
        board_keys, board_mask = keys, mask
        for place in range(2 + VISIBLE[-1] - count):  # a partial Fisher-Yates shuffle; it may start from any order
            if place % 2 == 0:
                bits = draw_bits(generator)
            at = np.uint64(place) + below(bits, left - place)
            bits >>= _HALF
            sampled = unseen[at]
            unseen[at] = unseen[place]
            unseen[place] = sampled
            if place < 2:
                other_keys, other_mask = add_card(evaluator, sampled, other_keys, other_mask)
            else:
                board_keys, board_mask = add_card(evaluator, sampled, board_keys, board_mask)
        own = evaluate(evaluator, board_keys + own_keys, board_mask + own_mask)
        other = evaluate(evaluator, board_keys + other_keys, board_mask + other_mask)
        won += int(own > other) + int(own >= other)
    return won

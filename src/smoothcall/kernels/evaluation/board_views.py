"""Boards as an agent sees them: the hands that a board leaves, their buckets, and their order by strength.

Boards that differ only by a permutation of suits are walked once; `orbit_size` says how many cards one card stands for.
"""

from __future__ import annotations

from typing import NamedTuple

from smoothcall.kernels import inlined, kernel
from smoothcall.kernels.evaluation.hand_equities import free_hands
from smoothcall.kernels.holdem.buckets import Cards, board_buckets
from smoothcall.kernels.holdem.evaluator import add_cards, evaluate
from smoothcall.kernels.holdem.hand_strength import sort_by_digit
from smoothcall.kernels.tables import Array

DIGITS = 128  # values of a digit of `sort_by_digit`
_DIGIT_BITS = 7


class SuitPermutations(NamedTuple):
    """The 24 permutations of suits, the identity first."""

    card: Array  # [24, cards] uint32: the image of each card
    hand: Array  # [24, hands] uint32: the image of each hand


class BoardViews(NamedTuple):
    """V boards, each with the hands that it leaves; on rivers, weaker hands first."""

    hands_left: Array  # [V] int64: how many
    hand: Array  # [V, H] uint32
    bucket: Array  # [V, H] uint32: the agent's bucket of each hand
    low: Array  # [V, H] uint32: the cards of each hand
    high: Array  # [V, H] uint32
    tie_end: Array  # [V, H] uint32: on rivers, the end of the group of hands of equal strength
    multiplicity: Array  # [V] float64: how many boards this one stands for


class ViewScratch(NamedTuple):
    """Buffers of `view_board` and `sort_by_strength`."""

    free: Array  # [H] bool
    bucket: Array  # [H] int32
    strength: Array  # [H] uint16
    order: Array  # [H] uint32
    other_order: Array  # [H] uint32
    digits: Array  # [DIGITS + 1] int64


@inlined
def contains(card: int, cards: Array) -> bool:
    found = False
    for other in cards:
        found |= other == card
    return found


@kernel
def orbit_size(suits: SuitPermutations, fixes: Array, card: int) -> int:
    """Return the number of images of a card under the permutations in `fixes`; 0 where a lower card stands for it."""
    permutations, fixed = 0, 0
    for each in range(len(fixes)):
        if fixes[each]:
            if suits.card[each, card] < card:
                return 0
            permutations += 1
            fixed += suits.card[each, card] == card
    return permutations // fixed


@kernel
def view_board(
    cards: Cards, street: int, board: Array, place: Array, multiplicity: int, views: BoardViews, view: int, scratch: ViewScratch
) -> None:
    """Fill one view: the hands that the board leaves and their buckets. `place` is as `rank_streets` makes it."""
    size, number, count = len(cards.evaluator.card_key), 0, 0
    free_hands(size, board[:0], board, scratch.free)
    board_buckets(cards, street, place[max(street - 1, 0)], scratch.bucket)
    for high in range(size):
        for low in range(high):
            if scratch.free[number]:
                views.hand[view, count], views.bucket[view, count] = number, scratch.bucket[number]
                views.low[view, count], views.high[view, count] = low, high
                count += 1
            number += 1
    views.hands_left[view], views.multiplicity[view] = count, multiplicity


@kernel
def sort_by_strength(cards: Cards, board: Array, views: BoardViews, view: int, scratch: ViewScratch) -> None:
    """Sort the hands of a river by strength, weakest first, and mark the groups of ties."""
    evaluator, strength, other_order, order = cards.evaluator, scratch.strength, scratch.other_order, scratch.order
    count, low, high = views.hands_left[view], views.low[view], views.high[view]
    keys, mask = add_cards(evaluator, board, 0, len(board))
    for n in range(count):
        own_keys, own_mask = keys + evaluator.card_key[low[n]], mask + evaluator.card_mask[low[n]]
        strength[n] = evaluate(evaluator, own_keys + evaluator.card_key[high[n]], own_mask + evaluator.card_mask[high[n]])
        order[n] = n
    sort_by_digit(strength, order, other_order, count, 0, scratch.digits)
    sort_by_digit(strength, other_order, order, count, _DIGIT_BITS, scratch.digits)
    for column in (views.hand[view], views.bucket[view], low, high):
        for n in range(count):
            other_order[n] = column[order[n]]
        column[:count] = other_order[:count]
    end = count
    for n in range(count - 1, -1, -1):
        if n + 1 < count and strength[order[n]] != strength[order[n + 1]]:
            end = n + 1
        views.tie_end[view, n] = end

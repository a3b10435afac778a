"""Hand strength on the river and sums of its square on turn and flop, exactly, as whole numbers.

The strength of two cards on a river is twice the number of opponent's hands they beat plus the number they tie. With n such
hands, HS = strength / (2 n). Squares are summed over every river that may come: over 46 rivers on the turn, over 47 turns of
those sums on the flop (52 cards). Tables are [K, hands] for K classes of boards; a hand is a set of two cards, ranked as
boards are; 0 where a hand shares a card with the board.
"""

from __future__ import annotations

import numpy as np

from smoothcall.kernels import callee, kernel
from smoothcall.kernels.holdem.boards import CHANGE, SHIFT, insert, rank_board
from smoothcall.kernels.holdem.evaluator import Evaluator, add_cards, evaluate
from smoothcall.kernels.tables import Array

_DIGIT, _DIGITS = 7, 128  # strengths have at most two digits of seven bits


@kernel
def hand_numbers(size: int) -> Array:
    """Return [size, size] uint32: the number of the hand that two different cards make."""
    numbers = np.zeros((size, size), np.uint32)
    for high in range(size):
        for low in range(high):
            numbers[low, high] = numbers[high, low] = high * (high - 1) // 2 + low
    return numbers


@kernel
def river_strengths(evaluator: Evaluator, boards: Array, strength: Array) -> None:
    """boards[K, 5] -> strength[K, hands] uint16."""
    size = len(evaluator.card_key)
    every = size * (size - 1) // 2
    value, low, high = np.zeros(every, np.uint16), np.zeros(every, np.uint8), np.zeros(every, np.uint8)
    order, again, places = np.zeros(every, np.uint32), np.zeros(every, np.uint32), np.zeros(_DIGITS + 1, np.int64)
    weaker, equal = np.zeros(size, np.int64), np.zeros(size, np.int64)
    left = np.zeros(size, np.uint8)
    for k in range(len(boards)):
        keys, mask = add_cards(evaluator, boards[k], 0, boards.shape[1])
        cards = 0
        for card in range(size):
            on_board = False
            for dealt in boards[k]:
                on_board |= card == dealt
            if not on_board:
                left[cards] = card
                cards += 1
        hands = 0
        for second in range(cards):
            some_keys, some_mask = keys + evaluator.card_key[left[second]], mask + evaluator.card_mask[left[second]]
            for first in range(second):
                card = left[first]
                found = evaluate(evaluator, some_keys + evaluator.card_key[card], some_mask + evaluator.card_mask[card])
                value[hands], low[hands], high[hands] = found, card, left[second]
                hands += 1
        for hand in range(hands):
            again[hand] = hand
        sort_by_digit(value, again, order, hands, int(0), places)
        sort_by_digit(value, order, again, hands, int(_DIGIT), places)
        weaker[:] = 0
        begin = 0
        while begin < hands:
            end = begin
            while end < hands and value[again[end]] == value[again[begin]]:
                equal[low[again[end]]] += 1
                equal[high[again[end]]] += 1
                end += 1
            for place in range(begin, end):
                one, other = np.int64(low[again[place]]), np.int64(high[again[place]])
                beaten = begin - weaker[one] - weaker[other]
                tied = (end - begin) - equal[one] - equal[other] + 1  # without itself, which both cards counted
                strength[k, other * (other - 1) // 2 + one] = 2 * beaten + tied
            for place in range(begin, end):
                for card in (low[again[place]], high[again[place]]):
                    weaker[card] += equal[card]
                    equal[card] = 0
            begin = end


@callee
def sort_by_digit(value: Array, source: Array, target: Array, count: int, shift: int, places: Array) -> None:
    """Do one pass of a radix sort: source[count] -> target[count], by seven bits of value[source]."""
    places[:] = 0
    for place in range(count):
        places[((value[source[place]] >> shift) & (_DIGITS - 1)) + 1] += 1
    for digit in range(_DIGITS):
        places[digit + 1] += places[digit]
    for place in range(count):
        digit = (value[source[place]] >> shift) & (_DIGITS - 1)
        target[places[digit]] = source[place]
        places[digit] += 1


@kernel
def sum_over_next(
    boards: Array, index: Array, table: Array, square: bool, changed: Array, binomial: Array, numbers: Array, total: Array
) -> None:
    """Sums over every next card: boards[K, n], index and table[K, hands] of boards with n + 1 cards -> total[K, hands]."""
    size, count = changed.shape[1], boards.shape[1]
    place = np.zeros(count + 1, np.int64)
    on_board = np.zeros(size, np.bool_)
    for k in range(len(boards)):
        total[k] = 0
        on_board[:] = False
        for card in boards[k]:
            on_board[card] = True
        for card in range(size):
            if on_board[card]:
                continue
            for n in range(count):
                place[n] = boards[k, n]
            insert(place, count, card)
            entry = index[rank_board(place, count + 1, binomial)]
            change, row = changed[entry & CHANGE], table[entry >> SHIFT]
            for high in range(size):
                if on_board[high] or high == card:
                    continue
                line = numbers[np.uint32(change[high])]
                first = high * (high - 1) // 2
                for low in range(high):
                    if not (on_board[low] or low == card):
                        found = np.uint64(row[line[np.uint32(change[low])]])
                        total[k, first + low] += found * found if square else found


@kernel
def count_values(table: Array, boards: Array, number: Array, step: int, histogram: Array) -> None:
    """Count how often table // step takes each value, over all hands that the boards leave: histogram[values] += number[K]."""
    size = int((1 + np.sqrt(1 + 8 * table.shape[1])) // 2)
    on_board = np.zeros(size, np.bool_)
    for k in range(len(boards)):
        on_board[:] = False
        for card in boards[k]:
            on_board[card] = True
        for high in range(size):
            for low in range(high):
                if not (on_board[high] or on_board[low]):
                    histogram[table[k, high * (high - 1) // 2 + low] // step] += number[k]

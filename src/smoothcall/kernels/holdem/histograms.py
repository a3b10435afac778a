"""Histograms of the hand strength on the river over every run-out, and their clusters by the earth mover's distance.

A histogram is kept as cumulative counts: cumulative[b] run-outs lead to a strength in the bins 0 to b. In one dimension the
earth mover's distance of two histograms is the sum over all bins of the absolute differences of their cumulative counts. All
numbers are whole, so that clusters are the same on every machine. Hands are numbered as in `kernels.holdem.hand_strength`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from smoothcall.kernels import inlined, kernel
from smoothcall.kernels.holdem.boards import CHANGE, SHIFT, insert, rank_board
from smoothcall.kernels.holdem.drawing import draw_cards
from smoothcall.kernels.random import draw
from smoothcall.kernels.tables import Array, Integer
from smoothcall.kernels.vectors import copy

BOARD = 5  # cards of a complete board


class Rivers(NamedTuple):
    """The strengths of all hands on all rivers, and the bin of each strength."""

    entry: Array  # [boards] uint32: (class << 8) | suit change of each river, by its rank
    strength: Array  # [K, hands] uint16
    bin_of: Array  # [greatest strength + 1] int64
    changed: Array  # [256, cards] uint8: each card after each change of suits
    binomial: Array  # [cards + 1, 6] uint32
    hand: Array  # [cards, cards] uint32: the number of two cards


@kernel
def count_boards(rivers: Rivers, boards: Array, histogram: Array) -> None:
    """boards[K, 3 or 4] -> histogram[K, hands, B] int32, cumulative; 0 for hands that share a card with the board."""
    size, count = rivers.changed.shape[1], boards.shape[1]
    place, taken = np.zeros(BOARD, np.int64), np.zeros(size, np.bool_)
    histogram[:] = 0
    for k in range(len(boards)):
        taken[:] = False
        for card in boards[k]:
            taken[card] = True
        for first in range(size):
            if taken[first]:
                continue
            taken[first] = True
            for second in range(first if count == BOARD - 2 else 1):
                if count == BOARD - 2 and taken[second]:
                    continue
                for n in range(count):
                    place[n] = boards[k, n]
                insert(place, count, first)
                if count == BOARD - 2:
                    insert(place, count + 1, second)
                    taken[second] = True
                count_river(rivers, place, taken, histogram[k])
                if count == BOARD - 2:
                    taken[second] = False
            taken[first] = False
        accumulate(histogram[k])


@inlined
def count_river(rivers: Rivers, board: Array, taken: Array, histogram: Array) -> None:
    """Add 1 to the bin of every hand that a complete board, in ascending order, leaves. taken[cards]: on the board."""
    entry = rivers.entry[rank_board(board, BOARD, rivers.binomial)]
    change, row = rivers.changed[entry & CHANGE], rivers.strength[entry >> SHIFT]
    for high in range(len(taken)):
        if taken[high]:
            continue
        line = rivers.hand[np.uint32(change[high])]
        first = high * (high - 1) // 2
        for low in range(high):
            if not taken[low]:
                histogram[first + low, rivers.bin_of[row[line[np.uint32(change[low])]]]] += 1


@inlined
def accumulate(histogram: Array) -> None:
    """Turn histogram[n, B] from counts into cumulative counts."""
    for row in range(len(histogram)):
        for place in range(1, histogram.shape[1]):
            histogram[row, place] += histogram[row, place - 1]


@kernel
def sample_histograms(rivers: Rivers, shown: int, each: int, generator: Array, histogram: Array) -> None:
    """Fill histogram[n, B] with the cumulative histograms of random hands, `each` of them on every random board.

    A board has `shown` cards, 3 or 4. Counting all hands of a board costs little more than counting one.
    """
    size = rivers.changed.shape[1]
    hands = size * (size - 1) // 2
    board, every = np.zeros((1, shown), np.uint8), np.zeros((1, hands, histogram.shape[1]), np.int32)
    for sample in range(len(histogram)):
        if sample % each == 0:
            draw_cards(board[0], size, generator)
            board[0].sort()
            count_boards(rivers, board, every)
        hand = int(draw(generator) * hands)
        while every[0, hand, -1] == 0:  # it shares a card with the board
            hand = int(draw(generator) * hands)
        copy(every[0, hand], histogram[sample])


@inlined
def distance(one: Array, other: Array) -> Integer:
    """Return the earth mover's distance of two cumulative histograms [B] with the same number of run-outs."""
    total: Integer = np.int32(0)
    for place in range(len(one)):
        total += abs(one[place] - other[place])
    return total


@kernel
def nearest(histogram: Array, centre: Array, found: Array) -> None:
    """Write to found[n] the first of the closest centres of each row. histogram[n, B] int32, centre[K, B] int32."""
    for row in range(len(histogram)):
        best: Integer = np.int32(np.iinfo(np.int32).max)
        chosen = 0
        for k in range(len(centre)):
            apart = distance(histogram[row], centre[k])
            if apart < best:
                best, chosen = apart, k
        found[row] = chosen


@kernel
def first_centres(histogram: Array, generator: Array, centre: Array) -> None:
    """Choose centre[K, B] among the rows of histogram[n, B], each with a probability that grows with the squared distance.

    This is the start of k-means++ (Arthur and Vassilvitskii 2007). Where fewer rows differ than centres are wanted, the last
    centres repeat.
    """
    count = len(histogram)
    square = np.full(count, np.int64(1))
    for k in range(len(centre)):
        total = square.sum()
        left, chosen = np.int64(draw(generator) * total), 0
        for row in range(count):
            left -= square[row]
            if left < 0:
                chosen = row
                break
        copy(histogram[chosen], centre[k])
        for row in range(count):
            apart = np.int64(distance(histogram[row], centre[k]))
            square[row] = apart * apart if k == 0 else min(square[row], apart * apart)


@kernel
def settle(histogram: Array, centre: Array, steps: int) -> int:
    """Run Lloyd's algorithm on histogram[n, B] from centre[K, B], which it moves; return the steps taken, at most `steps`.

    A centre moves to the rounded mean of the rows that are closest to it, and stays where there are none.
    """
    count, bins = histogram.shape
    found, before = np.zeros(count, np.uint16), np.full(count, np.uint16(65535))
    total, rows = np.zeros((len(centre), bins), np.int64), np.zeros(len(centre), np.int64)
    for step in range(steps):
        nearest(histogram, centre, found)
        if (found == before).all():
            return step
        copy(found, before)
        total[:], rows[:] = 0, 0
        for row in range(count):
            rows[found[row]] += 1
            for place in range(bins):
                total[found[row], place] += histogram[row, place]
        for k in range(len(centre)):
            if rows[k] > 0:
                for place in range(bins):
                    centre[k, place] = (total[k, place] + rows[k] // 2) // rows[k]
    return steps

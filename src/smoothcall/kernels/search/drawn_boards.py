"""Whole boards that are drawn for learning, and the buckets of all hands on them, street by street."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from smoothcall.kernels import kernel
from smoothcall.kernels.holdem.buckets import Cards, board_buckets, rank_streets
from smoothcall.kernels.holdem.drawing import draw_cards
from smoothcall.kernels.random import draw
from smoothcall.kernels.search.boards import Listed
from smoothcall.kernels.tables import Array
from smoothcall.kernels.vectors import copy

BOARD = 5


class Strategy(NamedTuple):
    """Tables of both players in one abstraction, and the buckets of hands on B boards, R streets; K buckets on a board at most.

    A bucket of a board has a number on that board, its *local* bucket, which indexes what is known of the board.
    """

    regret: Array  # [rows, A] float32
    average: Array  # [rows, A] float32: sums of policies
    trunk_row: Array  # [nodes of the trunk] int32: the first row of each decision
    last_row: Array  # [nodes of the last street] int32
    bucket: Array  # [B, R, K] int32: of each local bucket
    first: Array  # [B, R, K + 1] int32: its first hand in `order`
    buckets: Array  # [B, R] int32: number of local buckets
    local: Array  # [B, R, n] uint16: the local bucket of each hand; 0 behind the hands
    order: Array  # [B, R, n] uint16: hands by local bucket


@kernel
def number_buckets(bucket: Array, hands: Array, strategy: Strategy, seen: Array) -> None:
    """Fill the board columns of a strategy from bucket[B, R, n] int32 of the first hands[B]; seen[buckets] int32 is -1."""
    for board in range(len(bucket)):
        for street in range(bucket.shape[1]):
            count, many = 0, hands[board]
            local, order, first = strategy.local[board, street], strategy.order[board, street], strategy.first[board, street]
            local[:] = 0
            for n in range(many):
                found = bucket[board, street, n]
                if seen[found] < 0:
                    seen[found] = count
                    strategy.bucket[board, street, count] = found
                    first[count + 1] = 0
                    count += 1
                local[n] = seen[found]
                first[seen[found] + 1] += 1
            first[0] = 0
            for k in range(count):
                first[k + 1] += first[k]
                seen[strategy.bucket[board, street, k]] = -1
            for n in range(many):  # `first` moves on, and back below
                k = local[n]
                order[first[k]] = n
                first[k] += 1
            for k in range(count, 0, -1):
                first[k] = first[k - 1]
            first[0] = 0
            strategy.buckets[board, street] = count


@kernel
def draw_places(count: int, many: int, generator: Array) -> Array:
    """Return [count] int64: numbers below `many`, drawn."""
    places = np.empty(count, np.int64)
    for n in range(count):
        places[n] = int(draw(generator) * many)
    return places


@kernel
def draw_boards(cards: int, count: int, boards: Array, generator: Array) -> None:
    """Fill boards[:count] of [B, 5] uint8 with cards of fair boards, in the order in which they come."""
    for board in range(count):
        draw_cards(boards[board], cards, generator)


@kernel
def fill_street_buckets(cards: Cards, listed: Listed, hands: Array, bucket: Array) -> None:
    """Write bucket[B, 4, n] int32: those of the hands[B] of each board on all streets."""
    known, board = np.zeros(len(cards.preflop), np.int32), np.zeros(BOARD, np.uint8)
    ascending, rank = np.zeros(BOARD, np.uint8), np.zeros(3, np.uint32)
    for n in range(len(bucket)):
        copy(listed.board[n], board)
        rank_streets(board, 0, cards.binomial, ascending, rank)
        for street in range(4):
            board_buckets(cards, street, rank[max(street - 1, 0)], known)
            for place in range(hands[n]):
                bucket[n, street, place] = known[listed.place[0, n, place]]

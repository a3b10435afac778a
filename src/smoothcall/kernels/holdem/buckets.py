"""Reading the bucket of two cards on a board: rank the board, find its canonical form, look the hand up.

A board's *entry* in the index of its street is (class << 8) | suit change. The class is that of the board up to suit
isomorphism; the suit change turns the board into the canonical board of its class (see `kernels.holdem.boards`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from smoothcall.kernels import inlined, kernel
from smoothcall.kernels.holdem.boards import CHANGE, SHIFT, insert, rank_board
from smoothcall.kernels.holdem.evaluator import Evaluator
from smoothcall.kernels.tables import Array, Integer
from smoothcall.kernels.vectors import copy

BOARD = 5  # cards of a complete board
VISIBLE = (2, 5, 6, 7)  # by street: hole and board cards that a seat has seen
FLOP, TURN, RIVER = 1, 2, 3
_CLASS: Integer = SHIFT


class Cards(NamedTuple):
    """The tables that buckets of a hold'em game are read from. K classes of boards, hands are numbered as in `hand`."""

    evaluator: Evaluator
    binomial: Array  # [cards + 1, 6] uint32
    changed: Array  # [256, cards] uint8: each card after each change of suits
    hand: Array  # [cards, cards] uint32: the number of two cards
    preflop: Array  # [hands] uint16: bucket
    flop_index: Array  # [boards] uint32: entry, by the rank of the board
    turn_index: Array  # [boards] uint32
    river_index: Array  # [boards] uint32
    flop: Array  # [K, hands] uint16: bucket
    turn: Array  # [K, hands] uint16: bucket
    river: Array  # [K, hands] uint16: strength, an index of `river_bucket`
    river_bucket: Array  # [greatest strength + 1] uint16: bucket, less the first of the board
    river_first: Array  # [K] uint16: the first bucket on each class of boards; 0 unless textures have buckets of their own
    outcome: Array  # [P ** P] uint16: showdown outcome; digit p in base P: hands better than player p's (games.outcomes)


@inlined
def rank_streets(card: Array, held: int, binomial: Array, board: Array, place: Array) -> None:
    """Write the ranks of flop, turn and river to place[3]; card[held:] is the board, board[5] scratch."""
    for count in range(BOARD):
        insert(board, count, card[held + count])
        if count >= 2:
            place[count - 2] = rank_board(board, count + 1, binomial)


@inlined
def board_entry(cards: Cards, street: int, rank: Integer) -> Integer:
    """Return the entry of a street's board by its rank. There is none before the flop."""
    if street == FLOP:
        entry = cards.flop_index[rank]
    elif street == TURN:
        entry = cards.turn_index[rank]
    else:
        entry = cards.river_index[rank]
    return entry


@inlined
def hand_after(cards: Cards, entry: Integer, one: Integer, other: Integer) -> Integer:
    """Return the number of the hand that two cards become by the suit change of a board's entry."""
    change = entry & CHANGE
    return cards.hand[np.uint32(cards.changed[change, one]), np.uint32(cards.changed[change, other])]


@inlined
def board_row(cards: Cards, street: int, entry: Integer) -> Array:
    """Return [hands] what the table of a street holds for the board of an entry: buckets, on the river strengths.

    Where many hands meet one board, call this once and look the hands up: a branch between tables costs as much as 100 reads.
    """
    if street == FLOP:
        row: Array = cards.flop[entry >> _CLASS]
    elif street == TURN:
        row = cards.turn[entry >> _CLASS]
    else:
        row = cards.river[entry >> _CLASS]
    return row


@kernel
def board_buckets(cards: Cards, street: int, rank: Integer, bucket: Array) -> None:
    """Write the bucket of every hand on a board to bucket[hands]; without meaning where a hand shares a card with it."""
    if street == 0:
        copy(cards.preflop, bucket)
        return
    entry, hand, size = board_entry(cards, street, rank), 0, len(cards.hand)
    row, river_bucket, on_river = board_row(cards, street, entry), cards.river_bucket, street == RIVER
    first = cards.river_first[entry >> _CLASS] if on_river else np.uint16(0)
    for high in range(np.uint32(size)):
        for low in range(high):
            found = row[hand_after(cards, entry, high, low)]
            bucket[hand] = first + river_bucket[found] if on_river else found
            hand += 1


@inlined
def bucket_on(cards: Cards, street: int, rank: Integer, one: Integer, other: Integer) -> Integer:
    """Return the bucket of two cards on the board of a rank, after the flop."""
    if street == FLOP:
        entry = cards.flop_index[rank]
        return np.uint32(cards.flop[entry >> _CLASS, hand_after(cards, entry, one, other)])
    elif street == TURN:
        entry = cards.turn_index[rank]
        return np.uint32(cards.turn[entry >> _CLASS, hand_after(cards, entry, one, other)])
    else:
        entry = cards.river_index[rank]
        found = cards.river_bucket[np.uint32(cards.river[entry >> _CLASS, hand_after(cards, entry, one, other)])]
        return np.uint32(cards.river_first[entry >> _CLASS]) + np.uint32(found)

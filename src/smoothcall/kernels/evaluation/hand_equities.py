"""Every hand that a player may hold: which are possible, and their equities against known cards, exactly.

Hands are numbered as `hand_numbers` does: high * (high - 1) / 2 + low.
"""

from __future__ import annotations

import numpy as np

from smoothcall.kernels import callee, kernel
from smoothcall.kernels.holdem.drawing import card_set
from smoothcall.kernels.holdem.evaluator import Evaluator, Number, add_cards, evaluate
from smoothcall.kernels.tables import Array
from smoothcall.kernels.vectors import copy

SEATS = 2
_TOGETHER = 64  # boards whose strengths fit into the cache
_ZERO, _ONE, _RANKS = np.uint64(0), np.uint64(1), np.uint64(0xFFFFFFFF)  # _RANKS: the part of a key that says ranks


@kernel
def free_hands(size: int, own: Array, board: Array, possible: Array) -> None:
    """Fill possible[hands] bool: the hands that contain none of these cards, numbered as `hand_numbers` does."""
    known, hand = card_set(own, 0, len(own)) | card_set(board, 0, len(board)), 0
    for high in range(size):
        for low in range(high):
            possible[hand] = not (_has(known, high) or _has(known, low))
            hand += 1


@kernel
def hand_equities(evaluator: Evaluator, card: Array, count: int, score: Array, equity: Array) -> None:
    """Fill equity[2, hands]: each seat's exact equity against every hand on the first `count` cards of the board.

    card: the seats' own cards, two each, then the board. score[2, hands] int32 is scratch.
    """
    size, coming = len(evaluator.card_key), 5 - count
    board, mine, by_rank = np.empty(5, np.int64), np.empty(SEATS, np.int32), np.zeros((SEATS, size // 4, size // 4), np.int32)
    result = np.empty((SEATS, size // 4, size // 4), np.int32)
    copy(card[2 * SEATS : 2 * SEATS + count], board)
    score[:], known = 0, card_set(board, 0, count)
    if coming == 0:
        _compare_hands(evaluator, board, card, mine, score)
    for one in range(size if coming > 0 else 0):
        if _has(known, one):
            continue
        board[count] = one
        if coming == 1:
            _compare_board(evaluator, board, count, card, mine, result, by_rank, score)
        for two in range(one if coming == 2 else 0):
            if not _has(known, two):
                board[count + 1] = two
                _compare_board(evaluator, board, count, card, mine, result, by_rank, score)
    total = 1.0
    for n in range(coming):
        total *= (size - 4 - count - n) / (n + 1)
    for seat in range(SEATS):
        hand = 0
        for high in range(size):
            for low in range(high):
                beaten = score[seat, hand] + by_rank[seat, high // 4, low // 4]
                equity[seat, hand] = 0.5 + 0.5 * beaten / total
                hand += 1


@callee
def _has(cards: Number, card: int) -> bool:
    return bool(cards >> np.uint64(card) & _ONE)


@callee
def _see_own(evaluator: Evaluator, board: Array, card: Array, mine: Array) -> None:
    """Fill mine[2]: the strength of each seat's hand on a board of five, -1 where it shares a card with the board."""
    (keys, mask), dealt = add_cards(evaluator, board, 0, len(board)), card_set(board, 0, len(board))
    for seat in range(SEATS):
        one, other = card[2 * seat], card[2 * seat + 1]
        mine[seat] = -1
        if not (_has(dealt, one) or _has(dealt, other)):
            own_keys, own_mask = keys + evaluator.card_key[one], mask + evaluator.card_mask[one]
            mine[seat] = evaluate(evaluator, own_keys + evaluator.card_key[other], own_mask + evaluator.card_mask[other])


@kernel
def _compare_hands(evaluator: Evaluator, board: Array, card: Array, mine: Array, score: Array) -> None:
    """Add to score[2, hands], on a board of five: 1 for every hand that a seat's own beats, -1 for every hand it loses to."""
    (keys, mask), dealt = add_cards(evaluator, board, 0, len(board)), card_set(board, 0, len(board))
    _see_own(evaluator, board, card, mine)
    for high in range(len(evaluator.card_key)):
        if _has(dealt, high):
            continue
        first, some_keys, some_mask = high * (high - 1) // 2, keys + evaluator.card_key[high], mask + evaluator.card_mask[high]
        for low in range(high):
            if _has(dealt, low):
                continue
            strength = np.int32(evaluate(evaluator, some_keys + evaluator.card_key[low], some_mask + evaluator.card_mask[low]))
            for seat in range(SEATS):
                if mine[seat] >= 0:
                    score[seat, first + low] += np.int32(mine[seat] > strength) - np.int32(mine[seat] < strength)


@callee
def _compare_board(
    evaluator: Evaluator, board: Array, known: int, card: Array, mine: Array, result: Array, by_rank: Array, score: Array
) -> None:
    """Do as `_compare_hands`, for one of many boards that share the first `known` cards, with far fewer evaluations.

    Comparisons that do not depend on suits are added to by_rank[2, ranks, ranks]. score[2, hands] then corrects them for
    hands that share a card with the later cards, and for flushes.
    """
    size = len(evaluator.card_key)
    ranks = size // 4
    held, suits = np.zeros(ranks, np.int64), np.zeros(4, np.int64)
    for place in board:
        held[place // 4] += 1
        suits[place % 4] += 1
    if suits.max() > 3:  # hands of one card of a suit have flushes
        _compare_hands(evaluator, board, card, mine, score)
        return
    (keys, mask), dealt = add_cards(evaluator, board, 0, len(board)), card_set(board, 0, len(board))
    _see_own(evaluator, board, card, mine)
    for high in range(ranks):
        for low in range(high + 1):
            if held[high] + 1 + (high == low) > 4 or held[low] > 3:
                result[0, high, low] = result[1, high, low] = result[0, low, high] = result[1, low, high] = 0
                continue
            both = (evaluator.card_key[4 * high] & _RANKS) + (evaluator.card_key[4 * low] & _RANKS)
            strength = np.int32(evaluate(evaluator, (keys & _RANKS) + both, _ZERO))
            for seat in range(SEATS):
                found = np.int32(mine[seat] > strength) - np.int32(mine[seat] < strength) if mine[seat] >= 0 else 0
                result[seat, high, low] = result[seat, low, high] = found
                by_rank[seat, high, low] += found
    for later in range(known, 5):
        one, met = board[later], card_set(board, 0, later + 1)
        for other in range(size):
            if not _has(met, other):
                high, low = max(one, other), min(one, other)
                for seat in range(SEATS):
                    score[seat, high * (high - 1) // 2 + low] -= result[seat, one // 4, other // 4]
    for suit in range(4):
        for high in range(suit, size if suits[suit] == 3 else 0, 4):
            if _has(dealt, high):
                continue
            some_keys, some_mask = keys + evaluator.card_key[high], mask + evaluator.card_mask[high]
            for low in range(suit, high, 4):
                if _has(dealt, low):
                    continue
                strength = np.int32(
                    evaluate(evaluator, some_keys + evaluator.card_key[low], some_mask + evaluator.card_mask[low])
                )
                for seat in range(SEATS):
                    if mine[seat] >= 0:
                        right = np.int32(mine[seat] > strength) - np.int32(mine[seat] < strength)
                        score[seat, high * (high - 1) // 2 + low] += right - result[seat, high // 4, low // 4]


@kernel
def count_showdowns(evaluator: Evaluator, boards: Array, number: Array, score: Array) -> None:
    """Add to score[hands, hands] int32, below its diagonal: boards on which the row's hand wins, less those on which it loses.

    boards[K, 5] uint8 count number[K] times each. A hand that shares a card with a board loses to every other hand there.
    Boards are taken _TOGETHER at a time, so that one row of the score and their strengths stay in the processor's cache.
    """
    size, hands = len(evaluator.card_key), len(score)
    strength = np.empty((_TOGETHER, hands), np.int16)
    for start in range(0, len(boards), _TOGETHER):
        some = boards[start : start + _TOGETHER]
        for n in range(len(some)):
            (keys, mask), dealt, hand = add_cards(evaluator, some[n], 0, some.shape[1]), card_set(some[n], 0, some.shape[1]), 0
            for high in range(size):
                for low in range(high):
                    both_keys = evaluator.card_key[high] + evaluator.card_key[low]
                    both_mask = evaluator.card_mask[high] + evaluator.card_mask[low]
                    free = not (_has(dealt, high) or _has(dealt, low))
                    strength[n, hand] = evaluate(evaluator, keys + both_keys, mask + both_mask) if free else 0
                    hand += 1
        for hand in range(1, hands):
            row = score[hand, :hand]
            for n in range(len(some)):
                _compare(strength[n, hand], strength[n, :hand], number[start + n], row)


@callee
def _compare(mine: int, others: Array, weight: int, row: Array) -> None:
    for other in range(len(row)):
        row[other] += weight * (np.int32(mine > others[other]) - np.int32(mine < others[other]))

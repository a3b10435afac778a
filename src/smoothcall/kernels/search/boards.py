"""Boards of a public tree: the hands that each leaves to both players, in order of strength, and how they meet.

A player's range has H hands. What is filled for a board are the columns of `kernels.search.sweep.Boards`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from smoothcall.kernels import inlined, kernel
from smoothcall.kernels.holdem.buckets import Cards, board_buckets, rank_streets
from smoothcall.kernels.holdem.evaluator import Evaluator, add_cards, evaluate
from smoothcall.kernels.holdem.hand_strength import sort_by_digit
from smoothcall.kernels.search.sweep import Boards
from smoothcall.kernels.tables import Array
from smoothcall.kernels.vectors import copy

DIGITS, DIGIT_BITS = 128, 7  # of `sort_by_digit`
BOARD = 5


class Ranges(NamedTuple):
    """The hands of both players."""

    hands: Array  # [2] int64: H of each
    low: Array  # [2, H] uint16: the lower card
    high: Array  # [2, H] uint16: the higher one; of hands with a single card, a blank behind the deck's cards
    across: Array  # [2, H] int64: the place of the same cards in the other player's range; -1 where they are not there
    image: Array  # [2, permutations, H] int64: the place of each hand after a permutation of suits


class Listed(NamedTuple):
    """B boards of one street, with the cards that come on it."""

    parent: Array  # [B] int64: the board of the street before
    coming: Array  # [B, cards] uint8; on the first street, all cards of its board
    board: Array  # [B, cards] uint8: all cards
    strength: Array  # [2, B, H] uint16: where the kernel does not find strengths itself; else [2, 0, 0]
    permutation: Array  # [images] int64: that makes each image, an index of Ranges.image
    place: Array  # [2, B, n] uint16: of each hand on a board, in the player's range


@kernel
def fill_boards(
    ranges: Ranges, listed: Listed, boards: Boards, hands: Array, place: Array, evaluator: Evaluator, ranked: bool
) -> None:
    """Fill the columns of all boards of a street; hands[2, parents] and place[2, parents, n] are those of the street before.

    `ranked`: hands are evaluated as hands of hold'em.
    """
    most = ranges.low.shape[1]
    before = np.zeros(most, np.int64)  # places on the board before
    on_board = np.full((2, most + 1), -1, np.int64)
    strength, order, other_order = np.zeros((2, most), np.uint16), np.zeros(most, np.uint32), np.zeros(most, np.uint32)
    sorted_strength, digits = np.zeros((2, most), np.uint16), np.zeros(DIGITS + 1, np.int64)
    for board in range(len(listed.parent)):
        parent = listed.parent[board]
        for player in range(2):
            count = _hands_left(ranges, listed, board, player, place[player, parent], hands[player, parent], order)
            _find_strengths(ranges, listed, board, player, order, count, evaluator, ranked, strength[player])
            sort_by_digit(strength[player], order, other_order, count, int(0), digits)
            sort_by_digit(strength[player], other_order, order, count, int(DIGIT_BITS), digits)
            boards.hands[player, board] = count
            on_board[player] = -1
            for n in range(count):
                hand = order[n]
                on_board[player, hand] = n
                listed.place[player, board, n] = hand
                boards.low[player, board, n], boards.high[player, board, n] = (
                    ranges.low[player, hand],
                    ranges.high[player, hand],
                )
                sorted_strength[player, n] = strength[player, hand]
        for player in range(2):
            _meet(ranges, listed, boards, board, player, sorted_strength, on_board[1 - player])
            before[:] = 0
            for n in range(hands[player, parent]):
                before[place[player, parent, n]] = n
            for n in range(boards.hands[player, board]):
                boards.origin[player, board, n] = before[listed.place[player, board, n]]
            for image in range(boards.image[board], boards.image[board + 1]):
                moved = ranges.image[player, listed.permutation[image]]
                for n in range(boards.hands[player, board]):
                    boards.place[player, image, before[moved[listed.place[player, board, n]]]] = n


@inlined
def _hands_left(ranges: Ranges, listed: Listed, board: int, player: int, place: Array, many: int, order: Array) -> int:
    """Write the hands that share no card with those that come to `order`; return how many."""
    count = 0
    for n in range(many):
        hand, free = place[n], True
        for card in listed.coming[board]:
            free &= card != ranges.low[player, hand] and card != ranges.high[player, hand]
        if free:
            order[count] = hand
            count += 1
    return count


@inlined
def _find_strengths(
    ranges: Ranges,
    listed: Listed,
    board: int,
    player: int,
    order: Array,
    count: int,
    evaluator: Evaluator,
    ranked: bool,
    strength: Array,
) -> None:
    """Write the strengths of the hands in `order`; 0 on boards before the last street."""
    strength[:] = 0
    if listed.strength.shape[1] > 0:
        copy(listed.strength[player, board], strength)
    elif ranked:
        keys, mask = add_cards(evaluator, listed.board[board], 0, listed.board.shape[1])
        for n in range(count):
            hand = order[n]
            low, high = ranges.low[player, hand], ranges.high[player, hand]
            own_keys, own_mask = keys + evaluator.card_key[low], mask + evaluator.card_mask[low]
            strength[hand] = evaluate(evaluator, own_keys + evaluator.card_key[high], own_mask + evaluator.card_mask[high])


@inlined
def _meet(ranges: Ranges, listed: Listed, boards: Boards, board: int, player: int, strength: Array, on_board: Array) -> None:
    """Write how a player's hands meet the opponent's: how many are weaker, how many not stronger, where the same cards are."""
    many, weaker, not_stronger = boards.hands[1 - player, board], 0, 0
    for n in range(boards.hands[player, board]):
        own = strength[player, n]
        while weaker < many and strength[1 - player, weaker] < own:
            weaker += 1
        while not_stronger < many and strength[1 - player, not_stronger] <= own:
            not_stronger += 1
        boards.weaker[player, board, n], boards.not_stronger[player, board, n] = weaker, not_stronger
        same = on_board[ranges.across[player, listed.place[player, board, n]]]
        boards.same[player, board, n] = same if same >= 0 else many


@kernel
def fill_buckets(cards: Cards, street: int, listed: Listed, hands: Array, bucket: Array) -> None:
    """Write bucket[B, n] uint16: those of the hands[B] of player 0 on each board. Its range has all hands, as `Cards` has."""
    known, board = np.zeros(len(cards.preflop), np.int32), np.zeros(BOARD, np.uint8)
    ascending, rank = np.zeros(BOARD, np.uint8), np.zeros(3, np.uint32)
    for n in range(len(listed.parent)):
        copy(listed.board[n], board)
        rank_streets(board, 0, cards.binomial, ascending, rank)
        board_buckets(cards, street, rank[max(street - 1, 0)], known)
        for place in range(hands[n]):
            bucket[n, place] = known[listed.place[0, n, place]]

"""Deals of hold'em, drawn: cards to every player and the board, what each player sees of them, and how they compare.

Deals are made in batches, a step at a time for all of them. The steps that read large tables then wait for many of them
at once instead of for one after the other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from smoothcall.kernels import inlined, kernel
from smoothcall.kernels.holdem.boards import CHANGE, SHIFT, rank_board
from smoothcall.kernels.holdem.evaluator import Evaluator, add_cards, evaluate
from smoothcall.kernels.random import draw_bits, draw_deal
from smoothcall.kernels.tables import Array, Integer, Walk

BATCH = 512
_BOARD = 5
VISIBLE = (2, 5, 6, 7)  # cards that a seat has seen on each street: its own, the flop, turn and river
_HALF, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)
_ZERO, _ONE = np.uint64(0), np.uint64(1)
_KIND: Integer = SHIFT


class Cards(NamedTuple):
    """What the buckets of a hold'em game are read from."""

    evaluator: Evaluator
    binomial: Array  # [cards + 1, 6] uint32
    changed: Array  # [256, cards] uint8: each card after each change of suits
    hand: Array  # [cards, cards] uint32: the number of two cards
    preflop: Array  # [hands] uint16: bucket
    flop_index: Array  # [boards] uint32: (kind << 8) | change of suits
    turn_index: Array
    river_index: Array
    flop: Array  # [kinds, hands] uint16: bucket
    turn: Array
    river: Array  # [kinds, hands] uint16: strength
    river_bucket: Array  # [strengths] uint16
    outcome: Array  # [P ** P] uint16: how strengths compare, by how many are better than each player's (see `outcomes`)


@kernel
def deal_cards(cards: Cards, bucket: Array, outcome: Array, generator: Array) -> None:
    """Fill bucket[n, P, 4] int32 and outcome[n] uint32 with fair deals, n at most BATCH."""
    count, players = bucket.shape[0], bucket.shape[1]
    held = 2 * players
    card = np.empty((count, held + _BOARD), np.uint8)
    place = np.empty((count, 3), np.uint32)
    kind = np.empty((count, 3), np.uint32)
    board, strength = np.zeros(_BOARD, np.uint8), np.zeros(players, np.int64)
    for deal in range(count):
        draw_cards(card[deal], len(cards.binomial) - 1, generator)
        rank_streets(card[deal], held, cards.binomial, board, place[deal])
    for deal in range(count):
        kind[deal, 0] = cards.flop_index[place[deal, 0]]
        kind[deal, 1] = cards.turn_index[place[deal, 1]]
        kind[deal, 2] = cards.river_index[place[deal, 2]]
    for deal in range(count):
        for player in range(players):
            one, other = np.uint32(card[deal, 2 * player]), np.uint32(card[deal, 2 * player + 1])
            bucket[deal, player, 0] = cards.preflop[cards.hand[one, other]]
            bucket[deal, player, 1] = cards.flop[kind[deal, 0] >> _KIND, hand_after(cards, kind[deal, 0], one, other)]
            bucket[deal, player, 2] = cards.turn[kind[deal, 1] >> _KIND, hand_after(cards, kind[deal, 1], one, other)]
            bucket[deal, player, 3] = cards.river[kind[deal, 2] >> _KIND, hand_after(cards, kind[deal, 2], one, other)]
    for deal in range(count):
        for player in range(players):
            bucket[deal, player, 3] = cards.river_bucket[np.uint32(bucket[deal, player, 3])]
        outcome[deal] = cards.outcome[compare(cards, card[deal], strength)]


@kernel
def deal_many(cards: Cards, bucket: Array, outcome: Array, generator: Array) -> None:
    """The same for any number of deals."""
    for start in range(0, len(bucket), BATCH):
        deal_cards(cards, bucket[start : start + BATCH], outcome[start : start + BATCH], generator)


@kernel
def deal_cards_seen(cards: Cards, dealt: Array, outcome: Array, generator: Array) -> None:
    """The same deals, seen card by card: dealt[n, P, 7] int32 are a seat's own cards and the flop, each ascending, turn, river.

    A generator deals the same hands here as in `deal_many`.
    """
    players = dealt.shape[1]
    held = 2 * players
    card, strength = np.empty(held + _BOARD, np.uint8), np.zeros(players, np.int64)
    for deal in range(len(dealt)):
        draw_cards(card, len(cards.binomial) - 1, generator)
        outcome[deal] = cards.outcome[compare(cards, card, strength)]
        for player in range(players):
            _ascending(card, 2 * player, 2, dealt[deal, player], 0)
            _ascending(card, held, 3, dealt[deal, player], 2)
            for place in range(3, _BOARD):
                dealt[deal, player, 2 + place] = card[held + place]


@kernel
def deal_estimated(
    cards: Cards, games: int, parts: int, dealt: Array, outcome: Array, generator: Array, simulator: Array
) -> None:
    """The same deals, but dealt[n, P, 4] int32 are what so many simulated games say of each seat's equity, in whole `parts`.

    A generator deals the same hands here as in `deal_many`, whatever the games: a second one draws those.
    """
    visible = np.empty((min(len(dealt), BATCH), dealt.shape[1], VISIBLE[-1]), np.int32)
    unseen = np.empty(len(cards.binomial) - 1, np.uint8)
    for start in range(0, len(dealt), BATCH):
        here = visible[: len(dealt) - start]
        deal_cards_seen(cards, here, outcome[start : start + BATCH], generator)
        for deal in range(len(here)):
            for player in range(dealt.shape[1]):
                for street in range(dealt.shape[2]):
                    won = count_won(cards.evaluator, here[deal, player], VISIBLE[street], games, unseen, simulator)
                    dealt[start + deal, player, street] = (won * parts + games) // (2 * games)


@kernel
def count_won(evaluator: Evaluator, visible: Array, count: int, games: int, unseen: Array, generator: Array) -> int:
    """How many of so many games two cards win against any two, times 2: ties are counted once.

    visible[:count] are the two and the board so far; what the board lacks is drawn too. unseen[cards] uint8 is scratch.
    """
    own_keys, own_mask = add_cards(evaluator, visible, 0, 2)
    keys, mask = add_cards(evaluator, visible, 2, count)
    seen = _ZERO
    for place in range(count):
        seen |= _ONE << np.uint64(visible[place])
    left = won = 0
    for number in range(len(unseen)):
        if seen & (_ONE << np.uint64(number)) == _ZERO:
            unseen[left] = number
            left += 1
    for _ in range(games):
        bits = other_keys = other_mask = _ZERO
        board_keys, board_mask = keys, mask
        for place in range(2 + VISIBLE[-1] - count):  # shuffled only so far, and from any order: no card is drawn in vain
            if place % 2 == 0:
                bits = draw_bits(generator)
            at = np.uint64(place) + (((bits & _LOW) * np.uint64(left - place)) >> _HALF)
            bits >>= _HALF
            sampled = unseen[at]
            unseen[at] = unseen[place]
            unseen[place] = sampled
            if place < 2:
                other_keys += evaluator.card_key[sampled]
                other_mask += evaluator.card_mask[sampled]
            else:
                board_keys += evaluator.card_key[sampled]
                board_mask += evaluator.card_mask[sampled]
        own = evaluate(evaluator, board_keys + own_keys, board_mask + own_mask)
        other = evaluate(evaluator, board_keys + other_keys, board_mask + other_mask)
        won += int(own > other) + int(own >= other)
    return won


@inlined
def _ascending(card: Array, start: int, count: int, sorted_cards: Array, begin: int) -> None:
    for number in range(count):
        at, own = begin + number, card[start + number]
        while at > begin and sorted_cards[at - 1] > own:
            sorted_cards[at] = sorted_cards[at - 1]
            at -= 1
        sorted_cards[at] = own


@kernel
def collect_hands(bucket: Array, dealt: Array, first: Array, count: Array, hand: Array) -> None:
    """Put what each seat sees of n deals on each street into hand[buckets, S, 7], -1 for cards to come, while there is room.

    bucket[n, P, 4] and dealt[n, P, 7] are the same deals; first[4] is the first of each street's buckets, and count[buckets]
    how many hands of each have been found.
    """
    for deal in range(len(bucket)):
        for player in range(bucket.shape[1]):
            for street in range(bucket.shape[2]):
                own = first[street] + bucket[deal, player, street]
                if count[own] < hand.shape[1]:
                    for place in range(hand.shape[2]):
                        seen = place < VISIBLE[street]
                        hand[own, count[own], place] = dealt[deal, player, place] if seen else -1
                    count[own] += 1


@kernel
def deal_listed(walk: Walk, bucket: Array, outcome: Array, generator: Array) -> None:
    """The same in a game whose deals are listed."""
    for deal in range(len(bucket)):
        sampled = draw_deal(walk, generator)
        bucket[deal] = walk.bucket[sampled]
        outcome[deal] = walk.outcome[sampled]


@inlined
def hand_after(cards: Cards, entry: Integer, one: Integer, other: Integer) -> Integer:
    """The number of a hand after the change of suits of a board's entry in its index."""
    change = entry & CHANGE
    return cards.hand[np.uint32(cards.changed[change, one]), np.uint32(cards.changed[change, other])]


@inlined
def draw_cards(card: Array, size: int, generator: Array) -> None:
    """Fill card[n] with different cards of a deck."""
    seen, bits, left = _ZERO, _ZERO, 0
    place = 0
    while place < len(card):
        if left == 0:
            bits, left = draw_bits(generator), 2
        sampled = ((bits & _LOW) * np.uint64(size)) >> _HALF
        bits, left = bits >> _HALF, left - 1
        bit = _ONE << sampled
        if seen & bit == _ZERO:
            seen |= bit
            card[place] = sampled
            place += 1


@inlined
def rank_streets(card: Array, held: int, binomial: Array, board: Array, place: Array) -> None:
    """The ranks of flop, turn and river among boards of their size: card[held:] -> place[3]. board[5] is scratch."""
    for count in range(_BOARD):
        at, dealt = count, card[held + count]
        while at > 0 and board[at - 1] > dealt:
            board[at] = board[at - 1]
            at -= 1
        board[at] = dealt
        if count >= 2:
            place[count - 2] = rank_board(board, count + 1, binomial)


@inlined
def compare(cards: Cards, card: Array, strength: Array) -> Integer:
    """How many players hold a better hand than each player, as the digits of a number. strength[P] is scratch."""
    players = len(strength)
    keys, mask, evaluator = np.uint64(0), np.uint64(0), cards.evaluator
    for place in range(2 * players, len(card)):
        keys += evaluator.card_key[card[place]]
        mask += evaluator.card_mask[card[place]]
    for player in range(players):
        one, other = card[2 * player], card[2 * player + 1]
        own_keys, own_mask = keys + evaluator.card_key[one], mask + evaluator.card_mask[one]
        strength[player] = evaluate(evaluator, own_keys + evaluator.card_key[other], own_mask + evaluator.card_mask[other])
    number = np.uint32(0)
    for player in range(players - 1, -1, -1):
        better = np.uint32(0)
        for other in range(players):
            better += np.uint32(strength[other] > strength[player])
        number = number * np.uint32(players) + better
    return number

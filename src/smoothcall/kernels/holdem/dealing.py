"""Sampling deals of hold'em: cards for every player and the board, the bucket of each player on each street, the outcome.

Deals are made in batches, one step for all deals of a batch at a time, so that reads from large tables overlap.
"""

from __future__ import annotations

import numpy as np

from smoothcall.kernels import callee, inlined, kernel
from smoothcall.kernels.holdem.boards import SHIFT, insert
from smoothcall.kernels.holdem.buckets import BOARD, VISIBLE, Cards, hand_after, rank_streets
from smoothcall.kernels.holdem.drawing import count_won, draw_cards
from smoothcall.kernels.holdem.evaluator import add_card, add_cards, evaluate
from smoothcall.kernels.random import draw_deal
from smoothcall.kernels.tables import Array, Integer, Walk

BATCH = 512  # deals made together
_CLASS: Integer = SHIFT


@callee
def deal_cards(cards: Cards, bucket: Array, outcome: Array, generator: Array) -> None:
    """Fill bucket[n, P, 4] int32 and outcome[n] uint32 with fair deals. Scratch memory grows with n; see `deal_many`."""
    count, players = bucket.shape[0], bucket.shape[1]
    held = 2 * players
    card = np.empty((count, held + BOARD), np.uint8)
    place = np.empty((count, 3), np.uint32)
    entry = np.empty((count, 3), np.uint32)
    board, strength = np.zeros(BOARD, np.uint8), np.zeros(players, np.int64)
    for deal in range(count):
        draw_cards(card[deal], len(cards.binomial) - 1, generator)
        rank_streets(card[deal], held, cards.binomial, board, place[deal])
    for deal in range(count):
        entry[deal, 0] = cards.flop_index[place[deal, 0]]
        entry[deal, 1] = cards.turn_index[place[deal, 1]]
        entry[deal, 2] = cards.river_index[place[deal, 2]]
    for deal in range(count):
        for player in range(players):
            one, other = np.uint32(card[deal, 2 * player]), np.uint32(card[deal, 2 * player + 1])
            bucket[deal, player, 0] = cards.preflop[cards.hand[one, other]]
            bucket[deal, player, 1] = cards.flop[entry[deal, 0] >> _CLASS, hand_after(cards, entry[deal, 0], one, other)]
            bucket[deal, player, 2] = cards.turn[entry[deal, 1] >> _CLASS, hand_after(cards, entry[deal, 1], one, other)]
            bucket[deal, player, 3] = cards.river[entry[deal, 2] >> _CLASS, hand_after(cards, entry[deal, 2], one, other)]
    for deal in range(count):
        for player in range(players):
            found = cards.river_bucket[np.uint32(bucket[deal, player, 3])]
            bucket[deal, player, 3] = np.int32(found) + np.int32(cards.river_first[entry[deal, 2] >> _CLASS])
        outcome[deal] = cards.outcome[compare(cards, card[deal], strength)]


@kernel
def deal_many(cards: Cards, bucket: Array, outcome: Array, generator: Array) -> None:
    """Fill bucket[n, P, 4] and outcome[n] with fair deals, in batches."""
    for start in range(0, len(bucket), BATCH):
        deal_cards(cards, bucket[start : start + BATCH], outcome[start : start + BATCH], generator)


@kernel
def deal_visible_cards(cards: Cards, dealt: Array, outcome: Array, generator: Array) -> None:
    """Fill dealt[n, P, 7] int32 with cards instead of buckets: own cards and flop, each ascending, then turn and river.

    A generator deals the same hands here as in `deal_many`.
    """
    players = dealt.shape[1]
    held = 2 * players
    card, strength = np.empty(held + BOARD, np.uint8), np.zeros(players, np.int64)
    for deal in range(len(dealt)):
        draw_cards(card, len(cards.binomial) - 1, generator)
        outcome[deal] = cards.outcome[compare(cards, card, strength)]
        for player in range(players):
            for place in range(2):
                insert(dealt[deal, player], place, card[2 * player + place])
            for place in range(3):
                insert(dealt[deal, player, 2:], place, card[held + place])
            for place in range(3, BOARD):
                dealt[deal, player, 2 + place] = card[held + place]


@kernel
def deal_estimated(
    cards: Cards, rollouts: int, scale: int, dealt: Array, outcome: Array, generator: Array, simulator: Array
) -> None:
    """Fill dealt[n, P, 4] int32 with equities instead of buckets, each estimated by rollouts, in units of 1 / scale.

    `generator` deals the hands that it deals in `deal_many`; `simulator` draws the rollouts.
    """
    visible = np.empty((min(len(dealt), BATCH), dealt.shape[1], VISIBLE[-1]), np.int32)
    unseen = np.empty(len(cards.binomial) - 1, np.uint8)
    for start in range(0, len(dealt), BATCH):
        here = visible[: len(dealt) - start]
        deal_visible_cards(cards, here, outcome[start : start + BATCH], generator)
        for deal in range(len(here)):
            for player in range(dealt.shape[1]):
                for street in range(dealt.shape[2]):
                    won = count_won(cards.evaluator, here[deal, player], VISIBLE[street], rollouts, unseen, simulator)
                    dealt[start + deal, player, street] = (won * scale + rollouts) // (2 * rollouts)


@kernel
def collect_hands(bucket: Array, dealt: Array, first: Array, count: Array, hand: Array) -> None:
    """Collect up to S example hands per bucket from n deals: hand[buckets, S, 7], -1 for cards to come.

    bucket[n, P, 4] and dealt[n, P, 7] are the buckets and the cards of the same deals; first[4] is the first bucket of each
    street, count[buckets] the hands found so far.
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
def draw_deals(walk: Walk, index: Array, generator: Array) -> None:
    """Fill index[n] with deals of a game whose deals are listed."""
    for place in range(len(index)):
        index[place] = draw_deal(walk, generator)


@kernel
def deal_listed(walk: Walk, bucket: Array, outcome: Array, generator: Array) -> None:
    """Fill bucket[n, P, R] and outcome[n] with deals of a game whose deals are listed."""
    players, streets = np.uint32(bucket.shape[1]), np.uint32(bucket.shape[2])
    for deal in range(np.uint32(len(bucket))):
        sampled = np.uint32(draw_deal(walk, generator))
        for player in range(players):
            for street in range(streets):
                bucket[deal, player, street] = walk.bucket[sampled, player, street]
        outcome[deal] = walk.outcome[sampled]


@inlined
def compare(cards: Cards, card: Array, strength: Array) -> Integer:
    """Return a number whose digit p in base P counts the hands better than player p's. strength[P] is scratch."""
    players, evaluator = len(strength), cards.evaluator
    keys, mask = add_cards(evaluator, card, 2 * players, len(card))
    for player in range(players):
        own_keys, own_mask = add_card(evaluator, card[2 * player], keys, mask)
        own_keys, own_mask = add_card(evaluator, card[2 * player + 1], own_keys, own_mask)
        strength[player] = evaluate(evaluator, own_keys, own_mask)
    number = np.uint32(0)
    for player in range(players - 1, -1, -1):
        better = np.uint32(0)
        for other in range(players):
            better += np.uint32(strength[other] > strength[player])
        number = number * np.uint32(players) + better
    return number

"""Local best response (Lisy and Bowling 2017): play against an agent whose probabilities are known, looking one step ahead.

The responder sits in one seat and knows the probability `reach` that the agent would have come here with each *hand* it
may hold. An action is worth what it would win if the agent, where it may fold to it, folds as it does, and if from then
on everybody checks and calls; the responder takes the action worth most.

The agent holds no hand: it acts with the probabilities of all hands that fit every card of the deal together, and at a
showdown the responder is paid the mean over them. Deals are played street by street; what is seen on a street is

    possible[H] bool     hands that do not meet the cards the responder sees
    bucket[H] int32      what the agent sees with each hand
    equity[H] float64    the responder's share of the pot if everybody stays in, over the boards that may come

In a game whose deals are listed, a hand is a whole deal: it says what the agent holds and which boards come.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from smoothcall.kernels import inlined, kernel
from smoothcall.kernels.holdem.boards import SHIFT
from smoothcall.kernels.holdem.dealing import Cards, draw_cards, hand_after, rank_streets
from smoothcall.kernels.holdem.evaluator import Evaluator, Number, evaluate
from smoothcall.kernels.random import draw, draw_deal
from smoothcall.kernels.solvers.matching import choose
from smoothcall.kernels.tables import CALL, FOLD, FOLD_SLOT, SHOWDOWN, Array, Walk

LOSE, WIN = 0, 1
SEATS = 2
_BOARD = (0, 3, 4, 5)  # cards on the board, by street
_TOGETHER = 64  # boards whose strengths fit into the cache
_ZERO, _ONE, _RANKS = np.uint64(0), np.uint64(1), np.uint64(0xFFFFFFFF)  # the part of a key that says ranks


class Against(NamedTuple):
    """The agent, and how the responder plays."""

    weights: Array  # [rows, A]: probabilities times `scale`
    scale: float
    stake: Array  # [endings, P, 2] float64: chips of each player who loses or wins there
    down: Array  # [N] int32: where the hand ends if everybody checks and calls from a node on
    start: int  # the first street where the responder chooses; before it checks and calls


@kernel
def respond_cards(walk: Walk, cards: Cards, preflop: Array, against: Against, generator: Array, won: Array) -> None:
    """Fill won[n, 2] with what the responder wins in each seat of n deals of hold'em, in chips.

    Each seat has its own two cards and both the same board. preflop[hands, hands] int32 is as `count_showdowns` makes it,
    or empty where the responder does not choose before the flop.
    """
    size, hands = len(cards.evaluator.card_key), len(cards.preflop)
    card, place, sorted_board = np.empty(2 * SEATS + 5, np.uint8), np.empty(3, np.uint32), np.empty(5, np.uint8)
    bucket, equity = np.empty(hands, np.int32), np.empty((SEATS, hands))
    reach, possible, fits = np.empty((SEATS, hands)), np.empty((SEATS, hands), np.bool_), np.empty((SEATS, hands), np.bool_)
    node, score, chance = np.empty(SEATS, np.int64), np.empty((SEATS, hands), np.int32), np.empty(walk.child.shape[1])
    for deal in range(len(won)):
        draw_cards(card, size, generator)
        rank_streets(card, 2 * SEATS, cards.binomial, sorted_board, place)
        board = card[2 * SEATS :]
        node[:], reach[:], looked = 0, 1.0, -1
        for seat in range(SEATS):
            own = card[2 * seat : 2 * seat + 2]
            free_hands(size, own, board, fits[seat])
        for street in range(4):
            going = False
            for seat in range(SEATS):
                going |= walk.player[node[seat]] >= 0
            if not going:
                break
            see_buckets(cards, street, place, size, bucket)
            if street == 3 or (street > 0 and street >= against.start):
                see_equities(cards.evaluator, card, _BOARD[street], score, equity)
                looked = street
            for seat in range(SEATS):
                own = card[2 * seat : 2 * seat + 2]
                if street == 0 and against.start == 0:
                    _see_preflop(preflop, cards.hand[own[0], own[1]], size, equity[seat])
                free_hands(size, own, board[: _BOARD[street]], possible[seat])
                seen = (possible[seat], fits[seat], bucket, equity[seat])
                node[seat] = _play_street(walk, against, seat, street, node[seat], *seen, reach[seat], chance, generator)
        for seat in range(SEATS):
            if walk.kind[node[seat]] == SHOWDOWN and looked < 3:  # all-in before the river
                see_equities(cards.evaluator, card, 5, score, equity)
                looked = 3
            won[deal, seat] = _paid(walk, against, seat, node[seat], fits[seat], equity[seat], reach[seat])


@kernel
def respond_listed(walk: Walk, weight: Array, share: Array, against: Against, generator: Array, won: Array) -> None:
    """The same in a game whose deals are listed: weight[D], share[2, D] of the pot that each seat has at a showdown."""
    deals, streets = len(weight), walk.bucket.shape[2]
    reach, bucket, chance = np.empty(deals), np.empty(deals, np.int32), np.empty(walk.child.shape[1])
    possible, fits = np.empty(deals, np.bool_), np.empty(deals, np.bool_)
    for deal in range(len(won)):
        sampled = draw_deal(walk, generator)
        for seat in range(SEATS):
            node, reach[:] = 0, weight
            _free_deals(walk.bucket, sampled, seat, streets, fits)
            for street in range(streets):
                _free_deals(walk.bucket, sampled, seat, street + 1, possible)
                bucket[:] = walk.bucket[:, 1 - seat, street]
                seen = (possible, fits, bucket, share[seat])
                node = _play_street(walk, against, seat, street, node, *seen, reach, chance, generator)
            won[deal, seat] = _paid(walk, against, seat, node, fits, share[seat], reach)


@kernel
def _play_street(
    walk: Walk,
    against: Against,
    seat: int,
    street: int,
    node: int,
    possible: Array,
    fits: Array,
    bucket: Array,
    equity: Array,
    reach: Array,
    chance: Array,
    generator: Array,
) -> int:
    """Play on until the street is over; returns the node after it. `fits` are the hands possible on the last street."""
    while walk.player[node] >= 0 and walk.round[node] == street:
        if walk.player[node] == seat:
            action = CALL if street < against.start else best_action(walk, against, seat, node, possible, bucket, equity, reach)
        else:
            first = walk.first_row[node]
            chance[:] = 0.0
            for hand in range(len(reach)):
                if fits[hand]:
                    for slot in range(len(chance)):
                        chance[slot] += reach[hand] * against.weights[first + bucket[hand], slot]
            action = choose(chance, draw(generator) * chance.sum())
            for hand in range(len(reach)):
                if possible[hand]:
                    reach[hand] *= against.weights[first + bucket[hand], action] / against.scale
        node = walk.child[node, action]
    return node


@kernel
def best_action(
    walk: Walk, against: Against, seat: int, node: int, possible: Array, bucket: Array, equity: Array, reach: Array
) -> int:
    """The action worth most to the responder who sits in `seat`; of equals the first."""
    total, share = 0.0, 0.0
    for hand in range(len(reach)):
        if possible[hand]:
            total += reach[hand]
            share += reach[hand] * equity[hand]
    best, chosen = -np.inf, -1
    for action in range(walk.child.shape[1]):
        after = walk.child[node, action]
        if after < 0:
            continue
        gone, gone_share, worth = 0.0, 0.0, 0.0  # what the hands that fold are, would win, and pay
        if walk.kind[after] == FOLD:
            gone, gone_share, worth = total, share, total * against.stake[walk.ending[after], seat, LOSE]
        elif walk.player[after] == 1 - seat and walk.child[after, FOLD_SLOT] >= 0:
            first = walk.first_row[after]
            for hand in range(len(reach)):
                if possible[hand]:
                    folds = reach[hand] * against.weights[first + bucket[hand], FOLD_SLOT] / against.scale
                    gone += folds
                    gone_share += folds * equity[hand]
            worth = gone * against.stake[walk.ending[walk.child[after, FOLD_SLOT]], seat, WIN]
        stake, stays = against.stake[walk.ending[against.down[after]], seat], share - gone_share
        worth += stays * stake[WIN] + (total - gone - stays) * stake[LOSE]
        if worth > best:
            best, chosen = worth, action
    return chosen


@kernel
def _paid(walk: Walk, against: Against, seat: int, node: int, fits: Array, equity: Array, reach: Array) -> float:
    """What the responder wins at an ending, in the mean over the hands of the agent."""
    stake = against.stake[walk.ending[node], seat]
    if walk.kind[node] != SHOWDOWN:
        return float(stake[WIN])  # who gives up is paid the same whatever the cards
    total, share = 0.0, 0.0
    for hand in range(len(reach)):
        if fits[hand]:
            total += reach[hand]
            share += reach[hand] * equity[hand]
    return float(stake[LOSE] + (stake[WIN] - stake[LOSE]) * share / total)


# What is seen of the cards


@kernel
def _free_deals(bucket: Array, sampled: int, seat: int, streets: int, possible: Array) -> None:
    """The deals in which a seat has seen the same on the first streets."""
    for deal in range(len(possible)):
        same = True
        for street in range(streets):
            same &= bucket[deal, seat, street] == bucket[sampled, seat, street]
        possible[deal] = same


@kernel
def free_hands(size: int, own: Array, board: Array, possible: Array) -> None:
    """The hands that meet none of these cards, numbered as `hand_numbers` does."""
    known, hand = _bits(own) | _bits(board), 0
    for high in range(size):
        for low in range(high):
            possible[hand] = not (_has(known, high) or _has(known, low))
            hand += 1


@kernel
def see_buckets(cards: Cards, street: int, place: Array, size: int, bucket: Array) -> None:
    """bucket[hands] on the board of a street, place[3] as `rank_streets` makes it; without meaning where a hand meets it."""
    entry = np.uint32(0)
    if street == 1:
        entry = cards.flop_index[place[0]]
    elif street == 2:
        entry = cards.turn_index[place[1]]
    elif street == 3:
        entry = cards.river_index[place[2]]
    kind, hand = entry >> SHIFT, 0
    for high in range(np.uint32(size)):
        for low in range(high):
            if street == 0:
                bucket[hand] = cards.preflop[hand]
            elif street == 1:
                bucket[hand] = cards.flop[kind, hand_after(cards, entry, high, low)]
            elif street == 2:
                bucket[hand] = cards.turn[kind, hand_after(cards, entry, high, low)]
            else:
                bucket[hand] = cards.river_bucket[cards.river[kind, hand_after(cards, entry, high, low)]]
            hand += 1


@inlined
def _see_preflop(preflop: Array, own: int, size: int, equity: Array) -> None:
    total = 1.0
    for n in range(5):
        total *= (size - 4 - n) / (n + 1)
    for hand in range(len(equity)):
        equity[hand] = 0.5 + 0.5 * preflop[own, hand] / total


@kernel
def see_equities(evaluator: Evaluator, card: Array, count: int, score: Array, equity: Array) -> None:
    """equity[2, hands] of the two seats on the first `count` cards of the board, over every board that may come, exactly."""
    size, coming = len(evaluator.card_key), 5 - count
    board, mine, by_rank = np.empty(5, np.int64), np.empty(SEATS, np.int32), np.zeros((SEATS, size // 4, size // 4), np.int32)
    result = np.empty((SEATS, size // 4, size // 4), np.int32)
    board[:count] = card[2 * SEATS : 2 * SEATS + count]
    score[:], known = 0, _bits(board[:count])
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


@kernel
def _bits(cards: Array) -> Number:
    """A set of cards, one bit each."""
    found = _ZERO
    for card in cards:
        found |= _ONE << np.uint64(card)
    return found


@kernel
def _has(cards: Number, card: int) -> bool:
    return bool(cards >> np.uint64(card) & _ONE)


@inlined
def _add_board(evaluator: Evaluator, board: Array) -> tuple[Number, Number]:
    keys, mask = _ZERO, _ZERO
    for card in board:
        keys += evaluator.card_key[card]
        mask += evaluator.card_mask[card]
    return keys, mask


@kernel
def _see_own(evaluator: Evaluator, board: Array, card: Array, mine: Array) -> None:
    """mine[2]: the strength of each seat's hand on a board of five, -1 where it meets the board."""
    (keys, mask), dealt = _add_board(evaluator, board), _bits(board)
    for seat in range(SEATS):
        one, other = card[2 * seat], card[2 * seat + 1]
        mine[seat] = -1
        if not (_has(dealt, one) or _has(dealt, other)):
            own_keys, own_mask = keys + evaluator.card_key[one], mask + evaluator.card_mask[one]
            mine[seat] = evaluate(evaluator, own_keys + evaluator.card_key[other], own_mask + evaluator.card_mask[other])


@kernel
def _compare_hands(evaluator: Evaluator, board: Array, card: Array, mine: Array, score: Array) -> None:
    """Add to score[2, hands], for a board of five, 1 for every hand that a seat's own beats, -1 for every hand it loses to."""
    (keys, mask), dealt = _add_board(evaluator, board), _bits(board)
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


@kernel
def _compare_board(
    evaluator: Evaluator, board: Array, known: int, card: Array, mine: Array, result: Array, by_rank: Array, score: Array
) -> None:
    """The same for one of many boards that have the first `known` cards in common, with far fewer hands to evaluate.

    What does not depend on suits is added to by_rank[2, ranks, ranks]; score[2, hands] takes back what that says of the
    hands that meet the later cards, and puts right what it says of flushes.
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
    (keys, mask), dealt = _add_board(evaluator, board), _bits(board)
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
        one, met = board[later], _bits(board[: later + 1])
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
    """Add to score[hands, hands] int32, below its diagonal: on how many boards the row's hand beats the column's, less those
    on which it loses.

    boards[K, 5] uint8 count number[K] times each. A hand that meets a board counts as one that every other hand beats.
    Boards are taken some at a time, so that one row of the score and their strengths stay in the cache.
    """
    size, hands = len(evaluator.card_key), len(score)
    strength = np.empty((_TOGETHER, hands), np.int16)
    for start in range(0, len(boards), _TOGETHER):
        some = boards[start : start + _TOGETHER]
        for n in range(len(some)):
            (keys, mask), dealt, hand = _add_board(evaluator, some[n]), _bits(some[n]), 0
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


@kernel
def _compare(mine: int, others: Array, weight: int, row: Array) -> None:
    for other in range(len(row)):
        row[other] += weight * (np.int32(mine > others[other]) - np.int32(mine < others[other]))

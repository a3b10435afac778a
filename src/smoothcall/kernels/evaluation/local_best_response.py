"""Local best response (Lisy and Bowling 2017): one-step lookahead against an agent whose probabilities are known.

The responder keeps the agent's `reach`: the probability that the agent would have come here with each hand it may hold. The
value of an action is what it wins if the agent folds to it with its own probabilities and both check and call from then on.
The responder takes the action of the highest value.

The agent holds no single hand. It acts with the mean probabilities of all hands that fit every card of the deal, and at a
showdown the responder is paid the mean over them. Deals are played street by street. Arrays of a street, over H hands:

    possible[H] bool     hands without a card that the responder sees
    fits[H] bool         hands without any card of the deal that the responder sees by the river
    bucket[H] int32      the agent's bucket of each hand
    equity[H] float64    the responder's share of the pot at a showdown, over the boards to come

In a game whose deals are listed, a hand is a whole deal: it says what the agent holds and which boards come.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from smoothcall.kernels import callee, inlined, kernel
from smoothcall.kernels.evaluation.hand_equities import SEATS, free_hands, hand_equities
from smoothcall.kernels.holdem.buckets import Cards, board_buckets, rank_streets
from smoothcall.kernels.holdem.drawing import draw_cards
from smoothcall.kernels.random import draw, draw_deal, draw_index
from smoothcall.kernels.tables import CALL, FOLD, FOLD_SLOT, SHOWDOWN, Array, Walk
from smoothcall.kernels.vectors import copy

LOSE, WIN = 0, 1  # columns of `Against.stake`
RIVER = 3
BOARD = (0, 3, 4, 5)  # cards on the board, by street


class Against(NamedTuple):
    """The agent, the stakes, and where the responder starts to choose."""

    weights: Array  # [rows, A]: probabilities times `scale`
    scale: float
    stake: Array  # [endings, P, 2] float64: chips that each player gets there with the worse or the better cards
    down: Array  # [N] int32: the ending where everybody checks and calls from a node on
    start: int  # the first street where the responder chooses; it checks and calls before


@kernel
def respond_cards(walk: Walk, cards: Cards, preflop: Array, against: Against, generator: Array, won: Array) -> None:
    """Fill won[n, 2] with the responder's winnings in each seat of n deals of hold'em, in chips.

    Each seat has two cards of its own; the board is one. preflop[hands, hands] int32 is as `count_showdowns` makes it, or
    empty where the responder does not choose before the flop.
    """
    size, hands = len(cards.evaluator.card_key), len(cards.preflop)
    card, place, sorted_board = np.empty(2 * SEATS + 5, np.uint8), np.empty(3, np.uint32), np.empty(5, np.uint8)
    bucket, equity = np.empty(hands, np.int32), np.empty((SEATS, hands))
    reach, possible, fits = np.empty((SEATS, hands)), np.empty((SEATS, hands), np.bool_), np.empty((SEATS, hands), np.bool_)
    node, score, probability = np.empty(SEATS, np.int64), np.empty((SEATS, hands), np.int32), np.empty(walk.child.shape[1])
    for deal in range(len(won)):
        draw_cards(card, size, generator)
        rank_streets(card, 2 * SEATS, cards.binomial, sorted_board, place)
        board = card[2 * SEATS :]
        node[:], reach[:], equity_street = 0, 1.0, -1
        for seat in range(SEATS):
            own = card[2 * seat : 2 * seat + 2]
            free_hands(size, own, board, fits[seat])
        for street in range(RIVER + 1):
            going = False
            for seat in range(SEATS):
                going |= walk.player[node[seat]] >= 0
            if not going:
                break
            board_buckets(cards, street, place[max(street - 1, 0)], bucket)
            if street == RIVER or (street > 0 and street >= against.start):
                hand_equities(cards.evaluator, card, BOARD[street], score, equity)
                equity_street = street
            for seat in range(SEATS):
                own = card[2 * seat : 2 * seat + 2]
                if street == 0 and against.start == 0:
                    _preflop_equities(preflop, cards.hand[own[0], own[1]], size, equity[seat])
                free_hands(size, own, board[: BOARD[street]], possible[seat])
                view = (possible[seat], fits[seat], bucket, equity[seat])
                node[seat] = _play_street(walk, against, seat, street, node[seat], *view, reach[seat], probability, generator)
        for seat in range(SEATS):
            if walk.kind[node[seat]] == SHOWDOWN and equity_street < RIVER:  # all-in before the river
                hand_equities(cards.evaluator, card, int(5), score, equity)
                equity_street = RIVER
            won[deal, seat] = _paid(walk, against, seat, node[seat], fits[seat], equity[seat], reach[seat])


@kernel
def respond_listed(walk: Walk, weight: Array, share: Array, against: Against, generator: Array, won: Array) -> None:
    """Fill won[n, 2] in a game whose deals are listed. weight[D]; share[2, D]: each seat's share of the pot at a showdown."""
    deals, streets = len(weight), walk.bucket.shape[2]
    reach, bucket, probability = np.empty(deals), np.empty(deals, np.int32), np.empty(walk.child.shape[1])
    possible, fits = np.empty(deals, np.bool_), np.empty(deals, np.bool_)
    for deal in range(len(won)):
        sampled = draw_deal(walk, generator)
        for seat in range(SEATS):
            node = 0
            copy(weight, reach)
            _free_deals(walk.bucket, sampled, seat, streets, fits)
            for street in range(streets):
                _free_deals(walk.bucket, sampled, seat, street + 1, possible)
                copy(walk.bucket[:, 1 - seat, street], bucket)
                view = (possible, fits, bucket, share[seat])
                node = _play_street(walk, against, seat, street, node, *view, reach, probability, generator)
            won[deal, seat] = _paid(walk, against, seat, node, fits, share[seat], reach)


@callee
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
    probability: Array,
    generator: Array,
) -> int:
    """Play a street to its end and return the node after it."""
    while walk.player[node] >= 0 and walk.round[node] == street:
        if walk.player[node] == seat:
            action = CALL if street < against.start else best_action(walk, against, seat, node, possible, bucket, equity, reach)
        else:
            first = walk.first_row[node]
            probability[:] = 0.0
            for hand in range(len(reach)):
                if fits[hand]:
                    for slot in range(len(probability)):
                        probability[slot] += reach[hand] * against.weights[first + bucket[hand], slot]
            action = draw_index(probability, np.uint32(len(probability)), draw(generator) * probability.sum())
            for hand in range(len(reach)):
                if possible[hand]:
                    reach[hand] *= against.weights[first + bucket[hand], action] / against.scale
        node = walk.child[node, action]
    return node


@kernel
def best_action(
    walk: Walk, against: Against, seat: int, node: int, possible: Array, bucket: Array, equity: Array, reach: Array
) -> int:
    """Return the responder's action of the highest value, the first of equals."""
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
        gone, gone_share, value = 0.0, 0.0, 0.0  # reach of the hands that fold, times their equity, and chips won from them
        if walk.kind[after] == FOLD:
            gone, gone_share, value = total, share, total * against.stake[walk.ending[after], seat, LOSE]
        elif walk.player[after] == 1 - seat and walk.child[after, FOLD_SLOT] >= 0:
            first = walk.first_row[after]
            for hand in range(len(reach)):
                if possible[hand]:
                    folds = reach[hand] * against.weights[first + bucket[hand], FOLD_SLOT] / against.scale
                    gone += folds
                    gone_share += folds * equity[hand]
            value = gone * against.stake[walk.ending[walk.child[after, FOLD_SLOT]], seat, WIN]
        stake, stays = against.stake[walk.ending[against.down[after]], seat], share - gone_share
        value += stays * stake[WIN] + (total - gone - stays) * stake[LOSE]
        if value > best:
            best, chosen = value, action
    return chosen


@callee
def _paid(walk: Walk, against: Against, seat: int, node: int, fits: Array, equity: Array, reach: Array) -> float:
    """Return the responder's winnings at an ending, the mean over the agent's hands, in chips."""
    stake = against.stake[walk.ending[node], seat]
    if walk.kind[node] != SHOWDOWN:
        return float(stake[WIN])  # after a fold both stakes are equal
    total, share = 0.0, 0.0
    for hand in range(len(reach)):
        if fits[hand]:
            total += reach[hand]
            share += reach[hand] * equity[hand]
    return float(stake[LOSE] + (stake[WIN] - stake[LOSE]) * share / total)


@callee
def _free_deals(bucket: Array, sampled: int, seat: int, streets: int, possible: Array) -> None:
    """Fill possible[D]: the deals in which a seat's buckets on the first streets are those of the sampled deal."""
    for deal in range(len(possible)):
        same = True
        for street in range(streets):
            same &= bucket[deal, seat, street] == bucket[sampled, seat, street]
        possible[deal] = same


@inlined
def _preflop_equities(preflop: Array, own: int, size: int, equity: Array) -> None:
    """Fill equity[hands] before the flop, over all boards."""
    total = 1.0
    for n in range(5):
        total *= (size - 4 - n) / (n + 1)
    for hand in range(len(equity)):
        equity[hand] = 0.5 + 0.5 * preflop[own, hand] / total

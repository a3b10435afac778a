"""AIVAT in hold'em: estimates of a seat's values, and their expectations over the boards to come."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from smoothcall.kernels import callee, inlined, kernel
from smoothcall.kernels.holdem.boards import insert, rank_board
from smoothcall.kernels.holdem.buckets import Cards, bucket_on
from smoothcall.kernels.tables import Array, Walk
from smoothcall.kernels.vectors import copy

FLOP, TURN = 1, 2  # streets


class Play(NamedTuple):
    """How a seat plays while values are estimated."""

    weights: Array  # [rows, A]: probabilities times `scale`
    scale: float
    first_row: Array  # [N] int32
    stride: int  # row = first_row + stride * bucket: 1, or 0 where cards make no difference


@kernel
def estimate_values(
    walk: Walk,
    depth: int,
    own: Play,
    theirs: Play,
    seat: int,
    bucket: Array,
    outcome: Array,
    cell: Array,
    first: Array,
    total: Array,
    mass: Array,
) -> None:
    """Walk the whole tree with D deals and add up a seat's values at every node, by the cell of the seat's bucket.

    bucket[D, P, R], outcome[D]; cell[D, R] int32: the cell of the seat's bucket on each street. The index of a value is
    first[N, R] + cell; first is -1 where a node has no values of a street. total[V] += reach * value and mass[V] += reach,
    where reach is the probability of the opponent's moves up to the node. A node is visited once, with all deals;
    `depth` is the length of the tree's longest path.
    """
    deals, actions, streets = np.uint32(len(outcome)), walk.child.shape[1], first.shape[1]
    reach, probability, value = np.ones((depth + 1, deals)), np.ones((depth + 1, deals)), np.zeros((depth + 1, deals))
    at, taken = np.zeros(depth + 1, np.int64), np.zeros(depth + 1, np.int64)
    level = 0
    while level >= 0:
        node = at[level]
        actor = walk.player[node]
        while actor >= 0 and taken[level] < actions and walk.child[node, taken[level]] < 0:
            taken[level] += 1
        if actor >= 0 and taken[level] < actions:
            action, own_bucket = taken[level], bucket[:, actor, walk.round[node]]
            at[level + 1], taken[level + 1] = walk.child[node, action], 0
            taken[level] += 1
            if actor == seat:
                _probabilities(own, node, action, own_bucket, probability[level + 1])
                copy(reach[level], reach[level + 1])
            else:
                _probabilities(theirs, node, action, own_bucket, probability[level + 1])
                possible = _multiply(reach[level], probability[level + 1], reach[level + 1])
                if not possible:  # the opponent never takes this action with these deals
                    continue
            level += 1
            value[level] = 0.0
            continue
        if actor < 0:
            pays = walk.payoff[walk.ending[node], :, seat]
            for deal in range(deals):
                value[level, deal] = pays[outcome[deal]]
        for street in range(streets):
            if first[node, street] >= 0:
                _book(first[node, street], cell[:, street], reach[level], value[level], total, mass)
        level -= 1
        if level >= 0:
            for deal in range(deals):
                value[level, deal] += probability[level + 1, deal] * value[level + 1, deal]


@inlined
def _multiply(reach: Array, probability: Array, after: Array) -> bool:
    """Write the reach after an action; return whether it is taken with any deal."""
    most = 0.0
    for deal in range(len(reach)):
        after[deal] = reach[deal] * probability[deal]
        most = max(most, after[deal])
    return most > 0.0


@callee
def _probabilities(play: Play, node: int, action: int, bucket: Array, probability: Array) -> None:
    """Write probability[D] of an action with bucket[D]."""
    column, share = play.weights[play.first_row[node] :, action], 1.0 / play.scale
    for deal in range(np.uint32(len(bucket))):
        probability[deal] = column[np.uint32(play.stride * bucket[deal])] * share


@callee
def _book(first: int, cell: Array, reach: Array, value: Array, total: Array, mass: Array) -> None:
    totals, masses = total[first:], mass[first:]
    for deal in range(np.uint32(len(cell))):
        place = np.uint32(cell[deal])
        totals[place] += reach[deal] * value[deal]
        masses[place] += reach[deal]


@kernel
def expect_board(cards: Cards, street: int, own: Array, board: Array, reach: Array, value: Array) -> float:
    """Return the mean of value[bucket] over the next street's cards, for a player with the cards own[2] on a board.

    reach[hands]: the probability of the opponent's moves so far with each hand; 0 for hands that share a card with `own` or
    the board. Given the opponent's hand, all boards without its cards are equally likely. So the probability of a board is
    proportional to the reach of the hands that share no card with it, found by inclusion and exclusion: the sum over all
    hands, minus the hands with each card of the board, plus the hands with two of its cards.
    """
    size, hand, everything = len(cards.evaluator.card_key), 0, 0.0
    held, both = np.zeros(size), np.zeros((size, size))
    for high in range(size):
        for low in range(high):
            weight = reach[hand]
            everything += weight
            held[high] += weight
            held[low] += weight
            both[low, high] = weight
            hand += 1
    free = np.ones(size, np.bool_)
    for card in own:
        free[card] = False
    for card in board:
        free[card] = False
    one, other = np.uint32(own[0]), np.uint32(own[1])
    total, mass, now = 0.0, 0.0, np.empty(5, np.int64)
    if street == FLOP:
        for c in range(2, size):
            for b in range(1, c if free[c] else 0):
                if not free[b]:
                    continue
                two = everything - held[b] - held[c] + both[b, c]
                rank = cards.binomial[np.uint32(b), np.uint32(2)] + cards.binomial[np.uint32(c), np.uint32(3)]
                for a in range(b):
                    if free[a]:
                        weight = two - held[a] + both[a, b] + both[a, c]
                        place = rank + cards.binomial[np.uint32(a), np.uint32(1)]
                        total += weight * value[bucket_on(cards, street, place, one, other)]
                        mass += weight
        return total / mass
    for card in range(size):
        if free[card]:
            for place in range(len(board)):
                insert(now, place, board[place])
            insert(now, len(board), card)
            place = rank_board(now, len(board) + 1, cards.binomial)
            weight = everything - held[card]
            total += weight * value[bucket_on(cards, street, place, one, other)]
            mass += weight
    return total / mass

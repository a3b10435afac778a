"""AIVAT in hold'em: estimates of a seat's values, and their expectations over the boards to come."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from smoothcall.kernels import kernel
from smoothcall.kernels.holdem.boards import insert, rank_board
from smoothcall.kernels.holdem.buckets import Cards, bucket_on
from smoothcall.kernels.tables import Array, Walk

FLOP, TURN = 1, 2  # streets


class Play(NamedTuple):
    """How a seat plays while values are estimated."""

    weights: Array  # [rows, A]: probabilities times `scale`
    scale: float
    first_row: Array  # [N] int32
    sees: int  # 1, or 0 where cards make no difference: row = first_row + sees * bucket


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
    """Walk the whole tree with some deals; add up what a seat wins from every node on, by what it sees there.

    bucket[D, P, R], outcome[D]; cell[D, R] int32: where what the seat sees on each street is booked. To total[V] and mass[V],
    at first[N, R] + cell (first is -1 for streets that a node has nothing to do with), are added chips times, and the
    probability that everybody else plays to the node. One node is looked at with all deals before the next; no line of the
    tree has more moves than `depth`.
    """
    deals, actions, streets = np.uint32(len(outcome)), walk.child.shape[1], first.shape[1]
    reach, chance, value = np.ones((depth + 1, deals)), np.ones((depth + 1, deals)), np.zeros((depth + 1, deals))
    at, taken = np.zeros(depth + 1, np.int64), np.zeros(depth + 1, np.int64)
    level = 0
    while level >= 0:
        node = at[level]
        actor = walk.player[node]
        while actor >= 0 and taken[level] < actions and walk.child[node, taken[level]] < 0:
            taken[level] += 1
        if actor >= 0 and taken[level] < actions:
            action, seen = taken[level], bucket[:, actor, walk.round[node]]
            at[level + 1], taken[level + 1] = walk.child[node, action], 0
            taken[level] += 1
            if actor == seat:
                _probabilities(own, node, action, seen, chance[level + 1])
                reach[level + 1] = reach[level]
            else:
                _probabilities(theirs, node, action, seen, chance[level + 1])
                reach[level + 1] = reach[level] * chance[level + 1]
                if reach[level + 1].max() == 0.0:  # nobody comes there with these deals
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
            value[level] += chance[level + 1] * value[level + 1]


@kernel
def _probabilities(play: Play, node: int, action: int, seen: Array, chance: Array) -> None:
    """chance[D] of an action of somebody who sees seen[D]."""
    column, share = play.weights[play.first_row[node] :, action], 1.0 / play.scale
    for deal in range(np.uint32(len(seen))):
        chance[deal] = column[np.uint32(play.sees * seen[deal])] * share


@kernel
def _book(first: int, cell: Array, reach: Array, value: Array, total: Array, mass: Array) -> None:
    totals, masses = total[first:], mass[first:]
    for deal in range(np.uint32(len(cell))):
        place = np.uint32(cell[deal])
        totals[place] += reach[deal] * value[deal]
        masses[place] += reach[deal]


@kernel
def expect_board(cards: Cards, street: int, own: Array, board: Array, reach: Array, value: Array) -> float:
    """The mean of value[bucket] over the cards that a street may bring to a player who holds own[2] and sees a board.

    reach[hands]: how likely everything so far is with each hand of the opponent, 0 for hands that meet cards seen. All
    boards that meet no hand are as likely as one another, so a board is as likely as the hands that it leaves: all, less
    those with one of its cards, and those with two of them were taken away twice.
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

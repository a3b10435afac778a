"""Many hands at once: each is a node of an action tree and a deal, and all advance by one move at a time.

Policies answer for the whole batch in one call. Between calls these kernels list the seats to move, play the sampled moves,
and begin new hands where old ones are over. Observations and actions of a hand are kept until it is over and its winnings
are known; then learners copy them into their memories (`kernels.learners.memory`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from smoothcall.kernels import inlined, kernel
from smoothcall.kernels.random import draw, draw_index
from smoothcall.kernels.tables import DECISION, Array, Walk


class Hands(NamedTuple):
    """B hands in play. P seats, V private values per seat, at most L moves of a seat, observations of W numbers."""

    node: Array  # [B] int32
    dealt: Array  # [B, P, V] int32: private values of each seat, by street or card by card
    outcome: Array  # [B] uint32: how the hands compare at showdown
    policy: Array  # [B, P] int8: number of the policy that plays each seat
    moves: Array  # [B, P] int8: moves each seat has made
    observations: Array  # [B, P, L, W]: at each of these moves
    action: Array  # [B, P, L] int8: action slot of each of these moves
    over: Array  # [B] bool
    won: Array  # [B, P] float32: chips, where the hand is over


class Deals(NamedTuple):
    """Q deals in advance: dealing many at once is faster."""

    dealt: Array  # [Q, P, V] int32
    outcome: Array  # [Q] uint32


@kernel
def begin(walk: Walk, hands: Hands, root: Array, deals: Deals, deal: Array) -> None:
    """Begin a new hand in the place of each that is over, at root[B] with deal number deal[B]; none where that is -1.

    A hand without a decision, because all chips are in from the start, is over at once.
    """
    for hand in range(len(hands.node)):
        if hands.over[hand] and deal[hand] >= 0:
            for seat in range(hands.dealt.shape[1]):
                for place in range(hands.dealt.shape[2]):
                    hands.dealt[hand, seat, place] = deals.dealt[deal[hand], seat, place]
                hands.moves[hand, seat] = 0
            hands.outcome[hand] = deals.outcome[deal[hand]]
            hands.over[hand] = False
            _arrive(walk, hands, hand, root[hand])


@inlined
def _arrive(walk: Walk, hands: Hands, hand: int, node: int) -> None:
    hands.node[hand] = node
    if walk.kind[node] != DECISION:
        hands.over[hand] = True
        for seat in range(hands.won.shape[1]):
            hands.won[hand, seat] = walk.payoff[walk.ending[node], hands.outcome[hand], seat]


@kernel
def list_movers(walk: Walk, hands: Hands, policy: Array, legal: Array) -> None:
    """Fill policy[B] int8 with the number of the policy to move, -1 where the hand is over, and legal[B, A] bool."""
    for hand in range(len(policy)):
        node = hands.node[hand]
        policy[hand] = -1 if hands.over[hand] else hands.policy[hand, walk.player[node]]
        for action in range(legal.shape[1]):
            legal[hand, action] = walk.child[node, action] >= 0


@kernel
def advance(walk: Walk, hands: Hands, observations: Array, probabilities: Array, generator: Array) -> int:
    """Make one move in every hand that is not over, sampled from probabilities[B, A]; return how many hands ended.

    observations[B, W] of the seats to move are kept in `hands`.
    """
    ended, weights = 0, np.empty(walk.child.shape[1])
    for hand in range(len(hands.node)):
        if hands.over[hand]:
            continue
        node = hands.node[hand]
        seat = walk.player[node]
        action = draw_legal(walk.child[node], probabilities[hand], weights, draw(generator))
        move = hands.moves[hand, seat]
        for place in range(observations.shape[1]):
            hands.observations[hand, seat, move, place] = observations[hand, place]
        hands.action[hand, seat, move] = action
        hands.moves[hand, seat] += 1
        _arrive(walk, hands, hand, walk.child[node, action])
        ended += hands.over[hand]
    return ended


@inlined
def draw_legal(child: Array, probabilities: Array, weights: Array, number: float) -> int:
    """Return the legal action that a number in [0, 1) selects in proportion to probabilities[A]; the first legal one if all
    are 0. weights[A] is scratch.
    """
    total, first = 0.0, -1
    for action in range(len(child)):
        legal = child[action] >= 0
        weights[action] = probabilities[action] if legal else 0.0
        total += weights[action]
        first = action if legal and first < 0 else first
    return draw_index(weights, len(weights), number * total) if total > 0 else first

"""Hands between fixed players: every deal once for each seating."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from smoothcall.kernels import inlined, kernel
from smoothcall.kernels.random import draw, draw_index
from smoothcall.kernels.tables import Array, Walk


class Lineup(NamedTuple):
    """The P players of a match.

    T of them are policies, K are rules that look only at which actions are legal. Policies see the cards through G
    abstractions.
    """

    tables: tuple[Array, ...]  # [T] of [rows, A]: probabilities times `scale`
    scale: float
    rules: Array  # [K, 2^A, A] float64: probabilities for each set of legal actions, a bit per action
    source: Array  # [P] int8: index into `tables`, or -1 - index into `rules`
    abstraction: Array  # [P] uint32: index of the abstraction through which each player sees the cards
    first_row: Array  # [G, N] int32: first rows of the nodes by abstraction
    greedy: Array  # [P] bool: takes the most likely action, of equals the first
    seating: Array  # [seatings, P] uint32: the player in each seat


@inlined
def most_likely(weights: Array) -> int:
    best = 0
    for action in range(1, len(weights)):
        best = action if weights[action] > weights[best] else best
    return best


@inlined
def legal_set(child: Array) -> int:
    """Return the legal actions of a node's child[A], one bit per action."""
    found = 0
    for action in range(len(child)):
        found |= int(child[action] >= 0) << action
    return found


@kernel
def play_deals(walk: Walk, bucket: Array, outcome: Array, lineup: Lineup, generator: Array, won: Array) -> None:
    """Write won[D, P], the chips of each player averaged over the seatings, for bucket[G, D, P, R] and outcome[D]."""
    seatings, players = np.uint32(lineup.seating.shape[0]), np.uint32(lineup.seating.shape[1])
    share = 1.0 / seatings
    for deal in range(np.uint32(len(outcome))):
        for player in range(players):
            won[deal, player] = 0.0
        for seating in range(seatings):
            node = np.uint32(0)
            while walk.player[node] >= 0:
                actor = np.uint32(walk.player[node])
                who = lineup.seating[seating, actor]
                source, action = lineup.source[who], np.uint32(0)
                if source < 0:
                    weights = lineup.rules[np.uint32(-1 - source), np.uint32(legal_set(walk.child[node]))]
                    action = np.uint32(draw_index(weights, len(weights), draw(generator)))
                else:
                    seen = lineup.abstraction[who]
                    row = np.uint64(lineup.first_row[seen, node] + bucket[seen, deal, actor, np.uint32(walk.round[node])])
                    table = lineup.tables[source]
                    if lineup.greedy[who]:
                        action = np.uint32(most_likely(table[row]))
                    else:
                        action = np.uint32(draw_index(table[row], table.shape[1], draw(generator) * lineup.scale))
                node = np.uint32(walk.child[node, action])
            ending, order = np.uint32(walk.ending[node]), np.uint64(outcome[deal])
            for seat in range(players):
                won[deal, lineup.seating[seating, seat]] += share * walk.payoff[ending, order, seat]

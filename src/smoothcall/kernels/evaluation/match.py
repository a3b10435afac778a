"""Hands between fixed players: every deal once for each seating."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from smoothcall.kernels import inlined, kernel
from smoothcall.kernels.random import draw
from smoothcall.kernels.solvers.matching import choose
from smoothcall.kernels.tables import Array, Walk


class Line(NamedTuple):
    """Who plays. P players, T policies among them, K rules: players who look only at which actions are legal."""

    tables: tuple[Array, ...]  # [T] of [rows, A]: probabilities times `scale`
    scale: float
    rules: Array  # [K, 2^A, A] float64: probabilities for each set of legal actions, a bit per action
    source: Array  # [P] int8: index into `tables`, or -1 - index into `rules`
    eyes: Array  # [P] uint32: through which of G abstractions each player sees the cards
    first_row: Array  # [G, N] int32: first rows of the nodes by abstraction
    greedy: Array  # [P] bool: who takes the most likely action, of equals the first
    seating: Array  # [seatings, P] uint32: the player in each seat


@inlined
def most_likely(weights: Array) -> int:
    best = 0
    for action in range(1, len(weights)):
        best = action if weights[action] > weights[best] else best
    return best


@inlined
def legal_set(child: Array) -> int:
    """The legal actions of a node's child[A], a bit per action."""
    found = 0
    for action in range(len(child)):
        found |= int(child[action] >= 0) << action
    return found


@kernel
def play_deals(walk: Walk, bucket: Array, outcome: Array, line: Line, generator: Array, won: Array) -> None:
    """bucket[G, D, P, R], outcome[D] -> won[D, P]: chips of each player, averaged over the seatings."""
    seatings, players = np.uint32(line.seating.shape[0]), np.uint32(line.seating.shape[1])
    share = 1.0 / seatings
    for deal in range(np.uint32(len(outcome))):
        for player in range(players):
            won[deal, player] = 0.0
        for seating in range(seatings):
            node = np.uint32(0)
            while walk.player[node] >= 0:
                actor = np.uint32(walk.player[node])
                who = line.seating[seating, actor]
                source, action = line.source[who], np.uint32(0)
                if source < 0:
                    weights = line.rules[np.uint32(-1 - source), np.uint32(legal_set(walk.child[node]))]
                    action = np.uint32(choose(weights, draw(generator)))
                else:
                    eyes = line.eyes[who]
                    row = np.uint64(line.first_row[eyes, node] + bucket[eyes, deal, actor, np.uint32(walk.round[node])])
                    table = line.tables[source]
                    if line.greedy[who]:
                        action = np.uint32(most_likely(table[row]))
                    else:
                        action = np.uint32(choose(table[row], draw(generator) * line.scale))
                node = np.uint32(walk.child[node, action])
            ending, order = np.uint32(walk.ending[node]), np.uint64(outcome[deal])
            for seat in range(players):
                won[deal, line.seating[seating, seat]] += share * walk.payoff[ending, order, seat]

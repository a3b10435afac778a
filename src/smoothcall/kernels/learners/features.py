"""Observations of NFSP in single hands, and the features that its networks get of them.

In games with listed deals an observation is the row of the information state. In hold'em it is the node and the visible cards.
"""

from __future__ import annotations

from typing import NamedTuple

from smoothcall.kernels import kernel
from smoothcall.kernels.holdem.buckets import VISIBLE
from smoothcall.kernels.simulation.batch import Hands
from smoothcall.kernels.tables import Array, Walk


class NodeFeatures(NamedTuple):
    """What the features of a node are made from. N nodes, P seats."""

    parent: Array  # [N] int32
    move: Array  # [N] int32: feature number of the move that leads here from the parent, -1 at the root
    player: Array  # [N] int8
    paid: Array  # [N, P] chips
    moves: int  # features of moves
    deck: int  # cards in the deck
    stack: float  # starting stack, chips


@kernel
def observe_rows(walk: Walk, hands: Hands, observations: Array) -> None:
    """Fill observations[B, 1] int32 with the rows of the seats to move. `hands.dealt` holds buckets by street."""
    for hand in range(len(observations)):
        node = hands.node[hand]
        if not hands.over[hand]:
            observations[hand, 0] = walk.first_row[node] + hands.dealt[hand, walk.player[node], walk.round[node]]


@kernel
def observe_cards(walk: Walk, hands: Hands, observations: Array) -> None:
    """Fill observations[B, 8] int32 with the node and the cards that the seat to move sees; -1 for cards that are not dealt
    yet.

    `hands.dealt` holds the seven cards of each seat.
    """
    for hand in range(len(observations)):
        node = hands.node[hand]
        if not hands.over[hand]:
            visible, seat = VISIBLE[walk.round[node]], walk.player[node]
            observations[hand, 0] = node
            for place in range(hands.dealt.shape[2]):
                observations[hand, 1 + place] = hands.dealt[hand, seat, place] if place < visible else -1


@kernel
def encode_cards(table: NodeFeatures, observations: Array, features: Array) -> None:
    """Turn observations[n, 8] of `observe_cards` into features[n, 4 x deck + moves + 2 + P] float32.

    Own cards, flop, turn and river as one bit per card of the deck each; one bit per move that leads to the node; then, in
    starting stacks, the pot, the chips to call, and the chips behind of the seat to move and of the seats after it.
    """
    seats = table.paid.shape[1]
    for number in range(len(observations)):
        features[number] = 0
        for place in range(1, observations.shape[1]):
            if observations[number, place] >= 0:
                part = 0 if place <= 2 else max(place - 4, 1)
                features[number, part * table.deck + observations[number, place]] = 1
        node = observations[number, 0]
        own, pot, most = table.player[node], 0, 0
        for seat in range(seats):
            pot += int(table.paid[node, seat])
            most = max(most, int(table.paid[node, seat]))
        at = 4 * table.deck + table.moves
        features[number, at] = pot / table.stack
        features[number, at + 1] = (most - table.paid[node, own]) / table.stack
        for after in range(seats):
            features[number, at + 2 + after] = 1 - table.paid[node, (own + after) % seats] / table.stack
        while table.move[node] >= 0:
            features[number, 4 * table.deck + table.move[node]] = 1
            node = table.parent[node]

"""Many hands at once: each a node of an action tree and a deal, all advanced by one move at a time.

Who plays answers for the whole batch in one call. Between the calls these kernels say what the seats to move see, make the
moves, and begin new hands where old ones are over. What a seat saw and did in a hand is kept until the hand is over: only
then it is known what it was worth, and goes into memories (`kernels.learners.memory`).
"""

from __future__ import annotations

from typing import NamedTuple

from smoothcall.kernels import inlined, kernel
from smoothcall.kernels.holdem.buckets import VISIBLE
from smoothcall.kernels.random import draw
from smoothcall.kernels.tables import DECISION, Array, Walk


class Hands(NamedTuple):
    """B hands in play. P seats, V things a seat may come to see, at most L moves of a seat, W numbers an observation."""

    node: Array  # [B] int32
    dealt: Array  # [B, P, V] int32: what each seat sees, by street or card by card
    outcome: Array  # [B] uint32: how the hands compare
    who: Array  # [B, P] int8: who plays in each seat
    moves: Array  # [B, P] int8: how many moves each seat has made
    seen: Array  # [B, P, L, W]: what it saw at each of them
    action: Array  # [B, P, L] int8: and did
    over: Array  # [B] bool
    won: Array  # [B, P] float32: chips, where the hand is over


class Deals(NamedTuple):
    """Deals made beforehand, because many at once are dealt faster."""

    dealt: Array  # [Q, P, V] int32
    outcome: Array  # [Q] uint32


class Sight(NamedTuple):
    """What a network is shown of a node. N nodes, P seats."""

    parent: Array  # [N] int32
    move: Array  # [N] int32: which of the moves a betting may be made of leads here from the parent, -1 at the root
    player: Array  # [N] int8
    paid: Array  # [N, P] chips
    moves: int  # that a betting may be made of
    deck: int  # its cards
    stack: float  # chips that a seat starts with


@kernel
def begin(walk: Walk, hands: Hands, root: Array, deals: Deals, deal: Array) -> None:
    """A new hand in the place of each that is over, with deal[B] and from root[B] on; none where the deal is -1.

    A hand in which nobody can move, because all is in from the start, is over at once.
    """
    for hand in range(len(hands.node)):
        if hands.over[hand] and deal[hand] >= 0:
            for seat in range(hands.dealt.shape[1]):
                for thing in range(hands.dealt.shape[2]):
                    hands.dealt[hand, seat, thing] = deals.dealt[deal[hand], seat, thing]
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
def see_rows(walk: Walk, hands: Hands, seen: Array) -> None:
    """seen[B, 1] int32: the information state of the seat to move, `dealt` being its buckets by street."""
    for hand in range(len(seen)):
        node = hands.node[hand]
        if not hands.over[hand]:
            seen[hand, 0] = walk.first_row[node] + hands.dealt[hand, walk.player[node], walk.round[node]]


@kernel
def see_cards(walk: Walk, hands: Hands, seen: Array) -> None:
    """seen[B, 8] int32: the node, and the cards that the seat to move sees there, `dealt` being its cards; -1 for others."""
    for hand in range(len(seen)):
        node = hands.node[hand]
        if not hands.over[hand]:
            visible, seat = VISIBLE[walk.round[node]], walk.player[node]
            seen[hand, 0] = node
            for place in range(hands.dealt.shape[2]):
                seen[hand, 1 + place] = hands.dealt[hand, seat, place] if place < visible else -1


@kernel
def show_cards(sight: Sight, seen: Array, shown: Array) -> None:
    """seen[n, 8], as `see_cards` gives it at decisions -> shown[n, 4 x deck + moves + 2 + P] float32.

    Own cards, flop, turn and river as bits of the deck each; the moves that lead to the node; then the pot, what is to be
    called, and what the seat and those after it have left, in stacks.
    """
    seats = sight.paid.shape[1]
    for number in range(len(seen)):
        shown[number] = 0
        for place in range(1, seen.shape[1]):
            if seen[number, place] >= 0:
                part = 0 if place <= 2 else max(place - 4, 1)
                shown[number, part * sight.deck + seen[number, place]] = 1
        node = seen[number, 0]
        own, pot, most = sight.player[node], 0, 0
        for seat in range(seats):
            pot += int(sight.paid[node, seat])
            most = max(most, int(sight.paid[node, seat]))
        at = 4 * sight.deck + sight.moves
        shown[number, at] = pot / sight.stack
        shown[number, at + 1] = (most - sight.paid[node, own]) / sight.stack
        for after in range(seats):
            shown[number, at + 2 + after] = 1 - sight.paid[node, (own + after) % seats] / sight.stack
        while sight.move[node] >= 0:
            shown[number, 4 * sight.deck + sight.move[node]] = 1
            node = sight.parent[node]


@kernel
def see_movers(walk: Walk, hands: Hands, who: Array, legal: Array) -> None:
    """who[B] int8 is to move, -1 where the hand is over, and legal[B, A] bool."""
    for hand in range(len(who)):
        node = hands.node[hand]
        who[hand] = -1 if hands.over[hand] else hands.who[hand, walk.player[node]]
        for action in range(legal.shape[1]):
            legal[hand, action] = walk.child[node, action] >= 0


@kernel
def advance(walk: Walk, hands: Hands, seen: Array, probabilities: Array, generator: Array) -> int:
    """One move in every hand that is not over, drawn from probabilities[B, A] at what was seen[B, W]; returns how many ended."""
    ended = 0
    for hand in range(len(hands.node)):
        if hands.over[hand]:
            continue
        node = hands.node[hand]
        seat = walk.player[node]
        action = draw_action(walk.child[node], probabilities[hand], draw(generator))
        move = hands.moves[hand, seat]
        for place in range(seen.shape[1]):
            hands.seen[hand, seat, move, place] = seen[hand, place]
        hands.action[hand, seat, move] = action
        hands.moves[hand, seat] += 1
        _arrive(walk, hands, hand, walk.child[node, action])
        ended += hands.over[hand]
    return ended


@inlined
def draw_action(child: Array, probabilities: Array, number: float) -> int:
    """The legal action that a number in [0, 1) falls on in proportion to probabilities[A]; where none has a chance, the first."""
    total, first, chosen = 0.0, -1, -1
    for action in range(len(child)):
        if child[action] >= 0:
            first = action if first < 0 else first
            total += probabilities[action]
    left = number * total
    for action in range(len(child)):
        if child[action] >= 0 and probabilities[action] > 0 and left >= 0:
            chosen = action
            left -= probabilities[action]
    return first if chosen < 0 else chosen

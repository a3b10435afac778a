"""Sessions: games of several hands for two players who keep their chips from hand to hand and change seats.

What a player looks at is a *situation*, COLUMNS numbers: how strong its cards are, what the table shows, and what the other
has been doing (epfl2020). Chips are in parts of the chips a session starts with. The last column is the node itself, for
whoever plays from tables; a float32 holds it exactly, up to 2^24 nodes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from smoothcall.kernels import kernel
from smoothcall.kernels.batch import Hands
from smoothcall.kernels.matching import choose
from smoothcall.kernels.random import draw
from smoothcall.kernels.tables import CALL, Array, Walk

POSITION, POT, STREET, TO_CALL, STACK, OTHER_STACK, LAST, LAST_SIZE, RAISES, AGGRESSION, NODE = range(11)
COLUMNS = 11
HANDS, RAISED_FIRST, RAISED_EVER, CALLED_EVER = range(4)  # what is counted of a player's habits
UNKNOWN = 0.5  # the aggression of somebody who has neither raised nor called


class Public(NamedTuple):
    """What the table shows at each node."""

    paid: Array  # [N, 2] int32: chips each seat has put in
    last: Array  # [N] int8: the last move of the seat that is not to move
    size: Array  # [N] int32: and the chips it put in with it


class Sessions(NamedTuple):
    """B sessions, in each of which one hand is being played. Players are 0 and 1, wherever they sit."""

    chips: Array  # [B, 2] int32: before the hand
    first: Array  # [B] int8: the player in seat 0
    mind: Array  # [B, 2] int8: who each player is; -1 where that is to be drawn before the first hand
    played: Array  # [B] int16: hands
    habits: Array  # [B, 2, 4] int32: counts of this session


@kernel
def see_situations(
    walk: Walk, public: Public, hands: Hands, sessions: Sessions, parts: float, start: float, seen: Array
) -> None:
    """seen[B, COLUMNS] float32: what the seat to move looks at. `dealt` are its positions by street in units of 1 / parts."""
    for hand in range(len(seen)):
        if hands.over[hand]:
            continue
        node = hands.node[hand]
        seat, street = walk.player[node], walk.round[node]
        player = sessions.first[hand] ^ seat
        other, own, others = 1 - player, public.paid[node, seat], public.paid[node, 1 - seat]
        seen[hand, POSITION] = hands.dealt[hand, seat, street] / parts
        seen[hand, POT] = (own + others) / start
        seen[hand, STREET] = street
        seen[hand, TO_CALL] = (others - own) / start
        seen[hand, STACK] = (sessions.chips[hand, player] - own) / start
        seen[hand, OTHER_STACK] = (sessions.chips[hand, other] - others) / start
        seen[hand, LAST] = public.last[node]
        seen[hand, LAST_SIZE] = public.size[node] / start
        habits = sessions.habits[hand, other]
        moves = habits[RAISED_EVER] + habits[CALLED_EVER]
        seen[hand, NODE] = node
        seen[hand, RAISES] = habits[RAISED_FIRST] / max(habits[HANDS], 1)
        seen[hand, AGGRESSION] = habits[RAISED_EVER] / moves if moves > 0 else UNKNOWN


@kernel
def settle(hands: Hands, sessions: Sessions, playing: Array, start: int, length: int, gain: Array) -> int:
    """Book the hands of sessions playing[B] that are over, and change seats; returns how many.

    gain[B] is what player 0 won of a session that ended with them, NaN where it goes on.
    """
    booked = 0
    for hand in range(len(gain)):
        gain[hand] = np.nan
        if not (hands.over[hand] and playing[hand]):
            continue
        booked += 1
        for seat in range(2):
            player = sessions.first[hand] ^ seat
            sessions.chips[hand, player] += round(hands.won[hand, seat])
            _count_habits(hands, hand, seat, sessions.habits[hand, player])
        sessions.played[hand] += 1
        sessions.first[hand] ^= 1
        least = min(sessions.chips[hand, 0], sessions.chips[hand, 1])
        if sessions.played[hand] == length or least <= 0:
            gain[hand] = sessions.chips[hand, 0] - start
            sessions.chips[hand] = start
            sessions.habits[hand] = 0
            sessions.played[hand] = 0
            sessions.mind[hand, 1] = -1
    return booked


@kernel
def _count_habits(hands: Hands, hand: int, seat: int, habits: Array) -> None:
    habits[HANDS] += 1
    raised_first = False
    for move in range(hands.moves[hand, seat]):
        action, seen = hands.action[hand, seat, move], hands.seen[hand, seat, move]
        if action > CALL:
            habits[RAISED_EVER] += 1
            raised_first |= seen[STREET] == 0
        elif action == CALL and seen[TO_CALL] > 0:
            habits[CALLED_EVER] += 1
    habits[RAISED_FIRST] += raised_first


@kernel
def seat_players(hands: Hands, sessions: Sessions, root: Array, unit: int, first: Array) -> None:
    """Who sits where in the hands that are about to begin, and at which node first[B] each begins: the root[chips / unit] of
    the smaller stack, which is all that can be lost."""
    for hand in range(len(first)):
        if hands.over[hand]:
            for seat in range(2):
                hands.who[hand, seat] = sessions.mind[hand, sessions.first[hand] ^ seat]
            first[hand] = root[min(sessions.chips[hand, 0], sessions.chips[hand, 1]) // unit]


@kernel
def draw_opponents(sessions: Sessions, shares: Array, generator: Array) -> None:
    """Where player 1 is nobody yet, it becomes somebody with the chance shares[minds]."""
    for session in range(len(sessions.played)):
        if sessions.mind[session, 1] < 0:
            sessions.mind[session, 1] = choose(shares, draw(generator))

"""Freezeouts: several hands for two players, who keep their chips from hand to hand and change seats."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from smoothcall.kernels import callee, kernel
from smoothcall.kernels.holdem.buckets import VISIBLE, Cards
from smoothcall.kernels.holdem.dealing import compare
from smoothcall.kernels.holdem.drawing import card_set, draw_rest
from smoothcall.kernels.random import draw, draw_index
from smoothcall.kernels.simulation.batch import Hands
from smoothcall.kernels.simulation.observations import (
    CALLED_EVER,
    CARDS,
    HANDS,
    RAISED_EVER,
    RAISED_FIRST,
    STREET,
    TO_CALL,
)
from smoothcall.kernels.tables import CALL, Array, Walk


class FreezeoutTables(NamedTuple):
    """B freezeouts, in each of which one hand is being played. Players are 0 and 1, whichever seat they have."""

    chips: Array  # [B, 2] int32: before the hand
    first: Array  # [B] int8: the player in seat 0
    policy: Array  # [B, 2] int8: number of each player's policy; -1 for player 1 where a freezeout is about to begin
    played: Array  # [B] int16: hands
    habits: Array  # [B, 2, 4] int32: counts of this freezeout, see `kernels.simulation.observations`


@kernel
def settle(hands: Hands, freezeouts: FreezeoutTables, playing: Array, start: int, length: int, gain: Array) -> int:
    """Book the hands that are over in the freezeouts playing[B], and change seats; return how many hands were booked.

    gain[B] are the chips that player 0 won in freezeouts that ended with them, NaN elsewhere.
    """
    booked = 0
    for hand in range(len(gain)):
        gain[hand] = np.nan
        if not (hands.over[hand] and playing[hand]):
            continue
        booked += 1
        for seat in range(2):
            player = freezeouts.first[hand] ^ seat
            freezeouts.chips[hand, player] += round(hands.won[hand, seat])
            _count_habits(hands, hand, seat, freezeouts.habits[hand, player])
        freezeouts.played[hand] += 1
        freezeouts.first[hand] ^= 1
        least = min(freezeouts.chips[hand, 0], freezeouts.chips[hand, 1])
        if freezeouts.played[hand] == length or least <= 0:
            gain[hand] = freezeouts.chips[hand, 0] - start
            freezeouts.chips[hand] = start
            freezeouts.habits[hand] = 0
            freezeouts.played[hand] = 0
            freezeouts.policy[hand, 1] = -1
    return booked


@callee
def _count_habits(hands: Hands, hand: int, seat: int, habits: Array) -> None:
    habits[HANDS] += 1
    raised_first = False
    for move in range(hands.moves[hand, seat]):
        action, observation = hands.action[hand, seat, move], hands.observations[hand, seat, move]
        if action > CALL:
            habits[RAISED_EVER] += 1
            raised_first |= observation[STREET] == 0
        elif action == CALL and observation[TO_CALL] > 0:
            habits[CALLED_EVER] += 1
    habits[RAISED_FIRST] += raised_first


@kernel
def seat_players(hands: Hands, freezeouts: FreezeoutTables, root: Array, unit: int, first: Array) -> None:
    """Seat the players of hands that are about to begin, and fill first[B] with the nodes where these begin.

    A hand begins at root[chips / unit] of the smaller stack, because nobody can lose more.
    """
    for hand in range(len(first)):
        if hands.over[hand]:
            for seat in range(2):
                hands.policy[hand, seat] = freezeouts.policy[hand, freezeouts.first[hand] ^ seat]
            first[hand] = root[min(freezeouts.chips[hand, 0], freezeouts.chips[hand, 1]) // unit]


@kernel
def draw_opponents(freezeouts: FreezeoutTables, shares: Array, generator: Array) -> None:
    """Sample the policy of player 1 in proportion to shares[policies], in freezeouts that are about to begin."""
    for freezeout in range(len(freezeouts.played)):
        if freezeouts.policy[freezeout, 1] < 0:
            freezeouts.policy[freezeout, 1] = draw_index(shares, np.uint32(len(shares)), draw(generator))


@kernel
def expect_winnings(cards: Cards, walk: Walk, hands: Hands, runouts: int, generator: Array, won: Array) -> None:
    """Fill won[B, 2] float32 with the chips won in hands that are over; where players were all in before the river, with the
    mean over `runouts` sampled boards, which estimates the expected value at that point and is less noisy to learn from.
    """
    card, strength = np.empty(2 * 2 + CARDS - 2, np.uint8), np.zeros(2, np.int64)
    first, size = hands.dealt.shape[2] - CARDS, len(cards.binomial) - 1
    for hand in range(len(hands.over)):
        if not hands.over[hand]:
            continue
        ending, street = walk.ending[hands.node[hand]], 0
        for seat in range(2):
            won[hand, seat] = hands.won[hand, seat]
            if hands.moves[hand, seat] > 0:
                street = max(street, int(hands.observations[hand, seat, hands.moves[hand, seat] - 1, STREET]))
        known = VISIBLE[street]
        if known == CARDS or walk.payoff[ending, 0, 0] == walk.payoff[ending, 1, 0]:
            continue  # all cards are dealt, or a player folded
        for seat in range(2):
            for place in range(2):
                card[2 * seat + place] = hands.dealt[hand, seat, first + place]
        for place in range(2, known):
            card[2 + place] = hands.dealt[hand, 0, first + place]
        visible, total = card_set(card, 0, 2 + known), 0.0
        for _ in range(runouts):
            draw_rest(card, 2 + known, visible, size, generator)
            total += walk.payoff[ending, cards.outcome[compare(cards, card, strength)], 0]
        won[hand, 0], won[hand, 1] = total / runouts, -total / runouts

"""FreezeoutTables: rollouts of several hands for two players who keep their chips from hand to hand and change seats.

What a player looks at is a *observation*, OBSERVATION numbers: how strong its cards are, what the table shows, and what the other
has been doing (epfl2020). Chips are in parts of the chips a freezeout starts with. NODE is the node itself, for whoever plays
from tables; a float32 holds it exactly, up to 2^24 nodes.

A observation *with cards* has CARD_OBSERVATION numbers (pricope2021): also the bucket of the cards in a game's abstraction, the seat, the cards
themselves (own ones, flop, turn, river; -1 for those to come), and what the table showed when the player moved last.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from smoothcall.kernels import inlined, kernel
from smoothcall.kernels.holdem.buckets import VISIBLE, Cards
from smoothcall.kernels.holdem.dealing import compare
from smoothcall.kernels.holdem.drawing import card_set, draw_rest
from smoothcall.kernels.holdem.evaluator import Evaluator, add_cards, evaluate
from smoothcall.kernels.learners.memory import follow
from smoothcall.kernels.random import draw, draw_index
from smoothcall.kernels.simulation.batch import Hands
from smoothcall.kernels.simulation.observations import (
    AGGRESSION,
    BEFORE_CALL,
    BEFORE_POT,
    BEFORE_STREET,
    BUCKET,
    CARD,
    CARD_OBSERVATION,
    CARDS,
    EQUITY,
    LAST,
    LAST_SIZE,
    NEVER,
    NODE,
    OTHER_STACK,
    POT,
    RAISES,
    SEAT,
    STACK,
    STREET,
    TO_CALL,
    UNKNOWN,
)
from smoothcall.kernels.tables import CALL, Array, Walk

ELSE = 3  # the number of whoever one learner plays against: after its own three
DECK, STEPS = 52, 10  # cards with a bit of their own, and numbers that a win chance is shown as
SCALARS = (POT, TO_CALL, STACK, OTHER_STACK, LAST_SIZE, BEFORE_POT, BEFORE_CALL, SEAT)  # that are shown as they are
INPUTS = 3 * DECK + 4 + 5 + 4 + len(SCALARS) + 1 + 1 + STEPS
HANDS, RAISED_FIRST, RAISED_EVER, CALLED_EVER = range(4)  # what is counted of a player's habits


class Public(NamedTuple):
    """What the table shows at each node."""

    paid: Array  # [N, 2] int32: chips each seat has put in
    last: Array  # [N] int8: the last move of the seat that is not to move
    size: Array  # [N] int32: and the chips it put in with it


class FreezeoutTables(NamedTuple):
    """B freezeouts, in each of which one hand is being played. Players are 0 and 1, wherever they sit."""

    chips: Array  # [B, 2] int32: before the hand
    first: Array  # [B] int8: the player in seat 0
    policy: Array  # [B, 2] int8: who each player is; -1 where that is to be drawn before the first hand
    played: Array  # [B] int16: hands
    habits: Array  # [B, 2, 4] int32: counts of this freezeout


@kernel
def encode_observations(
    walk: Walk, public: Public, hands: Hands, freezeouts: FreezeoutTables, parts: float, start: float, seen: Array
) -> None:
    """seen[B, OBSERVATION or CARD_OBSERVATION] float32: what the seat to move looks at.

    `dealt` are its equities by street in units of 1 / parts; for observations with cards also its buckets by street, and its cards.
    """
    streets = (hands.dealt.shape[2] - CARDS) // 2
    for hand in range(len(seen)):
        if hands.over[hand]:
            continue
        node = hands.node[hand]
        seat, street = walk.player[node], walk.round[node]
        player = freezeouts.first[hand] ^ seat
        other, own, others = 1 - player, public.paid[node, seat], public.paid[node, 1 - seat]
        seen[hand, EQUITY] = hands.dealt[hand, seat, street] / parts
        seen[hand, POT] = (own + others) / start
        seen[hand, STREET] = street
        seen[hand, TO_CALL] = (others - own) / start
        seen[hand, STACK] = (freezeouts.chips[hand, player] - own) / start
        seen[hand, OTHER_STACK] = (freezeouts.chips[hand, other] - others) / start
        seen[hand, LAST] = public.last[node]
        seen[hand, LAST_SIZE] = public.size[node] / start
        habits = freezeouts.habits[hand, other]
        moves = habits[RAISED_EVER] + habits[CALLED_EVER]
        seen[hand, NODE] = node
        seen[hand, RAISES] = habits[RAISED_FIRST] / max(habits[HANDS], 1)
        seen[hand, AGGRESSION] = habits[RAISED_EVER] / moves if moves > 0 else UNKNOWN
        if seen.shape[1] == CARD_OBSERVATION:
            _see_more(hands, hand, seat, street, streets, seen[hand])


@inlined
def _see_more(hands: Hands, hand: int, seat: int, street: int, streets: int, seen: Array) -> None:
    seen[BUCKET], seen[SEAT] = hands.dealt[hand, seat, streets + street], seat
    visible, made = VISIBLE[street], hands.moves[hand, seat]
    for place in range(CARDS):
        seen[CARD + place] = hands.dealt[hand, seat, 2 * streets + place] if place < visible else -1
    seen[BEFORE_STREET], seen[BEFORE_POT], seen[BEFORE_CALL] = NEVER, 0, 0
    if made > 0:
        before = hands.seen[hand, seat, made - 1]
        seen[BEFORE_STREET], seen[BEFORE_POT], seen[BEFORE_CALL] = before[STREET], before[POT], before[TO_CALL]


@kernel
def settle(hands: Hands, freezeouts: FreezeoutTables, playing: Array, start: int, length: int, gain: Array) -> int:
    """Book the hands of freezeouts playing[B] that are over, and change seats; returns how many.

    gain[B] is what player 0 won of a freezeout that ended with them, NaN where it goes on.
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
def seat_players(hands: Hands, freezeouts: FreezeoutTables, root: Array, unit: int, first: Array) -> None:
    """Who sits where in the hands that are about to begin, and at which node first[B] each begins: the root[chips / unit] of
    the smaller stack, which is all that can be lost."""
    for hand in range(len(first)):
        if hands.over[hand]:
            for seat in range(2):
                hands.who[hand, seat] = freezeouts.policy[hand, freezeouts.first[hand] ^ seat]
            first[hand] = root[min(freezeouts.chips[hand, 0], freezeouts.chips[hand, 1]) // unit]


@kernel
def draw_opponents(freezeouts: FreezeoutTables, shares: Array, generator: Array) -> None:
    """Where player 1 is nobody yet, it becomes somebody with the chance shares[batch policies]."""
    for freezeout in range(len(freezeouts.played)):
        if freezeouts.policy[freezeout, 1] < 0:
            freezeouts.policy[freezeout, 1] = draw_index(shares, np.uint32(len(shares)), draw(generator))


@kernel
def encode_inputs(evaluator: Evaluator, metrics: bool, seen: Array, shown: Array) -> None:
    """seen[n, CARD_OBSERVATION] -> shown[n, INPUTS] float32: what pictures of the last two board states and scalars say, in few numbers.

    Bits of the own cards, of the board, and of the board as it was when the player moved last; the street, that street (or
    never) and the other's last move, each one of its kinds; SCALARS. With `metrics`, hand-made ones too: the strength of the
    made hand, the win chance, and the win chance as STEPS ramps that rise from 0 to 1 one after the other.
    """
    for number in range(len(seen)):
        here = seen[number]
        shown[number] = 0
        before, place = VISIBLE[max(int(here[BEFORE_STREET]), 0)], 0
        while place < CARDS and here[CARD + place] >= 0:
            card = int(here[CARD + place])
            shown[number, card if place < 2 else DECK + card] = 1
            if 2 <= place < before:
                shown[number, 2 * DECK + card] = 1
            place += 1
        at = 3 * DECK
        shown[number, at + int(here[STREET])] = 1
        shown[number, at + 5 + int(here[BEFORE_STREET])] = 1
        shown[number, at + 9 + int(here[LAST])] = 1
        at += 13
        for column in SCALARS:
            shown[number, at] = here[column]
            at += 1
        if metrics:
            if place >= 5:
                keys, mask = add_cards(evaluator, here, CARD, CARD + place)
                shown[number, at] = evaluate(evaluator, keys, mask) / evaluator.classes
            shown[number, at + 1] = here[EQUITY]
            for step in range(STEPS):
                shown[number, at + 2 + step] = min(max(here[EQUITY] * STEPS - step, 0.0), 1.0)


@kernel
def draw_policies(freezeouts: FreezeoutTables, learners: int, eta: float, rho: float, generator: Array) -> None:
    """Whom the players of freezeouts that are about to begin follow, numbered as `kernels.learners.memory.sit_down` numbers seats.

    Where there is one learner, player 1 is somebody ELSE.
    """
    for freezeout in range(len(freezeouts.played)):
        if freezeouts.policy[freezeout, 1] < 0:
            for player in range(learners):
                freezeouts.policy[freezeout, player] = follow(player, learners, eta, rho, generator)
            if learners == 1:
                freezeouts.policy[freezeout, 1] = ELSE


@kernel
def expect_winnings(cards: Cards, walk: Walk, hands: Hands, runouts: int, generator: Array, won: Array) -> None:
    """won[B, 2] float32: chips of the hands that are over; of a showdown with cards to come the mean over so many run-outs.

    The mean is what the hand was worth when the last chips went in, but for the run-outs being drawn: chips of one hand that
    luck moves to and fro are noise to whoever learns from them.
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
                street = max(street, int(hands.seen[hand, seat, hands.moves[hand, seat] - 1, STREET]))
        known = VISIBLE[street]
        if known == CARDS or walk.payoff[ending, 0, 0] == walk.payoff[ending, 1, 0]:
            continue  # all is dealt, or somebody folded
        for seat in range(2):
            for place in range(2):
                card[2 * seat + place] = hands.dealt[hand, seat, first + place]
        for place in range(2, known):
            card[2 + place] = hands.dealt[hand, 0, first + place]
        seen, total = card_set(card, 0, 2 + known), 0.0
        for _ in range(runouts):
            draw_rest(card, 2 + known, seen, size, generator)
            total += walk.payoff[ending, cards.outcome[compare(cards, card, strength)], 0]
        won[hand, 0], won[hand, 1] = total / runouts, -total / runouts

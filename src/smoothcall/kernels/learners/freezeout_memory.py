"""Transitions of whole freezeouts: after a player's last move in a hand comes its first move in a later hand (pricope2021).

The last move of a hand waits in `Waiting` until the player moves again or the freezeout is over. Its reward is what the player
won meanwhile, so that the rewards of a freezeout add up to the chips won in it.
"""

from __future__ import annotations

from typing import NamedTuple

from smoothcall.kernels import inlined, kernel
from smoothcall.kernels.learners.memory import Ring
from smoothcall.kernels.simulation.batch import Hands
from smoothcall.kernels.tables import Array


class Waiting(NamedTuple):
    """The latest move of each player of B freezeouts, whose successor is not known yet. Observations of W numbers."""

    observations: Array  # [B, 2, W]
    action: Array  # [B, 2] int8
    won: Array  # [B, 2] float32: chips won since the move
    there: Array  # [B, 2] bool: False before a player's first move


@kernel
def remember_freezeouts(hands: Hands, first: Array, memory: Array, waiting: Waiting, ring: Ring) -> None:
    """Add the moves of hands that are over to the ring memory[policy] of the policy that made them; -1: to none.

    first[B] is the player in seat 0. `ring.won` is the reward of the transition alone; `ring.moves_left` is 1 until
    `end_freezeouts`.
    """
    for hand in range(len(hands.over)):
        if not hands.over[hand]:
            continue
        for seat in range(2):
            own, player, moves = memory[hands.policy[hand, seat]], first[hand] ^ seat, hands.moves[hand, seat]
            if own < 0:
                continue
            observations, action = hands.observations[hand, seat], hands.action[hand, seat]
            if moves > 0:
                if waiting.there[hand, player]:
                    before = waiting.observations[hand, player]
                    _add(ring, own, before, waiting.action[hand, player], observations[0], 1, waiting.won[hand, player])
                for move in range(moves - 1):
                    _add(ring, own, observations[move], action[move], observations[move + 1], 1, 0.0)
                for part in range(observations.shape[1]):
                    waiting.observations[hand, player, part] = observations[moves - 1, part]
                waiting.action[hand, player] = action[moves - 1]
                waiting.won[hand, player] = 0
                waiting.there[hand, player] = True
            waiting.won[hand, player] += hands.won[hand, seat]


@kernel
def end_freezeouts(over: Array, waiting: Waiting, ring: Ring) -> None:
    """Add the last moves of the freezeouts over[B] to the ring of each player, with `moves_left` 0."""
    for freezeout in range(len(over)):
        if over[freezeout]:
            for player in range(2):
                if waiting.there[freezeout, player]:
                    last = waiting.observations[freezeout, player]
                    _add(ring, player, last, waiting.action[freezeout, player], last, 0, waiting.won[freezeout, player])
                waiting.there[freezeout, player] = False
                waiting.won[freezeout, player] = 0


@inlined
def _add(ring: Ring, own: int, here: Array, action: int, after: Array, moves_left: int, won: float) -> None:
    place = ring.total[own] % ring.observations.shape[1]
    for part in range(ring.observations.shape[2]):
        ring.observations[own, place, part] = here[part]
        ring.next_observations[own, place, part] = after[part]
    ring.action[own, place] = action
    ring.moves_left[own, place] = moves_left
    ring.won[own, place] = won
    ring.total[own] += 1

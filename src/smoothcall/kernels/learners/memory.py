"""Memories of learners: the latest transitions (circular), and a uniform sample of all moves (reservoir).

M memories of each kind with C places each. Adding and sampling take constant time.
"""

from __future__ import annotations

from typing import NamedTuple

from smoothcall.kernels import inlined, kernel
from smoothcall.kernels.random import draw
from smoothcall.kernels.simulation.batch import Hands
from smoothcall.kernels.tables import Array


class Ring(NamedTuple):
    """Circular memories: the latest C transitions."""

    observations: Array  # [M, C, W]
    action: Array  # [M, C] int8
    next_observations: Array  # [M, C, W]: at the seat's next move; undefined after its last move
    moves_left: Array  # [M, C] int8: the seat's later moves in the hand, 0 at the last one
    won: Array  # [M, C] float32: chips won in the whole hand
    total: Array  # [M] int64: transitions ever added


class MoveLog(NamedTuple):
    """Moves in the order in which they were added; N places in each of M memories."""

    observations: Array  # [M, N, W]
    action: Array  # [M, N] int8
    number: Array  # [M, N] float64 in [0, 1): chooses the place in a full reservoir; -1 where none was drawn
    total: Array  # [M] int64: moves in the log


class Reservoir(NamedTuple):
    """A uniform sample of C of all moves ever added (Vitter 1985)."""

    observations: Array  # [M, C, W]
    action: Array  # [M, C] int8
    total: Array  # [M] int64: moves ever added


@kernel
def remember(hands: Hands, memory: Array, ring: Ring) -> None:
    """Add every move of the hands that are over to the ring memory[policy] of the policy that made it; -1: to none."""
    size = ring.observations.shape[1]
    for hand in range(len(hands.over)):
        if not hands.over[hand]:
            continue
        for seat in range(hands.policy.shape[1]):
            own = memory[hands.policy[hand, seat]]
            if own < 0:
                continue
            moves = hands.moves[hand, seat]
            for move in range(moves):
                place = ring.total[own] % size
                after = min(move + 1, moves - 1)
                for part in range(ring.observations.shape[2]):
                    ring.observations[own, place, part] = hands.observations[hand, seat, move, part]
                    ring.next_observations[own, place, part] = hands.observations[hand, seat, after, part]
                ring.action[own, place] = hands.action[hand, seat, move]
                ring.moves_left[own, place] = moves - 1 - move
                ring.won[own, place] = hands.won[hand, seat]
                ring.total[own] += 1


@kernel
def keep(hands: Hands, memory: Array, reservoir: Reservoir, generator: Array) -> None:
    """Add every move of the hands that are over to the reservoir memory[policy] of the policy that made it; -1: to none.

    A move enters a full reservoir with probability C / total, in the place of a random other one.
    """
    size = reservoir.observations.shape[1]
    for hand in range(len(hands.over)):
        if not hands.over[hand]:
            continue
        for seat in range(hands.policy.shape[1]):
            own = memory[hands.policy[hand, seat]]
            if own >= 0:
                for move in range(hands.moves[hand, seat]):
                    number = draw(generator) if reservoir.total[own] >= size else 0.0
                    _keep_one(reservoir, own, hands.observations[hand, seat, move], hands.action[hand, seat, move], number)


@kernel
def log_moves(hands: Hands, memory: Array, log: MoveLog, size: int, total: Array, generator: Array) -> None:
    """Log the moves that `keep` would add, with the numbers it would draw: reservoirs of `size` moves had total[M] so far."""
    for hand in range(len(hands.over)):
        if not hands.over[hand]:
            continue
        for seat in range(hands.policy.shape[1]):
            own = memory[hands.policy[hand, seat]]
            if own < 0:
                continue
            for move in range(hands.moves[hand, seat]):
                place = log.total[own]
                for part in range(log.observations.shape[2]):
                    log.observations[own, place, part] = hands.observations[hand, seat, move, part]
                log.action[own, place] = hands.action[hand, seat, move]
                log.number[own, place] = draw(generator) if total[own] >= size else -1.0
                log.total[own] += 1
                total[own] += 1


@kernel
def keep_logged(observations: Array, action: Array, number: Array, own: int, reservoir: Reservoir, generator: Array) -> None:
    """Add logged moves observations[n, W], action[n], number[n] to reservoir `own`; draw the numbers that the log lacks."""
    size = reservoir.observations.shape[1]
    for move in range(len(action)):
        chosen = number[move]
        if chosen < 0 and reservoir.total[own] >= size:
            chosen = draw(generator)
        _keep_one(reservoir, own, observations[move], action[move], chosen)


@inlined
def _keep_one(reservoir: Reservoir, own: int, observation: Array, action: int, number: float) -> None:
    """Add a move: in a full reservoir to the place that a number in [0, 1) chooses, or nowhere."""
    before, size = reservoir.total[own], reservoir.observations.shape[1]
    place = before if before < size else int(number * (before + 1))
    if place < size:
        for part in range(len(observation)):
            reservoir.observations[own, place, part] = observation[part]
        reservoir.action[own, place] = action
    reservoir.total[own] += 1


@kernel
def draw_places(first: Array, count: Array, size: int, generator: Array, place: Array) -> None:
    """Fill place[updates, M, batch] with numbers of places: in each memory uniformly from the count[M] places after first[M].

    Places are numbered through all memories, `size` in each.
    """
    for update in range(place.shape[0]):
        for own in range(place.shape[1]):
            for sample in range(place.shape[2]):
                place[update, own, sample] = own * size + (first[own] + int(draw(generator) * count[own])) % size

"""What learners remember: the latest transitions, and a uniform sample of all moves. Putting in and drawing cost the same
however much they hold. M memories of each kind, C places in each.
"""

from __future__ import annotations

from typing import NamedTuple

from smoothcall.kernels import inlined, kernel
from smoothcall.kernels.random import draw
from smoothcall.kernels.simulation.batch import Hands
from smoothcall.kernels.tables import Array


class Ring(NamedTuple):
    """The latest C moves, with what came of them: circular memories."""

    seen: Array  # [M, C, W] what was observed
    action: Array  # [M, C] int8
    after: Array  # [M, C, W] what the same seat observed at its next move; anything where there was none
    left: Array  # [M, C] int8: its later moves in the hand, 0 at the last one
    won: Array  # [M, C] float32: chips of the whole hand
    total: Array  # [M] int64: how many were ever put in


class Reservoir(NamedTuple):
    """A uniform sample of C of all moves that were ever put in (Vitter 1985)."""

    seen: Array  # [M, C, W]
    action: Array  # [M, C] int8
    total: Array  # [M] int64


@kernel
def sit_down(hands: Hands, eta: float, rho: float, generator: Array) -> None:
    """Who plays in hands that are about to begin: see `follow`."""
    seats = hands.who.shape[1]
    for hand in range(len(hands.over)):
        if hands.over[hand]:
            for seat in range(seats):
                hands.who[hand, seat] = follow(seat, seats, eta, rho, generator)


@inlined
def follow(player: int, players: int, eta: float, rho: float, generator: Array) -> int:
    """Whom a player follows: 2 * player, its average policy; with the chance eta another of its own, which is 2 * player + 1,
    its best response, with the chance rho, else 2 * players + player, who follows the gradient.
    """
    if draw(generator) >= eta:
        return 2 * player
    return 2 * player + 1 if rho >= 1 or draw(generator) < rho else 2 * players + player


@kernel
def remember(hands: Hands, memory: Array, ring: Ring) -> None:
    """Put every move of the hands that are over into the ring memory[who] of whoever made it, -1: into none."""
    size = ring.seen.shape[1]
    for hand in range(len(hands.over)):
        if not hands.over[hand]:
            continue
        for seat in range(hands.who.shape[1]):
            own = memory[hands.who[hand, seat]]
            if own < 0:
                continue
            moves = hands.moves[hand, seat]
            for move in range(moves):
                place = ring.total[own] % size
                after = min(move + 1, moves - 1)
                for part in range(ring.seen.shape[2]):
                    ring.seen[own, place, part] = hands.seen[hand, seat, move, part]
                    ring.after[own, place, part] = hands.seen[hand, seat, after, part]
                ring.action[own, place] = hands.action[hand, seat, move]
                ring.left[own, place] = moves - 1 - move
                ring.won[own, place] = hands.won[hand, seat]
                ring.total[own] += 1


@kernel
def keep(hands: Hands, memory: Array, reservoir: Reservoir, generator: Array) -> None:
    """The same for the reservoirs: into a full one with the chance that keeps it a uniform sample, in any other's place."""
    for hand in range(len(hands.over)):
        if not hands.over[hand]:
            continue
        for seat in range(hands.who.shape[1]):
            own = memory[hands.who[hand, seat]]
            if own >= 0:
                for move in range(hands.moves[hand, seat]):
                    _keep_one(reservoir, own, hands.seen[hand, seat, move], hands.action[hand, seat, move], generator)


@inlined
def _keep_one(reservoir: Reservoir, own: int, seen: Array, action: int, generator: Array) -> None:
    before, size = reservoir.total[own], reservoir.seen.shape[1]
    place = before if before < size else int(draw(generator) * (before + 1))
    if place < size:
        for part in range(len(seen)):
            reservoir.seen[own, place, part] = seen[part]
        reservoir.action[own, place] = action
    reservoir.total[own] += 1


@kernel
def draw_moves(reservoir: Reservoir, generator: Array, seen: Array, action: Array) -> None:
    """Fill seen[updates, M, batch, W] and action[updates, M, batch] with moves, each as likely as any."""
    for update in range(action.shape[0]):
        for own in range(action.shape[1]):
            known = min(reservoir.total[own], reservoir.seen.shape[1])
            for sample in range(action.shape[2]):
                place = int(draw(generator) * known)
                for part in range(seen.shape[3]):
                    seen[update, own, sample, part] = reservoir.seen[own, place, part]
                action[update, own, sample] = reservoir.action[own, place]


@kernel
def draw_transitions(ring: Ring, generator: Array, seen: Array, action: Array, after: Array, left: Array, won: Array) -> None:
    """The same for transitions."""
    for update in range(action.shape[0]):
        for own in range(action.shape[1]):
            known = min(ring.total[own], ring.seen.shape[1])
            for sample in range(action.shape[2]):
                place = int(draw(generator) * known)
                for part in range(seen.shape[3]):
                    seen[update, own, sample, part] = ring.seen[own, place, part]
                    after[update, own, sample, part] = ring.after[own, place, part]
                action[update, own, sample] = ring.action[own, place]
                left[update, own, sample] = ring.left[own, place]
                won[update, own, sample] = ring.won[own, place]

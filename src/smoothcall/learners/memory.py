"""Memories as learners hold them: tables for `kernels.learners.memory`, and batches drawn from them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from smoothcall.kernels.learners import memory as kernels
from smoothcall.kernels.tables import Array
from smoothcall.memory import verify_memory

AVERAGE, BEST, GRADIENT = range(3)  # what a player may follow in a hand: average policy, best response, gradient


def seated(players: int) -> tuple[Array, Array]:
    """(player[who], mode[who]) int8 of everybody whom `kernels.sit_down` may give a seat."""
    number = np.arange(players, dtype=np.int8)
    mode = np.array([AVERAGE, BEST] * players + [GRADIENT] * players, np.int8)
    return np.concatenate([np.repeat(number, 2), number]), mode


class Transitions(NamedTuple):
    """[updates, memories, batch] moves and what came of them; observations have one axis more."""

    seen: Array
    action: Array
    after: Array
    left: Array
    won: Array


class Moves(NamedTuple):
    """[updates, memories, batch] moves."""

    seen: Array
    action: Array


def new_ring(memories: int, size: int, width: int, kind: type[np.generic]) -> kernels.Ring:
    """Circular memories of `size` moves with observations of `width` numbers of a `kind`."""
    verify_memory(memories * size * (2 * width * np.dtype(kind).itemsize + 6), f"{memories} memories of {size:,} transitions")
    seen, after = (np.zeros((memories, size, width), kind) for _ in range(2))
    action, left = (np.zeros((memories, size), np.int8) for _ in range(2))
    return kernels.Ring(seen, action, after, left, np.zeros((memories, size), np.float32), np.zeros(memories, np.int64))


def new_reservoir(memories: int, size: int, width: int, kind: type[np.generic]) -> kernels.Reservoir:
    """Reservoirs of `size` moves."""
    verify_memory(memories * size * (width * np.dtype(kind).itemsize + 1), f"{memories} reservoirs of {size:,} moves")
    return kernels.Reservoir(
        np.zeros((memories, size, width), kind), np.zeros((memories, size), np.int8), np.zeros(memories, np.int64)
    )


def draw_transitions(ring: kernels.Ring, updates: int, batch: int, generator: Array) -> Transitions:
    """Batches of transitions, each as likely as any that the memory holds."""
    shape = (updates, len(ring.total), batch)
    seen, after = (np.empty((*shape, ring.seen.shape[2]), ring.seen.dtype) for _ in range(2))
    action, left = np.empty(shape, np.int32), np.empty(shape, np.int32)
    won = np.empty(shape, np.float32)
    kernels.draw_transitions(ring, generator, seen, action, after, left, won)
    return Transitions(seen, action, after, left, won)


def draw_moves(reservoir: kernels.Reservoir, updates: int, batch: int, generator: Array) -> Moves:
    """Batches of moves."""
    shape = (updates, len(reservoir.total), batch)
    seen, action = np.empty((*shape, reservoir.seen.shape[2]), reservoir.seen.dtype), np.empty(shape, np.int32)
    kernels.draw_moves(reservoir, generator, seen, action)
    return Moves(seen, action)

"""Memories of learners: arrays for `kernels.learners.memory`, and batches sampled from them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from smoothcall.kernels.learners import memory as kernels
from smoothcall.kernels.tables import Array
from smoothcall.memory import verify_memory

MIN_RECENT = 10_000  # transitions of a memory that updates sample from, at least
AVERAGE, BEST, GRADIENT = range(3)  # modes of a player in NFSP: average policy, best response, gradient policy


def policy_modes(players: int) -> tuple[Array, Array]:
    """Return (player, mode) int8 of each policy index of `kernels.learners.nfsp`."""
    number = np.arange(players, dtype=np.int8)
    mode = np.array([AVERAGE, BEST] * players + [GRADIENT] * players, np.int8)
    return np.concatenate([np.repeat(number, 2), number]), mode


class Transitions(NamedTuple):
    """[updates, memories, batch] transitions; observations have one more axis. Fields as in `kernels.learners.memory.Ring`."""

    observations: Array
    action: Array
    next_observations: Array
    moves_left: Array
    won: Array


class Moves(NamedTuple):
    """[updates, memories, batch] moves; observations have one more axis."""

    observations: Array
    action: Array


def new_ring(memories: int, size: int, width: int, dtype: type[np.generic]) -> kernels.Ring:
    """Return empty circular memories of `size` transitions with observations of `width` numbers."""
    verify_memory(memories * size * (2 * width * np.dtype(dtype).itemsize + 6), f"{memories} memories of {size:,} transitions")
    observations, next_observations = (np.zeros((memories, size, width), dtype) for _ in range(2))
    action, moves_left = (np.zeros((memories, size), np.int8) for _ in range(2))
    won, total = np.zeros((memories, size), np.float32), np.zeros(memories, np.int64)
    return kernels.Ring(observations, action, next_observations, moves_left, won, total)


def new_reservoir(memories: int, size: int, width: int, dtype: type[np.generic]) -> kernels.Reservoir:
    """Return empty reservoirs of `size` moves with observations of `width` numbers."""
    verify_memory(memories * size * (width * np.dtype(dtype).itemsize + 1), f"{memories} reservoirs of {size:,} moves")
    return kernels.Reservoir(
        np.zeros((memories, size, width), dtype), np.zeros((memories, size), np.int8), np.zeros(memories, np.int64)
    )


def draw_transitions(ring: kernels.Ring, updates: int, batch: int, generator: Array, recent: float = 1.0) -> Transitions:
    """Sample batches of transitions uniformly, with replacement.

    recent: the share of all transitions ever added that they are sampled from, the newest ones; at least MIN_RECENT of them.
    """
    size = ring.observations.shape[1]
    known = np.minimum(ring.total, size)
    count = np.minimum(known, np.maximum(MIN_RECENT, recent * ring.total).astype(np.int64))
    first = np.where(count < known, (ring.total - count) % size, 0)
    place = _draw(first, count, size, updates, batch, generator)
    return Transitions(
        _taken(ring.observations, place),
        ring.action.take(place).astype(np.int32),
        _taken(ring.next_observations, place),
        ring.moves_left.take(place).astype(np.int32),
        ring.won.take(place),
    )


def draw_moves(reservoir: kernels.Reservoir, updates: int, batch: int, generator: Array) -> Moves:
    """Sample batches of moves uniformly, with replacement."""
    size = reservoir.observations.shape[1]
    known = np.minimum(reservoir.total, size)
    place = _draw(np.zeros_like(known), known, size, updates, batch, generator)
    return Moves(_taken(reservoir.observations, place), reservoir.action.take(place).astype(np.int32))


def _draw(first: Array, count: Array, size: int, updates: int, batch: int, generator: Array) -> Array:
    """Return random places [updates, M, batch], numbered through all memories: in memory m, of the count[m] after first[m]."""
    place = np.empty((updates, len(first), batch), np.int64)
    kernels.draw_places(first, count, size, generator, place)
    return place


def _taken(observations: Array, place: Array) -> Array:
    """Return the observations [updates, M, batch, W] at these places."""
    taken: Array = observations.reshape(-1, observations.shape[2]).take(place, axis=0)
    return taken

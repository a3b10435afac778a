"""Random numbers for kernels: xoshiro256++ (Blackman and Vigna 2019), and what is drawn with them.

The state of a generator is four integers in an array, so that a run resumes bit-exactly. Each thread has its own state.
"""

from __future__ import annotations

import numpy as np

from smoothcall.kernels import inlined, kernel
from smoothcall.kernels.tables import Array, Integer, Walk

_ROTATE_SUM, _ROTATE_STATE, _SHIFT = np.uint64(23), np.uint64(45), np.uint64(17)
_BITS, _TOP = np.uint64(64), np.uint64(11)
_HALF, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)
_STEP = 1.0 / (1 << 53)


def seeded(seed: int, streams: int = 1) -> Array:
    """Return [streams, 4] uint64, independent generator states for one seed."""
    sequences = np.random.SeedSequence(seed).spawn(streams)
    return np.array([sequence.generate_state(4, np.uint64) for sequence in sequences])


@inlined
def draw_bits(state: Array) -> Integer:
    """Return 64 random bits and advance state[4]."""
    total = state[0] + state[3]
    result = ((total << _ROTATE_SUM) | (total >> (_BITS - _ROTATE_SUM))) + state[0]
    shifted = state[1] << _SHIFT
    state[2] ^= state[0]
    state[3] ^= state[1]
    state[1] ^= state[2]
    state[0] ^= state[3]
    state[2] ^= shifted
    state[3] = (state[3] << _ROTATE_STATE) | (state[3] >> (_BITS - _ROTATE_STATE))
    return result


@inlined
def below(bits: Integer, count: Integer) -> Integer:
    """Return a number below `count` (at most 2^32) from the low 32 of some random bits."""
    return ((bits & _LOW) * np.uint64(count)) >> _HALF


@kernel
def draw(state: Array) -> float:
    """Return a number in [0, 1) with 53 random bits."""
    return float(draw_bits(state) >> _TOP) * _STEP


@kernel
def draw_index(weights: Array, count: Integer, number: float) -> int:
    """Return the index of weights[:count] that a number in [0, their sum) falls on; never one of weight 0.

    At least one weight must be positive. Rounding may bring the number to the sum: then it is the last positive one.
    """
    chosen = np.int64(0)
    for index in range(count):
        if weights[index] > 0:
            chosen = np.int64(index)
            number -= weights[index]
            if number < 0:
                break
    return int(chosen)


@kernel
def draw_deal(walk: Walk, state: Array) -> int:
    """Return a listed deal, drawn by its weight from the alias table.

    One random number serves for the place in the table (its whole part) and for the choice there (its fraction).
    """
    place = draw(state) * len(walk.accept)
    deal = int(place)
    return deal if place - deal < walk.accept[deal] else int(walk.alias[deal])

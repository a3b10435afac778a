"""The generator against its published algorithm, and the draws against their laws."""

from __future__ import annotations

import numpy as np
import pytest

from smoothcall.kernels.random import draw, draw_deal, draw_index, seeded
from tests.conftest import INTERPRETED, built

MASK = (1 << 64) - 1


def _rotate(value: int, by: int) -> int:
    return ((value << by) | (value >> (64 - by))) & MASK


def _reference(state: list[int]) -> int:
    """xoshiro256++ in plain integers, from the paper."""
    result = (_rotate((state[0] + state[3]) & MASK, 23) + state[0]) & MASK
    shifted = (state[1] << 17) & MASK
    state[2] ^= state[0]
    state[3] ^= state[1]
    state[1] ^= state[2]
    state[0] ^= state[3]
    state[2] ^= shifted
    state[3] = _rotate(state[3], 45)
    return result


@pytest.mark.interpreted
def test_draw_is_xoshiro256_plus_plus() -> None:
    ours = np.array([1, 2, 3, 4], np.uint64)
    reference = [1, 2, 3, 4]
    for _ in range(200):
        assert draw(ours) == (_reference(reference) >> 11) * 2.0**-53
    assert [int(word) for word in ours] == reference


def test_streams_differ() -> None:
    assert len({tuple(state) for state in seeded(7, 50)} | {tuple(seeded(8)[0])}) == 51


def test_deals_come_with_their_weights() -> None:
    game, state = built("leduc"), seeded(1)[0]
    count = 2_000 if INTERPRETED else 400_000
    sampled = np.bincount([draw_deal(game.walk, state) for _ in range(count)], minlength=game.deals.count)
    expected = game.deals.weight * count
    assert ((sampled - expected) ** 2 / expected).sum() < 60  # chi-square, 23 degrees of freedom: 1 in 30,000


@pytest.mark.interpreted
def test_an_index_of_weight_zero_is_never_drawn() -> None:
    policy, five, four = np.array([0.0, 0.25, 0.0, 0.75, 0.0, 9.0]), np.uint32(5), np.uint32(4)
    assert [draw_index(policy, five, number) for number in (0.0, 0.2499, 0.25, 0.9999999999999999, 1.0)] == [1, 1, 3, 3, 3]
    assert [draw_index(np.array([0, 5, 0, 250], np.uint8), four, number) for number in (0.0, 4.9, 5.0, 254.9)] == [1, 1, 3, 3]
    assert draw_index(np.array([1.0, 0.0, 0.0]), np.uint32(3), 1.0) == 0

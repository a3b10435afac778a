"""The nearest probabilities to any numbers, against trying every set of actions that may have a chance."""

from __future__ import annotations

from itertools import product

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import enable_x64

import smoothcall.solvers  # noqa: F401 - modules of smoothcall.learners cannot be imported before it
from smoothcall.learners.simplex import nearest

COUNT = 10_000


def tried(point: np.ndarray, legal: np.ndarray) -> np.ndarray:
    """Of the nearest points on every face (as many actions, all moved by the same amount), the nearest that has no chance
    below zero."""
    best, least = np.zeros_like(point), np.full(len(point), np.inf)
    for chosen in map(np.array, product((False, True), repeat=point.shape[1])):
        if chosen.any():
            face = np.where(chosen, point + (1 - point[:, chosen].sum(axis=1, keepdims=True)) / chosen.sum(), 0)
            away = np.where(legal, (face - point) ** 2, 0).sum(axis=1)
            away[(face < 0).any(axis=1) | (chosen & ~legal).any(axis=1)] = np.inf
            best[away < least] = face[away < least]
            least = np.minimum(away, least)
    assert np.isfinite(least).all()
    return best


@pytest.mark.parametrize("actions", range(2, 7))
def test_nearest_of_all_faces(actions: int) -> None:
    random = np.random.default_rng(actions)
    count = COUNT // 5
    point = random.normal(size=(count, actions)) * random.choice([0.1, 1.0, 10.0], size=(count, 1))
    legal = random.random((count, actions)) < 0.7
    legal[np.arange(count), random.integers(actions, size=count)] = True
    with enable_x64():
        found = np.asarray(jax.jit(nearest)(jnp.asarray(point), jnp.asarray(legal)))
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, tried(point, legal), rtol=0, atol=1e-9)
    assert (found[~legal] == 0).all()
    assert len({*(found > 0).sum(axis=1)}) == actions, "supports of every size were met"


@pytest.mark.parametrize(
    ("point", "legal", "wanted"),
    [
        ([0.2, 0.5, 0.3], [1, 1, 1], [0.2, 0.5, 0.3]),  # there already
        ([0.2, 0.5, 0.3], [1, 0, 1], [0.45, 0, 0.55]),
        ([0.0, 1.0, 0.0], [1, 1, 1], [0, 1, 0]),
        ([-7.0, 3.0, 5.0], [1, 0, 0], [1, 0, 0]),  # one legal action
        ([4.0, 4.0, 4.0], [1, 1, 1], [1 / 3, 1 / 3, 1 / 3]),
        ([1e30, 1e30, -1e30], [1, 1, 1], [0.5, 0.5, 0]),
        ([1e30, 9e29, 1e38], [1, 1, 0], [1, 0, 0]),
        ([-1e30, -1e30, 0.0], [1, 1, 0], [0.5, 0.5, 0]),
        ([0.5, 0.8, -0.4], [1, 1, 1], [0.35, 0.65, 0]),
        ([0.0, 0.6, 1.6], [1, 1, 1], [0, 0, 1]),  # just not
    ],
)
def test_by_hand(point: list[float], legal: list[int], wanted: list[float]) -> None:
    found = np.asarray(jax.jit(nearest)(jnp.array([point]), jnp.array([legal], bool)))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, [wanted], atol=1e-6)

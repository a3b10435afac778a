"""Convolutional networks: JAX and NumPy agree; layers as arrays."""

from __future__ import annotations

import numpy as np
import pytest

from smoothcall.agents.convolutions import forward, from_arrays
from smoothcall.agents.layers import shapes, to_arrays
from smoothcall.errors import UsageError
from smoothcall.kernels.agents.images import PLANES, SIDE

jax, eqx = pytest.importorskip("jax"), pytest.importorskip("equinox")
from smoothcall.learners.convolutions import Convolutions, ImageSizes  # noqa: E402
from smoothcall.learners.networks import layers_of  # noqa: E402

OUTPUTS = 5


def test_jax_and_numpy_agree() -> None:
    sampled = np.random.default_rng(1)
    empty = eqx.filter_eval_shape(Convolutions, ImageSizes(OUTPUTS), jax.random.key(0))  # to draw weights takes seconds
    network = jax.tree.map(lambda leaf: sampled.normal(0, 0.1, leaf.shape).astype(np.float32), empty)
    images = sampled.normal(size=(300, PLANES, SIDE, SIDE)).astype(np.float32)
    outputs = np.asarray(jax.jit(jax.vmap(network))(images))
    np.testing.assert_allclose(forward(layers_of(network), images), outputs, atol=1e-5)
    assert outputs.std() > 0.01
    assert shapes(layers_of(network)) == [
        [16, 9, 3, 3], [16, 16, 3, 3], [32, 16, 3, 3], [32, 32, 3, 3], [128, 512], [5, 128]
    ]  # fmt: skip


def test_a_convolution_by_hand() -> None:
    """Every layer is the identity, but for a shift to the right in the first; pooling keeps maxima."""
    still, right = np.zeros((2, 1, 1, 3, 3), np.float32)
    still[0, 0, 1, 1] = right[0, 0, 1, 0] = 1
    none = np.zeros(1, np.float32)
    last = np.arange(16, dtype=np.float32)[None]
    layers = [(right, none), (still, none), (still, none), (still, none), (last, none), (np.ones((1, 1), np.float32), none)]
    image = np.zeros((1, 1, SIDE, SIDE), np.float32)
    image[0, 0, 5, 10], image[0, 0, 6, 11], image[0, 0, 16, 0] = 1, 3, 9  # then in block (1, 2), (1, 3); cut off
    assert forward(layers, image).tolist() == [[1 * 6 + 3 * 7]]


def test_layers_that_do_not_fit_are_refused() -> None:
    sizes = [(2, 8, 3, 3), (3, 2, 3, 3), (4, 3, 3, 3), (5, 4, 3, 3), (7, 80), (OUTPUTS, 7)]
    layers = [(np.zeros(each, np.float32), np.zeros(each[0], np.float32)) for each in sizes]
    for wrong in (layers, [(np.zeros((2, 9, 3, 3), np.float32), np.zeros(3, np.float32)), *layers[1:]]):
        with pytest.raises(ValueError, match="of a convolution of 9 planes"):
            forward(wrong, np.zeros((1, PLANES, SIDE, SIDE), np.float32))


def test_as_arrays_and_back() -> None:
    sampled = np.random.default_rng(2)
    sizes = [(2, 9, 3, 3), (3, 2, 3, 3), (4, 3, 3, 3), (5, 4, 3, 3), (7, 80), (OUTPUTS, 7)]
    layers = [(sampled.normal(size=each).astype(np.float32), sampled.normal(size=each[0]).astype(np.float32)) for each in sizes]
    for one, two in zip(layers, from_arrays(to_arrays(layers), OUTPUTS), strict=True):
        np.testing.assert_array_equal(one[0], two[0])
        np.testing.assert_array_equal(one[1], two[1])
    with pytest.raises(UsageError, match="from 9 planes to 6 numbers"):
        from_arrays(to_arrays(layers), OUTPUTS + 1)
    with pytest.raises(UsageError, match="convolutions"):
        from_arrays(to_arrays([*layers[:2], layers[3], layers[2], *layers[4:]]), OUTPUTS)

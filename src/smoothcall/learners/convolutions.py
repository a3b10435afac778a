"""Convolutional networks in JAX, to be learned. `agents.convolutions` has their architecture, and evaluates them without
JAX.
"""

from __future__ import annotations

from typing import NamedTuple

import equinox as eqx
import jax

from smoothcall.agents.convolutions import CONVOLUTIONS, FLAT_SIDE, KERNEL, POOLED, pooled
from smoothcall.kernels.agents.images import PLANES
from smoothcall.learners.networks import Arrays

CHANNELS, DENSE = (16, 16, 32, 32), 128


class ImageSizes(NamedTuple):
    outputs: int
    planes: int = PLANES
    channels: tuple[int, ...] = CHANNELS
    dense: int = DENSE


class Convolutions(eqx.Module):
    """Convolutions, poolings and dense layers as `agents.convolutions` describes."""

    layers: tuple[eqx.nn.Conv2d | eqx.nn.Linear, ...]

    def __init__(self, sizes: ImageSizes, key: Arrays) -> None:
        keys = jax.random.split(key, len(sizes.channels) + 2)
        widths = [sizes.planes, *sizes.channels]
        convolutions = [
            eqx.nn.Conv2d(one, two, KERNEL, padding=1, key=own) for one, two, own in zip(widths, widths[1:], keys, strict=False)
        ]
        flat = sizes.channels[-1] * FLAT_SIDE**2
        hidden = eqx.nn.Linear(flat, sizes.dense, key=keys[-2])
        last = eqx.nn.Linear(sizes.dense, sizes.outputs, key=keys[-1])
        self.layers = (*convolutions, hidden, last)

    def __call__(self, image: Arrays) -> Arrays:
        """image[planes, side, side] -> [outputs]."""
        for number, layer in enumerate(self.layers[:CONVOLUTIONS]):
            assert isinstance(layer, eqx.nn.Conv2d)
            image = jax.nn.relu(_convolved(layer, image))
            image = pooled(image, axis=1) if number in POOLED else image
        hidden, last = self.layers[CONVOLUTIONS:]
        return last(jax.nn.relu(hidden(image.reshape(-1))))


def _convolved(layer: eqx.nn.Conv2d, image: Arrays) -> Arrays:
    """Return the convolution of image[planes, rows, columns]."""
    assert layer.bias is not None
    return jax.lax.conv(image[None], layer.weight, (1, 1), "SAME")[0] + layer.bias

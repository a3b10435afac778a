"""Networks that look at pictures, as they learn; `agents.convolutions` plays them without JAX."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from smoothcall.agents.convolutions import KERNEL, POOLED
from smoothcall.kernels.agents.images import PLANES, SIDE
from smoothcall.learners.networks import Arrays

CHANNELS, DENSE = (16, 16, 32, 32), 128


class Convolutions(eqx.Module):
    """Four convolutions of 3 x 3, two poolings of 2 x 2 and a hidden layer, of rectified linear units; the last is linear."""

    layers: tuple[eqx.nn.Conv2d, ...]
    dense: tuple[eqx.nn.Linear, eqx.nn.Linear]

    def __init__(
        self, outputs: int, key: Arrays, *, planes: int = PLANES, channels: Sequence[int] = CHANNELS, dense: int = DENSE
    ) -> None:
        keys = jax.random.split(key, len(channels) + 2)
        widths = [planes, *channels]
        self.layers = tuple(
            eqx.nn.Conv2d(one, two, KERNEL, padding=1, key=own) for one, two, own in zip(widths, widths[1:], keys, strict=False)
        )
        flat = channels[-1] * (SIDE // 2 ** len(POOLED)) ** 2
        self.dense = (eqx.nn.Linear(flat, dense, key=keys[-2]), eqx.nn.Linear(dense, outputs, key=keys[-1]))

    def __call__(self, picture: Arrays) -> Arrays:
        """picture[planes, side, side] -> [outputs]."""
        for number, layer in enumerate(self.layers):
            picture = jax.nn.relu(_convolved(layer, picture))
            picture = _pooled(picture) if number in POOLED else picture
        hidden, last = self.dense
        return last(jax.nn.relu(hidden(picture.reshape(-1))))


def _convolved(layer: eqx.nn.Conv2d, picture: Arrays) -> Arrays:
    """What the layer makes of a picture, as one product of matrices: XLA's convolutions are very slow for several networks at
    once, each with its own weights."""
    planes, rows, columns = picture.shape
    wide, out = jnp.pad(picture, ((0, 0), (1, 1), (1, 1))), layer.weight.shape[0]
    around = [wide[:, row : row + rows, column : column + columns] for row in range(KERNEL) for column in range(KERNEL)]
    flat = jnp.stack(around, axis=1).reshape(planes * KERNEL * KERNEL, rows * columns)
    assert layer.bias is not None
    return (layer.weight.reshape(out, -1) @ flat).reshape(out, rows, columns) + layer.bias


def _pooled(picture: Arrays) -> Arrays:
    """The greatest of every 2 x 2; an odd last row or column is left out."""
    planes, rows, columns = picture.shape
    even = picture[:, : rows // 2 * 2, : columns // 2 * 2].reshape(planes, rows // 2, 2, columns // 2, 2)
    return jnp.max(even, axis=(2, 4))


def layers_of(network: Convolutions) -> list[tuple[Any, Any]]:
    """(weights, bias) of each layer, as `agents.convolutions.forward` takes them."""
    every: list[Any] = [*network.layers, *network.dense]
    return [(np.asarray(layer.weight), np.ravel(layer.bias)) for layer in every]

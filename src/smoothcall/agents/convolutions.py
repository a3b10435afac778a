"""Convolutional networks on images: their architecture, and their evaluation with NumPy. They learn in `learners.convolutions`.

Four convolutions of 3 x 3 with rectified linear units keep the size of an image; max-pooling of 2 x 2 follows the second
and the fourth. Then a dense layer of rectified linear units, and a linear one. `neighbours` and `pooled` serve NumPy and
JAX alike; only the matrix products differ, because XLA wants planes first and NumPy is faster with planes last.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any

import numpy as np

from smoothcall.agents import layers as dense
from smoothcall.agents.layers import Layers, shapes
from smoothcall.errors import UsageError
from smoothcall.kernels.agents.images import PLANES, SIDE
from smoothcall.kernels.tables import Array

CONVOLUTIONS = 4
POOLED = (1, 3)  # convolutions after which images are pooled
KERNEL = 3
LAYERS = CONVOLUTIONS + 2
FLAT_SIDE = SIDE // 2 ** len(POOLED)  # side of an image after all pooling
_PIECE = 256  # images at a time, so that intermediate arrays stay in the cache


def forward(layers: Layers, images: Array) -> Array:
    """Return the outputs [n, out] of a network for images[n, planes, side, side].

    layers: (weights[out, in, 3, 3], bias[out]) of the convolutions, then (weights[out, in], bias[out]) of the two dense
    layers, which read the last image plane by plane.
    """
    outputs = np.zeros((len(images), len(layers[-1][1])), np.float32)
    for start in range(0, len(images), _PIECE):
        now = np.ascontiguousarray(images[start : start + _PIECE].transpose(0, 2, 3, 1))  # planes last
        for number, (weight, bias) in enumerate(layers[:CONVOLUTIONS]):
            now = np.maximum(_convolved(now, weight) + bias, 0)
            now = pooled(now, axis=1) if number in POOLED else now
        flat = now.transpose(0, 3, 1, 2).reshape(len(now), -1)
        outputs[start : start + _PIECE] = dense.forward(layers[CONVOLUTIONS:], flat)
    return outputs


def _convolved(images: Array, weight: Array) -> Array:
    """images[n, side, side, in], weight[out, in, 3, 3] -> [n, side, side, out], as one matrix product."""
    count, rows, columns, _ = images.shape
    around = np.stack(neighbours(images, axis=1), axis=3)
    matrix = weight.transpose(2, 3, 1, 0).reshape(-1, len(weight))
    found: Array = (around.reshape(-1, len(matrix)) @ matrix).reshape(count, rows, columns, len(weight))
    return found


def neighbours(images: Any, axis: int, xp: ModuleType | Any = np) -> list[Any]:
    """Return images shifted to each of the 3 x 3 neighbours of a pixel, row by row; beyond the edges is 0.

    Rows and columns are the axes `axis` and `axis + 1`; `xp` is the array module, `numpy` or `jax.numpy`.
    """
    rows, columns = images.shape[axis : axis + 2]
    edges = [(1, 1) if place in (axis, axis + 1) else (0, 0) for place in range(images.ndim)]
    padded, before = xp.pad(images, edges), (slice(None),) * axis
    return [
        padded[(*before, slice(row, row + rows), slice(column, column + columns))]
        for row in range(KERNEL)
        for column in range(KERNEL)
    ]


def pooled(images: Any, axis: int) -> Any:
    """Return the maximum of every 2 x 2 pixels; an odd last row or column is left out. Rows and columns as in `neighbours`."""
    rows, columns = images.shape[axis] // 2, images.shape[axis + 1] // 2
    even = images[(*(slice(None),) * axis, slice(2 * rows), slice(2 * columns))]
    blocks = even.reshape(*images.shape[:axis], rows, 2, columns, 2, *images.shape[axis + 2 :])
    return blocks.max(axis=(axis + 1, axis + 3))


def from_arrays(arrays: Mapping[str, Array], outputs: int, name: str = "0", planes: int = PLANES) -> Layers:
    """Return the layers of a network that `agents.layers.to_arrays` named, after checking that their shapes fit together."""
    for part in (f"{part}-{name}-{place}" for part in ("weight", "bias") for place in range(LAYERS)):
        if part not in arrays or not arrays[part].ndim:
            raise UsageError(f"a network without the array {part!r}")
    layers = tuple((np.asarray(w, np.float32), np.asarray(b, np.float32)) for w, b in dense.from_arrays(arrays, name))
    fits = len(layers) == LAYERS and shapes(layers) == _fitting_shapes(layers, planes, outputs)
    if not fits or any(len(weight) != len(bias) for weight, bias in layers):
        raise UsageError(
            f"a network of layers {shapes(layers)} (accepted: {CONVOLUTIONS} convolutions [out, in, {KERNEL}, {KERNEL}], then "
            f"two [out, in], from {planes} planes to {outputs} numbers)"
        )
    return layers


def _fitting_shapes(layers: Layers, planes: int, outputs: int) -> list[list[int]]:
    """Return the shapes of layers with these widths that fit together."""
    out = [len(weight) for weight, _ in layers]
    into = [planes, *out[:-1]]
    into[CONVOLUTIONS] = out[CONVOLUTIONS - 1] * FLAT_SIDE**2
    out[-1] = outputs
    kernel = [KERNEL, KERNEL]
    return [[*each, *kernel * (place < CONVOLUTIONS)] for place, each in enumerate(zip(out, into, strict=True))]

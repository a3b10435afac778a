"""Convolutional networks on images: architecture, and evaluation without JAX. They learn in `learners.convolutions`.

Four convolutions of 3 x 3 with rectified linear units keep the size of an image; max-pooling of 2 x 2 follows the second
and the fourth. Then a dense layer of rectified linear units, and a linear one. `pooled` serves NumPy and JAX alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from smoothcall.agents import layers as dense
from smoothcall.agents.layers import Layers, shapes
from smoothcall.errors import UsageError
from smoothcall.kernels.agents.convolutions import convolve
from smoothcall.kernels.agents.images import PLANES, SIDE
from smoothcall.kernels.tables import Array

CONVOLUTIONS = 4
POOLED = (1, 3)  # convolutions after which images are pooled
KERNEL = 3
LAYERS = CONVOLUTIONS + 2
FLAT_SIDE = SIDE // 2 ** len(POOLED)  # side of an image after all pooling


def forward(layers: Layers, images: Array) -> Array:
    """Return the outputs [n, out] of a network for images[n, planes, side, side].

    layers: (weights[out, in, 3, 3], bias[out]) of the convolutions, then (weights[out, in], bias[out]) of the two dense
    layers, which read the last image plane by plane.
    """
    now = np.ascontiguousarray(images.transpose(0, 2, 3, 1), np.float32)  # planes last
    for number, (weight, bias) in enumerate(layers[:CONVOLUTIONS]):
        now = _convolved(now, weight, bias)
        now = pooled(now, axis=1) if number in POOLED else now
    return dense.forward(layers[CONVOLUTIONS:], now.transpose(0, 3, 1, 2).reshape(len(now), -1))


def _convolved(images: Array, weight: Array, bias: Array) -> Array:
    """images[n, side, side, in], weight[out, in, 3, 3] -> [n, side, side, out], rectified."""
    if weight.shape[1:] != (images.shape[3], KERNEL, KERNEL) or bias.shape != weight.shape[:1]:
        raise ValueError(f"weights {weight.shape} and bias {bias.shape} of a convolution of {images.shape[3]} planes")
    by_plane = weight[:, :, ::-1, ::-1].transpose(1, 2, 3, 0).reshape(weight.shape[1], -1)  # a pixel adds to its neighbours
    found = np.empty((*images.shape[:3], len(weight)), np.float32)
    convolve(images, np.ascontiguousarray(by_plane, np.float32), np.asarray(bias, np.float32), found)
    return found


def pooled(images: Any, axis: int) -> Any:
    """Return the maximum of every 2 x 2 pixels; an odd last row or column is left out.

    Rows and columns are the axes `axis` and `axis + 1`.
    """
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

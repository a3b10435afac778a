"""Networks that look at pictures, played without JAX. They learn in `learners.convolutions`.

Four convolutions of 3 x 3 with rectified linear units keep the size of a picture; after the second and the fourth the greatest
of every 2 x 2 is kept. Then a hidden layer of such units, and a linear one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from smoothcall.agents.q_networks import Layers
from smoothcall.agents.q_networks import forward as dense
from smoothcall.errors import UsageError
from smoothcall.kernels.agents.images import PLANES, SIDE
from smoothcall.kernels.tables import Array

CONVOLUTIONS = 4
POOLED = (1, 3)  # after which of them the greatest of 2 x 2 is kept
KERNEL = 3
LAYERS = CONVOLUTIONS + 2
_PIECE = 256  # pictures at a time, so that what is in between stays in the cache


def forward(layers: Layers, pictures: Array) -> Array:
    """What a network says: pictures[n, planes, side, side] -> [n, out].

    layers: (weights[out, in, 3, 3], bias[out]) of the convolutions, then (weights[out, in], bias[out]) of the two others, which
    read the last picture plane by plane.
    """
    said = np.zeros((len(pictures), len(layers[-1][1])), np.float32)
    for start in range(0, len(pictures), _PIECE):
        now = np.ascontiguousarray(pictures[start : start + _PIECE].transpose(0, 2, 3, 1))  # planes last
        for number, (weight, bias) in enumerate(layers[:CONVOLUTIONS]):
            now = np.maximum(_convolved(now, weight) + bias, 0)
            now = _pooled(now) if number in POOLED else now
        flat = now.transpose(0, 3, 1, 2).reshape(len(now), -1)
        said[start : start + _PIECE] = dense(layers[CONVOLUTIONS:], flat)
    return said


def _convolved(picture: Array, weight: Array) -> Array:
    """picture[n, side, side, in], weight[out, in, 3, 3] -> [n, side, side, out]; beyond the edges is 0."""
    count, rows, columns, planes = picture.shape
    wide = np.zeros((count, rows + 2, columns + 2, planes), np.float32)
    wide[:, 1:-1, 1:-1] = picture
    around = np.empty((count, rows, columns, KERNEL * KERNEL, planes), np.float32)
    for place in range(KERNEL * KERNEL):
        row, column = divmod(place, KERNEL)
        around[:, :, :, place] = wide[:, row : row + rows, column : column + columns]
    matrix = weight.transpose(2, 3, 1, 0).reshape(-1, len(weight))
    found: Array = (around.reshape(-1, len(matrix)) @ matrix).reshape(count, rows, columns, len(weight))
    return found


def _pooled(picture: Array) -> Array:
    """The greatest of every 2 x 2; an odd last row or column is left out."""
    count, rows, columns, planes = picture.shape
    even = picture[:, : rows // 2 * 2, : columns // 2 * 2].reshape(count, rows // 2, 2, columns // 2, 2, planes)
    found: Array = even.max(axis=(2, 4))
    return found


def to_arrays(layers: Layers, name: str = "0") -> dict[str, Array]:
    """By name: `weight-0-1` and `bias-0-1` of the second layer of network "0"."""
    named: dict[str, Array] = {}
    for place, (weight, bias) in enumerate(layers):
        named |= {f"weight-{name}-{place}": np.asarray(weight), f"bias-{name}-{place}": np.asarray(bias)}
    return named


def from_arrays(arrays: Mapping[str, Array], outputs: int, name: str = "0", planes: int = PLANES) -> Layers:
    """The layers of a network of that name; an error where their shapes do not follow one another."""
    for part in (f"{part}-{name}-{place}" for part in ("weight", "bias") for place in range(LAYERS)):
        if part not in arrays or not arrays[part].ndim:
            raise UsageError(f"a network without the array {part!r}")
    layers = tuple(
        (np.asarray(arrays[f"weight-{name}-{place}"], np.float32), np.asarray(arrays[f"bias-{name}-{place}"], np.float32))
        for place in range(LAYERS)
    )
    if shapes(layers) != _following(layers, planes, outputs) or any(len(weight) != len(bias) for weight, bias in layers):
        raise UsageError(
            f"a network of layers {shapes(layers)} (accepted: {CONVOLUTIONS} convolutions [out, in, {KERNEL}, {KERNEL}], then "
            f"two [out, in], from {planes} planes to {outputs} numbers)"
        )
    return layers


def shapes(layers: Layers) -> list[list[int]]:
    """Of the weights of each layer."""
    return [list(weight.shape) for weight, _ in layers]


def _following(layers: Sequence[tuple[Array, Array]], planes: int, outputs: int) -> list[list[int]]:
    """The shapes that layers with so many outputs each should have."""
    out: list[Any] = [len(weight) for weight, _ in layers]
    into = [planes, *out[:-1]]
    into[CONVOLUTIONS] = out[CONVOLUTIONS - 1] * (SIDE // 4) ** 2
    out[-1] = outputs
    found = [[many, few] for many, few in zip(out, into, strict=True)]
    return [each + [KERNEL, KERNEL] * (place < CONVOLUTIONS) for place, each in enumerate(found)]

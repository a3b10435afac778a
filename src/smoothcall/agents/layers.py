"""The layers of a network as NumPy arrays: how they are evaluated, named, stored and read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from smoothcall.errors import DamagedFile, UsageError
from smoothcall.kernels.tables import Array

Layers = Sequence[tuple[Array, Array]]  # weights[out, in, ...] and bias[out] of each layer


def forward(layers: Layers, inputs: Array) -> Array:
    """Return the outputs [n, out] of dense layers for inputs[n, F]: rectified linear units, the last layer linear."""
    for number, (weight, bias) in enumerate(layers, 1):
        inputs = inputs @ weight.T + bias
        inputs = np.maximum(inputs, 0) if number < len(layers) else inputs
    return inputs


def shapes(layers: Layers) -> list[list[int]]:
    """Return the shape of each layer's weights."""
    return [list(weight.shape) for weight, _ in layers]


def to_arrays(layers: Layers, name: str = "0") -> dict[str, Array]:
    """Return the arrays by name: `weight-0-1` and `bias-0-1` for the second layer of network "0"."""
    named: dict[str, Array] = {}
    for place, (weight, bias) in enumerate(layers):
        named |= {f"weight-{name}-{place}": np.asarray(weight), f"bias-{name}-{place}": np.asarray(bias)}
    return named


def from_arrays(arrays: Mapping[str, Array], name: str = "0", shapes: Sequence[Sequence[int]] | None = None) -> Layers:
    """Return the layers of a network that `to_arrays` named; weights must have these shapes, if given."""
    if shapes is None:
        count = sum(key.startswith(f"weight-{name}-") for key in arrays)
        return tuple((arrays[f"weight-{name}-{place}"], arrays[f"bias-{name}-{place}"]) for place in range(count))
    return tuple(
        (
            array_of_shape(arrays, f"weight-{name}-{place}", shape),
            array_of_shape(arrays, f"bias-{name}-{place}", shape[:1]),
        )
        for place, shape in enumerate(shapes)
    )


def array_of_shape(arrays: Mapping[str, Array], name: str, shape: Sequence[int]) -> Array:
    """Return an array by name, after checking that it is there and has this shape."""
    if name not in arrays:
        raise DamagedFile(f"array {name!r} is missing")
    if arrays[name].shape != tuple(shape):
        raise UsageError(f"array {name!r} has the shape {arrays[name].shape}, not {tuple(shape)}")
    return arrays[name]

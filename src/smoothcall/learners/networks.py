"""Networks, one a memory and all in one call, and how they take a step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax  # type: ignore[import-untyped]

Arrays = jax.Array
Tree = Any  # of arrays: a network, an optimiser's state

LOWEST = float(np.finfo(np.float32).min)

OPTIMISERS: dict[str, Callable[[optax.Schedule], optax.GradientTransformation]] = {"sgd": optax.sgd, "adam": optax.adam}


def optimiser(name: str, rate: float, cool: float) -> optax.GradientTransformation:
    """An optimiser whose rate falls as 1 / sqrt(updates) after `cool` of them; where that is 0 it stays as it is."""
    return OPTIMISERS[name](lambda done: rate / jnp.sqrt(1 + done / cool) if cool else rate)


class Network(eqx.Module):
    """Layers of rectified linear units; the last one is linear."""

    layers: tuple[eqx.nn.Linear, ...]

    def __init__(self, sizes: Sequence[int], key: Arrays) -> None:
        """sizes: numbers in, units of each hidden layer, numbers out. Weights are uniform in +-1 / sqrt(numbers in)."""
        keys = jax.random.split(key, len(sizes) - 1)
        self.layers = tuple(eqx.nn.Linear(one, two, key=own) for one, two, own in zip(sizes, sizes[1:], keys, strict=False))

    def __call__(self, seen: Arrays) -> Arrays:
        for layer in self.layers[:-1]:
            seen = jax.nn.relu(layer(seen))
        return self.layers[-1](seen)


def several(make: Callable[[Arrays], Any], count: int, key: Arrays) -> Any:
    """So many networks, each made with a key of its own, as one whose arrays have one more axis in front."""
    return eqx.filter_vmap(make)(jax.random.split(key, count))


def answers(networks: Network, seen: Arrays) -> Arrays:
    """What each of several networks says: seen[n, F] -> [networks, n, A]."""
    said: Arrays = eqx.filter_vmap(lambda network: jax.vmap(network)(seen))(networks)
    return said


def masked(values: Arrays, legal: Arrays) -> Arrays:
    """values[..., A], as low as can be where an action is not legal."""
    return jnp.where(legal, values, LOWEST)


def step(rule: optax.GradientTransformation, slope: Tree, state: Tree, network: Network) -> tuple[Network, Tree]:
    """One step of an optimiser."""
    change, state = rule.update(slope, state, network)
    return eqx.apply_updates(network, change), state


def steps(rule: optax.GradientTransformation, slopes: Tree, states: Tree, networks: Network) -> tuple[Network, Tree]:
    """The same for several networks, each with its own state."""
    stepped: tuple[Network, Tree] = jax.vmap(lambda *parts: step(rule, *parts))(slopes, states, networks)
    return stepped


def layers_of(network: Network) -> list[tuple[Any, Any]]:
    """(weights[out, in], bias[out]) of each layer."""
    return [(layer.weight, layer.bias) for layer in network.layers]

"""Dense networks in JAX, several at once, and their optimisation. `Network.layers` are (weights, bias) as in
`agents.layers`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax  # type: ignore[import-untyped]

from smoothcall.agents.layers import Layers, to_arrays
from smoothcall.kernels.tables import Array

Arrays = jax.Array
Tree = Any  # a pytree of arrays: a network, the state of an optimiser
Architecture = Callable[[Any, Arrays], Any]  # makes a network of its sizes and a key

LOWEST = float(np.finfo(np.float32).min)

OPTIMISERS: dict[str, Callable[[optax.Schedule], optax.GradientTransformation]] = {"sgd": optax.sgd, "adam": optax.adam}


def optimiser(name: str, rate: float, cool: float) -> optax.GradientTransformation:
    """Return an optimiser with learning rate `rate / sqrt(1 + updates / cool)`; the rate is constant if `cool` is 0."""
    return OPTIMISERS[name](lambda done: rate / jnp.sqrt(1 + done / cool) if cool else rate)


class Network(eqx.Module):
    """Dense layers of rectified linear units; the last one is linear."""

    layers: tuple[eqx.nn.Linear, ...]

    def __init__(self, sizes: Sequence[int], key: Arrays) -> None:
        """sizes: inputs, units of each hidden layer, outputs. Weights are uniform in +-1 / sqrt(inputs of the layer)."""
        keys = jax.random.split(key, len(sizes) - 1)
        self.layers = tuple(eqx.nn.Linear(one, two, key=own) for one, two, own in zip(sizes, sizes[1:], keys, strict=False))

    def __call__(self, inputs: Arrays) -> Arrays:
        for layer in self.layers[:-1]:
            inputs = jax.nn.relu(layer(inputs))
        return self.layers[-1](inputs)


@partial(jax.jit, static_argnums=(0, 1))
def untrained(architecture: Architecture, sizes: Hashable, key: Arrays) -> Any:
    """Return a network. It is made by one compiled function; otherwise JAX would compile one for each array."""
    return architecture(sizes, key)


@partial(jax.jit, static_argnums=(0, 1, 2))
def stacked(architecture: Architecture, sizes: Hashable, count: int, key: Arrays) -> Any:
    """Return `count` networks, each made with its own key, as one whose arrays have an additional first axis."""
    return jax.vmap(partial(architecture, sizes))(jax.random.split(key, count))


def outputs(networks: Network, inputs: Arrays) -> Arrays:
    """Return [networks, n, A] the outputs of each of the stacked networks for inputs[n, F]."""
    found: Arrays = eqx.filter_vmap(lambda network: jax.vmap(network)(inputs))(networks)
    return found


def masked(values: Arrays, legal: Arrays) -> Arrays:
    """Return values[..., A] with the lowest float32 at illegal actions."""
    return jnp.where(legal, values, LOWEST)


def optimise(rule: optax.GradientTransformation, gradient: Tree, state: Tree, network: Network) -> tuple[Network, Tree]:
    """Make one step of an optimiser; return the network and the optimiser's state."""
    change, state = rule.update(gradient, state, network)
    return eqx.apply_updates(network, change), state


def optimise_all(rule: optax.GradientTransformation, gradients: Tree, states: Tree, networks: Network) -> tuple[Network, Tree]:
    """Make one step of an optimiser for each of the stacked networks, each with its own state."""
    found: tuple[Network, Tree] = jax.vmap(lambda *parts: optimise(rule, *parts))(gradients, states, networks)
    return found


def layers_of(network: Any) -> Layers:
    """Return copies of a network's layers as NumPy arrays: (weights[out, in, ...], bias[out]) of each."""
    return [(np.array(layer.weight), np.array(layer.bias).reshape(-1)) for layer in network.layers]


def first_of(networks: Any) -> Any:
    """Return the first of stacked networks."""
    return jax.tree.map(lambda leaf: leaf[0], networks)


def begin(sizes: Mapping[str, Sequence[int]], rate: float, seed: int) -> dict[str, tuple[Network, Tree]]:
    """Return by name untrained networks of these sizes, each with the state of Adam."""
    begun: dict[str, tuple[Network, Tree]] = _begin(
        tuple((name, tuple(size)) for name, size in sizes.items()), rate, jax.random.key(seed)
    )
    return begun


@partial(jax.jit, static_argnums=(0, 1))
def _begin(sizes: tuple[tuple[str, tuple[int, ...]], ...], rate: float, key: Arrays) -> dict[str, tuple[Network, Tree]]:
    rule, keys = optax.adam(rate), jax.random.split(key, len(sizes))
    networks = {name: Network(size, own) for (name, size), own in zip(sizes, keys, strict=True)}
    return {name: (network, rule.init(network)) for name, network in networks.items()}


def to_tables(state: Mapping[str, tuple[Network, Tree]]) -> dict[str, Array]:
    """Return by name copies of the arrays of networks (as in `agents.layers.to_arrays`) and of their optimisers."""
    tables: dict[str, Array] = {}
    for name, (network, rule_state) in state.items():
        tables |= to_arrays(layers_of(network), name)
        for number, leaf in enumerate(jax.tree.leaves(rule_state)):
            tables[f"optimiser-{name}-{number}"] = np.array(leaf)
    return tables


def from_tables(like: Mapping[str, tuple[Network, Tree]], tables: Mapping[str, Array]) -> dict[str, tuple[Network, Tree]]:
    """Return networks and optimisers with the arrays that `to_tables` named, in the structure of `like`."""
    state = {}
    for name, (network, rule_state) in like.items():
        parts = [jnp.array(tables[f"{part}-{name}-{n}"]) for n in range(len(network.layers)) for part in ("weight", "bias")]
        made = eqx.tree_at(lambda own: [part for layer in own.layers for part in (layer.weight, layer.bias)], network, parts)
        leaves, shape = jax.tree.flatten(rule_state)
        own = [jnp.array(tables[f"optimiser-{name}-{number}"]) for number in range(len(leaves))]
        state[name] = (made, jax.tree.unflatten(shape, own))
    return state

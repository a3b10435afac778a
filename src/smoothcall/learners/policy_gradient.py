"""What JAX compiles for `learners.deep_q`: one update of the value network and of the policy network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax  # type: ignore[import-untyped]

from smoothcall.kernels.tables import Array
from smoothcall.learners import policy_loss as imitation
from smoothcall.learners.networks import Arrays, Network, Tree, layers_of, step

CHOICES = 4  # legal moves, about
NEVER = 1e-12  # a chance


def value_loss(network: Network, seen: Arrays, worth: Arrays) -> Arrays:
    """Mean squared error of what is expected."""
    return jnp.mean((jax.vmap(network)(seen)[:, 0] - worth) ** 2)


def weighted(better: Arrays, chance: Arrays, explore: Arrays) -> Arrays:
    """What a move that was `better` than expected counts, made with a chance[n] by the network and sometimes for trial.

    Moves that nobody but the trials makes would be pushed away for ever: what was worse counts the less, the less likely the
    network makes it than a trial. What was better counts in full, so that a good trial is followed.
    """
    own = jnp.minimum(1.0, chance / jnp.maximum(explore / CHOICES, NEVER))
    return jax.lax.stop_gradient(jnp.where(better > 0, better, better * own))


def policy_loss(
    network: Network, seen: Arrays, made: tuple[Arrays, Arrays], better: Arrays, explore: Arrays, price: float
) -> Arrays:
    """made = (legal[n, A], moves[n]) that were `better` than expected by so much; entropy earns `price`."""
    said, (legal, moves) = jax.vmap(network)(seen), made
    chance = jnp.exp(jnp.take_along_axis(imitation.log_chances(said, legal), moves[:, None], axis=-1)[:, 0])
    weight = weighted(better, chance, explore)
    return imitation.likelihood_loss(said, legal, moves, weight) - price * imitation.entropy(said, legal)


def amount_loss(
    network: Network, seen: Arrays, made: tuple[Arrays, Arrays], better: Arrays, explore: Arrays, blur: float
) -> Arrays:
    """made = (low[n], high[n]): amounts, logistic around what the network says with the scale `blur`, were in between."""
    amount = jax.vmap(network)(seen)[:, 0]
    low, high = ((end - amount) / blur for end in made)
    chance = jax.nn.log_sigmoid(high) + jax.nn.log_sigmoid(-low) + jnp.log1p(-jnp.exp(low - high))
    return -jnp.mean(weighted(better, jnp.exp(chance), explore) * chance)


LOSSES = {"likely": policy_loss, "amount": amount_loss}


class PolicyGradient:
    """Two networks, "policy" and "value", with sizes as given. `tables` are what they have learned."""

    def __init__(self, sizes: Mapping[str, Sequence[int]], *, kind: str, rate: float, price: float, seed: int) -> None:
        keys = jax.random.split(jax.random.key(seed), len(sizes))
        networks = {name: Network(size, key) for (name, size), key in zip(sizes.items(), keys, strict=True)}
        self._rule = optax.adam(rate)
        self._loss: Any = LOSSES[kind]
        self._price = price  # or the blur
        self._state: dict[str, tuple[Network, Tree]] = {
            name: (network, self._rule.init(eqx.filter(network, eqx.is_array))) for name, network in networks.items()
        }
        self._update = jax.jit(self._step)
        self.tables = named(self._state)

    def update(self, explore: float, seen: Array, worth: Array, *made: Array) -> None:
        """From moves, any of which were made for trial with the chance `explore`."""
        self._state = self._update(self._state, explore, seen, worth, made)
        for name, table in named(self._state).items():
            self.tables[name][...] = table

    def restored(self) -> None:
        """Go on from what `tables` hold."""
        self._state = unnamed(self._state, self.tables)

    def _step(self, state: Any, explore: Arrays, seen: Arrays, worth: Arrays, made: tuple[Arrays, Arrays]) -> Any:
        network, optimiser = state["value"]
        better = worth - jax.vmap(network)(seen)[:, 0]
        slope = eqx.filter_grad(value_loss)(network, seen, worth)
        value = step(self._rule, slope, optimiser, network)
        network, optimiser = state["policy"]
        grad: Any = eqx.filter_grad(self._loss)
        slope = grad(network, seen, made, better, explore, self._price)
        return {"policy": step(self._rule, slope, optimiser, network), "value": value}


def named(state: Mapping[str, tuple[Network, Tree]]) -> dict[str, Array]:
    """By name, copies of the arrays of networks and optimisers."""
    tables = {}
    for name, (network, optimiser) in state.items():
        for number, (weight, bias) in enumerate(layers_of(network)):
            tables[f"{name} {number} weight"], tables[f"{name} {number} bias"] = np.array(weight), np.array(bias)
        for number, leaf in enumerate(jax.tree.leaves(optimiser)):
            tables[f"{name} optimiser {number}"] = np.array(leaf)
    return tables


def unnamed(like: Mapping[str, tuple[Network, Tree]], tables: Mapping[str, Array]) -> dict[str, tuple[Network, Tree]]:
    """What `named` took apart, in the shape of `like`."""
    state = {}
    for name, (network, optimiser) in like.items():
        parts = [jnp.array(tables[f"{name} {n} {part}"]) for n in range(len(network.layers)) for part in ("weight", "bias")]
        layers = eqx.tree_at(lambda own: [part for layer in layers_of(own) for part in layer], network, parts)
        leaves, shape = jax.tree.flatten(optimiser)
        state[name] = (
            layers,
            jax.tree.unflatten(shape, [jnp.array(tables[f"{name} optimiser {n}"]) for n in range(len(leaves))]),
        )
    return state

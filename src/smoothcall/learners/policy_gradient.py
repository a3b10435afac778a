"""Compiled updates of `learners.deep_q`: a value network, and a policy network that learns from its advantages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import optax  # type: ignore[import-untyped]

from smoothcall.kernels.tables import Array
from smoothcall.learners.networks import Arrays, Network, Tree, begin, from_tables, optimise, to_tables
from smoothcall.learners.policy_loss import entropy, likelihood_loss, log_probabilities

CHOICES = 4  # legal moves, about
TINY = 1e-12  # probability


def value_loss(network: Network, inputs: Arrays, returns: Arrays) -> Arrays:
    """Return the mean squared error of the value network from returns[n]."""
    return jnp.mean((jax.vmap(network)(inputs)[:, 0] - returns) ** 2)


def weighted(advantage: Arrays, probability: Arrays, explore: Arrays) -> Arrays:
    """Return [n] the weight of a move with probability[n] in the policy, some moves being made for exploration.

    Moves that only exploration makes would be pushed away for ever. So a negative advantage is scaled down by the ratio of the
    policy's probability to that of exploration. A positive advantage counts in full.
    """
    own = jnp.minimum(1.0, probability / jnp.maximum(explore / CHOICES, TINY))
    return jax.lax.stop_gradient(jnp.where(advantage > 0, advantage, advantage * own))


def policy_loss(
    network: Network, inputs: Arrays, made: tuple[Arrays, Arrays], advantage: Arrays, explore: Arrays, price: float
) -> Arrays:
    """Return the policy-gradient loss of made = (legal[n, A], moves[n]), less `price` times the entropy."""
    logits, (legal, moves) = jax.vmap(network)(inputs), made
    probability = jnp.exp(jnp.take_along_axis(log_probabilities(logits, legal), moves[:, None], axis=-1)[:, 0])
    weight = weighted(advantage, probability, explore)
    return likelihood_loss(logits, legal, moves, weight) - price * entropy(logits, legal)


def amount_loss(
    network: Network, inputs: Arrays, made: tuple[Arrays, Arrays], advantage: Arrays, explore: Arrays, blur: float
) -> Arrays:
    """Return the policy-gradient loss of made = (low[n], high[n]): amounts between these, under a logistic distribution of
    scale `blur` around the network's output.
    """
    amount = jax.vmap(network)(inputs)[:, 0]
    low, high = ((end - amount) / blur for end in made)
    logarithm = jax.nn.log_sigmoid(high) + jax.nn.log_sigmoid(-low) + jnp.log1p(-jnp.exp(low - high))
    return -jnp.mean(weighted(advantage, jnp.exp(logarithm), explore) * logarithm)


def squared_loss(
    network: Network, inputs: Arrays, made: tuple[Arrays, Arrays], advantage: Arrays, explore: Arrays, unused: float
) -> Arrays:
    """Return the mean of advantage[n] times the squared distance of the network's output from made[0][n], the amount bet."""
    amount = jax.vmap(network)(inputs)[:, 0]
    return jnp.mean(jax.lax.stop_gradient(advantage) * (amount - made[0]) ** 2)


LOSSES = {"moves": policy_loss, "squared": squared_loss, "logistic": amount_loss}


class PolicyGradientUpdates:
    """The networks "policy" and "value" and their optimisers; `tables` holds their arrays by name."""

    def __init__(self, sizes: Mapping[str, Sequence[int]], *, kind: str, rate: float, price: float, seed: int) -> None:
        """kind: of LOSSES; price: its last argument."""
        self._state: dict[str, tuple[Network, Tree]] = begin(sizes, rate, seed)
        self._update = compiled_update(kind, rate, price)
        self.tables = to_tables(self._state)

    def update(self, explore: float, inputs: Array, returns: Array, *made: Array) -> None:
        """Update both networks from moves, each of which was an exploration with probability `explore`."""
        self._state = self._update(self._state, explore, inputs, returns, made)
        for name, table in to_tables(self._state).items():
            self.tables[name][...] = table

    def restored(self) -> None:
        """Take networks and optimisers from `tables`."""
        self._state = from_tables(self._state, self.tables)


@cache
def compiled_update(kind: str, rate: float, price: float) -> Callable[..., Any]:
    """Return the function that updates a state. Learners with the same options share what JAX compiles of it."""
    rule, grad = optax.adam(rate), eqx.filter_grad(LOSSES[kind])

    def update(state: Any, explore: Arrays, inputs: Arrays, returns: Arrays, made: tuple[Arrays, Arrays]) -> Any:
        network, rule_state = state["value"]
        advantage = returns - jax.vmap(network)(inputs)[:, 0]
        gradient = eqx.filter_grad(value_loss)(network, inputs, returns)
        value = optimise(rule, gradient, rule_state, network)
        network, rule_state = state["policy"]
        gradient = grad(network, inputs, made, advantage, explore, price)
        return {"policy": optimise(rule, gradient, rule_state, network), "value": value}

    return jax.jit(update)

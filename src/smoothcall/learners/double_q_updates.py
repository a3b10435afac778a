"""Compiled updates of `learners.clipped_double_dqn`: two action-value networks with a common target."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import equinox as eqx
import jax
import optax  # type: ignore[import-untyped]

from smoothcall.kernels.tables import Array
from smoothcall.learners import q_targets
from smoothcall.learners.networks import Arrays, Network, Tree, begin, from_tables, optimise, to_tables


def loss(network: Network, inputs: Arrays, action: Arrays, target: Arrays) -> Arrays:
    return q_targets.bellman_loss(jax.vmap(network)(inputs), action, target)


class DoubleQUpdates:
    """Two networks and their optimisers; `tables` holds their arrays by name."""

    def __init__(self, sizes: Sequence[int], names: Sequence[str], *, rate: float, discount: float, seed: int) -> None:
        self._updates = compiled_updates(tuple(names), rate, discount)
        self._state: dict[str, tuple[Network, Tree]] = begin(dict.fromkeys(names, tuple(sizes)), rate, seed)
        self.tables = to_tables(self._state)

    def update(self, *batches: Array) -> None:
        """Make one update for each batch of (inputs, moves, next inputs, next legal moves, last, reward), each [updates,
        batch, ...].
        """
        self._state = self._updates(self._state, batches)
        for name, table in to_tables(self._state).items():
            self.tables[name][...] = table

    def restored(self) -> None:
        """Take networks and optimisers from `tables`."""
        self._state = from_tables(self._state, self.tables)


@cache
def compiled_updates(names: tuple[str, ...], rate: float, discount: float) -> Callable[[Any, Any], Any]:
    """Return the function that makes all updates of a state. Learners with the same options share what JAX compiles of it."""
    rule = optax.adam(rate)

    def step(state: Any, batch: tuple[Arrays, ...]) -> tuple[Any, None]:
        inputs, action, next_inputs, legal, last, reward = batch
        one, other = (jax.vmap(state[name][0])(next_inputs) for name in names)
        next_value = q_targets.clipped_double(one, other, legal)
        target = q_targets.target(reward, next_value, last, discount)
        learned = {}
        for name in names:
            network, rule_state = state[name]
            gradient = eqx.filter_grad(loss)(network, inputs, action, target)
            learned[name] = optimise(rule, gradient, rule_state, network)
        return learned, None

    updates: Callable[[Any, Any], Any] = jax.jit(lambda state, batches: jax.lax.scan(step, state, batches)[0])
    return updates

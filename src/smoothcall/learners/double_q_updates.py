"""What JAX compiles for `learners.clipped_double_dqn`: updates of two networks towards the same target."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import equinox as eqx
import jax
import optax  # type: ignore[import-untyped]

from smoothcall.kernels.tables import Array
from smoothcall.learners import q_targets as dqn
from smoothcall.learners.networks import Arrays, Network, Tree, step
from smoothcall.learners.policy_gradient import named, unnamed


def loss(network: Network, seen: Arrays, action: Arrays, aim: Arrays) -> Arrays:
    return dqn.bellman_loss(jax.vmap(network)(seen), action, aim)


class Twins:
    """Two networks. `tables` are what they have learned."""

    def __init__(self, sizes: Sequence[int], names: Sequence[str], *, rate: float, discount: float, seed: int) -> None:
        self._rule, self._names, self._discount = optax.adam(rate), names, discount
        networks = [Network(sizes, key) for key in jax.random.split(jax.random.key(seed), len(names))]
        self._state: dict[str, tuple[Network, Tree]] = {
            name: (network, self._rule.init(eqx.filter(network, eqx.is_array)))
            for name, network in zip(names, networks, strict=True)
        }
        self._updates = jax.jit(self._steps)
        self.tables = named(self._state)

    def update(self, *batches: Array) -> None:
        """(seen, moves, after, legal after, last, reward), each [updates, batch, ...]."""
        self._state = self._updates(self._state, batches)
        for name, table in named(self._state).items():
            self.tables[name][...] = table

    def restored(self) -> None:
        """Go on from what `tables` hold."""
        self._state = unnamed(self._state, self.tables)

    def _steps(self, state: Any, batches: Any) -> Any:
        return jax.lax.scan(self._step, state, batches)[0]

    def _step(self, state: Any, batch: tuple[Arrays, ...]) -> tuple[Any, None]:
        seen, action, after, legal, last, reward = batch
        one, other = (jax.vmap(state[name][0])(after) for name in self._names)
        ahead = dqn.clipped_double(one, other, legal)
        aim = dqn.target(reward, ahead, last, self._discount)
        learned = {}
        for name in self._names:
            network, optimiser = state[name]
            slope = eqx.filter_grad(loss)(network, seen, action, aim)
            learned[name] = step(self._rule, slope, optimiser, network)
        return learned, None

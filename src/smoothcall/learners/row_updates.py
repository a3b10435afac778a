"""Updates of networks in games with few information states, whose batches are counted by row and action.

The gradient of a batch depends, for each row and action, on the number of samples and the sum of their targets only. So a
network is evaluated once at each row of its player, however large the batch.
"""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from smoothcall.kernels.tables import Array
from smoothcall.learners import q_targets
from smoothcall.learners.memory import AVERAGE, BEST, GRADIENT, Moves, Transitions, policy_modes
from smoothcall.learners.networks import Arrays, Network, Tree, outputs
from smoothcall.learners.nfsp_updates import NFSPState, NFSPUpdates
from smoothcall.learners.policy_loss import log_probabilities


class RowUpdates(NFSPUpdates):
    """The functions of `NFSPUpdates` with the same results, up to rounding. Observations are rows."""

    def __init__(self, features: Array, legal: Array, *, row_player: Array, **options: Any) -> None:
        """row_player[rows]: the player to move."""
        super().__init__(features, legal, **options)
        rows = [np.flatnonzero(row_player == player) for player in range(int(row_player.max()) + 1)]
        place = np.zeros(len(row_player), np.int32)
        for own in rows:
            place[own] = np.arange(len(own))
        padded = np.stack([np.resize(own, max(map(len, rows))) for own in rows])  # [players, own rows]
        self._row_player = jnp.asarray(row_player)
        self._place = jnp.asarray(place)  # [rows] number of a row among those of its player
        # [players, own rows, F], [players, own rows, A]
        self._own = (jnp.asarray(features[padded]), jnp.asarray(legal[padded]))
        self._key = (*self._key, tuple(row_player.tolist()))

    def _act(self, state: NFSPState, observations: Any, policy: Arrays, explore: Arrays) -> Arrays:
        """Return [n, A] action probabilities, from a table of all modes at all rows: the player is the one whose row it is."""
        rows, mode = jnp.arange(len(self.features)), policy_modes(len(self._own[0]))[1]
        modes = jnp.array([[AVERAGE], [BEST], [GRADIENT]])
        table = self._behaviour(state, rows, self._row_player, modes + 0 * rows, explore)  # [modes, rows, A]
        return table[jnp.asarray(mode)[policy], observations.reshape(-1)]

    def _evaluated(self, networks: Network, observations: Any) -> tuple[Arrays, Arrays]:
        return outputs(networks, self.features)[:, observations], self.legal[observations]

    def _gradients(self, state: NFSPState, transitions: Transitions, moves: Moves) -> tuple[Tree, Tree]:
        by_values = self._each(eqx.filter_grad(self._counted_value_loss), state.values, state.target, transitions, *self._own)
        return by_values, self._each(eqx.filter_grad(self._counted_policy_loss), state.policies, moves, *self._own)

    def _counted_value_loss(self, network: Network, slower: Network, batch: Any, features: Arrays, legal: Arrays) -> Arrays:
        """Return the squared Bellman error of a batch, less a constant."""
        values, next_values = jax.vmap(network)(features), jax.vmap(slower)(features)
        next_value = q_targets.double(next_values, values if self._double else next_values, legal)
        target = q_targets.target(batch.won, next_value[self._place[batch.next_observations]], batch.moves_left == 0)
        count, total = self._counted(batch, legal.shape, jnp.ones_like(target), target)
        return jnp.sum(count * values**2 - 2 * total * values) / len(target)

    def _counted_policy_loss(self, network: Network, batch: Any, features: Arrays, legal: Arrays) -> Arrays:
        """Return the mean of -log-probability of the moves of a batch."""
        (count,) = self._counted(batch, legal.shape, jnp.ones(batch.action.shape))
        logarithm = log_probabilities(jax.vmap(network)(features), legal)
        return -jnp.sum(jnp.where(count > 0, count * logarithm, 0.0)) / len(batch.action)

    def _counted(self, batch: Any, shape: tuple[int, ...], *figures: Arrays) -> Arrays:
        """Return [figures, own rows, A] the sum of each of figures[n] by row and action."""
        cell = self._place[batch.observations] * shape[1] + batch.action
        sums = jnp.zeros((shape[0] * shape[1], len(figures))).at[cell].add(jnp.stack(figures, axis=1))
        return sums.T.reshape(len(figures), *shape)

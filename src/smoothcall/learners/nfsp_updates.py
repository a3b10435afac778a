"""Compiled functions of neural fictitious self-play: action probabilities and updates of all networks."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import partial
from hashlib import sha256
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp

from smoothcall.kernels.tables import Array
from smoothcall.learners import q_targets, simplex
from smoothcall.learners.features import Encoded
from smoothcall.learners.memory import BEST, GRADIENT, Moves, Transitions, policy_modes
from smoothcall.learners.networks import (
    Architecture,
    Arrays,
    Network,
    Tree,
    masked,
    optimise_all,
    optimiser,
    outputs,
    stacked,
)
from smoothcall.learners.policy_loss import likelihood_loss, log_probabilities


class NFSPState(NamedTuple):
    """Networks of all players, stacked, and their optimisers."""

    values: Network
    target: Network
    policies: Network
    value_state: Tree
    policy_state: Tree


def behaviour(
    values: Arrays,
    logits: Arrays,
    others: Arrays,
    legal: Arrays,
    mode: Arrays,
    explore: Arrays | float,
    matrix: str,
    unit: float = 1.0,
) -> Arrays:
    """Return [..., n, A] action probabilities of n players with mode[..., n]: AVERAGE, BEST or GRADIENT.

    values[n, A] and logits[n, A] are outputs of a player's own networks, others[n, A] the action probabilities of its
    opponents' average policies. AVERAGE: the softmax of the logits. BEST: epsilon-greedy on the values, with epsilon =
    `explore`. GRADIENT (pricope2021): the projection of average + M Pi' onto the simplex, where M Pi' are the values if
    `matrix` is "columns", and values * others if it is "diagonal"; `unit` converts values to the unit they have there.
    """
    average = jnp.exp(log_probabilities(logits, legal))
    best = jax.nn.one_hot(masked(values, legal).argmax(axis=1), legal.shape[1])
    uniform = legal / legal.sum(axis=1, keepdims=True)
    response = explore * uniform + (1 - explore) * best
    gradient = simplex.nearest(average + unit * (values * others if matrix == "diagonal" else values), legal)
    mode = mode[..., None]
    return jnp.where(mode == BEST, response, jnp.where(mode == GRADIENT, gradient, average))


class NFSPUpdates:
    """Functions compiled for features[rows, F] and legal[rows, A] of a game's information states.

    Observations are rows of both, or `Encoded`; then `features` has no rows and only its width counts, and `legal` is by node.

    Two with equal tables and options are equal, so that they share what JAX compiles: it knows functions by their arguments
    that are no arrays, of which this is one.
    """

    def __init__(
        self,
        features: Array,
        legal: Array,
        *,
        rule: str,
        value_rate: float,
        policy_rate: float,
        cool: float,
        double: bool,
        matrix: str = "columns",
        unit: float = 1.0,
    ) -> None:
        """rule: name of the optimiser; unit: as in `behaviour`; the rest as the options of `learners.nfsp`."""
        tables = (sha256(table.tobytes()).digest() for table in (features, legal))
        shapes, options = (features.shape, legal.shape), (rule, value_rate, policy_rate, cool, double, matrix, unit)
        self._key = (type(self), *tables, *shapes, *options)
        self.features, self.legal, self._double = jnp.asarray(features), jnp.asarray(legal), double
        self._matrix, self._unit = matrix, unit
        self._value_rule, self._policy_rule = (optimiser(rule, rate, cool) for rate in (value_rate, policy_rate))
        self._flat: tuple[Any, list[Arrays]] = None, []  # the latest state, and its arrays
        self._structure: Any = jax.tree.structure(())  # of the latest state

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NFSPUpdates) and self._key == other._key

    def begin(self, architecture: Architecture, sizes: Hashable, players: int, seed: int) -> NFSPState:
        """Return untrained networks of an architecture."""
        begun: NFSPState = self._begin(architecture, sizes, players, jax.random.key(seed))
        return begun

    @partial(jax.jit, static_argnums=(0, 1, 2, 3))
    def _begin(self, architecture: Architecture, sizes: Hashable, players: int, key: Arrays) -> NFSPState:
        values, policies = (stacked(architecture, sizes, players, own) for own in jax.random.split(key, 2))
        value_state, policy_state = jax.vmap(self._value_rule.init)(values), jax.vmap(self._policy_rule.init)(policies)
        return NFSPState(values, values, policies, value_state, policy_state)

    def learn(self, state: NFSPState, transitions: Transitions, moves: Moves) -> NFSPState:
        """Make one update of every network for each of the batches."""
        arrays = self._arrays(state)
        arrays = self._learn_flat(self._structure, arrays, transitions, moves)
        learned: NFSPState = jax.tree.unflatten(self._structure, arrays)
        self._flat = learned, arrays
        return learned

    def act(self, state: NFSPState, observations: Any, policy: Arrays | Array, explore: Arrays | float) -> Arrays:
        """Return [n, A] action probabilities of policy[n] at n observations."""
        arrays = self._arrays(state)
        found: Arrays = self._act_flat(self._structure, arrays, observations, policy, explore)
        return found

    def _arrays(self, state: NFSPState) -> list[Arrays]:
        """Return the arrays of a state; those of the latest are kept, because networks take long to flatten."""
        if state is not self._flat[0]:
            arrays, self._structure = jax.tree.flatten(state)
            self._flat = state, arrays
        return self._flat[1]

    @partial(jax.jit, static_argnums=(0, 1))
    def _learn_flat(self, structure: Any, arrays: list[Arrays], transitions: Transitions, moves: Moves) -> list[Arrays]:
        """Learn with a state of this structure, given as its arrays."""
        return jax.tree.leaves(self._learn(jax.tree.unflatten(structure, arrays), transitions, moves))

    @partial(jax.jit, static_argnums=(0, 1))
    def _act_flat(self, structure: Any, arrays: list[Arrays], *observed: Any) -> Arrays:
        return self._act(jax.tree.unflatten(structure, arrays), *observed)

    @partial(jax.jit, static_argnums=0)
    def outputs(self, networks: Network) -> Arrays:
        """Return [players, rows, A] the networks' outputs at every information state."""
        return masked(outputs(networks, self.features), self.legal)

    @staticmethod
    def hidden_units(networks: Network) -> int:
        """Return the units of the first layer."""
        return int(networks.layers[0].weight.shape[1])

    @partial(jax.jit, static_argnums=(0, 6))
    def mean(self, networks: Network, player: int, cards: Arrays, public: Arrays, legal: Arrays, best: bool) -> Arrays:
        """Return [n, b, A] a player's probabilities at n nodes with b buckets, the mean over the S hands of each bucket.

        Features are cards[b, S, .], then public[n, .]: the first layer is the sum of its products with each. legal[n, A].
        """
        first, *others = jax.tree.map(lambda leaf: leaf[player], networks).layers
        by_hand = cards @ first.weight[:, : cards.shape[2]].T
        by_node = public @ first.weight[:, cards.shape[2] :].T + first.bias
        found = by_hand + by_node[:, None, None]
        for layer in others:
            found = jax.nn.relu(found) @ layer.weight.T + layer.bias
        legal = legal[:, None, None]
        best_action = jax.nn.one_hot(masked(found, legal).argmax(axis=3), legal.shape[3])
        probabilities = best_action if best else jnp.exp(log_probabilities(found, legal))
        return probabilities.mean(axis=2)

    def _inputs(self, observations: Any) -> tuple[Any, Arrays]:
        """Return (features [n, F], legal [n, A]) of n observations."""
        if isinstance(observations, Encoded):
            return observations.features, self.legal[observations.node]
        row = observations.reshape(-1)
        return self.features[row], self.legal[row]

    def _act(self, state: NFSPState, observations: Any, policy: Arrays, explore: Arrays) -> Arrays:
        """Return [n, A] action probabilities of policy[n], numbered as in `kernels.learners.nfsp`, at n observations.

        With more than two players, the opponents' probabilities are the mean of their average policies at the same observation.
        """
        modes = policy_modes(len(jax.tree.leaves(state.policies)[0]))
        player, mode = (jnp.asarray(table)[jnp.maximum(policy, 0)] for table in modes)
        return self._behaviour(state, observations, player, mode, explore)

    def _behaviour(self, state: NFSPState, observations: Any, player: Arrays, mode: Arrays, explore: Arrays) -> Arrays:
        """Return [..., n, A] action probabilities of player[n] with mode[..., n] at n observations."""
        (values, legal), (logits, _) = (self._evaluated(each, observations) for each in (state.values, state.policies))
        other = (player != jnp.arange(len(logits))[:, None])[:, :, None]
        others = jnp.mean(jnp.exp(log_probabilities(logits, legal)), axis=0, where=other)
        values, logits = (jnp.take_along_axis(each, player[None, :, None], axis=0)[0] for each in (values, logits))
        return behaviour(values, logits, others, legal, mode, explore, self._matrix, self._unit)

    def _evaluated(self, networks: Network, observations: Any) -> tuple[Arrays, Arrays]:
        """Return ([networks, n, A] outputs, legal [n, A]) at n observations."""
        here, legal = self._inputs(observations)
        found: Arrays = self._each(lambda network: jax.vmap(network)(here), networks)
        return found, legal

    def _value_loss(self, network: Network, slower: Network, batch: Any) -> Arrays:
        (here, _), (after, legal) = self._inputs(batch.observations), self._inputs(batch.next_observations)
        last, next_values = batch.moves_left == 0, jax.vmap(slower)(after)
        preferred = jax.vmap(network)(after) if self._double else next_values
        next_value = q_targets.double(next_values, preferred, legal)  # the greatest value, unless `double`
        target = q_targets.target(batch.won, next_value, last)
        return q_targets.bellman_loss(jax.vmap(network)(here), batch.action, target)

    def _policy_loss(self, network: Network, batch: Any) -> Arrays:
        here, legal = self._inputs(batch.observations)
        return likelihood_loss(jax.vmap(network)(here), legal, batch.action)

    def _learn(self, state: NFSPState, transitions: Transitions, moves: Moves) -> NFSPState:
        """Make one update of every network for each of the batches."""
        learned: NFSPState = jax.lax.scan(self._update, state, (transitions, moves))[0]
        return learned

    def _update(self, state: NFSPState, batch: tuple[Transitions, Moves]) -> tuple[NFSPState, None]:
        by_values, by_policies = self._gradients(state, *batch)
        values, value_state = optimise_all(self._value_rule, by_values, state.value_state, state.values)
        policies, policy_state = optimise_all(self._policy_rule, by_policies, state.policy_state, state.policies)
        return NFSPState(values, state.target, policies, value_state, policy_state), None

    def _gradients(self, state: NFSPState, transitions: Transitions, moves: Moves) -> tuple[Tree, Tree]:
        """Return the gradients of the loss of each value network, and of each policy network."""
        by_values = self._each(eqx.filter_grad(self._value_loss), state.values, state.target, transitions)
        return by_values, self._each(eqx.filter_grad(self._policy_loss), state.policies, moves)

    def _each(self, function: Callable[..., Tree], *stacks: Tree) -> Tree:
        """Apply a function to each of the stacked networks, and to the parts of further stacks that belong to it."""
        return eqx.filter_vmap(function)(*stacks)

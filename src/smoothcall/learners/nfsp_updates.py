"""What JAX compiles for neural fictitious self-play: acting, and one update after the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp

from smoothcall.learners import policy_loss as imitation
from smoothcall.learners import q_targets as dqn
from smoothcall.learners import simplex
from smoothcall.learners.features import Shown
from smoothcall.learners.memory import BEST, GRADIENT, Moves, Transitions, seated
from smoothcall.learners.networks import Arrays, Network, Tree, answers, masked, optimiser, several, steps


class Pair(NamedTuple):
    """What the players have learned: networks of all players, and their optimisers."""

    values: Network
    target: Network
    policies: Network
    value_state: Tree
    policy_state: Tree


def behaviour(
    values: Arrays, said: Arrays, others: Arrays, legal: Arrays, mode: Arrays, explore: Arrays | float, matrix: str
) -> Arrays:
    """[n, A] the probabilities of the moves of n players, of whom each follows mode[n]: AVERAGE, BEST or GRADIENT.

    values[n, A] and said[n, A] are what a player's own networks say of the actions, others[n, A] the probabilities of the actions by
    its opponents' average policies. The average policy is the softmax of what is said. The best response makes any move with
    the chance `explore`, else the one of the highest value. The gradient (pricope2021) is the average policy moved by M Pi',
    and the nearest probabilities to that: M Pi' is the values where the matrix is of "columns", the values times Pi', the others'
    probabilities, where it is "diagonal".
    """
    average = jnp.exp(imitation.log_chances(said, legal))
    best = jax.nn.one_hot(masked(values, legal).argmax(axis=1), legal.shape[1])
    anything = legal / legal.sum(axis=1, keepdims=True)
    response = explore * anything + (1 - explore) * best
    better = simplex.nearest(average + (values * others if matrix == "diagonal" else values), legal)
    mode = mode[:, None]
    return jnp.where(mode == BEST, response, jnp.where(mode == GRADIENT, better, average))


class SelfPlay:
    """Compiled for a game with the features seen[rows, F] of its information states and legal[rows, A].

    Observations are rows of both, or `Shown`: then `seen` only says how wide they are.
    """

    def __init__(
        self,
        seen: Arrays,
        legal: Arrays,
        *,
        by: str,
        value_rate: float,
        policy_rate: float,
        cool: float,
        double: bool,
        matrix: str = "columns",
    ) -> None:
        self.seen, self.legal, self._double, self._matrix = jnp.asarray(seen), jnp.asarray(legal), double, matrix
        self._by_value, self._by_policy = (optimiser(by, rate, cool) for rate in (value_rate, policy_rate))
        self.learn: Callable[[Pair, Transitions, Moves], Pair] = jax.jit(self._learn)
        self.act: Callable[..., Arrays] = jax.jit(self._act)
        self.mean: Callable[..., Arrays] = jax.jit(self._mean, static_argnums=5)

    def begin(self, make: Callable[[Arrays], Any] | int, players: int, seed: int) -> Pair:
        """Networks that know nothing: with one hidden layer of so many units, or made with a key."""
        inputs, outputs = self.seen.shape[-1], self.legal.shape[1]
        own = make if callable(make) else lambda key: Network((inputs, make, outputs), key)
        values, policies = (several(own, players, key) for key in jax.random.split(jax.random.key(seed), 2))
        return Pair(values, values, policies, jax.vmap(self._by_value.init)(values), jax.vmap(self._by_policy.init)(policies))

    def said(self, networks: Network) -> Arrays:
        """[players, rows, A] what the networks say of every information state."""
        return masked(answers(networks, self.seen), self.legal)

    @staticmethod
    def hidden(networks: Network) -> int:
        """Units of the first layer."""
        return int(networks.layers[0].weight.shape[1])

    def _mean(self, networks: Network, player: int, held: Arrays, there: Arrays, legal: Arrays, best: bool) -> Arrays:
        """[n, b, A] what a player's network would do at n nodes with b buckets, on average over the S hands of each.

        What it is shown is held[b, S, .], then there[n, .]: the first layer adds up what it makes of either. legal[n, A].
        """
        first, *others = jax.tree.map(lambda leaf: leaf[player], networks).layers
        cards = held @ first.weight[:, : held.shape[2]].T
        nodes = there @ first.weight[:, held.shape[2] :].T + first.bias
        said = cards + nodes[:, None, None]
        for layer in others:
            said = jax.nn.relu(said) @ layer.weight.T + layer.bias
        legal = legal[:, None, None]
        best_action = jax.nn.one_hot(masked(said, legal).argmax(axis=3), legal.shape[3])
        probabilities = best_action if best else jnp.exp(imitation.log_chances(said, legal))
        return probabilities.mean(axis=2)

    def _look(self, shown: Any) -> tuple[Any, Arrays]:
        """(what a network is shown [n, F], legal[n, A]) of n observations."""
        if isinstance(shown, Shown):
            return shown.inputs, self.legal[shown.node]
        row = shown.reshape(-1)
        return self.seen[row], self.legal[row]

    def _act(self, pair: Pair, shown: Any, who: Arrays, explore: Arrays) -> Arrays:
        """[n, A] the probabilities of the moves at n observations of who[n], as `kernels.learners.memory.sit_down` numbers them.

        Where there are more than two players, the others' probabilities are the mean of what their average policies would do here.
        """
        here, legal = self._look(shown)
        values, said = (answers(each, here) for each in (pair.values, pair.policies))
        player, mode = (jnp.asarray(table)[jnp.maximum(who, 0)] for table in seated(len(said)))
        other = (player != jnp.arange(len(said))[:, None])[:, :, None]
        others = jnp.mean(jnp.exp(imitation.log_chances(said, legal)), axis=0, where=other)
        values, said = (jnp.take_along_axis(each, player[None, :, None], axis=0)[0] for each in (values, said))
        return behaviour(values, said, others, legal, mode, explore, self._matrix)

    def _value_loss(self, network: Network, slower: Network, batch: Any) -> Arrays:
        (here, _), (after, legal), last = self._look(batch.seen), self._look(batch.after), batch.left == 0
        ahead = jax.vmap(slower)(after)
        preferred = jax.vmap(network)(after) if self._double else ahead
        worth = dqn.double(ahead, preferred, legal)  # without another network's preference, the greatest value
        aim = dqn.target(jnp.where(last, batch.won, 0.0), worth, last)
        return dqn.bellman_loss(jax.vmap(network)(here), batch.action, aim)

    def _policy_loss(self, network: Network, batch: Any) -> Arrays:
        here, legal = self._look(batch.seen)
        return imitation.likelihood_loss(jax.vmap(network)(here), legal, batch.action)

    def _learn(self, pair: Pair, transitions: Transitions, moves: Moves) -> Pair:
        """One update of every network for each of the batches."""

        def update(pair: Pair, batch: tuple[Transitions, Moves]) -> tuple[Pair, None]:
            slope = eqx.filter_vmap(eqx.filter_grad(self._value_loss))(pair.values, pair.target, batch[0])
            values, value_state = steps(self._by_value, slope, pair.value_state, pair.values)
            slope = eqx.filter_vmap(eqx.filter_grad(self._policy_loss))(pair.policies, batch[1])
            policies, policy_state = steps(self._by_policy, slope, pair.policy_state, pair.policies)
            return Pair(values, pair.target, policies, value_state, policy_state), None

        learned: Pair = jax.lax.scan(update, pair, (transitions, moves))[0]
        return learned

"""What networks learn by, against numbers and gradients worked out by hand, and whole updates against plain NumPy."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import exp, log, sqrt
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import enable_x64

import smoothcall.solvers  # noqa: F401 - modules of smoothcall.learners cannot be imported before it
from smoothcall.agents.batch_wrappers import Table
from smoothcall.agents.layers import forward
from smoothcall.kernels.simulation.observations import EQUITY, OBSERVATION, POT, STACK, TO_CALL
from smoothcall.kernels.tables import CALL, FOLD_SLOT
from smoothcall.learners import policy_loss as imitation
from smoothcall.learners import q_targets as q_targets
from smoothcall.learners.deep_q import theoretical_value
from smoothcall.learners.double_q_updates import DoubleQUpdates
from smoothcall.learners.memory import Moves, Transitions
from smoothcall.learners.networks import Network, layers_of, masked, optimiser, stacked, untrained
from smoothcall.learners.nfsp_updates import NFSPUpdates
from smoothcall.learners.policy_gradient import CHOICES, PolicyGradientUpdates, amount_loss, policy_loss, value_loss, weighted

# Action values of two states; the best of the first and the best of the second are not legal.
VALUES = np.array([[1.0, 5.0, 3.0], [2.0, -1.0, 4.0]], np.float32)
LEGAL = np.array([[True, False, True], [True, True, False]])

# Logits whose probabilities are 1/4, 3/4 (the last action is not legal), and 1/4, 1/4, 1/2.
SAID = np.log(np.array([[1.0, 3.0, 5.0], [2.0, 2.0, 4.0]], np.float32))
OPEN = np.array([[True, True, False], [True, True, True]])
PROBABILITIES = np.array([[0.25, 0.75, 0.0], [0.25, 0.25, 0.5]])
log_probabilities, likelihood_loss = jax.jit(imitation.log_probabilities), jax.jit(imitation.likelihood_loss)
ENTROPIES = (log(4) / 4 + 3 / 4 * log(4 / 3), log(4) / 2 + log(2) / 2)


def near(found: Any, wanted: Any, within: float = 1e-6) -> None:
    np.testing.assert_allclose(np.asarray(found), wanted, rtol=within, atol=within)


def slope(function: Callable[..., Any], place: int = 0) -> Callable[..., Any]:
    """Return the gradient by an argument, compiled as a whole: JAX compiles every operation of a function that is not."""
    return jax.jit(jax.grad(function, argnums=place))


def near_differences(function: Callable[[Any], Any], at: np.ndarray) -> None:
    """The gradient of a function at a table is what its central differences say, in 64 bits."""
    step = 1e-5
    with enable_x64():
        at = at.astype(np.float64)
        value, gradient = jax.jit(function), np.asarray(slope(function)(at))
        assert gradient.dtype == np.float64
        for place in np.ndindex(at.shape):
            change = np.zeros_like(at)
            change[place] = step
            assert gradient[place] == pytest.approx(float(value(at + change) - value(at - change)) / (2 * step), abs=1e-8)


# Action values


def test_what_the_next_state_is_worth() -> None:
    near(q_targets.greatest(VALUES, LEGAL), [3, 2])
    preferred = np.array([[0.0, 9.0, -1.0], [-3.0, -2.0, 7.0]], np.float32)  # legal: the first action, and the second
    near(q_targets.double(VALUES, preferred, LEGAL), [1, -1])
    near(q_targets.double(VALUES, VALUES, LEGAL), [3, 2])
    other = np.array([[2.5, 0.0, 2.0], [3.0, 6.0, 9.0]], np.float32)  # its own best: 2.5 and 6
    near(q_targets.clipped_double(VALUES, other, LEGAL), [2.5, 2])
    near(q_targets.clipped_double(other, VALUES, LEGAL), [2.5, 2])


def test_targets() -> None:
    reward, ahead, last = np.array([0.5, -2.0]), np.array([3.0, 2.0]), np.array([False, True])
    near(q_targets.target(reward, ahead, last, 0.9), [0.5 + 0.9 * 3, -2])
    near(q_targets.target(reward, ahead, last), [3.5, -2])
    nothing = q_targets.greatest(VALUES, np.array([[True, True, True], [False, False, False]]))
    near(q_targets.target(reward, nothing, last, 0.5), [0.5 + 0.5 * 5, -2])


def test_nothing_is_learned_through_a_target() -> None:
    for place in (0, 1):
        gradient = slope(lambda *parts: q_targets.target(*parts, np.array([False, True]), 0.9).sum(), place)
        near(gradient(jnp.array([0.5, -2.0]), jnp.array([3.0, 2.0])), [0, 0])

    def loss(values: Any) -> Any:  # both ends by one network, as in Q-learning: only the move made is drawn to its aim
        aim = q_targets.target(np.zeros(2), q_targets.greatest(values, LEGAL), np.array([False, False]))
        return q_targets.bellman_loss(values, np.array([0, 1]), aim)

    near(slope(loss)(jnp.array(VALUES)), [[-(3 - 1), 0, 0], [0, -(2 + 1), 0]])


def test_the_bellman_loss_and_its_slope() -> None:
    action, aim = np.array([2, 0]), np.array([3.2, -2.0], np.float32)
    near(q_targets.bellman_loss(VALUES, action, aim), (0.2**2 + 4**2) / 2)
    # -2 (aim - v) / n at the move made
    near(slope(q_targets.bellman_loss)(VALUES, action, aim), [[0, 0, -0.2], [4, 0, 0]], 1e-5)
    near_differences(lambda values: q_targets.bellman_loss(values, action, aim.astype(np.float64)), VALUES)


# Probabilities


def test_likelihoods_and_their_slope() -> None:
    action, weight = np.array([1, 2]), np.array([2.0, -1.0], np.float32)
    near(np.exp(log_probabilities(SAID, OPEN)), PROBABILITIES)
    near(likelihood_loss(SAID, OPEN, action), -(log(0.75) + log(0.5)) / 2)
    near(likelihood_loss(SAID, OPEN, action, weight), -(2 * log(0.75) - log(0.5)) / 2)
    made = np.array([[0, 1, 0], [0, 0, 1]])
    near(slope(likelihood_loss)(SAID, OPEN, action), (PROBABILITIES - made) / 2)
    near(slope(likelihood_loss)(SAID, OPEN, action, weight), weight[:, None] * (PROBABILITIES - made) / 2)
    near_differences(lambda said: likelihood_loss(said, OPEN, action, weight.astype(np.float64)), SAID)


def test_entropy_and_its_slope() -> None:
    near(jax.jit(imitation.entropy)(SAID, OPEN), sum(ENTROPIES) / 2)
    near(jax.jit(imitation.entropy)(np.zeros((1, 3), np.float32), OPEN[:1]), log(2))
    near(jax.jit(imitation.entropy)(np.zeros((1, 3), np.float32), np.array([[False, True, False]])), 0)
    wanted = [
        [-p * (log(p) + own) / 2 if p else 0.0 for p in probabilities]
        for probabilities, own in zip(PROBABILITIES, ENTROPIES, strict=True)
    ]
    near(slope(imitation.entropy)(SAID, OPEN), wanted)
    near_differences(lambda said: jax.jit(imitation.entropy)(said, OPEN), SAID)


def test_the_loss_of_likely_moves() -> None:
    """With a network that says what it sees."""
    better = np.array([2.0, -1.0], np.float32)

    def loss(said: Any) -> Any:
        return policy_loss(lambda inputs: inputs, said, (OPEN, np.array([1, 2])), better, 0.0, 0.1)

    near(jax.jit(loss)(SAID), -(2 * log(0.75) - log(0.5)) / 2 - 0.1 * sum(ENTROPIES) / 2)
    near_differences(loss, SAID)


def logistic(number: float) -> float:
    return 1 / (1 + exp(-number))


def test_the_loss_of_amounts() -> None:
    """An amount falls between two with the difference of the logistic function there; below 0 it still learns."""
    said, better = np.array([[0.3], [-0.4], [2.0]], np.float32), np.array([2.0, 3.0, -5.0], np.float32)
    low, high = np.array([0.0, -1000.0, 1.5], np.float32), np.array([1.0, 0.5, 1000.0], np.float32)
    probabilities = (logistic(0.7 / 0.5) - logistic(-0.3 / 0.5), logistic(0.9 / 0.5), 1 - logistic(-0.5 / 0.5))

    def loss(said: Any) -> Any:
        return amount_loss(lambda inputs: inputs, said, (low, high), better, 0.0, 0.5)

    near(jax.jit(loss)(said), -(2 * log(probabilities[0]) + 3 * log(probabilities[1]) - 5 * log(probabilities[2])) / 3)
    # d log (F(h) - F(l)) / d amount = (F(h) + F(l) - 1) / blur, F being logistic: bounded by 1 / blur
    ends = (logistic(0.7 / 0.5) + logistic(-0.3 / 0.5), logistic(0.9 / 0.5), logistic(-0.5 / 0.5) + 1)
    wanted = [[-2 * (ends[0] - 1) / 0.5 / 3], [-3 * (ends[1] - 1) / 0.5 / 3], [5 * (ends[2] - 1) / 0.5 / 3]]
    near(slope(loss)(said), wanted, 1e-5)
    near_differences(loss, said)


def test_trials_that_did_worse_hardly_count() -> None:
    """The less, the less likely the network makes them than a trial; those that did better count in full."""
    better, chance = np.array([0.5, -0.5, -0.5, -0.5], np.float32), np.array([0.01, 1.0, 0.05, 0.0], np.float32)
    near(jax.jit(weighted)(better, chance, 0.0)[:3], better[:3])
    near(jax.jit(weighted)(better, chance, 0.4), [0.5, -0.5, -0.5 * 0.05 / (0.4 / CHOICES), 0], 1e-6)
    assert slope(lambda given: weighted(better, given, 0.2).sum())(chance).tolist() == [0] * 4, "nothing is learned through it"


def test_the_pull_of_amounts_is_bounded_and_finite() -> None:
    """However far the network is from what was made, and however narrow that was."""
    said = np.array([[900.0], [0.1], [500.0], [3.0]], np.float32)
    low, high = np.array([-1000.0, 990.0, 3.0, 2.99], np.float32), np.array([0.5, 1000.0, 3.01, 3.0], np.float32)
    gradient = slope(lambda said: amount_loss(lambda inputs: inputs, said, (low, high), np.ones(4, np.float32), 0.0, 0.5))(said)
    assert np.isfinite(gradient).all()
    near(gradient[:3, 0], [1 / 0.5 / 4, -1 / 0.5 / 4, 1 / 0.5 / 4], 1e-3)
    assert abs(np.asarray(gradient)).max() <= 1 / 0.5 / 4 + 1e-3


def test_the_loss_of_expectations() -> None:
    said, worth = np.array([[1.0], [-2.0]], np.float32), np.array([0.5, 1.0], np.float32)
    near(jax.jit(partial(value_loss, lambda inputs: inputs))(said, worth), (0.5**2 + 3**2) / 2)
    near(slope(lambda inputs: value_loss(lambda own: own, inputs, worth))(said), [[0.5], [-3]])


# What theory promises (epfl2020, section 4.2)

TABLE = Table(bet=0.1, factors=(1, 2, 3, 4))
RAISE_1, RAISE_2, RAISE_3, RAISE_4 = range(CALL + 1, CALL + 5)


@pytest.mark.parametrize(
    ("action", "equity", "pot", "to_call", "stack", "wanted"),
    [
        (CALL, 0.6, 0.1, 0.0, 0.95, 0.6 * 0.1 - 0.4 * 0.1),
        (CALL, 0.6, 0.3, 0.1, 0.9, 0.6 * 0.4 - 0.4 * 0.4),
        (CALL, 0.25, 0.3, 0.1, 0.04, 0.25 * 0.34 - 0.75 * 0.34),
        (RAISE_1, 0.7, 0.1, 0.0, 0.95, 0.7 * 0.2 - 0.3 * 0.2),
        (RAISE_2, 0.7, 0.3, 0.1, 0.9, (0.7 * 0.6 - 0.3 * 0.6) / 2 + 0.3 / 2),
        (RAISE_3, 0.7, 0.1, 0.0, 0.95, (0.7 * 0.4 - 0.3 * 0.4) / 3 + 0.1 * 2 / 3),
        (RAISE_3, 0.7, 0.1, 0.0, 0.25, (0.7 * 0.35 - 0.3 * 0.35) / 3 + 0.1 * 2 / 3),
        (RAISE_4, 0.5, 0.1, 0.0, 0.95, 0.1 * 3 / 4),
        (FOLD_SLOT, 0.9, 0.3, 0.1, 0.9, -0.3),
    ],
)
def test_what_theory_promises(action: int, equity: float, pot: float, to_call: float, stack: float, wanted: float) -> None:
    observations = np.zeros(
        (2, OBSERVATION), np.float32
    )  # the second observation is another one: nothing leaks from row to row
    observations[0, [EQUITY, POT, TO_CALL, STACK]] = equity, pot, to_call, stack
    observations[1, [EQUITY, POT, TO_CALL, STACK]] = 0.75, 0.8, 0.2, 1.0
    near(theoretical_value(TABLE, observations, np.array([action, CALL])), [wanted, 0.5 * (0.8 + 0.2)])


# Networks and optimisers


def test_rates_cool() -> None:
    """An unchanging gradient of 1 moves a number by the rate of each update, with either optimiser."""
    for name in ("sgd", "adam"):
        for cool, wanted in ((4.0, [0.5 / sqrt(1 + done / 4) for done in range(9)]), (0.0, [0.5] * 9)):
            rule, number = optimiser(name, 0.5, cool), jnp.zeros(1)
            state, found, update = rule.init(number), [], jax.jit(rule.update)
            for _ in range(9):
                change, state = update(jnp.ones(1), state, number)
                found.append(-float(change[0]))
            near(found, wanted, 1e-5)


def test_playing_needs_the_weights_only() -> None:
    network = untrained(Network, (6, 16, 16, 16, 5), jax.random.key(1))
    layers = [(np.asarray(weight), np.asarray(bias)) for weight, bias in layers_of(network)]
    inputs = np.random.default_rng(2).normal(size=(50, 6)).astype(np.float32)
    found = forward(layers, inputs)
    assert found.dtype == np.float32
    assert abs(found).max() > 0.1
    near(found, jax.jit(jax.vmap(network))(inputs))
    assert (found < 0).any(), "the last layer is linear"
    bounds = [1 / sqrt(weight.shape[1]) for weight, _ in layers]
    for (weight, bias), bound in zip(layers, bounds, strict=True):
        assert 0.8 * bound < abs(weight).max() <= bound
        assert abs(bias).max() <= bound


# Integer updates, by NumPy in 64 bits


class Plain:
    """A network with one hidden layer, its gradients written out."""

    def __init__(self, layers: Any) -> None:
        (self.one, self.first), (self.two, self.second) = (
            (np.array(w, np.float64), np.array(b, np.float64)) for w, b in layers
        )

    def __call__(self, inputs: np.ndarray) -> np.ndarray:
        return np.maximum(inputs @ self.one.T + self.first, 0) @ self.two.T + self.second

    def gradients(self, inputs: np.ndarray, said: np.ndarray) -> list[np.ndarray]:
        """Of a loss by its gradient said[n, A] at what the network says."""
        before = inputs @ self.one.T + self.first
        hidden = np.maximum(before, 0)
        below = said @ self.two * (before > 0)
        return [below.T @ inputs, below.sum(axis=0), said.T @ hidden, said.sum(axis=0)]

    @property
    def parts(self) -> list[np.ndarray]:
        return [self.one, self.first, self.two, self.second]

    def step(self, gradients: list[np.ndarray], rate: float) -> None:
        for part, gradient in zip(self.parts, gradients, strict=True):
            part -= rate * gradient

    def adam(self, gradients: list[np.ndarray], rate: float) -> None:
        """The first step of Adam: its means are the gradient and its square."""
        self.step([gradient / (abs(gradient) + 1e-8) for gradient in gradients], rate)


def plain(networks: Network, player: int) -> Plain:
    return Plain(layers_of(jax.tree.map(lambda leaf: leaf[player], networks)))


def probabilities_of(said: np.ndarray, legal: np.ndarray) -> np.ndarray:
    likely = np.where(legal, np.exp(said), 0)
    return likely / likely.sum(axis=1, keepdims=True)


ROWS, FEATURES, ACTIONS, HIDDEN, PLAYERS, BATCH, UPDATES = 7, 5, 3, 4, 2, 6, 3
SIZES = (FEATURES, HIDDEN, ACTIONS)


def observation(seed: int) -> tuple[np.random.Generator, np.ndarray, np.ndarray, Transitions, Moves]:
    random = np.random.default_rng(seed)
    inputs = random.normal(size=(ROWS, FEATURES)).astype(np.float32)
    legal = random.random((ROWS, ACTIONS)) < 0.6
    legal[np.arange(ROWS), random.integers(ACTIONS, size=ROWS)] = True
    shape = (UPDATES, PLAYERS, BATCH)

    def made(rows: np.ndarray) -> np.ndarray:
        """A legal move in each row."""
        return np.array([random.choice(np.flatnonzero(legal[row])) for row in rows.reshape(-1)], np.int32).reshape(shape)

    rows, after, copied = (random.integers(ROWS, size=shape).astype(np.int32) for _ in range(3))
    left, won = random.integers(3, size=shape).astype(np.int32), random.normal(size=shape).astype(np.float32)
    transitions = Transitions(rows[..., None], made(rows), after[..., None], left, won)
    return random, inputs, legal, transitions, Moves(copied[..., None], made(copied))


@pytest.mark.parametrize("double", [False, True], ids=["target network", "double"])
def test_updates_of_neural_fictitious_self_play(double: bool) -> None:
    _, inputs, legal, transitions, moves = observation(3)
    learner = NFSPUpdates(inputs, legal, rule="sgd", value_rate=0.2, policy_rate=0.3, cool=2.0, double=double)
    state = learner.begin(Network, SIZES, PLAYERS, seed=1)
    state = state._replace(target=learner.begin(Network, SIZES, PLAYERS, seed=2).values)  # so that it disagrees
    learned = learner.learn(state, transitions, moves)
    chose_otherwise = 0
    for player in range(PLAYERS):
        values, slower, policy = (plain(networks, player) for networks in (state.values, state.target, state.policies))
        for update in range(UPDATES):
            cooled, at = 1 / sqrt(1 + update / 2), (update, player)
            rows, after = transitions.observations[at][:, 0], transitions.next_observations[at][:, 0]
            ahead, own = (np.where(legal[after], network(inputs[after]), -np.inf) for network in (slower, values))
            best = (own if double else ahead).argmax(axis=1)
            chose_otherwise += (own.argmax(axis=1) != ahead.argmax(axis=1)).sum()
            last = transitions.moves_left[at] == 0
            aim = transitions.won[at] + np.where(last, 0, ahead[np.arange(BATCH), best])  # rewards also come before the end
            said, action = values(inputs[rows]), transitions.action[at]
            gradient = np.zeros((BATCH, ACTIONS))
            gradient[np.arange(BATCH), action] = -2 * (aim - said[np.arange(BATCH), action]) / BATCH
            values.step(values.gradients(inputs[rows], gradient), 0.2 * cooled)
            rows = moves.observations[at][:, 0]
            probabilities = probabilities_of(policy(inputs[rows]), legal[rows])
            policy.step(
                policy.gradients(inputs[rows], (probabilities - np.eye(ACTIONS)[moves.action[at]]) / BATCH), 0.3 * cooled
            )
        for networks, wanted in ((learned.values, values), (learned.policies, policy), (learned.target, slower)):
            for found, part in zip(plain(networks, player).parts, wanted.parts, strict=True):
                near(found, part, 1e-5)
    assert chose_otherwise > 3, "the two ways to value the next state were told apart"
    assert abs(plain(learned.values, 0).one - plain(state.values, 0).one).max() > 1e-3


def test_acting_in_neural_fictitious_self_play() -> None:
    """Policy index 2p is the average policy, 2p + 1 the best response, -1 none."""
    _, inputs, legal, _, _ = observation(4)
    learner = NFSPUpdates(inputs, legal, rule="sgd", value_rate=0.1, policy_rate=0.1, cool=0.0, double=False)
    state = learner.begin(Network, SIZES, PLAYERS, seed=5)
    row, who = np.arange(ROWS, dtype=np.int32), np.array([0, 1, 2, 3, 3, -1, 2], np.int8)
    found = np.asarray(learner.act(state, row, who, 0.25))
    for place in (0, 2, 6):
        near(found[place], probabilities_of(plain(state.policies, who[place] // 2)(inputs[[place]]), legal[[place]])[0], 1e-5)
    for place in (1, 3, 4):
        values = np.where(legal[place], plain(state.values, who[place] // 2)(inputs[[place]])[0], -np.inf)
        near(found[place], 0.25 * legal[place] / legal[place].sum() + 0.75 * (values == values.max()))
    near(found.sum(axis=1), 1)
    near(learner.outputs(state.values)[1], np.asarray(masked(plain(state.values, 1)(inputs), legal)), 1e-5)


def test_players_begin_apart_and_targets_alike() -> None:
    networks = stacked(Network, SIZES, 2, jax.random.key(0))
    assert (plain(networks, 0).one != plain(networks, 1).one).all()
    learner = NFSPUpdates(
        np.ones((2, FEATURES)), np.ones((2, 3), bool), rule="sgd", value_rate=0.1, policy_rate=0.1, cool=0, double=False
    )
    state = learner.begin(Network, SIZES, 2, 1)
    for one, other in zip(jax.tree.leaves(state.values), jax.tree.leaves(state.target), strict=True):
        near(one, other, 0)
    assert (plain(state.values, 0).one != plain(state.policies, 0).one).all()


def layers(tables: dict[str, np.ndarray], name: str) -> Plain:
    return Plain([(tables[f"weight-{name}-{number}"], tables[f"bias-{name}-{number}"]) for number in (0, 1)])


@pytest.mark.parametrize("kind", ["moves", "squared", "logistic"])
def test_updates_of_deep_q(kind: str) -> None:
    """Moves are weighed by what the value network expected before it learned from them."""
    random, count, price = np.random.default_rng(1), 9, 0.3
    sizes = {"policy": (6, HIDDEN, 6 if kind == "moves" else 1), "value": (6, HIDDEN, 1)}
    learner = PolicyGradientUpdates(sizes, kind=kind, rate=0.01, price=price, seed=4)
    policy, value = (layers(learner.tables, name) for name in ("policy", "value"))
    inputs, worth = random.normal(size=(count, 6)).astype(np.float32), random.normal(size=count).astype(np.float32)
    said, better = policy(inputs), worth - value(inputs)[:, 0]
    assert 0 < (better > 0).sum() < count
    if kind == "moves":
        legal = random.random((count, 6)) < 0.5
        legal[:, 0] = True
        moves = np.array([random.choice(np.flatnonzero(row)) for row in legal], np.int32)
        learner.update(0.0, inputs, worth, legal, moves)
        probabilities = probabilities_of(said, legal)
        logarithm = np.where(legal, np.log(np.where(legal, probabilities, 1)), 0)
        entropy = -(probabilities * logarithm).sum(axis=1, keepdims=True)
        gradient = better[:, None] * (probabilities - np.eye(6)[moves]) + price * probabilities * (logarithm + entropy)
    elif kind == "squared":
        amount = random.normal(size=count).astype(np.float32)
        learner.update(0.5, inputs, worth, amount, amount)
        gradient = (2 * better * (said[:, 0] - amount))[:, None]
    else:
        low = random.normal(size=count).astype(np.float32)
        high = low + random.random(count).astype(np.float32) + np.float32(0.1)
        learner.update(0.0, inputs, worth, low, high)
        ends = sum(1 / (1 + np.exp(-(end - said[:, 0]) / price)) for end in (low, high))
        gradient = (-better * (ends - 1) / price)[:, None]
        assert 0 < (said > 0).sum() < count
    policy.adam(policy.gradients(inputs, gradient / count), 0.01)
    value.adam(value.gradients(inputs, -2 * better[:, None] / count), 0.01)
    for name, wanted in (("policy", policy), ("value", value)):
        for found, part in zip(layers(learner.tables, name).parts, wanted.parts, strict=True):
            near(found, part, 2e-5)


def test_updates_of_clipped_double_dqn() -> None:
    """Both networks aim at the reward and the smaller of their opinions."""
    random, count = np.random.default_rng(2), 8
    learner = DoubleQUpdates((10, HIDDEN, 6), ("one", "other"), rate=0.01, discount=0.9, seed=3)
    twins = [layers(learner.tables, name) for name in ("one", "other")]
    inputs, after = (random.normal(size=(count, 10)).astype(np.float32) for _ in range(2))
    action, reward = random.integers(6, size=count).astype(np.int32), random.normal(size=count).astype(np.float32)
    legal, last = random.random((count, 6)) < 0.5, random.random(count) < 0.4
    legal[:, 1] = True
    learner.update(*(part[None] for part in (inputs, action, after, legal, last, reward)))
    best = [np.where(legal, network(after), -np.inf).max(axis=1) for network in twins]
    assert 0 < (best[0] < best[1])[~last].sum() < (~last).sum(), "each is the smaller one somewhere"
    aim = reward + np.where(last, 0, 0.9 * np.minimum(*best))
    for network, name in zip(twins, ("one", "other"), strict=True):
        gradient = np.zeros((count, 6))
        gradient[np.arange(count), action] = -2 * (aim - network(inputs)[np.arange(count), action]) / count
        network.adam(network.gradients(inputs, gradient), 0.01)
        for found, part in zip(layers(learner.tables, name).parts, network.parts, strict=True):
            near(found, part, 2e-5)


def test_learners_go_on_from_their_tables() -> None:
    """Adam's means and counts are among them."""
    random = np.random.default_rng(5)
    batches = (
        random.normal(size=(2, 4, 10)).astype(np.float32), random.integers(6, size=(2, 4)).astype(np.int32),
        random.normal(size=(2, 4, 10)).astype(np.float32), np.ones((2, 4, 6), bool), np.zeros((2, 4), bool),
        random.normal(size=(2, 4)).astype(np.float32),
    )  # fmt: skip
    one, other = (DoubleQUpdates((10, HIDDEN, 6), ("one", "other"), rate=0.01, discount=0.9, seed=seed) for seed in (1, 2))
    one.update(*batches)
    for name, table in one.tables.items():
        other.tables[name][...] = table
    other.restored()
    for learner in (one, other):
        learner.update(*batches)
    for name, table in one.tables.items():
        np.testing.assert_array_equal(other.tables[name], table, err_msg=name)

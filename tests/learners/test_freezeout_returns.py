"""Returns of games and of hands, policies by game and by hand, and the unit of action values, in NFSP in freezeouts."""

from __future__ import annotations

import jax
import numpy as np
import pytest

from smoothcall.kernels.tables import Array
from smoothcall.learners.memory import Transitions
from smoothcall.learners.nfsp_freezeouts import FreezeoutNFSP
from smoothcall.learners.nfsp_updates import NFSPUpdates
from tests.learners.test_nfsp_freezeouts import learner, observations

Transition = tuple[Array, int, Array, int, float]  # observation, action, next observation, moves left, reward


def transitions_of(made: FreezeoutNFSP, player: int) -> list[Transition]:
    """The transitions of a player in the order of play; the ring must not have wrapped."""
    ring, count = made._ring, int(made._ring.total[player])
    assert count <= ring.observations.shape[1]
    tables = (ring.observations, ring.action, ring.next_observations, ring.moves_left, ring.won)
    return list(zip(*(table[player, :count] for table in tables), strict=True))


@pytest.mark.parametrize("freezeouts", [12, pytest.param(40, marks=pytest.mark.long)])
def test_a_game_is_one_chain_of_transitions(freezeouts: int) -> None:
    """With one freezeout at a time: each move follows the one before, and the rewards of a freezeout add up to its result."""
    made = learner(hands=1, batch=5000, runouts=0, episode="game", length=20)
    gains, chains = list[float](), [list[list[Transition]](), []]
    while len(gains) < freezeouts:
        done = made.earned[:2].copy()
        made.run(1)
        assert made.earned[1] == done[1] + 1
        gains.append(made.earned[0] - done[0])
    for player in range(2):
        chain = []
        for transition in transitions_of(made, player):
            if chain:
                np.testing.assert_array_equal(chain[-1][2], transition[0], "the next observation is that of the next move")
            chain.append(transition)
            if transition[3] == 0:
                chains[player].append(chain)
                chain = []
        assert not chain
    several = 0
    for player, sign in ((0, 1), (1, -1)):
        results = [sum(float(transition[4]) for transition in chain) for chain in chains[player]]
        several += sum(sum(transition[4] != 0 for transition in chain) > 1 for chain in chains[player])
        assert len(results) >= 0.75 * freezeouts
        if len(results) == len(gains):  # every freezeout had a move of this player before its first result
            assert (
                sum(abs(result - sign * gain) < 1e-6 for result, gain in zip(results, gains, strict=True)) >= 0.625 * freezeouts
            )
    assert several > freezeouts // 4, "games of several hands"


def test_rewards_of_hands_and_of_games() -> None:
    """The same play, before anything is learned: the last move of a hand ends an episode, or leads to the next hand."""
    by_hand, by_game = (learner(hands=16, batch=5000, episode=episode) for episode in ("hand", "game"))
    for made in (by_hand, by_game):
        made.run(40)
    assert by_hand.earned.tolist() == by_game.earned.tolist()
    for player in range(2):
        hands, games = transitions_of(by_hand, player), transitions_of(by_game, player)
        ends = [sum(transition[3] == 0 for transition in each) for each in (hands, games)]
        assert ends[0] > ends[1] > 0
        assert len(hands) - len(games) <= 16, "moves whose successor is not known yet"
    sampled = Transitions(*(np.array([[0, 1]]) for _ in range(3)), np.array([[0, 2]]), np.array([[3.0, 5.0]], np.float32))
    assert by_hand._rewards(sampled).tolist() == [[3, 0]]
    assert by_game._rewards(sampled).tolist() == [[3, 5]]


def test_hands_of_a_game_may_have_their_own_policies() -> None:
    for resample, expected in (("game", False), ("hand", True)):
        made, changed = learner(hands=64, eta=0.5, resample=resample, batch=5000), False
        before = made.env.freezeouts.policy.copy()
        for _ in range(30):
            played = made.env.freezeouts.played.copy()
            made._play_turn()
            policy = made.env.freezeouts.policy
            changed |= bool(((policy != before).any(axis=1) & (played > 0) & (policy[:, 1] >= 0)).any())
            before = policy.copy()
        assert changed == expected


def test_values_in_chips_move_the_gradient_policy_further() -> None:
    apart, observed = {}, observations(5)[:200]
    for unit in ("chips", "stacks"):
        made = learner(unit=unit, rho=0.5)
        encoded = made._encoder.encode(observed)
        average, gradient = (
            np.asarray(made._updates.act(made._state, encoded, np.full(len(observed), policy, np.int8), 0.0))
            for policy in (0, 4)
        )
        apart[unit] = np.abs(average - gradient).sum(axis=1).mean() / 2
        assert made._gradient_unit == {"chips": 30, "stacks": 1}[unit]
    assert apart["chips"] > 3 * apart["stacks"] > 0


@pytest.mark.long
def test_networks_on_images_learn_as_stacked_ones_do() -> None:
    """One network and one batch at a time, with the same result as all at once."""
    made = learner(inputs="images", hands=8, batch=4, every=8, channels=2, hidden=4)
    stacked = NFSPUpdates(
        made._encoder.features, made._encoder.legal, rule="adam", value_rate=0.001, policy_rate=0.001, cool=0.0, double=True
    )
    made.run(6)
    drawn = made._draw()
    one, other = made._updates.learn(made._state, *drawn), stacked.learn(made._state, *drawn)
    for mine, wanted in zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True):
        np.testing.assert_allclose(mine, wanted, atol=2e-5)
    before, after = (jax.tree.leaves(state.values)[0] for state in (made._state, one))
    assert np.abs(np.asarray(before) - np.asarray(after)).max() > 1e-4

"""Learned response: close to the best response, from below, where that is known."""

from __future__ import annotations

import json

import numpy as np
import pytest

import smoothcall as sc
from smoothcall.evaluation.learned_response import learned_response
from smoothcall.evaluation.policy_match import mbb
from tests.conftest import built


def some_policy(game: sc.Game) -> sc.Policy:
    return sc.Policy.from_weights(game, np.random.default_rng(3).random(game.legal.shape) ** 3)


@pytest.mark.parametrize("spec", ["rps", "kuhn", "kuhn:pot=8", "leduc", "kuhn-3p"])
def test_it_comes_close_to_the_best_response_and_not_above(spec: str) -> None:
    game = built(spec)
    for policy in (sc.Policy.uniform(game), some_policy(game)):
        best = float(np.mean(sc.evaluate(game, policy).best_response_values)) * mbb(game)
        short, long = (learned_response(policy, episodes=episodes, hands=2000) for episodes in (100, 500_000))
        assert short.exact is not None
        assert long.exact is not None
        assert short.exact <= best + 1e-9
        assert 0.97 * best - 1e-9 <= long.exact <= best + 1e-9
        assert abs(long.total.mean - long.exact) <= 4.5 * long.total.error + 1e-9


def test_every_seat_learns() -> None:
    """In each seat, the response wins nearly as much as the best response."""
    game = built("kuhn")
    policy = some_policy(game)
    response = learned_response(policy, episodes=100_000, hands=100).response
    for seat in range(2):
        value = sc.expected_values(game, policy.replaced(seat, response))[seat]
        assert value == pytest.approx(sc.best_response(game, policy, seat).value, rel=0.03)


def test_it_learns_where_deals_are_sampled() -> None:
    game = built("no-limit-holdem-32:menu=x4")
    weights = np.zeros(game.legal.shape)
    weights[:, 0], weights[:, 1] = game.legal[:, 0], ~game.legal[:, 0]  # folds to every bet
    found = learned_response(sc.Policy.from_weights(game, weights), episodes=100_000, hands=2000)
    assert found.exact is None
    assert 900 < found.total.mean <= 1000  # the agent's blind in nearly every hand


def test_a_greedy_agent_plays_its_greedy_policy() -> None:
    policy = some_policy(built("leduc"))
    found = learned_response(policy, episodes=2000, hands=100, greedy=True)
    assert found.greedy
    assert found.exact == learned_response(policy.greedy(), episodes=2000, hands=100).exact
    assert found.exact != learned_response(policy, episodes=2000, hands=100).exact


def test_more_threads_learn_as_well() -> None:
    game = built("kuhn")
    policy = some_policy(game)
    best = float(np.mean(sc.evaluate(game, policy).best_response_values)) * mbb(game)
    found = learned_response(policy, episodes=100_000, hands=100, threads=2)
    assert found.exact is not None
    assert 0.97 * best <= found.exact <= best + 1e-9


def test_progress_rises_and_training_can_be_stopped() -> None:
    policy, told = some_policy(built("kuhn")), list[float]()
    found = learned_response(policy, episodes=1001, hands=1000, watch=told.append)
    assert (found.done, found.episodes, found.hands) == (True, 1001, 1000)
    assert told == sorted(told)
    assert told[-1] == 1
    stopped = learned_response(policy, episodes=1_000_000, hands=10**9, stop=lambda: True)
    assert not stopped.done
    assert stopped.episodes == 0
    assert stopped.total.count == stopped.deals < 100_000


def test_seeds_decide() -> None:
    policy = some_policy(built("leduc"))
    first, again, other = (learned_response(policy, episodes=1000, hands=1000, seed=seed).as_dict() for seed in (1, 1, 2))
    assert first == again
    assert first["mbb"] != other["mbb"]


def test_it_says_that_it_is_a_lower_bound() -> None:
    found = learned_response(some_policy(built("kuhn-3p")), episodes=1000, hands=600)
    assert str(found).startswith("response learned in 1,000 episodes a seat wins ")
    assert "95 %, 100 deals x 6 seatings; exact" in str(found)
    assert str(found).endswith("a lower bound of what a best response wins")
    about = json.loads(json.dumps(found.as_dict()))
    assert (about["game"], about["episodes"], about["hands"], about["lower_bound"]) == ("kuhn-3p", 1000, 600, True)


def test_wrong_arguments_are_refused() -> None:
    policy = some_policy(built("kuhn"))
    for episodes in (0, -1, 1.5, "many", None):
        with pytest.raises(sc.UsageError, match=r"episodes=.*accepted: a whole number from 1"):
            learned_response(policy, episodes=episodes, hands=10)  # type: ignore[arg-type]
    with pytest.raises(sc.UsageError, match="hands=0"):
        learned_response(policy, episodes=10, hands=0)
    with pytest.raises(sc.UsageError, match="seed=-1"):
        learned_response(policy, episodes=10, hands=10, seed=-1)

"""Every player passes these: every name of the registry, and one of each protocol."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import smoothcall as sc
from smoothcall.agents.batch_player import BatchPlayer
from smoothcall.agents.policy_player import PolicyPlayer
from smoothcall.agents.registry import SCRIPTED_PLAYERS, Games, Registry
from smoothcall.agents.scripted import AnyAmount, Rule
from smoothcall.agents.tabulated import TabulatedPolicy
from smoothcall.agents.view import Player, View, view_of
from smoothcall.games.catalog import CATALOG
from smoothcall.games.catalog import rules as catalog_rules
from smoothcall.games.hand import Hand
from smoothcall.games.rules import PokerRules
from smoothcall.kernels.tables import Array
from tests.conftest import GAMES, WHOLE_BETS, built
from tests.games.random_hands import hands, no_limit, step

POKER = [name for name in CATALOG if name != "rps"]
ANYWHERE: dict[str, Callable[[Random], Player]] = {
    **{str(rule): lambda random, rule=rule: BatchPlayer(rule, random=random) for rule in Rule},  # type: ignore[misc]
    "mostly-calls": AnyAmount,
}  # players without a game of their own
POLICIES: dict[str, Callable[[sc.Policy, Random], Player]] = {
    "mixed": lambda policy, random: PolicyPlayer(policy, random=random),
    "greedy": lambda policy, random: PolicyPlayer(policy, greedy=True, random=random),
}
GAMES_OF = {info.name: info.games for info in Registry().players()}  # agents: the game they have learned
NAMES = list(GAMES_OF)
SLOW = ("expert", "heuristic-mc")  # simulate hands before each move
TABLES = {
    Games.ANY: ("leduc", "kuhn-3p", WHOLE_BETS),
    Games.POKER: ("leduc", "kuhn-3p", WHOLE_BETS),
    Games.EQUITY: ("no-limit-holdem-32", WHOLE_BETS),
    Games.CARDS: ("no-limit-holdem", "no-limit-holdem:seats=3"),
}  # where a scripted player sits; an agent sits at its own game


def tables_of(name: str) -> tuple[str, ...]:
    player = SCRIPTED_PLAYERS.get(name)
    return TABLES[player.games] if player is not None else (GAMES_OF[name],)


def play_out(rules: PokerRules, player: Player, random: Random) -> list[tuple[View, str]]:
    """Play a hand in which the player has a random seat and the others move at random; return what it saw and did."""
    hand, seat, done = Hand(rules), random.randrange(rules.seats), []
    while hand.outcome is None:
        if hand.player == seat and hand.due is None:
            view = view_of(hand, seat)
            letter = player.act(view)
            hand.play(letter)  # raises where it is illegal
            done.append((view, letter))
        else:
            step(hand, random)
    return done


def verify_acts(name: str, hands: int) -> None:
    registry = Registry()
    for spec in tables_of(name):
        game, moves = built(spec), 0
        assert isinstance(game.rules, PokerRules)
        first, again = (registry.player(name, game, Random(7)) for _ in range(2))
        for seed in range(hands):
            played = play_out(game.rules, first, Random(seed))
            assert played == play_out(game.rules, again, Random(seed))
            moves += len(played)
        assert moves > 0


@pytest.mark.parametrize("name", NAMES)
def test_every_name_acts_legally_and_alike(name: str) -> None:
    """At tables of its games, whatever the others raise; one seed gives one line of moves."""
    verify_acts(name, 2 if name in SLOW else 8)


@pytest.mark.long
@pytest.mark.parametrize("name", SLOW)
def test_players_that_think_act_legally_and_alike(name: str) -> None:
    verify_acts(name, 8)


@pytest.mark.parametrize("name", [name for name in NAMES if name in SCRIPTED_PLAYERS or "32-" in name or "pricope" in name])
def test_batch_policies_are_distributions_over_legal_actions(name: str) -> None:
    """[n, A] in the order of the observations, 0 where illegal, rows sum to 1; tables are checked when they are built."""
    game = built("no-limit-holdem" if name == "mostly-calls" else tables_of(name)[-1 if name in set(Rule) else 0])
    if isinstance(policy := Registry().policy(name, game), TabulatedPolicy):
        batch_policy, rules = policy.batch_policy, policy.rules
        shown, legal = observations(BatchPlayer(batch_policy, rules, abstraction=game.abstraction), rules)
        found = batch_policy.probabilities(shown, legal)
        assert found.shape == legal.shape
        assert np.isfinite(found).all()
        np.testing.assert_allclose(found.sum(axis=1), 1, rtol=1e-5)
        assert not found[~legal].any()
        np.testing.assert_allclose(batch_policy.probabilities(shown[::-1], legal[::-1]), found[::-1], rtol=1e-4, atol=1e-6)


def observations(player: BatchPlayer, rules: PokerRules) -> tuple[Array, Array]:
    """([n, F], [n, A]) what a batch policy is shown in hands of random moves of the menu."""
    random, shown, legal = Random(4), list[Array](), list[list[bool]]()
    for _ in range(20):
        hand = Hand(rules)
        while hand.outcome is None:
            if hand.due is not None:
                hand.deal_random(random)
                continue
            assert hand.player is not None
            view = view_of(hand, hand.player)
            shown.append(player.observation(view) if player.observes else np.zeros(0, np.float32))
            legal.append([letter is not None for letter in view.slots])
            hand.play(random.choice([letter for letter in view.letters if letter != "f"]))
    return np.array(shown), np.array(legal)


@pytest.mark.interpreted
@pytest.mark.parametrize("spec", POKER)
@pytest.mark.parametrize("name", ANYWHERE)
def test_acts_legally_in_every_game(name: str, spec: str) -> None:
    rules = catalog_rules(spec)
    assert isinstance(rules, PokerRules)
    for seed in range(10):
        for view, letter in play_out(rules, ANYWHERE[name](Random(seed)), Random(seed)):
            assert letter in view.letters or name == "mostly-calls"  # which raises by any amount


@pytest.mark.parametrize("name", ANYWHERE)
@given(hand=hands(), seed=st.integers(0, 99))
@settings(max_examples=60)
def test_acts_legally_in_any_hand(name: str, hand: Hand, seed: int) -> None:
    if hand.player is None or hand.due is not None:
        return
    view = view_of(hand, hand.player)
    letter = ANYWHERE[name](Random(seed)).act(view)
    assert letter in view.letters or name == "mostly-calls"
    hand.play(letter)


@pytest.mark.parametrize("name", ANYWHERE)
def test_the_same_generator_makes_the_same_moves(name: str) -> None:
    first, again = (play_out(no_limit(3), ANYWHERE[name](Random(5)), Random(8)) for _ in range(2))
    assert first == again


@pytest.mark.parametrize("spec", [spec for spec in GAMES if spec != "rps"])
@pytest.mark.parametrize("name", POLICIES)
def test_policies_act_legally_and_as_their_probabilities_say(name: str, spec: str) -> None:
    game = built(spec)
    assert isinstance(game.rules, PokerRules)
    policy = sc.Policy.from_weights(game, np.random.default_rng(1).random(game.tree.rows * 3).reshape(-1, 3) ** 6)
    player = POLICIES[name](policy, Random(2))
    for seed in range(15):
        for view, letter in play_out(game.rules, player, Random(seed)):
            probabilities = policy.at(game.row_of(view.hole, view.boards, view.text))
            assert tuple(probabilities) == view.letters
            assert probabilities[letter] > 0
            assert name == "mixed" or probabilities[letter] == max(probabilities.values())

"""Every player passes these, whatever it is: adding one means adding it to PLAYERS, MINDS or to those of POLICIES."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import smoothcall as sc
from smoothcall.agents.batch_player import BatchPlayer
from smoothcall.agents.batch_policy import Table
from smoothcall.agents.policy_player import PolicyPlayer
from smoothcall.agents.rule_players import SIMPLE
from smoothcall.agents.scripted import RULES, Scripted
from smoothcall.agents.view import Player, View, view_of
from smoothcall.games.catalog import CATALOG
from smoothcall.games.catalog import rules as catalog_rules
from smoothcall.games.hand import Hand
from smoothcall.games.rules import PokerRules
from tests.conftest import GAMES, WHOLE_BETS, built
from tests.games.random_hands import hands, no_limit, step

PLAYERS: dict[str, Callable[[Random], Player]] = dict(SIMPLE)
MINDS: dict[str, Callable[[PokerRules, Random], Player]] = {
    name: lambda rules, random, name=name: BatchPlayer(Scripted(name, Table.of(rules)), rules, random=random)  # type: ignore[misc]
    for name in RULES
}
POSITIONS = ["no-limit-holdem-32", WHOLE_BETS]  # games that batch policies play
POLICIES: dict[str, Callable[[sc.Policy, Random], Player]] = {
    "mixed": lambda policy, random: PolicyPlayer(policy, random=random),
    "greedy": lambda policy, random: PolicyPlayer(policy, greedy=True, random=random),
}
POKER = [name for name in CATALOG if name != "rps"]


def play_out(rules: PokerRules, player: Player, random: Random) -> list[tuple[View, str]]:
    """A hand in which the player has a random seat and the others move anyhow; returns what it saw and did."""
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


@pytest.mark.interpreted
@pytest.mark.parametrize("spec", POKER)
@pytest.mark.parametrize("name", PLAYERS)
def test_acts_legally_in_every_game(name: str, spec: str) -> None:
    rules = catalog_rules(spec)
    assert isinstance(rules, PokerRules)
    for seed in range(10):
        for view, letter in play_out(rules, PLAYERS[name](Random(seed)), Random(seed)):
            assert letter in view.letters


@pytest.mark.parametrize("name", PLAYERS)
@given(hand=hands(), seed=st.integers(0, 99))
@settings(max_examples=60)
def test_acts_legally_in_any_hand(name: str, hand: Hand, seed: int) -> None:
    if hand.player is None or hand.due is not None:
        return
    view = view_of(hand, hand.player)
    letter = PLAYERS[name](Random(seed)).act(view)
    assert letter in view.letters
    hand.play(letter)


@pytest.mark.parametrize("name", PLAYERS)
def test_the_same_generator_makes_the_same_moves(name: str) -> None:
    first, again = (play_out(no_limit(3), PLAYERS[name](Random(5)), Random(8)) for _ in range(2))
    assert first == again


@pytest.mark.parametrize("spec", POSITIONS)
@pytest.mark.parametrize("name", MINDS)
def test_minds_act_legally_and_alike(name: str, spec: str) -> None:
    rules = built(spec).rules
    assert isinstance(rules, PokerRules)
    for seed in range(10):
        first, again = (play_out(rules, MINDS[name](rules, Random(seed)), Random(seed)) for _ in range(2))
        assert first == again
        assert all(letter in view.letters for view, letter in first)


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

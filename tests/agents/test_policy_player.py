"""A policy in a seat, at tables whose raises it has not learned."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest

import smoothcall as sc
from smoothcall.agents.policy_player import PolicyPlayer
from smoothcall.agents.view import view_of
from smoothcall.games.catalog import LEDUC, NO_LIMIT_HOLDEM
from smoothcall.games.hand import Hand, deal_hand
from smoothcall.games.menu import BetMenu
from tests.conftest import built
from tests.games.random_hands import step


@pytest.mark.parametrize("menu", [None, NO_LIMIT_HOLDEM.menu, BetMenu.parse("min+x3")], ids=str)
@pytest.mark.parametrize("greedy", [False, True])
def test_sits_at_any_table_of_its_rules(menu: BetMenu | None, greedy: bool) -> None:
    game, rules = built("no-limit-holdem"), replace(NO_LIMIT_HOLDEM, menu=menu)
    rng = np.random.default_rng(4)
    policy = sc.Policy.from_weights(game, rng.random((game.tree.rows, len(game.actions))))
    player, random, moves = PolicyPlayer(policy, greedy=greedy, random=Random(5)), Random(6), 0
    for number in range(60):
        hand, seat = Hand(rules), number % 2
        while hand.outcome is None:
            if hand.player == seat and hand.due is None:
                hand.play(player.act(view_of(hand, seat)))  # raises where it is illegal
                moves += 1
            else:
                step(hand, random)
    assert moves > 60


def test_plays_the_amounts_of_its_own_menu() -> None:
    game = built("no-limit-holdem")
    slot = game.actions.index("pot")
    weights = np.zeros((game.tree.rows, len(game.actions)), np.uint8)
    weights[:, slot] = 1
    hand = deal_hand(replace(NO_LIMIT_HOLDEM, menu=None), seed=1)
    player = PolicyPlayer(sc.Policy.from_weights(game, weights), greedy=True)
    assert player.act(view_of(hand, 0)) == "r30"
    hand.play("r21")
    assert player.act(view_of(hand, 1)) == "r63"  # 21 and a pot of 42


def test_who_has_no_place_checks_and_calls() -> None:
    game = built("no-limit-holdem")
    hand = deal_hand(NO_LIMIT_HOLDEM, seed=1)
    for letter in ("r95", "c"):
        hand.play(letter)
    hand.deal_random(Random(1))
    assert PolicyPlayer(sc.Policy.uniform(game)).act(view_of(hand, 1)) == "c"


def test_other_rules_are_refused() -> None:
    player = PolicyPlayer(sc.Policy.uniform(built("kuhn")))
    with pytest.raises(sc.UsageError, match="this policy plays kuhn, not leduc"):
        player.act(view_of(deal_hand(LEDUC, seed=1), 0))
    player = PolicyPlayer(sc.Policy.uniform(built("no-limit-holdem")))
    with pytest.raises(sc.UsageError, match="this policy plays no-limit-holdem"):
        player.act(view_of(deal_hand(replace(NO_LIMIT_HOLDEM, stack=300), seed=1), 0))

"""Batch policies in a seat: they see what freezeouts show them, and answer whatever people do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest

import smoothcall as sc
from smoothcall.agents.batch_player import BatchPlayer
from smoothcall.agents.batch_wrappers import Table
from smoothcall.agents.fixed import Strategy
from smoothcall.agents.policy_player import PolicyPlayer
from smoothcall.agents.scripted import RULES, Rule, Scripted
from smoothcall.agents.tabulated import TabulatedPolicy, scripted_policy
from smoothcall.agents.view import View, view_of
from smoothcall.evaluation.match import match, play_hand, seat
from smoothcall.games.catalog import NO_LIMIT_HOLDEM_32
from smoothcall.games.hand import Hand
from smoothcall.games.menu import BetMenu
from smoothcall.games.rules import PokerRules
from smoothcall.holdem.equity_table import PARTS
from smoothcall.kernels.random import seeded
from smoothcall.kernels.simulation.observations import EQUITY, LAST_SIZE, NODE, TO_CALL
from smoothcall.kernels.tables import Array
from smoothcall.play.coach import Coach
from smoothcall.simulation.freezeouts import FreezeoutEnv
from smoothcall.simulation.observations import node_observations
from tests.conftest import TINY, WHOLE_BETS, built
from tests.games.random_hands import step


def rules_of(spec: str = WHOLE_BETS) -> PokerRules:
    rules = built(spec).rules
    assert isinstance(rules, PokerRules)
    return rules


def player(name: str, rules: PokerRules, **options: bool) -> BatchPlayer:
    return BatchPlayer(Scripted(name, Table.of(rules)), rules, random=Random(1), **options)


def looks(rules: PokerRules, hands: int, random: Random) -> Iterator[tuple[View, list[int]]]:
    """What is seen at every decision of hands with moves of the menu, and the slots that led there."""
    for _ in range(hands):
        hand, path = Hand(rules), list[int]()
        while hand.outcome is None:
            if hand.due is not None:
                step(hand, random)
                continue
            assert hand.player is not None
            yield view_of(hand, hand.player), path
            slot = random.choice([place for place, letter in enumerate(hand.slots) if letter is not None and place > 0])
            letter = hand.slots[slot]
            assert letter is not None
            path = [*path, slot]
            hand.play(letter)


def shown(env: FreezeoutEnv, view: View, node: int, equity: float) -> Array:
    """The observation that freezeouts show at a node of the stack trees."""
    batch, hands = env.batch, env.batch.hands
    hands.over[0], hands.node[0], env.freezeouts.first[0] = False, node, 0
    hands.dealt[0, view.seat, view.street] = round(equity * PARTS)
    env.observe()
    return batch.observations[0].copy()


def test_a_view_shows_what_freezeouts_show() -> None:
    game, rules = built(WHOLE_BETS), rules_of()
    env, batch_policy = FreezeoutEnv(rules, count=1, length=10, generators=seeded(0, 2)), player("call", rules)
    seen, streets = 0, set()
    for view, path in looks(rules, 60, Random(1)):
        node = int(env.stack_trees.root[-1])
        for slot in path:
            node = int(env.stack_trees.walk.child[node, slot])
        mine = batch_policy.observation(view)
        expected = shown(env, view, node, float(mine[EQUITY]))
        assert mine.dtype == np.float32
        assert abs(mine[EQUITY] - expected[EQUITY]) <= 1 / PARTS
        np.testing.assert_array_equal(mine[EQUITY + 1 : NODE], expected[EQUITY + 1 : NODE])  # it needs no tree
        row = game.row_of(view.hole, view.boards, view.text)
        at = game.node_of(row)
        listed = node_observations(game, np.array([at]), with_cards=False)[row - game.tree.first_row[at]]
        np.testing.assert_array_equal(mine[EQUITY + 1 : NODE], listed[EQUITY + 1 : NODE])
        assert abs(mine[EQUITY] - listed[EQUITY]) <= (1e-6 if view.street == 0 else 0.05 + 1e-6)  # the middle of a bucket
        seen, streets = seen + 1, streets | {view.street}
    assert seen > 200
    assert streets == {0, 1, 2, 3}


@pytest.mark.parametrize("name", RULES)
def test_whatever_people_raise_is_answered(name: str) -> None:
    random, batch_policy = Random(3), player(name, NO_LIMIT_HOLDEM_32)
    odd = 0
    for number in range(80):
        hand = Hand(NO_LIMIT_HOLDEM_32)
        while hand.outcome is None:
            if hand.player == number % 2 and hand.due is None:
                view = view_of(hand, number % 2)
                odd += view.to_call % 1000 > 0
                letter = batch_policy.act(view)
                assert letter in view.letters
                hand.play(letter)
            else:
                step(hand, random)
    assert odd > 10


def test_an_amount_on_no_menu_is_seen_as_it_is() -> None:
    hand = Hand(NO_LIMIT_HOLDEM_32)
    hand.deal_random(Random(1))
    hand.play("r1777")
    seen = player("mirror", NO_LIMIT_HOLDEM_32).observation(view_of(hand, 1))
    assert seen[TO_CALL] == np.float32(0.1277)
    assert seen[LAST_SIZE] == np.float32(0.1277)
    assert player("mirror", NO_LIMIT_HOLDEM_32).act(view_of(hand, 1)) == "r3777", (
        "by one bet is too little: the next that is legal"
    )


def test_a_batch_policy_raises_by_its_own_menu() -> None:
    """It sits at tables with another menu, and at no other."""
    rules = rules_of()
    table = replace(rules, menu=BetMenu.parse("pot"))
    hand = Hand(table)
    hand.deal_random(Random(1))
    assert player("raise", rules).act(view_of(hand, 0)) == "r2500"
    other = Hand(NO_LIMIT_HOLDEM_32)
    other.deal_random(Random(1))
    with pytest.raises(sc.UsageError, match="this batch policy plays no-limit-holdem-32"):
        player("raise", rules).act(view_of(other, 0))


def test_greedy_is_the_likeliest_move() -> None:
    rules = rules_of()
    batch_policy = player("random", rules, greedy=True)
    for view, _ in looks(rules, 5, Random(2)):
        assert batch_policy.act(view) == view.letters[0]


def test_a_policy_player_needs_no_table_to_play_a_hand() -> None:
    policy = scripted_policy(built(WHOLE_BETS), "bluffer-moderate")
    seats = [PolicyPlayer(policy, random=Random(1)), PolicyPlayer(policy, greedy=True)]
    for seed in range(20):
        won = play_hand(rules_of(), seats, tuple(Random(seed).sample(range(32), 32)))
        assert sum(won) == 0
    assert policy.nbytes == 0


def test_the_kernel_and_hands_agree() -> None:
    """The table has the middle of each bucket: with these rules and ten of them it is on the same side of every threshold."""
    game = built(WHOLE_BETS)
    fast = match(game, ["aggressive", "check-fold"], hands=40_000, seed=1).estimates[0]
    slow = match(game, ["aggressive", "check-fold"], hands=500, seed=2, by_hand=True).estimates[0]
    assert abs(fast.mean - slow.mean) < fast.half_width(0.9999) + slow.half_width(0.9999)
    assert fast.mean > fast.half_width(0.9999)


def test_scripted_players_by_name(tmp_path: Path) -> None:
    scripted_policy(built(WHOLE_BETS), "moderate").save(tmp_path / "batch policy.agent")
    game, players = seat([str(tmp_path / "batch policy.agent"), "moderate", "random", "probe"])
    assert game.spec == built(WHOLE_BETS).spec
    for each in players[:2]:
        assert isinstance(each, PolicyPlayer)
        assert isinstance(each.fixed.policy, TabulatedPolicy)
        assert each.fixed.policy.game is game
    assert players[2].batch_policy is Rule.RANDOM  # type: ignore[attr-defined]
    same = match(game, players[:2], hands=1_000)
    assert same.estimates[0].mean == pytest.approx(0, abs=same.estimates[0].half_width(0.9999))
    _, twice = seat(["mirror", "mirror"], of=WHOLE_BETS)
    assert twice[0].fixed.policy is twice[1].fixed.policy  # type: ignore[attr-defined]
    with pytest.raises(sc.UsageError, match="mirror, random play games such as no-limit-holdem-32: say which one"):
        seat(["mirror", "random"])
    for spec in ("leduc", "limit-holdem", TINY):
        with pytest.raises(sc.UsageError, match=r"mirror cannot play .* such as no-limit-holdem-32"):
            seat(["mirror", "random"], of=spec)
        with pytest.raises(sc.UsageError, match="mirror cannot play"):
            match(built(spec), ["mirror", "random"], hands=10)
    with pytest.raises(sc.UsageError, match="unknown player 'moderat'; did you mean 'moderate'"):
        match(game, ["moderat", "random"], hands=10)


def test_the_coach_reviews_batch_policies() -> None:
    game = built(WHOLE_BETS)
    coach = Coach(game, 0, {1: Strategy(scripted_policy(game, "aggressive"))})
    deck = game.rules.deck  # type: ignore[union-attr]
    review = coach.review(deck.parse("AhAs"), [()], "r1700f")
    shares = {move.letter: move.agent for move in review.decisions[0].moves}
    assert shares["r1500"] == 1
    assert shares["r1700"] == 0

"""EVs of decisions in hold'em: beside a computation hand by hand, and sampled ones beside exact ones."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from random import Random

import numpy as np
import pytest

import smoothcall as sc
from smoothcall.agents.fixed import Strategy
from smoothcall.agents.policy_player import PolicyPlayer
from smoothcall.agents.view import view_of
from smoothcall.errors import UsageError
from smoothcall.evaluation import decision_values
from smoothcall.evaluation.decision_trees import translated_tree
from smoothcall.evaluation.decision_values import DecisionValues, HoldemDecisions
from smoothcall.evaluation.followed_range import FollowedRange
from smoothcall.evaluation.solved_decisions import solved_decisions
from smoothcall.games.betting import Betting
from smoothcall.games.cards import STANDARD
from smoothcall.games.hand import Hand, deal_hand
from smoothcall.games.notation import split_moves
from smoothcall.games.rules import PokerRules
from tests.conftest import TINY, built, shipped
from tests.evaluation.brute_decisions import BruteForce
from tests.evaluation.test_aivat import some_policy

TURN = 2
EXACT = 10**9  # work for which every turn card is walked


@cache
def tiny() -> sc.Policy:
    return some_policy(built(TINY), 2)


def played(policy: sc.Policy, seat: int, random: Random) -> Hand:
    """Play a hand: the seat makes random moves, sometimes raises that are not in the menu, and never folds."""
    assert isinstance(policy.game.rules, PokerRules)
    hand, opponent = deal_hand(policy.game.rules, random.randrange(10**9)), PolicyPlayer(policy, random=random)
    while not hand.finished:
        if hand.player == seat:
            letters = [letter for letter in hand.slots if letter and letter != "f"]
            if not hand.rules.limit and hand.raises is not None and random.random() < 0.2:
                letters = [f"r{random.randint(*hand.raises)}"]
            letter = random.choice(letters)
        else:
            letter = opponent.act(view_of(hand, 1 - seat))
        hand.play(letter)
        hand.deal_random(random)
    return hand


def seen(hand: Hand, seat: int) -> tuple[tuple[int, ...], list[tuple[int, ...]], str]:
    return hand.hole[seat], hand.boards[: hand.text.count("/") + 1], hand.text


def late_decisions(policy: sc.Policy, count: int, seed: int) -> Iterator[tuple[int, Hand, DecisionValues]]:
    """Yield decisions on turn and river of random hands."""
    random, found = Random(seed), 0
    while found < count:
        seat = random.randrange(2)
        hand = played(policy, seat, random)
        if hand.text.count("/") < TURN:
            continue
        for decision in HoldemDecisions(policy.game, seat, Strategy(policy), work=1).review(*seen(hand, seat)):
            if decision.state.street >= TURN and found < count and _possible(policy, seat, hand, decision):
                found += 1
                yield seat, hand, decision


def _possible(policy: sc.Policy, seat: int, hand: Hand, decision: DecisionValues) -> bool:
    """Return whether the brute force reaches the decision: it has no range where the policy never makes a move."""
    brute = BruteForce(policy, seat, hand.hole[seat])
    boards = tuple(hand.boards[: decision.state.street + 1])
    return bool(brute.reach(split_moves(decision.state.text), boards)[1].any())


def compare(policy: sc.Policy, seat: int, hand: Hand, decision: DecisionValues) -> None:
    brute, boards = BruteForce(policy, seat, hand.hole[seat]), tuple(hand.boards[: decision.state.street + 1])
    state, reach = brute.reach(split_moves(decision.state.text), boards)
    evs = {letter: brute.after(state, letter, boards, reach) / reach.sum() for letter in decision.actions}
    assert {letter: each.ev.mean for letter, each in decision.actions.items()} == pytest.approx(evs, abs=1e-6, rel=0)
    best = max(evs.values())
    assert {letter: each.loss.mean for letter, each in decision.actions.items()} == pytest.approx(
        {letter: best - ev for letter, ev in evs.items()}, abs=1e-6, rel=0
    )
    assert all(each.ev.exact and each.loss.exact for each in decision.actions.values())
    assert decision.reach.sum() == pytest.approx(reach.sum(), rel=1e-12)


@pytest.mark.parametrize("count", [3, pytest.param(8, marks=pytest.mark.long)])
def test_evs_on_turn_and_river_equal_those_found_hand_by_hand(count: int) -> None:
    for seat, hand, decision in late_decisions(tiny(), count, seed=5):
        compare(tiny(), seat, hand, decision)


def test_slots_that_are_one_move_in_the_hand_are_not_told_apart() -> None:
    """After a raise to 36 of 100 chips, both a raise by the pot and an all-in of the policy are raises to 100."""
    game = built("no-limit-holdem")
    policy, deck = some_policy(game, 4), STANDARD
    hand = Hand(game.rules)  # type: ignore[arg-type]
    cards = iter(map(deck.parse, ("AsKd", "9h8h", "Td7c2s", "6h", "Qc")))
    for letter in ("", *split_moves("cr36c/cc/cc/cr100c")):
        if letter:
            hand.play(letter)
        while hand.due is not None:
            hand.deal(next(cards))
    found = HoldemDecisions(game, 1, Strategy(policy), work=1).review(*seen(hand, 1))
    river = [decision for decision in found if decision.state.street == 3]
    assert [decision.chosen for decision in river] == ["c", "c"]
    for decision in river:
        compare(policy, 1, hand, decision)


def test_a_move_that_comes_later_is_no_option_before() -> None:
    """The EV of a check does not depend on the size of the raise that was made after it."""
    game, deck = built(TINY), built(TINY).rules.deck  # type: ignore[union-attr]
    boards = [(), *map(deck.parse, ("7h8h9c", "Td", "Jc"))]
    lines = ("cc/cc/cc/cr1700r4000c", "cc/cc/cc/cr1700r9000c")
    decisions = HoldemDecisions(game, 1, Strategy(tiny()), work=1)
    first, other = (
        [each for each in decisions.review(deck.parse("AsKs"), boards, line) if each.state.street == 3] for line in lines
    )
    assert first[0].actions == other[0].actions
    assert set(first[1].actions) - set(other[1].actions) == {"r4000"}


@pytest.mark.long
@pytest.mark.parametrize(("agent", "count"), [("no-limit-holdem-mccfr", 100), ("limit-holdem-smooth-uct", 100)])
def test_evs_of_200_decisions_equal_those_found_hand_by_hand(agent: str, count: int) -> None:
    policy = shipped().policy(agent)
    for seat, hand, decision in late_decisions(policy, count, seed=1):
        compare(policy, seat, hand, decision)


@pytest.mark.long
def test_evs_on_the_flop_equal_those_found_hand_by_hand() -> None:
    policy, random, found = tiny(), Random(3), 0
    while found < 2:
        hand = played(policy, 0, random)
        for decision in HoldemDecisions(policy.game, 0, Strategy(policy), work=EXACT).review(*seen(hand, 0)):
            if decision.state.street == 1 and _possible(policy, 0, hand, decision):
                brute, boards = BruteForce(policy, 0, hand.hole[0]), tuple(hand.boards[:2])
                state, reach = brute.reach(split_moves(decision.state.text), boards)
                evs = {letter: brute.after(state, letter, boards, reach) / reach.sum() for letter in decision.actions}
                assert {letter: each.ev.mean for letter, each in decision.actions.items()} == pytest.approx(
                    evs, rel=1e-4, abs=1
                )
                found += 1


def test_a_tree_enumerated_with_the_rules_has_the_same_values(monkeypatch: pytest.MonkeyPatch) -> None:
    hand = played(tiny(), 1, Random(11))
    decisions = HoldemDecisions(built(TINY), 1, Strategy(tiny()))
    known = decisions.review(*seen(hand, 1))
    monkeypatch.setattr(decision_values, "decision_tree", translated_tree)
    pairs = list(zip(known, decisions.review(*seen(hand, 1)), strict=True))
    assert pairs
    for one, other in pairs:
        for letter, value in one.actions.items():
            assert other.actions[letter].ev.mean == pytest.approx(value.ev.mean, rel=1e-5)
            assert other.actions[letter].ev.error == pytest.approx(value.ev.error, rel=1e-3, abs=1e-3)


@pytest.mark.parametrize("hands", [2, pytest.param(6, marks=pytest.mark.long)])
def test_sampled_turn_cards_estimate_the_exact_evs(hands: int) -> None:
    """With 20 of 27 turn cards; the interval is that of a mean, so one of 20 may lie outside."""
    outside = count = 0
    for seed in range(hands):
        hand = played(tiny(), 0, Random(seed))
        few, every = (HoldemDecisions(built(TINY), 0, Strategy(tiny()), work=work) for work in (1, EXACT))
        for sampled, exact in zip(few.review(*seen(hand, 0)), every.review(*seen(hand, 0)), strict=True):
            if sampled.state.street != 1:
                continue
            assert all(each.ev.exact for each in exact.actions.values())
            for letter, each in sampled.actions.items():
                low, high = each.ev.interval()
                count += 1
                outside += not low - 1e-3 <= exact.actions[letter].ev.mean <= high + 1e-3
    assert count >= hands
    assert outside <= max(2, count // 5)


def test_an_all_in_before_the_flop_has_the_ev_of_its_equity() -> None:
    """Against any two cards the equity is known exactly."""
    game = built(TINY)
    policy = sc.Policy.uniform(game)
    deck = game.rules.deck  # type: ignore[union-attr]
    hole = deck.parse("AsKs")
    [*_, decision] = HoldemDecisions(game, 0, Strategy(policy)).review(
        hole, [(), *map(deck.parse, ("7h8h9c", "Td", "Jc"))], "cr10000c///"
    )
    equity = sc.equity(["AsKs", "random"], deck=deck).players[0].equity
    assert decision.equity.mean == pytest.approx(equity, abs=2 * decision.equity.half_width())
    call = decision.actions["c"].ev
    assert call.mean == pytest.approx((2 * equity - 1) * 10_000, abs=2 * call.half_width())
    assert decision.actions["f"].ev.mean == -500
    assert decision.pot_odds == pytest.approx(9500 / 20_000)


def test_moves_that_the_policy_never_makes_leave_the_range_as_it_was() -> None:
    game = built(TINY)
    weights = np.zeros((game.tree.rows, len(game.actions)))
    weights[:, 1] = 1  # checks and calls
    policy = sc.Policy.from_weights(game, weights)
    deck = game.rules.deck  # type: ignore[union-attr]
    boards = [(), *map(deck.parse, ("7h8h9c", "Td", "Jc"))]
    found = HoldemDecisions(game, 1, Strategy(policy)).review(deck.parse("AsKs"), boards, "r1500c/cc/cc/cc")
    assert [bool(each.reach.any()) for each in found] == [True] * 4
    known = FollowedRange(game, Strategy(policy), deck.parse("AsKs"))
    before = known.reach.copy()
    assert isinstance(game.rules, PokerRules)
    assert not known.follow(Betting(game.rules), "r1500")
    assert (known.reach == before).all()


def test_a_solved_river_is_an_equilibrium_at_the_hand() -> None:
    """Moves that the solution makes have the highest EV, within its exploitability."""
    policy, random, checked = tiny(), Random(8), 0
    while checked < 4:
        seat = random.randrange(2)
        hand = played(policy, seat, random)
        if hand.text.count("/") < 3:
            continue
        for solved in solved_decisions(policy.game, seat, Strategy(policy), *seen(hand, seat), all_streets=False).values():
            assert sum(solved.shares.values()) == pytest.approx(1)
            assert solved.exploitability < 0.01
            best = max(solved.evs.values())
            for letter, share in solved.shares.items():
                if share > 0.1:
                    assert best - solved.evs[letter] < 0.05 * hand.pot
            checked += 1


def test_what_has_no_ranges_is_refused() -> None:
    with pytest.raises(UsageError, match="two-player hold'em, not leduc"):
        HoldemDecisions(built("leduc"), 0, Strategy(sc.Policy.uniform(built("leduc"))))
    with pytest.raises(UsageError, match="this policy plays"):
        HoldemDecisions(built("no-limit-holdem"), 0, Strategy(tiny()))

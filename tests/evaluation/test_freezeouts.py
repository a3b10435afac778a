"""Freezeouts between batch policies, against values known in closed form."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import smoothcall as sc
from smoothcall.agents.batch_wrappers import Greedy, Table
from smoothcall.agents.scripted import RULES, Scripted
from smoothcall.agents.stack_policies import PolicyByStack
from smoothcall.agents.tabulated import TabulatedPolicy
from smoothcall.evaluation.freezeout_match import play_freezeout_match
from smoothcall.evaluation.freezeouts import play_freezeouts
from smoothcall.games.rules import PokerRules
from smoothcall.simulation.batch_policy import BatchPolicy
from smoothcall.simulation.stack_trees import stack_trees
from tests.conftest import WHOLE_BETS, built

STACK = 3000


def rules() -> PokerRules:
    found = built(WHOLE_BETS).rules
    assert isinstance(found, PokerRules)
    assert found.stack == STACK
    return found


def scripted(name: str) -> BatchPolicy:
    return Scripted(name, Table.of(rules()))


@pytest.mark.parametrize("length", [1, 3, 5])
def test_somebody_who_folds_every_bet_loses_a_blind_a_hand(length: int) -> None:
    found = play_freezeouts(
        rules(), [scripted("raise"), scripted("check-fold")], names=("a", "b"), freezeouts=20, length=length, seed=1
    )
    assert found.gain.mean == 500 * length
    assert (found.deviation, found.wins, found.freezeouts) == (0, 1, 20)
    assert sum(found.actions[0][2:]) == 1, "all it did was raise"
    assert sum(found.actions[1][2:]) == 0, "it never did"


def test_the_last_blind_is_all_in() -> None:
    """After five hands 500 chips are left: then cards decide, and who wins that hand plays on."""
    found = play_freezeouts(
        rules(), [scripted("raise"), scripted("check-fold")], names=("a", "b"), freezeouts=2000, length=6, seed=1
    )
    assert found.gain.mean == pytest.approx(2500, abs=40)
    assert found.deviation == pytest.approx(500, abs=25), "3,000 or 2,000, ties aside"


@pytest.mark.parametrize("name", [name for name in RULES if name not in ("random", "bluffer-aggressive", "bluffer-moderate")])
def test_same_cards_in_both_places(name: str) -> None:
    """Whoever plays against itself, without chance, wins of one place what it loses in the other."""
    found = play_freezeouts(rules(), [scripted(name), scripted(name)], names=("a", "b"), freezeouts=64, seed=3)
    assert found.gain.mean == 0
    assert found.gain.error == 0
    assert found.wins == 0.5


def test_players_are_exchanged() -> None:
    one = play_freezeouts(rules(), [scripted("moderate"), scripted("call")], names=("a", "b"), freezeouts=200, seed=5)
    other = play_freezeouts(rules(), [scripted("call"), scripted("moderate")], names=("b", "a"), freezeouts=200, seed=5)
    assert one.gain.mean == -other.gain.mean > 0
    assert one.wins == pytest.approx(1 - other.wins)
    assert one.actions == other.actions[::-1]


def test_the_seed_says_it_all() -> None:
    first, again, other = (
        play_freezeouts(rules(), [scripted("random"), scripted("moderate")], names=("a", "b"), freezeouts=100, seed=seed)
        for seed in (1, 1, 2)
    )
    assert first.gain == again.gain
    assert first.gain.mean != other.gain.mean


def test_estimated_positions() -> None:
    """The same cards, seen otherwise: in both places alike, so that luck of the estimates is shared as well."""
    exact, plain, some, again = (
        play_freezeouts(
            rules(), [scripted("moderate"), scripted("aggressive")], names=("a", "b"), freezeouts=400, seed=5, **options
        )
        for options in ({}, {"rollouts": 0}, {"rollouts": 100}, {"rollouts": 100})
    )
    assert exact == plain
    assert some == again
    assert some.gain != exact.gain
    assert (some.as_dict()["rollouts"], exact.as_dict()["rollouts"]) == (100, 0)
    assert str(some).endswith("won, equities from 100 simulated rollouts")
    assert str(exact).endswith("won")
    blind, seeing = (
        play_freezeouts(
            rules(), [scripted("call"), scripted("raise")], names=("a", "b"), freezeouts=400, seed=5, rollouts=rollouts
        )
        for rollouts in (0, 10)
    )
    assert blind.gain == seeing.gain, "who never looks at the cards wins the same"
    itself = play_freezeouts(rules(), [scripted("moderate")] * 2, names=("a", "b"), freezeouts=64, seed=3, rollouts=10)
    assert (itself.gain.mean, itself.gain.error) == (0, 0)
    with pytest.raises(sc.UsageError, match="rollouts=-1"):
        play_freezeouts(rules(), [scripted("call")] * 2, names=("a", "b"), freezeouts=2, rollouts=-1)


def test_stopped_and_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("smoothcall.evaluation.freezeouts.TOGETHER", 10)
    seen: list[float] = []
    found = play_freezeouts(
        rules(),
        [scripted("call"), scripted("raise")],
        names=("a", "b"),
        freezeouts=100,
        watch=seen.append,
        stop=lambda: len(seen) == 2,
    )
    assert (found.freezeouts, found.done, seen) == (40, False, [0.2, 0.4])


@pytest.mark.parametrize("freezeouts", [0, 1, -5, 2.5, "many"])
def test_how_many(freezeouts: int) -> None:
    with pytest.raises(sc.UsageError, match=f"freezeouts={freezeouts}"):
        play_freezeouts(rules(), [scripted("call"), scripted("raise")], names=("a", "b"), freezeouts=freezeouts)


def test_tables_play_freezeouts_as_their_batch_policy() -> None:
    """A scripted player tabulated for every stack wins as much as itself: its rule is constant within a cell."""
    name, options = built(WHOLE_BETS).name, built(WHOLE_BETS).options
    policies = {}
    for stack in range(1000, STACK + 1, 500):
        of = sc.game(name, **{**options, "stack": stack})
        policies[stack] = TabulatedPolicy(of, Scripted("aggressive", Table.of(of.rules)))  # type: ignore[arg-type]
    tabled = PolicyByStack(stack_trees(rules()), policies)
    for other in ("random", "moderate"):
        one, two = (
            play_freezeouts(rules(), [batch_policy, scripted(other)], names=("a", "b"), freezeouts=400, seed=2)
            for batch_policy in (tabled, scripted("aggressive"))
        )
        assert one.gain == two.gain
        np.testing.assert_allclose(one.actions, two.actions)


def test_tables_that_are_missing() -> None:
    of = built(WHOLE_BETS)
    only = PolicyByStack(stack_trees(rules()), {STACK: TabulatedPolicy(of, scripted("call"))})
    play_freezeouts(rules(), [only, scripted("call")], names=("a", "b"), freezeouts=10, length=1)
    with pytest.raises(sc.UsageError, match="stacks of 3,000 chips only"):
        play_freezeouts(rules(), [only, scripted("call")], names=("a", "b"), freezeouts=100, length=5)
    even = sc.Policy.uniform(sc.game(of.name, **{**of.options, "cells": "even"}))
    blind = PolicyByStack(stack_trees(rules()), {STACK: even})
    with pytest.raises(sc.UsageError, match="do not see equities"):
        play_freezeouts(rules(), [blind, scripted("call")], names=("a", "b"), freezeouts=10, length=1)


@pytest.mark.parametrize("name", ["random", "probe", "always-call", "always-raise", "call", "mostly-calls", "bluffer-moderate"])
def test_every_scripted_player_plays_freezeouts(name: str) -> None:
    found = play_freezeout_match([name, "moderate"], 20, of=WHOLE_BETS)
    assert (found.freezeouts, found.game, found.engine) == (20, built(WHOLE_BETS).spec, "batch")
    data = found.as_dict()
    assert (data["game"], data["engine"], data["notes"]) == (found.game, "batch", [])


def test_greedy_agents_are_greedy_in_freezeouts(tmp_path: Path) -> None:
    """A bluffer bluffs half of the time; of equals its most likely move is the first, so the greedy one plays otherwise."""
    path = str(tmp_path / "bluffer.agent")
    TabulatedPolicy(built(WHOLE_BETS), scripted("bluffer-moderate")).save(path)
    mixed, greedy, cut = (
        play_freezeout_match([f"{path}{behind}", "call"], 200, seed=3) for behind in ("", ":greedy", ":threshold=0.6")
    )
    expected = play_freezeouts(
        rules(), [Greedy(scripted("bluffer-moderate")), scripted("call")], names=("a", "b"), freezeouts=200, seed=3
    )
    assert greedy.gain == expected.gain != mixed.gain
    assert cut.gain == expected.gain, "no move is made more than 60 % of the time unless it is certain"


def test_wrong_freezeouts() -> None:
    for names, of, message in [
        (["probe"], WHOLE_BETS, "1 players in a freezeout"),
        (["probe", "random"], None, "probe, random play games such as no-limit-holdem-32: say which one"),
        (["heuristic-mc", "random"], None, "such as no-limit-holdem: say which one"),
        (["probe", "random"], "leduc", "no freezeouts in leduc"),
        (["leduc-cfr", "random"], None, "no freezeouts in leduc"),
        (["no-limit-holdem-32-mccfr", "random"], None, "no-limit-holdem-32-mccfr is a table for full stacks"),
        (["no-limit-holdem-32-monte-carlo", "random"], WHOLE_BETS, "plays no-limit-holdem-32, not"),
    ]:
        with pytest.raises(sc.UsageError, match=message):
            play_freezeout_match(names, 10, of=of)

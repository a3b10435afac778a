"""Matches of anybody: hand by hand as in the kernel, and what the command line asks for."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import smoothcall as sc
from smoothcall.agents.batch_player import BatchPlayer
from smoothcall.agents.batch_wrappers import Table
from smoothcall.agents.folders import BUILT_IN
from smoothcall.agents.policy_player import PolicyPlayer
from smoothcall.agents.scripted import HeuristicMC, Rule, Scripted
from smoothcall.agents.tabulated import TabulatedPolicy
from smoothcall.agents.view import Player, View
from smoothcall.evaluation.match import match, play_hand, play_match
from smoothcall.evaluation.policy_match import Engine, table_notes
from smoothcall.games.rules import PokerRules
from smoothcall.simulation.stack_trees import stack_trees
from tests.conftest import WHOLE_BETS, built


def some_policy(game: sc.Game) -> sc.Policy:
    return sc.Policy.from_weights(game, np.random.default_rng(3).random(game.legal.shape) ** 3)


class Spy:
    """Plays as another and keeps what it saw. Nothing is known of it beforehand, so it plays hand by hand."""

    def __init__(self, behind: Player) -> None:
        self.behind, self.seen = behind, list[View]()

    def act(self, view: View) -> str:
        self.seen.append(view)
        return self.behind.act(view)


@pytest.mark.parametrize(
    ("spec", "hands"),
    [
        ("rps", 400),
        ("kuhn", 600),
        ("kuhn-3p", 600),
        ("leduc", 400),
        *(pytest.param(*each, marks=pytest.mark.long) for each in (("kuhn", 2000), ("kuhn-3p", 2400), ("leduc", 800))),
    ],
)
def test_hand_by_hand_comes_to_the_exact_result(spec: str, hands: int) -> None:
    game = built(spec)
    policy = some_policy(game)
    players = [
        PolicyPlayer(policy, random=Random(1)),
        BatchPlayer(Rule.RANDOM, random=Random(2)),
        PolicyPlayer(policy, greedy=True),
    ]
    exact = match(game, players[: game.players]).exact
    played = match(game, players[: game.players], hands=hands, seed=1, by_hand=True)
    assert exact is not None
    assert played.exact is None
    assert played.hands == hands
    for value, found in zip(exact, played.estimates, strict=True):
        assert abs(found.mean - value) <= 4 * found.error
    assert sum(found.mean for found in played.estimates) == pytest.approx(0, abs=1e-6)


def test_every_seating_gets_the_same_cards() -> None:
    game = built("kuhn-3p")
    spies = [Spy(BatchPlayer(Rule.ALWAYS_CALL)), Spy(BatchPlayer(Rule.ALWAYS_CALL)), Spy(BatchPlayer(Rule.ALWAYS_CALL))]
    result = match(game, spies, hands=6)
    assert (result.deals, result.seatings) == (1, 6)
    assert len({(view.seat, view.hole) for spy in spies for view in spy.seen}) == 3
    for spy in spies:
        assert sorted(view.seat for view in spy.seen) == [0, 0, 1, 1, 2, 2]
    assert [found.mean for found in result.estimates] == pytest.approx([0, 0, 0])


def test_a_hand_by_its_cards() -> None:
    rules = built("leduc").rules
    cards = rules.deck.parse("KhQsJhQh")  # type: ignore[union-attr]
    assert play_hand(rules, [BatchPlayer(Rule.ALWAYS_RAISE), BatchPlayer(Rule.ALWAYS_CALL)], cards) == (7, -7)  # type: ignore[arg-type]
    assert play_hand(rules, [BatchPlayer(Rule.ALWAYS_RAISE), BatchPlayer(Rule.ALWAYS_RAISE)], cards) == (13, -13)  # type: ignore[arg-type]


def test_the_same_seed_gives_the_same_match(tmp_path: Path) -> None:
    some_policy(built("leduc")).save(tmp_path / "a.agent")
    entries = [str(tmp_path / "a.agent"), "probe"]
    first, again, other = (play_match(entries, hands=500, seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert first.estimates != other.estimates
    by_hand = [
        match(
            built("kuhn"),
            [BatchPlayer(Rule.PROBE, random=Random(1)), BatchPlayer(Rule.RANDOM, random=Random(2))],
            hands=50,
            seed=3,
            by_hand=True,
        )
        for _ in range(2)
    ]
    assert by_hand[0] == by_hand[1]


def test_lines_and_data_say_the_same() -> None:
    game = built("kuhn")
    result = match(
        game, [BatchPlayer(Rule.ALWAYS_RAISE), PolicyPlayer(some_policy(game))], names=["A", "B"], hands=20_000, seed=4
    )
    data: dict[str, Any] = json.loads(json.dumps(result.as_dict()))
    assert (data["deals"], data["seatings"], data["hands"], data["done"]) == (10_000, 2, 20_000, True)
    *lines, engine = str(result).splitlines()
    assert (engine, data["engine"], data["notes"]) == ("engine: kernel", "kernel", [])
    for line, player, name in zip(lines, data["players"], "AB", strict=True):
        low, high = player["mbb"]["interval_95"]
        about = f"95 %, 10,000 deals x 2 seatings; exact {player['exact_mbb']:+.1f}"
        assert line == f"{name} {player['mbb']['mean']:+.1f} ± {(high - low) / 2:.1f} mbb/h ({about})"
        assert low < player["exact_mbb"] < high
        assert player["mbb"]["interval_68"][0] > low
    exact = match(game, [BatchPlayer(Rule.ALWAYS_RAISE), BatchPlayer(Rule.ALWAYS_CALL)])
    assert str(exact).splitlines() == ["always-raise +0.0 mbb/h (exact)", "always-call +0.0 mbb/h (exact)", "engine: exact"]


def test_named_players(tmp_path: Path) -> None:
    game = built("leduc")
    policy = some_policy(game)
    policy.save(tmp_path / "a.agent")
    file = str(tmp_path / "a.agent")
    answer = play_match([file, f"{file}:greedy"])
    expected = match(game, [PolicyPlayer(policy), PolicyPlayer(policy, greedy=True)]).exact
    assert expected is not None
    assert answer.exact == pytest.approx(expected)
    assert answer.names == (file, f"{file}:greedy")
    answer = play_match([file, f"{file}:threshold=0.2"])
    expected = match(game, [policy, policy.thresholded(0.2)]).exact
    assert expected is not None
    assert answer.exact == pytest.approx(expected)
    assert expected[0] != pytest.approx(0, abs=1e-3), "something was left out"
    twice = play_match([file, file], hands=20_000)
    assert twice.exact == pytest.approx((0, 0), abs=1e-9)
    low, high = twice.estimates[0].interval()
    assert low < 0 < high
    assert play_match(["always-raise", "random"], of="kuhn", hands=10).game == "kuhn"


def test_a_policy_of_another_menu_plays_hand_by_hand(tmp_path: Path) -> None:
    """A policy that always calls wins what the scripted player does, whatever its menu."""
    small, whole = built("limit-holdem-3p:raises=1/1/1/1,grid=2/2/2"), built("limit-holdem-3p")
    calls = sc.Policy.from_weights(small, small.legal * np.eye(3)[1])
    answer = match(whole, [calls, "always-raise", "always-raise"], hands=60, seed=4)
    assert answer.engine is Engine.BY_HAND
    expected = match(whole, ["always-call", "always-raise", "always-raise"], hands=60, seed=4, by_hand=True)
    assert answer.estimates[0].mean == pytest.approx(expected.estimates[0].mean)
    calls.save(tmp_path / "a.agent")
    assert play_match([str(tmp_path / "a.agent"), "random", "probe"], of="limit-holdem-3p", hands=6).game == "limit-holdem-3p"
    assert "tree" not in vars(whole), "nobody needs the tree of the whole game"


def test_wrong_input_is_refused(tmp_path: Path) -> None:
    some_policy(built("leduc")).save(tmp_path / "a.agent")
    some_policy(built("kuhn")).save(tmp_path / "b.agent")
    leduc, kuhn = str(tmp_path / "a.agent"), str(tmp_path / "b.agent")
    for entries, options, message in [
        ([leduc], {}, r"1 players for leduc \(accepted: 2\)"),
        ([leduc, "random", "random"], {}, r"3 players for leduc \(accepted: 2\)"),
        ([leduc, kuhn], {}, "plays kuhn, not leduc"),
        ([leduc, "random"], {"of": "kuhn"}, "plays leduc, not kuhn"),
        (["random", "probe"], {}, "say which one"),
        (["randon", "probe"], {"of": "kuhn"}, r"unknown player 'randon'; did you mean 'random'\?"),
        (["random", "random:greedy"], {"of": "kuhn"}, "random is scripted"),
        (["random", "random:threshold=0.1"], {"of": "kuhn"}, "random is scripted"),
        ([leduc, f"{leduc}:threshold=2"], {}, r"threshold=2 \(accepted: a number from 0 to 1\)"),
        (["random", "probe"], {"of": "kuhn", "hands": 0}, "hands=0"),
        (["random", "probe"], {"of": "kuhn", "seed": -1}, "seed=-1"),
        (["random", "probe"], {"of": "rps"}, "probe plays poker, not rps"),
    ]:
        with pytest.raises(sc.UsageError, match=message):
            play_match(entries, **options)  # type: ignore[arg-type]
    with pytest.raises(sc.UsageError, match="say how many hands"):
        match(built("kuhn"), [Spy(BatchPlayer(Rule.ALWAYS_CALL)), BatchPlayer(Rule.ALWAYS_CALL)])
    other = PolicyPlayer(some_policy(built("leduc")))
    with pytest.raises(sc.UsageError, match="this policy plays leduc, not kuhn"):
        match(built("kuhn"), [other, BatchPlayer(Rule.ALWAYS_CALL)], hands=2, by_hand=True)


def test_what_is_watched_goes_up_and_what_is_stopped_stops() -> None:
    told: list[float] = []
    match(built("kuhn"), [BatchPlayer(Rule.PROBE), BatchPlayer(Rule.PROBE)], hands=20, by_hand=True, watch=told.append)
    assert told == pytest.approx([deal / 10 for deal in range(1, 11)])
    for by_hand in (False, True):
        result = match(
            built("kuhn"), [BatchPlayer(Rule.PROBE), BatchPlayer(Rule.PROBE)], hands=10**8, by_hand=by_hand, stop=lambda: True
        )
        assert not result.done
        assert 0 < result.hands < 10**6


def test_a_match_says_which_engine_played_it_and_who_played_a_table() -> None:
    kuhn, whole, cards = built("kuhn"), built(WHOLE_BETS), built("no-limit-holdem:stack=30,grid=6/6/6")
    assert match(kuhn, ["random", "probe"]).engine is Engine.EXACT
    assert match(kuhn, ["random", "probe"], hands=10).engine is Engine.KERNEL
    assert match(kuhn, ["random", "mostly-calls"], hands=10).engine is Engine.BY_HAND
    assert match(kuhn, ["random", "probe"], hands=10, by_hand=True).engine is Engine.BY_HAND
    equity = match(whole, ["mirror", "probe"], hands=10)
    assert (equity.engine, equity.notes) == (
        Engine.KERNEL,
        ("mirror plays its table: the equity in the middle of each bucket",),
    )
    assert str(equity).splitlines()[-1] == equity.notes[0]
    assert equity.as_dict()["notes"] == list(equity.notes)
    assert match(whole, ["mirror", "probe"], hands=10, by_hand=True).notes == ()
    itself = match(cards, ["heuristic-mc", "probe"], hands=10)
    assert (itself.engine, itself.notes) == (Engine.BATCH, ())
    notes = table_notes(["a", "b"], [TabulatedPolicy(cards, HeuristicMC()), TabulatedPolicy(kuhn, Rule.RANDOM)])
    assert notes == ("a plays its table: mean over 8 sample hands per bucket",)


def test_shipped_agents_play_matches() -> None:
    """`leduc-cfr` is who `smoothcall play --against leduc-cfr` seats."""
    found = play_match(["leduc-cfr", "probe"])
    assert found.game == "leduc"
    policy = sc.load(BUILT_IN / "leduc-cfr.agent")
    assert found.exact == match(policy.game, [policy, Rule.PROBE]).exact
    assert play_match(["leduc-smooth-uct.1000", "leduc-cfr:greedy"]).exact is not None


def test_hands_with_full_stacks_need_no_trees_of_smaller_ones() -> None:
    """A freezeout with these stacks is refused, a match of hands is not."""
    game = built("no-limit-holdem:stack=2000,small_blind=100,grid=6/6/6")
    assert isinstance(game.rules, PokerRules)
    for players in (["heuristic-mc", "always-call"], ["heuristic-mc", some_policy(game)]):
        found = match(game, players, hands=40)
        assert (found.engine, found.hands, found.done) == (Engine.BATCH, 40, True)
    with pytest.raises(sc.UsageError, match="a freezeout may leave any of 2,000 stacks"):
        stack_trees(game.rules)
    trees = stack_trees(game.rules, full_stacks=True)
    assert len(trees.walk.kind) == game.tree.nodes
    assert np.flatnonzero(trees.root >= 0).tolist() == [2000]


def test_batch_policies_are_players_too() -> None:
    game = built(WHOLE_BETS)
    assert match(game, [Rule.PROBE, "probe"], hands=10).names == ("probe", "probe")
    made = match(game, [Scripted("mirror", Table.of(game.rules)), "probe"], hands=100, seed=2)  # type: ignore[arg-type]
    assert made.estimates == match(game, ["mirror", "probe"], hands=100, seed=2).estimates
    with pytest.raises(sc.UsageError, match="cannot play"):
        match(game, [object(), "probe"], hands=10)  # type: ignore[list-item]

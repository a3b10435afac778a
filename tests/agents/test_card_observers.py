"""Matches of those who look at cards: many hands at once, the agents themselves and not their tables."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import pytest

import smoothcall as sc
from smoothcall.agents.scripted import AnyAmount, HeuristicMC
from smoothcall.agents.tabulated import TabulatedPolicy
from smoothcall.agents.view import View
from smoothcall.evaluation.freezeout_match import play_freezeout_match
from smoothcall.evaluation.match import match, play_match, seat
from tests.conftest import built

SPEC = "no-limit-holdem:stack=30,grid=6/6/6"


@pytest.mark.parametrize(("many", "few"), [(4000, 160), pytest.param(20_000, 1000, marks=pytest.mark.long)])
def test_many_hands_at_once_and_hand_by_hand_agree(many: int, few: int) -> None:
    game = built(SPEC)
    agent = TabulatedPolicy(game, HeuristicMC())
    fast = match(game, [agent, "always-call"], hands=many, seed=1)
    slow = match(game, [agent, "always-call"], hands=few, seed=2, by_hand=True)
    assert fast.deals == many / 2
    apart = fast.estimates[0].mean - slow.estimates[0].mean
    assert abs(apart) < 4 * np.hypot(fast.estimates[0].error, slow.estimates[0].error)
    assert fast.estimates[0].mean == -fast.estimates[1].mean


def test_tables_and_greedy_ones_meet_them() -> None:
    game = built(SPEC)
    uniform = sc.Policy.uniform(game)
    result = match(game, [TabulatedPolicy(game, HeuristicMC()), uniform], hands=4000, seed=1)
    assert result.estimates[0].interval()[0] > 0
    again = match(game, ["heuristic-mc", uniform], hands=4000, seed=1)
    assert again.estimates == result.estimates, "the same seed, the same result"


def test_by_name(tmp_path: Path) -> None:
    path = tmp_path / "a.agent"
    TabulatedPolicy(built(SPEC), HeuristicMC()).save(path)
    answer = play_match([f"{path}:greedy", "expert"], hands=400)
    assert (len(answer.names), answer.engine) == (2, "batch")
    answer = play_match([str(path), "mostly-calls"], hands=20)
    assert (answer.hands, answer.engine) == (20, "hand by hand")
    with pytest.raises(sc.UsageError, match="heuristic-mc, expert play games such as no-limit-holdem: say which one"):
        seat(["heuristic-mc", "expert"])
    with pytest.raises(sc.UsageError, match="cannot play leduc"):
        seat(["heuristic-mc", "random"], of="leduc")


def test_games_until_one_is_broke(tmp_path: Path) -> None:
    path = tmp_path / "a.agent"
    TabulatedPolicy(built(SPEC), HeuristicMC()).save(path)
    answer = play_freezeout_match([str(path), "mostly-calls"], 20)
    assert answer.length == 100
    assert answer.hands > 20
    assert "hands at most" in str(answer)
    assert play_freezeout_match([str(path), "always-call"], 20).freezeouts == 20


@pytest.mark.parametrize("seats", [3, 6])
def test_larger_tables(seats: int, tmp_path: Path) -> None:
    path = tmp_path / "a.agent"
    TabulatedPolicy(built(SPEC), HeuristicMC()).save(path)
    entries = [str(path), "heuristic-mc", *["mostly-calls"] * (seats - 2)]
    played, players = seat(entries, of=f"no-limit-holdem:stack=30,grid=6/6/6,seats={seats}")
    result = match(played, players, hands=6)
    assert sum(each.mean for each in result.estimates) == pytest.approx(0, abs=1e-6)


def test_mostly_calls() -> None:
    """3 of 5 calls; raises of any size, all alike; what is not legal is a call."""
    rules = built("no-limit-holdem").rules
    player = AnyAmount(Random(1))
    facing = View(rules, 0, to_call=5, raises=(20, 100))
    found = [player.act(facing) for _ in range(20_000)]
    raised = [int(move[1:]) for move in found if move[0] == "r"]
    shares = [found.count("f") / 20_000, found.count("c") / 20_000, len(raised) / 20_000]
    np.testing.assert_allclose(shares, [0.2, 0.6, 0.2], atol=0.012)
    assert (min(raised), max(raised)) == (20, 100)
    np.testing.assert_allclose(np.mean(raised), 60, atol=2)
    assert {player.act(View(rules, 0)) for _ in range(100)} == {"c"}, "nothing to fold to, nothing to raise with"
    limit = View(built("leduc").rules, 0, raises=(3, 3))
    assert {player.act(limit) for _ in range(100)} == {"c", "r"}

"""A walk through strategies: numbers that can be worked out by hand, and every spot of every game."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

import smoothcall as sc
from smoothcall.agents.tabulated import scripted_policy
from smoothcall.games.betting import Betting
from smoothcall.games.rules import PokerRules
from smoothcall.play.explorer import Spot, explore
from smoothcall.play.log import position_name
from tests.conftest import TINY, WHOLE_BETS, built

KUHN = sc.kuhn_member(built("kuhn"), alpha=0.2)


def some_policy(spec: str) -> sc.Policy:
    game = built(spec)
    return sc.Policy.from_weights(game, np.random.default_rng(7).random((game.tree.rows, len(game.actions))) ** 3)


def verify(spot: Spot, policy: sc.Policy) -> None:
    """What must be so at every spot."""
    game = policy.game
    assert sum(line.deal_probability for line in spot.lines) == pytest.approx(1)
    assert sum(line.share for line in spot.lines) == pytest.approx(1) or spot.reach == 0
    assert sum(move.share for move in spot.moves) == pytest.approx(1)
    assert spot.path[0] == ("Start", "")
    assert spot.path[-1][1] == spot.betting
    for line in spot.lines:
        assert policy.probabilities(line.key) == pytest.approx(line.probabilities)
        assert 0 <= line.reach <= 1 + 1e-9
        assert tuple(line.probabilities) == tuple(move.letter for move in spot.moves)
    for move in spot.moves:
        assert (move.leads is None) == bool(move.ending)
        if move.leads is not None:
            assert game.tree.kind[game.reach(move.leads)] == 0
            assert move.leads.startswith(spot.betting + move.letter)
            assert move.leads.endswith("/") == bool(move.street)


def test_kuhn_by_hand() -> None:
    """The member 0.2 bets K 0.6 and J 0.2 of the time, and calls with Q 0.2 + 1/3 after a check."""
    spot = explore(KUHN)
    assert (spot.player, spot.seat, spot.pot, spot.to_call, spot.street_name) == ("First player", 0, 2, 0, "Round 1")
    assert [(move.letter, move.name, move.chips, move.leads) for move in spot.moves] == [
        ("c", "Check", 0, "c"),
        ("r", "Bet 1", 1, "r"),
    ]
    assert [move.share for move in spot.moves] == pytest.approx([1 - 0.8 / 3, 0.8 / 3])
    assert [line.key for line in spot.lines] == ["J:", "Q:", "K:"]
    spot = explore(KUHN, "cr")
    assert (spot.pot, spot.to_call, spot.betting) == (3, 1, "cr")
    assert [line.reach for line in spot.lines] == pytest.approx([0.8, 1.0, 0.4])
    assert spot.reach == pytest.approx(2.2 / 3)
    assert [line.share for line in spot.lines] == pytest.approx([0.8 / 2.2, 1 / 2.2, 0.4 / 2.2])
    fold, call = spot.moves
    assert (fold.name, fold.leads, fold.ending) == ("Fold", None, "fold")
    assert (call.name, call.leads, call.ending, call.chips) == ("Call 1", None, "showdown", 1)
    assert call.share == pytest.approx((0.4 + 0.2 + 1 / 3) / 2.2)
    assert spot.path == (("Start", ""), ("First player: Check", "c"), ("Second player: Bet 1", "cr"))
    assert not spot.sampled
    assert spot.grid == ()


@pytest.mark.parametrize("spec", ["kuhn", "kuhn-3p", "leduc", "leduc:suits=apart"])
def test_every_spot_of_small_games(spec: str) -> None:
    policy = some_policy(spec)
    waiting, seen = [""], 0
    while waiting:
        spot = explore(policy, waiting.pop())
        verify(spot, policy)
        seen += len(spot.lines)
        waiting += [move.leads for move in spot.moves if move.leads is not None]
    assert seen == policy.game.tree.rows


def test_reach_is_the_realisation_plan() -> None:
    """How often own moves lead to an information state, as the sequence form has it."""
    policy = some_policy("leduc")
    game = policy.game
    plan = dict(zip(game.form.cell.tolist(), policy.realisation_plan.tolist(), strict=True))
    for betting in ["", "cr", "crrc/", "rrc/rr"]:
        for line in explore(policy, betting).lines:
            row = game.rows(line.key)[0]
            total = sum(plan[row * len(game.actions) + slot] for slot in np.flatnonzero(game.legal[row]))
            assert line.reach == pytest.approx(total)


def test_streets_that_begin_and_amounts() -> None:
    spot = explore(some_policy("leduc"), "cr")
    assert [(move.name, move.street, move.leads) for move in spot.moves] == [
        ("Fold", "", None),
        ("Call 2", "Round 2", "crc/"),
        ("Raise to 4", "", "crr"),
    ]


def test_holdem_before_the_flop_is_a_grid() -> None:
    policy = some_policy("limit-holdem")
    spot = explore(policy, "r")
    verify(spot, policy)
    assert (spot.player, spot.street_name, len(spot.lines), spot.sampled) == ("Big blind", "Preflop", 169, False)
    grid = [[line.label for line in row] for row in spot.grid]
    assert (len(grid), {len(row) for row in grid}) == (13, {13})
    assert (grid[0][0], grid[0][1], grid[1][0], grid[12][12], grid[12][0]) == ("AA", "AKs", "AKo", "22", "A2o")
    assert len({label for row in grid for label in row}) == 169
    combinations = {line.label: round(line.deal_probability * 1326) for line in spot.lines}
    assert (combinations["AA"], combinations["AKs"], combinations["AKo"], sum(combinations.values())) == (6, 4, 12, 1326)


def test_own_moves_before_the_flop() -> None:
    policy = some_policy("limit-holdem")
    spot = explore(policy, "crr")
    assert spot.player == "Big blind"
    for line in spot.lines:
        assert line.reach == pytest.approx(policy.probabilities(f"{line.label}:c")["r"])


@pytest.mark.parametrize(("spec", "strength"), [(TINY, "E[HS] "), (f"{TINY},cells=even", "E[HS²] ")])
def test_later_streets_are_shown_by_bucket(spec: str, strength: str) -> None:
    policy = some_policy(spec)
    random = Random(4)
    for street, meaning in ((1, strength), (2, strength), (3, "beats ")):
        betting = ""
        while betting.count("/") < street:  # some line to there
            leads = [move.leads for move in explore(policy, betting).moves if move.leads is not None]
            calls = [text for text in leads if text.rstrip("/").endswith("c")]
            betting = random.choice(calls or leads)
        spot = explore(policy, betting)
        verify(spot, policy)
        assert spot.sampled
        assert len(spot.lines) == policy.game.buckets[street]
        assert all(line.meaning.startswith(meaning) for line in spot.lines)
        assert spot.grid == ()


def test_sampled_reach_is_near_what_is_played() -> None:
    """Who never folds and calls half of the time comes to the flop half of the time, whatever the cards."""
    game = built(TINY)
    weights = np.zeros((game.tree.rows, len(game.actions)), np.uint8)
    weights[:, 1:3] = 1
    spot = explore(sc.Policy.from_weights(game, weights), "cc/")
    assert spot.reach == pytest.approx(0.5, abs=0.01)
    seen = [line for line in spot.lines if line.deal_probability > 0]
    assert all(line.reach == pytest.approx(0.5, abs=0.01) for line in seen)
    assert all(line.share == pytest.approx(line.deal_probability, abs=1e-9) for line in seen)


def test_no_limit_amounts_and_what_stands_for_others() -> None:
    policy = some_policy("no-limit-holdem")
    spot = explore(policy)
    assert [(move.letter, move.name, move.chips) for move in spot.moves] == [
        ("f", "Fold", 0),
        ("c", "Call 5", 5),
        ("r20", "Raise to 20", 15),
        ("r30", "Raise to 30", 25),
        ("r100", "Raise to 100 (all in)", 95),
    ]
    other = explore(policy, "r26")
    assert (other.betting, other.pot) == ("r30", 40)
    assert "r26 is treated as r30" in other.note
    assert explore(policy, "r30").note == ""


@pytest.mark.parametrize(
    ("spec", "betting"),
    [("kuhn", "f"), ("kuhn", "cc"), ("kuhn", "rr"), ("kuhn", "x"), ("leduc", "cc"), ("leduc", "/"), ("no-limit-holdem", "r5")],
)
def test_what_cannot_occur(spec: str, betting: str) -> None:
    with pytest.raises(sc.UsageError):
        explore(some_policy(spec), betting)


def test_one_shot_games_are_refused() -> None:
    with pytest.raises(sc.UsageError, match="rps has no betting to explore"):
        explore(sc.Policy.uniform(built("rps")))


def test_seats_have_names() -> None:
    rules = built("no-limit-holdem").rules
    assert isinstance(rules, PokerRules)
    assert [position_name(rules, seat) for seat in range(2)] == ["Small blind", "Big blind"]
    six = sc.game("no-limit-holdem:seats=6,menu=all-in,stack=20").rules
    assert isinstance(six, PokerRules)
    assert [position_name(six, seat) for seat in range(6)] == [
        "Small blind", "Big blind", "Under the gun", "Under the gun +1", "Cutoff", "Button",
    ]  # fmt: skip
    assert Betting(six).player == 2


def test_batch_policies() -> None:
    """What a bucket means is what the rule looks at: equities in even intervals."""
    policy = scripted_policy(built(WHOLE_BETS), "aggressive")
    spot = explore(policy, "cc/")
    verify(spot, policy)
    assert [line.meaning for line in spot.lines][4:6] == ["E[HS] 0.400 to 0.500", "E[HS] 0.500 to 0.600"]
    assert [line.probabilities["r1500"] for line in spot.lines] == [0.0] * 5 + [1.0] * 5
    river = explore(policy, "cc/cc/cc/")
    assert river.lines[3].meaning == "beats 30.0% to 40.0% of hands"
    first = {line.label: line.probabilities["r1500"] for line in explore(policy).lines}
    assert (first["AA"], first["87o"]) == (1.0, 0.0)


def test_a_spot_of_a_batch_policy_is_evaluated_alone() -> None:
    """Its rows are those of the whole table."""
    game = built(WHOLE_BETS)
    whole, alone = scripted_policy(game, "moderate"), scripted_policy(game, "moderate")
    for node in Random(2).sample(game.tree.decisions.tolist(), 12):
        first, count = int(game.tree.first_row[node]), game.buckets[game.tree.round[node]]
        assert (alone.node_weights(node) == whole.weights[first : first + count]).all()
    assert "weights" not in vars(alone)
    betting = game.tree.betting(int(game.tree.decisions[-1]))
    assert explore(alone, betting) == explore(whole, betting)
    assert "weights" not in vars(alone)

"""Habits of opponents outside training, and the player that chooses among others by them."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any, ClassVar

import numpy as np
import pytest

import smoothcall as sc
from smoothcall.agents.batch_player import BatchPlayer
from smoothcall.agents.batch_wrappers import Greedy, Table
from smoothcall.agents.combined import AGGRESSION_FACTORS, CELLS, Combined, cells_of, stranger
from smoothcall.agents.files import load
from smoothcall.agents.q_networks import Values, aggression_factor, ten_inputs
from smoothcall.agents.registry import Registry
from smoothcall.agents.scripted import Rule, Scripted
from smoothcall.agents.tabulated import TabulatedPolicy
from smoothcall.agents.view import view_of
from smoothcall.evaluation.freezeout_match import play_freezeout_match
from smoothcall.evaluation.match import match
from smoothcall.evaluation.policy_match import Engine
from smoothcall.games.hand import Hand
from smoothcall.games.rules import PokerRules
from smoothcall.kernels.simulation.observations import AGGRESSION, OBSERVATION, RAISES, STREET
from smoothcall.kernels.tables import Array
from smoothcall.learners.combining import LEAST, Choice, combine
from smoothcall.simulation.batch_policy import observes_habits
from tests.conftest import WHOLE_BETS, built

GAME = "no-limit-holdem-32"


def rules() -> PokerRules:
    found = built(WHOLE_BETS).rules
    assert isinstance(found, PokerRules)
    return found


def scripted(name: str) -> Scripted:
    return Scripted(name, Table.of(rules()))


def observed(preflop: float, frequency: float) -> Array:
    seen = np.zeros((1, OBSERVATION), np.float32)
    seen[0, [RAISES, AGGRESSION]] = preflop, frequency
    return seen


@pytest.mark.parametrize(
    ("raises", "calls", "factor"), [(0, 3, 0), (1, 2, 0.5), (3, 3, 1), (6, 2, 3), (40, 2, 10), (5, 0, 10), (0, 0, 1)]
)
def test_the_aggression_factor_is_raises_by_calls(raises: int, calls: int, factor: float) -> None:
    """Ten stands for more, and for no calls at all."""
    seen = observed(0.25, raises / (raises + calls) if raises + calls else 0.5)
    assert aggression_factor(seen)[0] == pytest.approx(factor, rel=1e-5)
    assert ten_inputs(seen)[0, -2:].tolist() == pytest.approx([0.25, factor / 10], rel=1e-5)


def test_cells_of_habits() -> None:
    assert CELLS == (6, 7)
    for preflop, row in ((0, 0), (0.1, 1), (0.2, 2), (0.79, 4), (1, 5)):
        for frequency, column in ((0, 0), (0.4, 1), (0.5, 2), (0.75, 4), (1, len(AGGRESSION_FACTORS))):
            assert cells_of(observed(preflop, frequency))[0] == row * CELLS[1] + column
    assert cells_of(stranger()) == cells_of(observed(0, 0.5)), "what a player sees in its first hand"


def test_a_combination_plays_the_member_of_the_cell() -> None:
    choice = np.zeros(CELLS[0] * CELLS[1], np.int64)
    choice[cells_of(observed(1, 1))] = 1
    combined = Combined((scripted("call"), scripted("raise")), choice)
    seen, legal = np.concatenate([observed(1, 1), observed(0, 0.5)]), np.ones((2, 4), bool)
    assert combined.probabilities(seen, legal).argmax(axis=1).tolist() == [3, 1]
    assert observes_habits(combined)
    assert observes_habits(Greedy(combined))
    for members, wrong in (((), choice), ((scripted("call"),), choice), ((scripted("call"), scripted("raise")), choice[1:])):
        with pytest.raises(sc.UsageError, match="combination"):
            Combined(members, wrong)


def test_the_choice_is_the_best_member_of_each_cell() -> None:
    hands, value = np.full((3, 2), float(LEAST)), np.array([[1.0, 2.0], [5.0, 3.0], [0.0, 9.0]])
    assert Choice(hands, value).best.tolist() == [1, 0, 1]
    hands[1, 0] = LEAST - 1
    assert Choice(hands, value).best.tolist() == [1, 1, 1], "where little is known, the best of all"


def test_learning_whom_to_play_against_whom() -> None:
    """Raising wins the blind from who only folds; folding loses it to who goes all-in in every hand, calling does not."""
    members, opponents = [scripted(name) for name in ("call", "check-fold", "raise")], ["check-fold", "all-in"]
    combined, found = combine(rules(), members, [scripted(name) for name in opponents], hands=20_000, seed=1)
    folds, all_in = cells_of(observed(0, 0.5))[0], cells_of(observed(1, 1))[0]
    assert combined.choice[folds] == 2
    assert combined.choice[all_in] != 1
    assert found.hands.sum() >= 20_000
    assert found.value[folds, 2] > found.value[folds, 0] + 200
    assert found.value[all_in, 1] == pytest.approx(-500, abs=60)
    again, _ = combine(rules(), members, [scripted(name) for name in opponents], hands=20_000, seed=1)
    assert (again.choice == combined.choice).all()
    with pytest.raises(sc.UsageError, match="0 opponents"):
        combine(rules(), members, [], hands=1)


# Habits at a table and in matches


class Watcher:
    """Checks and calls, and keeps what it observes of the opponent at its first decisions of hands."""

    OBSERVES_HABITS: ClassVar[bool] = True

    def __init__(self) -> None:
        self.seen: list[tuple[float, float]] = []

    def probabilities(self, observations: Array, legal: Array) -> Array:
        for each in observations[observations[:, STREET] == 0]:
            self.seen.append((float(each[RAISES]), float(each[AGGRESSION])))
        found = np.zeros(legal.shape)
        found[:, 1] = 1
        return found


def test_a_player_at_a_table_encodes_the_habits_of_its_view() -> None:
    player = BatchPlayer(scripted("call"), rules())
    hand = Hand(rules())
    hand.deal_random(Random(1))
    assert player.observation(view_of(hand, 0))[[RAISES, AGGRESSION]].tolist() == [0, 0.5]
    assert player.observation(view_of(hand, 0, (4, 1, 3, 1)))[[RAISES, AGGRESSION]].tolist() == [0.25, 0.75]


def test_players_of_a_match_know_the_earlier_hands() -> None:
    watcher = Watcher()
    result = match(built(WHOLE_BETS), [TabulatedPolicy(built(WHOLE_BETS), watcher), Rule.ALWAYS_RAISE], hands=20, seed=1)
    assert result.engine is Engine.BY_HAND, "its table would be for an unknown opponent"
    assert watcher.seen[0] == (0, 0.5)
    assert watcher.seen[-1] == (1, 1), "who raises in every hand and never calls"
    watcher = Watcher()
    match(built(WHOLE_BETS), [TabulatedPolicy(built(WHOLE_BETS), watcher), Rule.ALWAYS_CALL], hands=20, seed=1)
    assert set(watcher.seen) == {(0, 0.5)}, "who only checks, since nobody bets"
    plain = match(built(WHOLE_BETS), [TabulatedPolicy(built(WHOLE_BETS), scripted("call")), Rule.ALWAYS_RAISE], hands=20)
    assert plain.engine is Engine.KERNEL


# Files and the registry


def combination() -> TabulatedPolicy:
    random, sizes = np.random.default_rng(1), ((16, 10), (6, 16))
    layers = [(random.normal(size=size).astype(np.float32), np.zeros(size[0], np.float32)) for size in sizes]
    members: tuple[Any, ...] = (Values(Table.of(rules()), (layers, layers)), scripted("moderate"))
    return TabulatedPolicy(built(WHOLE_BETS), Combined(members, np.arange(CELLS[0] * CELLS[1]) % 2), {"learned": "by hand"})


def test_a_combination_is_kept_in_a_file_and_has_a_name(tmp_path: Path) -> None:
    policy, path = combination(), tmp_path / "both.agent"
    policy.save(path)
    again = load(path, built(WHOLE_BETS))
    assert isinstance(again, TabulatedPolicy)
    assert isinstance(again.batch_policy, Combined)
    random = np.random.default_rng(2)
    seen, legal = random.random((50, OBSERVATION)).astype(np.float32), np.ones((50, 4), bool)
    seen[:, STREET] = random.integers(4, size=50)
    for one, other in ((policy, again), (again, policy)):
        np.testing.assert_array_equal(*(each.batch_policy.probabilities(seen, legal) for each in (one, other)))
    registry = Registry(tmp_path)
    assert "both" in registry.names()
    found = play_freezeout_match(["both", "call"], 10, registry=registry, of=WHOLE_BETS)
    assert (found.freezeouts, found.names) == (10, ("both", "call"))
    assert registry.player("both", built(WHOLE_BETS), Random(1)) is not None


@pytest.mark.parametrize("wrong", [{"members": []}, {"members": [1]}, {"members": [{"class": "combined", "members": []}]}])
def test_damaged_combinations_are_refused(tmp_path: Path, wrong: dict[str, Any]) -> None:
    from smoothcall.agents.serialization import from_data, to_data

    about, arrays = to_data(combination().batch_policy)
    with pytest.raises(sc.UsageError, match="combination"):
        from_data(built(WHOLE_BETS), about | wrong, arrays)
    for choice in (np.full(CELLS[0] * CELLS[1], 0.5), np.full(CELLS[0] * CELLS[1], 2.0)):
        with pytest.raises(sc.UsageError, match="combination"):
            from_data(built(WHOLE_BETS), about, arrays | {"choice": choice})

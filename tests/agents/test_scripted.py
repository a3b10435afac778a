"""Every rule of the scripted players on observations made by hand."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from smoothcall.agents.batch_wrappers import ALL_IN, Table, whole_bets
from smoothcall.agents.registry import Registry
from smoothcall.agents.scripted import FINAL_POOL, FIRST_POOL, RULES, Scripted
from smoothcall.agents.view import view_of
from smoothcall.evaluation.freezeouts import play_freezeouts
from smoothcall.games.catalog import NO_LIMIT_HOLDEM_32
from smoothcall.games.hand import Hand
from smoothcall.games.menu import BetMenu
from smoothcall.kernels.simulation.observations import EQUITY, LAST, OBSERVATION, STREET, TO_CALL
from smoothcall.kernels.tables import CALL, CALLED, CHECKED, FOLD_SLOT, NOTHING, RAISED, Array
from tests.conftest import built

TABLE = Table(bet=0.1, factors=(1, 2, 3, 4, ALL_IN))
X1, X2, X3, X4, EVERYTHING = range(CALL + 1, CALL + 6)
EVERY = (CALL, X1, X2, X3, X4, EVERYTHING)  # nothing is to call


def probabilities(rule: str, equity: float = 0.0, *, street: int = 0, owed: float = 0.0, last: int = NOTHING,
            legal: tuple[int, ...] | None = None) -> Array:  # fmt: skip
    seen, may = np.zeros((1, OBSERVATION), np.float32), np.zeros((1, 7), bool)
    seen[0, [EQUITY, STREET, TO_CALL, LAST]] = equity, street, owed, last
    may[0, list(legal or EVERY)] = True
    may[0, FOLD_SLOT] |= owed > 0
    found: Array = Scripted(rule, TABLE).probabilities(seen, may)[0]
    assert found.sum() == pytest.approx(1)
    assert not found[~may[0]].any()
    return found


def move(rule: str, equity: float = 0.0, **observation: object) -> int:
    """What a rule that never draws does."""
    found = probabilities(rule, equity, **observation)  # type: ignore[arg-type]
    assert found.max() == 1
    return int(found.argmax())


def test_ten_rules_in_two_pools() -> None:
    assert set(RULES) == {*FIRST_POOL, *FINAL_POOL}
    assert (len(FIRST_POOL), len(FINAL_POOL), set(FIRST_POOL) & set(FINAL_POOL)) == (7, 4, {"aggressive"})


@pytest.mark.parametrize("street", range(4))
def test_rules_that_never_look_at_their_cards(street: int) -> None:
    for equity in (0.0, 0.5, 1.0):
        assert move("call", equity, street=street) == CALL
        assert move("call", equity, street=street, owed=0.3) == CALL
        assert move("check-fold", equity, street=street) == CALL
        assert move("check-fold", equity, street=street, owed=0.1) == FOLD_SLOT
        assert move("raise", equity, street=street, owed=0.2) == X2
        assert move("all-in", equity, street=street) == EVERYTHING
        assert move("all-in", equity, street=street, owed=0.3) == EVERYTHING


def test_aggressive_raises_by_one_bet_above_a_half() -> None:
    assert move("aggressive", 0.51) == X1
    assert move("aggressive", 0.51, owed=0.2) == X1
    assert move("aggressive", 0.5) == CALL
    assert move("aggressive", 0.5, owed=0.2) == FOLD_SLOT


@pytest.mark.parametrize(
    ("equity", "made"),
    [(0.39, FOLD_SLOT), (0.41, CALL), (0.59, CALL), (0.61, X1), (0.69, X1), (0.71, X2), (0.79, X2), (0.81, X3), (0.91, X4)],
)
def test_moderate_raises_by_one_more_for_every_tenth(equity: float, made: int) -> None:
    assert move("moderate", equity, owed=0.1) == made
    assert move("moderate", equity) == (CALL if made == FOLD_SLOT else made)


def test_moderate_calls_at_both_ends() -> None:
    assert [move("moderate", equity, owed=0.1) for equity in (0.4, 0.5, 0.6)] == [CALL] * 3


def test_raises_with_few_chips_left() -> None:
    """Nothing larger is legal: all that is left is the first raise that is, and where there is none a call."""
    assert move("raise", legal=(CALL, X1)) == X1
    assert move("all-in", legal=(CALL, X1, X2)) == X2
    assert move("moderate", 1.0, legal=(CALL, X1)) == X1
    assert move("aggressive", 0.9, legal=(CALL, X3)) == X3, "smaller ones are below the least raise"
    assert move("raise", owed=0.4, legal=(CALL,)) == CALL
    assert move("all-in", owed=0.4, legal=(CALL,)) == CALL


def test_mirror_does_what_the_other_did() -> None:
    for last in (NOTHING, CHECKED, CALLED):
        assert move("mirror", last=last) == CALL
    for bets, made in ((1, X1), (2, X2), (3, X3), (4, X4), (6, X4)):
        assert move("mirror", owed=bets * TABLE.bet, last=RAISED) == made
    assert move("mirror", owed=0.3, last=RAISED, legal=(CALL, X4)) == X4
    assert move("mirror", owed=0.3, last=RAISED, legal=(CALL,)) == CALL


def test_random_makes_any_legal_move() -> None:
    """All-in is none of the raises by 1 to 4 bets, so it is left out unless it is the only raise."""
    np.testing.assert_allclose(probabilities("random"), [0, 0.2, 0.2, 0.2, 0.2, 0.2, 0])
    np.testing.assert_allclose(probabilities("random", owed=0.1, legal=(CALL, X2)), [1 / 3, 1 / 3, 0, 1 / 3, 0, 0, 0])
    np.testing.assert_allclose(probabilities("random", owed=0.6, legal=(CALL, EVERYTHING)), [1 / 3, 1 / 3, 0, 0, 0, 0, 1 / 3])


@pytest.mark.parametrize(("rule", "honest"), [("bluffer-aggressive", "aggressive"), ("bluffer-moderate", "moderate")])
def test_bluffers_bluff_half_of_the_time_on_flop_and_turn(rule: str, honest: str) -> None:
    for equity in (0.1, 0.45, 0.55, 0.95):
        for owed in (0.0, 0.1):
            for street, bluff in ((0, None), (1, X1), (2, X2), (3, None)):
                plain = probabilities(honest, equity, street=street, owed=owed)
                expected = plain if bluff is None else (plain + np.eye(7)[bluff]) / 2
                np.testing.assert_allclose(probabilities(rule, equity, street=street, owed=owed), expected)


def test_all_in_bets_the_whole_stack() -> None:
    """At a table, in a freezeout and in a menu without all-in, where it makes the largest raise."""
    hand = Hand(NO_LIMIT_HOLDEM_32)
    hand.deal_random(Random(1))
    all_in = Registry().player("all-in", built("no-limit-holdem-32"))
    assert all_in.act(view_of(hand, 0)) == "r10000"
    hand.play("r2500")
    assert all_in.act(view_of(hand, 1)) == "r10000"
    rules = replace(NO_LIMIT_HOLDEM_32, stack=3000, menu=BetMenu.parse("x1+all-in"))  # whose trees are small
    table = Table.of(rules)
    players = [Scripted("all-in", table), Scripted("call", table)]
    found = play_freezeouts(rules, players, names=("all-in", "call"), freezeouts=20, seed=1)
    assert found.deviation == 3000, "who is called in every hand wins or loses everything"
    assert found.hands < 60, "one hand each, but for shared pots"
    assert Scripted("all-in", Table(0.1, (1, 2))).probabilities(np.zeros((1, OBSERVATION)), np.ones((1, 4), bool)).argmax() == 3


def test_menus_of_whole_bets() -> None:
    def bets(menu: str) -> tuple[int, ...] | None:
        return whole_bets(replace(NO_LIMIT_HOLDEM_32, menu=BetMenu.parse(menu)))

    assert bets("x1+x3") == (1, 3)
    assert bets("x1+x3+all-in") == (1, 3, ALL_IN)
    assert bets("all-in") is bets("x1+pot") is bets("all-in+x1") is bets("min") is None
    assert whole_bets(NO_LIMIT_HOLDEM_32) == (1, 2, 3, 4, ALL_IN)

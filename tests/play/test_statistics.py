"""Marks of known hands, laws of random ones, and what they come to."""

from fractions import Fraction
from math import sqrt
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smoothcall.errors import UsageError
from smoothcall.games.betting import Call, Raise
from smoothcall.games.catalog import KUHN, KUHN_3P, LEDUC, LIMIT_HOLDEM, LIMIT_HOLDEM_3P, NO_LIMIT_HOLDEM
from smoothcall.games.hand import Hand
from smoothcall.games.notation import read_hand
from smoothcall.games.rules import PokerRules
from smoothcall.play.person_view import Figure
from smoothcall.play.statistics import MOST_POINTS, Marks, Played, Running, Statistics, marks, summarise
from tests.games.random_hands import step

NOTHING = Marks(vpip=False, preflop_raise=False, bets=0, calls=0, folds=0, showdown=False, won_showdown=0.0)


@pytest.mark.parametrize(
    ("rules", "text", "seat", "expected"),
    [
        # a walk: the big blind does nothing and wins
        (LIMIT_HOLDEM, "AhKh|7c7d:f", 1, NOTHING),
        (LIMIT_HOLDEM, "AhKh|7c7d:f", 0, Marks(False, False, 0, 0, 1, False, 0.0)),
        # a completed small blind is voluntary, a check in the big blind is not
        (LIMIT_HOLDEM, "AhKh|7c7d/2h7h9s:cc/rf", 0, Marks(True, False, 0, 1, 1, False, 0.0)),
        (LIMIT_HOLDEM, "AhKh|7c7d/2h7h9s:cc/rf", 1, Marks(False, False, 1, 0, 0, False, 0.0)),
        # raises, calls and a showdown; bets after the flop are no preflop raise
        (LIMIT_HOLDEM, "AhKh|7c7d/2h7h9s/Th/8d:rc/rc/cc/cc", 0, Marks(True, True, 1, 1, 0, True, 1.0)),
        (LIMIT_HOLDEM, "AhKh|7c7d/2h7h9s/Th/8c:rc/rc/cc/cc", 1, Marks(True, False, 1, 1, 0, True, 0.0)),
        # an even pot
        (LIMIT_HOLDEM, "AhKh|AcKd/2h7s9s/Th/9c:cc/cc/cc/cc", 1, Marks(False, False, 0, 0, 0, True, 0.5)),
        # games without blinds: a check is not voluntary, a bet and a call of one are
        (KUHN, "K|Q:crc", 0, Marks(True, False, 0, 1, 0, True, 1.0)),
        (KUHN, "K|Q:crc", 1, Marks(True, True, 1, 0, 0, True, 0.0)),
        (KUHN, "K|Q:cc", 0, Marks(False, False, 0, 0, 0, True, 1.0)),
        (LEDUC, "Kh|Qs/Qh:cc/rc", 1, Marks(False, False, 0, 1, 0, True, 1.0)),
        # who folded was not at the showdown of the others
        (KUHN_3P, "K|Q|A:rfc", 1, Marks(False, False, 0, 0, 1, False, 0.0)),
        (KUHN_3P, "K|Q|A:rfc", 2, Marks(True, False, 0, 1, 0, True, 1.0)),
        # all in before the flop, called: both at the showdown
        (NO_LIMIT_HOLDEM, "AhKh|7c7d/2h7h9s/Tc/9d:r100c///", 0, Marks(True, True, 1, 0, 0, True, 0.0)),
    ],
)
def test_marks_of_known_hands(rules: PokerRules, text: str, seat: int, expected: Marks) -> None:
    assert marks(read_hand(rules, text), seat) == expected


def test_a_hand_that_goes_on_has_no_marks() -> None:
    with pytest.raises(UsageError, match="not over"):
        marks(read_hand(KUHN, "K|Q:c"), 0)


def played_out(rules: PokerRules, seed: int) -> Hand:
    hand, random = Hand(rules), Random(seed)
    while hand.outcome is None:
        step(hand, random)
    return hand


@given(st.sampled_from([KUHN, KUHN_3P, LEDUC, LIMIT_HOLDEM_3P, NO_LIMIT_HOLDEM]), st.integers(0, 2**32))
def test_marks_add_up(rules: PokerRules, seed: int) -> None:
    """Every bet, call and fold of a hand is somebody's; who raised first was voluntary; a showdown's winner was there."""
    hand = played_out(rules, seed)
    found = [marks(hand, seat) for seat in range(rules.seats)]
    assert sum(m.bets for m in found) == sum(isinstance(move, Raise) for move in hand.moves)
    assert sum(m.calls for m in found) == sum(isinstance(move, Call) and move.amount > 0 for move in hand.moves)
    assert [m.folds for m in found] == [int(not alive) for alive in hand.alive]
    assert all(m.vpip for m in found if m.preflop_raise)
    showdown = hand.outcome.reason == "showdown"
    assert [m.showdown for m in found] == [alive and showdown for alive in hand.alive]
    assert all(m.showdown for m in found if m.won_showdown)
    assert not showdown or any(m.won_showdown for m in found)


def test_no_hands() -> None:
    assert summarise([]) == Statistics(0, ())


def _played(title: str, won: Fraction | int, luck_adjusted: float | None, did: Marks = NOTHING, **other: str) -> Played:
    given = {"opponents": "Probe", "position": "Button"} | other
    return Played(
        title.lower(),
        title,
        **given,
        won=Fraction(won),
        blind=1 if title == "Leduc" else 10,
        luck_adjusted=luck_adjusted,
        marks=did,
    )


def test_games_and_stakes_are_not_added_up() -> None:
    raiser = Marks(True, True, 3, 2, 0, True, 1.0)
    found = summarise(
        [
            _played("Leduc", 2, 1.0, raiser),
            _played("Hold'em", -15, None),
            _played("Leduc", Fraction(-7, 2), -0.5, Marks(True, False, 0, 1, 1, False, 0.0), opponents="CFR+"),
            _played("Leduc", 0, 0.0, Marks(False, False, 0, 0, 0, True, 0.5), position="Big blind"),
        ]
    )
    assert found.hands == 4
    leduc, holdem = found.games
    assert (leduc.game, leduc.title, leduc.hands, leduc.won) == ("leduc", "Leduc", 3, "-3/2")
    assert leduc.curve == (2.0, -1.5, -1.5)
    assert leduc.luck_adjusted_curve == (1.0, 0.5, 0.5)
    assert (leduc.vpip, leduc.preflop_raise, leduc.aggression) == (pytest.approx(2 / 3), pytest.approx(1 / 3), 1.0)
    assert (leduc.showdowns, leduc.showdowns_won) == (pytest.approx(2 / 3), 0.75)
    assert leduc.raw.mean == pytest.approx(-500)
    assert (leduc.luck_adjusted.hands, leduc.luck_adjusted.mean) == (3, pytest.approx(500 / 3))
    assert [(line.name, line.hands, line.won) for line in leduc.by_opponent] == [("Probe", 2, "+2"), ("CFR+", 1, "-7/2")]
    assert [(line.name, line.hands, line.won) for line in leduc.by_position] == [("Button", 2, "-3/2"), ("Big blind", 1, "0")]
    assert (holdem.raw.mean, holdem.raw.half_width, holdem.luck_adjusted) == (-1500, None, None)
    assert holdem.luck_adjusted_curve == (), "AIVAT does not cover its hands"


@pytest.mark.parametrize("hands", [1, MOST_POINTS - 1, MOST_POINTS, 5 * MOST_POINTS + 7])
def test_a_curve_stays_short_and_ends_with_the_last_hand(hands: int) -> None:
    game = summarise(_played("Leduc", 1, 0.5) for _ in range(hands)).games[0]
    assert len(game.curve) == len(game.luck_adjusted_curve) <= MOST_POINTS
    assert (game.curve[-1], game.luck_adjusted_curve[-1]) == (hands, hands / 2)
    assert list(game.curve) == sorted(game.curve)


def test_intervals() -> None:
    """One hand says nothing about the spread; of many, 1.96 standard errors."""

    def figure(samples: list[float]) -> Figure | None:
        running = Running()
        for sample in samples:
            running.add(sample)
        return running.figure

    assert figure([]) is None
    assert figure([3.0]).half_width is None
    assert figure([3.0] * 9).half_width is None
    found = figure([0.0, 2.0] * 200)
    assert found.mean == pytest.approx(1)
    assert found.half_width == pytest.approx(1.959964 * sqrt(400 / 399) / 20, rel=1e-5)

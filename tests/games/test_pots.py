"""Pots: the rules against a division chip by chip, and the compiled pay-off table builder against the rules."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from smoothcall.games.pots import split_pots
from smoothcall.kernels.information.payoffs import settle_deals
from smoothcall.kernels.information.pots import UNITS, settle
from tests.conftest import examples


def chip_by_chip(paid: list[int], alive: list[bool], strength: list[int]) -> list[Fraction]:
    """Each player's first chip, then each one's second: the best hand alive among those who paid that chip wins them."""
    payoffs = [Fraction(-chips) for chips in paid]
    for chip in range(max(paid)):
        payers = [player for player, chips in enumerate(paid) if chips > chip]
        entitled = [player for player in payers if alive[player]] or [player for player, stays in enumerate(alive) if stays]
        best = max(strength[player] for player in entitled)
        winners = [player for player in entitled if strength[player] == best]
        for winner in winners:
            payoffs[winner] += Fraction(len(payers), len(winners))
    return payoffs


def settled(paid: list[int], alive: list[bool], strength: list[int]) -> list[Fraction]:
    """The kernel's pay-offs."""
    units = np.zeros(len(paid), np.int64)
    settle(np.array(paid, np.int64), bits(alive), np.array(strength, np.int32), units)
    return [Fraction(int(unit), UNITS) for unit in units]


def bits(alive: list[bool]) -> int:
    return sum(1 << player for player, stays in enumerate(alive) if stays)


@st.composite
def endings(draw: st.DrawFn, most: int = 12) -> tuple[list[int], list[bool], list[int]]:
    players = draw(st.integers(2, 10))
    paid = draw(st.lists(st.integers(0, most), min_size=players, max_size=players))
    alive = draw(st.lists(st.booleans(), min_size=players, max_size=players))
    alive[paid.index(max(paid))] = True  # who paid the most has nothing to fold to
    return paid, alive, draw(st.lists(st.integers(0, 4), min_size=players, max_size=players))


@pytest.mark.interpreted
@settings(deadline=None, max_examples=examples(400))
@given(endings())
def test_every_chip_goes_where_it_goes_chip_by_chip(ending: tuple[list[int], list[bool], list[int]]) -> None:
    assert split_pots(*ending) == chip_by_chip(*ending)


@pytest.mark.interpreted
@settings(deadline=None, max_examples=examples(400))
@given(endings(), endings(most=1_000_000))
def test_the_kernel_divides_as_the_rules_do(
    small: tuple[list[int], list[bool], list[int]], large: tuple[list[int], list[bool], list[int]]
) -> None:
    for ending in (small, large):
        assert settled(*ending) == split_pots(*ending)


@settings(deadline=None)
@given(endings(most=1000), st.data())
def test_payoff_tables_are_what_the_rules_pay(ending: tuple[list[int], list[bool], list[int]], data: st.DataObject) -> None:
    paid, alive, _ = ending
    hands = st.lists(st.integers(0, 4), min_size=len(paid), max_size=len(paid))
    strengths = data.draw(st.lists(hands, min_size=1, max_size=5))
    table = np.zeros((len(strengths), len(paid)))
    settle_deals(np.array(paid, np.int64), bits(alive), np.array(strengths), table)
    assert table.tolist() == [[float(payoff) for payoff in split_pots(paid, alive, hand)] for hand in strengths]


@settings(deadline=None)
@given(endings())
def test_chips_are_conserved_and_nobody_loses_more_than_he_paid(ending: tuple[list[int], list[bool], list[int]]) -> None:
    paid, alive, _ = ending
    payoffs = split_pots(*ending)
    assert sum(payoffs) == 0
    for chips, stays, payoff in zip(paid, alive, payoffs, strict=True):
        assert -chips <= payoff <= sum(min(chips, other) for other in paid) - chips
        assert stays or payoff == -chips


@pytest.mark.interpreted
@pytest.mark.parametrize(
    ("paid", "alive", "strength", "payoffs"),
    [
        ([1, 2], [False, True], [9, 0], [-1, 1]),
        ([2, 2], [True, True], [3, 3], [0, 0]),
        ([5, 10], [True, True], [2, 1], [5, -5]),  # five chips were never called and come back
        ([5, 10, 20, 20], [True] * 4, [3, 2, 1, 0], [15, 5, 0, -20]),  # main pot 20, side pots 15 and 20
        ([10, 10, 10, 1], [True, True, True, False], [1, 1, 1, 5], [Fraction(1, 3)] * 3 + [-1]),  # an odd chip in three
        ([3, 7, 7, 7], [True, True, True, False], [2, 2, 1, 9], [3, 11, -7, -7]),
        ([1] * 10, [True] * 9 + [False], [1] * 7 + [0] * 3, [Fraction(3, 7)] * 7 + [-1] * 3),
    ],
)
def test_known_pots(paid: list[int], alive: list[bool], strength: list[int], payoffs: list[Fraction]) -> None:
    assert split_pots(paid, alive, strength) == payoffs
    assert settled(paid, alive, strength) == payoffs


def test_a_chip_can_be_shared_by_any_number_of_seats() -> None:
    assert all(UNITS % players == 0 for players in range(1, 11))

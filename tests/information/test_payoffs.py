"""Pay-off tables: every ending pays what the rules say, also where contributions need more than 64 bits together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import smoothcall as sc
from smoothcall.games.cards import Deck
from smoothcall.games.menu import BetMenu
from smoothcall.games.pots import split_pots
from smoothcall.games.rankings import HIGH_CARD
from smoothcall.games.rules import PokerRules, Street
from smoothcall.information.payoffs import unique_rows
from tests.conftest import built

SEVEN_PLAYERS = PokerRules(
    name="seven",
    deck=Deck("23", "cdhs"),
    order=HIGH_CARD,
    streets=(Street(hole=1, bet=2, max_raises=1),),
    seats=7,
    blinds=(1, 2),
    limit=False,
    stack=2**16 - 1,
    menu=BetMenu.parse("min+all-in"),
)


def verify_payoffs(game: sc.Game, most: int = 500) -> None:
    """Compare endings of the tree with the rules, up to `most` of them at random, for some outcomes."""
    tree, (index, payoff) = game.tree, game.settled
    strengths = game.deals.outcomes[1]
    outcomes = range(0, len(strengths), max(1, len(strengths) // 3))
    for node in np.random.default_rng(1).permutation(tree.endings)[:most]:
        alive = [bool(int(tree.alive[node]) >> player & 1) for player in range(game.players)]
        for outcome in outcomes:
            expected = split_pots(tree.paid[node].tolist(), alive, strengths[outcome].tolist())
            assert payoff[index[node], outcome].tolist() == [float(chips) for chips in expected]


@pytest.mark.parametrize("name", ["kuhn-3p", "leduc"])
def test_every_ending_pays_what_the_rules_say(name: str) -> None:
    verify_payoffs(built(name))


@pytest.mark.parametrize("raises", [1, pytest.param(2, marks=pytest.mark.long)])
def test_large_pots_of_many_players(raises: int) -> None:
    """Seven columns of 16 bits and one of 7: the rows of the table do not fit into one int64."""
    verify_payoffs(sc.Game(replace(SEVEN_PLAYERS, streets=(replace(SEVEN_PLAYERS.streets[0], max_raises=raises),))))


@pytest.mark.interpreted
@pytest.mark.parametrize(("columns", "most"), [(3, 4), (10, 2), (11, 2**12), (4, 2**40)])
def test_unique_rows(columns: int, most: int) -> None:
    random = np.random.default_rng(columns)
    few = random.integers(-most, most, (20, columns))
    few[1::2] = few[::2]
    few[1::2, -1] += 1  # rows that differ in the last column only,
    few[3::4] = few[2::4]
    few[3::4, 0] += 1  # or in the first
    table = few[random.integers(0, len(few), 300)]
    distinct, index = unique_rows(table)
    np.testing.assert_array_equal(distinct[index], table)
    np.testing.assert_array_equal(distinct, np.unique(table[:, ::-1], axis=0)[:, ::-1])
    assert distinct.dtype == np.int64

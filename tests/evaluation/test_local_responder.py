"""Local best response to a table and to a player that searches: choices, winnings and ranges."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

import smoothcall as sc
from smoothcall.agents.fixed import Rule, Strategy
from smoothcall.agents.view import View
from smoothcall.evaluation.local_best_response import against, local_best_response, preflop_scores
from smoothcall.evaluation.local_responder import LocalResponder
from smoothcall.evaluation.policy_match import mbb
from smoothcall.evaluation.searched_range import SearchedRange, range_of
from smoothcall.games.notation import read_betting
from smoothcall.kernels.evaluation.local_best_response import respond_cards
from smoothcall.kernels.holdem.drawing import draw_cards
from smoothcall.kernels.random import seeded
from smoothcall.search.blueprint import Blueprint
from smoothcall.search.player import Decision, SearchPlayer
from tests.conftest import built
from tests.evaluation.test_exact_response import DECK, small, some_policy

GAME = small("pot+all-in")
POLICY, OTHER = some_policy(GAME, 5), some_policy(GAME, 6)
BOARD = ((), DECK.parse("AsThJd"), DECK.parse("Kd"), DECK.parse("Jc"))


def searching(seconds: float) -> SearchPlayer:
    return SearchPlayer(POLICY, seconds=seconds, clock=False)


def played(responder: LocalResponder, deals: int) -> np.ndarray:
    """Return [deals, 2] the winnings of a responder in each seat."""
    won = np.zeros((deals, 2))
    for deal in range(deals):
        cards = Random(f"cards {deal}").sample(range(DECK.size), 9)
        for seat in range(2):
            hole, random = tuple(cards[2 * seat : 2 * seat + 2]), Random(f"moves {deal} {seat}")
            won[deal, seat] = responder.play(hole, tuple(cards[4:]), seat, random)
    return won


@pytest.mark.parametrize("rule", [Rule.ALWAYS_CALL, Rule.ALWAYS_RAISE])
@pytest.mark.parametrize("start_street", [0, 2])
def test_it_wins_what_the_kernel_wins_where_nothing_is_drawn_but_cards(rule: Rule, start_street: int) -> None:
    """Deal by deal, against players that act alike with every hand."""
    policy = sc.Policy.from_weights(GAME, rule.among(GAME.legal))
    responder = LocalResponder(GAME, Strategy(policy), start_street=start_street)
    agent, scores = against(GAME, policy.weights, policy.scale, start_street), preflop_scores(DECK)
    for deal in range(20):
        won, card = np.zeros((1, 2)), np.zeros(9, np.uint8)
        respond_cards(GAME.walk, GAME.abstraction.cards, scores, agent, seeded(deal)[0], won)  # type: ignore[union-attr]
        draw_cards(card, DECK.size, seeded(deal)[0])
        board = tuple(card[4:].tolist())
        found = [responder.play(tuple(card[2 * n : 2 * n + 2].tolist()), board, n, Random(0)) for n in range(2)]
        np.testing.assert_allclose(found, won[0], rtol=1e-12)


@pytest.mark.parametrize("averaged", [0, 3, 4])
def test_it_wins_what_the_kernel_wins_in_the_mean(averaged: int) -> None:
    """Whether the agent's moves are sampled or the mean over them is taken."""
    known = local_best_response(POLICY, deals=4000, seed=1)
    won = played(LocalResponder(GAME, Strategy(POLICY), averaged=averaged), 100) * mbb(GAME)
    for seat, estimate in enumerate(known.seats):
        error = float(won[:, seat].std()) / len(won) ** 0.5
        assert abs(won[:, seat].mean() - estimate.mean) <= 4.5 * np.hypot(error, estimate.error)


def test_search_that_has_no_time_is_responded_to_as_its_blueprint() -> None:
    table, search = (played(LocalResponder(GAME, player), 15) for player in (Strategy(POLICY), searching(1e-6)))
    np.testing.assert_array_equal(search, table)


def test_search_with_a_fixed_strategy_is_responded_to_as_the_table_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The strategy is another table's than the blueprint's: what counts is what the player decides."""
    player, other = searching(0.05), Blueprint(OTHER)

    def decide(view: View) -> Decision:
        known = other.move_probabilities(view.text, tuple(card for board in view.boards for card in board))
        return Decision(list(known), np.stack(list(known.values())))

    monkeypatch.setattr(player, "decide", decide)
    search, table = (played(LocalResponder(GAME, each), 15) for each in (player, Strategy(OTHER)))
    np.testing.assert_allclose(search, table, rtol=1e-12)
    assert abs(search - played(LocalResponder(GAME, Strategy(POLICY)), 15)).max() > 100


def test_ranges_are_those_that_search_tracks() -> None:
    """Behind a search on the turn, and where a search of another betting sequence came in between."""
    player = searching(0.05)
    known = range_of(GAME, player)
    assert isinstance(known, SearchedRange)
    state, seen = read_betting(GAME.rules, ""), 0  # type: ignore[arg-type]
    for letter in ["c", "c", "c", "c", "c", "c"]:
        if state.street > seen:
            seen = state.street
            known.see(seen, tuple(card for board in BOARD[: seen + 1] for card in board))
        if state.player == 1:
            assert known.follow(state, letter)
        elif state.street == 2:
            ahead = state.copy()
            ahead.play(f"r{ahead.raises[1]}")  # type: ignore[index]
            known.probabilities(ahead)  # what the player would answer to a bet is asked for and changes nothing
        state.play(letter)
    known.see(3, tuple(card for board in BOARD for card in board))
    if state.player == 0:
        state.play("c")
    player.followed = known._search
    assert known._search is not None
    assert known._search.values is not None
    tracked = player._ranges(View(GAME.rules, 1, (), BOARD, state.text))[0][1].weight
    before = player.blueprint.reach(BOARD, state.text)[1]
    np.testing.assert_allclose(known.reach / known.reach.sum(), tracked / tracked.sum(), rtol=1e-9)
    assert not np.allclose(before / before.sum(), tracked / tracked.sum(), rtol=0.1)


def test_search_changes_what_is_won() -> None:
    players = (Strategy(POLICY), searching(0.05), searching(0.05))
    table, search, again = (played(LocalResponder(GAME, player, start_street=3), 3) for player in players)
    np.testing.assert_array_equal(search, again)
    assert (search != table).any()


def test_only_holdem_has_ranges_to_follow() -> None:
    with pytest.raises(sc.UsageError, match="ranges are followed in hold'em, not in leduc"):
        LocalResponder(built("leduc"), Rule.ALWAYS_CALL)

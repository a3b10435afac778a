"""The player that searches: ranges by Bayes' rule, the blueprint in the solver's tables, hidden cards, limits, notes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest

import smoothcall as sc
from smoothcall.agents.policy_player import PolicyPlayer
from smoothcall.agents.view import View, view_of
from smoothcall.evaluation.match import match
from smoothcall.games.cards import Cards
from smoothcall.games.hand import Hand
from smoothcall.games.notation import read_betting, split_moves
from smoothcall.information.translation import moves_like, row_like, slot_like
from smoothcall.search import player as module
from smoothcall.search import range_solver
from smoothcall.search.blueprint import Blueprint
from smoothcall.search.boards import Range
from smoothcall.search.budget import MIN_ITERATIONS, Budget, TooLarge
from smoothcall.search.gadget import GadgetSolver
from smoothcall.search.player import SearchPlayer
from tests.conftest import built
from tests.evaluation.test_exact_response import DECK, small, some_policy

BOARD = ((), DECK.parse("AsThJd"), DECK.parse("Kd"), DECK.parse("Jc"))
GAME = small("pot+all-in")
POLICY = some_policy(GAME, 5)


def view(betting: str, hole: str = "AcAd", boards: Sequence[Cards] = BOARD) -> View:
    """Return what the player to act sees after a betting sequence."""
    state = read_betting(GAME.rules, betting)  # type: ignore[arg-type]
    assert state.player is not None
    return View(GAME.rules, state.player, DECK.parse(hole), tuple(boards[: state.street + 1]), state.text)


def searching(seconds: float, seed: int, **how: Any) -> SearchPlayer:
    """Return a player whose answers do not depend on how busy the machine is."""
    return SearchPlayer(POLICY, seconds=seconds, random=Random(seed), clock=False, **how)


def probability(hole: Cards, betting: str, seat: int) -> float:
    """Return the probability that the policy plays like this in a seat with these cards: move by move, from its rows."""
    state, found = read_betting(GAME.rules, ""), 1.0  # type: ignore[arg-type]
    for letter in split_moves(betting):
        if state.player == seat:
            row, letters = row_like(GAME, hole, BOARD[: state.street + 1], state.text), moves_like(GAME, state.text)
            slots = [slot for slot, move in enumerate(letters) if move == letter] or [slot_like(GAME, state.text, letter)]
            found *= sum(POLICY.weights[row, slot] for slot in slots) / POLICY.scale
        state.play(letter)
    return found


@pytest.mark.parametrize("betting", ["cc/cc/", "cr1500c/cc/cr3000", "cc/r1700c/cc/", "r1800c/cc/c"])
def test_ranges_are_those_of_bayes_rule(betting: str) -> None:
    """Against products of the table's probabilities, hand by hand; r1700 and r1800 are bets that the tree does not have."""
    boards = BOARD[: betting.count("/") + 1]
    blueprint, taken = Blueprint(POLICY), {card for cards in boards for card in cards}
    found = blueprint.reach(boards, betting)
    for number, hand in enumerate(blueprint.every.hands.tolist()):
        hole = (hand[1], hand[0])
        assert blueprint.place(hole) == number
        for seat in range(2):
            expected = 0.0 if set(hole) & taken else probability(hole, betting, seat)
            assert found[seat][number] == pytest.approx(expected, abs=1e-12)


def test_the_blueprint_in_the_tables_of_a_solver() -> None:
    """Values of the blueprint against itself on a river, against a walk of the betting hand by hand."""
    blueprint, betting = Blueprint(POLICY), "cc/cc/cc/"
    cards = tuple(card for board in BOARD for card in board)
    ranges = [Range(blueprint.every.hands, reach) for reach in blueprint.reach(BOARD, betting)]
    state = read_betting(GAME.rules, betting)  # type: ignore[arg-type]
    solver = GadgetSolver(blueprint.rules, state, cards, ranges, blueprint.moves, dtype=np.float64)
    blueprint.fill(solver, 3)
    hands = blueprint.every.hands.tolist()
    strength = np.array(
        [GAME.rules.order.strength(DECK, tuple(hand), cards) if not set(hand) & set(cards) else 0 for hand in hands]
    )  # type: ignore[union-attr]
    apart = np.array([[not set(one) & set(other) for other in hands] for one in hands])

    def values(state: Any, mass: np.ndarray) -> np.ndarray:
        """Return [hands] the winnings of seat 0 with each hand; mass[own, other]: how likely the two come here."""
        if state.finished:
            if state.alive_count == 1:
                return np.asarray(mass.sum(axis=1) * (state.paid[1] if state.alive[0] else -state.paid[0]))
            return np.asarray((mass * np.sign(strength[:, None] - strength[None])).sum(axis=1) * min(state.paid))
        total = np.zeros(len(hands))
        for letter, chance in blueprint.move_probabilities(state.text, cards).items():
            after = state.copy()
            after.play(letter)
            total += values(after, mass * (chance[:, None] if state.player == 0 else chance[None]))
        return total

    expected = values(state, apart * ranges[1].weight[None])
    free = blueprint.free(cards)
    np.testing.assert_allclose(solver.root_values(0)[free], expected[free], rtol=1e-9, atol=1e-6)


def test_search_finds_what_a_solver_finds() -> None:
    """With many iterations and no gadget, the strategy at the root is nearly an equilibrium of the rest of the hand."""
    player = searching(2, 1, safe=False)
    decision = player.decide(view("cc/cc/cc/"))
    assert decision.solver is not None
    before = GadgetSolver(
        GAME.rules,  # type: ignore[arg-type]
        read_betting(GAME.rules, "cc/cc/cc/"),  # type: ignore[arg-type]
        tuple(card for board in BOARD for card in board),
        decision.solver.ranges,
        player.blueprint.moves,
    )
    player.blueprint.fill(before, 3)
    assert decision.solver.values().exploitability < before.values().exploitability / 20
    np.testing.assert_allclose(decision.probabilities[:, player.blueprint.free(BOARD[1] + BOARD[2] + BOARD[3])].sum(axis=0), 1)


def test_own_and_hidden_cards_change_nothing_but_the_draw() -> None:
    """The strategy is the same whatever the seat holds; the move is the same whatever the opponent holds."""
    player = searching(0.2, 1)
    first, second = (player.decide(view("cc/cc/", hole)) for hole in ("AcAd", "QcQd"))
    assert first.moves == second.moves
    np.testing.assert_array_equal(first.probabilities, second.probabilities)
    taken = []
    for hidden in ("QcQd", "QhTs", "KhKs"):
        player, hand = searching(0.2, 4), Hand(GAME.rules)  # type: ignore[arg-type]
        dealt, moves = iter([*DECK.parse(f"{hidden}AcAd"), *(card for board in BOARD for card in board)]), list[str]()
        while hand.outcome is None:
            if hand.due is not None:
                hand.deal([next(dealt) for _ in range(hand.due.count)])
            elif hand.player == 1:
                moves.append(player.act(view_of(hand, 1)))
                hand.play(moves[-1])
            else:
                hand.play("c")
        assert hand.hole[1] == DECK.parse("AcAd")
        taken.append(moves)
    assert taken[0] == taken[1] == taken[2]
    assert len(taken[0]) >= 3


def test_nested_searches_keep_what_they_promised() -> None:
    """A search on the river begins with the range that the turn's search left, and with its values as alternatives."""
    player, turn = searching(1, 3), view("cc/cc/")
    decision = player.decide(turn)
    number = decision.moves.index("c")
    followed = player.after(turn, decision, number)
    assert followed is not None
    player.followed = followed
    river = view("cc/cc/cc/")
    ranges, known = player._ranges(river)
    assert known is followed
    reach = player.blueprint.reach(turn.boards, turn.text)[turn.seat]
    own = reach / reach.max() * decision.probabilities[number] * player.blueprint.free(BOARD[3])
    np.testing.assert_allclose(ranges[turn.seat].weight, own)
    promised = followed.alternative(river)
    assert promised is not None
    assert set(followed.later) == set(range(DECK.size)) - {card for board in turn.boards for card in board}
    solver, opponent = decision.solver, 1 - turn.seat
    assert solver is not None
    weights = [*(np.zeros(len(own)),) * 2]
    board = next(n for n, each in enumerate(solver.levels[1].boards) if each.cards[-1] == BOARD[3][0])
    root = solver.streets[1].root[solver.streets[0].entry[solver.streets[0].text.index("cc/cc/cc/")]]
    held = solver.levels[1].boards[board].hands[opponent]
    weights[opponent][held] = solver.at([0, board], opponent)[1][root]
    np.testing.assert_allclose(promised, weights[opponent], rtol=1e-6)
    assert not replace(followed, hole=DECK.parse("QcQd")).continues(river)
    assert followed.alternative(replace(river, text="cc/cc/c", boards=turn.boards)) is followed.values


def test_spread_protects_from_hands_that_the_opponent_is_not_thought_to_have() -> None:
    """With them a best response gains less, the more they weigh in the gadget."""
    blueprint, betting, cards = Blueprint(POLICY), "cc/cc/cc/", tuple(card for board in BOARD for card in board)
    state, gains = read_betting(GAME.rules, betting), []  # type: ignore[arg-type]
    assert state.player is not None
    opponent, reach = 1 - state.player, [each.copy() for each in blueprint.reach(BOARD, betting)]
    missing = np.arange(len(reach[opponent])) % 2 == 0
    reach[opponent][missing] = 0
    for spread in (0.0, 0.1, 1.0):
        solver = GadgetSolver(
            blueprint.rules, state, cards, [Range(blueprint.every.hands, each) for each in reach], blueprint.moves
        )
        blueprint.fill(solver, 3)
        alternative = solver.root_values(opponent, best=True)
        solver.protect(opponent, alternative, forced=module.FORCED, spread=spread)
        solver.start_from_average()
        solver.run(60)
        gain = solver.root_values(opponent, best=True) - alternative
        gains.append(float(np.maximum(gain[missing], 0).sum()))
    assert gains[0] > gains[1] > gains[2]


def test_bets_beyond_the_tree_stand_as_they_were_made() -> None:
    player = searching(1, 3)
    decision = player.decide(view("cc/cc/r1700"))
    assert decision.solver is not None
    assert decision.solver.streets[0].text[0] == "cc/cc/r1700"
    assert np.isfinite(decision.probabilities).all()
    assert player.act(view("cc/cc/r1700")) in decision.moves


def test_one_seed_gives_one_match() -> None:
    results = [match(GAME, [searching(0.05, 1), PolicyPlayer(POLICY, random=Random(9))], hands=20, seed=2) for _ in range(2)]
    assert results[0].estimates == results[1].estimates
    assert results[0].notes == results[1].notes
    assert results[0].notes[0].startswith("SearchPlayer searched ")


def test_iterations_depend_on_the_tree_and_the_seconds_only() -> None:
    turn = Budget.of(2.0, 52, 4, [1])
    assert turn.boards == (1, 48)
    assert Budget.of(2.0, 52, 3, [1, 1]).boards == (1, 49, 49 * 48)
    assert turn.iterations([93, 379]) < turn.iterations([24, 88]) <= Budget.of(4.0, 52, 4, [1]).iterations([24, 88])
    with pytest.raises(TooLarge):
        Budget.of(0.1, 52, 4, [1]).iterations([93, 379])


def test_the_blueprint_answers_where_the_tree_is_too_large() -> None:
    player, policy = searching(1e-6, 7), PolicyPlayer(POLICY, random=Random(7))
    decisions = [view(betting) for betting in ("", "cc/", "cc/cc/", "cc/cc/cc/")]
    assert [player.act(each) for each in decisions] == [policy.act(each) for each in decisions]
    assert player.notes == (
        "searched 0 of 2 decisions from the turn on",
        "2 decisions were the blueprint's because the tree is too large for 1e-06 s",
    )


@pytest.mark.parametrize(
    ("jump", "note"),
    [
        (1, "1 decisions were the blueprint's because time ran out"),
        (MIN_ITERATIONS + 3, "1 searches were cut short by the clock"),
    ],
)
def test_the_clock_guards_the_table(jump: int, note: str, monkeypatch: pytest.MonkeyPatch) -> None:
    player, asked = SearchPlayer(POLICY, seconds=1, random=Random(7)), iter(range(1000))
    monkeypatch.setattr(module, "monotonic", lambda: 100.0 if next(asked) >= jump else 0.0)
    player.act(view("cc/cc/cc/"))
    assert note in player.notes
    monkeypatch.undo()
    player.clock = False
    player.act(view("cc/cc/cc/"))
    assert player.counts[module.SEARCHED] == 1


def test_too_little_memory_is_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    player = searching(1, 7)

    def refuse(needed: int, what: str) -> None:
        raise sc.UsageError(f"{what} needs {needed} bytes")

    monkeypatch.setattr(range_solver, "verify_memory", refuse)
    player.act(view("cc/cc/"))
    assert "1 decisions were the blueprint's because memory is too small" in player.notes


def test_what_search_does_not_play() -> None:
    for spec in ("kuhn", "leduc", "rps", "kuhn-3p"):
        with pytest.raises(sc.UsageError, match=f"search does not play {spec} .accepted: a table of two-player hold'em"):
            SearchPlayer(sc.Policy.uniform(built(spec)))
    for seconds in (0.0, -1.0, float("nan"), 1e9):
        with pytest.raises(sc.UsageError, match="accepted: seconds above 0, at most 3600"):
            SearchPlayer(POLICY, seconds=seconds)
    with pytest.raises(sc.UsageError, match="blueprint plays holdem-20, not leduc"):
        SearchPlayer(POLICY, seconds=0.1).act(View(built("leduc").rules, 0))

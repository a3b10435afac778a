"""The coach: EVs derived by hand on Kuhn, EV loss against AIVAT, and decisions in hold'em."""

from __future__ import annotations

from collections import Counter
from random import Random

import numpy as np
import pytest

import smoothcall as sc
from smoothcall.agents.fixed import Fixed, Rule, Strategy
from smoothcall.agents.policy_player import PolicyPlayer
from smoothcall.agents.tabulated import TabulatedPolicy
from smoothcall.agents.view import view_of_betting
from smoothcall.evaluation.aivat import aivat
from smoothcall.games.betting import Betting
from smoothcall.games.notation import split_moves
from smoothcall.play.coach import Coach, Decision
from tests.conftest import TINY, built, shipped
from tests.evaluation.test_aivat import cards_of, some_policy

J, Q, K = (0,), (1,), (2,)


def action_values_of(decision: Decision) -> dict[str, float | None]:
    return {move.letter: move.ev for move in decision.moves}


@pytest.mark.interpreted
@pytest.mark.parametrize(
    ("opponent", "hole", "betting", "action_values"),
    [
        # who always calls is bet into with K; the bet of 1 wins 2 with K, loses 2 with J, and is even with Q
        (Rule.ALWAYS_CALL, K, "rc", [{"c": 1, "r": 2}]),
        (Rule.ALWAYS_CALL, Q, "cc", [{"c": 0, "r": 0}]),
        (Rule.ALWAYS_CALL, J, "cc", [{"c": -1, "r": -2}]),
        # who always bets is called with K and, as often ahead as behind, with Q; J folds
        (Rule.ALWAYS_RAISE, J, "crc", [{"c": -1, "r": -2}, {"f": -1, "c": -2}]),
        (Rule.ALWAYS_RAISE, Q, "crf", [{"c": 0, "r": 0}, {"f": -1, "c": 0}]),
        (Rule.ALWAYS_RAISE, K, "crc", [{"c": 2, "r": 2}, {"f": -1, "c": 2}]),
        # who bets half of the time tells nothing by it: K checks and calls for 3/2, or bets and is called for 2
        (Rule.PROBE, K, "crc", [{"c": 1.5, "r": 2}, {"f": -1, "c": 2}]),
    ],
)
def test_action_values_on_kuhn_are_those_worked_out_by_hand(
    opponent: Rule, hole: tuple[int, ...], betting: str, action_values: list[dict[str, float]]
) -> None:
    review = Coach(built("kuhn"), 0, {1: opponent}).review(hole, [()], betting)
    assert [action_values_of(decision) for decision in review.decisions] == [pytest.approx(each) for each in action_values]
    lost = [
        max(known.values()) - known[decision.chosen] for known, decision in zip(action_values, review.decisions, strict=True)
    ]
    assert [decision.ev_loss for decision in review.decisions] == pytest.approx(lost)
    assert review.ev_loss == pytest.approx(sum(lost))


@pytest.mark.parametrize("alpha", [0.1, 1 / 3])
def test_an_equilibrium_of_kuhn_leaves_its_opponent_indifferent(alpha: float) -> None:
    """Kuhn 1950: player 0 bets J with alpha and K with 3 alpha, so that Q may call or fold; player 1's value is 1/18."""
    game = built("kuhn")
    member = sc.kuhn_member(game, alpha=alpha)
    coach = Coach(game, 1, {0: Strategy(member)}, equilibrium=member)
    called, folded = (coach.review(Q, [()], betting) for betting in ("rc", "rf"))
    assert action_values_of(called.decisions[0]) == pytest.approx({"f": -1, "c": -1})
    assert called.ev_loss == pytest.approx(folded.ev_loss) == pytest.approx(0, abs=1e-12)
    decision = called.decisions[0]
    assert (decision.key, decision.betting, decision.street, decision.chosen) == ("Q:r", "r", 0, "c")
    assert [move.equilibrium for move in decision.moves] == pytest.approx([2 / 3, 1 / 3])
    assert [move.agent for move in decision.moves] == pytest.approx([2 / 3, 1 / 3])
    assert [move.name for move in decision.moves] == ["Fold", "Call 1"]
    told = aivat(game, 1, {0: Strategy(member)})
    assert told is not None
    assert told.luck_adjusted(Q, [()], "rc") == pytest.approx(1 / 18)
    assert told.luck_adjusted(K, [()], "rf") == pytest.approx(1 / 18 - 3)  # to fold K gives up 2 - -1


@pytest.mark.parametrize("spec", ["kuhn", "kuhn-3p", "leduc"])
def test_what_is_given_up_is_what_luck_leaves(spec: str) -> None:
    game = built(spec)
    deals, tree = game.deals, game.tree
    for seat in range(game.players):
        places = [place for place in range(game.players) if place != seat]
        others: dict[int, Fixed] = {place: Strategy(some_policy(game, place)) for place in places}
        coach, told = Coach(game, seat, others), aivat(game, seat, others)
        assert told is not None
        value, best = None, 0.0
        for node in tree.endings[:: 1 + len(tree.endings) // 20]:
            for label in deals.labels[tree.round[node]]:
                cards, betting = cards_of(game, label), tree.betting(int(node))
                review = coach.review(*cards, betting)
                assert review.ev_loss is not None
                for decision in review.decisions:
                    lost = [move.ev_loss for move in decision.moves]
                    assert min(each for each in lost if each is not None) == 0
                    assert sum(move.agent or 0 for move in decision.moves) == pytest.approx(1)
                    best = max(best, decision.ev_loss or 0)
                total = told.luck_adjusted(*cards, betting) + review.ev_loss
                value = total if value is None else value
                assert total == pytest.approx(value)
        assert best > 0.5


def test_places_where_the_opponent_never_comes_are_worth_what_chance_says() -> None:
    review = Coach(built("kuhn"), 1, {0: Rule.ALWAYS_CALL}).review(Q, [()], "rc")
    assert action_values_of(review.decisions[0]) == pytest.approx({"f": -1, "c": 0})


def test_who_never_came_to_move_decided_nothing() -> None:
    review = Coach(built("kuhn-3p"), 2, {0: Rule.PROBE, 1: Rule.PROBE}).review((0,), [()], "ccrff")
    assert len(review.decisions) == 1
    fold = sc.Policy.from_weights(built("limit-holdem"), np.tile([1.0, 0, 0], (built("limit-holdem").tree.rows, 1)))
    review = Coach(built("limit-holdem"), 1, {0: Strategy(fold)}).review((0, 1), [()], "f")
    assert review.decisions == ()
    assert review.ev_loss is None


# Hold'em


@pytest.mark.parametrize("work", [0.1, pytest.param(1.0, marks=pytest.mark.long)])
def test_in_holdem_decisions_have_evs_ranges_and_equilibria(work: float) -> None:
    game = built(TINY)
    deck, policy = game.rules.deck, some_policy(game, 2)  # type: ignore[union-attr]
    hole, boards = deck.parse("AsKs"), [(), deck.parse("Ah9c8d"), deck.parse("Kd"), deck.parse("7s")]
    for greedy in (False, True):
        review = Coach(game, 0, {1: Strategy(policy, greedy)}, work=work).review(hole, boards, "cr1700c/cc/cc/cc")
        assert [decision.key for decision in review.decisions] == [
            "AsKs:",
            "AsKs:cr1700",
            "AsKs/Ah9c8d:cr1700c/c",
            "AsKs/Ah9c8d/Kd:cr1700c/cc/c",
            "AsKs/Ah9c8d/Kd/7s:cr1700c/cc/cc/c",
        ]
        assert review.more
        assert review.ev_loss == pytest.approx(sum(decision.ev_loss or 0 for decision in review.decisions))
        for decision in review.decisions:
            shares = {move.letter: move.agent for move in decision.moves}
            if "r1700" not in decision.betting:  # else the tree has other amounts
                known = policy.probabilities(decision.key)
                assert shares == pytest.approx({k: float(v == max(known.values())) if greedy else v for k, v in known.items()})
            assert sum(share or 0 for share in shares.values()) == pytest.approx(1)
            assert all(move.ev is not None and move.ev_loss is not None for move in decision.moves)
            assert min(move.ev_loss or 0 for move in decision.moves) == 0
            assert sum(cell.share for row in decision.grid for cell in row) == pytest.approx(1)
            assert max(cell.kept for row in decision.grid for cell in row) == 1
            assert (decision.samples > 0) == (decision.street < 2 and decision.moves[0].half_width is not None)
            assert decision.equity is not None
        river = review.decisions[-1]
        assert [move.half_width for move in river.moves] == [None] * len(river.moves)
        assert sum(move.equilibrium or 0 for move in river.moves) == pytest.approx(1)
        assert river.grid[0][0].label == "AA"
        assert (river.grid[0][1].label, river.grid[1][0].label) == ("AKs", "AKo")
        assert river.grid[0][1].share < 0.05, "the person holds one AKs, and an ace and a king are on the board"


@pytest.mark.parametrize("work", [0.05, pytest.param(1.0, marks=pytest.mark.long)])
def test_a_longer_review_is_more_exact(work: float) -> None:
    game = built(TINY)
    deck, policy = game.rules.deck, some_policy(game, 2)  # type: ignore[union-attr]
    seen = (deck.parse("AsKs"), [(), deck.parse("Ah9c8d"), deck.parse("Kd"), deck.parse("7s")], "cc/cc/cc/cc")
    coach = Coach(game, 0, {1: Strategy(policy)}, work=work)
    short, longer = coach.review(*seen), coach.review(*seen, longer=True)
    assert coach.review(*seen) is short, "it is kept"
    assert not longer.more
    assert longer.decisions[0].samples > short.decisions[0].samples
    assert all(move.equilibrium is not None for decision in longer.decisions[2:] for move in decision.moves)
    stops = iter([None, None, KeyError])

    def check() -> None:
        if next(stops):
            raise KeyError("stopped")

    with pytest.raises(KeyError, match="stopped"):
        Coach(game, 0, {1: Strategy(policy)}, work=work).review(*seen, check=check)


@pytest.mark.parametrize("greedy", [False, True])
def test_batch_policies_are_asked_about_the_persons_cards_and_not_tabulated(greedy: bool) -> None:
    """The coach says how often the player chooses each move at the table: 400 draws, five standard deviations."""
    policy = shipped().policy("no-limit-holdem-pricope-agent-2")
    assert isinstance(policy, TabulatedPolicy)
    policy = TabulatedPolicy(policy.game, policy.batch_policy)  # a fresh one
    deck = policy.rules.deck
    hole, boards = deck.parse("9s8s"), [(), deck.parse("Ah7c6d"), deck.parse("Kd")]
    review = Coach(policy.game, 0, {1: Strategy(policy, greedy)}).review(hole, boards, "cr30c/cc/r65f")
    assert "weights" not in vars(policy)
    player, state = PolicyPlayer(policy, greedy=greedy, random=Random(5)), Betting(policy.rules)
    for decision in review.decisions:
        while state.text != decision.betting:
            state.play(split_moves("cr30c/cc/r65f")[len(state.moves)])
        assert state.player == 0
        view = view_of_betting(state, 0, [hole, ()], boards[: state.street + 1])
        drawn = Counter(player.act(view) for _ in range(400))
        shares = {move.letter: move.agent or 0 for move in decision.moves}
        assert sum(shares.values()) == pytest.approx(1)
        assert set(drawn) <= {letter for letter, share in shares.items() if share}
        for letter, share in shares.items():
            assert abs(drawn[letter] - 400 * share) <= 5 * np.sqrt(400 * share * (1 - share)) + 1e-9, decision.key


def test_moves_that_nobody_has_learned_are_listed() -> None:
    game = built(TINY)
    review = Coach(game, 0, {1: Strategy(some_policy(game, 2))}).review((0, 1), [()], "r1700f")
    moves = review.decisions[0].moves
    assert [(move.letter, move.name) for move in moves] == [
        ("c", "Check"),
        ("r1500", "Raise to 1500"),
        ("r1700", "Raise to 1700"),
    ]
    assert moves[2].agent == 0
    rule = Coach(game, 0, {1: Rule.PROBE}).review((0, 1), [()], "r1700f")
    assert [move.agent for move in rule.decisions[0].moves] == [None] * 3
    assert rule.note == "These opponents play by fixed rules: there is no strategy to compare your moves with."


def test_what_cannot_be_reviewed_is_refused() -> None:
    kuhn = built("kuhn")
    with pytest.raises(sc.UsageError, match="the coach knows poker, not rps"):
        Coach(built("rps"), 0, {1: Rule.RANDOM})
    with pytest.raises(sc.UsageError, match="this policy plays leduc, not kuhn"):
        Coach(kuhn, 0, {1: Rule.PROBE}, equilibrium=sc.Policy.uniform(built("leduc")))
    with pytest.raises(sc.UsageError, match="is not a finished hand of kuhn"):
        Coach(kuhn, 0, {1: Rule.PROBE}).review(K, [()], "cr")
    with pytest.raises(sc.UsageError, match="are not the cards of a hand"):
        Coach(kuhn, 0, {1: Rule.PROBE}).review((), [()], "cc")

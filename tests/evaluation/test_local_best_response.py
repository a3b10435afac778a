"""Local best response: compared with a plain reference on small games, with the best response, and part by part in hold'em."""

from __future__ import annotations

import json
from itertools import combinations
from math import comb

import numpy as np
import pytest

import smoothcall as sc
from smoothcall.agents.fixed import Rule
from smoothcall.evaluation.local_best_response import LocalBestResponse, local_best_response, preflop_scores
from smoothcall.evaluation.policy_match import mbb
from smoothcall.holdem.equity import equity
from smoothcall.holdem.hand_strength import RIVER
from smoothcall.kernels.evaluation.hand_equities import _compare_hands, free_hands, hand_equities
from smoothcall.kernels.holdem.buckets import board_buckets, rank_streets
from smoothcall.kernels.tables import DECISION, FOLD
from tests.conftest import INTERPRETED, built

DEALS = 300 if INTERPRETED else 40_000
SHORT = "no-limit-holdem-32:menu=x1+x4"


def some_policy(game: sc.Game, seed: int) -> sc.Policy:
    return sc.Policy.from_weights(game, np.random.default_rng(seed).random(game.legal.shape) ** 3)


def of_rule(game: sc.Game, rule: Rule) -> sc.Policy:
    return sc.Policy.from_weights(game, rule.among(game.legal))


class Reference:
    """The expected chips of a local best response on a small game, by walking the tree with the weights of all deals."""

    def __init__(self, policy: sc.Policy, seat: int, start: int = 0) -> None:
        self.policy, self.game, self.tree, self.deals = policy, policy.game, policy.game.tree, policy.game.deals
        self.seat, self.start = seat, start
        index, table = self.game.ending_payoff
        self.pays = {int(node): table[index[node], :, seat] for node in self.tree.endings}  # by deal

    @property
    def value(self) -> float:
        return self.after(0, self.deals.weight)

    def agent(self, node: int, slot: int) -> np.ndarray:
        """Return [D]: the agent's probability of an action."""
        rows = self.tree.first_row[node] + self.deals.bucket[:, 1 - self.seat, self.tree.round[node]]
        return self.policy.table[rows, slot]

    def after(self, node: int, weight: np.ndarray) -> float:
        if node in self.pays:
            return float(weight @ self.pays[node])
        children = {slot: int(child) for slot, child in enumerate(self.tree.child[node]) if child >= 0}
        if self.tree.player[node] != self.seat:
            return sum(self.after(child, weight * self.agent(node, slot)) for slot, child in children.items())
        street, total = self.tree.round[node], 0.0
        seen = self.deals.bucket[:, self.seat, : street + 1]
        for view in np.unique(seen, axis=0):
            mine = weight * (seen == view).all(axis=1)
            chosen = 1 if street < self.start else max(children, key=lambda slot: self.hope(children[slot], mine))
            total += self.after(children[chosen], mine)
        return total

    def hope(self, node: int, weight: np.ndarray) -> float:
        """Return the responder's estimate of the value of an action that leads here."""
        if node in self.pays:
            return float(weight @ self.pays[node])
        worth = 0.0
        if self.tree.player[node] != self.seat and self.tree.child[node, 0] >= 0:
            folds = self.agent(node, 0)
            worth, weight = float((weight * folds) @ self.pays[int(self.tree.child[node, 0])]), weight * (1 - folds)
        while node not in self.pays:
            node = int(self.tree.child[node, 1])
        return worth + float(weight @ self.pays[node])


@pytest.mark.interpreted
@pytest.mark.parametrize("spec", ["kuhn"] if INTERPRETED else ["kuhn", "kuhn:pot=8", "leduc"])
def test_it_wins_what_the_reference_wins_and_no_more_than_a_best_response(spec: str) -> None:
    game = built(spec)
    solved = sc.solver("cfr+", game)
    solved.run(200)
    for policy in (sc.Policy.uniform(game), some_policy(game, 1), some_policy(game, 2), solved.policy()):
        found = local_best_response(policy, deals=DEALS, seed=5)
        best = sc.evaluate(game, policy).best_response_values
        for seat in range(2):
            value = Reference(policy, seat).value
            assert value <= best[seat] + 1e-12
            assert abs(found.seats[seat].mean - value * mbb(game)) <= 4.5 * found.seats[seat].error
        assert found.total.mean == pytest.approx((found.seats[0].mean + found.seats[1].mean) / 2)


def test_it_is_a_best_response_to_random_play_in_kuhn() -> None:
    """Kuhn poker has no raise after a bet: a one-step lookahead sees nearly everything."""
    game = built("kuhn")
    policy = sc.Policy.uniform(game)
    assert Reference(policy, 0).value == pytest.approx(sc.best_response(game, policy, 0).value)


def test_it_checks_and_calls_until_its_street() -> None:
    game, policy = built("leduc"), some_policy(built("leduc"), 3)
    found = local_best_response(policy, deals=DEALS, start_street=1)
    for seat in range(2):
        value = Reference(policy, seat, start=1).value * mbb(game)
        assert abs(found.seats[seat].mean - value) <= 4.5 * found.seats[seat].error
        assert abs(value - Reference(policy, seat).value * mbb(game)) > 20  # and that is something else


@pytest.mark.parametrize("spec", ["leduc", SHORT])
def test_an_agent_that_folds_to_every_bet_loses_its_ante(spec: str) -> None:
    game = built(spec)
    weights = np.zeros(game.legal.shape)
    weights[:, 0], weights[:, 1] = game.legal[:, 0], ~game.legal[:, 0]
    found = local_best_response(sc.Policy.from_weights(game, weights), deals=50)
    assert (found.total.mean, found.total.error) == pytest.approx((1000, 0))


def test_it_value_bets_the_river_against_a_caller() -> None:
    """The value of betting follows from the hand-strength table, which another kernel builds."""
    game = built(SHORT)
    tree, strengths = game.tree, game.abstraction.strengths  # type: ignore[union-attr]
    policy = of_rule(game, Rule.ALWAYS_CALL)
    found = local_best_response(policy, deals=2000, start_street=3)
    node = 0
    while tree.round[node] < 3:
        node = int(tree.child[node, 1])
    small, large = int(tree.paid[node].max()), max(int(tree.paid[child].max()) for child in tree.child[node] if child >= 0)
    counts = strengths.histogram(RIVER, 1)
    lead = 2 * np.arange(len(counts)) / strengths.scale(RIVER) - 1
    value = float(counts @ (lead * np.where(lead > 0, large, small))) / counts.sum() * mbb(game)
    assert value > 1000
    for estimate in found.seats:
        assert abs(estimate.mean - value) <= 4.5 * estimate.error
    assert local_best_response(policy, deals=500).total.interval()[0] > value  # betting earlier wins more


@pytest.mark.parametrize(
    ("deals", "hands", "clear"), [(800, 400, 3), pytest.param(4000, 1500, 6, marks=pytest.mark.long)], ids=["few", "many"]
)
def test_it_wins_as_much_from_an_agent_that_holds_cards(deals: int, hands: int, clear: int) -> None:
    """Compared with a second implementation, in which the agent is dealt a hand and plays it to the showdown."""
    game = built(SHORT)
    weights = np.random.default_rng(8).random((game.tree.rows, len(game.actions))) ** 3
    weights[:, 0] /= 4
    policy = sc.Policy.from_weights(game, weights)
    found = local_best_response(policy, deals=deals)
    generator, won = np.random.default_rng(9), []
    for _ in range(hands):
        card = generator.permutation(game.rules.deck.size)[:9].astype(np.uint8)  # type: ignore[union-attr]
        won.append([play_hand(policy, card, seat, generator) for seat in range(2)])
    means, errors = np.mean(won, axis=0) * mbb(game), np.std(won, axis=0) / len(won) ** 0.5 * mbb(game)
    for seat, estimate in enumerate(found.seats):
        assert abs(estimate.mean - means[seat]) <= 4.5 * np.hypot(estimate.error, errors[seat])
        assert means[seat] > clear * errors[seat]


def play_hand(policy: sc.Policy, card: np.ndarray, seat: int, generator: np.random.Generator) -> float:
    """Return the responder's winnings with card[2 * seat:] against an agent with the other two; the board is card[4:]."""
    game, tree, cards = policy.game, policy.game.tree, policy.game.abstraction.cards  # type: ignore[union-attr]
    size, held = len(cards.evaluator.card_key), other_hand(card, seat)
    reach, place, seen, node = np.ones(comb(size, 2)), np.zeros(3, np.uint32), -1, 0
    rank_streets(card, 4, cards.binomial, np.zeros(5, np.uint8), place)
    bucket, score, shares = np.zeros(len(reach), np.int32), np.zeros((2, len(reach)), np.int32), np.zeros((2, len(reach)))

    def agent(node: int, slot: int) -> np.ndarray:
        return policy.weights[tree.first_row[node] + bucket, slot] / policy.scale

    def hope(child: int) -> float:
        worth, weight = 0.0, reach * possible
        if tree.kind[child] == FOLD:
            return -float(weight.sum() * tree.paid[child, seat])
        if tree.player[child] == 1 - seat and tree.child[child, 0] >= 0:
            folds = agent(child, 0)
            worth, weight = float((weight * folds).sum() * tree.paid[child, 1 - seat]), weight * (1 - folds)
        while tree.kind[child] == DECISION:
            child = int(tree.child[child, 1])
        return worth + float(weight @ (2 * share - 1)) * int(tree.paid[child].min())

    while tree.kind[node] == DECISION:
        if tree.round[node] != seen:
            seen = int(tree.round[node])
            count = (0, 3, 4, 5)[seen]
            board_buckets(cards, seen, place[max(seen - 1, 0)], bucket)
            possible = np.zeros(len(reach), np.bool_)
            free_hands(size, card[2 * seat : 2 * seat + 2], card[4 : 4 + count], possible)
            if seen == 0:
                before = preflop_scores(game.rules.deck)[other_hand(card, 1 - seat)]  # type: ignore[union-attr]
                share = 0.5 + 0.5 * before / comb(size - 4, 5)
            else:
                hand_equities(cards.evaluator, card, count, score, shares)
                share = shares[seat]
        children = {slot: int(child) for slot, child in enumerate(tree.child[node]) if child >= 0}
        if tree.player[node] == seat:
            node = max(children.values(), key=hope)
        else:
            probabilities = [agent(node, slot)[held] for slot in children]
            slot = int(generator.choice(list(children), p=probabilities))
            reach *= agent(node, slot)
            node = children[slot]
    if tree.kind[node] == FOLD:
        return float(tree.paid[node, 1 - seat] if tree.alive[node] >> seat & 1 else -tree.paid[node, seat])
    hand_equities(cards.evaluator, card, 5, score, shares)
    return float((2 * shares[seat, held] - 1) * tree.paid[node].min())


def test_buckets_are_those_of_the_abstraction() -> None:
    game = built(SHORT)
    abstraction, deck = game.abstraction, game.rules.deck  # type: ignore[union-attr]
    assert abstraction is not None
    cards, size = abstraction.cards, deck.size
    generator = np.random.default_rng(4)
    for _ in range(3):
        dealt = generator.permutation(size)[:9].astype(np.uint8)
        board = dealt[4:].tolist()
        boards = [(), tuple(board[:3]), (board[3],), (board[4],)]
        place, bucket = np.zeros(3, np.uint32), np.zeros(comb(size, 2), np.int32)
        rank_streets(dealt, 4, cards.binomial, np.zeros(5, np.uint8), place)
        for street in range(4):
            board_buckets(cards, street, place[max(street - 1, 0)], bucket)
            for hole in combinations([card for card in range(size) if card not in board][::3], 2):
                assert bucket[cards.hand[hole]] == abstraction.bucket(hole, boards[: street + 1])


def test_equities_are_those_counted_one_by_one() -> None:
    """Among them boards with many cards of one suit or rank."""
    from smoothcall.holdem.evaluator import evaluator

    deck = built(SHORT).rules.deck  # type: ignore[union-attr]
    tools, hands = evaluator(deck), comb(deck.size, 2)
    generator = np.random.default_rng(6)
    deals = [generator.permutation(deck.size)[:9] for _ in range(2)]
    named = ["AsAhKsQh9s8s7sAcAd", "TsTh9c8cTcTd7h7c7d", "AsKs9h8hQsJsTs9s8s", "7s8h9cTdAsKsQsJh9h"]
    deals += [np.array([deck.parse(text[n : n + 2])[0] for n in range(0, 18, 2)]) for text in named]
    for deal in deals:
        card = deal.astype(np.uint8)
        for count in (3, 4, 5):
            found, score, expected = np.zeros((2, hands)), np.zeros((2, hands), np.int32), np.zeros((2, hands), np.int32)
            hand_equities(tools, card, count, score, found)
            left = [n for n in range(deck.size) if n not in card[4 : 4 + count]]
            for more in combinations(left, 5 - count):
                board = np.array([*card[4 : 4 + count], *more], np.int64)
                _compare_hands(tools, board, card, np.zeros(2, np.int32), expected)
            possible = np.zeros(hands, np.bool_)
            for seat in range(2):
                free_hands(deck.size, card[2 * seat : 2 * seat + 2], card[4 : 4 + count], possible)
                assert possible.sum() == comb(deck.size - 2 - count, 2)
                total = comb(deck.size - 4 - count, 5 - count)
                np.testing.assert_allclose(found[seat, possible], 0.5 + 0.5 * expected[seat, possible] / total)
                a, b = (deck.names(card[start : start + 2]) for start in (2 * seat, 2 - 2 * seat))
                exact = equity([a, b], deck.names(card[4 : 4 + count]), deck=deck).players[0].equity
                assert found[seat, other_hand(card, seat)] == pytest.approx(float(exact))


def other_hand(card: np.ndarray, seat: int) -> int:
    low, high = sorted(int(one) for one in card[2 - 2 * seat : 4 - 2 * seat])
    return high * (high - 1) // 2 + low


def test_showdowns_before_the_flop_are_counted_exactly() -> None:
    game = built(SHORT)
    deck, hands = game.rules.deck, game.abstraction.strengths.hand  # type: ignore[union-attr]
    score = preflop_scores(deck)
    assert (score == -score.T).all()
    for a, b in (("AsAh", "KsKh"), ("AsKs", "QhQd"), ("7c7d", "AhKh"), ("JsTs", "JhTh"), ("9s8d", "9d7s")):
        exact = equity([a, b], deck=deck).players[0].equity
        found = score[hands[deck.parse(a)], hands[deck.parse(b)]]
        assert 0.5 + 0.5 * found / comb(deck.size - 4, 5) == pytest.approx(float(exact))


def test_seeds_decide() -> None:
    policy = some_policy(built("leduc"), 1)
    first, again, other = (local_best_response(policy, deals=500, seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert first.total != other.total


def test_a_greedy_agent_plays_its_greedy_policy() -> None:
    policy = some_policy(built("leduc"), 1)
    greedy = local_best_response(policy, deals=500, greedy=True)
    assert greedy.greedy
    assert greedy.total == local_best_response(policy.greedy(), deals=500).total != local_best_response(policy, deals=500).total


def test_progress_rises_and_play_can_be_stopped() -> None:
    policy, told = sc.Policy.uniform(built("kuhn")), list[float]()
    assert local_best_response(policy, deals=1000, watch=told.append).done
    assert told == sorted(told)
    assert told[-1] == 1
    stopped = local_best_response(policy, deals=10**9, stop=lambda: True)
    assert not stopped.done
    assert stopped.deals == stopped.total.count < 10_000


def test_it_says_that_it_is_a_lower_bound() -> None:
    found = local_best_response(sc.Policy.uniform(built("kuhn")), deals="100")  # type: ignore[arg-type]
    assert isinstance(found, LocalBestResponse)
    assert "mbb/h (95 %, 100 deals x 2 seats" in str(found)
    assert str(found).endswith("a lower bound of what a best response wins")
    about = json.loads(json.dumps(found.as_dict()))
    assert (about["game"], about["deals"], about["lower_bound"], len(about["seats_mbb"])) == ("kuhn", 100, True, 2)
    assert about["mbb"]["mean"] == found.total.mean


def test_wrong_arguments_are_refused() -> None:
    kuhn = sc.Policy.uniform(built("kuhn"))
    with pytest.raises(sc.UsageError, match=r"kuhn-3p has 3 players \(accepted for a local best response: 2\)"):
        local_best_response(sc.Policy.uniform(built("kuhn-3p")), deals=10)
    with pytest.raises(sc.UsageError, match="a local best response plays poker, not rps"):
        local_best_response(sc.Policy.uniform(built("rps")), deals=10)
    with pytest.raises(sc.UsageError, match="a local best response checks, which leduc:opening=bet-or-fold does not allow"):
        local_best_response(sc.Policy.uniform(built("leduc:opening=bet-or-fold")), deals=10)
    for deals in (0, -1, 1.5, "many", None):
        with pytest.raises(sc.UsageError, match=r"deals=.*accepted: a whole number from 1"):
            local_best_response(kuhn, deals=deals)  # type: ignore[arg-type]
    for street in (-1, 1, "river"):
        with pytest.raises(sc.UsageError, match=r"start_street=.*accepted: a whole number from 0 to 0"):
            local_best_response(kuhn, deals=10, start_street=street)  # type: ignore[arg-type]
    with pytest.raises(sc.UsageError, match="seed=-1"):
        local_best_response(kuhn, deals=10, seed=-1)

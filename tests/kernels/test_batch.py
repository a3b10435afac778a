"""Hands played many at once, against the same hands played one by one by the rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
import scipy  # its parts are imported at their first use

from smoothcall.games.cards import Cards
from smoothcall.games.hand import Hand
from smoothcall.games.rules import PokerRules
from smoothcall.information.game import Game
from smoothcall.kernels.holdem.drawing import draw_cards
from smoothcall.kernels.learners.features import observe_rows
from smoothcall.kernels.random import draw, seeded
from smoothcall.kernels.simulation import batch as kernels
from smoothcall.kernels.tables import CALL, DECISION, Array
from smoothcall.simulation.batch import AHEAD, Batch, dealing
from tests.conftest import INTERPRETED, WHOLE_BETS, built

UNLIKELY = 1e-4  # p-values below it are no accident; seeds are fixed


class Watched:
    """A batch of a game that notes the cards of its deals, where they are sampled, as they are made."""

    def __init__(self, game: Game, count: int, seed: int = 1) -> None:
        self.game, self.cards, self._deal = game, list[list[int]](), dealing(game)
        self.batch = Batch(
            game.walk, self._dealt, count=count, private=len(game.buckets), moves=game.depth, width=1, dtype=np.int32,
            generators=seeded(seed, 2),
        )  # fmt: skip
        self.begun, self.number = 0, np.zeros(count, np.int64)  # hands begun, and the number of each hand in play

    def _dealt(self, dealt: Array, outcome: Array, generator: Array) -> None:
        again = generator.copy()
        self._deal(dealt, outcome, generator)
        if self.game.sampled:
            card = np.zeros(2 * self.game.players + 5, np.uint8)
            for _ in range(len(outcome)):
                draw_cards(card, self.game.rules.deck.size, again)
                self.cards.append(card.tolist())
            np.testing.assert_array_equal(again, generator)

    def begin(self) -> Array:
        """Which hands are new."""
        new = self.batch.hands.over.copy()
        self.number[new] = self.begun + np.arange(new.sum())
        self.begun += int(new.sum())
        self.batch.begin()
        return new

    def move(self) -> int:
        self.batch.list_movers()
        observe_rows(self.batch.walk, self.batch.hands, self.batch.observations)
        return self.batch.advance(self.batch.legal / self.batch.legal.sum(axis=1, keepdims=True))

    def moves(self, hand: int) -> Iterator[tuple[int, int, int, int]]:
        """(node, seat, action, row seen) of a hand, in the order they were made; the last node has no action."""
        walk, hands, node, made = self.game.walk, self.batch.hands, 0, [0] * self.game.players
        while walk.kind[node] == DECISION:
            seat = int(walk.player[node])
            if made[seat] == hands.moves[hand, seat]:
                break
            action = int(hands.action[hand, seat, made[seat]])
            yield node, seat, action, int(hands.observations[hand, seat, made[seat], 0])
            made[seat] += 1
            node = int(walk.child[node, action])
        assert node == hands.node[hand]
        assert made == hands.moves[hand].tolist(), "nobody has moved out of turn"

    def held(self, hand: int) -> tuple[list[Cards], list[Cards]]:
        """(hole cards of each seat, board of each street): what was sampled, or cards of the ranks that are seen."""
        rules, seats, dealt = self.game.rules, self.game.players, self.batch.hands.dealt[hand]
        if self.game.sampled:
            cards = self.cards[self.number[hand]]
            board = tuple(cards[2 * seats :])
            return [tuple(cards[2 * seat : 2 * seat + 2]) for seat in range(seats)], [(), board[:3], board[3:4], board[4:]]
        labels, left = self.game.deals.labels, list(range(rules.deck.size))

        def take(rank: str) -> Cards:
            card = next(card for card in left if rules.deck.ranks[rules.deck.rank(card)] == rank)
            left.remove(card)
            return (card,)

        holes = [take(labels[0][dealt[seat, 0]]) for seat in range(seats)]
        boards = [
            {labels[street][dealt[seat, street]].split("/")[-1] for seat in range(seats)} for street in range(1, len(labels))
        ]
        assert all(len(ranks) == 1 for ranks in boards), "everybody sees the same board"
        return holes, [(), *(take(*ranks) for ranks in boards)]


def deal_due(hand: Hand, holes: list[Cards], boards: list[Cards]) -> None:
    while (due := hand.due) is not None:
        hand.deal(boards[due.street] if due.player is None else holes[due.player])


def by_the_rules(watched: Watched, place: int) -> Hand:
    """The hand as `games.hand` plays it: every move must be legal, and what was seen what it would have shown."""
    rules = watched.game.rules
    assert isinstance(rules, PokerRules)
    hand, (holes, boards) = Hand(rules), watched.held(place)
    deal_due(hand, holes, boards)
    for _, seat, action, row in watched.moves(place):
        assert hand.player == seat
        assert row == watched.game.row_of(holes[seat], boards[: hand.street + 1], hand.text)
        letter = hand.slots[action]
        assert letter is not None
        hand.play(letter)
        deal_due(hand, holes, boards)
    return hand


@pytest.mark.parametrize(
    ("spec", "count", "wanted"),
    [("kuhn", 16, 300), ("kuhn-3p", 16, 300), ("leduc", 16, 400), ("limit-holdem", 20, 120), (WHOLE_BETS, 32, 300)],
)
def test_hands_are_played_by_the_rules(spec: str, count: int, wanted: int) -> None:
    watched, ended, reasons = Watched(built(spec), count), 0, Counter[str]()
    hands = watched.batch.hands
    while ended < wanted:
        before = hands.moves.copy()
        new = watched.begin()
        assert not hands.over.any(), "hands that were over are replaced"
        assert not hands.moves[new].any()
        assert (hands.node[new] == 0).all()
        assert (hands.moves[~new] == before[~new]).all(), "and no others"
        total = hands.moves.sum()
        ended_now = watched.move()
        assert hands.moves.sum() == total + count, "one move in every hand"
        assert ended_now == hands.over.sum()
        for place in {*np.flatnonzero(hands.over).tolist(), int(np.argmin(hands.over))}:  # all that ended, one that goes on
            hand = by_the_rules(watched, place)
            assert hand.finished == hands.over[place]
            if hand.outcome is not None:
                np.testing.assert_allclose(hands.won[place], np.array(hand.outcome.payoffs, float), atol=1e-5)
                reasons[hand.outcome.reason] += 1
        ended += ended_now
    assert set(reasons) == {"fold", "showdown"}
    assert sum(reasons.values()) == ended
    if watched.game.sampled:
        assert watched.begun > AHEAD * count, "deals were made beforehand more than once"


def test_leduc_is_dealt_fairly() -> None:
    """Ranks of both hole cards and the board, against the 120 ways to deal three of six cards."""
    ranks = Counter(tuple("JQK"[card // 2] for card in cards) for cards in permutations(range(6), 3))
    watched, found = Watched(built("leduc"), 100), Counter[tuple[str, ...]]()
    deck = watched.game.rules.deck
    while watched.begun < 12_000:
        for hand in np.flatnonzero(watched.begin()):
            (one,), (two,), (board,) = (*(watched.held(hand)[0]), watched.held(hand)[1][1])
            found[tuple(deck.ranks[deck.rank(card)] for card in (one, two, board))] += 1
        watched.move()
    assert set(found) == set(ranks)
    assert len(ranks) == 24
    expected = {deal: ways / 120 * watched.begun for deal, ways in ranks.items()}
    statistic = sum((found[deal] - often) ** 2 / often for deal, often in expected.items())
    assert scipy.stats.chi2.sf(statistic, 23) > UNLIKELY
    assert scipy.stats.chi2.cdf(statistic, 23) > UNLIKELY, "nor is it too even"


@pytest.mark.parametrize("spec", ["leduc", WHOLE_BETS])
def test_all_moves_are_equally_likely(spec: str) -> None:
    """Where everybody plays any legal move."""
    watched = Watched(built(spec), 200, seed=7)
    made = np.zeros(watched.game.walk.child.shape, np.int64)
    while made.sum() < 60_000:
        watched.begin()
        node, seat = watched.batch.hands.node.copy(), watched.game.walk.player[watched.batch.hands.node]
        place, move = np.arange(200), watched.batch.hands.moves.copy()
        watched.move()
        np.add.at(made, (node, watched.batch.hands.action[place, seat, move[place, seat]]), 1)
    legal = watched.game.walk.child >= 0
    assert not made[~legal].any()
    visits, moves = made.sum(axis=1), legal.sum(axis=1)
    often = (visits >= 10 * moves) & (moves > 1)
    assert often.sum() > 20
    expected = (visits / np.maximum(moves, 1))[:, None]
    statistic = (np.where(legal, (made - expected) ** 2 / np.maximum(expected, 1), 0).sum(axis=1))[often].sum()
    freedom = int((moves - 1)[often].sum())
    assert scipy.stats.chi2.sf(statistic, freedom) > UNLIKELY
    assert scipy.stats.chi2.cdf(statistic, freedom) > UNLIKELY


@pytest.mark.parametrize("spec", ["kuhn-3p", WHOLE_BETS])
def test_tables_hold_everything(spec: str) -> None:
    """A batch that gets copies of another's tables in the midst of hands and deals goes on with it, bit for bit."""
    one, other = Watched(built(spec), 24, seed=1), Watched(built(spec), 24, seed=2)
    for watched, turns in ((one, 31), (other, 8)):
        for _ in range(turns):
            watched.begin()
            watched.move()
    for name, table in {name: table.copy() for name, table in one.batch.tables().items()}.items():
        other.batch.tables()[name][...] = table
    for _ in range(60):
        for watched in (one, other):
            watched.begin()
            watched.move()
        for name, table in one.batch.tables().items():
            np.testing.assert_array_equal(other.batch.tables()[name], table, err_msg=name)


def test_hands_begin_only_where_they_are_told_to() -> None:
    watched = Watched(built("kuhn"), 6)
    hands, deals = watched.batch.hands, kernels.Deals(np.full((3, 2, 1), 7, np.int32), np.arange(3, dtype=np.uint32) % 2)
    deals.dealt[:, :, 0] = [[0, 1], [1, 2], [2, 0]]
    hands.over[1] = False
    watched.batch.begin_with(deals, np.array([2, 1, -1, 0, -1, 1]))
    assert hands.over.tolist() == [False, False, True, False, True, False]
    assert hands.dealt[:, :, 0].tolist() == [[2, 0], [0, 0], [0, 0], [0, 1], [0, 0], [1, 2]]
    watched.batch.list_movers()
    assert watched.batch.policy.tolist() == [0, 0, -1, 0, -1, 0]
    hands.policy[:, 0] = 5
    watched.batch.list_movers()
    assert watched.batch.policy.tolist() == [5, 5, -1, 5, -1, 5]
    before = [table.copy() for table in hands]
    watched.batch.advance(np.ones((6, 3)))
    for table, old in zip(hands, before, strict=True):
        np.testing.assert_array_equal(table[[2, 4]], old[[2, 4]], err_msg="what is over does not move")
    assert (hands.moves[[0, 1, 3, 5], 0] == 1).all()


def test_a_hand_in_which_nobody_can_move_is_over_at_once() -> None:
    game = Game(replace(built(WHOLE_BETS).rules, stack=500))
    assert game.tree.nodes == 1, "the blinds are everything"
    watched = Watched(game, 50)
    watched.begin()
    assert watched.batch.hands.over.all()
    assert not watched.batch.hands.moves.any()
    for place in range(50):
        hand = by_the_rules(watched, place)
        assert hand.outcome is not None
        assert watched.batch.hands.won[place].tolist() == [float(chips) for chips in hand.outcome.payoffs]
    assert {-500.0, 500.0} <= set(watched.batch.hands.won.reshape(-1).tolist()) <= {-500.0, 0.0, 500.0}


@pytest.mark.interpreted
def test_illegal_moves_are_never_drawn() -> None:
    """Whatever probabilities say: legal ones share in proportion."""
    child, probabilities = np.array([-1, 4, -1, 5, 6], np.int32), np.array([100.0, 1.0, 50.0, 0.0, 3.0])
    for number, wanted in ((0.0, 1), (0.2499, 1), (0.25, 4), (0.6, 4), (0.9999999999999999, 4)):
        assert kernels.draw_legal(child, probabilities, np.empty(len(child)), number) == wanted
    for nothing in (np.zeros(5), np.array([1.0, 0.0, 1.0, 0.0, 0.0])):
        for number in (0.0, 0.5, 0.9999999999999999):
            assert kernels.draw_legal(child, nothing, np.empty(len(child)), number) == 1, "the first that is legal"
    assert kernels.draw_legal(child, np.array([0.0, 0.0, 0.0, 1e-300, 0.0]), np.empty(5), 0.9) == 3
    generator, random = seeded(3)[0], np.random.default_rng(1)
    for _ in range(100 if INTERPRETED else 3_000):
        child = random.integers(-1, 3, size=5).astype(np.int32)
        child[random.integers(5)] = 7
        probabilities = random.random(5) * (random.random(5) < 0.5)
        action = kernels.draw_legal(child, probabilities, np.empty(len(child)), draw(generator))
        assert child[action] >= 0
        assert probabilities[action] > 0 or not probabilities[child >= 0].any()


def test_advancing_never_makes_an_illegal_move() -> None:
    watched = Watched(built("leduc"), 64)
    for _ in range(200):
        watched.begin()
        watched.batch.list_movers()
        observe_rows(watched.batch.walk, watched.batch.hands, watched.batch.observations)
        node = watched.batch.hands.node.copy()
        watched.batch.advance(np.where(watched.batch.legal, [0.0, 1.0, 1.0], 1000.0))
        moved = watched.batch.hands.node
        assert (watched.game.walk.child[node] == moved[:, None]).any(axis=1).all()
        assert not (watched.game.tree.slot[moved] == CALL - 1).any(), "what has no chance is not made"

"""Batch policies that see cards, in seats: they observe what freezeouts show them, also at tables for more than two."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import ClassVar

import numpy as np
import pytest

import smoothcall as sc
from smoothcall.agents.batch_player import MAX_SEATS, BatchPlayer, may_sit
from smoothcall.agents.policy_player import PolicyPlayer
from smoothcall.agents.registry import Registry
from smoothcall.agents.scripted import Rule
from smoothcall.agents.tabulated import TabulatedPolicy
from smoothcall.agents.view import Player, view_of
from smoothcall.evaluation.match import match, seat
from smoothcall.games.catalog import NO_LIMIT_HOLDEM, rules
from smoothcall.games.hand import Hand
from smoothcall.games.rules import PokerRules
from smoothcall.holdem.equity_table import PARTS, equity_table, simulated
from smoothcall.kernels.random import seeded
from smoothcall.kernels.simulation.observations import (
    BEFORE_CALL,
    BEFORE_POT,
    BEFORE_STREET,
    BUCKET,
    CARD,
    CARD_OBSERVATION,
    EQUITY,
    LAST,
    LAST_SIZE,
    NEVER,
    NODE,
    OBSERVATION,
    OTHER_STACK,
    POT,
    SEAT,
    STACK,
    TO_CALL,
)
from smoothcall.kernels.tables import RAISED, Array
from smoothcall.simulation.freezeouts import FreezeoutEnv
from tests.conftest import WHOLE_BETS, built

BETS = "no-limit-holdem:cells=equity,grid=10/10/10,menu=x1+x3"


class Scripted:
    """Makes the move it is told, and remembers what it saw."""

    SEES_CARDS: ClassVar[bool] = True

    def __init__(self, slot: int | None = None) -> None:
        self.slot, self.seen, self.legal = slot, np.zeros(0), np.zeros(0)

    def probabilities(self, seen: Array, legal: Array) -> Array:
        self.seen, self.legal = seen, legal
        if self.slot is None:
            return legal / legal.sum(axis=1, keepdims=True)
        return np.tile(np.arange(legal.shape[1]) == self.slot, (len(legal), 1)).astype(float)


def rules_of(spec: str) -> PokerRules:
    found = built(spec).rules
    assert isinstance(found, PokerRules)
    return found


def dealt(of: PokerRules, visible: Array, stacks: list[int]) -> Hand:
    """A hand with the cards of visible[2, 7], its first ones dealt."""
    hand = Hand(of, stacks)
    for place in range(2):
        hand.deal(tuple(visible[place, :2].tolist()))
    return hand


def deal_on(hand: Hand, board: list[int]) -> None:
    while (due := hand.due) is not None:
        shown = len(hand.board)
        hand.deal(tuple(board[shown : shown + due.count]))


@pytest.mark.parametrize("blinds", [(500, 500), (500, 1000)])
def test_a_view_shows_what_card_observations_show(blinds: tuple[int, int]) -> None:
    """Hands with all kinds of stacks, played again as real hands beside them."""
    own, abstraction, random, count = replace(rules_of(WHOLE_BETS), blinds=blinds), built(WHOLE_BETS).abstraction, Random(1), 24
    env = FreezeoutEnv(own, count=count, length=10, generators=seeded(1, 2), abstraction=abstraction)
    batch, now, batch_policy = env.batch, env.freezeouts, Scripted()
    player = BatchPlayer(batch_policy, own, abstraction=abstraction)
    assert env.batch.observations.shape[1] == CARD_OBSERVATION
    hands: list[Hand] = []
    looks = unequal = again = 0
    streets = set[int]()
    for _ in range(60):
        now.policy[:, 1] = 1
        now.habits[:] = 0  # a player at a table does not know them
        fresh = batch.hands.over.copy()
        for place in np.flatnonzero(fresh).tolist():
            chips = env.stack_trees.unit * random.randrange(1, 2 * env.start // env.stack_trees.unit)
            now.chips[place] = chips, 2 * env.start - chips
        env.sit()
        batch.begin()
        for place in np.flatnonzero(fresh).tolist():
            stacks = [int(now.chips[place, now.first[place] ^ each]) for each in range(2)]
            hand = dealt(own, batch.hands.dealt[place, :, -7:], stacks)
            hands[place : place + 1] = [hand]
        env.observe()
        probabilities = np.zeros(batch.legal.shape)
        for place, hand in enumerate(hands):
            board = batch.hands.dealt[place, 0, -5:].tolist()
            deal_on(hand, board)
            if batch.hands.over[place]:  # nobody had anything to decide
                assert hand.finished
                continue
            batch_policy.slot = random.choice(np.flatnonzero(batch.legal[place, 1:]).tolist()) + 1
            assert hand.player is not None
            view = view_of(hand, hand.player)
            letter = player.act(view)
            mine, shown = batch_policy.seen[0], batch.observations[place]
            assert mine.dtype == np.float32
            assert mine.shape == shown.shape
            same = np.array([column for column in range(CARD_OBSERVATION) if column not in (EQUITY, NODE)])
            np.testing.assert_allclose(mine[same], shown[same], atol=1e-6, err_msg=f"{view}")
            assert abs(mine[EQUITY] - shown[EQUITY]) <= 0.5 / PARTS + 1e-6, "freezeouts round it"
            np.testing.assert_array_equal(batch_policy.legal[0], batch.legal[place])
            probabilities[place, batch_policy.slot] = 1
            hand.play(letter)
            deal_on(hand, board)
            looks, streets = looks + 1, streets | {view.street}
            unequal += hand.starting[0] != hand.starting[1]
            again += mine[BEFORE_STREET] != NEVER
        batch.advance(probabilities)
        for place in np.flatnonzero(batch.hands.over).tolist():
            outcome = hands[place].outcome
            assert outcome is not None
            assert list(map(float, outcome.payoffs)) == batch.hands.won[place].tolist()
        env.settle()
    assert looks > 400
    assert unequal > 200
    assert again > 200
    assert streets == {0, 1, 2, 3}


def test_who_has_more_plays_for_what_the_other_has() -> None:
    """All that the other has may be less than a full raise: the table wants one."""
    own, batch_policy = rules_of(BETS), Scripted(slot=3)
    hand = Hand(own, [150, 25])
    hand.deal_random(Random(1))
    player = BatchPlayer(batch_policy, own)
    assert player.act(view_of(hand, 0)) == "r25"
    hand.play("r60")  # more than anybody can call
    seen = player.observation(view_of(hand, 1))
    assert seen[[POT, TO_CALL, STACK, OTHER_STACK, LAST_SIZE]] == pytest.approx([0.35, 0.15, 0.15, 1.25, 0.2])
    hand = Hand(own, [150, 25])
    hand.deal_random(Random(1))
    hand.play("r20")
    batch_policy.slot = 2
    assert player.act(view_of(hand, 1)) == "r25"
    short = Hand(own, [150, 15])
    short.deal_random(Random(1))
    assert player.act(view_of(short, 0)) == "r20", "15 is no full raise"


# Tables for more than two


def table_of(seats: int) -> PokerRules:
    return rules_of(f"no-limit-holdem:seats={seats}" if seats > 2 else "no-limit-holdem")


def test_at_a_larger_table_the_others_are_averaged() -> None:
    own, table, deck = rules_of(BETS), table_of(4), NO_LIMIT_HOLDEM.deck
    hand = Hand(table)
    for cards in ("2c2d", "3c3d", "AhAs", "4c4d"):
        hand.deal(cards)
    player = BatchPlayer(Scripted(), own)
    first = player.observation(view_of(hand, 2))
    assert first[EQUITY] == pytest.approx(0.64, abs=0.05), "aces against three"
    assert player.observation(view_of(hand, 2)).tolist() == first.tolist()
    assert first[[POT, TO_CALL, STACK, OTHER_STACK]] == pytest.approx([0.15, 0.1, 1, (0.95 + 0.9 + 1) / 3])
    assert first[[SEAT, BEFORE_STREET, LAST, BUCKET]].tolist() == [1, NEVER, 0, 0]
    assert first[CARD:].tolist() == [*sorted(deck.parse("AhAs")), -1, -1, -1, -1, -1]
    for letter in ("r30", "f", "r60"):  # the button has folded
        hand.play(letter)
    big = player.observation(view_of(hand, 1))
    assert big[[POT, TO_CALL, OTHER_STACK, LAST_SIZE]] == pytest.approx([1.0, 0.5, (0.7 + 0.4) / 2, 0.55])
    assert big[LAST] == RAISED
    assert big[SEAT] == 1, "the raiser before will act last"
    hand.play("f")
    again = player.observation(view_of(hand, 2))
    assert again[EQUITY] == pytest.approx(equity_table(deck).of(deck.parse("AhAs"), ())), "exact against one"
    assert again[[SEAT, BEFORE_STREET, BEFORE_POT, BEFORE_CALL]] == pytest.approx([0, 0, 0.15, 0.1])
    assert again[[TO_CALL, OTHER_STACK]] == pytest.approx([0.3, 0.4])
    assert len(again) == CARD_OBSERVATION > OBSERVATION


def test_positions_against_several() -> None:
    """Aces win 85.2 % against one random hand, 73.4 % against two, 49.2 % against five (the usual tables of hold'em odds)."""
    deck, generator = NO_LIMIT_HOLDEM.deck, seeded(1)[0]
    for opponents, share in ((1, 0.852), (2, 0.734), (5, 0.492)):
        found = simulated(deck, deck.parse("AhAs"), (), generator, 20_000, opponents)
        assert found == pytest.approx(share, abs=0.012)
    everybody = deck.parse("AsKsQsJsTs")
    assert simulated(deck, deck.parse("2c2d"), everybody, generator, 50, 3) == pytest.approx(1 / 4), "all share the board"
    with pytest.raises(sc.UsageError, match="opponents=0"):
        simulated(deck, deck.parse("2c2d"), (), generator, 50, 0)


def test_who_may_sit_where() -> None:
    own = rules_of(BETS)
    for seats in range(2, MAX_SEATS + 1):
        assert may_sit(own, table_of(seats), with_cards=True)
        assert may_sit(own, table_of(seats), with_cards=False) == (seats == 2)
    seven = rules("no-limit-holdem", seats=7)
    assert isinstance(seven, PokerRules)
    assert not may_sit(own, seven, with_cards=True)
    for spec in ("no-limit-holdem:seats=3,stack=200", "no-limit-holdem:seats=3,small_blind=2"):
        assert not may_sit(own, rules_of(spec), with_cards=True)
    for spec in ("limit-holdem-3p", "leduc-3p", "no-limit-holdem-32", "kuhn"):
        assert not may_sit(own, rules_of(spec), with_cards=True)
    assert not may_sit(own, replace(table_of(3), antes=(1, 1, 1)), with_cards=True)
    assert not may_sit(own, built("rps").rules, with_cards=True)
    hand = Hand(seven)
    hand.deal_random(Random(1))
    with pytest.raises(sc.UsageError, match="this batch policy plays no-limit-holdem, not no-limit-holdem for 7"):
        BatchPlayer(Scripted(), own).act(view_of(hand, 2))


@pytest.mark.parametrize("seats", [2, 3, 6])
def test_matches_at_larger_tables(seats: int) -> None:
    policy = TabulatedPolicy(built(BETS), Scripted())
    players: list[Player] = [PolicyPlayer(policy, random=Random(1))]
    players += [BatchPlayer(Rule.PROBE, random=Random(each)) for each in range(seats - 1)]
    game = built(f"no-limit-holdem:seats={seats}" if seats > 2 else "no-limit-holdem")
    result = match(game, players, hands=24, seed=1)
    assert result.hands >= 24
    assert result.seatings == {2: 2, 3: 6, 6: 6}[seats]
    assert sum(each.mean for each in result.estimates) == pytest.approx(0, abs=1e-6)
    assert match(game, [PolicyPlayer(policy, random=Random(1)), *players[1:]], hands=6).deals > 0
    with pytest.raises(sc.UsageError, match="say how many hands"):
        match(game, players)


def test_agents_are_seated_at_larger_tables(tmp_path: Path) -> None:
    game = built(BETS)
    known = TabulatedPolicy(game, Scripted())
    (tmp_path / "some.wide").touch()
    wide, registry = str(tmp_path / "some.wide"), Registry(readers={".wide": lambda path, of: known})
    played, players = seat([wide, wide, "probe"], registry=registry, of="no-limit-holdem:seats=3")
    assert played.players == len(players) == 3
    narrow = Scripted()
    narrow.SEES_CARDS = False  # type: ignore[misc]
    known = TabulatedPolicy(game, narrow)
    with pytest.raises(sc.UsageError, match=r"wide plays no-limit-holdem:cells=.*, not no-limit-holdem:seats=3"):
        seat([wide, wide, "probe"], registry=registry, of="no-limit-holdem:seats=3")

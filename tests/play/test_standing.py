"""Freezeouts of ten hands, and what an opponent at a table knows of a person's habits."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from smoothcall.agents.view import NO_HABITS, Habits, View, habits_of
from smoothcall.games.hand import Hand
from smoothcall.play.person_view import TableView
from smoothcall.play.service import PlayService
from smoothcall.play.standing import FREEZEOUT_HANDS, Standing
from smoothcall.play.statistics import marks
from smoothcall.play.table import OpponentPlayer
from tests.games.random_hands import fresh_hands, step
from tests.play.test_service import make_service, play_hand

GAME = "no-limit-holdem-32"


def won(chips: int, *, stacks: tuple[int, int] | None = (3, 3), **did: int) -> tuple[Any, ...]:
    """A hand of the person in seat 0."""
    return 0, [Fraction(chips), Fraction(-chips)], stacks, {"preflop_raise": 0, "bets": 0, "calls": 0} | did


def test_a_freezeout_ends_with_its_last_hand_or_when_a_player_is_broke() -> None:
    standing = Standing(length=3)
    for hand in (1, 2):
        standing = standing.after(*won(1 if hand == 1 else -1, stacks=(3, 3) if hand == 1 else (4, 2)))
        assert (standing.hand, standing.freezeout_over) == (hand, False)
    drawn = standing.after(*won(0))
    assert (drawn.won, drawn.lost, drawn.drawn, drawn.freezeout_over) == (0, 0, 1, True)
    assert (standing.after(*won(2)).won, standing.after(*won(-2)).lost) == (1, 1)
    lost = drawn.after(*won(-3))
    assert (lost.won, lost.lost, lost.drawn, lost.hand, lost.freezeout_over) == (0, 1, 1, 1, True)
    assert not Standing(length=0).after(*won(1)).freezeout_over, "without a length until somebody is broke"
    assert Standing(length=0).after(*won(3)).won == 1


def test_habits_are_those_of_the_freezeout_or_of_the_table() -> None:
    standing = Standing(length=2).after(*won(1, preflop_raise=1, bets=2, calls=1))
    assert standing.known_habits == (1, 1, 2, 1)
    standing = standing.after(*won(1, calls=2))
    assert (standing.habits, standing.known_habits) == ((2, 1, 2, 3), NO_HABITS)
    assert standing.after(*won(1, bets=1)).habits == (1, 0, 1, 0)
    table = Standing()
    for _ in range(30):
        table = table.after(*won(1, stacks=None, preflop_raise=1, bets=1))
    assert (table.known_habits, table.freezeout_over) == ((30, 30, 30, 0), False)


@settings(deadline=None)
@given(hand=fresh_hands(), seed=st.integers(0, 99))
def test_habits_are_what_statistics_count(hand: Hand, seed: int) -> None:
    random = Random(seed)
    while hand.outcome is None:
        step(hand, random)
    for seat in range(hand.rules.seats):
        counted = marks(hand, seat)
        assert habits_of(hand, seat) == (1, int(counted.preflop_raise), counted.bets, counted.calls)


class Spy:
    """Checks and calls, and remembers the habits it was shown in each hand."""

    def __init__(self) -> None:
        self.seen: dict[tuple[int, ...], Habits] = {}

    def act(self, view: View) -> str:
        assert self.seen.setdefault(view.hole, view.habits) == view.habits, "they do not change within a hand"
        return "c"


@pytest.fixture
def service() -> Iterator[PlayService]:
    made = make_service()
    yield made
    made.close()


def spied(service: PlayService, monkeypatch: pytest.MonkeyPatch) -> Spy:
    spy = Spy()
    monkeypatch.setattr(service, "_seat_opponents", lambda *_, **__: (OpponentPlayer(spy, Random()),))
    return spy


def passive(service: PlayService, person: int, table: TableView, letter: str = "c") -> TableView:
    """Play a hand to its end with one kind of move."""
    while not table.hand.over:
        table = service.act(person, table.id, letter, hand=table.hand.number, move=table.hand.move)
    return table


@pytest.mark.parametrize("away", [False, True])
def test_a_match_of_ten_hands(service: PlayService, monkeypatch: pytest.MonkeyPatch, away: bool) -> None:
    """Nobody is broke by checking, so freezeouts end with the tenth hand; whoever has more chips has won."""
    assert FREEZEOUT_HANDS == {GAME: 10}
    spy, person = spied(service, monkeypatch), service.person(service.newcomer())
    table, chips, score = service.open_table(person, GAME, ["always-call"], freezeouts=2), 0, [0, 0, 0]
    for number in range(1, 21):
        assert (table.match.hand, table.match.freezeout_over) == ((number - 1) % 10 + 1, False)  # type: ignore[union-attr]
        assert sum(seat.stack + seat.paid for seat in table.hand.seats) == 20_000  # type: ignore[operator]
        if number % 10 == 1:
            assert [seat.stack + seat.paid for seat in table.hand.seats] == [10_000, 10_000]  # type: ignore[operator]
        table = passive(service, person, table)
        chips += int(Fraction(table.hand.won or ""))
        assert table.match is not None
        if number % 10 == 0:
            score[2 if chips == 0 else int(chips < 0)] += 1
            chips = 0
        assert table.match.freezeout_over == (number % 10 == 0)
        assert [table.match.won, table.match.lost, table.match.drawn] == score
        assert table.match.over == (number == 20)
        if away:
            service.evict_all()
            assert service.table(person, table.id) == table
        if number < 20:
            table = service.next_hand(person, table.id, hand=number)
    known = list(spy.seen.values())
    assert known == [(hand % 10, 0, 0, 0) for hand in range(20)], "nothing is to call where both have paid the blind"


def test_an_opponent_knows_how_a_person_plays(service: PlayService, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hand by hand, over all hands of the table; also after it has been read from the database."""
    spy, person = spied(service, monkeypatch), service.person(service.newcomer())
    table = service.open_table(person, GAME, ["always-call"])
    for number, letter in enumerate(["c", "r10000", "r10000", "c"], 1):
        table = passive(service, person, table, letter)
        service.evict_all()
        table = service.next_hand(person, table.id, hand=number)
    passive(service, person, table)
    assert list(spy.seen.values())[-1] == (4, 2, 2, 0)
    assert [habits[0] for habits in spy.seen.values()] == [0, 1, 2, 3, 4]


def test_agents_that_adapt_have_no_aivat() -> None:
    service = make_service()
    person = service.person(service.newcomer())
    for opponent, adapts in (("no-limit-holdem-32-clipped-double-dqn", True), ("no-limit-holdem-32-monte-carlo", False)):
        assert service.agents.card(opponent).adapts == adapts
    table = service.open_table(person, GAME, ["no-limit-holdem-32-clipped-double-dqn"])
    *_, table = play_hand(service, person, table, Random(1))
    assert "observes how you play" in service.results(person, table.id).note
    service.close()

"""The play service: whole hands of every game, nothing lost, nothing doubled, nothing shown too early."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from fractions import Fraction
from itertools import count, cycle, islice
from pathlib import Path
from random import Random
from typing import Any

import pytest

from smoothcall.errors import Conflict, Forbidden, NotFound, Unauthenticated, UsageError
from smoothcall.games.betting import IllegalMove
from smoothcall.play.history import short_names
from smoothcall.play.live import IDLE
from smoothcall.play.person_view import Choice, HandView, TableView
from smoothcall.play.service import PlayService, shuffle
from smoothcall.play.stakes import PLAY_GAMES
from smoothcall.store.histories import Histories
from smoothcall.store.records import Filter
from tests.conftest import built, shipped

THEN = datetime(2026, 1, 2, 3, 4, 5)


def make_service(url: str = "sqlite://", **parts: Any) -> PlayService:
    """A play service whose secrets are reproducible."""
    numbers = count()
    chosen = {"clock": lambda: THEN, "secret": lambda: f"s{next(numbers)}"} | parts
    return PlayService(Histories(url), shipped(), **chosen)


@pytest.fixture
def service() -> Iterator[PlayService]:
    made = make_service()
    yield made
    made.close()


def opponents_of(game: str, *names: str) -> list[str]:
    seats = built(game).players - 1
    return list(islice(cycle(names or ("probe", "random")), seats))


def letter_of(choice: Choice, random: Random) -> str:
    return choice.letter if choice.low is None else f"r{random.randint(choice.low, choice.high or choice.low)}"


def play_hand(service: PlayService, person: int, table: TableView, random: Random) -> Iterator[TableView]:
    """Play a hand to its end with random moves: the table after each of them."""
    yield table
    while not table.hand.over:
        letter = letter_of(random.choice(table.hand.choices), random)
        table = service.act(person, table.id, letter, hand=table.hand.number, move=table.hand.move)
        yield table


@pytest.mark.parametrize("game", PLAY_GAMES)
def test_whole_hands_of_every_game(service: PlayService, game: str) -> None:
    person, random = service.person(service.newcomer()), Random(1)
    table = service.open_table(person, game, opponents_of(game))
    won = Fraction()
    for number in range(1, 31):
        *_, table = play_hand(service, person, table, random)
        hand = table.hand
        assert (hand.number, hand.seat) == (number, (number - 1) % len(hand.seats))
        payoffs = [Fraction(seat.won or "") for seat in hand.seats]
        assert sum(payoffs) == 0
        assert hand.choices == ()
        won += payoffs[hand.seat]
        assert (table.hands, Fraction(table.won)) == (number, won)
        for seat in hand.seats:
            seen = seat.you or (hand.reason == "showdown" and seat.alive)
            assert bool(seat.cards) == seen
            assert bool(seat.hidden) != seen
        table = service.next_hand(person, table.id, hand=number)
    assert service._histories.count(person, Filter()) == 30  # listing them would estimate AIVAT, which other tests do


@pytest.mark.parametrize("hands", [3, pytest.param(10, marks=pytest.mark.long)])
def test_a_table_that_was_put_away_goes_on_as_if_it_never_had_been(hands: int) -> None:
    """Every game, with mixed opponents: from the database after every single move, or from memory."""
    seen = []
    for away in (False, True):
        service, found = make_service(), []
        for game in PLAY_GAMES:
            person, random = service.person(service.newcomer()), Random(2)
            table = service.open_table(person, game, opponents_of(game))
            for number in range(1, hands + 1):
                for state in play_hand(service, person, table, random):
                    found.append(state)
                    if away:
                        service.evict_all()
                        assert service.table(person, table.id) == state
                table = service.next_hand(person, table.id, hand=number)
        seen.append(found)
        service.close()
    assert seen[0] == seen[1]


def exchanged(seat: int, rules: Any, deck: tuple[int, ...], random: Random) -> tuple[int, ...]:
    """A deck with other cards in the other seats' hands, and nothing else changed that anybody will see."""
    holes = [street.hole for street in rules.streets]
    assert sum(holes) == holes[0], "hole cards come first"
    dealt = holes[0] * rules.seats
    public = sum(street.board for street in rules.streets)
    hidden = [place for place in range(dealt) if not seat * holes[0] <= place < (seat + 1) * holes[0]]
    rest = [*hidden, *range(dealt + public, len(deck))]
    mixed = random.sample(rest, len(rest))
    other = list(deck)
    for place, source in zip(rest, mixed, strict=True):
        other[place] = deck[source]
    return tuple(other)


@pytest.mark.parametrize("game", PLAY_GAMES)
def test_nothing_seen_before_the_end_depends_on_hidden_cards(game: str) -> None:
    verify_nothing_depends_on_hidden_cards(game, 20)


@pytest.mark.long
@pytest.mark.parametrize("game", PLAY_GAMES)
def test_nothing_seen_in_many_hands_depends_on_hidden_cards(game: str) -> None:
    verify_nothing_depends_on_hidden_cards(game, 60)


def verify_nothing_depends_on_hidden_cards(game: str, hands: int) -> None:
    """The same hands twice, the second time with other cards in the opponents' hands, who play without looking at them."""
    rules = built(game).rules
    runs: list[list[list[HandView]]] = []
    for other in (False, True):

        def deal(secret: str, size: int, other: bool = other) -> tuple[int, ...]:
            deck, number = shuffle(secret, size), int(secret.split("/")[1])
            return exchanged((number - 1) % rules.seats, rules, deck, Random(secret)) if other else deck

        service = make_service(shuffle=deal)
        person, random = service.person(service.newcomer()), Random(3)
        table, found = service.open_table(person, game, opponents_of(game)), []
        for number in range(1, hands + 1):
            found.append([state.hand for state in play_hand(service, person, table, random)])
            table = service.next_hand(person, table.id, hand=number)
        runs.append(found)
        service.close()
    different = 0
    for first, second in zip(*runs, strict=True):
        assert first[:-1] == second[:-1]
        if first[-1].reason == "fold":
            assert first[-1] == second[-1]
        else:
            different += first[-1] != second[-1]
    assert different > 0  # the exchange did change what is shown at showdowns


def test_stale_and_wrong_moves_change_nothing(service: PlayService) -> None:
    person = service.person(service.newcomer())
    table = service.open_table(person, "limit-holdem", ["always-call"])
    state = service.table(person, table.id)
    act: Callable[..., TableView] = service.act
    for letter, hand, move, error in (
        ("c", 1, state.hand.move + 1, Conflict),
        ("c", 2, state.hand.move, Conflict),
        ("c", 0, -1, Conflict),
        ("x", 1, state.hand.move, IllegalMove),
        ("r100", 1, state.hand.move, IllegalMove),
        ("", 1, state.hand.move, IllegalMove),
    ):
        with pytest.raises(error):
            act(person, table.id, letter, hand=hand, move=move)
        assert service.table(person, table.id) == state
    with pytest.raises(Conflict, match="not over"):
        service.next_hand(person, table.id, hand=1)
    with pytest.raises(Conflict):
        service.next_hand(person, table.id, hand=7)
    after = act(person, table.id, "c", hand=1, move=state.hand.move)
    with pytest.raises(Conflict):  # the same button again
        act(person, table.id, "c", hand=1, move=state.hand.move)
    service.evict_all()
    assert service.table(person, table.id) == after


def test_no_limit_amounts(service: PlayService) -> None:
    person = service.person(service.newcomer())
    table = service.open_table(person, "no-limit-holdem", ["always-call"])
    raising = table.hand.choices[-1]
    assert (raising.low, raising.high) == (20, 100)
    for letter in ("r19", "r101", "r", "r-5", "r1e2", "r99999999999999999"):
        with pytest.raises(IllegalMove):
            service.act(person, table.id, letter, hand=1, move=0)
    table = service.act(person, table.id, "r37", hand=1, move=0)
    assert table.hand.seats[0].paid == 37


def test_the_next_hand_is_there_once(service: PlayService) -> None:
    person, random = service.person(service.newcomer()), Random(4)
    *_, table = play_hand(service, person, service.open_table(person, "kuhn", ["probe"]), random)
    second = service.next_hand(person, table.id, hand=1)
    assert service.next_hand(person, table.id, hand=1) == second
    assert second.hand.number == 2


def test_tables_and_hands_belong_to_one_person(service: PlayService) -> None:
    mine, other = (service.person(service.newcomer()) for _ in range(2))
    table = service.open_table(mine, "leduc", ["probe"])
    *_, table = play_hand(service, mine, table, Random(5))
    for ask in (
        lambda: service.table(other, table.id),
        lambda: service.act(other, table.id, "c", hand=1, move=0),
        lambda: service.next_hand(other, table.id, hand=1),
        lambda: service.results(other, table.id),
        lambda: service.hand(other, table.hand.id),
        lambda: service.coach(other, table.hand.id),
        lambda: service.table(mine, "nowhere"),
        lambda: service.hand(mine, 2**40),
    ):
        with pytest.raises(NotFound):
            ask()
        service.evict_all()
    assert service.tables(other) == []
    assert service.hands(other, Filter()).total == 0
    assert service.statistics(other, Filter()).hands == 0
    assert "Ah" not in service.export(other, Filter(), "json")
    with pytest.raises(Unauthenticated):
        service.person("somebody")


def test_wrong_tables(service: PlayService) -> None:
    person = service.person(service.newcomer())
    for game, opponents, message in (
        ("chess", ["probe"], "accepted at a table: kuhn"),
        ("rps", ["random"], "accepted at a table"),
        ("kuhn", [], "named: 0"),
        ("kuhn", ["probe", "probe"], "named: 2"),
        ("kuhn-3p", ["probe"], "named: 1"),
        ("kuhn", ["nobody"], "nobody"),
        ("kuhn", ["leduc-cfr"], "kuhn"),
    ):
        with pytest.raises(UsageError, match=message):
            service.open_table(person, game, opponents)
    assert service.tables(person) == []


def test_two_services_on_one_database(tmp_path: Path) -> None:
    """A table in the memory of a second process that the first has played on is read again."""
    url = f"sqlite:///{tmp_path / 'hands.sqlite'}"
    first, second = make_service(url), make_service(url)
    token = first.newcomer()
    person = first.person(token)
    assert second.person(token) == person
    table = first.open_table(person, "limit-holdem", ["always-call"])
    assert second.table(person, table.id) == table
    after = first.act(person, table.id, "c", hand=1, move=0)
    with pytest.raises(Conflict):
        second.act(person, table.id, "r", hand=1, move=0)
    assert second.table(person, table.id) == after
    later = first.act(person, table.id, "c", hand=1, move=after.hand.move)
    with pytest.raises(Conflict):  # what the first says is new to the second, which then reads it again
        second.act(person, table.id, "c", hand=1, move=later.hand.move)
    assert second.table(person, table.id) == later
    first.close()
    second.close()


def test_an_agent_that_fails_costs_nothing(service: PlayService, monkeypatch: pytest.MonkeyPatch) -> None:
    person = service.person(service.newcomer())
    table = service.open_table(person, "limit-holdem", ["always-call"])
    live = service._live[table.id]

    class Broken:
        def act(self, view: object) -> str:
            raise RuntimeError("out of order")

    live.players = (replace(live.players[0], player=Broken()),)
    with pytest.raises(RuntimeError):
        service.act(person, table.id, "c", hand=1, move=0)
    assert service.table(person, table.id) == table
    assert service.act(person, table.id, "c", hand=1, move=0).hand.move > 0


@pytest.mark.parametrize(("game", "agent"), [("kuhn", "kuhn"), ("leduc", "leduc")])
def test_results_coach_and_history(service: PlayService, game: str, agent: str) -> None:
    player_id = service.agents.cards(game)[0].id
    person, random = service.person(service.newcomer()), Random(6)
    table = service.open_table(person, game, [player_id])
    with pytest.raises(Forbidden):
        service.coach(person, table.hand.id)
    with pytest.raises(Forbidden, match="finish your hand"):
        service.may_explore(person, player_id)
    for number in range(1, 41):
        *_, table = play_hand(service, person, table, random)
        if number < 40:
            table = service.next_hand(person, table.id, hand=number)
    service.may_explore(person, player_id)
    results = service.results(person, table.id)
    assert results.hands == 40
    assert results.curve[-1] == pytest.approx(float(Fraction(results.won)))
    assert len(results.luck_adjusted_curve) == 40
    assert results.raw is not None
    assert results.luck_adjusted is not None
    assert results.raw.half_width is not None
    assert results.luck_adjusted.half_width is not None
    assert results.luck_adjusted.half_width < results.raw.half_width
    page = service.hands(person, Filter(), page=2)
    assert (page.pages, page.total, len(page.hands)) == (2, 40, 15)
    assert sum(line.won_chips for line in (*service.hands(person, Filter()).hands, *page.hands)) == results.curve[-1]
    with pytest.raises(NotFound):
        service.hands(person, Filter(), page=3)
    last = service.hands(person, Filter()).hands[0]
    steps = service.hand(person, last.id)
    assert [step.move for step in steps] == list(range(len(steps)))
    assert steps[-1].won == last.won
    review = service.coach(person, last.id)
    assert len(review.decisions) >= 1
    assert service.statistics(person, Filter()).hands == 40
    assert service.export(person, Filter(), "json")
    with pytest.raises(UsageError, match="accepted: phh, json"):
        service.export(person, Filter(), "pdf")


def test_all_snapshots_of_an_agent_are_refused_together(service: PlayService) -> None:
    person = service.person(service.newcomer())
    service.open_table(person, "leduc", ["leduc-smooth-uct.1000:greedy"])
    for player_id in ("leduc-smooth-uct", "leduc-smooth-uct.1000", "leduc-smooth-uct.10000"):
        with pytest.raises(Forbidden):
            service.may_explore(person, player_id)
    service.may_explore(person, "leduc-cfr")


def test_hands_outlive_their_agents(service: PlayService, monkeypatch: pytest.MonkeyPatch) -> None:
    """An agent whose file is gone: the table cannot go on, the history stays."""
    person = service.person(service.newcomer())
    table = service.open_table(person, "kuhn", ["probe"])
    *_, table = play_hand(service, person, table, Random(7))
    service.evict_all()

    def gone(player_id: str, *rest: object, **more: object) -> None:
        raise UsageError(f"unknown agent {player_id!r}")

    for name in ("card", "player", "strategy", "verify_fits"):
        monkeypatch.setattr(service.agents, name, gone)
    assert service.tables(person) == []
    assert [line.opponents for line in service.hands(person, Filter()).hands] == ["probe"]
    assert service.statistics(person, Filter()).hands == 1
    assert service.results(person, table.id).luck_adjusted is None
    assert service.export(person, Filter(), "json")


def test_idle_tables_are_put_away_and_come_back() -> None:
    clock = [THEN]
    service = make_service(clock=lambda: clock[0])
    person = service.person(service.newcomer())
    first, second = (service.open_table(person, "kuhn", ["probe"]) for _ in range(2))
    clock[0] += IDLE / 2
    assert service.table(person, second.id) == second
    clock[0] += IDLE / 2 + timedelta(seconds=1)
    third = service.open_table(person, "kuhn", ["probe"])
    assert set(service._live) == {second.id, third.id}
    assert service.table(person, first.id) == first
    assert set(service._live) == {first.id, second.id, third.id}
    service.close()


def test_an_opponent_is_found_in_all_its_forms(service: PlayService) -> None:
    person = service.person(service.newcomer())
    for player_id in ("leduc-smooth-uct", "leduc-smooth-uct:greedy", "leduc-smooth-uct.1000:greedy", "leduc-cfr"):
        list(play_hand(service, person, service.open_table(person, "leduc", [player_id]), Random(8)))

    def found(opponent: str) -> int:
        return service.hands(person, Filter(opponent=opponent)).total

    assert [found(name) for name in ("leduc-smooth-uct", "leduc-smooth-uct.1000", "leduc-cfr", "probe")] == [3, 3, 1, 0]
    assert [found(f"{name}:greedy") for name in ("leduc-smooth-uct", "leduc-cfr")] == [1, 0]
    assert service.statistics(person, Filter(opponent="leduc-smooth-uct")).hands == 3


def test_a_table_whose_agent_is_gone_says_so(service: PlayService, monkeypatch: pytest.MonkeyPatch) -> None:
    person = service.person(service.newcomer())
    table = service.open_table(person, "leduc", ["leduc-cfr"])
    service.evict_all()
    for name in ("_files", "_cards"):  # other tests share the shipped opponents, and their order
        left = {own: value for own, value in getattr(service.agents, name).items() if own != "leduc-cfr"}
        monkeypatch.setattr(service.agents, name, left)
    with pytest.raises(UsageError, match="leduc-cfr cannot play here any more"):
        service.act(person, table.id, "c", hand=1, move=0)


def test_stacks_at_the_end_have_what_was_won(service: PlayService) -> None:
    person = service.person(service.newcomer())
    table = service.open_table(person, "no-limit-holdem", ["always-call"])
    table = service.act(person, table.id, "f", hand=1, move=0)
    assert [seat.stack for seat in table.hand.seats] == [95, 105]


def test_a_table_with_a_scripted_player(service: PlayService) -> None:
    """It answers any amount, and the coach knows what it would have done."""
    person, random = service.person(service.newcomer()), Random(4)
    table = service.open_table(person, "no-limit-holdem-32", ["bluffer-moderate"])
    assert table.opponents[0].name == "Bluffer moderate"
    reviewed = 0
    for number in range(1, 7):
        *_, table = play_hand(service, person, table, random)
        for decision in service.coach(person, table.hand.id).decisions:
            assert sum(move.agent or 0 for move in decision.moves) == pytest.approx(1)
            reviewed += 1
        table = service.next_hand(person, table.id, hand=number)
    assert reviewed > 5


def test_names_fit_their_seats() -> None:
    agents = ["Agent 1, expert system", "Agent 3, discrete play", "Agent 3, gradient play", "Probe", "Probe"]
    assert short_names(agents) == ["Agent 1", "Agent 3 DP", "Agent 3 GP", "Probe 1", "Probe 2"]
    assert short_names(["CFR+, greedy"]) == ["CFR+"]
    assert short_names(["CFR+, greedy", "CFR+"]) == ["CFR+ G", "CFR+"]
    assert short_names(["Monte-Carlo CFR"]) == ["Monte-Carlo CFR"]
    assert short_names(["Monte-Carlo CFR, three players"] * 2) == ["MCCFR 1", "MCCFR 2"]

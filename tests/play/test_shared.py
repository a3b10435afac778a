"""Play services that share a database: every request may be answered by any of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

import pytest

from smoothcall.app import App
from smoothcall.errors import Conflict, Forbidden, NotFound, Unauthenticated
from smoothcall.play.service import PlayService
from smoothcall.play.settings import Settings
from tests.conftest import shipped
from tests.databases import postgres
from tests.play.test_service import letter_of, make_service

Services = list[PlayService]


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'hands.sqlite'}"
    else:
        with postgres() as made:
            yield made


@pytest.fixture
def services(url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Services]:
    for module in ("histories", "deadlines"):  # on a busy machine a commit may take long
        monkeypatch.setattr(f"smoothcall.store.{module}.LIMIT", 60.0)
    monkeypatch.setattr("smoothcall.store.postgres.OPTIONS", "")
    made = [make_service(url, shared=True, secret=_secrets(name)) for name in "ab"]
    yield made
    for each in made:
        each.close()


def _secrets(name: str) -> Callable[[], str]:
    random = Random(name)
    return lambda: f"{name}{random.getrandbits(64):x}"


@pytest.mark.parametrize(
    ("game", "opponents", "how"), [("leduc", ["leduc-cfr"], {}), ("no-limit-holdem", ["random"], {"cash": True})]
)
def test_every_request_sees_the_current_table(
    services: Services, game: str, opponents: list[str], how: dict[str, bool]
) -> None:
    """A service alone that reads everything again is the oracle; it is asked after every step."""
    random, token = Random(5), services[0].newcomer()
    table = services[0].open_table(services[0].person(token), game, opponents, **how)
    for _ in range(60):
        asked, looking = random.choice(services), random.choice(services)
        person = asked.person(token)
        if table.hand.over:
            table = asked.next_hand(person, table.id, hand=table.hand.number, rebuy=True)
        else:
            choice = random.choice(table.hand.choices)
            table = asked.act(person, table.id, letter_of(choice, random), hand=table.hand.number, move=table.hand.move)
        assert looking.table(looking.person(token), table.id) == table
        assert looking.table_at_once(person, table.id) is None
        looking.evict_all()
        assert looking.table(person, table.id) == table
    assert table.hands > 3


def test_a_button_that_is_pressed_twice(services: Services) -> None:
    """The second service answers as the first would: a move is stale, the next hand is the same."""
    first, second = services
    token = first.newcomer()
    person = first.person(token)
    table = first.open_table(person, "kuhn", ["kuhn-lp"])
    assert second.table(person, table.id) == table
    while not table.hand.over:
        letter, at = table.hand.choices[0].letter, {"hand": table.hand.number, "move": table.hand.move}
        table = first.act(person, table.id, letter, **at)
        with pytest.raises(Conflict):
            second.act(person, table.id, letter, **at)
        assert second.table(person, table.id) == table
    after = first.next_hand(person, table.id, hand=1)
    assert second.next_hand(person, table.id, hand=1) == after


def test_a_table_that_another_service_closed(services: Services) -> None:
    first, second = services
    person = first.person(first.newcomer())
    table = first.open_table(person, "leduc", ["always-call"])
    second.table(person, table.id)
    first.close_table(person, table.id)
    assert second.table(person, table.id).closed
    with pytest.raises(Forbidden, match="closed"):
        second.next_hand(person, table.id, hand=1)
    live, hand = second._live[table.id], second._histories.last_hand(table.id)
    _, begun = second._begin(live.row, live.rules, second._players_at(live), 2, None, live.standing)
    with pytest.raises(Forbidden, match="closed"):  # also where it was closed since the service looked
        second._histories.add_hand(live.row, begun)
    assert second._histories.last_hand(table.id) == hand


def test_a_table_with_a_hand_in_play_is_not_closed(services: Services) -> None:
    first, _ = services
    person = first.person(first.newcomer())
    table = first.open_table(person, "leduc", ["always-call"])
    with pytest.raises(Conflict, match="begun"):
        first._histories.close_table(table.id, datetime(2026, 1, 2))
    assert not first.table(person, table.id).closed


def test_sign_ins_codes_and_settings(services: Services) -> None:
    first, second = services
    token = first.newcomer()
    person = first.person(token)
    assert second.person(token) == person
    second.set_settings(person, Settings(unit="bb"))
    assert first.person(token) == person
    assert first.settings(person).unit == "bb"
    other = second.people.redeem(first.people.transfer_code(person))
    with pytest.raises(NotFound):
        first.people.redeem("AAAA-BBBB-CCCC-DDDD")
    assert first.person(other) == person
    [sign_in] = [row for row in first.people.sign_ins(person) if row.id == second.people.sign_in_of(token).id]  # type: ignore[union-attr]
    second.people.revoke(person, sign_in.id)
    with pytest.raises(Unauthenticated):
        first.person(token)
    assert first.person(other) == person
    offered = first.people.offer()
    assert second.person(offered) == 0  # signed with the key of the database


def test_newcomers_are_counted_together(services: Services) -> None:
    now = datetime(2026, 1, 2)
    for service in services:
        service.people._clock = lambda: now
    admitted = [services[place % 2].people.admit("here", 6) for place in range(8)]
    assert admitted == [True] * 6 + [False] * 2
    assert services[0].people.admit("there", 6)
    now += timedelta(seconds=10)  # one comes back
    assert [service.people.admit("here", 6) for service in services] == [True, False]
    now += timedelta(hours=1)
    assert [services[place % 2].people.admit("here", 6) for place in range(7)] == [True] * 6 + [False]


def test_moves_are_written_at_multiples_of_a_period(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another service could tell when a move is written: that does not depend on how long the opponents took."""
    first, _ = services
    person = first.person(first.newcomer())
    table = first.open_table(person, "leduc", ["always-call"])
    clock, written, first.period = [10.0], list[float](), 0.025
    module = "smoothcall.play.service"
    monkeypatch.setattr(f"{module}.monotonic", lambda: clock[0])
    monkeypatch.setattr(f"{module}.sleep", lambda seconds: clock.__setitem__(0, clock[0] + seconds))
    save = first._histories.save
    monkeypatch.setattr(first._histories, "save", lambda *given, **how: (written.append(clock[0]), save(*given, **how))[1])
    for took, seconds in ((0.003, 0.025), (0.026, 0.05)):
        began = clock[0]
        monkeypatch.setattr(f"{module}.let_opponents_act", _taking(clock, took))
        table = first.act(person, table.id, "c", hand=1, move=table.hand.move)
        assert written[-1] - began == pytest.approx(seconds)


def _taking(clock: list[float], seconds: float) -> Callable[..., None]:
    from smoothcall.play.table import let_opponents_act

    def act(*given: object) -> None:
        clock[0] += seconds
        let_opponents_act(*given)  # type: ignore[arg-type]

    return act


def test_postgresql_is_shared_and_a_file_is_not(url: str) -> None:
    service = App().play_service(url, shipped())
    assert service.shared == url.startswith("postgresql")
    service.close()

"""People: nothing is written before they play, sign-ins that end and can be ended, and a code for another browser."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest
import sqlalchemy as sql

from smoothcall.app import App
from smoothcall.errors import Forbidden, NotFound, Overloaded, StorageError, Unauthenticated
from smoothcall.play.opponents import Agents
from smoothcall.play.people import CODE_LIFE, FRESH, LIFE, NOBODY, RENEWED
from smoothcall.play.service import PlayService
from smoothcall.web.people import Newcomers
from smoothcall.web.server import create
from tests.web.browsing import AT_ONCE
from tests.web.conftest import Invite
from tests.web.visitor import Visitor

KUHN = {"game": "kuhn", "opponent-0": "kuhn-lp"}


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 1, 2)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def service(agents: Agents, clock: Clock) -> Iterator[PlayService]:
    made = App().play_service("sqlite://", agents, clock=clock, max_tables=3)
    yield made
    made.close()


def rows(service: PlayService, table: str) -> int:
    with service._histories._begin() as session:
        return int(session.execute(sql.text(f"SELECT count(*) FROM {table}")).scalar_one())


@pytest.mark.parametrize("path", ["act", "next"])
def test_a_sign_in_that_another_server_has_ended_makes_no_move(agents: Agents, runner: asyncio.Runner, path: str) -> None:
    """Programs' moves are looked up by the thread that makes them."""
    service = App().play_service("sqlite://", agents, shared=True)
    program = Visitor(create(service, schedule=AT_ONCE), runner)
    token, histories = program.token, service._histories
    table = program.post("/api/tables", json={"game": "leduc", "opponents": ["leduc-cfr"]}).json()
    move, at = {"letter": "c", "hand": 1, "move": table["hand"]["move"]}, f"/api/tables/{table['id']}"
    answer = program.post(f"{at}/act", json=move)
    assert answer.status_code == 200
    left = histories.last_hand(table["id"])
    sign_in = histories.sign_in(token)
    assert sign_in is not None
    assert histories.revoke(sign_in.person, sign_in.id)
    asked = {"hand": 1} if path == "next" else {**move, "move": answer.json()["hand"]["move"]}
    for _ in range(2):
        assert program.post(f"{at}/{path}", json=asked).status_code == 401
    assert histories.last_hand(table["id"]) == left
    service.close()


def test_visits_write_nothing(invite: Invite, service: PlayService) -> None:
    for path in ("/", "/hands", "/statistics", "/explore", "/you", "/nowhere", "/tables/x", "/api/games", "/api/nowhere"):
        invite().get(path)
    program = invite()
    token = program.post("/api/people").json()["token"]
    assert service.person(token) == NOBODY
    assert program.get("/api/tables").json() == []
    assert program.get("/api/hands").json()["total"] == 0
    assert rows(service, "people") == rows(service, "sign_ins") == 0
    answer = program.post("/api/tables", json={"game": "kuhn", "opponents": ["kuhn-lp"]})
    assert answer.status_code == 201
    assert rows(service, "people") == rows(service, "sign_ins") == 1
    assert service.table(service.person(token), answer.json()["id"]).id == answer.json()["id"]


@pytest.mark.parametrize("token", ["made-up", "made.up", ".", "é.é", "x" * 5000])
def test_tokens_that_were_not_offered(invite: Invite, service: PlayService, token: str) -> None:
    visitor = invite(headers={"Authorization": f"Bearer {token}".encode()})
    assert visitor.get("/api/tables").status_code == 401
    assert visitor.post("/api/tables", json={"game": "kuhn", "opponents": ["kuhn-lp"]}).status_code == 401
    assert rows(service, "people") == 0


def test_a_person_has_so_many_tables(invite: Invite, service: PlayService) -> None:
    visitor = invite()
    for _ in range(3):
        assert visitor.post("/tables", data=KUHN).status_code == 200
    refused = visitor.post("/tables", data=KUHN)
    assert refused.status_code == 403
    assert "3 open tables" in refused.text
    person = service.person(visitor.token)
    service.close_table(person, service.tables(person)[0].id)
    assert visitor.post("/tables", data=KUHN).status_code == 200
    with pytest.raises(Forbidden):
        service.open_table(NOBODY, "kuhn", ["kuhn-lp"])


def test_an_address_has_so_many_newcomers() -> None:
    now = [0.0]
    newcomers = Newcomers(60, lambda: now[0])
    for _ in range(60):
        newcomers.admit("here")
    with pytest.raises(Overloaded):
        newcomers.admit("here")
    newcomers.admit("there")
    now[0] += 1.0
    newcomers.admit("here")
    with pytest.raises(Overloaded):
        newcomers.admit("here")


def test_a_sign_in_lasts_while_it_is_used(service: PlayService, clock: Clock) -> None:
    token = service.newcomer()
    person = service.person(token)
    for _ in range(5):
        clock.now += LIFE - timedelta(days=1)
        assert service.person(token) == person
    clock.now += LIFE + timedelta(days=1)
    with pytest.raises(Unauthenticated, match="expired"):
        service.person(token)
    with pytest.raises(Unauthenticated):
        service.person(token)


def test_uses_are_written_once_a_day(service: PlayService, clock: Clock) -> None:
    token = service.newcomer()
    person = service.person(token)
    begun = clock.now
    clock.now += RENEWED - timedelta(hours=1)
    service.person(token)
    assert service.people.sign_ins(person)[0].seen == begun
    clock.now += timedelta(hours=2)
    service.person(token)
    assert service.people.sign_ins(person)[0].seen == clock.now


@pytest.mark.parametrize("jump", [timedelta(days=1), -timedelta(days=1)])
def test_a_clock_that_jumps_ends_no_sign_in_and_loses_no_hand(service: PlayService, clock: Clock, jump: timedelta) -> None:
    token = service.newcomer()
    person = service.person(token)
    table = service.open_table(person, "kuhn", ["kuhn-lp"])
    clock.now += jump
    assert service.person(token) == person
    while not table.hand.over:
        table = service.act(person, table.id, table.hand.choices[0].letter, hand=table.hand.number, move=table.hand.move)
        clock.now -= 2 * jump
    service.evict_all()
    assert service.table(person, table.id) == table
    assert service.next_hand(person, table.id, hand=1).hand.number == 2


def test_those_who_are_known_play_on_while_the_database_fails(
    service: PlayService, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = service.newcomer()
    person = service.person(token)
    clock.now += 2 * FRESH

    def fail(token: str) -> None:
        raise StorageError("no")

    monkeypatch.setattr(service._histories, "sign_in", fail)
    assert service.person(token) == person
    with pytest.raises(StorageError):
        service.person("somebody else's")


def test_signing_out_and_ending_another_sign_in(invite: Invite, service: PlayService, clock: Clock) -> None:
    here, there = invite(headers={"user-agent": "Mozilla Firefox/1 (X11; Linux)"}), invite()
    here.post("/tables", data=KUHN)
    person = service.person(here.token)
    text = here.post("/you/code").text
    code = text.partition("/you?code=")[2][:19]
    shown = there.page(f"/you?code={code}").form("/you/redeem")
    assert shown.fields["code"] == code
    assert there.post("/you/redeem", data=shown.fields).status_code == 200
    assert service.person(there.token) == person
    assert there.token != here.token
    assert invite().post("/you/redeem", data=shown.fields).status_code == 404  # once
    page = here.page("/you")
    assert "Firefox on Linux" in page.source
    ids = {form.fields["sign_in"] for form in page.forms if form.action == "/you/revoke"}
    assert len(ids) == 2
    stranger = invite()
    assert stranger.token
    assert {stranger.post("/you/revoke", data={"sign_in": id}).status_code for id in ids} == {404}
    other = next(row.id for row in service.people.sign_ins(person) if row.label != "Firefox on Linux")
    assert here.post("/you/revoke", data={"sign_in": str(other)}).status_code == 200
    assert there.get("/hands").status_code == 401
    own = service.people.sign_ins(person)[0].id
    assert here.post("/you/revoke", data={"sign_in": str(own)}).status_code == 200
    assert "smoothcall" not in here.client.cookies
    assert service.people.sign_ins(person) == []


def test_codes_expire_and_are_replaced(service: PlayService, clock: Clock) -> None:
    person = service.person(service.newcomer())
    first, second = service.people.transfer_code(person), service.people.transfer_code(person)
    with pytest.raises(NotFound):
        service.people.redeem(first)
    assert service.person(service.people.redeem(f" {second.lower()} ")) == person
    third = service.people.transfer_code(person)
    clock.now += CODE_LIFE + timedelta(seconds=1)
    with pytest.raises(NotFound):
        service.people.redeem(third)
    for wrong in ("", "x", "é" * 16, "A" * 16):
        with pytest.raises(NotFound):
            service.people.redeem(wrong)
    assert rows(service, "transfer_codes") == 1

"""Bad input: a clear message, the right status, and everything as it was."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from smoothcall.play.person_view import TableView
from smoothcall.play.service import PlayService
from smoothcall.web.guard import LARGEST
from smoothcall.web.server import create
from tests.web.conftest import Invite
from tests.web.visitor import HTMX, Page, Visitor

FORM = {"content-type": "application/x-www-form-urlencoded"}


class Seated:
    """Somebody at a table, in the middle of a hand."""

    def __init__(self, service: PlayService, visitor: Visitor, game: str) -> None:
        visitor.get("/")
        self.visitor, self.service, self.person = visitor, service, service.person(visitor.token)
        opponents = ["always-call"] * (2 if game.endswith("3p") else 1)
        self.table = service.open_table(self.person, game, opponents)

    @property
    def now(self) -> TableView:
        return self.service.table(self.person, self.table.id)

    def act(self, headers: dict[str, str] | None = None, **fields: object) -> httpx.Response:
        hand = self.now.hand
        data = {"hand": hand.number, "move": hand.move, "letter": "c", **fields}
        return self.visitor.post(f"/tables/{self.table.id}/act", data=data, headers=headers)

    def api(self, **fields: object) -> httpx.Response:
        hand = self.now.hand
        data = {"hand": hand.number, "move": hand.move, "letter": "c", **fields}
        return self.visitor.post(f"/api/tables/{self.table.id}/act", json=data)

    def finish(self) -> None:
        while not self.now.hand.over:
            assert self.act().status_code == 200


@pytest.fixture
def seated(service: PlayService, visitor: Visitor) -> Iterator[Seated]:
    """Whatever a test does, the hand must be where it was."""
    made = Seated(service, visitor, "no-limit-holdem")
    before = made.now
    yield made
    assert made.now == before


@pytest.mark.parametrize("letter", ["", "x", "fold", "r", "rr", "r-20", "r20.5", "r1e3", "r" + "9" * 13, "c" * 1000, "\0", "♥"])
def test_a_move_that_is_none(seated: Seated, letter: str) -> None:
    for headers in ({}, HTMX):
        answer = seated.act(headers, letter=letter)
        assert answer.status_code == 422
        page = Page(answer.text)
        assert (page.data("hand"), page.data("move")) == ("1", str(seated.table.hand.move))
        assert 'class="notice" role="alert"' in answer.text
    answer = seated.api(letter=letter)
    assert answer.status_code == 422
    assert set(answer.json()) == {"error"}


def test_a_move_that_is_not_legal_now(service: PlayService, visitor: Visitor) -> None:
    seated = Seated(service, visitor, "leduc")
    before = seated.now
    assert "nothing to call" in seated.act(letter="f").text
    assert seated.act(letter="f").status_code == 422
    assert seated.act(letter="r20").status_code == 422  # limit games have one size
    assert seated.api(letter="f").json() == {"error": "Fold: there is nothing to call, check instead."}
    assert seated.now == before


@pytest.mark.parametrize(
    "amount", ["0", "5", "101", "1000000", "9" * 400, "-20", "20.5", "2e1", "", " ", "abc", "٣٠", "NaN", "0x20"]
)
def test_an_amount_out_of_range_or_none_at_all(seated: Seated, amount: str) -> None:
    for headers in ({}, HTMX):
        answer = seated.act(headers, letter="r", amount=amount, earlier="0")
        assert answer.status_code == 422
        assert "choose from 20 to 100 chips." in answer.text


@pytest.mark.parametrize(
    ("name", "value"), [("earlier", "x"), ("earlier", "-5"), ("hand", "one"), ("move", ""), ("hand", "9" * 30)]
)
def test_a_field_that_is_not_a_number(seated: Seated, name: str, value: str) -> None:
    answer = seated.act(**{"letter": "r", "amount": "20", "earlier": "0", name: value})
    assert answer.status_code == 400
    assert f"Field &#39;{name}&#39;" in answer.text


def test_the_same_button_twice(service: PlayService, visitor: Visitor) -> None:
    seated = Seated(service, visitor, "leduc")
    first = seated.now.hand
    assert seated.act().status_code == 200
    after = seated.now
    for headers in ({}, HTMX):
        answer = seated.act(headers, hand=first.number, move=first.move)
        assert answer.status_code == 409
        assert "You already acted in another tab; here is the current hand." in answer.text
        assert Page(answer.text).data("move") == str(after.hand.move)  # and the table as it is now
    assert seated.api(hand=first.number, move=first.move).status_code == 409
    assert seated.now == after


def test_a_move_when_it_is_nobodys_turn(service: PlayService, visitor: Visitor) -> None:
    seated = Seated(service, visitor, "leduc")
    seated.finish()
    over = seated.now
    assert seated.act().status_code == 409
    assert seated.act(move=99).status_code == 409
    assert seated.act(hand=2).status_code == 409
    assert seated.now == over


def test_the_next_hand_too_early_and_twice(service: PlayService, visitor: Visitor) -> None:
    seated = Seated(service, visitor, "leduc")
    path, before = f"/tables/{seated.table.id}/next", seated.now
    early = visitor.post(path, data={"hand": "1"})
    assert early.status_code == 409
    assert "not over yet" in early.text
    assert visitor.post(f"/api{path}", json={"hand": 1}).status_code == 409
    assert seated.now == before
    seated.finish()
    assert visitor.post(path, data={"hand": "1"}).status_code == 200
    after = seated.now
    assert visitor.post(path, data={"hand": "1"}).status_code == 200
    assert visitor.post(path, data={"hand": "7"}).status_code == 409
    assert seated.now == after


@pytest.mark.parametrize("id", ["nowhere", "x" * 200, "a%00b", "%C3%A9", "1;drop table hands", "..%2F..%2Fetc"])
def test_an_unknown_table(seated: Seated, id: str) -> None:
    visitor = seated.visitor
    for path in (f"/tables/{id}", f"/tables/{id}/results", f"/api/tables/{id}", f"/api/tables/{id}/results"):
        assert visitor.get(path).status_code == 404
    fields: dict[str, Any] = {"hand": 1, "move": 0, "letter": "c"}
    assert visitor.post(f"/tables/{id}/act", data=fields).status_code == 404
    assert visitor.post(f"/tables/{id}/next", data=fields).status_code == 404
    assert visitor.post(f"/api/tables/{id}/act", json=fields).status_code == 404
    assert visitor.post(f"/api/tables/{id}/next", json=fields).status_code == 404


def test_somebody_elses_table_and_hands(seated: Seated, invite: Invite) -> None:
    other, id, hand = invite(), seated.table.id, seated.table.hand
    assert other.token
    for path in (f"/tables/{id}", f"/tables/{id}/results", f"/hands/{hand.id}", f"/hands/{hand.id}/coach"):
        theirs, nobodys = other.get(path), other.get(path.replace(id, "nowhere").replace(str(hand.id), "999999"))
        assert theirs.status_code == nobodys.status_code == 404
        assert theirs.text.replace(id, "nowhere").replace(f"hand {hand.id} ", "hand 999999 ") == nobodys.text
        assert other.get(f"/api{path}").status_code == 404
    fields: dict[str, Any] = {"hand": hand.number, "move": hand.move, "letter": "c"}
    for action in ("act", "next"):
        assert other.post(f"/tables/{id}/{action}", data=fields).status_code == 404
        assert other.post(f"/api/tables/{id}/{action}", json=fields).status_code == 404
    assert other.get("/api/tables").json() == []
    assert other.get("/api/hands").json()["total"] == 0
    assert other.get("/api/export?form=json").json()["hands"] == []


def test_no_cookie_and_an_expired_one(seated: Seated, invite: Invite) -> None:
    hand = seated.table.hand
    fields: dict[str, Any] = {"hand": hand.number, "move": hand.move, "letter": "c"}
    for cookies in ({}, {"smoothcall": "expired"}, {"smoothcall": "\xe9" * 100}):
        stranger = invite(headers={"cookie": f"smoothcall={cookies['smoothcall']}".encode("latin-1")} if cookies else {})
        for path in (f"/tables/{seated.table.id}/act", f"/tables/{seated.table.id}/next"):
            for headers in ({}, HTMX):
                answer = stranger.post(path, data=fields, headers=headers)
                assert answer.status_code == 401
                assert "Start again in the lobby" in answer.text
                assert "set-cookie" not in answer.headers
            assert stranger.post(f"/api{path}", json=fields).status_code == 401
        assert stranger.post("/api/tables", json={"game": "kuhn", "opponents": []}).status_code == 401
        assert stranger.get("/export").status_code == 401
        for path in ("/api/tables", "/api/hands", "/api/statistics", "/api/export", f"/api/hands/{hand.id}"):
            assert stranger.get(path).status_code == 401
    assert stranger.get("/hands").status_code == 401  # a cookie that was known once is not replaced behind one's back
    again = stranger.get("/")
    assert again.status_code == 200
    assert "set-cookie" not in again.headers  # nothing is written before somebody plays
    seat = stranger.post("/tables", data={"game": "kuhn", "opponent-0": "kuhn-lp"}, follow_redirects=False)
    assert seat.status_code == 303
    assert "smoothcall=" in seat.headers["set-cookie"]


def test_wrong_tokens(invite: Invite) -> None:
    for header in ("Bearer wrong", "Bearer ", "Basic dXNlcg==", "Bearer"):
        assert invite(headers={"Authorization": header}).get("/api/tables").status_code == 401


def test_a_body_that_is_too_large(seated: Seated) -> None:
    large = b"letter=c&note=" + b"x" * LARGEST
    path = f"/tables/{seated.table.id}/act"
    answer = seated.visitor.post(path, content=large, headers=FORM)
    assert answer.status_code == 413
    assert "up to 64 KB" in answer.text
    assert seated.visitor.post(f"/api{path}", content=large).json() == {
        "error": "The body is too large (accepted: up to 64 KB)."
    }

    async def pieces() -> Any:
        for _ in range(100):
            yield b"x" * 1000

    assert seated.visitor.post(path, content=pieces(), headers=FORM).status_code == 413
    huge = {**FORM, "content-length": "9" * 5000}
    assert seated.visitor.post(path, content=b"letter=c", headers=huge).status_code == 413


@pytest.mark.parametrize("length", ["-1", "L", "", "\u0663"])
def test_a_length_that_is_no_number(seated: Seated, length: str) -> None:
    headers = {**FORM, "content-length": length.encode()}
    answer = seated.visitor.post(f"/tables/{seated.table.id}/act", content=b"letter=c", headers=headers)
    assert answer.status_code == 400
    assert "accepted: a whole number" in answer.text
    assert seated.visitor.get("/api/games", headers={"content-length": b"L"}).status_code == 400


def test_a_form_that_cannot_be_read(seated: Seated) -> None:
    path = f"/tables/{seated.table.id}/act"
    for content, headers in [
        (b"letter=c", {"content-type": "multipart/form-data; boundary=x"}),
        (b"letter=c", {"content-type": "text/plain"}),
        (b"\xff\xfe", FORM),
        (b"&".join(b"a%d=1" % k for k in range(500)), FORM),
        (b"", FORM),
    ]:
        assert seated.visitor.post(path, content=content, headers=headers).status_code == 400


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'"c"',
        b"\xff",
        b"[" * 5000,
        b'{"letter": 1, "hand": 1, "move": 0}',
        b'{"letter": "\\ud800", "hand": 1, "move": 0}',
        b'{"letter": "c", "hand": 1e400, "move": 0}',
        b'{"letter": "c", "hand": -1, "move": 0}',
        b'{"letter": "c", "hand": true, "move": 0}',
    ],
)
def test_json_that_is_not_a_move(seated: Seated, body: bytes) -> None:
    headers = {"content-type": "application/json"}
    answer = seated.visitor.post(f"/api/tables/{seated.table.id}/act", content=body, headers=headers)
    assert answer.status_code in (400, 422)
    assert set(answer.json()) == {"error"}


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://[x"},
        {"Origin": "http://localhost:9999"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost"},
    ],
)
def test_another_sites_form(seated: Seated, headers: dict[str, str]) -> None:
    answer = seated.act(headers)
    assert answer.status_code == 403
    assert "another site" in answer.text
    assert seated.visitor.post("/api/people", headers=headers).status_code == 403
    assert seated.visitor.post("/tables", data={"game": "kuhn", "opponent-0": "probe"}, headers=headers).status_code == 403
    assert len(seated.service.tables(seated.person)) == 1


def test_our_own_form(service: PlayService, visitor: Visitor) -> None:
    seated = Seated(service, visitor, "kuhn")
    assert seated.act({"Origin": "http://localhost", "Sec-Fetch-Site": "same-origin"}).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8000", "localhost.evil.example", "", "127.0.0.1.evil.example", "[evil]"]
)
def test_another_name_for_this_machine(seated: Seated, host: str) -> None:
    for path in ("/", "/api/games", f"/tables/{seated.table.id}"):
        answer = seated.visitor.get(path, headers={"Host": host})
        assert answer.status_code == 400
        assert "does not answer to the name" in answer.text
        assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("host", ["localhost:8000", "LOCALHOST", "127.0.0.1:80", "[::1]:8000", "192.168.1.7"])
def test_names_and_addresses_we_answer_to(visitor: Visitor, host: str) -> None:
    assert visitor.get("/api/games", headers={"Host": host}).status_code == 200


def test_hosts_are_the_servers_to_choose(service: PlayService, runner: asyncio.Runner) -> None:
    def status(app: FastAPI) -> int:
        return Visitor(app, runner).get("/api/games", headers={"Host": "poker.example"}).status_code

    assert status(create(service, hosts=["poker.example"])) == 200
    assert status(create(service, hosts=["*"])) == 200
    assert status(create(service, hosts=["localhost"])) == 400


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/?game=chess", 400),
        ("/nowhere", 404),
        ("/hands?page=0", 404),
        ("/hands?page=999999", 404),
        ("/hands?page=x", 404),
        ("/hands?since=yesterday", 400),
        ("/hands?until=2025-13-01", 400),
        ("/hands?result=drawn", 400),
        ("/hands?showdown=maybe", 400),
        ("/hands?table=a%00b", 400),
        ("/hands?opponent=" + "x" * 1000, 400),
        ("/statistics?since=0", 400),
        ("/export?form=pdf", 400),
        ("/hands/0", 404),
        ("/hands/-1", 404),
        ("/hands/x", 404),
        ("/hands/99999999999999999999", 404),
        ("/hands/99999999999999999999/coach", 404),
        ("/explore/nobody", 404),
        ("/explore/..%2f..%2fetc", 404),
        ("/explore/always-call", 400),
        ("/explore/leduc-cfr?at=zzz", 400),
        ("/explore/leduc-cfr?at=f", 422),
        ("/explore/leduc-cfr?at=%00", 400),
        ("/api/hands/x", 422),
        ("/api/hands/-1", 422),
        ("/api/hands/99999999999999999999", 422),
        ("/api/hands?page=0", 422),
        ("/api/hands?since=x", 422),
        ("/api/hands?since=0", 422),
        ("/api/agents?game=chess", 400),
        ("/api/explore/nobody", 404),
        ("/api/explore/leduc-cfr?at=f", 422),
        ("/api/export?form=pdf", 422),
        ("/tables", 405),
        ("/api/tables/x/act", 405),
    ],
)
def test_addresses_that_make_no_sense(visitor: Visitor, path: str, status: int) -> None:
    assert visitor.token
    for headers in ({}, HTMX):
        answer = visitor.get(path, headers=headers)
        assert answer.status_code == status, answer.text
        if path.startswith("/api"):
            assert set(answer.json()) == {"error"}
        else:
            assert 'role="alert"' in answer.text
            assert ("<html" in answer.text) == (not headers)


def test_a_step_beyond_the_hand(seated: Seated) -> None:
    for step in ("99", "-1", "x"):
        assert seated.visitor.get(f"/hands/{seated.table.hand.id}?step={step}").status_code == 404


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"game": "chess"},
        {"game": "leduc"},
        {"game": "leduc", "opponent-0": "nobody"},
        {"game": "leduc", "opponent-0": "kuhn-lp"},
        {"game": "leduc", "opponent-0": "leduc-smooth-uct", "snapshot-0-leduc-smooth-uct": "99"},
        {"game": "leduc", "opponent-0": "leduc-smooth-uct", "snapshot-0-leduc-smooth-uct": "-1"},
        {"game": "leduc", "opponent-0": "../../etc/passwd"},
        {"game": "kuhn-3p", "opponent-0": "probe"},
    ],
)
def test_a_table_that_cannot_be_opened(visitor: Visitor, service: PlayService, fields: dict[str, str]) -> None:
    assert visitor.token
    answer = visitor.post("/tables", data=fields)
    assert answer.status_code == 400
    assert "Traceback" not in answer.text
    opponents = [value for name, value in fields.items() if name.startswith("opponent")]
    if "game" in fields and not any(name.startswith("snapshot") for name in fields):
        assert visitor.post("/api/tables", json={"game": fields["game"], "opponents": opponents}).status_code == 400
    assert service.tables(service.person(visitor.token)) == []


def test_what_people_write_is_shown_as_text(visitor: Visitor) -> None:
    assert visitor.token
    evil = "<script>alert(1)</script>"
    for path in (
        f"/?game={evil}",
        f"/tables/{evil}",
        f"/explore/{evil}",
        f"/hands?table={evil}",
        f"/explore/leduc-cfr?at={evil}",
    ):
        assert "<script>alert" not in visitor.get(path).text

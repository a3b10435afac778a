"""The JSON API: enough to play, and described completely."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import httpx
import pytest
from fastapi import FastAPI, HTTPException
from pydantic import TypeAdapter

from smoothcall.errors import StorageError
from smoothcall.play.coach import Review
from smoothcall.play.explorer import Spot
from smoothcall.play.history import Page
from smoothcall.play.opponents import AgentCard, Agents
from smoothcall.play.person_view import HandView, Results, TableView
from smoothcall.play.service import PlayService
from smoothcall.play.stakes import PLAY_GAMES
from smoothcall.play.statistics import Statistics
from smoothcall.store.deadlines import Stopped
from smoothcall.store.records import Filter
from smoothcall.web.docs import EXAMPLE, operations
from tests.web.conftest import Invite
from tests.web.visitor import Visitor


@pytest.fixture
def client(invite: Invite) -> Visitor:
    """A program with a token and without a cookie."""
    made = invite()
    answer = made.post("/api/people")
    assert answer.status_code == 201
    made.client.cookies.clear()
    made.headers["Authorization"] = f"Bearer {answer.json()['token']}"
    return made


def read(kind: Any, answer: httpx.Response, status: int = 200) -> Any:
    """An answer as what it says it is, nothing missing and nothing more."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/json"
    adapter = TypeAdapter(kind)
    found = adapter.validate_json(answer.content)
    assert json.loads(adapter.dump_json(found)) == answer.json()
    return found


def open_table(client: Visitor, game: str, agents: Agents) -> TableView:
    seats = next(each["seats"] for each in client.get("/api/games").json() if each["game"] == game)
    opponents = [agents.cards(game)[0].id] * (seats - 1)
    return read(TableView, client.post("/api/tables", json={"game": game, "opponents": opponents}), 201)


def play_hand(client: Visitor, table: TableView, random: Random) -> TableView:
    while not table.hand.over:
        choice = random.choice(table.hand.choices)
        letter = choice.letter if choice.low is None else f"r{random.randint(choice.low, choice.high or choice.low)}"
        move = {"letter": letter, "hand": table.hand.number, "move": table.hand.move}
        table = read(TableView, client.post(f"/api/tables/{table.id}/act", json=move))
    return table


@pytest.mark.parametrize("game", PLAY_GAMES)
def test_a_program_plays_every_game(client: Visitor, agents: Agents, service: PlayService, game: str) -> None:
    random = Random(1)
    table = open_table(client, game, agents)
    for number in (1, 2, 3):
        table = play_hand(client, table, random)
        assert (table.hand.number, table.hands) == (number, number)
        table = read(TableView, client.post(f"/api/tables/{table.id}/next", json={"hand": number}))
    assert read(TableView, client.get(f"/api/tables/{table.id}")) == table
    assert read(list[TableView], client.get("/api/tables")) == [table]
    assert service.table(service.person(client.headers["Authorization"].split()[1]), table.id) == table


def test_what_became_of_it(client: Visitor, agents: Agents) -> None:
    table = play_hand(client, open_table(client, "leduc", agents), Random(2))
    found = read(Page, client.get("/api/hands"))
    assert [line.id for line in found.hands] == [table.hand.id]
    assert read(Page, client.get("/api/hands", params={"game": "kuhn"})).total == 0
    steps = read(list[HandView], client.get(f"/api/hands/{table.hand.id}"))
    assert steps[-1] == table.hand
    assert read(Results, client.get(f"/api/tables/{table.id}/results")).won == table.won
    assert read(Statistics, client.get("/api/statistics")).hands == 1
    assert read(Review, client.get(f"/api/hands/{table.hand.id}/coach")).decisions
    assert len(client.get("/api/export?form=json").json()["hands"]) == 1
    assert client.get("/api/export?form=phh&game=kuhn").status_code == 200


def test_the_lobby_and_the_explorer_need_no_token(visitor: Visitor, agents: Agents) -> None:
    assert [each["game"] for each in visitor.get("/api/games").json()] == list(PLAY_GAMES)
    cards = read(list[AgentCard], visitor.get("/api/agents?game=leduc"))
    assert cards == agents.cards("leduc")
    spot = read(Spot, visitor.get("/api/explore/leduc-cfr?at=cr"))
    assert spot.betting == "cr"
    assert "set-cookie" not in visitor.get("/api/games").headers


def test_the_explorer_is_closed_during_a_hand_with_that_agent(client: Visitor, agents: Agents) -> None:
    table = open_table(client, "leduc", agents)
    assert client.get(f"/api/explore/{table.opponents[0].id}").status_code == 403
    play_hand(client, table, Random(3))
    assert client.get(f"/api/explore/{table.opponents[0].id}").status_code == 200


def test_cookie_and_bearer_are_the_same_person(invite: Invite, agents: Agents) -> None:
    browser = invite()
    token = browser.post("/api/people").json()["token"]
    table = open_table(browser, "kuhn", agents)  # by the cookie that came with it
    program = invite(headers={"Authorization": f"Bearer {token}"})
    assert program.get(f"/api/tables/{table.id}").status_code == 200
    assert f"/tables/{table.id}" in browser.page("/").links


def test_the_document_describes_every_answer(app: FastAPI, visitor: Visitor) -> None:
    document = visitor.get("/api/openapi.json").json()
    assert document == app.openapi()
    paths = {(path, method) for path, methods in document["paths"].items() for method in methods}
    assert paths == {
        ("/api/people", "post"),
        ("/api/games", "get"),
        ("/api/agents", "get"),
        ("/api/tables", "get"),
        ("/api/tables", "post"),
        ("/api/tables/{id}", "get"),
        ("/api/tables/{id}/act", "post"),
        ("/api/tables/{id}/next", "post"),
        ("/api/tables/{id}/close", "post"),
        ("/api/tables/{id}/results", "get"),
        ("/api/settings", "get"),
        ("/api/settings", "put"),
        ("/api/hands", "get"),
        ("/api/hands/{id}", "get"),
        ("/api/hands/{id}/coach", "get"),
        ("/api/statistics", "get"),
        ("/api/export", "get"),
        ("/api/explore/{agent}", "get"),
    }
    assert "HTTPValidationError" not in json.dumps(document)
    for path, method in paths:
        about = document["paths"][path][method]
        assert about["description"], path
        for status, answer in about["responses"].items():
            schemas = [content.get("schema") for content in answer["content"].values()]
            assert all(schemas) or path == "/api/export", (path, status)
            if int(status) >= 400:
                assert schemas == [{"$ref": "#/components/schemas/Problem"}]
        assert ("401" in about["responses"]) == bool(about.get("security")) or path.startswith("/api/explore"), path
        assert {"400", "413", "422", "500", "503"} <= set(about["responses"]), path  # any request may have a body


def test_the_page_of_the_document(visitor: Visitor, app: FastAPI) -> None:
    text = visitor.page("/api/docs").source
    for operation in operations(app.openapi()):
        assert f"<code>{operation.path}</code>" in text
    assert "http://localhost" in text
    assert "TableView" in text


def test_the_example_plays_a_hand(visitor: Visitor, service: PlayService, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.setattr(httpx, "Client", lambda base_url: visitor)
    exec(EXAMPLE.format(base="http://localhost"), {})
    assert "You are dealt" in capsys.readouterr().out
    assert service.hands(service.person(visitor.token), Filter()).total == 1


@pytest.mark.parametrize(
    ("error", "status"), [(Stopped(), 503), (HTTPException(418), 418), (StorageError("the disk is full"), 503)], ids=repr
)
def test_errors_of_moves_are_answered_by_the_same_handlers(
    client: Visitor, agents: Agents, monkeypatch: pytest.MonkeyPatch, error: Exception, status: int
) -> None:
    table = open_table(client, "kuhn", agents)

    def fails(*arguments: Any, **options: Any) -> None:
        raise error

    monkeypatch.setattr(PlayService, "act", fails)
    for kind in ("application/json", "application/json; charset=utf-8"):
        sent = json.dumps({"letter": "c", "hand": 1, "move": 0})
        answer = client.post(f"/api/tables/{table.id}/act", content=sent, headers={"content-type": kind})
        assert answer.status_code == status


@pytest.mark.parametrize(
    "body",
    [
        {"letter": "x", "hand": 1, "move": 0},
        {"letter": "c", "hand": 1},
        {"letter": "c", "hand": 1.0, "move": 0},
        {"letter": "c" * 15, "hand": 1, "move": 0},
        {"letter": "c", "hand": 9, "move": 0},
        {"letter": "c", "hand": 10**10, "move": 0},
        [],
        None,
    ],
)
def test_moves_are_refused_alike_by_the_short_way_and_by_the_routes(client: Visitor, agents: Agents, body: Any) -> None:
    table, sent = open_table(client, "kuhn", agents), json.dumps(body)
    for path in (f"/api/tables/{table.id}/act", f"/api/tables/{table.id}/next", "/api/tables/unknown/act"):
        short, routed = (
            client.post(path, content=sent, headers={"content-type": kind})
            for kind in ("application/json", "application/json; charset=utf-8")
        )
        assert (short.status_code, short.json()) == (routed.status_code, routed.json())
        assert short.status_code >= 400
        assert dict(short.headers) | {"date": ""} == dict(routed.headers) | {"date": ""}

"""The JSON API for programs that play, over the same play service as the pages."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query
from fastapi.security import APIKeyCookie, HTTPBearer
from pydantic import BaseModel, Field, TypeAdapter
from starlette.requests import Request
from starlette.responses import Response

from smoothcall.play.agent_cards import AgentCard
from smoothcall.play.coach import Review
from smoothcall.play.explorer import Spot
from smoothcall.play.history import Page
from smoothcall.play.person_view import HandView, Results, TableView
from smoothcall.play.service import MAX_FREEZEOUTS
from smoothcall.play.settings import Settings, read_settings
from smoothcall.play.stakes import PLAY_GAMES
from smoothcall.play.statistics import Statistics
from smoothcall.web import pages
from smoothcall.web.explore import LONGEST, look
from smoothcall.web.forms import Filters, PagedFilters, Text
from smoothcall.web.hands import LAST_ID, MEDIA, download
from smoothcall.web.lobby import seats_of
from smoothcall.web.people import player
from smoothcall.web.workers import read, work, write

Count = Annotated[int, Field(ge=0, le=10**9, strict=True)]


class Problem(BaseModel):
    """What went wrong, in one sentence."""

    error: str


class Welcome(BaseModel):
    """A new person. Keep the token: it is the only key to your tables and hands."""

    token: str


class GameInfo(BaseModel):
    """A game that you can play."""

    game: str
    title: str
    seats: int


class NewTable(BaseModel):
    """A table to open: a game, and an opponent for every other seat."""

    game: Annotated[Text, Field(examples=["leduc"])]
    opponents: Annotated[
        list[Text],
        Field(
            max_length=9,
            examples=[["always-call"]],
            description="Ids of agents; append `:greedy` for the most likely actions, `:search` for search in the hand.",
        ),
    ]
    freezeouts: Annotated[
        int,
        Field(
            ge=0,
            le=MAX_FREEZEOUTS,
            strict=True,
            description="A match of so many freezeouts: chips carry over until one player has none, in "
            "no-limit-holdem-32 for ten hands at most. 0: full stacks in every hand.",
        ),
    ] = 0
    cash: Annotated[
        bool,
        Field(strict=True, description="A cash game (no-limit): chips carry over, and whoever has none buys in again."),
    ] = False


class Move(BaseModel):
    """A move in the hand of this number, chosen when so many moves had been made in it."""

    letter: Annotated[
        str,
        Field(
            max_length=14,
            examples=["c"],
            description="`f` fold, `c` check or call, `r` bet or raise; no-limit: `r` with the total chips in the hand: `r40`.",
        ),
    ]
    hand: Annotated[Count, Field(description="`hand.number` of the table.")]
    move: Annotated[Count, Field(description="`hand.move` of the table; with any other number the move comes too late.")]


class Next(BaseModel):
    """Deal the hand after the one of this number, which must be over. Repeating the request changes nothing."""

    hand: Annotated[Count, Field(ge=1)]
    rebuy: Annotated[bool, Field(strict=True, description="At a cash table: buy in for a full stack.")] = False


class SettingsBody(BaseModel):
    """A person's settings; those that are not given have their defaults."""

    unit: Literal["chips", "bb"] = "chips"
    deck: Literal["four", "two"] = "four"
    speed: Literal["instant", "normal", "slow"] = "normal"
    sound: Literal["off", "on"] = "off"
    deal: Literal["press", "auto"] = "press"


_MEANINGS = {
    400: "The request is not accepted; the sentence says why.",
    401: "There is no token, or it is unknown or has expired.",
    403: "Not during a hand, not after the end of a match, not at a closed table, or not from a page of another site.",
    404: "You have no such table, hand or page.",
    409: "You already acted elsewhere: request the table again.",
    413: "The body is larger than 64 KB.",
    422: "The move is not legal, or a field is missing or malformed.",
    500: "An error of the server.",
    503: "The database or the server is busy; `Retry-After` says when to try again.",
}


def _problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    return {status: {"model": Problem, "description": _MEANINGS[status]} for status in (400, *statuses, 413, 422, 500, 503)}


_bearer = HTTPBearer(auto_error=False, description="The token that `POST /api/people` gave.")
_cookie = APIKeyCookie(name=pages.COOKIE, auto_error=False, description="The same token, as browsers keep it.")
router = APIRouter(prefix="/api")
ours = APIRouter(prefix="/api", dependencies=[Depends(_bearer), Depends(_cookie)])
HandId = Annotated[int, Field(ge=0, le=LAST_ID)]


def _json(kind: Any) -> Any:
    """Return a function that writes one type as JSON without validating it again: mypy has checked the type."""
    return TypeAdapter(kind).dump_json


_write_table, _write_tables = _json(TableView), _json(list[TableView])
_write_hand, _write_page, _write_review = _json(tuple[HandView, ...]), _json(Page), _json(Review)
_write_results, _write_statistics, _write_spot = _json(Results), _json(Statistics), _json(Spot)
_write_settings = _json(Settings)


def _answer(body: bytes, status: int = 200) -> Response:
    return Response(body, status, media_type="application/json")


@router.post("/people", status_code=201, response_model=Welcome, responses=_problems(403), tags=["People"])
async def begin(request: Request) -> Response:
    """Get a token (and a cookie with it). You are added to the people here when you first sit down."""
    token = await read(request, pages.service(request).people.offer)
    response = _answer(Welcome(token=token).model_dump_json().encode(), 201)
    pages.give_cookie(request, response, token)
    return response


@router.get("/games", responses=_problems(), tags=["Lobby"])
async def games() -> list[GameInfo]:
    """The games that you can play."""
    return [GameInfo(game=spec, title=title, seats=seats_of(spec)) for spec, title in PLAY_GAMES.items()]


@router.get("/agents", responses=_problems(), tags=["Lobby"])
async def agents(
    request: Request, game: Annotated[Text | None, Query(description="Only those who play this game.")] = None
) -> list[AgentCard]:
    """All opponents: agents and scripted players."""
    return await read(request, pages.service(request).agents.cards, game)


@ours.post("/tables", status_code=201, response_model=TableView, responses=_problems(401, 403), tags=["Playing"])
async def open_table(request: Request, body: NewTable) -> Response:
    """Open a table; its first hand is dealt."""
    service, person = pages.service(request), await player(request)
    opened = partial(service.open_table, person, body.game, body.opponents, freezeouts=body.freezeouts, cash=body.cash)
    return _answer(_write_table(await pages.opened(request, person, opened)), 201)


@ours.get("/tables", response_model=list[TableView], responses=_problems(401), tags=["Playing"])
async def tables(request: Request) -> Response:
    """Your tables, the latest first."""
    return _answer(_write_tables(await read(request, pages.service(request).tables, pages.person(request))))


@ours.get("/tables/{id}", response_model=TableView, responses=_problems(401, 404), tags=["Playing"])
async def table(request: Request, id: str) -> Response:
    """A table as you see it."""
    pages.person(request)
    return _answer(_write_table(await pages.table_of(request, pages.table_id(id))))


@ours.post("/tables/{id}/act", response_model=TableView, responses=_problems(401, 403, 404, 409), tags=["Playing"])
async def act(request: Request, id: str, body: Move) -> Response:
    """Make a move. The response comes when it is your turn again, or when the hand is over."""
    service, person, id = pages.service(request), pages.person(request), pages.table_id(id)
    move = partial(service.act, person, id, body.letter, hand=body.hand, move=body.move)
    return _answer(_write_table(await pages.at_table(request, id, move)))


@ours.post("/tables/{id}/next", response_model=TableView, responses=_problems(401, 403, 404, 409), tags=["Playing"])
async def next_hand(request: Request, id: str, body: Next) -> Response:
    """Deal the next hand."""
    service, person, id = pages.service(request), pages.person(request), pages.table_id(id)
    next_one = partial(service.next_hand, person, id, hand=body.hand, rebuy=body.rebuy)
    return _answer(_write_table(await pages.at_table(request, id, next_one)))


@ours.post("/tables/{id}/close", response_model=TableView, responses=_problems(401, 403, 404, 409), tags=["Playing"])
async def close(request: Request, id: str) -> Response:
    """Leave a table for good: your hand is folded, and the hands played stay in the history."""
    service, person = pages.service(request), pages.person(request)
    id = pages.table_id(id)
    return _answer(_write_table(await pages.at_table(request, id, partial(service.close_table, person, id))))


@ours.get("/settings", response_model=SettingsBody, responses=_problems(401), tags=["People"])
async def settings(request: Request) -> Response:
    """Your settings."""
    return _answer(_write_settings(await read(request, pages.service(request).settings, pages.person(request))))


@ours.put("/settings", response_model=SettingsBody, responses=_problems(401, 403), tags=["People"])
async def set_settings(request: Request, body: SettingsBody) -> Response:
    """Change your settings."""
    person, chosen = pages.person(request), read_settings(body.model_dump())
    await write(request, pages.service(request).set_settings, person, chosen)
    return _answer(_write_settings(chosen))


@ours.get("/tables/{id}/results", response_model=Results, responses=_problems(401, 404), tags=["Playing"])
async def results(request: Request, id: str) -> Response:
    """Your results at a table, raw and luck-adjusted (AIVAT)."""
    service, person = pages.service(request), pages.person(request)
    return _answer(_write_results(await work(request, service.results, person, pages.table_id(id))))


@ours.get("/hands", response_model=Page, responses=_problems(401, 404), tags=["History"])
async def hands(request: Request, chosen: Annotated[PagedFilters, Query()]) -> Response:
    """Your finished hands, the latest first."""
    service, person = pages.service(request), pages.person(request)
    return _answer(_write_page(await work(request, lambda: service.hands(person, chosen.filter, page=chosen.page))))


@ours.get("/hands/{id}", response_model=list[HandView], responses=_problems(401, 404), tags=["History"])
async def hand(request: Request, id: HandId) -> Response:
    """A hand as you saw it, one view per step."""
    return _answer(_write_hand(await read(request, pages.service(request).hand, pages.person(request), id)))


@ours.get("/hands/{id}/coach", response_model=Review, responses=_problems(401, 403, 404), tags=["History"])
async def coach(request: Request, id: HandId, longer: bool = False) -> Response:
    """The EV of each of your decisions in a finished hand. `longer`: in hold'em, from more boards, with the turn solved."""
    service, person = pages.service(request), pages.person(request)
    return _answer(_write_review(await work(request, lambda: service.coach(person, id, longer=longer))))


@ours.get("/statistics", response_model=Statistics, responses=_problems(401), tags=["History"])
async def statistics(request: Request, chosen: Annotated[Filters, Query()]) -> Response:
    """Your statistics, one game and stake at a time."""
    service, person = pages.service(request), pages.person(request)
    return _answer(_write_statistics(await work(request, service.statistics, person, chosen.filter)))


@ours.get(
    "/export",
    response_class=Response,
    responses={200: {"content": {kind: {} for kind in MEDIA.values()}}, **_problems(401)},
    tags=["History"],
)
async def export(request: Request, chosen: Annotated[Filters, Query()], form: Literal["phh", "json"] = "phh") -> Response:
    """Your finished hands as a file; cards you were not shown are not in it."""
    service, person = pages.service(request), pages.person(request)
    return await download(request, await read(request, service.export_pieces, person, chosen.filter, form), form)


@router.get("/explore/{agent}", response_model=Spot, responses=_problems(401, 403, 404), tags=["Explorer"])
async def explore(
    request: Request,
    agent: str,
    at: Annotated[str, Query(max_length=LONGEST, description="The betting that leads there, as in keys: `crrc/r`.")] = "",
) -> Response:
    """An agent's strategy at a spot. No token is needed; with one, not while you are in a hand with the agent."""
    person = None if pages.token_of(request) is None else pages.person(request)
    _, spot = await work(request, look, pages.service(request), person, agent, at)
    return _answer(_write_spot(spot))

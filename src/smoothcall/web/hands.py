"""The history: finished hands by filters, one of them step by step, what the coach says of it, and the file of many."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from urllib.parse import urlencode

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from smoothcall.errors import NotFound, UsageError
from smoothcall.play.opponents import PLAY_GAMES
from smoothcall.store.records import Filter
from smoothcall.web import pages

router = APIRouter(include_in_schema=False)
FIELDS = ("game", "table", "opponent", "since", "until", "result", "showdown")
MEDIA = {"phh": "application/toml; charset=utf-8", "json": "application/json"}
LAST_ID = 2**31 - 1


@router.get("/hands")
async def history(request: Request) -> Response:
    person, service, given = pages.visitor(request), pages.service(request), chosen(request.query_params)
    number = page_of(request.query_params.get("page"))
    found = await run_in_threadpool(lambda: service.hands(person, filter_of(given), page=number))
    return pages.render(
        request,
        "hands.html",
        page="hands",
        found=found,
        chosen=given,
        query=urlencode(given),
        games=PLAY_GAMES,
        cards=service.agents.cards(),
        holdem=any(len(line.cards) == 2 for line in found.hands),  # PHH has no name for the other games
    )


@router.get("/hands/{id}")
async def one(request: Request, id: str) -> Response:
    person, service, number = pages.visitor(request), pages.service(request), hand_id(id)
    steps = await run_in_threadpool(service.hand, person, number)
    text = request.query_params.get("step", str(len(steps) - 1))
    if not (text.isascii() and text.isdigit() and len(text) <= 6 and int(text) < len(steps)):
        raise NotFound(f"step {text[:20]!r} of this hand (accepted: 0 to {len(steps) - 1})")
    step = int(text)
    template = "_hand.html" if pages.wants_fragment(request) else "hand.html"
    hand, last = steps[step], steps[-1]
    new = len(hand.events) - len(steps[step - 1].events) if step else len(hand.events)
    return pages.render(
        request,
        template,
        page="hands",
        hand=hand,
        events=last.events,
        done=len(hand.events),
        new=new,
        step=step,
        steps=len(steps) - 1,
        over=last.over,
        others=(*hand.seats[hand.seat + 1 :], *hand.seats[: hand.seat]),
    )


@router.get("/hands/{id}/coach")
async def coach(request: Request, id: str) -> Response:
    person, service, number = pages.visitor(request), pages.service(request), hand_id(id)
    steps = await run_in_threadpool(service.hand, person, number)
    review = await run_in_threadpool(service.coach, person, number)
    return pages.render(request, "coach.html", page="hands", review=review, hand=steps[-1])


@router.get("/export")
async def export(request: Request, form: str = "phh") -> Response:
    person, service = pages.person(request), pages.service(request)
    wanted = filter_of(chosen(request.query_params))
    text = await run_in_threadpool(service.export, person, wanted, form)
    return download(text, form)


def download(text: str, form: str) -> Response:
    name = f'attachment; filename="smoothcall-hands.{"phhs" if form == "phh" else form}"'
    return Response(text, media_type=MEDIA[form], headers={"content-disposition": name})


def chosen(given: Mapping[str, str]) -> dict[str, str]:
    """The filters that say something."""
    return {name: given[name].strip() for name in FIELDS if given.get(name, "").strip()}


def filter_of(given: Mapping[str, str]) -> Filter:
    if given.get("result") not in (None, "won", "lost"):
        raise UsageError(f"result {given['result'][:40]!r} (accepted: won, lost)")
    if given.get("showdown") not in (None, "yes", "no"):
        raise UsageError(f"showdown {given['showdown'][:40]!r} (accepted: yes, no)")
    for name in ("game", "table", "opponent"):
        if "\0" in given.get(name, "") or len(given.get(name, "")) > 300:
            raise UsageError(f"{name} {given[name][:40]!r} (accepted: up to 300 characters, none of them 0)")
    return Filter(
        game=given.get("game"),
        table=given.get("table"),
        opponent=given.get("opponent"),
        since=_date(given, "since"),
        until=_date(given, "until"),
        result=given.get("result"),
        showdown=given["showdown"] == "yes" if "showdown" in given else None,
    )


def _date(given: Mapping[str, str], name: str) -> date | None:
    text = given.get(name)
    if text is None:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise UsageError(f"{name} {text[:40]!r} (accepted: a date such as 2025-01-31)") from None


def page_of(text: str | None) -> int:
    if text is None or text == "":
        return 1
    if not (text.isascii() and text.isdigit() and len(text) <= 9):
        raise NotFound(f"page {text[:40]!r} (accepted: a whole number from 1)")
    return int(text)


def hand_id(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 10 and int(text) <= LAST_ID):
        raise NotFound(f"there is no hand {text[:40]!r} of yours")
    return int(text)

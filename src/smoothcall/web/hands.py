"""The history: finished hands by filters, one of them step by step, what the coach says of it, and the file of many."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import aclosing
from urllib.parse import urlencode

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from smoothcall.errors import NotFound
from smoothcall.play.stakes import PLAY_GAMES
from smoothcall.web import pages
from smoothcall.web.forms import Filters, validate
from smoothcall.web.workers import read, work, workers

router = APIRouter(include_in_schema=False)
MEDIA = {"phh": "application/toml; charset=utf-8", "json": "application/json"}
LAST_ID = 2**31 - 1


@router.get("/hands")
async def history(request: Request) -> Response:
    person, service, given = pages.visitor(request), pages.service(request), chosen(request.query_params)
    number = page_of(request.query_params.get("page"))
    found = await work(request, lambda: service.hands(person, validate(Filters, given).filter, page=number))
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
    steps = await read(request, service.hand, person, number)
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
        links=await read(request, service.links, person, number),
        others=(*hand.seats[hand.seat + 1 :], *hand.seats[: hand.seat]),
    )


@router.get("/hands/{id}/coach")
async def coach(request: Request, id: str, longer: str = "") -> Response:
    """`longer=yes`: a longer computation, from more boards in hold'em."""
    person, service, number = pages.visitor(request), pages.service(request), hand_id(id)
    steps = await read(request, service.hand, person, number)
    review = await work(request, lambda: service.coach(person, number, longer=longer == "yes"))
    links = await read(request, service.links, person, number)
    template = "_review.html" if pages.wants_fragment(request) else "coach.html"
    return pages.render(request, template, page="hands", review=review, hand=steps[-1], links=links)


@router.get("/export")
async def export(request: Request, form: str = "phh") -> Response:
    person, service = pages.person(request), pages.service(request)
    wanted = validate(Filters, request.query_params).filter
    return await download(request, await read(request, service.export_pieces, person, wanted, form), form)


async def download(request: Request, pieces: Iterator[str], form: str) -> Response:
    """Return a file that is sent while it is made. The first piece comes before the status, so that errors have one."""
    name = f'attachment; filename="smoothcall-hands.{"phhs" if form == "phh" else form}"'
    stream = workers(request).stream(request, pieces)
    first = await anext(stream)

    async def whole() -> AsyncIterator[bytes]:
        async with aclosing(stream):  # type: ignore[type-var]
            yield first
            async for piece in stream:
                yield piece

    return StreamingResponse(whole(), media_type=MEDIA[form], headers={"content-disposition": name})


def chosen(given: Mapping[str, str]) -> dict[str, str]:
    """Return the filters that are not blank."""
    return {name: given[name].strip() for name in Filters.model_fields if given.get(name, "").strip()}


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

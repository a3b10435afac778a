"""How somebody plays, in figures and pictures."""

from __future__ import annotations

from urllib.parse import urlencode

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from smoothcall.play.opponents import PLAY_GAMES
from smoothcall.play.person_view import Figure
from smoothcall.web import pages
from smoothcall.web.drawing import chart
from smoothcall.web.forms import Filters, validate
from smoothcall.web.hands import chosen

router = APIRouter(include_in_schema=False)


@router.get("/statistics")
async def statistics(request: Request) -> Response:
    person, service, given = pages.visitor(request), pages.service(request), chosen(request.query_params)
    found = await run_in_threadpool(service.statistics, person, validate(Filters, given).filter)
    reach = max((_reach(line.raw) for line in found.by_game), default=1.0)
    return pages.render(
        request,
        "statistics.html",
        page="statistics",
        found=found,
        chart=chart(found.curve, width=720, height=240) if found.hands else None,
        reach=reach,
        chosen=given,
        query=urlencode(given),
        games=PLAY_GAMES,
        cards=service.agents.cards(),
    )


def _reach(figure: Figure | None) -> float:
    """How far an interval goes from zero, for the scale of a picture of many."""
    return 1.0 if figure is None else abs(figure.mean) + (figure.half_width or 0.0)

"""Statistics of a person, one game and stake at a time."""

from __future__ import annotations

from urllib.parse import urlencode

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from smoothcall.play.stakes import PLAY_GAMES
from smoothcall.play.statistics import GameStatistics
from smoothcall.web import pages
from smoothcall.web.drawing import chart
from smoothcall.web.forms import Filters, validate
from smoothcall.web.hands import chosen
from smoothcall.web.workers import work

router = APIRouter(include_in_schema=False)


@router.get("/statistics")
async def statistics(request: Request) -> Response:
    person, service, given = pages.visitor(request), pages.service(request), chosen(request.query_params)
    found = await work(request, service.statistics, person, validate(Filters, given).filter)
    pictures = [chart(game.curve, game.luck_adjusted_curve, 720, 240, hands=game.hands) for game in found.games]
    return pages.render(
        request,
        "statistics.html",
        page="statistics",
        found=found,
        shown=[(game, picture, reach_of(game)) for game, picture in zip(found.games, pictures, strict=True)],
        chosen=given,
        query=urlencode(given),
        games=PLAY_GAMES,
        cards=service.agents.cards(),
    )


def reach_of(game: GameStatistics) -> float:
    """Return how far the intervals of a game go from zero in mbb/h: half the width of the axis that shows them."""
    figures = [figure for line in (*game.by_opponent, *game.by_position) for figure in (line.raw, line.luck_adjusted)]
    ends = [abs(figure.mean) + (figure.half_width or 0.0) for figure in figures if figure is not None]
    return max([1.0, *ends])

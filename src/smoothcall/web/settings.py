"""The page of a person's settings."""

from __future__ import annotations

from dataclasses import asdict

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from smoothcall.play.settings import CHOICES, LABELS, read_settings
from smoothcall.web import pages
from smoothcall.web.forms import SettingsForm
from smoothcall.web.people import player
from smoothcall.web.workers import read, write

router = APIRouter(prefix="/settings", include_in_schema=False)


@router.get("")
async def show(request: Request) -> Response:
    person = pages.visitor(request)
    settings = await read(request, pages.service(request).settings, person)
    return pages.render(
        request, "settings.html", page="settings", choices=CHOICES, labels=LABELS, now=asdict(settings), settings=settings
    )


@router.post("")
async def change(request: Request) -> Response:
    form = await pages.form(request, SettingsForm)
    person = await player(request)
    given = {name: value for name, value in form.model_dump().items() if value is not None}
    await write(request, pages.service(request).set_settings, person, read_settings(given))
    return pages.with_cookie(request, RedirectResponse("/settings", 303))

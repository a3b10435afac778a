"""Middleware that finds the person of every request before it is handled, and pages about one's sign-ins.

The look-up is in memory, or done by a thread; for moves that programs make, by the thread that makes the move, just before it
(`pages.at_table`). Requests of a person wait for the answers to the person's moves that are under
way (`web.schedule`), unless they are moves themselves.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from time import monotonic

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from smoothcall.errors import NotFound, Overloaded, Unauthenticated, UsageError
from smoothcall.play.people import NOBODY
from smoothcall.play.service import PlayService
from smoothcall.web import pages
from smoothcall.web.forms import CodeForm, SignInForm
from smoothcall.web.guard import SAFE
from smoothcall.web.protocol import network_of
from smoothcall.web.schedule import Schedule
from smoothcall.web.workers import READS, Workers, begin_request, read, write

router = APIRouter(include_in_schema=False)
LONGEST_TOKEN = 200
_MOVE = re.compile(r"/api/tables/[^/]+/(act|next)")
MANY = "many people came from your address just now: try again in a minute"


class FindPerson:
    """The ASGI middleware. It leaves the person's id, or the error of the look-up, in the request's state."""

    def __init__(self, app: ASGIApp, *, service: PlayService, workers: Workers, schedule: Schedule) -> None:
        self.app, self.service, self.workers, self.schedule = app, service, workers, schedule

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not scope["path"].startswith("/static/"):
            begin_request()
            token, found = pages.token_of(Request(scope)), None
            if token is not None:
                found = await self._person(scope, token)
                if isinstance(found, int) and found != NOBODY and scope["method"] in SAFE:
                    await self.schedule.settled(found)
            scope.setdefault("state", {})["person"] = found
        await self.app(scope, receive, send)

    async def _person(self, scope: Scope, token: str) -> int | UsageError:
        people = self.service.people
        known = people.recall(token)
        if known is not None and self.service.known_settings(known) is not None:
            return known
        if len(token) > LONGEST_TOKEN:
            return Unauthenticated("this is no token")
        if scope["method"] == "POST" and _MOVE.fullmatch(scope["path"]) and (expected := people.expected(token)) is not None:
            scope.setdefault("state", {})["unverified"] = token
            return expected
        try:
            return await self.workers.run(READS, partial(self.service.person, token))
        except UsageError as error:
            return error


class Newcomers:
    """Counts new people by address: so many a minute, then one after the other."""

    def __init__(self, per_minute: int, clock: Callable[[], float] = monotonic) -> None:
        self.per_minute, self._clock = per_minute, clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()  # by address: (when, how many it had left)

    def admit(self, address: str) -> None:
        """Count somebody new; Overloaded if too many came from the address."""
        now = self._clock()
        then, left = self._left.pop(address, (now, float(self.per_minute)))
        left = min(float(self.per_minute), left + (now - then) * self.per_minute / 60)
        self._left[address] = (now, left - 1 if left >= 1 else left)
        if len(self._left) > 10_000:
            self._left.popitem(last=False)
        if left < 1:
            raise Overloaded(MANY)


async def _admit(request: Request) -> None:
    """Count somebody new from the address of a request, here, and in the database where other servers count there too."""
    address, newcomers = network_of(request.client.host if request.client else ""), request.app.state.newcomers
    newcomers.admit(address)
    service = pages.service(request)
    if service.shared and not await write(request, service.people.admit, address, newcomers.per_minute):
        raise Overloaded(MANY)


async def player(request: Request) -> int:
    """Return the person who asks to play; whoever is new is added, and gets a cookie with the answer (`pages.with_cookie`)."""
    token, person = pages.token_of(request), NOBODY
    if token is not None:
        try:
            person = pages.person(request)
        except Unauthenticated:
            if request.url.path.startswith("/api/"):
                raise
            token = None
    if person != NOBODY:
        return person
    if token is None and request.url.path.startswith("/api/"):
        raise Unauthenticated("there is no token with this request (get one: POST /api/people)")
    await _admit(request)
    people = pages.service(request).people
    token, person = await write(request, people.add, token, label_of(request))
    request.state.token, request.state.person = token, person
    return person


def label_of(request: Request) -> str:
    """Return what a browser says it is, in a few words: "Firefox on Linux"."""
    said = request.headers.get("user-agent", "")
    browsers = {"Edg/": "Edge", "OPR/": "Opera", "Firefox/": "Firefox", "Chrome/": "Chrome", "Safari/": "Safari"}
    systems = {
        "Android": "Android",
        "iPhone": "iPhone",
        "iPad": "iPad",
        "Windows": "Windows",
        "Mac OS": "macOS",
        "Linux": "Linux",
    }
    browser = next((name for mark, name in browsers.items() if mark in said), "")
    system = next((name for mark, name in systems.items() if mark in said), "")
    return " on ".join(filter(None, [browser, system])) or "a program"


@router.get("/you")
async def you(request: Request, code: str = "") -> Response:
    """Where a person is signed in, a code for another browser, and signing out."""
    person, people = pages.visitor(request, renew=True), pages.service(request).people
    found = [] if person == NOBODY else await read(request, people.sign_ins, person)
    own = pages.token_of(request) if person != NOBODY else None
    here = None if own is None else await read(request, people.sign_in_of, own)
    return pages.render(
        request, "you.html", page="you", known=person != NOBODY, found=found, here=here, code=code[:40], made=""
    )


@router.post("/you/code")
async def make_code(request: Request) -> Response:
    """Make a code that signs in another browser, and show it."""
    person, people = pages.person(request), pages.service(request).people
    if person == NOBODY:
        raise NotFound("there is nothing of yours to take along yet")
    made = await write(request, people.transfer_code, person)
    found = await read(request, people.sign_ins, person)
    link = f"{request.base_url}you?code={made}"
    here = await read(request, people.sign_in_of, pages.token_of(request) or "")
    return pages.render(request, "you.html", page="you", known=True, found=found, here=here, code="", made=made, link=link)


@router.post("/you/redeem")
async def redeem(request: Request) -> Response:
    """Sign this browser in with a code from another one."""
    form = await pages.form(request, CodeForm)
    await _admit(request)  # bounds guessing
    request.state.token = await write(request, pages.service(request).people.redeem, form.code, label_of(request))
    return pages.with_cookie(request, RedirectResponse("/", 303))


@router.post("/you/revoke")
async def revoke(request: Request) -> Response:
    """End a sign-in; signing out is to end one's own."""
    person, form = pages.person(request), await pages.form(request, SignInForm)
    people = pages.service(request).people
    here = await read(request, people.sign_in_of, pages.token_of(request) or "")
    await write(request, people.revoke, person, form.sign_in)
    own = here is not None and here.id == form.sign_in
    response = RedirectResponse("/" if own else "/you", 303)
    if own:
        response.delete_cookie(pages.COOKIE, path="/")
    return response

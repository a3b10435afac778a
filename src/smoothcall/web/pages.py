"""What all pages share: templates, the visitor's cookie, forms, and error pages."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar, cast
from urllib.parse import parse_qsl

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from smoothcall import __version__
from smoothcall.errors import Conflict, Forbidden, NotFound, Overloaded, StorageError, Unauthenticated, UsageError
from smoothcall.games.betting import IllegalMove
from smoothcall.play.people import LIFE, NOBODY
from smoothcall.play.person_view import TableView
from smoothcall.play.service import PlayService
from smoothcall.play.settings import Settings
from smoothcall.web import drawing, workers
from smoothcall.web.forms import M, validate
from smoothcall.web.schedule import Schedule

R = TypeVar("R", bound=Response)
HERE = Path(__file__).parent
_ID = re.compile(r"[A-Za-z0-9_-]{1,32}")
COOKIE = "smoothcall"
COOKIE_LIFE = int(LIFE.total_seconds())  # renewed with every page that is loaded
STATUSES: dict[type[UsageError], int] = {
    Unauthenticated: 401,
    Forbidden: 403,
    NotFound: 404,
    Conflict: 409,
    IllegalMove: 422,
    StorageError: 503,
    Overloaded: 503,
}
RETRY_AFTER = 2  # seconds, with every 503
HEADINGS = {
    400: "That did not work",
    401: "Please start again",
    403: "Not now",
    404: "Not found",
    405: "Not possible",
    409: "The hand has moved on",
    413: "Too large",
    422: "Not a legal move",
    500: "Something went wrong",
    503: "Try again",
}


def _version(folder: Path) -> str:
    """Return a digest of all files of a folder."""
    digest = sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            digest.update(path.read_bytes())
    return digest.hexdigest()[:10]


_VERSION = _version(HERE / "static")
templates = Environment(
    loader=FileSystemLoader(HERE / "templates"),
    autoescape=True,
    auto_reload=False,
    trim_blocks=True,
    lstrip_blocks=True,
    undefined=StrictUndefined,
)
templates.globals |= {
    "asset": lambda name: f"/static/{name}?v={_VERSION}",
    "card": drawing.card,
    "back": drawing.BACK,
    "version": __version__,
}
templates.filters |= {
    "sentence": lambda text: sentence(text),
    "chips": drawing.chips,
    "signed": drawing.signed,
    "figure": drawing.figure,
    "per_100": drawing.per_100,
    "turned": drawing.turned,
    "percent": drawing.percent,
    "tone": drawing.tone,
    "suited": drawing.suited,
    "board_size": drawing.board_size,
    "score": drawing.score,
    "counted": drawing.counted,
}


def service(request: Request) -> PlayService:
    return cast(PlayService, request.app.state.service)


async def at_table(request: Request, id: str, call: Callable[[], TableView]) -> TableView:
    """Make a move at a table, in a thread. It is answered on a schedule that does not depend on the opponents' cards."""
    pool, tables = workers.workers(request), service(request)
    if (token := getattr(request.state, "unverified", None)) is not None:
        call = partial(_verified, tables, token, person(request), call)
    if not tables.ready(id):
        await pool.run(workers.MOVES, partial(tables.table, person(request), id))  # where the database fails, this says so soon
    if not tables.ready(id):
        await pool.run(workers.LOADS, partial(tables.prepare, person(request), id))
    async with cast(Schedule, request.app.state.schedule).answer(person(request)):
        return await pool.run(workers.SEARCHES if tables.searches(id) else workers.MOVES, call)


def _verified(tables: PlayService, token: str, expected: int, call: Callable[[], TableView]) -> TableView:
    """Make a move if the token is still that of the person who is expected."""
    if tables.person(token) != expected:
        raise Unauthenticated("this token is not yours any more")
    return call()


async def opened(request: Request, person: int, call: Callable[[], TableView]) -> TableView:
    """Open a table, in a thread that may load agents. Its first hand is dealt and answered on the schedule of moves."""
    async with cast(Schedule, request.app.state.schedule).answer(person):
        return await workers.workers(request).run(workers.LOADS, call)


async def table_of(request: Request, id: str) -> TableView:
    """Return a table of the person who asks: at once if it is in memory, else read by a thread."""
    found = service(request).table_at_once(visitor(request), id)
    return found if found is not None else await workers.read(request, service(request).table, visitor(request), id)


def token_of(request: Request) -> str | None:
    """Return the visitor's token: from the cookie, or as `Authorization: Bearer TOKEN`."""
    kind, _, given = request.headers.get("authorization", "").partition(" ")
    return given.strip() if kind.lower() == "bearer" else request.cookies.get(COOKIE)


def person(request: Request) -> int:
    """Return the person who sent a request, as `FindPerson` found them; Unauthenticated without a known token."""
    found = request.state.person
    if found is None:
        raise Unauthenticated("this browser is not signed in yet, or its cookie has expired")
    if isinstance(found, UsageError):
        raise found
    return cast(int, found)


def visitor(request: Request, *, renew: bool = False) -> int:
    """Return the person who requests a page; NOBODY without a cookie, and with `renew` also with an unknown one."""
    if token_of(request) is None:
        return NOBODY
    try:
        return person(request)
    except Unauthenticated:
        if not renew:
            raise
        return NOBODY


def with_cookie(request: Request, response: R) -> R:
    """Return a response with the cookie of somebody who has just been added, or with a page's cookie renewed."""
    token = getattr(request.state, "token", None)
    if token is None and isinstance(request.state.person, int) and not wants_fragment(request):
        token = request.cookies.get(COOKIE)
    if token is not None:
        give_cookie(request, response, token)
    return response


def give_cookie(request: Request, response: Response, token: str) -> None:
    secure = request.url.scheme == "https"
    response.set_cookie(COOKIE, token, max_age=COOKIE_LIFE, httponly=True, samesite="lax", secure=secure, path="/")


def settings(request: Request) -> Settings:
    """Return the settings of the person who sent a request, which were read together with the person."""
    found = getattr(request.state, "person", None)
    return (service(request).known_settings(found) if isinstance(found, int) else None) or Settings()


def wants_fragment(request: Request) -> bool:
    """Return whether htmx asks for a part of a page."""
    headers = request.headers
    return headers.get("hx-request") == "true" and headers.get("hx-history-restore-request") != "true"


def render(request: Request, template: str, status: int = 200, **context: Any) -> HTMLResponse:
    """Return a page or a part of one, with the cookie of a new person. `page` names the link of the navigation to mark."""
    context.setdefault("settings", settings(request))
    return with_cookie(request, HTMLResponse(templates.get_template(template).render(context), status))


async def form(request: Request, model: type[M]) -> M:
    """Return the form in the body of a request; of fields given twice, the last."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in ("", "application/x-www-form-urlencoded"):
        raise UsageError(f"a form of type {kind!r} (accepted: application/x-www-form-urlencoded)")
    try:
        fields = dict(parse_qsl((await request.body()).decode(), keep_blank_values=True, max_num_fields=100))
    except ValueError:
        raise UsageError("this form cannot be read (accepted: up to 100 fields in UTF-8)") from None
    return validate(model, fields)


def table_id(text: str) -> str:
    """Return the id of a table, if it can be one."""
    if not _ID.fullmatch(text):
        raise NotFound(f"there is no table {text[:40]!r} of yours")
    return text


def status_of(error: UsageError) -> int:
    return next((status for kind, status in STATUSES.items() if isinstance(error, kind)), 400)


def sentence(said: object) -> str:
    """Return an error or a note as a sentence: with a capital letter and a full stop."""
    text = str(said).strip()
    return (text[:1].upper() + text[1:]).rstrip(".") + "."


def refuse(request: Request, status: int, text: str, table: str | None = None) -> Response:
    """Return an error as JSON, as a part of a page, or as a page, whichever was requested. `table`: the table to link to."""
    headers = {"retry-after": str(RETRY_AFTER)} if status == 503 else None
    if request.url.path.startswith("/api/") and request.url.path != "/api/docs":
        return JSONResponse({"error": text}, status, headers)
    template = "_error.html" if wants_fragment(request) else "error.html"
    heading = HEADINGS.get(status, "That did not work")
    shown = {"status": status, "heading": heading, "text": text, "table": table, "page": "", "settings": settings(request)}
    return HTMLResponse(templates.get_template(template).render(shown), status, headers)

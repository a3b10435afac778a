"""Build the application over a play service, and serve it."""

from __future__ import annotations

import gc
import logging
import socket
import sys
import webbrowser
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from ipaddress import ip_address
from typing import Any

import uvicorn
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import BaseRoute

from smoothcall import __version__
from smoothcall.errors import Forbidden, UsageError
from smoothcall.play.service import PlayService
from smoothcall.store.deadlines import Stopped
from smoothcall.web import api, docs, explore, hands, lobby, pages, people, review, settings, statistics, table
from smoothcall.web.guard import HEADERS, Guard
from smoothcall.web.moves import ShortWay
from smoothcall.web.protocol import LimitedProtocol, Limits, limited
from smoothcall.web.quiet import keep_quiet
from smoothcall.web.schedule import Schedule
from smoothcall.web.static_files import StaticFiles
from smoothcall.web.workers import Workers

GRACE = 3  # seconds that requests under way have when the server is stopped
BACKLOG, ACCEPTED_AT_ONCE = 2048, 32  # connections that wait to be accepted; that are accepted before others are served
RESERVED_FILES = 96  # open files that are not connections: the database, agents, logs, and connections being refused
SWITCH_INTERVAL = 0.001  # seconds for which a busy thread keeps the others, the event loop among them, from going on
FULL_COLLECTIONS = 500  # collections of younger objects before one of all objects; 10 in Python
NEWCOMERS = 120  # people who sit down for the first time, from one address in a minute
TITLE, DESCRIPTION = "Smoothcall", "Play against agents, and read your results."
LOOPBACK = ("localhost", "127.0.0.1", "::1")
SERVER_ERROR = (
    "This is a fault of ours, and it has been noted. Your table shows what has been saved: go back to it and play on."
)
ROUTING_ERRORS = {404: "There is no such page.", 405: "This address does not take that kind of request."}


def create(
    service: PlayService,
    *,
    hosts: Sequence[str] = LOOPBACK,
    newcomers: int = NEWCOMERS,
    schedule: Schedule | None = None,
) -> FastAPI:
    """Return the application. It answers requests whose Host header is one of `hosts` (`*`: any) or an IP address.

    `newcomers`: people from one address who may sit down for the first time in a minute. `schedule`: when moves are answered.
    """
    app = _Application(
        title=TITLE,
        version=__version__,
        description=DESCRIPTION,
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        telemetry={"tracing": False, "metrics": False, "logs": False},
    )
    app.state.service, app.state.workers, app.state.schedule = service, Workers(), schedule or Schedule()
    app.state.newcomers = people.Newcomers(newcomers)
    service.period = app.state.schedule.period
    app.mount("/static", StaticFiles(pages.HERE / "static"))
    app.router.routes += _routes()
    app.add_exception_handler(UsageError, _usage)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(Stopped, _stopped)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(Exception, _fault)
    app.router.middleware_stack = ShortWay(app.router.middleware_stack)  # inside the handlers of exceptions
    found = {"service": service, "workers": app.state.workers, "schedule": app.state.schedule}
    app.add_middleware(people.FindPerson, **found)
    app.add_middleware(Guard, hosts=hosts, refuse=pages.refuse)
    return app


class _Application(FastAPI):
    """All applications have the same routes, so the document of the API is written once."""

    def openapi(self) -> dict[str, Any]:
        return _document()


@cache
def _routes() -> tuple[BaseRoute, ...]:
    """Return all routes, in the order they are tried: those of moves come first. Each was made when its module was imported."""
    routers = [table.router, api.ours, api.router]
    routers += [page.router for page in (lobby, people, hands, statistics, review, explore, settings, docs)]
    return tuple(route for router in routers for route in router.routes)


@cache
def _document() -> dict[str, Any]:
    return get_openapi(title=TITLE, version=__version__, description=DESCRIPTION, routes=_routes())


async def _usage(request: Request, error: Exception) -> Response:
    assert isinstance(error, UsageError)
    table = error.table if isinstance(error, Forbidden) else None
    return pages.refuse(request, pages.status_of(error), pages.sentence(error), table)


async def _stopped(request: Request, error: Exception) -> Response:
    """End a request whose client is gone."""
    return Response(status_code=503)


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    text = ROUTING_ERRORS.get(error.status_code) or pages.sentence(Exception(error.detail))
    response = pages.refuse(request, error.status_code, text)
    response.headers.update(error.headers or {})
    return response


async def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"][1:]) or "the body"
    return pages.refuse(request, 422, f"{where[:80]}: {first['msg']}.")


async def _fault(request: Request, error: Exception) -> Response:
    """Answer an unexpected exception. Its details are in the server's log only."""
    response = pages.refuse(request, 500, SERVER_ERROR)
    response.headers.update({**HEADERS, "cache-control": "no-store"})
    return response


class _Server(uvicorn.Server):
    """Calls `ready` when it accepts connections."""

    ready: Callable[[], object] = staticmethod(lambda: None)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for listening in sockets or ():
            listening.listen(BACKLOG)  # asyncio accepts as many at once as its own backlog says, before any can be refused
        self.ready()


def serve(
    service: PlayService,
    host: str = "127.0.0.1",
    port: int = 8000,
    open_browser: bool = False,
    tell: Callable[[str], None] = lambda address: None,
    limits: Limits | None = None,
    newcomers: int = NEWCOMERS,
) -> None:
    """Serve pages until interrupted. `tell` is called with the address once it can be opened; port 0 is any free port."""
    listening = listen(host, port)

    def ready() -> None:
        tell(address_of(listening, host))
        if open_browser:
            webbrowser.open(address_of(listening, host))

    with listening:
        serve_on(service, listening, host, ready, limited(within_files(limits or Limits())), newcomers)


def serve_on(
    service: PlayService,
    listening: socket.socket,
    host: str,
    ready: Callable[[], object],
    protocol: type[LimitedProtocol],
    newcomers: int,
) -> None:
    """Serve pages at a socket until interrupted. `ready` is called when connections are accepted."""
    keep_quiet()
    sys.setswitchinterval(SWITCH_INTERVAL)
    own = () if is_loopback(host) else (host, socket.gethostname(), socket.getfqdn())
    config = uvicorn.Config(
        create(service, hosts=[*LOOPBACK, *own], newcomers=newcomers),
        log_level=logging.WARNING,
        access_log=False,
        server_header=False,
        http=protocol,
        ws="none",
        backlog=ACCEPTED_AT_ONCE,
        timeout_graceful_shutdown=GRACE,
    )
    server = _Server(config)
    server.ready = ready
    _collect_less_garbage()
    server.run(sockets=[listening])


def _collect_less_garbage() -> None:
    """Look for cyclic garbage less often, and not among what is here now, which stays: it stops all answers meanwhile.

    (Unchanged, a collection of all objects took 0.15 to 0.3 s every four seconds with 200 tables in play.)
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*gc.get_threshold()[:2], FULL_COLLECTIONS)


def address_of(listening: socket.socket, host: str) -> str:
    """Return the address of the page, as a browser on this machine opens it."""
    shown = f"[{host}]" if ":" in host else host
    shown = {"0.0.0.0": "127.0.0.1", "[::]": "[::1]"}.get(shown, shown)
    return f"http://{shown}:{listening.getsockname()[1]}/"


def within_files(limits: Limits) -> Limits:
    """Return limits with as many connections as this process can have open; the number of open files is raised if it can be."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return limits
    low, high = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = limits.connections + RESERVED_FILES
    if low != resource.RLIM_INFINITY and low < wanted:
        low = wanted if high == resource.RLIM_INFINITY else min(wanted, high)
        resource.setrlimit(resource.RLIMIT_NOFILE, (low, high))
    if low == resource.RLIM_INFINITY or low >= wanted:
        return limits
    fit = low - RESERVED_FILES
    if fit < 1:
        raise UsageError(f"this process may open {low} files (needed: more than {RESERVED_FILES}); raise it with ulimit -n")
    return replace(limits, connections=fit)


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach a host."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; UsageError where it cannot."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        raise UsageError(f"cannot listen on port {port} of {host!r}: {error.strerror or error}") from None
    except OverflowError:
        raise UsageError(f"port {port} (accepted: 0 to 65535)") from None

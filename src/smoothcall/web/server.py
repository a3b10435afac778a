"""Build the application over a play service, and serve it."""

from __future__ import annotations

import logging
import socket
import webbrowser
from collections.abc import Callable, Sequence
from ipaddress import ip_address

import uvicorn
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.staticfiles import StaticFiles

from smoothcall import __version__
from smoothcall.errors import Forbidden, UsageError
from smoothcall.play.service import PlayService
from smoothcall.web import api, docs, explore, hands, lobby, pages, statistics, table
from smoothcall.web.guard import HEADERS, Guard

LOOPBACK = ("localhost", "127.0.0.1", "::1")
SERVER_ERROR = "This is a fault of ours, and it has been noted. No hand is lost: go back to your table and play on."
ROUTING_ERRORS = {404: "There is no such page.", 405: "This address does not take that kind of request."}


def create(service: PlayService, *, hosts: Sequence[str] = LOOPBACK) -> FastAPI:
    """Return the application. It answers requests whose Host header is one of `hosts` (`*`: any) or an IP address."""
    app = FastAPI(
        title="Smoothcall",
        version=__version__,
        description="Play against agents, and read your results.",
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.service = service
    for router in (table.router, api.ours, api.router, *(page.router for page in (lobby, hands, statistics, explore, docs))):
        app.include_router(router)  # routes are tried in this order: those of moves come first
    app.mount("/static", StaticFiles(directory=pages.HERE / "static"))
    app.add_exception_handler(UsageError, _usage)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(Exception, _fault)
    app.add_middleware(Guard, hosts=hosts, refuse=pages.refuse)
    return app


async def _usage(request: Request, error: Exception) -> Response:
    assert isinstance(error, UsageError)
    table = error.table if isinstance(error, Forbidden) else None
    return pages.refuse(request, pages.status_of(error), pages.sentence(error), table)


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
        self.ready()


def serve(
    service: PlayService,
    host: str = "127.0.0.1",
    port: int = 8000,
    open_browser: bool = False,
    tell: Callable[[str], None] = lambda address: None,
) -> None:
    """Serve pages until interrupted. `tell` is called with the address once it can be opened; port 0 is any free port."""
    listening = _listen(host, port)
    shown = f"[{host}]" if ":" in host else host
    shown = {"0.0.0.0": "127.0.0.1", "[::]": "[::1]"}.get(shown, shown)
    address = f"http://{shown}:{listening.getsockname()[1]}/"
    own = () if is_loopback(host) else (host, socket.gethostname(), socket.getfqdn())
    config = uvicorn.Config(
        create(service, hosts=[*LOOPBACK, *own]),
        log_level=logging.WARNING,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=5,
    )
    server = _Server(config)

    def ready() -> None:
        tell(address)
        if open_browser:
            webbrowser.open(address)

    server.ready = ready
    with listening:
        server.run(sockets=[listening])


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach a host."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        raise UsageError(f"cannot listen on port {port} of {host!r}: {error.strerror or error}") from None
    except OverflowError:
        raise UsageError(f"port {port} (accepted: 0 to 65535)") from None

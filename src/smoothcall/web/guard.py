"""Middleware that checks every request and adds security headers to every response.

The Host header must name a host of this server, against DNS rebinding. Requests that change something must not come from a page
of another site, against cross-site request forgery. No body may be larger than `LARGEST`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST = 64 * 1024  # bytes of a body
SAFE = ("GET", "HEAD", "OPTIONS")  # methods that change nothing
HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
_SEAL = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
_KEPT, _NOT_KEPT = (b"cache-control", b"public, max-age=31536000, immutable"), (b"cache-control", b"no-store")
Refuse = Callable[[Request, int, str], Response]  # makes an error response with a status and a sentence (`pages.refuse`)


class Guard:
    """The ASGI middleware. `hosts`: the names that requests may ask for, `*` for any."""

    def __init__(self, app: ASGIApp, *, hosts: Sequence[str], refuse: Refuse) -> None:
        self.app, self.hosts, self.refuse = app, frozenset(host.lower() for host in hosts), refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        kept = scope["path"].startswith("/static/") and b"v=" in scope["query_string"]  # its address changes with its content

        async def sealed(message: Message) -> None:
            if message["type"] == "http.response.start":
                cached = kept and message["status"] == 200
                message["headers"] = [*message["headers"], *_SEAL, _KEPT if cached else _NOT_KEPT]
            await send(message)

        fault = self._host_fault(headers) or self._site_fault(scope["method"], headers)
        if fault is None:
            fault = self._length_fault(headers)
        if fault is None and ("content-length" in headers or "transfer-encoding" in headers):
            found = await _read(headers, receive)
            if found is None:
                fault = 413, f"The body is too large (accepted: up to {LARGEST // 1024} KB)."
            else:
                receive = replay(found, receive)
        if fault is not None:
            await self.refuse(Request(scope), *fault)(scope, receive, sealed)
            return
        await self.app(scope, receive, sealed)

    def _host_fault(self, headers: Headers) -> tuple[int, str] | None:
        host = _name(headers.get("host", ""))
        if "*" in self.hosts or host in self.hosts or _is_address(host):  # rebinding needs a name
            return None
        accepted = ", ".join(sorted(self.hosts))
        return 400, f"This server does not answer to the name {host[:100]!r} (accepted: {accepted}, or its address)."

    def _site_fault(self, method: str, headers: Headers) -> tuple[int, str] | None:
        if method in SAFE:
            return None
        site, origin = headers.get("sec-fetch-site"), headers.get("origin")
        foreign = site not in (None, "same-origin", "none")
        if site is None and origin is not None:
            foreign = _place(origin) != headers.get("host", "").lower()
        return (403, "This request came from a page of another site.") if foreign else None

    def _length_fault(self, headers: Headers) -> tuple[int, str] | None:
        said = headers.get("content-length", "0")
        if said.isascii() and said.isdecimal():
            return None
        return 400, f"The header content-length is {said[:40]!r} (accepted: a whole number)."


def _place(origin: str) -> str | None:
    """Return the host and port of an Origin header; None where it cannot be parsed."""
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return None


async def _read(headers: Headers, receive: Receive) -> bytes | None:
    """Return the whole body, from all of its messages; None where it is too large."""
    said = headers.get("content-length", "0").lstrip("0")
    if len(said) > len(str(LARGEST)) or int(said or "0") > LARGEST:
        return None
    body, more = b"", True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            break
        body += message.get("body", b"")
        if len(body) > LARGEST:
            return None
        more = message.get("more_body", False)
    return body


def replay(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that yields a body that has been read already."""
    waiting = True

    async def replayed() -> Message:
        nonlocal waiting
        if waiting:
            waiting = False
            return {"type": "http.request", "body": body, "more_body": False}
        return await receive()

    return replayed


def _name(host: str) -> str:
    """Return a host in lower case without its port: `localhost` of `localhost:8000`, `::1` of `[::1]:8000`."""
    return (host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0]).lower()


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True

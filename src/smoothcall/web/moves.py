"""What answers the moves of programs by the shortest way, in front of the routes.

Routing, dependencies and validation by FastAPI take longer than the move itself. A request for a move that is as the document
of the API says calls the function of its route directly; any other request goes on to the routes, which say what is wrong.
Errors are answered by the handlers of the application, as those of routes.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Any

from pydantic import TypeAdapter, ValidationError
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from smoothcall.web import api
from smoothcall.web.guard import replay

PATH = re.compile(r"/api/tables/([^/]+)/(act|next)")
JSON = (b"content-type", b"application/json")
_ROUTES: dict[str, tuple[Callable[[bytes], Any], Callable[[Request, str, Any], Awaitable[Response]]]] = {
    "act": (TypeAdapter(api.Move).validate_json, api.act),
    "next": (TypeAdapter(api.Next).validate_json, api.next_hand),
}


class ShortWay:
    """An ASGI application in front of another: the routes."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = PATH.fullmatch(scope["path"]) if scope["type"] == "http" and scope["method"] == "POST" else None
        if found is None or JSON not in scope["headers"] or scope.get("root_path"):
            await self.app(scope, receive, send)
            return
        request = Request(scope, receive)
        body = await request.body()
        read, answer = _ROUTES[found[2]]
        try:
            asked = read(body)
        except ValidationError:
            await self.app(scope, replay(body, receive), send)
            return
        response = await answer(request, found[1], asked)
        await response(scope, receive, send)

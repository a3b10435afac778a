"""Requests to the application without a network between, and all of each answer: what tests of leaks compare."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from starlette.types import ASGIApp, Message

HOST = "127.0.0.1:8000"


@dataclass(frozen=True, slots=True)
class Request:
    method: str
    path: str  # with its query
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """Everything that comes back."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def text(self) -> str:
        return self.body.decode()


@dataclass(slots=True)
class Asker:
    """Somebody who asks an application, with a token or without."""

    app: ASGIApp
    token: str = ""
    asked: list[tuple[Request, Answer]] = field(default_factory=list)

    async def ask(self, request: Request) -> Answer:
        path, _, query = request.path.partition("?")
        headers = [("host", HOST), *request.headers]
        headers += [("cookie", f"smoothcall={self.token}")] if self.token else []
        headers += [("content-length", str(len(request.body)))] if request.body else []
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": request.method,
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": [(name.encode(), value.encode()) for name, value in headers],
            "server": ("127.0.0.1", 8000),
            "client": ("127.0.0.1", 40_000),
            "state": {},
        }
        got: list[Message] = []

        sent = False

        async def receive() -> Message:
            nonlocal sent
            if sent:
                await asyncio.Event().wait()  # the client waits for the answer
            sent = True
            return {"type": "http.request", "body": request.body, "more_body": False}

        async def send(message: Message) -> None:
            got.append(message)

        await self.app(scope, receive, send)
        assert got[0]["type"] == "http.response.start"
        answered = tuple((name.decode(), value.decode()) for name, value in got[0]["headers"])
        answer = Answer(got[0]["status"], answered, b"".join(message.get("body", b"") for message in got[1:]))
        self.asked.append((request, answer))
        return answer

    async def get(self, path: str, **headers: str) -> Answer:
        return await self.ask(Request("GET", path, headers=_named(headers)))

    async def post_json(self, path: str, **fields: object) -> Answer:
        return await self.ask(Request("POST", path, json.dumps(fields).encode(), (("content-type", "application/json"),)))

    async def put_json(self, path: str, **fields: object) -> Answer:
        return await self.ask(Request("PUT", path, json.dumps(fields).encode(), (("content-type", "application/json"),)))

    async def post_form(self, path: str, fields: dict[str, object], **headers: str) -> Answer:
        kind = ("content-type", "application/x-www-form-urlencoded")
        return await self.ask(Request("POST", path, urlencode(fields).encode(), (kind, *_named(headers))))


def _named(headers: dict[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple((name.replace("_", "-"), value) for name, value in headers.items())

"""Somebody with a browser that runs no script: keeps a cookie, reads pages, fills in the forms they hold."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from html.parser import HTMLParser
from random import Random
from typing import Any, Self

import httpx
from starlette.types import ASGIApp

HTMX = {"HX-Request": "true"}


class Visitor:
    """Asks an application, one thing after another."""

    def __init__(self, app: ASGIApp, runner: asyncio.Runner, **options: Any) -> None:
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        chosen = {"base_url": "http://localhost", "follow_redirects": True} | options
        self.client = httpx.AsyncClient(transport=transport, **chosen)
        self.headers = self.client.headers
        self._run, self.service = runner.run, getattr(app, "state").service  # noqa: B009 - any ASGI application

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: object) -> None: ...

    @property
    def token(self) -> str:
        """The visitor's token; whoever has none yet becomes somebody, as one does by sitting down."""
        if "smoothcall" not in self.client.cookies:
            self.client.cookies.set("smoothcall", self.service.newcomer())
        return self.client.cookies["smoothcall"]

    def get(self, path: str, **options: Any) -> httpx.Response:
        return self._run(self.client.get(path, **options))

    def post(self, path: str, **options: Any) -> httpx.Response:
        return self._run(self.client.post(path, **options))

    def page(self, path: str, **options: Any) -> Page:
        answer = self.get(path, **options)
        assert answer.status_code == 200, (path, answer.status_code, answer.text)
        return Page(answer.text)

    def sit_down(self, game: str, **chosen: str) -> Page:
        """A table with the opponents that the lobby suggests, unless others are chosen."""
        form = self.page(f"/?game={game}").form("/tables")
        answer = self.post("/tables", data={**form.fields, **chosen})
        assert answer.status_code == 200, answer.text
        return Page(answer.text)

    def press(self, page: Page, random: Random) -> Page:
        """Press a button of the table, the next hand's included."""
        form = random.choice([form for form in page.forms if form.action.startswith("/tables/")])
        name, value = random.choice(form.buttons)
        chosen = {**form.fields, **({name: value} if name else {})}
        if "amount" in chosen:
            chosen["amount"] = str(random.randint(*form.span))
        answer = self.post(form.action, data=chosen)
        assert answer.status_code == 200, answer.text
        return Page(answer.text)


@dataclass(slots=True)
class Form:
    action: str
    fields: dict[str, str] = field(default_factory=dict)  # as the browser would send them untouched, buttons aside
    buttons: list[tuple[str, str]] = field(default_factory=list)  # (name, value)
    span: tuple[int, int] = (0, 0)  # of the number in it


class Page(HTMLParser):
    """What a page holds."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.source, self.forms, self.links, self.cards = text, list[Form](), list[str](), list[str]()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self._select = ""
        self._options: list[tuple[str, dict[str, str]]] = []  # (name of the list, option)
        self.feed(text)

    @property
    def offered(self) -> set[str]:
        """The opponents offered for the first seat."""
        return {given["value"] for under, given in self._options if under == "opponent-0"}

    def form(self, action: str) -> Form:
        return next(form for form in self.forms if form.action == action)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.tags.append((tag, given))
        if tag == "form":
            self.forms.append(Form(given.get("action", "")))
        if tag == "a":
            self.links.append(given.get("href", ""))
        if "data-card" in given:
            self.cards.append(given["data-card"])
        if not self.forms:
            return
        form = self.forms[-1]
        if tag == "select":
            self._select = given.get("name", "")
        if tag == "option":
            self._options.append((self._select, given))
        if tag == "option" and self._select and ("selected" in given or self._select not in form.fields):
            form.fields[self._select] = given.get("value", "")
        if tag == "input" and "name" in given and (given.get("type") != "radio" or "checked" in given):
            form.fields[given["name"]] = given.get("value", "")
        if tag == "input" and given.get("type") == "number":
            form.span = int(given["min"]), int(given["max"])
        if tag == "button" and "form" not in given and given.get("type") != "button":
            form.buttons.append((given.get("name", ""), given.get("value", "")))

    def data(self, name: str) -> str:
        """A `data-` attribute of the table."""
        return next(given[f"data-{name}"] for _, given in self.tags if given.get("id") == "table")

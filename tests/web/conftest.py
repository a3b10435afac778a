"""A play service in memory with its application, and visitors with and without a browser."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest
from fastapi import FastAPI

from smoothcall.app import App
from smoothcall.play.opponents import Agents
from smoothcall.play.service import PlayService
from smoothcall.web.server import create
from tests.conftest import shipped
from tests.web.browsing import AT_ONCE, DESKTOP, Site, browsing, serving
from tests.web.browsing import Visitor as BrowserVisitor
from tests.web.visitor import Visitor

if TYPE_CHECKING:
    from playwright.sync_api import Browser

Invite = Callable[..., Visitor]
Enter = Callable[..., BrowserVisitor]


@pytest.fixture(scope="session")
def agents() -> Agents:
    return shipped()


@pytest.fixture(scope="session")
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as made:
        yield made


@pytest.fixture
def service(agents: Agents) -> Iterator[PlayService]:
    made = App().play_service("sqlite://", agents)
    yield made
    made.close()


@pytest.fixture
def app(service: PlayService) -> FastAPI:
    return create(service, schedule=AT_ONCE)


@pytest.fixture
def invite(app: FastAPI, runner: asyncio.Runner) -> Invite:
    """Makes visitors, who have been nowhere yet."""

    def made(**options: Any) -> Visitor:
        return Visitor(app, runner, **options)

    return made


@pytest.fixture
def visitor(invite: Invite) -> Visitor:
    return invite()


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with serving(tmp_path_factory.mktemp("site")) as found:
        yield found


@pytest.fixture(scope="session")
def started_browser() -> Iterator[tuple[Browser, asyncio.AbstractEventLoop]]:
    """One browser for all tests of a worker, and the event loop that Playwright leaves running in this thread."""
    with browsing() as found:
        loop = asyncio.get_running_loop()
        yield found, loop
        asyncio._set_running_loop(loop)


@pytest.fixture(scope="module")
def browser(started_browser: tuple[Browser, asyncio.AbstractEventLoop]) -> Iterator[Browser]:
    """The browser, whose event loop is set aside after a module: other tests run event loops of their own."""
    found, loop = started_browser
    asyncio._set_running_loop(loop)
    yield found
    asyncio._set_running_loop(None)


@pytest.fixture
def enter(browser: Browser, site: Site, request: pytest.FixtureRequest) -> Iterator[Enter]:
    """Open browsers for new visitors; at the end there may be no error in their consoles."""
    site.seed(request.node.name)
    came: list[BrowserVisitor] = []

    def make(size: tuple[int, int] = DESKTOP, **how: object) -> BrowserVisitor:
        came.append(BrowserVisitor(browser, site, size, **how))  # type: ignore[arg-type]
        return came[-1]

    yield make
    for visitor in came:
        visitor.context.close()
    assert not [trouble for visitor in came for trouble in visitor.troubles]

"""Debian's Chromium at a server of its own: what tests and pictures do with pages."""

from __future__ import annotations

import os
import shutil
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
import uvicorn

from smoothcall.app import App
from smoothcall.play.person_view import HandView
from smoothcall.web.pages import COOKIE
from smoothcall.web.schedule import Schedule
from smoothcall.web.server import create
from tests.conftest import PATIENCE, shipped

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Locator, Page, Request

DESKTOP, PHONE = (1200, 900), (390, 844)
SIZES = {"desktop": DESKTOP, "phone": PHONE}
AT_ONCE = Schedule(1e-6)  # moves are answered when they are made; the schedule has tests of its own
PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser")  # the first needs a third less processor time
STATE = "table => [Number(table.dataset.hand), Number(table.dataset.move), table.dataset.over == 'yes']"
NO_OTHER_HOST = "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"


def chromium() -> str:
    """The browser's program; where it is missing the test is left out, but fails in CI."""
    found = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if found is None:
        if os.environ.get("SMOOTHCALL_CI"):
            pytest.fail("Chromium is missing: .ci/run installs it")
        pytest.skip(
            "Chromium is not installed (Debian: apt-get install chromium-headless-shell); the tests in a browser are left out"
        )
    return found


@contextmanager
def browsing() -> Iterator[Browser]:
    """A browser. While it is there no other event loop runs in this thread."""
    from playwright.sync_api import sync_playwright  # takes half a second, and only one worker needs it

    program = chromium()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu", NO_OTHER_HOST])
        try:
            yield browser
        finally:
            browser.close()


class Site:
    """The application with the shipped agents, served from a thread on a free port. A seed determines its cards."""

    def __init__(self, folder: Path) -> None:
        self.seed("")
        secret = lambda: f"{self._random.getrandbits(128):032x}"  # noqa: E731
        url = f"sqlite:///{folder / 'hands.sqlite'}"
        self.service = App(folder).play_service(url, shipped(), synchronous="normal", secret=secret)
        app = create(self.service, newcomers=10**9, schedule=AT_ONCE)
        config = uvicorn.Config(app, port=0, log_level="warning", timeout_graceful_shutdown=2, ws="none")
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, daemon=True)
        self._thread.start()
        while not self._server.started:
            self._thread.join(0.01)
            assert self._thread.is_alive(), "the server did not start"
        port = self._server.servers[0].sockets[0].getsockname()[1]
        self.address = f"http://127.0.0.1:{port}"

    def seed(self, text: str) -> None:
        self._random = Random(text)

    def close(self) -> None:
        self._server.should_exit = True
        self._thread.join()
        self.service.close()


@contextmanager
def serving(folder: Path) -> Iterator[Site]:
    site = Site(folder)
    try:
        yield site
    finally:
        site.close()


@dataclass
class Visitor:
    """Somebody with a browser of their own, and everything in it that went wrong."""

    browser: Browser
    site: Site
    size: tuple[int, int] = DESKTOP
    dark: bool = False
    scripts: bool = True
    forgiven: tuple[str, ...] = ()  # parts of console messages that a test provokes
    troubles: list[str] = field(default_factory=list)
    context: BrowserContext = field(init=False)
    page: Page = field(init=False)

    def __post_init__(self) -> None:
        narrow = self.size[0] < 600
        self.context = self.browser.new_context(
            base_url=self.site.address,
            viewport={"width": self.size[0], "height": self.size[1]},
            color_scheme="dark" if self.dark else "light",
            java_script_enabled=self.scripts,
            is_mobile=narrow,
            has_touch=narrow,
            reduced_motion="reduce",
            locale="en-GB",
            timezone_id="UTC",
        )
        self.context.set_default_timeout(1000 * PATIENCE)
        self.context.on("request", self._asked)
        self.context.on("console", lambda message: self._said(message.type, message.text))
        self.context.on("weberror", lambda error: self.troubles.append(str(error.error)))
        self.page = self.context.new_page()

    def _asked(self, request: Request) -> None:
        address = urlsplit(request.url)
        if address.scheme != "data" and f"{address.scheme}://{address.netloc}" != self.site.address:
            self.troubles.append(f"asked another host: {request.url}")

    def _said(self, kind: str, text: str) -> None:
        if kind in ("error", "warning", "assert") and not any(part in text for part in self.forgiven):
            self.troubles.append(f"{kind} in the console: {text}")

    # Looking

    def go(self, path: str) -> None:
        self.page.goto(path)
        self.verify()

    def verify(self) -> None:
        """That the page is as wide as the window, and that nothing went wrong so far."""
        wide = self.page.evaluate("document.scrollingElement.scrollWidth")
        if wide > self.size[0]:
            self.troubles.append(f"{self.page.url} is {wide} wide in a window of {self.size[0]}: {self._sticking_out()}")
        assert not self.troubles

    def _sticking_out(self) -> object:
        return self.page.evaluate(
            """width => [...document.querySelectorAll("main *")].filter(each => each.getBoundingClientRect().right > width + 1)
            .slice(0, 5).map(each => each.tagName + "." + each.getAttribute("class"))""",
            self.size[0],
        )

    def see(self, selector: str) -> Locator:
        """The one thing of this kind, once it is there."""
        found = self.page.locator(selector)
        found.wait_for(state="attached")  # fails where there are several
        return found

    def text(self, selector: str) -> str:
        return " ".join(self.page.locator(selector).inner_text().split())

    @property
    def person(self) -> int:
        """The visitor's person id; who has not played yet becomes a person."""
        if not any(cookie["name"] == COOKIE for cookie in self.context.cookies()):
            token, _ = self.site.service.people.add()
            self.context.add_cookies([{"name": COOKIE, "value": token, "url": self.site.address}])
        token = next(cookie["value"] for cookie in self.context.cookies() if cookie["name"] == COOKIE)
        return self.site.service.person(token)

    # Moving about

    def click(self, selector: str) -> None:
        """With the mouse, or with a finger on a telephone."""
        found = self.page.locator(selector).first
        if self.size[0] < 600:
            found.wait_for()  # a touch while one page replaces another is never answered, and has no time limit
            self.page.wait_for_load_state()
            self.page.touchscreen.tap(1, 1)  # elsewhere first: two taps soon after each other are one double tap
            found.tap()
        else:
            found.click()

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def tab_to(self, selector: str, most: int = 80) -> None:
        """Walk with the tabulator until something has the focus."""
        for _ in range(most):
            self.press("Tab")
            if self.page.evaluate("selector => document.activeElement.matches(selector)", selector):
                return
        raise AssertionError(f"no tabulator leads to {selector}")

    # At the table

    @property
    def state(self) -> tuple[int, int, bool]:
        """(hand, moves made in it, whether it is over), as the page says."""
        return tuple(self.page.locator("#table").evaluate(STATE))

    def after(self, act: Callable[[], object]) -> tuple[int, int, bool]:
        """Do something and return the next state of the table."""
        hand, move, over = self.state
        act()
        said = f'[data-hand="{hand}"][data-move="{move}"][data-over="{"yes" if over else "no"}"]'
        self.page.wait_for_selector(f"#table:not({said})")
        return self.state


def sit_down(visitor: Visitor, game: str, opponent: str = "") -> None:
    visitor.go(f"/?game={game}")
    if opponent:
        visitor.page.locator('[name="opponent-0"]').select_option(opponent)
    visitor.click("form.choose .next")
    visitor.see("#table")
    visitor.verify()


# Hands played without the browser


def play(site: Site, person: int, game: str, opponent: str, hands: int, street: int | None = None) -> str:
    """The id of a table with so many hands played at it; the last goes on to a street and stops there at the person's turn."""
    service, random = site.service, Random(game)
    table = service.open_table(person, game, [opponent])
    number = 1
    while True:
        if street is not None and number > hands and table.hand.street >= street and not table.hand.over:
            return table.id
        if table.hand.over and number >= hands and street is None:
            return table.id
        if table.hand.over:
            number += 1
            table = service.next_hand(person, table.id, hand=table.hand.number)
        else:
            letter = sensible(table.hand, random)
            table = service.act(person, table.id, letter, hand=table.hand.number, move=table.hand.move)


def sensible(hand: HandView, random: Random) -> str:
    """Bets pairs and the highest cards, gives up the lowest to a bet, and calls with the rest."""
    ranks = [card[0] for card in hand.you.cards]
    board = [card[0] for cards in hand.boards for card in cards]
    pair = len(set(ranks)) < len(ranks) or any(Counter(board)[rank] for rank in ranks)
    strong = pair or (not board and any(rank in "AK" for rank in ranks))
    weak = not pair and not any(rank in ("AKQ" if len(ranks) == 1 else "AKQJT") for rank in ranks)
    letters = {choice.letter: choice for choice in hand.choices}
    raised = letters.get("r")
    if strong and raised is not None and random.random() < 0.8:
        return "r" if raised.low is None else f"r{raised.presets[0][1] if raised.presets else raised.low}"
    return "f" if weak and "f" in letters and random.random() < 0.8 else "c"

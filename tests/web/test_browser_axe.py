"""axe-core finds no violation on any page, and what happens at a table is announced."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import pytest
from axe_playwright_python.sync_playwright import Axe

from smoothcall.store.records import Filter
from tests.play.test_review import LOG
from tests.web.browsing import Visitor, play, sit_down
from tests.web.conftest import Enter

DESKTOP, PHONE = (1280, 800), (390, 844)


def violations(visitor: Visitor, path: str) -> list[tuple[str, ...]]:
    visitor.go(path)
    return violations_here(visitor, path)


def violations_here(visitor: Visitor, path: str) -> list[tuple[str, ...]]:
    visitor.page.wait_for_function("() => !document.querySelector('.htmx-request')")  # until everything is there
    found = Axe().run(visitor.page).response["violations"]
    return [(path, each["id"], node["html"][:200], node["failureSummary"][:99]) for each in found for node in each["nodes"][:2]]


PAGES = (
    "/tables/{six}",
    "/tables/{over}",
    "/hands",
    "/hands/{hand}?step=1",
    "/hands/{hand}/coach",
    "/statistics",
    "/explore/leduc-cfr?at=cr&cards=K",
    "/settings",
    "/you",
    "/nowhere",
)
MORE_PAGES = (  # like others, or with many more elements
    "/",
    "/?game=no-limit-holdem:seats=6&form=cash",
    "/tables/{kuhn}",
    "/tables/{over}/results",
    "/hands?result=won&game=kuhn-3p",
    "/explore",
    "/explore/no-limit-holdem-mccfr",
    "/api/docs",
    "/review",
)


def verify_pages(enter: Enter, size: tuple[int, int], paths: Sequence[str], *, dark: bool) -> None:
    visitor = enter(size, dark=dark, forgiven=(" 404 ", " 403 "))
    visitor.go("/")
    service, person = visitor.site.service, visitor.person
    over = play(visitor.site, person, "leduc", "leduc-cfr", 3)
    opponents = ["always-call", "always-raise", "probe", "random", "always-call"]
    six = service.open_table(person, "no-limit-holdem:seats=6", opponents).id
    kuhn = play(visitor.site, person, "kuhn", "always-call", 1, street=0)
    hand = service.hands(person, Filter(game="leduc")).hands[0].id
    found = []
    for path in paths:
        found += violations(visitor, path.format(over=over, six=six, kuhn=kuhn, hand=hand))
    visitor.go("/review")
    visitor.page.fill("#text", LOG)
    visitor.page.fill("#hero", "hero")
    visitor.page.select_option("#kind", "acpc")
    visitor.page.select_option("#by", "leduc-cfr")
    visitor.page.click("button:has-text('Review')")
    visitor.page.wait_for_selector("h2:has-text('6 decisions')")
    found += violations_here(visitor, "a review")
    assert not found, "\n".join(map(str, found))


@pytest.mark.parametrize(
    ("size", "dark"), list(product((PHONE, DESKTOP), (True, False))), ids=lambda each: str(each).replace(", ", "x")
)
@pytest.mark.long
def test_every_page_is_accessible(enter: Enter, size: tuple[int, int], dark: bool) -> None:
    verify_pages(enter, size, PAGES + MORE_PAGES, dark=dark)


def test_a_page_of_each_kind_is_accessible(enter: Enter) -> None:
    verify_pages(enter, PHONE, PAGES, dark=True)


@pytest.mark.long
@pytest.mark.parametrize(("size", "dark"), [(DESKTOP, False), (PHONE, True)], ids=["desktop-light", "phone-dark"])
def test_the_coach_and_statistics_of_holdem_are_accessible(enter: Enter, size: tuple[int, int], dark: bool) -> None:
    """The coach of a hand of hold'em, with ranges and solved decisions, first and longer."""
    visitor = enter(size, dark=dark)
    visitor.go("/")
    play(visitor.site, visitor.person, "no-limit-holdem", "always-call", 2)
    play(visitor.site, visitor.person, "no-limit-holdem", "no-limit-holdem-mccfr", 1)
    hand = visitor.site.service.hands(visitor.person, Filter(game="no-limit-holdem")).hands[0].id
    found = violations(visitor, f"/hands/{hand}/coach") + violations(visitor, f"/hands/{hand}/coach?longer=yes")
    found += violations(visitor, "/statistics") + violations(visitor, "/hands")
    assert not found, "\n".join(map(str, found))


def test_every_event_is_announced(enter: Enter) -> None:
    visitor = enter()
    sit_down(visitor, "no-limit-holdem", "always-raise")
    lines = visitor.page.locator(".events li")
    while not visitor.state[2]:
        before = lines.count()
        visitor.after(lambda: visitor.press("c"))
        told = lines.all_text_contents()[before:]
        assert len(told) >= 2
        visitor.page.wait_for_function(
            "text => document.querySelector('#says').textContent.includes(text)", arg=told[-1].strip()
        )
        said = visitor.page.locator("#says").text_content() or ""
        places = [said.find(" ".join(each.split())) for each in told]
        assert places == sorted(places)
        assert min(places) >= 0
    assert visitor.text(".verdict").split("  ")[0][:12] in said

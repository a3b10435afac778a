"""A real browser: at every decision your cards, the board, the pot and every control are inside the window, and stay there."""

from __future__ import annotations

from itertools import product

import pytest

from tests.web.browsing import Visitor
from tests.web.conftest import Enter

WINDOWS = {"desktop": (1280, 800), "phone": (390, 844)}
SEATS = range(2, 7)
AGENT = "no-limit-holdem-pricope-agent-"
OPPONENTS = ["always-call", "always-raise", f"{AGENT}3-gp", f"{AGENT}3-dp", "random"]
SHOWN = ".seat .plate, .own .card, .slot, .pot, .dock button, .dock a, .dock input:not([type=hidden]), .verdict"
OUTSIDE = """selector => [...document.querySelectorAll(selector)].filter(each => {
    const box = each.getBoundingClientRect();
    if (box.left < 0 || box.top < 0 || box.right > innerWidth || box.bottom > innerHeight) return true;
    const top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    return !top || !(each.contains(top) || top.contains(each));
}).map(each => each.className + " " + each.textContent.trim() + " " + JSON.stringify(each.getBoundingClientRect()))"""
TOO_WIDE = """() => [...document.querySelectorAll(".card .rank, .plate .chips, .action, .moves .move")].filter(each => {
    const box = each.getBoundingClientRect(), around = each.closest(".card, .plate, .seat, .dock").getBoundingClientRect();
    return box.left < around.left - 0.5 || box.right > around.right + 0.5;
}).map(each => each.textContent)"""


def verify_window(visitor: Visitor) -> None:
    page = visitor.page
    page.evaluate("scrollTo(0, 0)")
    assert page.locator(".own .card").count() == 2
    assert page.locator(".slot").count() == 5
    assert page.evaluate(OUTSIDE, SHOWN) == []
    assert page.evaluate(TOO_WIDE) == []
    visitor.verify()


def place(visitor: Visitor, selector: str) -> tuple[int, int]:
    box = visitor.page.locator(selector).first.bounding_box()
    assert box is not None
    return round(box["x"]), round(box["y"])


def verify_hands(enter: Enter, size: str, seats: int, hands: int, *, dark: bool) -> None:
    visitor = enter(WINDOWS[size], dark=dark)
    visitor.go("/")
    game = "no-limit-holdem" if seats == 2 else f"no-limit-holdem:seats={seats}"
    table = visitor.site.service.open_table(visitor.person, game, OPPONENTS[: seats - 1])
    visitor.go(f"/tables/{table.id}")
    buttons, plates = set(), set()
    for number in range(hands):
        while not visitor.state[2]:
            verify_window(visitor)
            buttons.add(place(visitor, ".moves .move")[1])
            plates.add(place(visitor, ".own .plate")[0])
            visitor.after(lambda: visitor.press("c"))
        verify_window(visitor)
        plates.add(place(visitor, ".own .plate")[0])
        if number + 1 < hands:
            visitor.after(lambda: visitor.press("Enter"))
    assert len(buttons) <= 1, "the buttons stay where they are"
    assert len(plates) == 1, "so does your name, whatever is said above it"


SMALL = [(2, "phone"), (3, "desktop"), (5, "phone"), (6, "phone")]


@pytest.mark.parametrize(("seats", "size"), SMALL)
def test_a_hand_fits_the_window(enter: Enter, seats: int, size: str) -> None:
    verify_hands(enter, size, seats, 1, dark=seats % 2 == 0)


@pytest.mark.long
@pytest.mark.parametrize(("size", "dark", "seats"), list(product(WINDOWS, [False, True], SEATS)))
def test_hands_in_every_seat_fit_the_window(enter: Enter, size: str, dark: bool, seats: int) -> None:
    verify_hands(enter, size, seats, 2 * seats, dark=dark)

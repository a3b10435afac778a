"""A real browser in the lobby and at the table: double clicks, stale tabs, wrong amounts, no server, no scripts."""

from __future__ import annotations

import re

import pytest

from tests.web.browsing import PHONE, SIZES, Visitor, sit_down
from tests.web.conftest import Enter

# The lobby


def test_an_earlier_snapshot_that_plays_its_likeliest_action(enter: Enter) -> None:
    visitor = enter()
    visitor.go("/?game=leduc")
    visitor.page.locator('[name="opponent-0"]').select_option("leduc-smooth-uct")
    assert visitor.page.locator(".told a").get_attribute("href") == "/explore/leduc-smooth-uct"
    visitor.tab_to('[name="snapshot-0-leduc-smooth-uct"]')
    visitor.press("ArrowLeft", "ArrowLeft")
    assert visitor.page.locator(".checkpoint output").inner_text() == "after 100,000"
    [figures] = visitor.site.service.agents.card("leduc-smooth-uct.100000").measured[:1]
    assert visitor.text(".told span") == f"after 100,000 · {figures}"
    assert visitor.page.locator(".told a").get_attribute("href") == "/explore/leduc-smooth-uct.100000"
    visitor.page.locator('[name="style-0"]').select_option("greedy")
    visitor.click("form.choose .next")
    visitor.see("#table")
    table = visitor.context.request.get(f"/api{visitor.page.url.removeprefix(visitor.site.address)}").json()
    assert [each["id"] for each in table["opponents"]] == ["leduc-smooth-uct.100000:greedy"]
    visitor.go("/")
    visitor.click(".open a")
    assert visitor.state[0] == 1


def test_every_agent_shows_its_card(enter: Enter) -> None:
    visitor = enter(PHONE)
    visitor.go("/?game=limit-holdem")
    for card in visitor.site.service.agents.cards("limit-holdem"):
        visitor.page.locator('[name="opponent-0"]').select_option(card.id)
        shown = visitor.text(".told span")
        assert all(line in shown for line in (card.learned, *card.measured))
        assert visitor.page.locator(".told a").is_visible() == (card.kind != "scripted")


# At the table


def own_moves(visitor: Visitor) -> int:
    """How many the person at the browser has made in this hand, as the server says."""
    visitor.page.reload()
    return sum(line.startswith("You ") for line in visitor.page.locator(".events li.at-move").all_inner_texts())


@pytest.mark.parametrize("answered", [False, True])  # whether the second press comes before or after the answer to the first
def test_a_double_click_is_one_move(enter: Enter, answered: bool) -> None:
    visitor = enter()
    sit_down(visitor, "limit-holdem", "always-raise")  # so that the same buttons are there again
    box, mouse = visitor.see("#move-c").bounding_box(), visitor.page.mouse
    assert box is not None
    mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    def press(count: int) -> None:
        mouse.down(click_count=count)
        mouse.up(click_count=count)

    if answered:
        visitor.after(lambda: press(1))
    else:
        press(1)
    press(2)
    visitor.page.wait_for_timeout(300)
    assert own_moves(visitor) == 1


def test_a_double_click_opens_one_table(enter: Enter) -> None:
    visitor = enter()
    visitor.go("/?game=kuhn")
    visitor.page.locator("form.choose .next").dblclick()
    visitor.see("#table")
    visitor.go("/")
    assert visitor.page.locator(".open li").count() == 1


def test_a_key_held_down_is_one_move(enter: Enter) -> None:
    visitor = enter()
    sit_down(visitor, "limit-holdem", "always-call")

    def hold() -> None:
        for _ in range(5):
            visitor.page.keyboard.down("c")

    visitor.after(hold)
    visitor.page.wait_for_timeout(300)
    assert own_moves(visitor) == 1


def test_back_and_forward_change_nothing(enter: Enter) -> None:
    visitor = enter()
    sit_down(visitor, "leduc", "always-call")
    visitor.after(lambda: visitor.press("c"))
    played = visitor.state
    visitor.page.go_back()
    visitor.see("form.choose")
    visitor.page.go_forward()
    assert visitor.state == played
    visitor.page.reload()
    assert visitor.state == played


def test_a_tab_that_was_left_behind(enter: Enter) -> None:
    visitor = enter(forgiven=(" 409 ",))
    sit_down(visitor, "limit-holdem", "always-call")
    other = visitor.context.new_page()
    other.goto(visitor.page.url)
    played = visitor.after(lambda: visitor.click("#move-c"))
    other.locator("#move-r").click()
    notice = other.locator(".notice")
    notice.wait_for()
    assert notice.inner_text() == "You already acted in another tab; here is the current hand."
    assert other.locator("#table").get_attribute("data-move") == str(played[1])
    other.locator("#move-c").click()  # the other tab is up to date again
    other.wait_for_selector(f'#table:not([data-move="{played[1]}"])')


def test_amounts_that_are_none(enter: Enter) -> None:
    visitor = enter(forgiven=(" 422 ",))
    sit_down(visitor, "no-limit-holdem", "always-call")
    before, field = visitor.state, visitor.see("#raise [name=amount]")
    for wrong in ("1", "99999", ""):
        field.fill(wrong)
        visitor.click("#move-r")
        assert field.evaluate("each => !each.checkValidity()")
        assert visitor.state == before
    visitor.page.locator("#raise").evaluate("form => form.noValidate = true")
    field.fill("99999")
    visitor.click("#move-r")
    assert re.fullmatch(r"You cannot raise '99999': choose from \d+ to \d+ chips\.", visitor.text(".notice"))
    assert visitor.state == before


def test_a_server_that_does_not_answer(enter: Enter) -> None:
    visitor = enter(forgiven=("net::ERR_FAILED", "htmx:"))
    sit_down(visitor, "leduc", "always-call")
    before, page = visitor.state, visitor.page
    assert not page.locator("#trouble").is_visible()
    page.route("**/act", lambda route: route.abort())
    visitor.click("#move-c")
    page.locator("#trouble").wait_for(state="visible")
    assert visitor.state == before
    page.unroute("**/act")
    visitor.after(lambda: visitor.click("#move-c"))
    page.locator("#trouble").wait_for(state="hidden")


def test_the_keys_are_told(enter: Enter) -> None:
    visitor = enter()
    sit_down(visitor, "leduc", "always-call")
    before = visitor.state
    visitor.press("?")
    assert "Check or call" in visitor.text("#help")
    visitor.press("c")  # says nothing while the help is open
    visitor.press("Escape")
    visitor.page.locator("#help").wait_for(state="hidden")
    assert visitor.state == before


def test_light_and_dark(enter: Enter) -> None:
    grounds = []
    for dark in (False, True):
        visitor = enter(dark=dark)
        for path in ("/", "/hands", "/explore/leduc-cfr"):
            visitor.go(path)
            ground, ink = (
                visitor.page.locator("body").evaluate(f"each => getComputedStyle(each).{name}")
                for name in ("backgroundColor", "color")
            )
            grounds.append(luminance(ground))
            bright, dim = sorted([luminance(ground) + 0.05, luminance(ink) + 0.05], reverse=True)
            assert bright / dim > 7
    assert min(grounds[:3]) > 0.7
    assert max(grounds[3:]) < 0.05


def luminance(colour: str) -> float:
    """Of `rgb(r, g, b)`, from 0 (black) to 1 (white), as accessibility guidelines define it."""
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize(
    ("game", "size", "whole"),
    [
        ("leduc", "phone", True),
        ("no-limit-holdem", "desktop", False),
        pytest.param("no-limit-holdem", "desktop", True, marks=pytest.mark.long),
    ],
)
def test_without_scripts(enter: Enter, game: str, size: str, whole: bool) -> None:
    visitor = enter(SIZES[size], scripts=False)
    visitor.go("/")
    visitor.page.locator("#family").select_option(game)
    visitor.click("noscript button")
    visitor.see(f'form.choose input[name="game"][value="{game}"]')
    visitor.page.locator('[name="opponent-0"]').select_option("always-call")
    visitor.click("form.choose .next")
    if visitor.page.locator("#raise").count():
        visitor.page.locator("#raise [name=amount]").fill("37")
        visitor.after(lambda: visitor.click("#move-r"))
        assert "You raise to 37" in visitor.page.locator(".events li").all_inner_texts()
        visitor.after(lambda: visitor.click("#raise .presets button"))
    while not visitor.state[2]:
        visitor.after(lambda: visitor.click("#move-c"))
    visitor.verify()
    if game == "leduc":  # the coach has nothing to say about a scripted player in hold'em
        visitor.click("text=Coach")
        visitor.see(".panel.seen")
        visitor.page.go_back()
    visitor.after(lambda: visitor.click("#next"))
    if not whole:
        return  # results and hands of hold'em need AIVAT
    visitor.click("noscript a")
    assert visitor.text(".tiles div:first-child") == "Hands 1"
    visitor.verify()
    visitor.go("/hands")
    visitor.click("text=Replay")
    visitor.click("#step-on")
    visitor.page.wait_for_url("**/hands/*?step=1")
    visitor.go("/explore/leduc-cfr" if game != "leduc" else "/explore/kuhn-lp")
    visitor.click(".walk a")
    visitor.page.wait_for_url("**/explore/*?at=*")

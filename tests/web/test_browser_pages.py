"""A real browser on the pages about finished hands, the explorer, the API and errors."""

from __future__ import annotations

import json
import re
import tomllib
from fractions import Fraction
from pathlib import Path

import pytest

from smoothcall.interop.phh import read_phh
from tests.interop.test_phh import pokerkits_stacks
from tests.web.browsing import PHONE, SIZES, Visitor, play, sit_down
from tests.web.conftest import Enter


def some_hands(visitor: Visitor, game: str, opponent: str, count: int) -> None:
    """Finished hands of the person at the browser."""
    visitor.go("/")
    play(visitor.site, visitor.person, game, opponent, count)


@pytest.mark.parametrize("size", ["phone", pytest.param("desktop", marks=pytest.mark.long)])
def test_history(enter: Enter, size: str) -> None:
    visitor = enter(SIZES[size])
    some_hands(visitor, "leduc", "leduc-cfr", 30)
    some_hands(visitor, "kuhn", "always-raise", 4)
    visitor.go("/hands")
    assert visitor.text("main .about p") == "34 finished · Review hands from a file"
    visitor.click("text=Earlier")
    assert visitor.text(".paging") == "Later Page 2 of 2"
    visitor.page.locator("[name=game]").select_option("leduc")
    visitor.page.locator("[name=result]").select_option("won")
    visitor.click(".filters button")
    visitor.see('[name=game] option[selected][value="leduc"]')
    visitor.verify()
    rows = visitor.page.locator("table.hands tbody tr")
    assert 0 < rows.count() < 25
    assert all(text.startswith("+") for text in visitor.page.locator("table.hands .net").all_inner_texts())
    visitor.page.locator("[name=showdown]").select_option("yes")
    visitor.click(".filters button")
    visitor.see('[name=showdown] option[selected][value="yes"]')
    visitor.page.locator("tbody tr").last.locator("text=Replay").click()
    visitor.see("#hand")
    visitor.verify()
    hand = visitor.page.url.partition("?")[0]
    assert visitor.page.locator(".seat:not(.you) .card.back").count() == 1
    steps = int(visitor.text("#hand .about p").split()[3])
    for step in range(1, steps + 1):
        visitor.press("ArrowRight") if step % 2 else visitor.click("#step-on")
        visitor.see(f'#hand[aria-label$="step {step} of {steps}"]')
        assert visitor.page.url == f"{hand}?step={step}"
    assert visitor.page.locator(".seat:not(.you) .card.back").count() == 0
    visitor.press("ArrowLeft")
    visitor.see(f'#hand[aria-label$="step {steps - 1} of {steps}"]')
    visitor.page.go_back()
    visitor.see(f'#hand[aria-label$="step {steps} of {steps}"]')
    visitor.go("/hands?result=lost&game=kuhn-3p")
    assert "No hands match these filters." in visitor.text("main")


def test_statistics(enter: Enter) -> None:
    visitor = enter(PHONE)
    some_hands(visitor, "leduc", "leduc-cfr", 12)
    some_hands(visitor, "no-limit-holdem", "always-call", 4)
    visitor.go("/statistics")
    assert visitor.text("main .about") == "Statistics 16 hands"
    assert visitor.page.locator(".panel.game").count() == 2
    visitor.page.locator("[name=game]").select_option("no-limit-holdem")
    visitor.click(".filters button")
    visitor.see('[name=game] option[selected][value="no-limit-holdem"]')
    assert visitor.text("main .about") == "Statistics 4 hands"
    assert visitor.page.locator(".dials svg").count() == 4
    visitor.verify()


def test_export(enter: Enter, tmp_path: Path) -> None:
    visitor = enter()
    for game in ("limit-holdem", "no-limit-holdem", "leduc"):
        some_hands(visitor, game, "always-call", 5)
    visitor.go("/hands")
    files = {}
    for form, ending in (("PHH", "phhs"), ("JSON", "json")):
        with visitor.page.expect_download() as waiting:
            visitor.click(f".links >> text={form}")
        assert waiting.value.suggested_filename == f"smoothcall-hands.{ending}"
        waiting.value.save_as(tmp_path / ending)
        files[ending] = (tmp_path / ending).read_text()
    exported = json.loads(files["json"])["hands"]
    assert [hand["game"] for hand in exported] == ["limit-holdem"] * 5 + ["no-limit-holdem"] * 5 + ["leduc"] * 5
    texts = re.split(r"^\[\d+\]\n", files["phhs"], flags=re.MULTILINE)[1:]
    assert len(texts) == 10  # PHH has no Leduc
    for text, hand in zip(texts, exported, strict=False):
        start = tomllib.loads(text)["starting_stacks"][0]  # all have the same
        assert sorted(pokerkits_stacks(text)) == sorted(start + Fraction(player["won"]) for player in hand["players"])
        if hand["reason"] == "showdown":  # every card is known
            assert read_phh(text).agrees


# The explorer


@pytest.mark.parametrize(
    ("agent", "size"),
    [
        ("leduc-cfr", "phone"),
        ("no-limit-holdem-mccfr", "desktop"),
        pytest.param("limit-holdem-smooth-uct", "desktop", marks=pytest.mark.long),
        pytest.param("no-limit-holdem-mccfr", "phone", marks=pytest.mark.long),
    ],
)
def test_the_explorer_down_and_up(enter: Enter, agent: str, size: str) -> None:
    visitor = enter(SIZES[size])
    visitor.go("/explore")
    visitor.click(f'a[href="/explore/{agent}"]')
    visitor.see("#spot")
    if "holdem" in agent:
        assert visitor.page.locator(".grid13 [data-hand]").count() == 169
    spots = [(visitor.page.url, visitor.text("#spot"))]
    for depth in range(3):
        visitor.click("#go-c") if depth % 2 else visitor.press("c")
        visitor.page.locator(f".crumbs > :nth-child({2 * depth + 3})[aria-current]").wait_for()  # the address changes first
        visitor.page.wait_for_url(lambda url: url != spots[-1][0])
        visitor.verify()
        spots.append((visitor.page.url, visitor.text("#spot")))
    assert len(set(spots)) == 4
    other = enter(SIZES[size])
    other.go(spots[3][0])
    assert other.text("#spot") == spots[3][1]
    visitor.click("#crumb-2")
    visitor.page.wait_for_url(spots[1][0])
    visitor.see(".crumbs > :nth-child(3)[aria-current]")
    assert visitor.text("#spot") == spots[1][1]
    visitor.press("ArrowUp")
    visitor.page.wait_for_url(f"{spots[0][0]}?at=")
    visitor.see(".crumbs > :nth-child(1)[aria-current]")
    assert visitor.text("#spot") == spots[0][1]
    visitor.page.go_back()
    visitor.page.wait_for_url(spots[1][0])
    visitor.see(".crumbs > :nth-child(3)[aria-current]")
    assert visitor.text("#spot") == spots[1][1]


def test_the_explorer_waits_for_the_end_of_a_hand(enter: Enter) -> None:
    visitor = enter(forgiven=(" 403 ",))
    sit_down(visitor, "leduc", "leduc-cfr")
    table = visitor.page.url
    visitor.page.goto("/explore/leduc-cfr")
    assert "Finish your hand" in visitor.text("main")
    visitor.page.goto(table)
    while not visitor.state[2]:
        visitor.after(lambda: visitor.press("c"))
    visitor.click('.links a[href="/explore/leduc-cfr"]')
    visitor.see("#spot")


def test_the_page_of_the_api(enter: Enter) -> None:
    for size in SIZES.values():
        visitor = enter(size)
        visitor.go("/api/docs")
        details = visitor.page.locator("details")
        details.first.locator("summary").click()
        assert details.evaluate_all("all => all.filter(each => each.open).length") == 1
        details.evaluate_all("all => all.forEach(each => { each.open = true })")
        visitor.verify()


def test_what_is_not_there(enter: Enter) -> None:
    visitor = enter(PHONE, forgiven=(" 404 ", " 400 "))
    for path in ("/nowhere", "/tables/unknown", "/hands/12345678", "/explore/nobody", "/?game=bridge", "/hands?page=7"):
        visitor.go(path)
        assert visitor.text(".fault").endswith("Go to the lobby"), path
    visitor.click(".fault a")
    visitor.see("form.choose")

"""Renew the pictures of the pages in docs/pictures: `python -m tests.web.pictures [FOLDER]`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from PIL import Image, ImageOps
from playwright.sync_api import Browser

from smoothcall.store.records import Filter
from tests.web.browsing import PHONE, Site, Visitor, browsing, play, serving

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
SEED = "seat 3"  # whose hands show something
BITS = 6  # of each colour
SIX = ["always-call", *(f"no-limit-holdem-pricope-agent-{name}" for name in ("1", "2", "3-dp", "3-gp"))]  # opponents


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURES
    with tempfile.TemporaryDirectory() as data, serving(Path(data)) as site, browsing() as browser:
        site.seed(SEED)
        pictures(browser, site, folder)


def pictures(browser: Browser, site: Site, folder: Path) -> None:
    player = Visitor(browser, site)
    player.go("/")
    person = player.person
    for game, opponent, hands in (
        ("kuhn", "kuhn-lp", 12),
        ("no-limit-holdem", "no-limit-holdem-mccfr", 12),
        ("limit-holdem", "limit-holdem-smooth-uct", 18),
        ("leduc", "leduc-smooth-uct", 24),
    ):
        play(site, person, game, opponent, hands)
    player.go("/?game=leduc")
    keep(player, folder / "play-lobby.png", 860)
    table = play(site, person, "limit-holdem", "limit-holdem-smooth-uct", 7, street=2)
    player.go(f"/tables/{table}")
    player.see("#results .tiles")
    player.page.wait_for_selector("#results :text('computing')", state="detached")
    keep(player, folder / "play-table.png", 860)
    six = site.service.open_table(person, "no-limit-holdem:seats=6", SIX)
    while six.hand.street < 1 and not six.hand.over:
        six = site.service.act(person, six.id, "c", hand=six.hand.number, move=six.hand.move)
    player.page.emulate_media(color_scheme="dark")
    player.go(f"/tables/{six.id}")
    keep(player, folder / "play-table-dark.png", 860)
    player.page.emulate_media(color_scheme="light")
    leduc = site.service.hands(person, Filter(game="leduc")).hands
    longest = max(leduc, key=lambda line: (len(line.betting), line.id))
    player.go(f"/hands/{longest.id}/coach")
    keep(player, folder / "play-coach.png")
    player.go("/hands")
    keep(player, folder / "play-history.png")
    player.go("/statistics")
    keep(player, folder / "play-statistics.png", 1240)
    watcher = Visitor(browser, site)  # with no hand in progress against the agents
    watcher.go("/explore/limit-holdem-smooth-uct?at=r")
    keep(watcher, folder / "play-explorer-holdem.png", 1130)
    watcher.go("/explore/leduc-cfr?at=rc/")
    keep(watcher, folder / "play-explorer-leduc.png")
    caller = Visitor(browser, site, PHONE)
    caller.go("/")
    table = play(site, caller.person, "no-limit-holdem", "no-limit-holdem-mccfr", 4, street=1)
    caller.go(f"/tables/{table}")
    caller.press("ArrowUp")
    keep(caller, folder / "play-phone.png")
    for visitor in (player, watcher, caller):
        visitor.verify()
        visitor.context.close()


def keep(visitor: Visitor, path: Path, height: int = 0) -> None:
    """A picture of the window, made as high as wanted; colours in small steps keep its file small."""
    width, usual = visitor.size
    visitor.page.set_viewport_size({"width": width, "height": height or usual})
    visitor.page.screenshot(path=path)
    visitor.page.set_viewport_size({"width": width, "height": usual})
    with Image.open(path) as picture:
        ImageOps.posterize(picture.convert("RGB"), BITS).save(path, optimize=True)


if __name__ == "__main__":
    main()

"""A real browser: hands of every game with mouse, touch and keyboard, then the coach, the history and the statistics."""

from __future__ import annotations

import re
from random import Random

import pytest

from smoothcall.play.stakes import FAMILIES, PLAY_GAMES, family_of
from smoothcall.web.lobby import DEFAULT
from tests.conftest import built
from tests.web.browsing import PHONE, SIZES, Visitor
from tests.web.conftest import Enter

GAMES = [game for game in PLAY_GAMES if ":" not in game or game.endswith("=6")]  # other numbers of seats look alike


BUTTONS = "all => all.map(each => [each.id, each.getBoundingClientRect().top, each.getBoundingClientRect().bottom])"

SETTLED = "selector => document.activeElement.matches(selector) && !document.querySelector('.htmx-settling, .htmx-request')"


class Mouse:
    """Plays with the mouse, on a phone by touch."""

    def __init__(self, visitor: Visitor) -> None:
        self.visitor = visitor

    def sit_down(self, game: str) -> None:
        self.visitor.go("/")
        self.visitor.page.locator("#family").select_option(family_of(game))
        self.visitor.see(f'form.choose input[name="game"][value="{family_of(game)}"]')
        if game != family_of(game):
            self.visitor.page.locator("#players").select_option(str(built(game).players))
            self.visitor.see(f'form.choose input[name="game"][value="{game}"]')
        self.visitor.verify()
        self.visitor.click("form.choose .next")

    def choose_amount(self, random: Random) -> None:
        page = self.visitor.page
        how = random.choice(["slider", "preset", "typed"])
        if how == "slider":
            box = page.locator("#raise [type=range]").bounding_box()
            assert box is not None
            page.mouse.click(box["x"] + random.random() * box["width"], box["y"] + box["height"] / 2)
        elif how == "preset":
            presets = page.locator("#raise [data-amount]")
            self.visitor.click(f"#raise .presets button:nth-child({random.randint(1, presets.count())})")
        else:
            field = page.locator("#raise [name=amount]")
            low, high = int(field.get_attribute("min") or 0), int(field.get_attribute("max") or 0)
            field.fill(str(random.randint(low, high)))

    def move(self, letter: str) -> None:
        self.visitor.click(f"#move-{letter}")

    def next_hand(self) -> None:
        self.visitor.click("#next")

    def follow(self, selector: str) -> None:
        self.visitor.click(selector)


class Keys:
    """Plays with the keyboard alone."""

    def __init__(self, visitor: Visitor) -> None:
        self.visitor = visitor

    def sit_down(self, game: str) -> None:
        self.visitor.go("/")
        self.choose("#family", list(FAMILIES).index(family_of(game)) - list(FAMILIES).index(DEFAULT))
        self.visitor.see(f'form.choose input[name="game"][value="{family_of(game)}"]')
        if game != family_of(game):
            self.choose("#players", FAMILIES[family_of(game)].index(game))
            self.visitor.see(f'form.choose input[name="game"][value="{game}"]')
        self.visitor.verify()
        self.visitor.tab_to("form.choose .next")
        self.visitor.press("Enter")

    def choose(self, selector: str, down: int) -> None:
        """Choose an option of a list, so many places below the one that is chosen."""
        self.visitor.tab_to(selector)
        for _ in range(abs(down)):
            before = self.visitor.see('form.choose input[name="game"]').get_attribute("value")
            self.visitor.press("ArrowDown" if down > 0 else "ArrowUp")
            self.visitor.see(f'form.choose input[name="game"]:not([value="{before}"])')
            self.visitor.page.wait_for_function(SETTLED, arg=selector)

    def choose_amount(self, random: Random) -> None:
        keys = random.choice(
            [["ArrowRight"] * random.randint(1, 9), ["ArrowUp"] * random.randint(1, 4), ["ArrowUp", "ArrowLeft"]]
        )
        self.visitor.press(*keys)

    def move(self, letter: str) -> None:
        self.visitor.press(letter)

    def next_hand(self) -> None:
        self.visitor.press("Enter")

    def follow(self, selector: str) -> None:
        self.visitor.tab_to(selector)
        self.visitor.press("Enter")


def play_hand(visitor: Visitor, player: Mouse | Keys, random: Random) -> None:
    """Play random moves to the end of a hand. Buttons must be visible without scrolling, and on a desktop must not move."""
    page, places = visitor.page, set()
    while not visitor.state[2]:
        buttons = page.locator(".moves .move").evaluate_all(BUTTONS)
        places.add(round(buttons[0][1]))
        letters = [id.removeprefix("move-") for id, _, _ in buttons]
        assert all(top >= 0 and bottom <= visitor.size[1] for _, top, bottom in buttons)
        letter = random.choice([each for each in letters if each != "f"] * 5 + letters)
        amount = ""
        if letter == "r" and page.locator("#raise").count():
            player.choose_amount(random)
            amount = page.locator("#raise [name=amount]").input_value()
            assert visitor.text("#move-r output").replace(",", "") == amount
        before = page.locator(".events li").count()
        visitor.after(lambda letter=letter: player.move(letter))  # type: ignore[misc]
        said = page.locator(".events li").nth(before).inner_text()
        assert said.startswith("You ")
        assert re.search(rf"\b{amount}\b", said.replace(",", "")), (said, amount)
        visitor.verify()
    assert len(places) <= 1 or visitor.size == PHONE, places


def sit_through(enter: Enter, game: str, way: type[Mouse] | type[Keys], size: str, hands: int, *, coached: bool = True) -> None:
    """Play so many hands, then look at the coach, the history and the statistics."""
    visitor, random = enter(SIZES[size]), Random(f"{game} {way} {size}")
    player = way(visitor)
    player.sit_down(game)
    for number in range(1, hands + 1):
        assert visitor.state[0] == number
        assert visitor.text("#table h1") == (PLAY_GAMES[game].partition(", ")[0] if size == "phone" else PLAY_GAMES[game])
        play_hand(visitor, player, random)
        shown = visitor.page.locator(".seat:not(.you) .card:not(.back)").count()
        assert (shown > 0) == (visitor.page.locator(".events .at-show").count() > 0)
        if number < hands:
            visitor.after(player.next_hand)
    won = visitor.text("#table .about b")
    visitor.see("#results .tiles")
    if "seats" in game:  # the suggested opponents learned for two players
        assert visitor.page.locator('.links a[href$="/coach"]').count() == 0
    elif coached:
        player.follow('.links a[href$="/coach"]')
        visitor.see(".panel.seen")
        visitor.verify()
        visitor.page.go_back()
    assert (visitor.state[0], visitor.state[2]) == (hands, True)
    player.follow('nav a[href="/hands"]')
    visitor.see("table.hands")
    assert visitor.page.locator("table.hands tbody tr").count() == hands
    visitor.verify()
    player.follow('nav a[href="/statistics"]')
    visitor.see(".dials")
    assert visitor.text("main .about") == f"Statistics {hands} hands"
    assert visitor.text("dd.won, dd.lost, dd.even") == won
    visitor.verify()


ONCE: dict[str, tuple[type[Mouse] | type[Keys], str]] = {  # every way and size, small games and games with amounts
    "leduc": (Mouse, "phone"),
    "kuhn-3p": (Keys, "desktop"),
    "no-limit-holdem": (Mouse, "desktop"),
    "no-limit-holdem:seats=6": (Keys, "phone"),
}


@pytest.mark.parametrize("game", ONCE)
def test_a_sitting(enter: Enter, game: str) -> None:
    """(To the coach of hold'em lead other tests.)"""
    sit_through(enter, game, *ONCE[game], hands=2, coached="holdem" not in game)


AT_ONCE = """() => new MutationObserver((changes, watching) => {
  const players = document.querySelector("#players:enabled");
  if (!players || players.options.length != 2) return;
  watching.disconnect();
  players.value = "3";
  players.dispatchEvent(new Event("change", {bubbles: true}));
}).observe(document.querySelector("main"), {childList: true, subtree: true})"""


def test_a_form_works_as_soon_as_it_is_there(enter: Enter) -> None:
    """The lobby sends a choice that is made in the moment in which the new form is inserted."""
    visitor = enter()
    visitor.go("/?game=no-limit-holdem")
    visitor.page.evaluate(AT_ONCE)
    visitor.page.locator("#family").select_option("kuhn")
    visitor.see('form.choose input[name="game"][value="kuhn-3p"]')


@pytest.mark.long
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("way", [Mouse, Keys])
@pytest.mark.parametrize("game", GAMES)
def test_every_kind_of_sitting(enter: Enter, game: str, way: type[Mouse] | type[Keys], size: str) -> None:
    sit_through(enter, game, way, size, hands=built(game).players)

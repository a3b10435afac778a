"""A real browser at the pages: whole freezeouts of every game with mouse, finger and keyboard, and all that surrounds them."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest
from playwright.sync_api import Browser

from smoothcall.interop.phh import read_phh
from smoothcall.play.opponents import PLAY_GAMES
from tests.conftest import built
from tests.interop.test_phh import pokerkits_stacks
from tests.web.browsing import DESKTOP, PHONE, Site, Visitor, browsing, play, serving

SIZES = {"desktop": DESKTOP, "phone": PHONE}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with serving(tmp_path_factory.mktemp("site")) as found:
        yield found


@pytest.fixture(scope="module")  # not longer: other tests run event loops of their own
def browser() -> Iterator[Browser]:
    with browsing() as found:
        yield found


Enter = Callable[..., Visitor]


@pytest.fixture
def enter(browser: Browser, site: Site, request: pytest.FixtureRequest) -> Iterator[Enter]:
    """Somebody new comes with a browser; in the end nothing may have gone wrong in it."""
    site.seed(request.node.name)
    came: list[Visitor] = []

    def make(size: tuple[int, int] = DESKTOP, **how: object) -> Visitor:
        came.append(Visitor(browser, site, size, **how))  # type: ignore[arg-type]
        return came[-1]

    yield make
    for visitor in came:
        visitor.context.close()
    assert not [trouble for visitor in came for trouble in visitor.troubles]


def sit_down(visitor: Visitor, game: str, opponent: str = "") -> None:
    visitor.go(f"/?game={game}")
    if opponent:
        visitor.click(f'[name="opponent-0"][value="{opponent}"]')
    visitor.click("form.choose .next")
    visitor.see("#table")
    visitor.verify()


# Integer freezeouts


FREEZEOUTS = [game for game in PLAY_GAMES if ":" not in game or game.endswith("=6")]  # between, only seats are more or fewer


def links_to(game: str) -> list[str]:
    """In the lobby: the game, and then the number of players."""
    return list(dict.fromkeys([game.partition(":")[0], game]))


class Mouse:
    """Plays by pointing; on a telephone with a finger."""

    def __init__(self, visitor: Visitor) -> None:
        self.visitor = visitor

    def sit_down(self, game: str) -> None:
        self.visitor.go("/")
        for link in links_to(game):
            self.visitor.click(f'a[href="/?game={link}"]')
            self.visitor.see(f'form.choose input[name="game"][value="{link}"]')
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
    """Plays by keys alone."""

    def __init__(self, visitor: Visitor) -> None:
        self.visitor = visitor

    def sit_down(self, game: str) -> None:
        self.visitor.go("/")
        for link in links_to(game):
            self.follow(f'a[href="/?game={link}"]')
            self.visitor.see(f'form.choose input[name="game"][value="{link}"]')
        self.visitor.verify()
        self.visitor.tab_to('[name="opponent-0"]')
        self.visitor.press("ArrowDown", "ArrowUp", "Enter")

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
    """Random moves to the end of a hand, everything in sight without scrolling, and on a desk always in its place."""
    page, places = visitor.page, set()
    while not visitor.state[2]:
        buttons = page.locator(".moves .move")
        places.add(round((buttons.first.bounding_box() or {"y": -1.0})["y"]))
        letters = [(each.get_attribute("id") or "").removeprefix("move-") for each in buttons.all()]
        assert all(visitor.in_view(each) for each in buttons.all())
        letter = random.choice([each for each in letters if each != "f"] * 5 + letters)
        amount = ""
        if letter == "r" and page.locator("#raise").count():
            player.choose_amount(random)
            amount = page.locator("#raise [name=amount]").input_value()
            assert visitor.text("#move-r output") == amount
        before = page.locator(".events li").count()
        visitor.after(lambda letter=letter: player.move(letter))  # type: ignore[misc]
        said = page.locator(".events li").nth(before).inner_text()
        assert said.startswith("You ")
        assert re.search(rf"\b{amount}\b", said), (said, amount)
        visitor.verify()
    assert len(places) <= 1 or visitor.size == PHONE, places


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("way", [Mouse, Keys])
@pytest.mark.parametrize("game", FREEZEOUTS)
def test_a_whole_session(enter: Enter, game: str, way: type[Mouse] | type[Keys], size: str) -> None:
    visitor, random = enter(SIZES[size]), Random(f"{game} {way} {size}")
    player, hands = way(visitor), built(game).players  # one hand in each seat
    player.sit_down(game)
    for number in range(1, hands + 1):
        assert visitor.state[0] == number
        assert PLAY_GAMES[game] == visitor.text("#table h1")
        play_hand(visitor, player, random)
        shown = visitor.page.locator(".others .card:not(.back)").count()
        assert (shown > 0) == ("at the showdown" in visitor.text(".verdict"))
        if number < hands:
            visitor.after(player.next_hand)
    won = visitor.text("#table .about b")
    visitor.see("#results .tiles")
    if "seats" in game:  # those who are offered first have learned for two: the coach cannot ask them
        assert visitor.page.locator('.links a[href$="/coach"]').count() == 0
    else:
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


# The lobby


def test_an_earlier_snapshot_that_plays_its_likeliest_action(enter: Enter) -> None:
    visitor = enter()
    visitor.go("/?game=leduc")
    visitor.tab_to('[name="snapshot-0-leduc-smooth-uct"]')
    visitor.press("ArrowLeft", "ArrowLeft")
    assert visitor.page.locator(".agent:has(.snapshot) output").inner_text() == "after 100,000"
    visitor.tab_to('[name="style-0"]')
    visitor.press("ArrowRight", "Enter")
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
        shown = visitor.page.locator(".agent", has=visitor.page.locator(f'[value="{card.id}"]')).inner_text()
        assert all(line in shown for line in (card.name, card.learned, *card.measured))


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
    assert notice.inner_text() == "This hand has gone on in the meantime."
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
    assert re.fullmatch(r"Raise of '99999'\? It takes a whole number from \d+ to \d+\.", visitor.text(".notice"))
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


@pytest.mark.parametrize(("game", "size"), [("leduc", "phone"), ("no-limit-holdem", "desktop")])
def test_without_scripts(enter: Enter, game: str, size: str) -> None:
    visitor = enter(SIZES[size], scripts=False)
    visitor.go("/")
    visitor.click(f'.games a[href="/?game={game}"]')
    visitor.see(f'form.choose input[name="game"][value="{game}"]')
    visitor.click('[value="always-call"]')
    visitor.click("form.choose .next")
    if visitor.page.locator("#raise").count():
        visitor.page.locator("#raise [name=amount]").fill("37")
        visitor.after(lambda: visitor.click("#move-r"))
        assert "You raise to 37" in visitor.page.locator(".events li").all_inner_texts()
        visitor.after(lambda: visitor.click("#raise .presets button"))
    while not visitor.state[2]:
        visitor.after(lambda: visitor.click("#move-c"))
    visitor.verify()
    visitor.click("text=Ask the coach")
    visitor.see(".panel.seen")
    visitor.page.go_back()
    visitor.after(lambda: visitor.click("#next"))
    visitor.click("noscript a")
    assert visitor.text(".tiles div:first-child") == "Hands 1"
    visitor.verify()
    visitor.go("/hands")
    visitor.click("text=Step through")
    visitor.click("#step-on")
    visitor.page.wait_for_url("**/hands/*?step=1")
    visitor.go("/explore/leduc-cfr" if game != "leduc" else "/explore/kuhn-lp")
    visitor.click(".walk a")
    visitor.page.wait_for_url("**/explore/*?at=*")


# Afterwards


def some_hands(visitor: Visitor, game: str, opponent: str, count: int) -> None:
    """Finished hands of the person at the browser."""
    visitor.go("/")
    play(visitor.site, visitor.person, game, opponent, count)


@pytest.mark.parametrize("size", SIZES)
def test_history(enter: Enter, size: str) -> None:
    visitor = enter(SIZES[size])
    some_hands(visitor, "leduc", "leduc-cfr", 30)
    some_hands(visitor, "kuhn", "always-raise", 4)
    visitor.go("/hands")
    assert visitor.text("main .about p") == "34 finished"
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
    visitor.page.locator("tbody tr").last.locator("text=Step through").click()
    visitor.see("#hand")
    visitor.verify()
    hand = visitor.page.url.partition("?")[0]
    assert visitor.page.locator(".others .card.back").count() == 1
    steps = int(visitor.text("#hand .about p").split()[3])
    for step in range(1, steps + 1):
        visitor.press("ArrowRight") if step % 2 else visitor.click("#step-on")
        visitor.see(f'#hand[aria-label$="step {step} of {steps}"]')
        assert visitor.page.url == f"{hand}?step={step}"
    assert visitor.page.locator(".others .card.back").count() == 0
    visitor.press("ArrowLeft")
    visitor.see(f'#hand[aria-label$="step {steps - 1} of {steps}"]')
    visitor.page.go_back()
    visitor.see(f'#hand[aria-label$="step {steps} of {steps}"]')
    visitor.go("/hands?result=lost&game=kuhn-3p")
    assert "No hand fits." in visitor.text("main")


def test_statistics(enter: Enter) -> None:
    visitor = enter(PHONE)
    some_hands(visitor, "leduc", "leduc-cfr", 12)
    some_hands(visitor, "no-limit-holdem", "always-call", 4)
    visitor.go("/statistics")
    assert visitor.text("main .about") == "Statistics 16 hands"
    assert visitor.page.locator(".list tbody tr").count() == 2
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
    ("agent", "size"), [("leduc-cfr", "phone"), ("limit-holdem-smooth-uct", "desktop"), ("no-limit-holdem-mccfr", "phone")]
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
        visitor.page.locator(f".crumbs > :nth-child({2 * depth + 3})[aria-current]").wait_for()
        visitor.page.wait_for_url(lambda url: url != spots[-1][0])
        visitor.verify()
        spots.append((visitor.page.url, visitor.text("#spot")))
    assert len(set(spots)) == 4
    other = enter(SIZES[size])
    other.go(spots[3][0])
    assert other.text("#spot") == spots[3][1]
    visitor.click("#crumb-2")
    visitor.page.wait_for_url(spots[1][0])
    assert visitor.text("#spot") == spots[1][1]
    visitor.press("ArrowUp")
    visitor.page.wait_for_url(f"{spots[0][0]}?at=")
    assert visitor.text("#spot") == spots[0][1]
    visitor.page.go_back()
    visitor.page.wait_for_url(spots[1][0])
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
        for each in visitor.page.locator("details").all():
            each.locator("summary").click()
        visitor.verify()


@pytest.mark.parametrize(
    "path", ["/nowhere", "/tables/unknown", "/hands/12345678", "/explore/nobody", "/?game=bridge", "/hands?page=7"]
)
def test_what_is_not_there(enter: Enter, path: str) -> None:
    visitor = enter(PHONE, forgiven=(" 404 ", " 400 "))
    visitor.go("/")
    visitor.go(path)
    assert visitor.text(".fault").endswith("To the lobby")
    visitor.click(".fault a")
    visitor.see("form.choose")

"""Every page, by forms and links alone."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest
from fastapi import FastAPI

from smoothcall.agents.scripted import FINAL_POOL, FIRST_POOL
from smoothcall.play.opponents import Agents
from smoothcall.play.people import LIFE
from smoothcall.play.person_view import Figure
from smoothcall.play.service import PlayService
from smoothcall.play.stakes import PLAY_GAMES
from smoothcall.store.records import Filter
from smoothcall.web import drawing, pages
from smoothcall.web.guard import HEADERS
from tests.conftest import built
from tests.web.conftest import Invite
from tests.web.visitor import HTMX, Page, Visitor


def play(visitor: Visitor, page: Page, hands: int, random: Random) -> Page:
    """Press buttons until so many hands are over."""
    while True:
        if page.data("over") == "yes" and int(page.data("hand")) == hands:
            return page
        page = visitor.press(page, random)


@pytest.mark.parametrize("game", PLAY_GAMES)
def test_whole_hands_by_forms(visitor: Visitor, service: PlayService, game: str) -> None:
    page = play(visitor, visitor.sit_down(game), 3, Random(1))
    person = service.person(visitor.token)
    table = service.tables(person)[0]
    assert (table.game, table.hands, table.hand.over) == (game, 3, True)
    assert PLAY_GAMES[game] in page.source.replace("&#39;", "'")
    assert set(table.hand.you.cards) <= set(page.cards)
    assert service._histories.count(person, Filter()) == 3  # listing them would estimate AIVAT


@pytest.mark.long
@pytest.mark.parametrize("game", PLAY_GAMES)
def test_hands_of_every_game_are_listed(visitor: Visitor, service: PlayService, game: str) -> None:
    play(visitor, visitor.sit_down(game), 3, Random(1))
    assert service.hands(service.person(visitor.token), Filter()).total == 3
    assert visitor.page("/hands").source.count('<td class="when">') == 3


def test_one_press_from_the_first_page_to_a_hand(visitor: Visitor) -> None:
    form = visitor.page("/").form("/tables")
    answer = visitor.post(form.action, data=form.fields)
    assert answer.status_code == 200
    assert re.fullmatch("/tables/[A-Za-z0-9_-]+", answer.url.path)
    assert Page(answer.text).cards


def test_the_lobby_offers_who_fits(visitor: Visitor, agents: Agents) -> None:
    for game in PLAY_GAMES:
        page = visitor.page(f"/?game={game}")
        assert page.offered == {card.id for card in agents.cards(game)}
        assert all(given.get("name") != "opponent-1" for _, given in page.tags) == (built(game).players == 2)
        part = visitor.get(f"/?game={game}", headers=HTMX).text
        assert "<html" not in part
        assert part.lstrip().startswith('<div id="choose">')


def test_learned_opponents_are_suggested_for_every_seat(visitor: Visitor) -> None:
    fields = visitor.page("/?game=limit-holdem-3p").form("/tables").fields
    assert fields["opponent-0"] == fields["opponent-1"] == "limit-holdem-3p-mccfr"
    six = visitor.page("/?game=no-limit-holdem:seats=6").form("/tables").fields
    assert {six[f"opponent-{place}"][:16] for place in range(5)} == {"no-limit-holdem-"}


def test_a_match_from_the_lobby_to_its_end(visitor: Visitor, service: PlayService, agents: Agents) -> None:
    lobby = visitor.page("/?game=no-limit-holdem&form=match")
    offered = lobby.offered
    assert offered == {card.id for card in agents.cards("no-limit-holdem", match=True)} >= {"probe"}
    assert "no-limit-holdem-mccfr" not in offered
    assert "Some agents are not offered" in lobby.source
    form = lobby.form("/tables")
    assert form.fields["freezeouts"] == "10"
    page = Page(visitor.post("/tables", data={**form.fields, "freezeouts": "2", "opponent-0": "always-raise"}).text)
    assert "Freezeout 1 of 2" in page.source
    path = page.forms[0].action.rsplit("/", 1)[0]
    while "The match is over" not in page.source:
        page = visitor.press(page, Random(len(page.source)))
    table = service.tables(service.person(visitor.token))[0]
    assert table.match is not None
    score = f"{table.match.won}–{table.match.lost}"
    assert f"The match is over: {score}" in page.source
    assert not any(form.action.endswith("/next") for form in page.forms)
    assert visitor.post(f"{path}/next", data={"hand": str(table.hand.number)}).status_code == 403
    part = visitor.get(f"{path}/results", headers=HTMX).text
    assert score in part
    assert "241.07" in part
    assert "AIVAT needs hands that begin with full stacks" in part
    assert score in visitor.page("/").source
    plain = visitor.sit_down("no-limit-holdem", **{"opponent-0": "probe"})
    assert "Game 1" not in plain.source
    assert "241.07" not in visitor.get(f"{plain.forms[0].action.rsplit('/', 1)[0]}/results", headers=HTMX).text


def test_a_match_of_freezeouts_of_ten_hands(visitor: Visitor) -> None:
    """The form of epfl2020, against each of its agents and scripted players."""
    lobby = visitor.page("/?game=no-limit-holdem-32&form=match")
    assert "chips carry over for 10 hands, or until one player has none" in lobby.source
    offered = lobby.offered
    learners = ("monte-carlo", "deep-q-continuous", "deep-q-discrete", "clipped-double-dqn")
    scripted = {"always-call", *FIRST_POOL, *FINAL_POOL} - {"call"}
    assert {f"no-limit-holdem-32-{name}" for name in learners} | scripted <= offered
    fields = {**lobby.form("/tables").fields, "freezeouts": "1", "opponent-0": "check-fold"}
    page = Page(visitor.post("/tables", data=fields).text)
    for hand in range(1, 11):
        assert f"Freezeout 1 of 1, hand {hand} of 10" in page.source
        while forms := [form for form in page.forms if form.action.endswith("/act")]:
            page = Page(visitor.post(forms[0].action, data={**forms[0].fields, "letter": "c"}).text)
        for form in (form for form in page.forms if form.action.endswith("/next")):
            page = Page(visitor.post(form.action, data=form.fields).text)
    assert "The match is over: " in page.source


def test_matches_that_cannot_be(visitor: Visitor) -> None:
    visitor.page("/")
    for fields, message in (
        ({"game": "leduc", "freezeouts": "10", "opponent-0": "probe"}, "is played hand by hand"),
        ({"game": "no-limit-holdem", "freezeouts": "101", "opponent-0": "probe"}, "101 (accepted: 0 to 100)"),
        ({"game": "no-limit-holdem", "freezeouts": "x", "opponent-0": "probe"}, "a whole number"),
        ({"game": "no-limit-holdem", "freezeouts": "3", "opponent-0": "no-limit-holdem-mccfr"}, "has learned with full stacks"),
    ):
        answer = visitor.post("/tables", data=fields)
        assert answer.status_code == 400
        assert message in answer.text
    assert visitor.get("/?game=no-limit-holdem&form=tournament").status_code == 400
    assert visitor.get("/?game=leduc&form=match").status_code == 200, "hand by hand, as it is played"


def test_open_tables_are_listed(visitor: Visitor) -> None:
    page = visitor.sit_down("kuhn")
    assert page.forms[0].action.rsplit("/", 1)[0] in visitor.page("/").links


def test_a_snapshot_and_the_greedy_style_are_chosen(visitor: Visitor, service: PlayService, agents: Agents) -> None:
    card = next(card for card in agents.cards("leduc") if card.snapshots)
    chosen = {"opponent-0": card.id, f"snapshot-0-{card.id}": "1", "style-0": "greedy"}
    visitor.sit_down("leduc", **chosen)
    table = service.tables(service.person(visitor.token))[0]
    assert table.opponents[0].id == f"{card.snapshots[1][1]}:greedy"
    visitor.sit_down("leduc", **{"opponent-0": "always-call", "style-0": "greedy"})  # a rule has one style
    assert service.tables(service.person(visitor.token))[0].opponents[0].id == "always-call"


def test_htmx_is_answered_with_the_table_alone(visitor: Visitor) -> None:
    page = visitor.sit_down("leduc", **{"opponent-0": "always-call"})
    form = page.forms[0]
    answer = visitor.post(form.action, data={**form.fields, "letter": "c"}, headers=HTMX)
    assert answer.status_code == 200
    assert answer.text.lstrip().startswith('<section id="table"')
    assert "hx-trigger-after-settle" not in answer.headers
    answer = visitor.post(form.action, data={**Page(answer.text).forms[0].fields, "letter": "c"}, headers=HTMX)
    assert Page(answer.text).data("over") == "yes"
    assert answer.headers["hx-trigger-after-settle"] == "hand-over"  # the results ask for themselves
    restored = visitor.get(form.action.rsplit("/", 1)[0], headers={**HTMX, "HX-History-Restore-Request": "true"})
    assert "<html" in restored.text


def test_results_and_their_curve(visitor: Visitor, service: PlayService) -> None:
    page = visitor.sit_down("leduc")
    path = page.forms[0].action.rsplit("/", 1)[0]
    assert "after the first hand" in visitor.get(f"{path}/results", headers=HTMX).text
    play(visitor, page, 4, Random(2))
    part = visitor.get(f"{path}/results", headers=HTMX).text
    found = service.results(service.person(visitor.token), path.rsplit("/", 1)[1])
    assert drawing.figure(found.raw) in part
    assert drawing.figure(found.luck_adjusted) in part
    assert part.count("<polyline") == 2
    assert "<html" in visitor.get(f"{path}/results").text


def test_the_history_steps_and_filters(visitor: Visitor, service: PlayService) -> None:
    play(visitor, visitor.sit_down("leduc"), 3, Random(3))
    play(visitor, visitor.sit_down("no-limit-holdem"), 2, Random(3))
    person = service.person(visitor.token)
    page = visitor.page("/hands")
    assert page.source.count('<td class="when">') == 5
    assert visitor.page("/hands?game=leduc&since=2020-01-01").source.count('<td class="when">') == 3
    assert "No hands match these filters" in visitor.page("/hands?until=2020-01-01").source
    assert visitor.page("/hands?since=0001-01-01&until=9999-12-31").source.count('<td class="when">') == 5
    won = visitor.page("/hands?result=won&showdown=yes").source.count('<td class="when">')
    lost = visitor.page("/hands?result=lost&showdown=yes").source.count('<td class="when">')
    lines = service.hands(person, Filter()).hands
    assert won == sum(line.won_chips > 0 and line.reason == "showdown" for line in lines)
    assert lost == sum(line.won_chips < 0 and line.reason == "showdown" for line in lines)
    steps = service.hand(person, lines[0].id)
    for step, view in enumerate(steps):
        shown = visitor.page(f"/hands/{lines[0].id}?step={step}")
        known = {name for seat in view.seats for name in seat.cards} | {name for street in view.boards for name in street}
        assert set(shown.cards) == known
        assert shown.source.count("<li class=") == len(view.events)


def test_pages_of_the_history(visitor: Visitor, service: PlayService) -> None:
    person = service.person(visitor.token)
    table = service.open_table(person, "kuhn", ["always-call"])
    while table.hands < 30:
        if table.hand.over:
            table = service.next_hand(person, table.id, hand=table.hand.number)
        else:
            table = service.act(person, table.id, "c", hand=table.hand.number, move=table.hand.move)
    first = visitor.page("/hands?game=kuhn")
    assert "/hands?game=kuhn&page=2" in first.links
    second = visitor.page("/hands?game=kuhn&page=2")
    assert "/hands?game=kuhn&page=1" in second.links
    assert first.source.count('<td class="when">') + second.source.count('<td class="when">') == 30


def test_the_coach_speaks_after_the_hand(visitor: Visitor, service: PlayService) -> None:
    page = visitor.sit_down("leduc")
    person = service.person(visitor.token)
    id = service.tables(person)[0].hand.id
    early = visitor.get(f"/hands/{id}/coach")
    assert early.status_code == 403
    assert "once the hand is over" in early.text
    play(visitor, page, 1, Random(4))
    text = visitor.page(f"/hands/{id}/coach").source
    review = service.coach(person, id)
    assert text.count('class="chosen"') == len(review.decisions) > 0
    assert drawing.signed(review.decisions[0].moves[0].ev or 0, 3) in text


def test_statistics_and_exports(visitor: Visitor, service: PlayService) -> None:
    play(visitor, visitor.sit_down("leduc"), 1, Random(5))
    found = service.statistics(service.person(visitor.token), Filter())
    text = visitor.page("/statistics").source
    assert drawing.percent(found.games[0].vpip) in text
    assert drawing.figure(found.games[0].raw) in text
    assert drawing.per_100(found.games[0].raw) in text
    play(visitor, visitor.sit_down("limit-holdem", **{"opponent-0": "always-call"}), 2, Random(5))
    phh = visitor.get("/export?form=phh&game=limit-holdem")
    assert phh.headers["content-disposition"] == 'attachment; filename="smoothcall-hands.phhs"'
    assert phh.text.count("actions = ") == 2
    assert "export as JSON" in visitor.get("/export?form=phh&game=leduc").text
    hands = visitor.get("/export?form=json")
    assert hands.headers["content-type"] == "application/json"
    assert len(hands.json()["hands"]) == 3


def test_the_explorer_walks_down_and_up(visitor: Visitor, agents: Agents) -> None:
    start = visitor.page("/explore")
    for card in agents.cards():
        assert (f"/explore/{card.id}" in start.links) == (card.kind != "scripted")
    page = visitor.page("/explore/leduc-cfr")
    assert "/explore/leduc-cfr?at=r" in page.links
    down = visitor.page("/explore/leduc-cfr?at=rc/")
    assert "/explore/leduc-cfr?at=" in down.links  # back to the start
    assert re.search(r"<th scope=.row.>K/Q", down.source)
    part = visitor.get("/explore/leduc-cfr?at=r", headers=HTMX).text
    assert "<html" not in part
    assert 'id="spot"' in part


@pytest.mark.parametrize("player_id", ["limit-holdem-smooth-uct", "no-limit-holdem-mccfr"])
def test_the_explorer_of_holdem_has_a_grid(visitor: Visitor, player_id: str) -> None:
    page = visitor.page(f"/explore/{player_id}")
    hands = [given["data-hand"] for _, given in page.tags if "data-hand" in given]
    assert len(hands) == len(set(hands)) == 169
    assert (hands[0], hands[1], hands[13]) == ("AA", "AKs", "AKo")
    assert 'class="sweep"' in visitor.page(f"/explore/{player_id}?at=cc/").source


def test_the_explorer_of_likeliest_actions(visitor: Visitor) -> None:
    mixed, greedy = (visitor.page(f"/explore/leduc-cfr{how}?at=cr").source for how in ("", ":greedy"))
    assert mixed.count("100 %") < greedy.count("100 %")


def test_the_explorer_is_closed_during_a_hand_with_that_agent(visitor: Visitor, invite: Invite) -> None:
    page = visitor.sit_down("leduc", **{"opponent-0": "leduc-cfr"})
    refused = visitor.get("/explore/leduc-cfr")
    assert refused.status_code == 403
    at = next(form.action for form in page.forms if form.action.startswith("/tables/")).removesuffix("/act")
    assert f'href="{at}"' in refused.text  # the way to that hand
    assert visitor.get("/explore/kuhn-lp").status_code == 200
    assert invite().get("/explore/leduc-cfr").status_code == 200
    play(visitor, page, 1, Random(6))
    assert visitor.get("/explore/leduc-cfr").status_code == 200


def verify_links(visitor: Visitor, games: Sequence[str], left_out: str = "$.") -> None:
    """Follow all links as somebody who has played these games, but those that match `left_out`.

    No page may contain a script or a style.
    """
    for game in games:
        play(visitor, visitor.sit_down(game), 2, Random(7))
    waiting, seen = ["/"], {"/"}
    while waiting:
        path = waiting.pop()
        answer = visitor.get(path)
        assert answer.status_code == 200, path
        if "text/html" not in answer.headers["content-type"]:
            continue
        page = Page(answer.text)
        for tag, given in page.tags:
            assert not any(name == "style" or (name.startswith("on") and name != "one") for name in given), (path, tag)
            assert tag != "style"
            assert tag != "script" or given["src"].startswith("/static/")
        ids = [given["id"] for _, given in page.tags if "id" in given]
        assert len(ids) == len(set(ids)), path
        found = {link for link in page.links if link.startswith("/")}
        assert all(link.startswith(("/", "#")) for link in page.links)
        shallow = {link for link in found if not (link.startswith("/explore/") and "at=" in link)}
        shallow = {link for link in shallow if not re.match(left_out, link)}
        waiting += sorted(shallow - seen)
        seen |= shallow
    assert {"/hands", "/statistics", "/explore", "/api/docs", "/api/openapi.json"} <= seen
    assert any(link.endswith("/coach") for link in seen)


def test_every_link_leads_somewhere(visitor: Visitor) -> None:
    verify_links(visitor, ["kuhn", "leduc"], left_out="/explore/.*holdem")


@pytest.mark.long
def test_every_link_leads_somewhere_in_all_games(visitor: Visitor) -> None:
    verify_links(visitor, ["kuhn", "limit-holdem-3p", "no-limit-holdem"])


def test_a_cookie_is_given_to_those_who_play(invite: Invite, service: PlayService) -> None:
    visitor, chosen = invite(), {"game": "kuhn", "opponent-0": "kuhn-lp"}
    for path in ("/", "/hands", "/statistics", "/explore", "/you", "/tables/none", "/nowhere"):
        assert "set-cookie" not in visitor.get(path).headers
    first = visitor.post("/tables", data=chosen, follow_redirects=False)
    kept = first.headers["set-cookie"]
    life = int(LIFE.total_seconds())
    assert re.fullmatch(rf"smoothcall=[A-Za-z0-9_-]{{40,}}; HttpOnly; Max-Age={life}; Path=/; SameSite=lax", kept)
    assert visitor.get("/hands").headers["set-cookie"] == kept  # a page renews it
    secure = invite(base_url="https://localhost").post("/tables", data=chosen, follow_redirects=False)
    assert secure.headers["set-cookie"].endswith("; Secure")


def test_headers_of_every_answer(visitor: Visitor, app: FastAPI) -> None:
    def broken() -> None:
        raise RuntimeError("/etc/secret: the database is at postgresql://user:word@host")

    app.add_api_route("/broken", broken)
    app.add_api_route("/api/broken", broken)
    for path, status in [("/", 200), ("/nowhere", 404), ("/api/games", 200), ("/api/nowhere", 404), ("/broken", 500)]:
        answer = visitor.get(path)
        assert answer.status_code == status
        for name, value in HEADERS.items():
            assert answer.headers.get_list(name) == [value]
        assert answer.headers["cache-control"] == "no-store"
    policy = HEADERS["content-security-policy"]
    assert "unsafe" not in policy
    assert policy.startswith("default-src 'none'")
    for path in ("/broken", "/api/broken"):
        assert "secret" not in visitor.get(path).text
        assert "postgresql" not in visitor.get(path).text
    assert set(visitor.get("/api/broken").json()) == {"error"}


def test_static_files_are_kept_by_browsers_until_they_change(visitor: Visitor) -> None:
    page = visitor.page("/")
    files = [given.get("src") or given.get("href") for tag, given in page.tags if tag in ("script", "link")]
    assert len(files) == 4
    for path in files:
        answer = visitor.get(path)
        assert answer.status_code == 200
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert answer.headers["x-content-type-options"] == "nosniff"
    assert visitor.get("/static/style.css").headers["cache-control"] == "no-store"
    assert visitor.get("/static/../pages.py").status_code == 404
    assert visitor.get("/static/%2e%2e/pages.py").status_code == 404
    vendored = Path(pages.HERE / "static/vendor/htmx")
    assert {path.name for path in vendored.iterdir()} == {"htmx.min.js", "LICENSE"}
    assert 'version:"2.0.11"' in (vendored / "htmx.min.js").read_text()


def test_the_style_takes_nothing_from_elsewhere() -> None:
    text = (pages.HERE / "static/style.css").read_text()
    assert "url(" not in text
    assert "@import" not in text
    assert "prefers-color-scheme: dark" in text


def test_htmx_may_not_evaluate(visitor: Visitor) -> None:
    page = visitor.page("/")
    config = json.loads(next(given["content"] for _, given in page.tags if given.get("name") == "htmx-config"))
    assert (config["allowEval"], config["includeIndicatorStyles"], config["historyCacheSize"]) == (False, False, 0)


@pytest.mark.parametrize(
    ("exact", "read"),
    [("+12", "+12"), ("-7/2", "−3½"), ("0", "0"), ("-1/3", "−⅓"), ("+1000", "+1,000"), ("+5/7", "+5/7"), ("-12/7", "−1 5/7")],
)
def test_chips_as_people_read_them(exact: str, read: str) -> None:
    assert drawing.chips(exact) == read


def test_figures_as_people_read_them() -> None:
    assert drawing.figure(Figure(-1234.4, 56.6, 100)) == "−1,234 ±\N{NO-BREAK SPACE}57"
    assert drawing.figure(Figure(0.2, None, 1)) == "0"
    assert drawing.figure(None) == "–"


def test_curves_stay_in_their_picture_and_are_thinned() -> None:
    chart = drawing.chart([(-1) ** k * k for k in range(5000)], [k / 2 for k in range(5000)])
    for line in (chart.raw, chart.luck_adjusted):
        points = [tuple(map(float, point.split(","))) for point in line.split(" ")]
        assert len(points) <= drawing.MOST_POINTS + 1
        assert all(chart.left <= x <= chart.right and 0 <= y <= chart.bottom for x, y in points)
        assert points[0] == (chart.left, chart.zero)
        assert points[-1][0] == chart.right
    assert drawing.chart([0.0]).ticks[0][1] == "0"

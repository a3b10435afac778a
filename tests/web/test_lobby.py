"""Choosing games, stakes and formats of tables; closing tables; settings. By forms and links alone."""

from __future__ import annotations

from random import Random

import pytest

from smoothcall.play.service import PlayService
from smoothcall.store.records import Filter
from tests.web.conftest import Invite
from tests.web.test_pages import play
from tests.web.visitor import Page, Visitor


def test_the_picker_puts_games_together(visitor: Visitor, service: PlayService) -> None:
    for query, game in (
        ("family=kuhn&players=3", "kuhn-3p"),
        ("family=leduc&players=6&blinds=50", "leduc"),
        ("family=no-limit-holdem&players=4", "no-limit-holdem:seats=4"),
        ("family=no-limit-holdem&players=2&blinds=1&depth=100", "no-limit-holdem:small_blind=1,stack=200"),
        ("family=no-limit-holdem&players=3&blinds=5&depth=20&form=cash", "no-limit-holdem:seats=3,stack=200"),
    ):
        assert visitor.page(f"/?{query}").form("/tables").fields["game"] == game
    for query in ("family=bridge", "family=kuhn&players=x", "family=no-limit-holdem&depth=7", "game=no-limit-holdem:menu=pot"):
        assert visitor.get(f"/?{query}").status_code == 400
    deep = visitor.page("/?game=no-limit-holdem:stack=200")
    assert {"always-call", "no-limit-holdem-pricope-agent-2"} <= deep.offered, "they play with any stacks"
    assert "no-limit-holdem-mccfr" not in deep.offered
    assert visitor.page("/?game=no-limit-holdem:small_blind=1,stack=20").offered == {
        "always-call",
        "always-raise",
        "probe",
        "random",
    }
    page = visitor.sit_down("no-limit-holdem:stack=200", **{"opponent-0": "no-limit-holdem-pricope-agent-2"})
    play(visitor, page, 2, Random(3))
    table = service.tables(service.person(visitor.token))[0]
    assert [seat.began for seat in table.hand.seats] == [200, 200]


def test_opponents_that_search(visitor: Visitor, service: PlayService) -> None:
    """They are offered where an agent can search, sit down by a form, and their hands have no AIVAT."""
    assert 'value="search"' not in visitor.get("/?game=leduc").text
    assert 'value="search"' in visitor.get("/?game=limit-holdem").text
    page = visitor.sit_down("limit-holdem", **{"opponent-0": "limit-holdem-smooth-uct", "style-0": "search"})
    person = service.person(visitor.token)
    (table,) = service.tables(person)
    assert table.opponents[0].id == "limit-holdem-smooth-uct:search"
    assert service.searches(table.id)
    play(visitor, page, 1, Random(3))
    assert (
        service.results(person, table.id).note
        == f"AIVAT needs a tabular opponent: {table.opponents[0].name} solves the rest of each hand instead."
    )
    refused = visitor.post("/tables", data={"game": "leduc", "opponent-0": "leduc-cfr", "style-0": "search"})
    assert refused.status_code == 400
    assert "cannot search" in refused.text


def test_a_cash_game_with_rebuys(visitor: Visitor, service: PlayService, monkeypatch: pytest.MonkeyPatch) -> None:
    secrets = Random(1)
    monkeypatch.setattr(service, "_secret", lambda: f"{secrets.getrandbits(128):032x}")
    form = visitor.page("/?game=no-limit-holdem:seats=3&form=cash").form("/tables")
    chosen = {**form.fields, "opponent-0": "always-call", "opponent-1": "always-raise"}
    page = Page(visitor.post("/tables", data=chosen).text)
    bought, person = 0, service.person(visitor.token)
    for _ in range(60):
        before = service.tables(person)[0]
        if not before.hand.over:
            act = next(form for form in page.forms if form.action.endswith("/act"))
            page = Page(visitor.post(act.action, data={**act.fields, "letter": "c"}).text)
            continue
        following = next(form for form in page.forms if form.action.endswith("/next"))
        broke = before.hand.you.stack == 0
        assert (("rebuy", "1") in following.buttons) == ((before.hand.you.stack or 0) < 100)
        if broke:
            assert len(following.buttons) == 1, "nothing but to rebuy"
            assert visitor.post(following.action, data=following.fields).status_code == 403
        page = Page(visitor.post(following.action, data={**following.fields, **({"rebuy": "1"} if broke else {})}).text)
        after, bought = service.tables(person)[0], bought + broke
        left = {seat.name: seat.stack or 0 for seat in before.hand.seats}
        began = {seat.name: seat.began or 0 for seat in after.hand.seats}
        assert all(0 <= began[name] - (chips or 100) <= 1 for name, chips in left.items()), (
            "a chip more where an odd one was split"
        )
    assert bought


def test_a_table_is_closed(visitor: Visitor, service: PlayService) -> None:
    page = visitor.sit_down("leduc", **{"opponent-0": "always-call"})
    path = page.forms[0].action.rsplit("/", 1)[0]
    assert visitor.page("/").source.count('/close"') == 1
    assert visitor.post(f"{path}/close").url.path == "/"
    assert path not in visitor.page("/").links
    person = service.person(visitor.token)
    assert service.tables(person) == []
    assert service.hands(person, Filter()).total == 1, "the hand was folded"
    assert "This table is closed" in visitor.get(path).text
    assert visitor.post(f"{path}/next", data={"hand": "1"}).status_code == 403


def test_settings_are_kept(visitor: Visitor, invite: Invite) -> None:
    form = visitor.page("/settings").form("/settings")
    assert form.fields == {"unit": "chips", "deck": "four", "speed": "normal", "sound": "off", "deal": "press"}
    assert visitor.post("/settings", data={"unit": "bb", "deck": "two", "deal": "auto"}).status_code == 200
    kept = visitor.page("/settings").form("/settings").fields
    assert (kept["unit"], kept["deck"], kept["speed"], kept["deal"]) == ("bb", "two", "normal", "auto")
    page = visitor.sit_down("no-limit-holdem", **{"opponent-0": "always-call"})
    assert 'class="at-table two-colour"' in page.source
    assert 'data-deal="auto"' in page.source
    assert "You post the small blind of 0.5 bb" in page.source
    assert visitor.post("/settings", data={"unit": "pounds"}).status_code == 400
    assert "two-colour" not in invite().get("/").text

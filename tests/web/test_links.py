"""Ways between a table, its hands, the coach and the explorer; statistics as pages show them."""

from __future__ import annotations

import re
from random import Random

import pytest

from smoothcall.play.person_view import Figure
from smoothcall.play.service import PlayService
from smoothcall.play.statistics import GameStatistics, Line
from smoothcall.store.records import Filter
from smoothcall.web import pages
from smoothcall.web.statistics import reach_of
from tests.web.test_pages import play
from tests.web.visitor import Page, Visitor


def test_from_the_coach_to_the_spot_and_back(visitor: Visitor, service: PlayService) -> None:
    play(visitor, visitor.sit_down("leduc", **{"opponent-0": "leduc-cfr"}), 3, Random(4))
    person = service.person(visitor.token)
    table, hands = service.tables(person)[0].id, service.hands(person, Filter()).hands
    later, middle, first = (line.id for line in hands)
    page = visitor.page(f"/hands/{middle}/coach")
    assert {f"/hands/{first}/coach", f"/hands/{later}/coach", f"/tables/{table}", f"/hands/{middle}?step=0"} <= set(page.links)
    replay = visitor.page(f"/hands/{middle}")
    assert {f"/hands/{first}?step=0", f"/hands/{later}?step=0", f"/tables/{table}", f"/hands/{middle}/coach"} <= set(
        replay.links
    )
    spots = [link for link in page.links if link.startswith("/explore/leduc-cfr?at=")]
    review = service.coach(person, middle)
    assert len(spots) == len(review.decisions)
    for link, decision in zip(spots, review.decisions, strict=True):
        spot = visitor.page(link)
        assert f"/hands/{middle}/coach" in spot.links, "the way back"
        [marked] = re.findall(r'<tr class=" mine" aria-current="true"><th scope="row">([^< ]+)', spot.source)
        assert marked == decision.label == decision.key.partition(":")[0]
        chosen = next(move for move in decision.moves if move.letter == decision.chosen)
        assert f"{100 * (chosen.agent or 0):.0f} %" in spot.source.partition('aria-current="true"')[2].partition("</tr>")[0]


def test_the_coach_is_offered_where_it_helps(visitor: Visitor, service: PlayService) -> None:
    """Not where the opponent is scripted in a game with sampled deals, nor without a decision, nor with other stacks."""
    for game, opponent, offered in (
        ("leduc", "always-call", True),
        ("no-limit-holdem", "always-call", False),
        ("no-limit-holdem", "no-limit-holdem-pricope-agent-1", True),
    ):
        page = play(visitor, visitor.sit_down(game, **{"opponent-0": opponent}), 1, Random(5))
        hand = service.tables(service.person(visitor.token))[0].hand
        decided = any(event.kind == "move" and event.seat == hand.seat for event in hand.events)
        assert (f"/hands/{hand.id}/coach" in page.links) == (offered and decided)
        assert (f"/hands/{hand.id}/coach" in visitor.page("/hands").links) == (offered and decided)


def test_no_interval_is_wider_than_its_axis() -> None:
    figures = [Figure(-500.0, 4000.0, 3), Figure(900.0, 100.0, 50), None, Figure(20.0, None, 1)]
    lines = tuple(Line(str(place), 1, "0", figure, figures[place - 1]) for place, figure in enumerate(figures))
    nothing = dict.fromkeys(("vpip", "preflop_raise", "aggression", "showdowns", "showdowns_won"))
    given = {**nothing, "curve": (), "luck_adjusted_curve": (), "by_opponent": lines, "by_position": lines[:1]}
    game = GameStatistics("leduc", "Leduc", 4, "0", None, None, **given)
    parts = pages.templates.get_template("_parts.html").module
    for line in lines:
        picture = str(parts.interval(line.raw, line.luck_adjusted, reach_of(game)))  # type: ignore[attr-defined]
        ends = [float(end) for end in re.findall(r' x[12]="(-?[0-9.]+)"', picture)]
        assert all(abs(end) <= 100 for end in ends)
        widths = [b - a for a, b in zip(ends[2::2], ends[3::2], strict=True)]  # after the axis
        known = [figure for figure in (line.raw, line.luck_adjusted) if figure is not None and figure.half_width is not None]
        assert widths == pytest.approx([200 * figure.half_width / 4500 for figure in known], abs=0.11)


def test_a_page_of_statistics_has_a_part_for_each_game(visitor: Visitor, service: PlayService) -> None:
    for game in ("leduc", "no-limit-holdem", "no-limit-holdem:stack=200"):
        play(visitor, visitor.sit_down(game, **{"opponent-0": "always-call"}), 2, Random(6))
    page = Page(visitor.get("/statistics").text)
    assert page.source.count('class="panel game"') == 3
    assert page.source.count("By opponent") == page.source.count("By position") == 3
    assert "blinds 5/10, stacks 200" in page.source
    assert "/hands?game=no-limit-holdem%3Astack%3D200" in page.links
    only = visitor.page("/statistics?game=no-limit-holdem%3Astack%3D200")
    assert only.source.count('class="panel game"') == 1

"""No answer before the end of a hand depends on cards the person has not seen, and folded cards are never shown."""

from __future__ import annotations

import asyncio
import re
from random import Random

import pytest

from smoothcall.play.stakes import PLAY_GAMES
from tests.conftest import built
from tests.web.leaks import PROBES, Comparison, compare, routes

FEW = 16  # hands per game in the fast suite, in two sittings
MANY = 2000  # hands per game in the long suite
FEW_SEATS = 80  # the same for games that differ in the number of players only, and for matches
FAST_GAMES = ["leduc", "kuhn-3p", "no-limit-holdem", "no-limit-holdem:seats=6"]  # for two and for more; others are long only


def verify_game(game: str, hands: int, *, probing: float, sitting: int, first: str = "") -> None:
    counted = asyncio.run(compare(game, hands, probing, sitting=sitting, first=first)).counted
    assert counted["fold"] + counted["showdown"] == hands
    assert counted["fold"] > hands / 20 or built(game).players > 3, "with so many players somebody always stays in"
    assert counted["exchanged"] > hands / 3
    assert set(PROBES) <= set(counted)


def verify_cash(game: str, hands: int, sitting: int, first: str = "") -> None:
    counted = asyncio.run(compare(game, hands, 0.6, sitting=sitting, cash=True, first=first)).counted
    assert counted["fold"] + counted["showdown"] == hands
    assert counted["exchanged"] > hands / 3
    assert counted["uneven"] > hands / 10


def verify_match(game: str, hands: int, sitting: int, first: str = "") -> None:
    """The match has so many freezeouts that no sitting reaches its end."""
    counted = asyncio.run(compare(game, hands, 0.6, sitting=sitting, freezeouts=50, first=first)).counted
    assert counted["fold"] + counted["showdown"] == hands
    assert counted["exchanged"] > hands / 3
    assert counted["uneven"] > hands / 10
    assert set(PROBES) <= set(counted)


@pytest.mark.parametrize("game", FAST_GAMES)
def test_no_answer_depends_on_hidden_cards(game: str) -> None:
    verify_game(game, FEW, probing=0.75, sitting=FEW // 2, first="random" if built(game).players == 3 else "")


@pytest.mark.long
@pytest.mark.parametrize("game", PLAY_GAMES)
def test_no_answer_of_many_hands_depends_on_hidden_cards(game: str) -> None:
    hands, probing = (MANY, 0.08) if ":" not in game else (FEW_SEATS, 0.6)
    verify_game(game, hands, probing=probing, sitting=20)


def test_no_answer_in_a_match_depends_on_hidden_cards() -> None:
    """(To tabulate the expert system, the first opponent of the long form, takes ten seconds.)"""
    verify_match("no-limit-holdem", FEW, sitting=FEW // 2, first="always-call")


@pytest.mark.long
@pytest.mark.parametrize("game", ["no-limit-holdem", "no-limit-holdem-32"])
def test_no_answer_in_a_longer_match_depends_on_hidden_cards(game: str) -> None:
    verify_match(game, FEW_SEATS, sitting=20)


def test_no_answer_in_a_cash_game_depends_on_hidden_cards() -> None:
    verify_cash("no-limit-holdem:seats=3", 20, sitting=10, first="always-call")


@pytest.mark.long
@pytest.mark.parametrize("game", ["no-limit-holdem", "no-limit-holdem:seats=3", "no-limit-holdem:seats=6"])
def test_no_answer_in_a_longer_cash_game_depends_on_hidden_cards(game: str) -> None:
    verify_cash(game, FEW_SEATS, sitting=20)


def test_everything_the_application_answers_is_compared() -> None:
    both = asyncio.run(compare("kuhn", 48, 0.6, sitting=8))
    forms = {(method, path): re.compile(re.sub(r"{\w+}", "[^/]+", path)) for method, path in routes()}
    missing = {
        key for key, form in forms.items() if not any(key[0] == method and form.fullmatch(path) for method, path in both.asked)
    }
    assert not missing


@pytest.mark.parametrize("hands", [32, pytest.param(80, marks=pytest.mark.long)])
def test_what_was_mucked_stays_hidden_for_ever(hands: int) -> None:
    """Check a quarter of the hands after all others, both by bytes and by content."""

    async def run() -> None:
        both, random = Comparison(), Random(5)
        asker, twin = await both.sitting("limit-holdem-3p", ["probe", "random"], hands, random, for_ever=True, probing=0.0)
        pages = [(await asker.get(f"/api/hands?page={page}")).json["hands"] for page in range(1, 2 + (hands - 1) // 25)]
        early = [hand for page in pages for hand in page if hand["number"] <= hands // 4]
        exported = (await asker.get("/api/export?form=json")).json["hands"]
        assert len(early) == hands // 4
        assert len(exported) == hands
        for line in early:
            steps = (await asker.get(f"/api/hands/{line['id']}")).json
            await asker.get(f"/hands/{line['id']}")
            await asker.get(f"/api/hands/{line['id']}/coach")
            for step in steps:
                for seat in step["seats"]:
                    shown = seat["you"] or (step["over"] and step["reason"] == "showdown" and seat["alive"])
                    assert bool(seat["cards"]) == shown
                    assert bool(seat["hidden"]) != shown
            [written] = [hand for hand in exported if hand["number"] == line["number"]]
            for seat in steps[-1]["seats"]:
                assert set(written["players"][seat["seat"]]["cards"] or []) == set(seat["cards"])  # a person's are sorted
        text = (await asker.get("/api/export?form=phh")).text
        hidden = sum(player["cards"] is None for hand in exported for player in hand["players"])
        assert text.count("????") == hidden > hands / 4
        await both.again(asker, twin)
        assert both.counted["exchanged"] > hands / 2

    asyncio.run(run())

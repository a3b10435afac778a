"""Nothing is lost when the server is killed in the middle of hands under load, and started again on the same database.

Visitors play at many tables at once; each remembers the last answer it got and what it has asked since. After each restart the
table must be as that answer said, or one step further if the step was asked for: nothing lost, nothing made up.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest
import sqlalchemy as sql

from benchmarks.web import Server, Visitor, random_letter, serving
from smoothcall.games.notation import split_moves
from smoothcall.games.rules import PokerRules
from smoothcall.play.table import replay
from smoothcall.store.histories import Histories
from smoothcall.store.records import HandRow
from tests.conftest import built
from tests.databases import postgres

ANSWERS = (2, 30)  # answers per table before a kill, at least and at most
KINDS = [
    ("kuhn", ["kuhn-lp"]),
    ("kuhn-3p", ["kuhn-3p-cfr", "random"]),
    ("leduc", ["leduc-cfr"]),
    ("limit-holdem", ["probe"]),
    ("limit-holdem-3p", ["random", "always-call"]),
    ("no-limit-holdem", ["random"]),
]
GONE = (OSError, EOFError)  # what a visitor sees of it


@dataclass(slots=True)
class Player:
    """A visitor at a table, and what they know of it."""

    game: str
    opponents: list[str]
    random: Random
    visitor: Visitor = field(default_factory=Visitor)
    known: dict[str, Any] = field(default_factory=dict)  # the table as it was last answered
    asked: str = ""  # what is not answered: a letter, or "next"
    ended: dict[int, dict[str, Any]] = field(default_factory=dict)  # hands whose end was answered, by their numbers
    answered: int = 0
    found_done: int = 0  # requests without an answer that had been carried out

    async def play(self, port: int) -> None:
        """Go on until the server is gone."""
        try:
            await self.visitor.connect(port)
            if not self.known:
                self.learn(await self.visitor.open_table(self.game, self.opponents))
            else:
                await self.find_out()
            while True:
                hand = self.known["hand"]
                self.asked = "next" if hand["over"] else random_letter(hand["choices"], self.random)
                self.learn(await self._ask(self.asked))
                self.answered += 1
        except GONE:
            await self.visitor.close()

    def learn(self, table: dict[str, Any]) -> None:
        self.known, self.asked = table, ""
        if table["hand"]["over"]:
            self.ended[table["hand"]["number"]] = table["hand"]

    async def _ask(self, what: str) -> dict[str, Any]:
        return await (self.visitor.next_hand(self.known) if what == "next" else self.visitor.act(self.known, what))

    async def find_out(self) -> None:
        """After a restart: as it was, or one step further if that step was asked for."""
        found = await self.visitor.table(self.known["id"])
        if found != self.known:
            verify_step(self.known, self.asked, found)
            self.found_done += 1
            await self._press_again(found)
        self.learn(found)

    async def _press_again(self, found: dict[str, Any]) -> None:
        """The same button once more, as somebody does who has seen no answer: nothing happens twice."""
        if self.asked == "next":
            assert await self._ask("next") == found
        else:
            hand = self.known["hand"]
            asked = {"letter": self.asked, "hand": hand["number"], "move": hand["move"]}
            status, _ = await self.visitor.status("POST", f"/api/tables/{found['id']}/act", asked)
            assert status == 409
        assert await self.visitor.table(found["id"]) == found


def verify_step(before: dict[str, Any], asked: str, after: dict[str, Any]) -> None:
    """That a table differs by what was asked, and by what the others did then."""
    old, new = before["hand"], after["hand"]
    assert asked, "nothing was asked that could have changed it"
    assert (before["id"], before["opponents"]) == (after["id"], after["opponents"])
    if asked == "next":
        assert old["over"]
        assert new["number"] == old["number"] + 1
        assert _own_moves(new) == 0
        before_it = (after["hands"], Fraction(after["won"]))
        if new["over"]:  # the others ended it before the person's turn
            before_it = (before_it[0] - 1, before_it[1] - Fraction(new["won"]))
        assert before_it == (before["hands"], Fraction(before["won"]))
        return
    assert new["number"] == old["number"]
    assert new["seats"][new["seat"]]["cards"] == old["seats"][old["seat"]]["cards"]
    assert new["boards"][: len(old["boards"])] == old["boards"]
    assert split_moves(new["betting"])[: old["move"] + 1] == [*split_moves(old["betting"]), asked]
    assert _own_moves(new) == _own_moves(old) + 1
    assert after["hands"] == before["hands"] + new["over"]


def _own_moves(hand: dict[str, Any]) -> int:
    return sum(event["seat"] == hand["seat"] and event["kind"] == "move" for event in hand["events"])


async def lives(url: str, folder: Path, *, tables: int, kills: int) -> int:
    """Start and kill the server several times while everybody plays; then verify all tables once more.

    Return the number of hands in progress, summed over all kills.
    """
    random, in_progress = Random(7), 0
    players = [Player(*KINDS[seed % len(KINDS)], Random(seed)) for seed in range(tables)]
    decks: dict[int, tuple[Any, ...]] = {}
    for _ in range(kills):
        server = Server(url, folder / "log")
        try:
            answered = [player.answered for player in players]
            playing = [asyncio.create_task(player.play(server.port)) for player in players]
            wanted = sum(answered) + random.randint(*ANSWERS) * tables
            while sum(player.answered for player in players) < wanted or any(
                player.answered == before for player, before in zip(players, answered, strict=True)
            ):
                await asyncio.sleep(0.001)
                assert not any(task.done() for task in playing)
        finally:
            server.kill()
        await asyncio.gather(*playing)  # what a visitor has found wrong is raised here
        rows = everything(url)
        assert {id: decks[id] for id in decks} == {id: _dealt(rows[id]) for id in decks}
        decks = {id: _dealt(row) for id, row in rows.items()}
        verify_rows(rows, players)
        in_progress += sum(row.ended is None for row in rows.values())
    with serving(url, folder / "log") as last:
        for player in players:
            await player.visitor.connect(last.port)
            await player.find_out()
            await player.visitor.close()
    log = (folder / "log").read_text()
    assert "Traceback" not in log
    verify_no_secret(log, url, [player.visitor.token for player in players])
    assert sum(player.answered for player in players) >= kills * ANSWERS[0] * tables
    return in_progress


def verify_no_secret(log: str, url: str, tokens: list[str]) -> None:
    """No deck, seed, id of a table or token that was ever used is in a log, in any form in which it is printed."""
    histories = Histories(url)
    with histories._begin() as session:
        tables = session.execute(sql.text("SELECT id, seed FROM tables")).all()
        digests = session.execute(sql.text("SELECT token FROM sign_ins")).scalars().all()
    histories.close()
    assert tables
    assert digests
    for row in everything(url).values():
        for written in (f"{list(row.deck)}", f"{row.deck}", ",".join(map(str, row.deck)), ", ".join(map(str, row.deck))):
            assert written not in log
    for secret in [*tokens, *digests, *(part for row in tables for part in row)]:
        assert secret not in log


def _dealt(row: HandRow) -> tuple[Any, ...]:
    return row.table, row.number, row.seat, row.deck


def everything(url: str) -> dict[int, HandRow]:
    """All hands in the database, those in progress too."""
    histories = Histories(url)
    try:
        with histories._begin() as connection:
            ids = connection.execute(sql.text("SELECT id FROM hands")).scalars().all()
        return {id: row for id in ids if (row := histories.hand(id)) is not None}
    finally:
        histories.close()


def verify_rows(rows: dict[int, HandRow], players: list[Player]) -> None:
    """Hands are numbered without gaps, each has what was answered of it, and no chip appears or goes."""
    for player in players:
        if not player.known:
            continue
        own = sorted((row for row in rows.values() if row.table == player.known["id"]), key=lambda row: row.number)
        assert [row.number for row in own] == list(range(1, len(own) + 1))
        assert [row.ended is not None for row in own[:-1]] == [True] * (len(own) - 1)
        assert player.known["hand"]["number"] <= len(own)
        rules = built(player.game).rules
        assert isinstance(rules, PokerRules)
        for row in own:
            outcome = replay(rules, row.deck, split_moves(row.betting)).outcome
            assert (outcome is None) == (row.ended is None)
            if outcome is not None:
                assert tuple(map(Fraction, row.payoffs)) == outcome.payoffs
                assert sum(outcome.payoffs) == 0
            if row.number in player.ended:
                answered = player.ended[row.number]
                assert (row.betting, row.id, row.seat) == (answered["betting"], answered["id"], answered["seat"])
                assert row.payoffs[row.seat].removeprefix("+") == answered["won"].removeprefix("+")
        finished = own[: player.known["hands"]]
        assert sum(Fraction(row.payoffs[row.seat]) for row in finished) == Fraction(player.known["won"])


@contextmanager
def sqlite(folder: Path) -> Iterator[str]:
    yield f"sqlite:///{folder / 'hands.sqlite'}"


def verify_kills(kind: str, folder: Path, *, tables: int, kills: int) -> None:
    with sqlite(folder) if kind == "sqlite" else postgres() as url:
        assert asyncio.run(lives(url, folder, tables=tables, kills=kills)) > 0
        rows = everything(url)
    assert len({row.table for row in rows.values()}) == len({row.person for row in rows.values()}) == tables


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_killed_in_the_middle_of_hands(kind: str, tmp_path: Path) -> None:
    verify_kills(kind, tmp_path, tables=12, kills=1)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_killed_often_in_the_middle_of_hands(kind: str, tmp_path: Path) -> None:
    verify_kills(kind, tmp_path, tables=18, kills=4)

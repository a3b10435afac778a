"""People who remember what was acknowledged, and compare it with what the server and its database say later."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from random import Random
from typing import Any

import sqlalchemy as sql

from benchmarks.web import Visitor, random_letter
from smoothcall.games.notation import split_moves
from smoothcall.games.rules import PokerRules
from smoothcall.information.named_games import game
from smoothcall.store.histories import Histories
from smoothcall.store.records import HandRow

KINDS = [
    ("kuhn", ["kuhn-lp"]),
    ("kuhn-3p", ["kuhn-3p-cfr", "random"]),
    ("leduc", ["leduc-cfr"]),
    ("limit-holdem", ["probe"]),
    ("limit-holdem-3p", ["random", "always-call"]),
    ("no-limit-holdem", ["random"]),
]
GONE = (OSError, EOFError)  # what a visitor sees of a server that was killed


class Refused(Exception):
    """The server is there, but answers 503: whether the request was carried out has to be looked up."""


class Behind(Exception):
    """409: the table has gone on."""


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
    bettings: dict[int, str] = field(default_factory=dict)  # the last betting that was answered, by the id of the hand
    answered: int = 0
    refused: int = 0
    doubled: int = 0  # actions that were acknowledged twice
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
                await self.step([self.visitor])
        except GONE:
            await self.visitor.close()

    async def play_on(self, ports: list[int], stop: asyncio.Event) -> None:
        """Play at servers that share a database, every request at all of them at once, through refusals. End when told to."""
        others = [Visitor() for _ in ports[1:]]
        try:
            await self.visitor.connect(ports[0])
            for visitor, port in zip(others, ports[1:], strict=True):
                visitor.token = self.visitor.token
                await visitor.connect(port)
            if not self.known:
                self.learn(await self.visitor.open_table(self.game, self.opponents))
            else:
                await self.find_out()
            while not stop.is_set():
                try:
                    await self.step([self.visitor, *others])
                except (Refused, Behind) as error:
                    self.refused += isinstance(error, Refused)
                    await asyncio.sleep(0.02)
                    await self.find_out()
        except GONE:
            if not stop.is_set():
                raise
        finally:
            for visitor in (self.visitor, *others):
                with suppress(AttributeError):  # it was never connected
                    await visitor.close()

    async def look_again(self, port: int) -> None:
        await self.visitor.connect(port)
        await self.find_out()
        await self.visitor.close()

    async def step(self, visitors: list[Visitor]) -> None:
        """Make a random move, or ask for the next hand."""
        hand = self.known["hand"]
        self.asked = "next" if hand["over"] else random_letter(hand["choices"], self.random)
        found = await asyncio.gather(*(self._ask(visitor) for visitor in visitors))
        done = [answer for status, answer in found if status == 200]
        if not done:
            raise Behind if any(status == 409 for status, _ in found) else Refused
        self.doubled += len(done) > 1 if self.asked != "next" else any(answer != done[0] for answer in done)
        self.learn(done[0])
        self.answered += 1

    async def _ask(self, visitor: Visitor) -> tuple[int, dict[str, Any]]:
        hand, path = self.known["hand"], f"/api/tables/{self.known['id']}"
        if self.asked == "next":
            status, answer = await visitor.status("POST", f"{path}/next", {"hand": hand["number"]})
        else:
            asked = {"letter": self.asked, "hand": hand["number"], "move": hand["move"]}
            status, answer = await visitor.status("POST", f"{path}/act", asked)
        assert status in (200, 409, 503), (status, answer)
        return status, answer

    def learn(self, table: dict[str, Any]) -> None:
        self.known, self.asked = table, ""
        self.bettings[table["hand"]["id"]] = table["hand"]["betting"]
        if table["hand"]["over"]:
            self.ended[table["hand"]["number"]] = table["hand"]

    async def find_out(self) -> None:
        """After a fault: as it was, or one step further if that step was asked for."""
        found = await self._table()
        if found != self.known:
            verify_step(self.known, self.asked, found)
            self.found_done += 1
            await self._press_again(found)
        self.learn(found)

    async def _press_again(self, found: dict[str, Any]) -> None:
        """The same button once more, as somebody does who has seen no answer: nothing happens twice."""
        status, answer = await self._ask(self.visitor)
        while status == 503:
            self.refused += 1
            status, answer = await self._ask(self.visitor)
        assert (status, answer) == (200, found) if self.asked == "next" else status == 409, (status, answer)
        assert await self._table() == found

    async def _table(self) -> dict[str, Any]:
        """The table as the server shows it, once it answers."""
        while True:
            status, answer = await self.visitor.status("GET", f"/api/tables/{self.known['id']}")
            if status == 200:
                return dict(answer)
            assert status == 503, (status, answer)
            self.refused += 1
            await asyncio.sleep(0.02)


def new_players(tables: int) -> list[Player]:
    return [Player(*KINDS[seed % len(KINDS)], Random(seed)) for seed in range(tables)]


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


def everything(url: str) -> dict[int, HandRow]:
    """All hands in the database, those in progress too."""
    histories = Histories(url)
    try:
        with histories._begin() as connection:
            ids = connection.execute(sql.text("SELECT id FROM hands")).scalars().all()
        return {id: row for id in ids if (row := histories.hand(id)) is not None}
    finally:
        histories.close()


def count_lost(rows: dict[int, HandRow], players: list[Player]) -> int:
    """Return how many hands in the database lack something that was acknowledged."""
    found = [(rows.get(id), betting) for player in players for id, betting in player.bettings.items()]
    return sum(row is None or not row.betting.startswith(betting) for row, betting in found)


def secrets_in(log: str, url: str, tokens: list[str]) -> list[str]:
    """Return what a log tells of decks, dealt cards, seeds, ids of tables and tokens, in any form in which they are printed."""
    histories = Histories(url)
    with histories._begin() as session:
        tables = session.execute(sql.text("SELECT id, seed FROM tables")).all()
        digests = session.execute(sql.text("SELECT token FROM sign_ins")).scalars().all()
    histories.close()
    assert tables
    assert digests
    told = {*tokens, *digests, *(str(part) for row in tables for part in row)}
    for row in everything(url).values():
        told |= {f"{list(row.deck)}", f"{row.deck}", ",".join(map(str, row.deck)), ", ".join(map(str, row.deck))}
        rules = game(row.game).rules
        assert isinstance(rules, PokerRules)
        if len(rules.deck.name(0)) == 2:  # one letter stands in every log
            dealt = [rules.deck.name(card) for card in row.deck[: 2 * rules.seats + 5]]
            told |= {between.join(pair) for pair in pairwise(dealt) for between in ("", " ", ", ", "', '")}
    return sorted(secret for secret in told if secret in log)

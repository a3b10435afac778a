"""Nothing is lost when the server is killed in the middle of hands under load, and started again on the same database.

Visitors play at many tables at once; each remembers the last answer it got and what it has asked since. After each restart the
table must be as that answer said, or one step further if the step was asked for: nothing lost, nothing made up.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest

from benchmarks.acknowledged import Player, everything, new_players, secrets_in
from benchmarks.web import Server, serving
from smoothcall.games.notation import split_moves
from smoothcall.games.rules import PokerRules
from smoothcall.play.table import replay
from smoothcall.store.records import HandRow
from tests.conftest import built
from tests.databases import postgres

ANSWERS = (2, 30)  # answers per table before a kill, at least and at most


async def lives(url: str, folder: Path, *, tables: int, kills: int) -> int:
    """Start and kill the server several times while everybody plays; then verify all tables once more.

    Return the number of hands in progress, summed over all kills.
    """
    random, in_progress = Random(7), 0
    players = new_players(tables)
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
    assert secrets_in(log, url, [player.visitor.token for player in players]) == []
    assert sum(player.answered for player in players) >= kills * ANSWERS[0] * tables
    return in_progress


def _dealt(row: HandRow) -> tuple[Any, ...]:
    return row.table, row.number, row.seat, row.deck


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


@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgresql", marks=pytest.mark.long)])
def test_killed_in_the_middle_of_hands(kind: str, tmp_path: Path) -> None:
    verify_kills(kind, tmp_path, tables=4, kills=1)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_killed_often_in_the_middle_of_hands(kind: str, tmp_path: Path) -> None:
    verify_kills(kind, tmp_path, tables=18, kills=4)

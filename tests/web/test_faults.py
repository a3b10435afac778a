"""Faults under load: what was acknowledged is in the database once, and the log tells no secret."""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from benchmarks.acknowledged import Player, count_lost, everything
from benchmarks.faults import FAULTS
from smoothcall.errors import Conflict
from smoothcall.play.person_view import TableView
from tests.play.test_service import make_service


def verify_fault(name: str, folder: Path, *, tables: int, times: int) -> None:
    report = asyncio.run(FAULTS[name](folder, tables, times))  # type: ignore[arg-type]
    assert report.acknowledged > 2 * tables
    assert (report.lost, report.doubled, report.secrets) == (0, 0, 0)
    assert "Traceback" not in report.logs
    if name in ("full-disk", "file-limit", "read-only"):
        assert report.refused > 0


def test_a_disk_that_is_full_for_a_while(tmp_path: Path) -> None:
    verify_fault("file-limit", tmp_path, tables=3, times=1)


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name in FAULTS if name != "full-disk"])  # which needs the right to mount
def test_every_fault(name: str, tmp_path: Path) -> None:
    verify_fault(name, tmp_path, tables=6, times=2)


def test_of_two_services_that_race_one_wins(tmp_path: Path) -> None:
    """Every move is made at both services at once: one is carried out, the other is told that the hand has gone on."""
    url = f"sqlite:///{tmp_path / 'hands.sqlite'}"
    services = [make_service(url), make_service(url)]
    token = services[0].newcomer()
    people = [service.person(token) for service in services]
    table, random = services[0].open_table(people[0], "leduc", ["always-call"]), Random(1)
    for _ in range(30):
        if table.hand.over:
            for service, person in zip(services, people, strict=True):
                service.evict_all()
                table = service.next_hand(
                    person, table.id, hand=table.hand.number if table.hand.over else table.hand.number - 1
                )
            continue
        letter, views, ready = random.choice(table.hand.choices).letter, list[TableView](), threading.Barrier(2)

        def move(
            place: int,
            letter: str = letter,
            at: TableView = table,
            views: list[TableView] = views,
            ready: threading.Barrier = ready,
        ) -> None:
            ready.wait()
            with suppress(Conflict):
                views.append(services[place].act(people[place], at.id, letter, hand=at.hand.number, move=at.hand.move))

        threads = [threading.Thread(target=move, args=[place]) for place in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        [table] = views
        assert everything(url)[table.hand.id].betting == table.hand.betting
    for service in services:
        service.close()


def test_what_is_missing_is_counted(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'hands.sqlite'}"
    service = make_service(url)
    person = service.person(service.newcomer())
    hand = service.open_table(person, "leduc", ["always-call"]).hand
    service.close()
    kept, cut, gone = (
        Player("leduc", [], Random(0), bettings={hand.id + off: said}) for off, said in ((0, ""), (0, "rr"), (9, ""))
    )
    assert count_lost(everything(url), [kept]) == 0
    assert count_lost(everything(url), [kept, cut, gone]) == 2

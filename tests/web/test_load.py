"""The benchmark of the server at a small size: every action is answered. Nothing here depends on how fast."""

from __future__ import annotations

import asyncio
import gc
from pathlib import Path

import pytest
from psutil import Process

from benchmarks.web import MEMORY, Server, evicted, lines, measure, misses, serving
from smoothcall.web.server import _collect_less_garbage
from tests.web.browsing import serving as site_in


class Here(Server):
    """A server in this process."""

    def __init__(self, port: int) -> None:
        self.port, self.process = port, Process()  # type: ignore[assignment]


def verify_load(server: Server, *, tables: int, actions: int, idle: int) -> None:
    report = asyncio.run(measure(server, tables=tables, actions=actions, think=0.01, idle=idle, patient=True))
    assert report.errors == []
    assert report.actions >= actions
    assert 0 < report.moves < report.actions
    assert 0 < report.median_ms <= report.p95_ms <= report.p99_ms
    assert 50 < report.memory_mb[1] <= 1.1 * report.memory_mb[0]
    assert (report.came_back, report.put_away) == (idle, 0)
    assert set(misses(report)) <= {"95 % of actions within 100 ms", "300 actions/s"}
    assert len(list(lines(report))) == 8


def test_tables_that_do_not_fit_are_counted() -> None:
    """A megabyte keeps 131,072 bytes of tables: 14 of two seats by hand, 9,216 bytes each."""
    tables = [{"opponents": ["probe"]}] * 10
    assert evicted(tables, tables[:4], memory=1) == 0
    assert evicted(tables, tables[:5], memory=1) == 1
    assert evicted(tables[:2], tables * 2, memory=1) == 2


def test_many_tables_at_once(tmp_path: Path) -> None:
    with site_in(tmp_path) as site:
        verify_load(Here(int(site.address.rpartition(":")[2])), tables=3, actions=60, idle=2)


@pytest.mark.long
def test_more_tables_at_once(tmp_path: Path) -> None:
    with serving(f"sqlite:///{tmp_path / 'hands.sqlite'}", tmp_path / "log", "--memory", str(MEMORY)) as server:
        verify_load(server, tables=20, actions=2000, idle=10)
    assert "Traceback" not in (tmp_path / "log").read_text()


def test_collections_of_garbage_are_short_and_rare() -> None:
    """What is there when the server starts is not looked through again."""
    before = gc.get_threshold()
    try:
        _collect_less_garbage()
        assert gc.get_freeze_count() > 10_000
        assert len(gc.get_objects(generation=2)) < 10_000
        assert gc.get_threshold()[2] > before[2]
    finally:
        gc.unfreeze()
        gc.set_threshold(*before)

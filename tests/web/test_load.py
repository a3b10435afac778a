"""The benchmark of the server at a small size: every action is answered. Nothing here depends on how fast."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from benchmarks.web import lines, measure, misses, serving


def verify_load(folder: Path, *, tables: int, actions: int, idle: int) -> None:
    with serving(f"sqlite:///{folder / 'hands.sqlite'}", folder / "log") as server:
        report = asyncio.run(measure(server, tables=tables, actions=actions, think=0.01, idle=idle))
    assert report.errors == []
    assert "Traceback" not in (folder / "log").read_text()
    assert report.actions >= actions
    assert 0 < report.moves < report.actions
    assert 0 < report.median_ms <= report.p95_ms <= report.p99_ms
    assert 50 < report.memory_mb[1] <= 1.1 * report.memory_mb[0]
    assert (report.came_back, report.put_away) == (idle, 0)
    assert set(misses(report)) <= {"95 % of actions within 100 ms", "300 actions/s"}
    assert len(list(lines(report))) == 8


def test_many_tables_at_once(tmp_path: Path) -> None:
    verify_load(tmp_path, tables=6, actions=200, idle=4)


@pytest.mark.long
def test_more_tables_at_once(tmp_path: Path) -> None:
    verify_load(tmp_path, tables=20, actions=2000, idle=10)

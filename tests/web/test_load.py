"""The benchmark of the server, in a small form: that it answers, not how fast."""

from __future__ import annotations

import asyncio
from pathlib import Path

from benchmarks.web import lines, measure, misses, serving


def test_many_tables_at_once(tmp_path: Path) -> None:
    with serving(f"sqlite:///{tmp_path / 'hands.sqlite'}", tmp_path / "log") as server:
        report = asyncio.run(measure(server, tables=20, seconds=5, think=0.05, idle=10))
    assert report.errors == []
    assert "Traceback" not in (tmp_path / "log").read_text()
    assert report.actions > report.moves > 100
    assert 0 < report.median_ms <= report.p95_ms <= report.p99_ms
    assert 50 < report.memory_mb[1] <= 1.1 * report.memory_mb[0]
    assert (report.came_back, report.put_away) == (10, 0)
    assert set(misses(report)) <= {"95 % of actions within 100 ms", "300 actions/s"}
    assert len(list(lines(report))) == 8

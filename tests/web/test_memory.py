"""The benchmark of memory at a small size, with two processes and an agent that searches."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from benchmarks.memory import Memory, _started, measure


@pytest.mark.long
def test_memory_is_told_for_every_process(tmp_path: Path) -> None:
    found: list[Memory] = []
    with _started(tmp_path, 512, 2) as server:
        asyncio.run(measure(server, found.append, most=2, tables=3))
    assert [each.when.partition(" (")[0] for each in found] == [
        "at the start",
        "after everything was tried",
        "after everything was tried again",
        "after 3 more tables were opened",
    ]
    for each in found:
        assert 50 < each.megabytes <= each.peak
        assert each.megabytes < each.together < 3 * each.peak
    assert "Traceback" not in (tmp_path / "log").read_text()

"""The benchmark of abuse at a small size: people play on, nothing fails, and the log tells no secret."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

from benchmarks.abuse import Line, Times, measure, misses
from benchmarks.acknowledged import secrets_in
from tests.databases import postgres


def verify_abuse(url: str, folder: Path, *, scale: float, seconds: float) -> list[Line]:
    """Return the lines of all attacks."""
    lines, stopped = asyncio.run(measure(url, folder, scale=scale, seconds=seconds))
    assert len(lines) == 11
    for line in lines:
        assert line.faults == 0, line
        assert line.moves > 0, line
    note = next(line.note for line in lines if "visits" in line.name)
    assert re.search(r"rows of people: (\d+) before, \1 after", note), note
    assert stopped >= 0
    log = (folder / "log").read_text()
    assert "Traceback" not in log
    assert secrets_in(log, url, []) == []
    return lines


def test_every_attack_at_its_smallest(tmp_path: Path) -> None:
    """Whether a move is refused depends on what else the machine does: the long form asks for none."""
    verify_abuse(f"sqlite:///{tmp_path / 'hands.sqlite'}", tmp_path, scale=0.002, seconds=0.2)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_people_play_on_during_abuse(kind: str, tmp_path: Path) -> None:
    if kind == "sqlite":
        lines = verify_abuse(f"sqlite:///{tmp_path / 'hands.sqlite'}", tmp_path, scale=0.01, seconds=1.0)
    else:
        with postgres() as url:
            lines = verify_abuse(url, tmp_path, scale=0.01, seconds=1.0)
    assert not [line for line in lines if line.refused and not line.name.startswith("database")]


def test_targets_that_are_not_met_are_named() -> None:
    good = Line("nothing", 9, 30.0, 60.0, 0, 5.0, 0, 300.0)
    blocked = Line("database locked", 9, 30.0, 2000.0, 4, 5.0, 0, 300.0)
    assert misses([good, blocked], 1.0) == []
    bad = Line("60 MB of headers", 9, 30.0, 160.0, 2, 5.0, 1, 3000.0)
    assert len(misses([bad], 9.0)) == 5
    times = Times()
    for status, seconds in ((200, 0.1), (503, 0.2), (500, 0.3)):
        times.add(status, seconds)
    assert (times.faults, times.share(0.5)) == (1, 200.0)

"""docs/reading.md names files that exist, and its core is short enough for an evening."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "smoothcall"
TEXT = (ROOT / "docs" / "reading.md").read_text()
LIMIT = 3500  # lines of source
CORE = re.findall(r"^(\d+)\. `([^`]+)`: \S.*\.$", TEXT, re.MULTILINE)


def test_the_core_is_numbered_and_short() -> None:
    assert [int(number) for number, _ in CORE] == list(range(1, len(CORE) + 1))
    assert len(CORE) >= 15
    lines = {path: len((SOURCE / path).read_text().splitlines()) for _, path in CORE}
    assert len(lines) == len(CORE), "a file is listed twice"
    assert sum(lines.values()) <= LIMIT, f"{sum(lines.values())} lines: {lines}"


def test_the_core_covers_the_path() -> None:
    rooms = [path.split("/")[-2] if "/" in path else path for _, path in CORE]
    order = [room for index, room in enumerate(rooms) if room not in rooms[:index]]
    assert order == ["games", "information", "solvers", "policy.py", "evaluation", "agents", "play"]


def test_files_and_names_exist() -> None:
    """Every `path.py` exists; every name after it in a table row or sentence is defined in that file."""
    for path in re.findall(r"`([\w/]+\.py)`", TEXT):
        assert (SOURCE / path).exists() or (ROOT / path).exists(), path
    for path, names in re.findall(r"`([\w/]+\.py)`: ((?:`\w+`[^|.]*)+)", TEXT):
        for name in re.findall(r"`(\w+)`", names):
            assert re.search(rf"\b(def|class) {name}\b", (SOURCE / path).read_text()), f"{name} in {path}"

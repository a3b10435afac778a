"""A folder of agents with files that somebody made to do harm: each is left out by name, and all others can be played."""

from __future__ import annotations

import json
import os
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from smoothcall.agents.folders import BUILT_IN
from smoothcall.play.opponents import Agents

GOOD = BUILT_IN / "kuhn-lp.agent"
LONE = "x\ud800"


def card(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Write the good agent with a changed card."""
    with zipfile.ZipFile(GOOD) as source, zipfile.ZipFile(path, "w") as made:
        for entry in source.infolist():
            data = source.read(entry)
            if entry.filename == "card.json":
                about = json.loads(data)
                change(about)
                data = json.dumps(about).encode()
            made.writestr(entry.filename, data)


def matches(about: dict[str, Any], names: list[str]) -> None:
    about.setdefault("results", {})["matches"] = {name: {"hands": 1, "mean": 1.0, "half_width": 1.0} for name in names}


def large_card(path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made, made.open("card.json", "w") as file:
        for _ in range(8):
            file.write(b" " * (1 << 20))


def sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 30)


HOSTILE: dict[str, Callable[[Path], object]] = {
    "a lone surrogate in its name": lambda path: card(path, lambda about: about.update(name=LONE)),
    "a lone surrogate in how it learned": lambda path: card(path, lambda about: about.update(learned=LONE)),
    "a lone surrogate in a key": lambda path: card(path, lambda about: matches(about, [LONE])),
    "Infinity": lambda path: card(path, lambda about: about.update(seconds=float("inf"))),
    "NaN": lambda path: card(path, lambda about: about.update(seconds=float("nan"))),
    "a long name": lambda path: card(path, lambda about: about.update(name="x" * 100_000)),
    "a long text": lambda path: card(path, lambda about: about.update(learned="x" * 3_000_000)),
    "a long solver": lambda path: card(path, lambda about: about["solver"].update(name="x" * 1000)),
    "many matches": lambda path: card(path, lambda about: matches(about, [str(number) for number in range(2000)])),
    "a long game": lambda path: card(path, lambda about: about["game"].update(name="x" * 100_000)),
    "options that are none": lambda path: card(path, lambda about: about["game"].update(options={"pot": [1] * 1000})),
    "a FIFO": os.mkfifo,
    "a folder": lambda path: path.mkdir(),
    "a large card": large_card,
    "a gigabyte of nothing": sparse,
    "a 50 MB text": lambda path: path.write_bytes(b"text\n" * 10_000_000),
    "a device": lambda path: path.symlink_to("/dev/zero"),
}


@pytest.mark.parametrize("make", HOSTILE.values(), ids=HOSTILE)
def test_the_rest_can_be_played(tmp_path: Path, make: Callable[[Path], object]) -> None:
    shutil.copy(GOOD, tmp_path / "good.agent")
    make(tmp_path / "bad.agent")
    agents = Agents(tmp_path)
    assert [found.id for found in agents.cards() if found.kind == "file"] == ["good"]
    assert agents.policy("good")
    for problem in agents.problems:
        assert problem.encode()
        assert "bad" in problem
        assert len(problem) < 400
    assert all(json.dumps([found.name, found.learned, *found.measured]).isascii() for found in agents.cards())


def test_names_that_are_not_utf8(tmp_path: Path) -> None:
    shutil.copy(GOOD, tmp_path / "good.agent")
    shutil.copy(GOOD, os.fsencode(tmp_path) + b"/\xff\xfe.agent")
    os.mkdir(os.fsencode(tmp_path) + b"/\xfd")
    shutil.copy(GOOD, os.fsencode(tmp_path) + b"/\xfd/other.agent")
    deep = tmp_path.joinpath(*["d" * 100] * 6)
    deep.mkdir(parents=True)
    shutil.copy(GOOD, deep / "deep.agent")
    agents = Agents(tmp_path)
    assert [found.id for found in agents.cards() if found.kind == "file"] == ["good"]
    assert len(agents.problems) == 3
    assert all(problem.encode() for problem in agents.problems)

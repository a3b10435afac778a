"""The parts of a reproduction as tasks: the same data as in one process, also where parts need figures of others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from smoothcall.cluster.runner import runner_on
from smoothcall.experiments.distributed import measure_parts
from smoothcall.experiments.parts import NotMeasured, Parts
from smoothcall.tasks import HERE, Runner, Threads


def measure(parts: Parts, size: int, folder: Path) -> None:
    """An experiment of five parts. The third needs a figure of the first, the last one reads another's data."""
    first = parts.measure("first", {"size": size}, lambda: {"threshold": size / 3})
    parts.measure("second", {}, lambda: [1, 2])
    threshold = first["threshold"]
    for number in range(2):
        parts.measure(f"third {number}", {"threshold": threshold}, lambda number=number: threshold + number)
    total = sum(parts.parts[f"third {number}"].figures for number in range(2))
    parts.measure("last", {"total": total}, lambda: total)


def data(file: Path) -> dict[str, Any]:
    parts = json.loads(file.read_text())["parts"]
    return {name: (part["settings"], part["figures"]) for name, part in parts.items()}


def reproduced(folder: Path, runner: Runner, *, again: bool = False) -> tuple[dict[str, Any], list[str]]:
    told = list[str]()
    parts = Parts(folder / "data.json", "command", told.append, again=again)
    if runner is HERE:
        measure(parts, 5, folder)
    else:
        measure_parts(measure, parts, 5, runner)
    parts.forget_others()
    return data(folder / "data.json"), told


def test_parts_as_tasks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folders = [tmp_path / name for name in ("here", "there")]
    wanted, told = reproduced(folders[0], HERE)
    assert told == ["first", "second", "third 0", "third 1", "last"]
    assert reproduced(folders[1], Threads(1)) == (wanted, told)
    assert reproduced(folders[1], Threads(1)) == (wanted, [])  # nothing is measured twice
    assert reproduced(folders[1], Threads(1), again=True) == (wanted, told)


def test_parts_on_three_nodes(cluster: Any, tmp_path: Path) -> None:
    wanted, told = reproduced(tmp_path / "here", HERE)
    with runner_on(cluster.address) as runner:
        assert reproduced(tmp_path / "there", runner) == (wanted, told)


def test_figures_that_are_not_measured(tmp_path: Path) -> None:
    parts = Parts(tmp_path / "data.json", "command", lambda line: None)
    with pytest.raises(NotMeasured):
        parts.parts["first"]

"""Runs that are killed and resumed end bit for bit as runs that never were."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import smoothcall as sc
from smoothcall.agents.folders import snapshots_of
from smoothcall.store.metrics import read_metrics
from smoothcall.store.runs import Run
from tests.conftest import PATIENCE, TINY
from tests.contracts.test_solvers import NFSP
from tests.store.processes import EVEN_IF_SLOW, OFTEN, start, without_time


def _checkpoints(folder: Path) -> int:
    """Return a number that changes with every checkpoint; 0 without one."""
    file = folder / "checkpoint.npz"
    return file.stat().st_mtime_ns if file.exists() else 0


def _train_and_kill(train: list[str], folder: Path, most: int) -> int:
    """Train and resume in processes that are killed soon after a new checkpoint, `most` times; return the number of kills."""
    random, kills, process = Random(1), 0, start(*train)
    before = 0
    while process.poll() is None:
        if kills < most and (at := _checkpoints(folder)) not in (0, before):
            time.sleep(random.uniform(0, 0.15))
            before = at
            if process.poll() is None:
                process.kill()
                kills += 1
                process.communicate()
                process = start("resume", str(folder))
        time.sleep(0.005)
    _, errors = process.communicate()
    assert process.returncode == 0, errors.decode()
    return kills


@pytest.mark.long
@pytest.mark.parametrize(
    ("game", "solver", "options", "iterations", "most"),
    [
        ("leduc", "mccfr", {"sampling": "external"}, 600_000, 6),
        ("leduc", "mccfr", {"sampling": "chance", "prune": "1e-5"}, 200_000, 6),
        ("leduc", "predictive-cfr+", {}, 150_000, 6),
        (TINY, "smooth-uct", {}, 4_000_000, 6),
    ],
)
def test_killed_at_any_moment(
    game: str, solver: str, options: dict[str, str], iterations: int, most: int, tmp_path: Path
) -> None:
    whole = Run.create(tmp_path / "whole", game, solver, seed=5, options=options, iterations=iterations, keep=True)
    whole.train()
    folder = tmp_path / "killed"
    settings = ["--keep", *(word for name, value in options.items() for word in ("--set", f"{name}={value}"))]
    train = ["train", game, solver, "--seed", "5", "--iterations", str(iterations), "--out", str(folder), *settings]
    assert _train_and_kill(train, folder, most) >= min(2, (most + 1) // 2)
    _verify_same(Run.open(folder), whole, iterations)


def test_killed_after_a_checkpoint(tmp_path: Path, unrendered: None) -> None:
    """One kill, and the run goes on in this process. (Many kills of several solvers: the long suite.)"""
    folder = tmp_path / "killed"
    train = ["train", "leduc", "mccfr", "--set", "sampling=chance", "--set", "prune=1e-5", "--seed", "5", "--keep"]
    _kill_when(lambda: _checkpoints(folder) > 0, [*train, "--iterations", "1e9", "--out", str(folder)])
    resumed = Run.open(folder)
    assert resumed.solver.iterations > 0
    end = max(resumed.solver.iterations, *snapshots_of(folder)) + 5_000  # snapshots may be later than the checkpoint
    resumed.train(iterations=end)
    options = {"sampling": "chance", "prune": "1e-5"}
    whole = Run.create(tmp_path / "whole", "leduc", "mccfr", seed=5, options=options, iterations=end, keep=True)
    whole.train()
    _verify_same(resumed, whole, end)


def _kill_when(ready: Callable[[], bool], train: list[str], script: str = OFTEN) -> None:
    """Train in a process that is killed soon after `ready` returns True."""
    process = start(*train, script=script)
    waited = time.monotonic()
    while not ready() and process.poll() is None and time.monotonic() - waited < PATIENCE:
        time.sleep(0.01)
    time.sleep(0.1)
    process.kill()
    _, errors = process.communicate()
    assert ready(), errors.decode()


def _verify_same(resumed: Run, whole: Run, iterations: int) -> None:
    """Verify that a run has written what another one has: tables, agents, metrics and snapshots."""
    folder = resumed.folder
    assert resumed.solver.iterations == iterations
    np.testing.assert_array_equal(sc.load(resumed.agent).table, sc.load(whole.agent).table)
    for name, table in whole.solver.tables().items():
        np.testing.assert_array_equal(resumed.solver.tables()[name], table)
    assert without_time(read_metrics(folder)) == without_time(read_metrics(whole.folder))
    left = {path.name for path in folder.iterdir() if not path.name.startswith(".")}
    greedy_too = {"greedy.agent"} if whole.game.sampled else set()
    assert left == {"config.json", "metrics.jsonl", "checkpoint.npz", "agent.agent", "snapshots", "curve.png"} | greedy_too
    kept, again = snapshots_of(whole.folder), snapshots_of(folder)
    assert list(again) == list(kept) == [*(10**power for power in range(1, 7) if 10**power < iterations), iterations]
    for snapshot, path in kept.items():
        np.testing.assert_array_equal(sc.load(again[snapshot]).weights, sc.load(path).weights)
    if whole.game.sampled:
        greedy = [sc.load(run.folder / "greedy.agent").weights for run in (whole, resumed)]
        np.testing.assert_array_equal(*greedy)


def _updates(checkpoint: Path) -> int:
    """How often networks have learned up to a checkpoint."""
    if not checkpoint.exists():
        return 0
    with np.load(checkpoint) as state:
        return int(state["counts"][2])


@pytest.mark.long  # a process of its own that imports JAX
def test_a_killed_run_of_networks_goes_on_bit_exactly(tmp_path: Path) -> None:
    """What networks have learned, all they remember and the hands in play, through a checkpoint and a kill."""
    options = {"moves": 2000, "transitions": 2000, "hands": 32}
    settings = [word for name, value in options.items() for word in ("--set", f"{name}={value}")]
    folder = tmp_path / "killed"
    train = ["train", "kuhn", "nfsp", "--seed", "5", "--iterations", "1e9", "--out", str(folder), *settings]
    _kill_when(lambda: _updates(folder / "checkpoint.npz") > 0, train, EVEN_IF_SLOW)
    done = Run.open(folder)
    _verify_networks(done, done.solver.iterations + 3_000, options, tmp_path)


def test_a_run_of_networks_goes_on_bit_exactly(tmp_path: Path, unrendered: None) -> None:
    """The same after a stop."""
    run = Run.create(tmp_path / "stopped", "kuhn", "nfsp", seed=5, options=NFSP, iterations=100_000)
    run.train(stop=lambda: int(run.solver.tables()["counts"][2]) > 0)
    done = Run.open(run.folder)
    _verify_networks(done, done.solver.iterations + 100, NFSP, tmp_path)


def _verify_networks(done: Run, end: int, options: dict[str, Any], tmp_path: Path) -> None:
    """Continue a run whose networks have learned, up to `end`; verify that it has written what a run without a pause has."""
    folder, learned = done.folder, done.solver.tables()["counts"][2]
    assert learned > 0
    done.train(iterations=end)
    assert done.solver.tables()["counts"][2] > learned
    whole = Run.create(tmp_path / "whole", "kuhn", "nfsp", seed=5, options=options, iterations=end)
    whole.train()
    np.testing.assert_array_equal(sc.load(done.agent).table, sc.load(whole.agent).table)
    with np.load(folder / "checkpoint.npz") as killed, np.load(whole.folder / "checkpoint.npz") as straight:
        assert killed.files == straight.files
        for name in set(killed.files) - {"seconds"}:
            np.testing.assert_array_equal(killed[name], straight[name], err_msg=name)
    assert without_time(done.metrics) == without_time(whole.metrics)

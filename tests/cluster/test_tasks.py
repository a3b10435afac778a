"""Independent tasks: equal results in this process, on a local cluster and on three nodes; lost tasks run again."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import smoothcall as sc
from smoothcall.agents.fixed import Fixed, Rule, Strategy
from smoothcall.app import App
from smoothcall.cluster import runner as runner_module
from smoothcall.cluster.connection import read_cluster
from smoothcall.cluster.runner import runner_on
from smoothcall.cluster.saved import SavedResults
from smoothcall.cluster.version import OtherVersion, this_version, verify_version
from smoothcall.evaluation import freezeouts, policy_match
from smoothcall.evaluation.exact_response import exact_response
from smoothcall.evaluation.learned_response import learned_response
from smoothcall.evaluation.local_best_response import local_best_response
from smoothcall.evaluation.policy_match import sample
from smoothcall.kernels.tables import Array
from smoothcall.tasks import HERE, Job, Result, Runner, Threads, task_seeds
from tests.conftest import PATIENCE, TINY, built
from tests.evaluation.test_exact_response import small


def draw(scale: float, number: int) -> Result:
    return (np.random.default_rng(task_seeds(1, number, 1)[0]).normal(size=3) * scale,)


def scaled(scale: float) -> float:
    return scale


DRAWS = Job("draws", scaled, (2.0,), draw, 9)


def die_once(folder: str, number: int) -> Result:
    """Kill the process of the first attempt at task 1."""
    mark = Path(folder) / str(number)
    if number == 1 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return (np.array([number]),)


def fail(_: object, number: int) -> Result:
    raise sc.UsageError(f"task {number} is wrong")


def text(folder: str) -> str:
    return folder


def evaluations(runner: Runner) -> dict[str, Any]:
    """Return every kind of distributed evaluation, as data."""
    kuhn, tiny = built("kuhn"), built(TINY)
    uniform = sc.Policy.uniform(kuhn)
    calls = exact_response(sc.Policy.uniform(small("all-in")), slots=("f", "c"), flops=8, double=True, runner=runner)
    learned = learned_response(uniform, episodes=200, hands=100, seed=1, runner=runner)
    return {
        "match": sample(kuhn, [Strategy(uniform), Rule.PROBE], 20_000, seed=3, runner=runner).estimates(),
        "match with sampled deals": sample(
            tiny, [Strategy(sc.Policy.uniform(tiny)), Rule.ALWAYS_CALL], 9_000, seed=3, runner=runner
        ).estimates(),
        "local best response": local_best_response(uniform, deals=200, seed=2, runner=runner).as_dict(),
        "learned response": (learned.as_dict(), learned.response.weights.tobytes()),
        "exact response": calls.as_dict(),
    }


class Copied:
    """Runs a copy of each job in this process, as another process would read it."""

    def run(self, job: Job) -> Generator[Result, None, None]:
        return HERE.run(pickle.loads(pickle.dumps(job)))


def test_jobs_are_the_same_when_copied() -> None:
    assert evaluations(Copied()) == evaluations(HERE)


def test_results_are_the_same_on_three_nodes(cluster: Any, tmp_path: Path) -> None:
    kuhn = built("kuhn")
    players: list[Fixed] = [Strategy(sc.Policy.uniform(kuhn)), Rule.PROBE]
    with runner_on(cluster.address) as runner:
        found = sample(kuhn, players, 20_000, seed=3, runner=runner).estimates()
        assert [each[0].tolist() for each in runner.run(DRAWS)] == [each[0].tolist() for each in HERE.run(DRAWS)]
        report = App(cluster=cluster.address).cluster_status()
    assert found == sample(kuhn, players, 20_000, seed=3).estimates()
    assert report.versions == ("same",) * 3
    assert report.processes == 3
    assert not list((tmp_path / "data" / "tasks").iterdir())  # results of finished jobs are deleted


@pytest.mark.long  # every process loads the kernels of every evaluation
def test_evaluations_are_the_same_on_three_nodes(cluster: Any) -> None:
    with runner_on(cluster.address) as runner:
        assert evaluations(runner) == evaluations(HERE)


@pytest.mark.long  # three nodes are in both suites
@pytest.mark.parametrize("processes", [1, 2])
def test_results_are_the_same_on_a_local_cluster(processes: int) -> None:
    """In a process of its own: a process connects to one cluster at a time."""
    names = ["match", "--game", "kuhn", "probe", "random", "--hands", "40000", "--seed", "5", "--json"]
    here, there = (
        subprocess.run(
            [sys.executable, "-m", "smoothcall", *names, *where], capture_output=True, text=True, check=True, timeout=PATIENCE
        )
        for where in ([], ["--cluster", f"local:{processes}"])
    )
    assert there.stdout == here.stdout
    assert there.stderr == here.stderr


def test_lost_tasks_run_again(cluster: Any, tmp_path: Path) -> None:
    told = list[str]()
    with runner_on(cluster.address, told.append) as runner:
        found = [int(each[0][0]) for each in runner.run(Job("marks", text, (str(tmp_path),), die_once, 4))]
        assert found == list(range(4))
        assert runner.lost == 1  # type: ignore[attr-defined]
        with pytest.raises(sc.UsageError, match="task 0 is wrong"):
            list(runner.run(Job("failures", text, ("",), fail, 1)))
    assert len(told) == 1
    assert "runs again" in told[0]


def test_finished_tasks_are_kept_on_disk(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner_module, "SAVE_SECONDS", 0.0)
    with runner_on(cluster.address) as runner:
        results = runner.run(DRAWS)
        first = next(results)
        results.close()
        assert SavedResults(DRAWS).read(0) is not None
        kept = SavedResults(DRAWS)
        kept.save(1, (np.full(3, 7.0),))  # stands for what another process has finished
        again = list(runner.run(DRAWS))
    assert again[0][0].tolist() == first[0].tolist()
    assert again[1][0].tolist() == [7.0] * 3
    assert kept.read(1) is None


def test_a_damaged_result_is_computed_again(tmp_path: Path) -> None:
    saved = SavedResults(DRAWS, tmp_path)
    saved.save(0, draw(1.0, 0))
    assert saved.read(0) is not None
    (saved.folder / "0.npz").write_bytes(b"PK")
    assert saved.read(0) is None


def test_threads_and_order() -> None:
    assert [each[0].tolist() for each in Threads(2).run(DRAWS)] == [each[0].tolist() for each in HERE.run(DRAWS)]


@pytest.mark.parametrize("given", ["", "local", "local:0", "local:257", "local:x", "somewhere", "host:port", "ray://a:1"])
def test_wrong_clusters_are_refused(given: str) -> None:
    with pytest.raises(sc.UsageError, match="accepted: auto, HOST:PORT, or local:N"):
        read_cluster(given)


def test_another_version_is_refused() -> None:
    verify_version(this_version(), this_version(), "here")
    with pytest.raises(OtherVersion, match=r"worker on there runs smoothcall 9\.9; this is smoothcall"):
        verify_version(this_version(), "smoothcall 9.9", "there")


def test_a_match_is_cut_into_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Deals of different tasks are independent: the interval of many short tasks covers the exact result."""
    monkeypatch.setattr(policy_match, "BATCH", 50)
    monkeypatch.setattr(freezeouts, "TOGETHER", 50)
    game = built("kuhn")
    uniform = Strategy(sc.Policy.uniform(game))
    found = sample(game, [uniform, Rule.PROBE], 5_000, seed=1).estimates()
    exact = policy_match.exact_values(game, [uniform, Rule.PROBE])
    for value, estimate in zip(exact, found, strict=True):
        low, high = estimate.interval(0.999)
        assert low < value < high


def test_policies_and_games_are_pickled_by_what_they_are_made_of() -> None:
    for spec in ("rps", "kuhn:pot=8", "leduc", TINY):
        policy = sc.Policy.uniform(built(spec))
        first, second = pickle.loads(pickle.dumps(policy)), pickle.loads(pickle.dumps(policy))
        assert first.game is second.game
        assert first.game.fingerprint == policy.game.fingerprint
        assert first.game.spec == policy.game.spec
        table: Array = first.weights
        assert np.array_equal(table, policy.weights)
        assert not table.flags.writeable


class OtherGame(sc.Game):
    """A game whose class says more than what it was made of."""

    @property
    def blind(self) -> int:
        return 7


def test_a_game_of_a_subclass_keeps_its_class() -> None:
    read = pickle.loads(pickle.dumps(OtherGame(built("kuhn").rules)))
    assert type(read) is OtherGame
    assert (read.blind, read.fingerprint) == (7, built("kuhn").fingerprint)

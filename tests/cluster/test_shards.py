"""Tables divided into shards: equal to those of a whole solver, to their simulation in one process, and after faults."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import smoothcall as sc
from smoothcall.app import App
from smoothcall.cluster import sharded
from smoothcall.cluster.connection import connected
from smoothcall.cluster.shard_hosts import ShardProcesses, shards_on
from smoothcall.cluster.sharded import ShardedSolver, ShardsHere, ShardTeam
from smoothcall.kernels.tables import Array
from smoothcall.solvers import shards as parts_of_solvers
from smoothcall.solvers.shards import Batch, Result
from smoothcall.store.runs import Run
from tests.conftest import TINY, built

WHOLE: list[tuple[str, str, dict[str, Any]]] = [
    ("leduc", "uct", {"folds": "sampled"}),
    ("leduc", "smooth-uct", {}),
    ("leduc-3p", "smooth-uct", {}),
    (TINY, "smooth-uct", {}),
    ("limit-holdem", "smooth-uct", {}),
]
LEARNED = ("visits", "mean", "regret", "average")


def divided(folder: Path, spec: str, name: str, shards: int, exchange: int | None = 50, **options: Any) -> ShardedSolver:
    return ShardedSolver(name, built(spec), shards=shards, folder=folder, seed=4, exchange=exchange, **options)


def table(made: ShardedSolver, name: str) -> Array:
    """Return a table of the whole game, from the shards in this process."""
    return made.parts.together(made.tables()[name], [shard.part.rest.tables()[name] for shard in made.team.hosts.shards])


def share_the_generator(made: ShardedSolver, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a solver with one shard draw all random numbers from one generator, as a whole solver does."""
    made.prepare()
    part = made.team.hosts.shards[0].part
    original = part.go_on

    def go_on(batches: Sequence[Batch]) -> list[Result]:
        part.rest._generators[0] = part.trunk._generators[0]
        results: list[Result] = original(batches)
        part.trunk._generators[0] = part.rest._generators[0]
        return results

    monkeypatch.setattr(part, "go_on", go_on)


@pytest.mark.parametrize(("spec", "name", "options"), WHOLE)
def test_rounds_of_one_hand_are_the_whole_solver(
    spec: str, name: str, options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hand that travels learns what it learns at home: equal bits, where the random numbers are the same."""
    made, whole = divided(tmp_path, spec, name, 1, 1, **options), sc.solver(name, built(spec), seed=4, **options)
    share_the_generator(made, monkeypatch)
    for each in (made, whole):
        each.run(300)
    for known, learned in whole.tables().items():
        assert np.array_equal(table(made, known) if known in LEARNED else made.tables()[known], learned), known
    assert made.nodes == whole.nodes
    assert np.array_equal(made.policy().weights, whole.policy().weights)
    assert np.array_equal(made.current_policy().weights, whole.current_policy().weights)


@pytest.mark.parametrize("spec", ["leduc", "leduc-3p"])
def test_one_walk_is_that_of_the_whole_solver(spec: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Outcome sampling, walk by walk, in which the first player learns: values, reaches and regrets have equal bits."""
    from smoothcall.information.dealing import DealSampler
    from smoothcall.kernels.solvers import mccfr

    made = divided(tmp_path, spec, "mccfr", 1, 1, sampling="outcome")
    original = parts_of_solvers.DividedRegrets._deal
    monkeypatch.setattr(parts_of_solvers.DividedRegrets, "_deal", lambda self, count: original(self, min(count, 1)))
    share_the_generator(made, monkeypatch)
    made.run(400)
    whole: Any = sc.solver("mccfr", built(spec), seed=4, sampling="outcome")
    sampler, visits = DealSampler(whole.game, 1), whole._visits()
    how = (mccfr.OUTCOME, 0.6, mccfr.Tables(whole._regret, whole._average), visits, whole._generators[0])
    visited = sum(mccfr.walk_deals(whole.game.walk, *sampler.sample(1, whole._dealers[0]), *how) for _ in range(400))
    for known in ("regret", "average"):
        assert np.array_equal(table(made, known), whole.tables()[known])
    assert made.nodes == visited


@pytest.mark.parametrize(("name", "iterations", "bound"), [("smooth-uct", 300_000, 0.6), ("mccfr", 30_000, 0.25)])
def test_shards_learn(name: str, iterations: int, bound: float, tmp_path: Path) -> None:
    """NashConv after rounds of the usual lengths; that of the uniform policy is 4.75."""
    game, made = built("leduc"), divided(tmp_path, "leduc", name, 3, None)
    made.run(iterations)
    assert sc.nash_conv(game, made.policy()) < bound


def test_visits_are_counted_once(tmp_path: Path) -> None:
    made = divided(tmp_path, "leduc", "uct", 4, 30, folds="sampled")
    made.run(7)
    made.run(994)
    tree = built("leduc").tree
    visits, first = table(made, "visits"), np.array(built("leduc").row_node)
    assert visits[first == 0].sum() == 1001
    above = visits[first == 0][:, 1].sum()  # checks of the first player are visits of the node below
    assert visits[first == tree.child[0, 1]].sum() == pytest.approx(above, abs=1001)
    assert abs(made.trunk.earned.sum()) < 1e-9  # type: ignore[attr-defined]


def trained(folder: Path, cluster: str | None, name: str = "smooth-uct", shards: int = 3) -> tuple[Any, ...]:
    report = App(folder, cluster=cluster).train("leduc", name, iterations=6_000, seed=2, shards=shards, out=folder / "run")
    assert report.done
    return report.iterations, sc.load(folder / "run" / "agent.agent").weights.tobytes()


@pytest.mark.parametrize("name", ["smooth-uct", "mccfr"])
def test_a_run_is_resumed_bit_for_bit(name: str, tmp_path: Path) -> None:
    whole = trained(tmp_path / "whole", None, name)
    folder = tmp_path / "run"
    with shards_on(None, 3) as build:
        run = Run.create(folder, "leduc", name, iterations=6_000, seed=2, build=build)
        run.train(stop=lambda: run.solver.iterations > 2_000)
        assert 2_000 < run.solver.iterations < 6_000
    with pytest.raises(sc.UsageError, match="has 3 shards"):
        Run.open(folder)
    report = App(tmp_path).resume(folder)
    assert (report.iterations, sc.load(folder / "agent.agent").weights.tobytes()) == whole
    assert len(list((folder / "shards").glob("*.npz"))) <= 6


def test_a_lost_shard_file_is_an_error_of_one_line(tmp_path: Path) -> None:
    trained(tmp_path, None)
    for path in (tmp_path / "run" / "shards").glob("1-*.npz"):
        path.write_bytes(b"PK")
    with pytest.raises(sc.UsageError, match="is damaged"):
        App(tmp_path).resume(tmp_path / "run", iterations=7_000)


def test_a_run_on_a_cluster_that_loses_a_shard(cluster: Any, tmp_path: Path) -> None:
    """After a checkpoint the process of a shard is killed: two shards learn what they learn in this process."""
    here, there = tmp_path / "here" / "run", tmp_path / "there" / "run"
    wanted = trained(tmp_path / "here", None, "mccfr", 2)
    with shards_on(cluster.address, 2) as build:
        run = Run.create(there, "leduc", "mccfr", iterations=6_000, seed=2, build=build)
        run.train(stop=lambda: run.solver.iterations > 1_000)
        assert 1_000 < run.solver.iterations < 6_000
        team, killed = run.solver.team, list[int]()
        assert isinstance(team, ShardTeam)

        def kill_once() -> bool:
            if not killed and run.solver.iterations > 2_000:
                killed.append(team.hosts.processes[1])
                os.kill(killed[0], signal.SIGKILL)
            return False

        run.train(stop=kill_once)
        assert killed
        assert team.hosts.lost >= 1
        assert f"{team.hosts.lost} lost" in team.note
    assert (run.solver.iterations, sc.load(there / "agent.agent").weights.tobytes()) == wanted
    for folder in (here, there):
        App(tmp_path).resume(folder, iterations=7_000)
    assert np.array_equal(*(sc.load(folder / "agent.agent").weights for folder in (here, there)))


@pytest.mark.long  # three shards
def test_runs_on_three_nodes(cluster: Any, tmp_path: Path) -> None:
    """Three shards learn the same on a cluster and in this process, and a run of a cluster is resumed without one."""
    here, there = tmp_path / "here", tmp_path / "there"
    assert trained(here, None, "mccfr") == trained(there, cluster.address, "mccfr")
    for folder in (here, there):
        App(tmp_path).resume(folder / "run", iterations=9_000)
    agents = [sc.load(folder / "run" / "agent.agent").weights for folder in (here, there)]
    assert np.array_equal(*agents)


def disturbed(ray: Any, folder: Path, how: signal.Signals | None) -> tuple[ShardedSolver, tuple[Any, ...]]:
    """Train on three processes, one of which gets a signal after a checkpoint; without a signal, in this process."""

    def make(about: sharded.About, place: Path) -> sharded.ShardHosts:
        return ShardProcesses(ray, about, place, [0] * 3) if how else ShardsHere(about, place)

    made = ShardedSolver("smooth-uct", built("leduc"), shards=3, folder=folder, seed=4, exchange=100, make=make)
    made.run(1_500)
    made.state()
    made.run(900)
    if how:
        os.kill(made.team.hosts.processes[1], how)
    made.run(1_500)
    tables = {name: learned.tobytes() for name, learned in made.tables().items()}
    return made, (made.policy().weights.tobytes(), tables, made.nodes, made.iterations)


@pytest.mark.long  # three shards, killed and stopped
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "stopped"])
def test_lost_shards(cluster: Any, tmp_path: Path, how: signal.Signals) -> None:
    """The process of a shard is lost: all go back to the last checkpoint, and learn the same again."""
    with connected(cluster.address) as ray:
        _, quiet = disturbed(ray, tmp_path / "quiet", None)
        made, found = disturbed(ray, tmp_path / "lost", how)
        assert made.team.hosts.lost >= 1
        assert f"{made.team.hosts.lost} lost" in made.team.note
        made.team.hosts.close()
    assert found == quiet


def test_wrong_shards_are_refused(cluster: Any, tmp_path: Path) -> None:
    for name, how, said in [
        ("cfr", {}, r"cfr does not learn in shards .accepted: uct, smooth-uct, mccfr"),
        ("uct", {"threads": 2}, "shards run on one thread each"),
        ("uct", {"against": "random"}, "option against=random does not go with shards"),
        ("smooth-uct", {"explore": "pot"}, "option explore=pot does not go with shards"),
        ("mccfr", {"sampling": "chance"}, "option sampling=chance does not go with shards"),
    ]:
        with pytest.raises(sc.UsageError, match=said):
            ShardedSolver(name, built("leduc"), shards=2, folder=tmp_path, **how)  # type: ignore[arg-type]
    with pytest.raises(sc.UsageError, match="workers or of shards, not both"):
        App(tmp_path).train("leduc", "uct", workers=2, shards=2)
    with pytest.raises(sc.UsageError, match="shards=5: the cluster has 3 places"):
        App(tmp_path, cluster=cluster.address).train("leduc", "uct", shards=5, iterations=10)
    with (
        connected(cluster.address) as ray,
        pytest.raises(sc.UsageError, match=r"a shard needs 1e.05 GB of memory, the largest machine"),
    ):
        ShardProcesses(ray, ("uct", built("leduc"), 2, 0, {}), tmp_path, [10**14, 0])

"""Teams of workers: one worker learns what a solver alone learns, steps are counted once, lost ones are done again."""

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
from smoothcall.cluster import hosts as hosts_module
from smoothcall.cluster import merging
from smoothcall.cluster import team as team_module
from smoothcall.cluster.connection import connected
from smoothcall.cluster.hosts import ClusterHosts
from smoothcall.cluster.merging import Change, changed_rows, merge, shared_tables
from smoothcall.cluster.team import Host, LearningTeam, Step, Tables, ThisProcess, copy_of
from smoothcall.cluster.version import this_version
from smoothcall.memory import OutOfMemory
from smoothcall.solvers import Solver
from tests.cluster.conftest import checkpoint
from tests.conftest import TINY, built

SOLVERS: list[tuple[str, str, dict[str, Any]]] = [
    ("leduc", "smooth-uct", {}),
    ("kuhn-3p", "uct", {"folds": "sampled"}),
    ("leduc", "mccfr", {}),
    ("kuhn", "mccfr", {"sampling": "chance"}),
    ("kuhn-3p", "mccfr", {"sampling": "outcome"}),
    (TINY, "smooth-uct", {}),
    (TINY, "mccfr", {}),
]


def learner(spec: str = "leduc", name: str = "smooth-uct", workers: int = 0, exchange: int = 500, **options: Any) -> Solver:
    made = sc.solver(name, built(spec), seed=4, **options)
    if workers:
        made.team = LearningTeam(made, workers, exchange=exchange)
    return made


def same(one: Solver, other: Solver) -> bool:
    mine, theirs = one.state(), other.state()
    return all(np.array_equal(theirs[name], table) for name, table in mine.items() if name in theirs)


@pytest.mark.parametrize(("spec", "name", "options"), SOLVERS)
def test_one_worker_learns_what_a_solver_alone_learns(spec: str, name: str, options: dict[str, Any]) -> None:
    alone, team = learner(spec, name, **options), learner(spec, name, 1, 300, **options)
    alone.run(1000)
    team.run(250)
    team.run(750)
    assert same(alone, team)
    assert alone.nodes == team.nodes


@pytest.mark.parametrize(("spec", "name", "options"), SOLVERS)
def test_a_team_is_resumed_bit_for_bit(spec: str, name: str, options: dict[str, Any]) -> None:
    whole, half = learner(spec, name, 3, 100, **options), learner(spec, name, 3, 100, **options)
    whole.run(1200)
    half.run(600)
    resumed = learner(spec, name, 3, 100, **options)
    resumed.restore(half.state())
    resumed.run(600)
    assert same(whole, resumed)
    with pytest.raises(sc.UsageError, match="not of a team of 2 workers"):
        learner(spec, name, 2, 100, **options).restore(half.state())


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_visits_are_counted_once(workers: int) -> None:
    """In sampled folds every episode visits the first player's first state once."""
    made = learner("kuhn", "uct", workers, 70, folds="sampled")
    made.run(1001)
    first = built("kuhn").row_node == 0
    assert made.tables()["visits"][first].sum() == 1001
    assert abs(made.earned.sum()) < 1e-9  # type: ignore[attr-defined]


def test_means_are_weighted_by_visits() -> None:
    visits, mean = np.array([[4.0, 0.0], [1.0, 1.0], [9.0, 2.0]]), np.array([[1.0, -np.inf], [0.5, 2.0], [3.0, 0.0]])
    tables = {"visits": visits.copy(), "mean": mean.copy()}
    changes = []
    for worker, (row, value) in enumerate([(0, 5.0), (0, -5.0), (2, 1.0)]):
        now = {name: table.copy() for name, table in tables.items()}
        now["visits"][row, 0] += 1
        now["mean"][row, 0] += (value - now["mean"][row, 0]) / now["visits"][row, 0]
        changes.append(Change(worker, 1, changed_rows(tables, now), {}, 0))
    alone = changes[2].rows["mean"][1].copy()
    changed = merge(tables, changes)
    assert tables["visits"].tolist() == [[6, 0], [1, 1], [10, 2]]
    assert tables["mean"][0].tolist() == [pytest.approx((4 * 1.0 + 5 - 5) / 6), -np.inf]
    assert np.array_equal(tables["mean"][2:], alone)  # one worker alone changed it
    assert {name: rows.tolist() for name, rows in changed.items()} == {"visits": [0, 2], "mean": [0, 2]}


@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("block", [7, 1 << 14])
def test_merged_tables_are_those_of_a_loop_over_rows(kind: Any, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables that are columns of wider records, and rows that none, one or several of four workers changed."""
    monkeypatch.setattr(merging, "BLOCK", block)
    random = np.random.default_rng(3)
    records = np.concatenate([random.integers(1, 9, (30, 3)), random.normal(size=(30, 5))], axis=1).astype(kind)
    tables = {"visits": records[:, :3], "mean": records[:, 3:6], "earned": random.normal(size=(1, 2))}
    before, changes, seen = {name: table.copy() for name, table in tables.items()}, [], []
    for worker in range(4):
        now = {name: table.copy() for name, table in before.items()}
        for row, action in zip(random.integers(0, 30, 12), random.integers(0, 3, 12), strict=True):
            now["visits"][row, action] += 1
            now["mean"][row, action] += (worker - now["mean"][row, action]) / now["visits"][row, action]
        now["earned"] += worker + 1
        seen.append({name: table.copy() for name, table in now.items()})
        changes.append(Change(worker, 1, changed_rows(before, now), {}, 0))
        assert all(np.array_equal(now[name], table) for name, table in before.items())  # as they were
    rows = merge(tables, changes)
    assert tables["earned"] == pytest.approx(before["earned"] + 10)
    for row in range(30):
        changed = [now for now in seen if (now["visits"][row] != before["visits"][row]).any()]
        assert (row in rows["visits"]) == bool(changed)
        for action in range(3):
            visits, mean = float(before["visits"][row, action]), float(before["mean"][row, action])
            more = [float(now["visits"][row, action]) for now in changed]
            total = visits + sum(each - visits for each in more)
            returns = visits * mean + sum(
                each * float(now["mean"][row, action]) - visits * mean for each, now in zip(more, changed, strict=True)
            )
            assert tables["visits"][row, action] == total
            assert tables["mean"][row, action] == pytest.approx(returns / total, rel=1e-5, abs=1e-6)
    assert rows["mean"] is rows["visits"]


def test_large_tables_have_long_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    made = learner("kuhn", workers=2)
    cells = built("kuhn").tree.rows * len(built("kuhn").actions)
    monkeypatch.setattr(team_module, "LEAST", 1)
    monkeypatch.setattr(team_module, "CELLS", 1)
    made.team = team = LearningTeam(made, 2)
    assert team.alone == 2 * max(team_module.SHARE, team_module.FIRST * cells)
    assert team.interval(team.alone) == max(team.alone // team_module.SHARE, 2 * cells)


def test_halved_visits_are_halved_in_the_team() -> None:
    """A worker whose counts reached the limit of float32 has halved its row."""
    before, halved, grown = (
        {"visits": np.array([visits], np.float32), "mean": np.array([mean], np.float32)}
        for visits, mean in (
            ([8.0, 4.0], [1.0, 3.0]),
            ([5.0, 2.0], [(4 * 1.0 + 6) / 5, 3.0]),
            ([10.0, 4.0], [(8 * 1.0 + 2 * 4) / 10, 3.0]),
        )
    )
    merge(before, [Change(each, 1, changed_rows(before, now), {}, 0) for each, now in enumerate((halved, grown))])
    assert before["visits"].tolist() == [[6.0, 2.0]]  # half of 8, one of the first, half of the second's two
    assert before["mean"].tolist() == [[pytest.approx((4 + 6 + 4) / 6), 3.0]]


def test_regrets_of_several_workers_are_averaged_and_averages_added() -> None:
    tables = {"regret": np.zeros((2, 2)), "average": np.zeros((2, 2))}
    played = np.array([0]), np.ones((1, 2))
    regrets = [(np.array([0, 1]), np.array([[2.0, 0], [4, 0]])), (np.array([0]), np.array([[4.0, -2]]))]
    changes = [Change(worker, 1, {"regret": rows, "average": played}, {}, 0) for worker, rows in enumerate(regrets)]
    merge(tables, changes)
    assert tables["regret"].tolist() == [[3, -1], [4, 0]]
    assert tables["average"].tolist() == [[2, 2], [0, 0]]


def test_float32_tables_and_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("smoothcall.solvers.threads.FLOAT64_ROWS", 0)
    alone, team = learner(TINY), learner(TINY, "smooth-uct", 1, 200)
    alone.run(500)
    team.run(500)
    assert team.tables()["visits"].dtype == np.float32
    assert same(alone, team)
    monkeypatch.undo()
    threads = learner("kuhn", "uct", 2, 100, threads=2, folds="sampled")
    threads.run(1000)
    first = built("kuhn").row_node == 0
    assert threads.tables()["visits"].sum(axis=0)[first].sum() == 1000


class Twice(ThisProcess):
    """Does every step twice, as where a process that was taken for dead still answers, and forgets its tables now and then."""

    def steps(self, number: int, update: Sequence[Change], tables: Tables, steps: Sequence[Step]) -> list[Change]:
        super().steps(number, update, tables, steps[::-1])
        if number % 3 == 0:
            self._host = None
        else:
            assert self._host is not None
            return [self._host.do(step) for step in steps]
        return super().steps(number, update, tables, steps)


def test_a_step_that_is_done_twice_changes_nothing() -> None:
    team, twice = learner("leduc", "mccfr", 3, 50), learner("leduc", "mccfr", 3, 50)
    assert isinstance(twice.team, LearningTeam)
    twice.team.hosts = Twice(twice)
    for each in (team, twice):
        each.run(900)
    assert same(team, twice)


def test_a_host_leaves_its_tables_as_they_were() -> None:
    made = learner()
    tables = {name: table.copy() for name, table in shared_tables(made.tables()).items()}
    host = Host(copy_of(made), tables, 0)
    own = {name: made.tables()[name] for name in ("generators", "dealers")}
    first, again = (host.do(Step(0, 1, 0, 300, own)) for _ in range(2))
    for name in first.rows:
        assert np.array_equal(first.rows[name][1], again.rows[name][1])


@pytest.mark.parametrize(("spec", "name", "options"), SOLVERS)
def test_hosts_have_the_tables_of_the_team(spec: str, name: str, options: dict[str, Any]) -> None:
    """Of hosts that did their own step, another one too, or none; changes come in any order, and one comes twice.

    Columns that follow from the tables are derived from the rows that changed; they equal those derived from all rows.
    """
    made = learner(spec, name, **options)
    made.run(500)
    tables = shared_tables(made.tables())
    hosts = [Host(copy_of(made), tables, 0) for _ in range(3)]
    own = [{each: made.tables()[each] + np.uint64(worker) for each in merging.OWN} for worker in range(2)]
    for number in range(1, 4):
        steps = [Step(worker, number, 500, 300, own[worker]) for worker in range(2)]
        changes = [hosts[0].do(steps[0]), hosts[1].do(steps[1])]
        assert np.array_equal(*(host.do(steps[0]).own["generators"] for host in hosts[:2]))
        merge(tables, changes)
        for host in hosts:
            host.update(number, changes[::-1], changes[:1])
    for host in hosts:
        host.start(steps[0])
        found = [tree.copy() for tree in getattr(host.solver, "_trees", [])]
        host.solver._restored()
        assert all(np.array_equal(*pair) for pair in zip(found, getattr(host.solver, "_trees", []), strict=True))
        assert all(np.array_equal(table, tables[each]) for each, table in shared_tables(host.solver.tables()).items())


def test_wrong_teams_are_refused() -> None:
    with pytest.raises(sc.UsageError, match="cfr does not learn with several workers"):
        LearningTeam(sc.solver("cfr", built("kuhn")), 2)
    with pytest.raises(sc.UsageError, match=r"workers=0 .accepted: a whole number from 1 to 4096"):
        LearningTeam(learner(), 0)


def test_rounds_end_where_they_would_without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(team_module, "LEAST", 4)
    one, other = learner("kuhn", workers=2), learner("kuhn", workers=2)
    for each in (one, other):
        each.team = LearningTeam(each, 2)
    end = one.boundary(1)
    assert end == one.team.interval(0)  # type: ignore[union-attr]
    one.run(one.boundary(3 * end) - one.iterations)
    while other.iterations < one.iterations:
        other.run(other.boundary(other.iterations + 1) - other.iterations)
    assert same(one, other)
    assert one.team.number == other.team.number > 3  # type: ignore[union-attr]


def trained(folder: Path, cluster: str | None, iterations: int = 40_000, **how: Any) -> tuple[bytes, dict[str, Any]]:
    report = App(folder, cluster=cluster).train("kuhn", "smooth-uct", iterations=iterations, seed=2, out=folder / "run", **how)
    assert report.done
    return sc.load(folder / "run" / "agent.agent").weights.tobytes(), checkpoint(folder / "run")


def test_a_run_on_three_nodes(cluster: Any, tmp_path: Path) -> None:
    """Three workers are the same on a cluster and in this process, and a run of a cluster is resumed without one."""
    here = trained(tmp_path / "here", None, 4_000, workers=3)
    assert trained(tmp_path / "there", cluster.address, 4_000) == here  # as many workers as the cluster has places
    for name in ("here", "there"):
        assert App(tmp_path).resume(tmp_path / name / "run", iterations=6_000).iterations == 6_000
    assert checkpoint(tmp_path / "here" / "run") == checkpoint(tmp_path / "there" / "run")


@pytest.mark.long  # seven processes
def test_runs_on_three_nodes(cluster: Any, tmp_path: Path) -> None:
    """One worker is a solver alone; three workers are the same on a cluster and in this process, and when resumed."""
    alone, tables = trained(tmp_path / "alone", None)
    one, of_team = trained(tmp_path / "one", cluster.address, workers=1)
    assert alone == one
    assert {name: of_team[name] for name in tables} == tables
    here = trained(tmp_path / "here", None, workers=3)
    assert trained(tmp_path / "there", cluster.address) == here  # as many workers as the cluster has places
    App(tmp_path).resume(tmp_path / "here" / "run", iterations=60_000)
    report = App(tmp_path, cluster=cluster.address).resume(tmp_path / "there" / "run", iterations=60_000)
    assert report.iterations == 60_000
    agents = [sc.load(tmp_path / name / "run" / "agent.agent").weights for name in ("here", "there")]
    assert np.array_equal(*agents)


def test_lost_workers(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process is killed, one is stopped, and one lacks memory; the tables are those of a team that nothing happened to."""
    monkeypatch.setattr(hosts_module, "PATIENCE", 3.0)
    monkeypatch.setattr(hosts_module, "TIMES", 0.0)
    quiet, disturbed = learner("kuhn", "uct", 2, 100), learner("kuhn", "uct", 2, 100)
    quiet.run(1_600)  # rounds of 200, which no run below cuts
    assert isinstance(disturbed.team, LearningTeam)
    lacking = OutOfMemory("uct on kuhn needs 9 GB of memory, 1 GB are left")
    with connected(cluster.address) as ray:
        hosts = disturbed.team.hosts = ClusterHosts(ray, disturbed, 2)
        for how in (signal.SIGKILL, signal.SIGSTOP):
            disturbed.run(400)
            os.kill(hosts.processes[-1], how)
        disturbed.run(400)
        assert hosts.lost >= 2  # more where the machine is so busy that others do not answer in time
        assert hosts.replayed >= 2
        assert f"{hosts.lost} lost" in disturbed.team.note
        lost = hosts.lost
        hosts._fail(next(iter(hosts._actors)), lacking)
        disturbed.run(400)
        assert (hosts.wanted, len(hosts._actors)) == (1, 1)
        assert hosts.lost > lost
        with pytest.raises(sc.UsageError, match=r"no process of the cluster has enough memory .uct on kuhn needs 9 GB"):
            hosts._fail(next(iter(hosts._actors)), lacking)
        hosts.close()
    assert same(quiet, disturbed)


@pytest.mark.long
def test_killed_and_stopped_workers(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes of a team of three are killed, and one is stopped, on a larger game."""
    monkeypatch.setattr(hosts_module, "PATIENCE", 3.0)
    monkeypatch.setattr(hosts_module, "TIMES", 0.0)
    quiet, disturbed = learner("leduc", "smooth-uct", 3, 1000), learner("leduc", "smooth-uct", 3, 1000)
    quiet.run(24_000)
    assert isinstance(disturbed.team, LearningTeam)
    with connected(cluster.address) as ray:
        hosts = disturbed.team.hosts = ClusterHosts(ray, disturbed, 3)
        disturbed.run(6_000)
        os.kill(hosts.processes[0], signal.SIGKILL)
        disturbed.run(6_000)
        os.kill(hosts.processes[-1], signal.SIGSTOP)
        disturbed.run(12_000)
        assert hosts.lost >= 2  # more where the machine is so busy that others do not answer in time
        assert hosts.replayed >= 2
        assert f"{hosts.lost} lost" in disturbed.team.note
        hosts.close()
    assert same(quiet, disturbed)


def test_a_worker_of_another_version_is_refused(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    made = learner("kuhn", "uct", 2, 100)
    assert isinstance(made.team, LearningTeam)
    with connected(cluster.address) as ray:
        monkeypatch.setattr(hosts_module, "this_version", lambda: f"{this_version()}, changed")
        hosts = made.team.hosts = ClusterHosts(ray, made, 1)
        with pytest.raises(sc.UsageError, match="install the same version on every machine"):
            made.run(1000)
        hosts.close()
    assert made.iterations == 0

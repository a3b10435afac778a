"""Actors: one plays what a learner alone plays, steps are learned from once, lost ones are played again."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import smoothcall as sc
from smoothcall.app import App
from smoothcall.cluster.actors import LEARNERS, ActorHost, ActorsHere, ActorTeam, Played
from smoothcall.cluster.connection import connected
from smoothcall.cluster.hosts import ClusterHosts
from smoothcall.cluster.team import Step
from smoothcall.kernels.learners import memory as kernels
from smoothcall.kernels.random import seeded
from smoothcall.kernels.tables import Array
from smoothcall.learners.experience import Logged, TurnLearner, add_transitions
from smoothcall.learners.memory import new_reservoir, new_ring
from smoothcall.solvers import SOLVERS, Solver, solver_class
from tests.cluster.conftest import checkpoint
from tests.conftest import built
from tests.contracts.test_solvers import FREEZEOUTS, ROUND_TABLE, WHOLE_BETS
from tests.contracts.test_solvers import NFSP as NETWORKS

NFSP: dict[str, Any] = {**NETWORKS, "transitions": 200, "moves": 40}  # its networks are compiled already
CASES: list[Any] = [
    pytest.param("kuhn", "nfsp", {**NFSP, "imitate": "greedy"}, id="nfsp-kuhn"),
    pytest.param("leduc", "nfsp", {**NFSP, "imitate": "greedy"}, id="nfsp"),
    pytest.param("kuhn-3p", "nfsp", {**NFSP, "transitions": 20, "rho": 0.5}, id="nfsp-small-memory"),
    pytest.param(ROUND_TABLE, "nfsp-freezeouts", {**NFSP, "length": 5}, id="nfsp-freezeouts"),
    pytest.param(ROUND_TABLE, "nfsp-freezeouts", {**NFSP, "length": 5, "against": "heuristic-mc"}, id="nfsp-against"),
    *[pytest.param(WHOLE_BETS, name, options, id=name) for name, options in FREEZEOUTS.items()],
    pytest.param(WHOLE_BETS, "monte-carlo", {**FREEZEOUTS["monte-carlo"], "rollouts": 5}, id="rollouts"),
]


def cases(*fast: str) -> list[Any]:
    """Return all cases; those that are not in the fast suite are marked. Each compiles its networks."""
    return [case if case.id in fast else pytest.param(*case.values, marks=pytest.mark.long, id=case.id) for case in CASES]


def learner(spec: str = "kuhn", name: str = "nfsp", workers: int = 0, turns: int = 3, **options: Any) -> TurnLearner:
    made = sc.solver(name, built(spec), seed=4, **(options or NFSP))
    assert isinstance(made, TurnLearner)
    if workers:
        made.team = ActorTeam(made, workers, turns=turns)
    return made


def same(one: Solver, other: Solver) -> bool:
    mine, theirs = one.state(), other.state()
    return all(np.array_equal(theirs[name], table) for name, table in mine.items() if name in theirs)


def test_learners_that_actors_play_for() -> None:
    assert set(LEARNERS) == {name for name in SOLVERS if issubclass(solver_class(name), TurnLearner)}


@pytest.mark.parametrize(("spec", "name", "options"), cases("nfsp-kuhn", "deep-q-discrete", "rollouts"))
def test_one_actor_learns_what_a_learner_alone_learns(spec: str, name: str, options: dict[str, Any]) -> None:
    alone, team = learner(spec, name, **options), learner(spec, name, 1, **options)
    alone.run(90)
    for episodes in (1, 39, 50):
        team.run(episodes)
    assert set(alone.state()) < set(team.state())
    assert same(alone, team)
    assert alone._counts[2] > 0  # it has learned


@pytest.mark.parametrize(("spec", "name", "options"), cases("nfsp-kuhn", "monte-carlo"))
def test_a_team_is_resumed_bit_for_bit(spec: str, name: str, options: dict[str, Any]) -> None:
    whole, half = learner(spec, name, 3, **options), learner(spec, name, 3, **options)
    start = half.state()
    whole.run(150)
    half.run(60)
    resumed = learner(spec, name, 3, **options)
    resumed.run(10)
    resumed.restore(half.state())
    resumed.run(90)
    assert same(whole, resumed)
    resumed.restore(start)  # from the beginning
    resumed.run(150)
    assert same(whole, resumed)
    with pytest.raises(sc.UsageError, match="not of a team of 2 workers"):
        learner(spec, name, 2, **options).restore(half.state())
    with pytest.raises(sc.UsageError, match="not of a team of workers"):
        learner(spec, name, 2, **options).restore(learner(spec, name, **options).state())


def test_workers_play_different_hands_and_all_are_counted() -> None:
    made = learner(workers=4, turns=2)
    made.run(300)
    assert isinstance(made.team, ActorTeam)
    hands = [made.in_play(), *made.team._own]
    assert len({own["generators"][0].tobytes() for own in hands}) == 4
    assert made.moves_made == made.team.number * 4 * 2 * NFSP["hands"]
    transitions = made.tables()["transitions total"].sum()
    unfinished = sum(int(own["hands moves"][~own["hands over"]].sum()) for own in hands)
    idle = made.moves_made - transitions - unfinished  # moves of hands that were over: a turn moves in all hands
    assert idle == 0


class Twice(ActorsHere):
    """Plays every step twice, in another order first, as where a process that was taken for dead still answers."""

    def steps(
        self, number: int, update: Mapping[str, Array], tables: Mapping[str, Array], steps: Sequence[Step]
    ) -> list[Played]:
        super().steps(number, update, tables, steps[::-1])
        if number % 3 == 0:
            self._host = None
        return super().steps(number, update, tables, steps)


@pytest.mark.parametrize(("spec", "name", "options"), cases("monte-carlo"))
def test_a_step_that_is_played_twice_changes_nothing(spec: str, name: str, options: dict[str, Any]) -> None:
    team, twice = (learner(spec, name, 3, **options) for _ in range(2))
    assert isinstance(twice.team, ActorTeam)
    twice.team.hosts = Twice(twice)
    for each in (team, twice):
        each.run(120)
    assert same(team, twice)


class Doubled(ActorsHere):
    """Gives the first step in the place of the second."""

    def steps(
        self, number: int, update: Mapping[str, Array], tables: Mapping[str, Array], steps: Sequence[Step]
    ) -> list[Played]:
        return super().steps(number, update, tables, [steps[0], steps[0]])


def test_a_doubled_step_is_not_learned_from() -> None:
    made = learner(workers=2)
    made.team = ActorTeam(made, 2, Doubled(made))
    with pytest.raises(AssertionError, match="lost or played twice"):
        made.run(10)


def test_transitions_are_added_in_their_order() -> None:
    """Against a loop over single transitions; also where a turn has more than a memory."""
    size, random = 7, np.random.default_rng(1)
    one, other = (new_ring(2, size, 1, np.int32) for _ in range(2))
    for _ in range(20):
        lengths = random.integers(0, 12, 2)
        count = int(lengths.sum())
        arrays = [random.integers(0, 99, (count, 1)), *(random.integers(0, 99, shape) for shape in (count, (count, 1), count))]
        rows = (*arrays, random.normal(size=count).astype(np.float32))
        add_transitions(one, Logged(rows, lengths))
        for place in range(count):
            own = int(place >= lengths[0])
            for table, values in zip(other[:-1], rows, strict=True):
                table[own, other.total[own] % size] = values[place]
            other.total[own] += 1
        assert all(np.array_equal(*tables) for tables in zip(one, other, strict=True))


def test_logged_moves_are_a_uniform_sample() -> None:
    """Of 40 moves a reservoir of 10 keeps each equally often, wherever the numbers were drawn."""
    kept, generator, moves = np.zeros(40), seeded(3, 1)[0], np.arange(40, dtype=np.int32)[:, None]
    drawn = np.random.default_rng(2)
    for _ in range(4000):
        reservoir = new_reservoir(1, 10, 1, np.int32)
        number = np.where(np.arange(40) < 25, -1.0, drawn.random(40))  # an actor that did not know that it is full
        kernels.keep_logged(moves, np.zeros(40, np.int8), number, 0, reservoir, generator)
        kept[reservoir.observations[0, :, 0]] += 1
    expected = 4000 * 10 / 40
    assert np.abs(kept - expected).max() < 5 * np.sqrt(expected)


def test_wrong_learners_are_refused() -> None:
    with pytest.raises(sc.UsageError, match=r"cfr does not learn with actors .accepted: nfsp, "):
        ActorTeam(sc.solver("cfr", built("kuhn")), 2)
    with pytest.raises(sc.UsageError, match=r"workers=0 .accepted: a whole number from 1 to 4096"):
        ActorTeam(learner(), 0)
    with pytest.raises(sc.UsageError, match=r"lp does not learn with several workers .accepted: uct, .* nfsp, "):
        App().train("kuhn", "lp", workers=2)


def trained(folder: Path, cluster: str | None, spec: str, name: str, options: dict[str, Any], **how: Any) -> dict[str, bytes]:
    app = App(folder, cluster=cluster)
    assert app.train(spec, name, iterations=150, seed=2, options=options, out=folder / "run", **how).done
    return checkpoint(folder / "run")


def test_a_run_on_a_cluster(cluster: Any, tmp_path: Path) -> None:
    """Two actors are the same on a cluster and in this process, and a run of a cluster is resumed without one."""
    about = (WHOLE_BETS, "monte-carlo", FREEZEOUTS["monte-carlo"])
    folders = [tmp_path / "here", tmp_path / "there"]
    here, there = (trained(folder, of, *about, workers=2) for folder, of in zip(folders, (None, cluster.address), strict=True))
    assert here == there
    for folder in folders:
        assert App(tmp_path).resume(folder / "run", iterations=250).iterations == 250
    assert checkpoint(folders[0] / "run") == checkpoint(folders[1] / "run")


@pytest.mark.long  # five processes, which compile their networks
@pytest.mark.parametrize(
    ("spec", "name", "options"),
    [
        pytest.param("kuhn", "nfsp", NFSP, id="nfsp"),
        pytest.param(WHOLE_BETS, "monte-carlo", FREEZEOUTS["monte-carlo"], id="monte-carlo"),
    ],
)
def test_runs_on_three_nodes(cluster: Any, tmp_path: Path, spec: str, name: str, options: dict[str, Any]) -> None:
    """One actor is a learner alone; two are the same on a cluster and in this process, and when resumed."""
    about = (spec, name, options)
    alone, one = trained(tmp_path / "alone", None, *about), trained(tmp_path / "one", cluster.address, *about, workers=1)
    assert {name: one[name] for name in alone} == alone
    here = trained(tmp_path / "here", None, *about, workers=2)
    assert trained(tmp_path / "there", cluster.address, *about, workers=2) == here
    assert App(tmp_path).resume(tmp_path / "there" / "run", iterations=250).iterations == 250
    App(tmp_path, cluster=cluster.address).resume(tmp_path / "here" / "run", iterations=250)
    assert checkpoint(tmp_path / "here" / "run") == checkpoint(tmp_path / "there" / "run")


@pytest.mark.long  # test_team.py kills workers in both suites; the same class manages the processes of actors
@pytest.mark.parametrize(
    ("spec", "name", "options"),
    [
        pytest.param("kuhn", "nfsp", NFSP, id="nfsp"),
        pytest.param(WHOLE_BETS, "monte-carlo", FREEZEOUTS["monte-carlo"], id="monte-carlo"),
    ],
)
def test_killed_actors(cluster: Any, spec: str, name: str, options: dict[str, Any]) -> None:
    """Processes are killed; the learner learns what it learns where nothing happens. (A stopped one: test_team.py.)"""
    quiet, disturbed = (learner(spec, name, 2, **options) for _ in range(2))
    quiet.run(300)
    team = disturbed.team
    assert isinstance(team, ActorTeam)
    with connected(cluster.address) as ray:
        hosts = ClusterHosts(ray, disturbed, 2, kind=ActorHost)
        team.hosts = hosts
        team.play_ahead()
        disturbed.run(75)
        os.kill(hosts.processes[0], signal.SIGKILL)
        disturbed.run(75)
        os.kill(hosts.processes[-1], signal.SIGKILL)
        disturbed.run(150)
        team.close()
        assert hosts.lost >= 2  # more where the machine stalls
        assert f"{hosts.lost} lost" in team.note
        hosts.close()
    assert same(quiet, disturbed)

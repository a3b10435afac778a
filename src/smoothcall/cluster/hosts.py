"""Processes of a Ray cluster that do the steps of a team. One that dies or stalls is replaced, and its steps are done again."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from types import ModuleType
from typing import Any

from smoothcall import files
from smoothcall.cluster.actors import LEARNERS, ActorHost, ActorTeam
from smoothcall.cluster.connection import connected, slots
from smoothcall.cluster.runner import lost_errors, where_we_run
from smoothcall.cluster.team import SOLVERS, Host, LearningTeam, Step, Tables
from smoothcall.cluster.version import this_version, verify_version
from smoothcall.errors import UsageError
from smoothcall.information.game import Game
from smoothcall.kernels.tables import Array
from smoothcall.learners.experience import TurnLearner
from smoothcall.memory import OutOfMemory
from smoothcall.solvers import Solver, solver
from smoothcall.solvers.base import Team

PATIENCE = 20.0  # seconds, at least, after which a process that does not answer is replaced
TIMES = 20.0  # the same, in lengths of the longest round so far
STARTING = 300.0  # seconds in which a process must have started: tables of hold'em may have to be built first
LOSSES = 1000  # processes that may be lost before the run fails


About = tuple[str, Game, int, int, dict[str, Any]]  # a solver: name, game, seed, threads, options


class _Actor:
    """A process of the cluster with its own tables; its methods are called by `ClusterHosts`."""

    def __init__(self, kind: type[Host] | type[ActorHost]) -> None:
        self._kind = kind
        self._solver: Solver | None = None
        self._host: Host | ActorHost | None = None

    def load(self, about: About, version: str, number: int, tables: Mapping[str, Array]) -> int:
        """Take over all tables; return the process id."""
        verify_version(version, this_version(*self._kind.PACKAGES), where_we_run())
        if self._solver is None:
            name, game, seed, threads, options = about
            self._solver = solver(name, game, seed=seed, threads=threads, **options)
            self._kind.prepare(self._solver)
        self._host = None  # frees its memory first
        self._host = self._kind(self._solver, tables, number)
        return os.getpid()

    def steps(self, number: int, steps: Sequence[Step], *told: Any) -> list[Any]:
        """Do steps, after a host that has the tables of the last round has taken over what it is `told`."""
        assert self._host is not None
        if self._host.number == number - 1:
            self._host.update(number, *told)
        if self._host.number != number:
            raise AssertionError(f"tables of round {self._host.number} in round {number}")
        return [self._host.do(step) for step in steps]


class ClusterHosts:
    """The processes of a team on the connected cluster: as many as there are workers, or fewer where there is no place."""

    def __init__(
        self,
        ray: ModuleType,
        built: Solver,
        wanted: int,
        tell: Callable[[str], None] | None = None,
        kind: type[Host] | type[ActorHost] = Host,
    ) -> None:
        self.ray, self._tell, self.wanted, self._kind = ray, tell or (lambda line: None), wanted, kind
        options = {"num_cpus": built.threads, "max_restarts": 0, "max_task_retries": 0, "scheduling_strategy": "SPREAD"}
        self._class = ray.remote(**options)(_Actor)
        self._about: About = (built.name, built.game, built.seed, built.threads, built.options)
        self._actors: dict[Any, int] = {}  # processes that have tables, with the number of their round
        self.processes: list[int] = []  # ids of the processes started so far, of all machines
        self.lost, self.replayed = 0, 0  # processes, steps
        self._longest = 0.0
        self._results: list[Any] = []  # of the last round
        self._references: list[Any] = []  # to lists that have all of them, in the object store
        self._threads = built.threads
        self._failures = (*lost_errors(ray), ray.exceptions.GetTimeoutError)

    @property
    def note(self) -> str:
        lost = f", {self.lost} lost, {self.replayed} steps replayed" if self.lost else ""
        return f" on {len(self._actors)} processes{lost}"

    def steps(self, number: int, update: Any, tables: Tables, steps: Sequence[Step]) -> list[Any]:
        self._fill(number, tables)
        started, lost, done = time.monotonic(), self.lost, dict[int, Any]()
        told = self._references if update is self._results else [self.ray.put(update)]
        self._references = []
        while left := [step for step in steps if step.worker not in done]:
            if not self._actors:
                self._start(number, tables)
            self.replayed += len(left) if len(left) < len(steps) or done else 0
            self._do(number, told, left, done, tables)
        if self.lost == lost:  # not the time in which processes start, or are waited for in vain
            self._longest = max(self._longest, time.monotonic() - started)
        self._results = [done[step.worker] for step in steps]
        return self._results

    def forget(self) -> None:
        self._actors = dict.fromkeys(self._actors, -1)

    def close(self) -> None:
        """End the processes."""
        for actor in self._actors:
            self.ray.kill(actor)
        self._actors = {}

    def _do(self, number: int, told: Sequence[Any], left: Sequence[Step], done: dict[int, Any], tables: Tables) -> None:
        """Give steps to the processes and collect their results. A process that does not answer is lost.

        `told`: references to what the processes take over first. Meanwhile this one brings its own tables up to date.
        """
        actors = list(self._actors)
        calls: dict[Any, Any] = {}
        for place, actor in enumerate(actors):
            if mine := left[place :: len(actors)]:
                calls[actor.steps.remote(number, list(mine), *told)] = actor
        tables()
        while calls:
            ready, _ = self.ray.wait(list(calls), num_returns=1, timeout=max(PATIENCE, TIMES * self._longest))
            for call in ready or list(calls):
                actor = calls.pop(call)
                try:
                    results = self.ray.get(call, timeout=None if ready else 0)
                except self._failures as error:
                    self._lose(actor, error)
                except self.ray.exceptions.RayTaskError as error:
                    self._fail(actor, error.cause)
                else:
                    self._actors[actor] = number
                    self._references.append(call)
                    done.update({each.worker: each for each in results if each.worker not in done})

    def _lose(self, actor: Any, error: BaseException) -> None:
        self.lost += 1
        self._actors.pop(actor, None)
        reason = "no answer" if isinstance(error, self.ray.exceptions.GetTimeoutError) else type(error).__name__
        self._tell(f"a worker process was lost ({reason}); its steps are done again")
        self.ray.kill(actor)
        if self.lost > LOSSES:
            raise UsageError(f"{self.lost} worker processes were lost, the last one by: {reason}")

    def _fail(self, actor: Any, error: BaseException) -> None:
        """Raise what a process raised. One that has too little memory is lost, and no other takes its place."""
        if not isinstance(error, (MemoryError, OutOfMemory)):
            raise error from None
        self._lose(actor, error)
        self.wanted -= 1
        if not self.wanted:
            raise UsageError(f"no process of the cluster has enough memory ({files.reason(error)})") from None

    def _fill(self, number: int, tables: Tables) -> None:
        """Start processes where there is place, and give all tables to those whose own are old."""
        for actor, known in list(self._actors.items()):
            if known != number - 1:
                self._load([actor], number, tables)
        free = int(self.ray.available_resources().get("CPU", 0)) // self._threads if len(self._actors) < self.wanted else 0
        if count := min(free, self.wanted - len(self._actors)):
            self._load([self._class.remote(self._kind) for _ in range(count)], number, tables)

    def _start(self, number: int, tables: Tables) -> None:
        """Start a process, and wait until there is a place for it."""
        self._load([self._class.remote(self._kind)], number, tables)

    def _load(self, actors: Sequence[Any], number: int, tables: Tables) -> None:
        sent, version = self.ray.put(dict(tables())), this_version(*self._kind.PACKAGES)
        for actor, call in [(actor, actor.load.remote(self._about, version, number, sent)) for actor in actors]:
            try:
                self.processes.append(self.ray.get(call, timeout=STARTING))
                self._actors[actor] = number
            except self._failures as error:
                self._lose(actor, error)
            except self.ray.exceptions.RayTaskError as error:
                self._fail(actor, error.cause)


@contextmanager
def teams_on(
    cluster: str | None, workers: int | None, tell: Callable[[str], None] | None = None
) -> Iterator[Callable[[Solver, int | None], Team] | None]:
    """Yield a function that makes the team of a solver: in this process, or on a cluster for the time of the `with` block.

    The number of workers is that of the run, or `workers`, or as many as the cluster has places. Without a cluster and without
    workers there is no team: one solver learns alone.
    """
    if cluster is None:
        yield None if workers is None else lambda built, known: _team(built, known or workers)
        return
    with connected(cluster) as ray, ExitStack() as stack:

        def make(built: Solver, known: int | None) -> Team:
            wanted = known or workers or max(1, slots(ray) // built.threads)
            team = _team(built, wanted)  # verifies the solver before processes are started
            kind = ActorHost if isinstance(team, ActorTeam) else Host
            hosts = team.hosts = ClusterHosts(ray, built, wanted, tell, kind)
            stack.callback(hosts.close)
            if isinstance(team, ActorTeam):
                team.play_ahead()
                stack.callback(team.close)
            return team

        yield make


def _team(built: Solver, workers: int) -> LearningTeam | ActorTeam:
    """Return the team of a solver with tables, or of a learner with networks, in this process."""
    if isinstance(built, TurnLearner):
        return ActorTeam(built, workers)
    if built.name not in SOLVERS:
        accepted = ", ".join([*SOLVERS, *LEARNERS])
        raise UsageError(f"{built.name} does not learn with several workers (accepted: {accepted})")
    return LearningTeam(built, workers)

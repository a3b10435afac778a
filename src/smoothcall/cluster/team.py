"""Workers that learn the tables of one solver together.

Learning goes in rounds. At the start of a round all workers have the same tables. Each plays its share of the iterations with
random generators of its own (a step), and the changes of all workers are added to the tables in the order of the workers
(`cluster.merging`). A step depends on the tables, the worker's generators and its share, and on nothing else: a step that was
lost is done again with the same result, wherever that is, and a step (worker, number) is counted once. What a team learns
follows from seed, number of workers and the length of rounds; the number of processes and machines, their speed and their
deaths do not matter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from smoothcall.cluster.merging import OWN, Change, Rows, changed_rows, merge, set_rows, shared_tables
from smoothcall.errors import UsageError
from smoothcall.kernels.random import seeded
from smoothcall.kernels.tables import Array
from smoothcall.options import number
from smoothcall.solvers import Solver, solver
from smoothcall.tasks import task_seeds

SOLVERS = ("uct", "smooth-uct", "mccfr")
MAX_WORKERS = 4096
SHARE = 256  # tree search: a round has 1 / SHARE of the iterations so far; longer ones slowed learning (docs/scaling.md)
LEAST, MOST = 4096, 1 << 22  # tree search: iterations of a worker in a round
CELLS = 16  # tree search: in large tables a round has an iteration of a worker for so many cells, because exchanges compare all
FIRST = 16  # tree search: the first round of all workers has at most 1 / FIRST of the iterations so far
LEAST_REGRETS, MOST_REGRETS = 1024, 16384  # MCCFR: iterations of a worker in a round
REGRET_SHARE = 64  # MCCFR: a round has 1 / REGRET_SHARE of the iterations so far, between these limits
PREFIX = "worker_"  # of the names of the team's arrays in a checkpoint


@dataclass(frozen=True, slots=True)
class Step:
    """A worker's part of a round."""

    worker: int
    number: int
    start: int  # iterations of all workers before the round
    count: int
    own: dict[str, Array]


class Hosts(Protocol):
    """Processes that do the steps of a round."""

    def steps(
        self, number: int, update: Mapping[str, Rows], tables: Mapping[str, Array], steps: Sequence[Step]
    ) -> list[Change]:
        """Return the change of every step, in their order. `update`: the rows that the last round changed in `tables`."""

    def forget(self) -> None:
        """Forget all tables: those of the team are others now."""

    @property
    def note(self) -> str:
        """What a progress line says about them."""


class Host:
    """A solver with the team's tables, on which steps are done one after another."""

    PACKAGES: ClassVar[tuple[str, ...]] = ()  # beside those of `cluster.version`: whose versions determine results

    def __init__(self, built: Solver, tables: Mapping[str, Array], number: int) -> None:
        self.solver, self.number = built, number  # of the round whose tables it has
        self._now = shared_tables(built.tables())
        self._before = {name: np.array(table) for name, table in tables.items()}
        for name, table in self._before.items():
            self._now[name][:] = table

    @staticmethod
    def prepare(built: Solver) -> None:
        """Prepare a solver for the steps that it will do here."""
        built.prepare()

    def update(self, number: int, changes: Mapping[str, Rows]) -> None:
        """Take over the rows that a round has changed."""
        set_rows(self._now, changes)
        set_rows(self._before, changes)
        self.number = number

    def do(self, step: Step) -> Change:
        """Do a step, and leave the tables as they were."""
        self.start(step)
        self.solver.run(step.count)
        return self.change(step, self.solver.nodes)

    def start(self, step: Step) -> None:
        """Take over the generators of the worker, and count from the start of the step."""
        built = self.solver
        for name, table in step.own.items():
            built.tables()[name][...] = table
        built.iterations, built.nodes = step.start, 0
        built._restored()  # columns that follow from the tables

    def change(self, step: Step, visited: int) -> Change:
        """Return what the solver has learned since `start`, and take it back."""
        changes = changed_rows(self._before, self._now)
        own = {name: self.solver.tables()[name].copy() for name in step.own}
        return Change(step.worker, step.number, changes, own, visited)


class ThisProcess:
    """Does the steps of all workers in this process, one after another."""

    note = ""

    def __init__(self, built: Solver) -> None:
        self._built = built
        self._host: Host | None = None

    def steps(
        self, number: int, update: Mapping[str, Rows], tables: Mapping[str, Array], steps: Sequence[Step]
    ) -> list[Change]:
        if self._host is None or self._host.number != number - 1:
            self._host = Host(copy_of(self._built), tables, number)
        else:
            self._host.update(number, update)
        return [self._host.do(step) for step in steps]

    def forget(self) -> None:
        self._host = None


def copy_of(built: Solver) -> Solver:
    """Return a new solver of the same game and options."""
    return solver(built.name, built.game, seed=built.seed, threads=built.threads, **built.options)


def read_workers(workers: int) -> int:
    """Return a number of workers, verified."""
    known = number(workers, whole=True)
    if known is None or not 1 <= known <= MAX_WORKERS:
        raise UsageError(f"workers={workers} (accepted: a whole number from 1 to {MAX_WORKERS})")
    return int(known)


class LearningTeam:
    """The workers of a solver. `exchange`: iterations of a worker between two exchanges; None: the rule of `interval`."""

    def __init__(self, built: Solver, workers: int, hosts: Hosts | None = None, *, exchange: int | None = None) -> None:
        if built.name not in SOLVERS:
            raise UsageError(f"{built.name} does not learn with several workers (accepted: {', '.join(SOLVERS)})")
        self.solver, self.workers, self.exchange = built, read_workers(workers), exchange
        self.hosts: Hosts = hosts if hosts is not None else ThisProcess(built)
        self.number = 0  # of rounds
        self.exchanged = 0  # bytes that workers have sent
        self._update: dict[str, Rows] = {}
        self._own = [self._first_own(worker) for worker in range(self.workers)]

    def _first_own(self, worker: int) -> dict[str, Array]:
        """Return the generators of a worker; those of the first are the solver's, and no copies."""
        built = self.solver
        if worker == 0:
            return {name: built.tables()[name] for name in OWN}
        states = seeded(task_seeds(built.seed, worker, 1)[0], 2 * built.threads).reshape(2, built.threads, 4)
        return dict(zip(OWN, states, strict=True))

    @property
    def note(self) -> str:
        return f"{self.workers} workers{self.hosts.note}"

    @property
    def alone(self) -> int:
        """Iterations of tree search that the first worker does alone: until a round of all that pays is a small share of them.

        MCCFR has none. Changes of regrets are divided by a number of workers, those of averages are not, so that number must
        be the same from the start: regrets learned alone would weigh too much later, and stop the policy from changing.
        """
        fixed = self.exchange is not None or self.workers == 1 or self.solver.name == "mccfr"
        return 0 if fixed else self.workers * max(SHARE * LEAST, FIRST * self._least)

    @property
    def _least(self) -> int:
        """Iterations of a worker in a round of tree search, at least."""
        game = self.solver.game
        return max(LEAST, game.tree.rows * len(game.actions) // CELLS)

    def interval(self, iterations: int) -> int:
        """Return the length of the round that begins after so many iterations."""
        if self.exchange is not None:
            return self.workers * self.exchange
        if self.solver.name == "mccfr":
            return min(max(iterations // REGRET_SHARE, self.workers * LEAST_REGRETS), self.workers * MOST_REGRETS)
        if iterations < self.alone:
            return min(self.alone - iterations, MOST)
        return min(max(iterations // SHARE, self.workers * self._least), MOST * self.workers)

    def boundary(self, end: int) -> int:
        """Return the first end of a round from `end` on."""
        at = self.solver.iterations
        while at < end:
            at += self.interval(at)
        return at

    def advance(self, count: int) -> int:
        """Run `count` iterations in rounds. Return the nodes visited."""
        at, visited = self.solver.iterations, 0
        end = at + count
        try:
            while at < end:
                length = min(self.interval(at), end - at)
                visited += self._round(at, length)
                at += length
        finally:
            self.solver._restored()
        return visited

    def _round(self, start: int, length: int) -> int:
        number, tables = self.number + 1, shared_tables(self.solver.tables())
        among = 1 if start < self.alone else self.workers
        shares = [length // among + (worker < length % among) for worker in range(among)]
        steps = [Step(worker, number, start, share, self._own[worker]) for worker, share in enumerate(shares) if share]
        changes = self.hosts.steps(number, self._update, tables, steps)
        if [(change.worker, change.number) for change in changes] != [(step.worker, number) for step in steps]:
            raise AssertionError("steps were lost or done twice")
        self._update = merge(tables, changes)
        for change in changes:
            for name, table in change.own.items():
                self._own[change.worker][name][...] = table
        self.number = number
        self.exchanged += sum(change.nbytes for change in changes)
        return sum(change.visited for change in changes)

    def state(self) -> dict[str, Array]:
        """Return the number of the last round, which is that of every worker's last step, and the workers' generators."""
        owned = {f"{PREFIX}{name}": np.array([own[name] for own in self._own[1:]]) for name in OWN if self.workers > 1}
        return {f"{PREFIX}number": np.array(self.number), **owned}

    def restore(self, state: Mapping[str, Any]) -> None:
        found = state.get(f"{PREFIX}number")
        if found is None:
            raise UsageError("this state is not of a team of workers")
        for name in OWN if self.workers > 1 else ():
            table = np.asarray(state.get(f"{PREFIX}{name}"))
            if table.shape != (self.workers - 1, self.solver.threads, 4) or table.dtype != np.uint64:
                raise UsageError(f"this state is not of a team of {self.workers} workers: {name!r} differs")
            for worker in range(1, self.workers):
                self._own[worker][name][...] = table[worker - 1]
        self.number, self._update = int(found), {}
        self.hosts.forget()

"""Workers that learn the tables of one solver together.

Learning goes in rounds. At the start of a round all workers have the same tables. Each plays its share of the iterations with
random generators of its own (a step), and every process adds the changes of all workers to its tables, in the order of the
workers (`cluster.merging`). The process that trains does so while the others play the next round. A step depends on the tables,
the worker's generators and its share, and on nothing else: a step that was lost is done again with the same result, wherever
that is, and a step (worker, number) is counted once. What a team learns follows from seed, number of workers and the length of
rounds; the number of processes and machines, their speed and their deaths do not matter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from smoothcall.cluster.merging import OWN, Change, changed_rows, copy_rows, merge, shared_tables
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
CELLS = 8  # tree search: in large tables a round has an iteration of a worker for so many cells, because exchanges compare all
FIRST = 8  # tree search: the first round of all workers has at most 1 / FIRST of the iterations so far
LEAST_REGRETS, MOST_REGRETS = 1024, 16384  # MCCFR: iterations of a worker in a round
REGRET_SHARE = 64  # MCCFR: a round has 1 / REGRET_SHARE of the iterations so far, between these limits
PREFIX = "worker_"  # of the names of the team's arrays in a checkpoint
MERGED = -1  # stands for the worker of rows that a round changed
Tables = Callable[[], Mapping[str, Array]]


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

    def steps(self, number: int, update: Sequence[Change], tables: Tables, steps: Sequence[Step]) -> list[Change]:
        """Return the change of every step, in their order.

        `update`: the changes of the last round. `tables` adds them to the team's tables, where that has not been done, and
        returns these; processes that have the tables of the last round already play meanwhile.
        """

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
        built._restored()
        self._old = dict[tuple[int, int], dict[str, Array]]()  # rows from which columns must be derived, by (worker, number)

    @staticmethod
    def prepare(built: Solver) -> None:
        """Prepare a solver for the steps that it will do here."""
        built.prepare()

    def update(self, number: int, *told: Sequence[Change]) -> None:
        """Add the changes of the last round. They are in any order, and a change that was made twice may be there twice."""
        changes = {change.worker: change for some in told for change in some}
        rows = merge(self._before, [changes[worker] for worker in sorted(changes)])
        copy_rows(self._before, self._now, rows)
        for change in changes.values():
            self._old.pop((change.worker, change.number), None)  # its rows are among those of all
        self._old[MERGED, number] = rows
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
        for rows in self._old.values():
            built._restored_rows(rows)
        self._old = {}

    def change(self, step: Step, visited: int) -> Change:
        """Return what the solver has learned since `start`, and take it back."""
        changes = changed_rows(self._before, self._now)
        self._old[step.worker, step.number] = {name: rows for name, (rows, _) in changes.items()}
        own = {name: self.solver.tables()[name].copy() for name in step.own}
        return Change(step.worker, step.number, changes, own, visited)


class ThisProcess:
    """Does the steps of all workers in this process, one after another."""

    note = ""

    def __init__(self, built: Solver) -> None:
        self._built = built
        self._host: Host | None = None

    def steps(self, number: int, update: Sequence[Change], tables: Tables, steps: Sequence[Step]) -> list[Change]:
        if self._host is None or self._host.number != number - 1:
            self._host = Host(copy_of(self._built), tables(), number)
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
        self._last: Sequence[Change] = ()  # the changes of the last round
        self._merged = True  # whether they have been added to the tables
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
            self._tables()
            self.solver._restored()
        return visited

    def _tables(self) -> dict[str, Array]:
        """Return the team's tables, to which the changes of the last round have been added."""
        tables = shared_tables(self.solver.tables())
        if not self._merged:
            self._merged = True
            merge(tables, self._last)
        return tables

    def _round(self, start: int, length: int) -> int:
        number = self.number + 1
        among = 1 if start < self.alone else self.workers
        shares = [length // among + (worker < length % among) for worker in range(among)]
        steps = [Step(worker, number, start, share, self._own[worker]) for worker, share in enumerate(shares) if share]
        changes = self.hosts.steps(number, self._last, self._tables, steps)
        if [(change.worker, change.number) for change in changes] != [(step.worker, number) for step in steps]:
            raise AssertionError("steps were lost or done twice")
        self._tables()
        self._last, self._merged = changes, False
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
        self.number, self._last, self._merged = int(found), (), True
        self.hosts.forget()

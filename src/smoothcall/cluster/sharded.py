"""Solvers whose table is larger than one machine: every process has the trunk and one shard (`solvers.shards`).

The trunk is learned by a team (`cluster.team`): in every round each worker deals hands and plays them before the flop, hands
travel to the shard that has their line, are played there to their end, and come back with what was won. Changes of the trunk
are added up like those of any team. What is learned follows from the seed, the number of shards and the lengths of rounds.

A shard's rows are in one process only. They are saved in the folder of the run, which all machines share. A process that dies
takes with it what its shard has learned since the last checkpoint: all go back to that, and the rounds since are played again,
with the same result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np

from smoothcall import files
from smoothcall.cluster.merging import Change, shared_tables
from smoothcall.cluster.team import Host, LearningTeam, Step, Tables
from smoothcall.errors import DamagedFile, UsageError
from smoothcall.information.game import Game
from smoothcall.information.subtrees import TRUNK, Parts
from smoothcall.kernels.tables import Array
from smoothcall.policy import Policy
from smoothcall.solvers import Solver, solver, solver_class
from smoothcall.solvers.base import Winnings
from smoothcall.solvers.shards import KINDS, Batch, Divided, Result
from smoothcall.solvers.threads import table_type
from smoothcall.solvers.uct import UCT

SHARE = 1024  # a round has 1 / SHARE of the iterations so far; docs/scaling.md has the measurements
LEAST, MOST = 64, 1 << 16  # tree search: iterations of a worker in a round
LEAST_REGRETS, MOST_REGRETS = 64, 1024  # MCCFR
PIECE = 1 << 20  # rows of a table that are read at once
NODE_BYTES, PROGRAM = 56, 250 << 20  # memory of a node of the tree, and of a process beside its tables
About = tuple[str, Game, int, int, dict[str, Any]]  # name, game, shards, seed, options
T = TypeVar("T")


class ShardLost(Exception):
    """A process was lost with its shard."""


class Shard:
    """One shard and a copy of the trunk, in the process that has them."""

    def __init__(self, about: About, place: int, folder: Path) -> None:
        self._about, self.place, self._folder = about, place, folder
        self.part: Divided = self._built()
        self._fresh = True  # nothing has been learned
        self._host: Host | None = None
        self._step: Step | None = None

    def _built(self) -> Divided:
        name, game, shards, seed, options = self._about
        part = KINDS[name](name, Parts(game, shards), self.place, seed, options)
        part.finish(part.go_on(part.begin(0)[:1]) * shards)  # loads the kernels; nobody waits for them in a round
        return part

    def _file(self, number: int) -> Path:
        return self._folder / f"{self.place}-{number}.npz"

    def load(self, number: int, tables: Mapping[str, Array]) -> None:
        """Take over the trunk's tables, and read the shard as it was after a round."""
        if number:
            self._read(self._file(number))
        elif not self._fresh:
            del self.part  # before its tables are built again
            self.part = self._built()
        self._fresh = not number
        self._host = Host(self.part.trunk, tables, number)

    def _read(self, path: Path) -> None:
        """Read the shard's tables, piece after piece: there may be no memory for any of them twice."""
        rest = self.part.rest
        try:
            with files.opened(path, "shard") as file:
                archive, size = files.Archive(file), path.stat().st_size
                for name, piece in pieces(rest.tables()):
                    found = archive.array(name, size)
                    if found.shape != piece.shape or found.dtype != piece.dtype:
                        raise DamagedFile(f"{name!r} is of another game")
                    piece[...] = found
        except DamagedFile as error:
            raise UsageError(f"{str(path)!r} is damaged ({error}); without it the run would start again") from None
        rest._restored()

    def save(self, number: int, keep: int) -> None:
        """Write the shard after a round; remove what was written after others, except round `keep`."""
        path = self._file(number)
        path.parent.mkdir(parents=True, exist_ok=True)
        if number and not path.exists():
            with files.written(path) as file:
                np.savez(file, allow_pickle=False, **dict(pieces(self.part.rest.tables())))
        for old in path.parent.glob(f"{self.place}-*.npz"):
            if old not in (path, self._file(keep)):
                old.unlink()

    def begin(self, number: int, update: Sequence[Change], step: Step | None) -> list[Batch]:
        """Take over what the last round changed in the trunk, and play the hands of a step there, where there is one."""
        assert self._host is not None
        if self._host.number == number - 1:
            self._host.update(number, update)
        if self._host.number != number:
            raise AssertionError(f"tables of round {self._host.number} in round {number}")
        self._step = step
        if step is None:
            return []
        self._host.start(step)
        return self.part.begin(step.count)

    def go_on(self, batches: Sequence[Batch]) -> list[Result]:
        self._fresh = False
        return self.part.go_on(batches)

    def finish(self, results: Sequence[Result]) -> Change:
        assert self._host is not None
        assert self._step is not None
        return self._host.change(self._step, self.part.finish(results))

    def alive(self) -> bool:
        return True

    def policy(self, greedy: bool) -> Array:
        """Return the probabilities of the shard's rows, as a policy holds them."""
        return read_policy(self.part.rest, greedy=greedy).weights


def pieces(tables: Mapping[str, Array]) -> Iterator[tuple[str, Array]]:
    """Yield tables in pieces of PIECE rows, as views with names of their own."""
    for name, table in tables.items():
        for start in range(0, len(table), PIECE):
            yield f"{name}-{start}", table[start : start + PIECE]


def read_policy(built: Solver, *, greedy: bool) -> Policy:
    return built.current_policy() if greedy else built.policy()


def bytes_of(about: About) -> list[int]:
    """Return the memory that the process of each shard needs, about: tables, the tree, and those of the program."""
    name, game, shards, _, _ = about
    parts, wide = Parts(game, shards), table_type(game.size[2]).itemsize
    columns = 2 * parts.actions if name == "mccfr" else 3 * parts.actions + 2
    nodes = game.size[0] / game.size[2]  # of a row
    return [int(rows * (columns * wide + NODE_BYTES * nodes)) + PROGRAM for rows in parts.shard_rows]


class ShardHosts(Protocol):
    """The processes of all shards. Every method raises ShardLost where one of them was lost."""

    number: int | None  # the round after which all shards stand; None where they must be loaded

    def load(self, number: int, tables: Mapping[str, Array]) -> None: ...

    def save(self, number: int, keep: int) -> None: ...

    def steps(self, number: int, update: Sequence[Change], tables: Tables, steps: Sequence[Step]) -> list[Change]: ...

    def forget(self) -> None: ...

    def policies(self, greedy: bool) -> list[Array]: ...

    @property
    def note(self) -> str: ...


class ShardsHere:
    """All shards in this process, one after another."""

    note = ""

    def __init__(self, about: About, folder: Path) -> None:
        self.number: int | None = None
        self.shards = [Shard(about, place, folder) for place in range(about[2])]

    def load(self, number: int, tables: Mapping[str, Array]) -> None:
        for shard in self.shards:
            shard.load(number, tables)
        self.number = number

    def save(self, number: int, keep: int) -> None:
        for shard in self.shards:
            shard.save(number, keep)

    def steps(self, number: int, update: Sequence[Change], tables: Tables, steps: Sequence[Step]) -> list[Change]:
        given = {step.worker: step for step in steps}
        begun = [shard.begin(number, update, given.get(shard.place)) for shard in self.shards]
        batches = [sent for sent in begun if sent]
        results = [shard.go_on([sent[place] for sent in batches]) for place, shard in enumerate(self.shards)]
        self.number = number
        return [self.shards[step.worker].finish([each[at] for each in results]) for at, step in enumerate(steps)]

    def forget(self) -> None:
        self.number = None

    def policies(self, greedy: bool) -> list[Array]:
        return [shard.policy(greedy) for shard in self.shards]


class ShardTeam(LearningTeam):
    """The workers of a divided solver, one for each shard."""

    hosts: Any  # ShardHosts

    def __init__(self, built: ShardedSolver, *, exchange: int | None = None) -> None:
        super().__init__(built, built.shards, _NotStarted(), exchange=exchange)
        self._rounds: list[tuple[int, int]] = []  # (start, length) since the last checkpoint
        self._saved = self._copy()
        self._kept = 0  # the round of the checkpoint before the last

    def _copy(self) -> dict[str, Any]:
        tables = {name: table.copy() for name, table in self.solver.tables().items()}
        return {"tables": tables, "own": [{name: table.copy() for name, table in own.items()} for own in self._own],
                "number": self.number}  # fmt: skip

    alone = 0

    def interval(self, iterations: int) -> int:
        if self.exchange is not None:
            return self.workers * self.exchange
        least, most = (LEAST_REGRETS, MOST_REGRETS) if self.solver.name == "mccfr" else (LEAST, MOST)
        return min(max(iterations // SHARE, least * self.workers), most * self.workers)

    def _round(self, start: int, length: int) -> int:
        visited = self.secured(lambda: LearningTeam._round(self, start, length))
        self._rounds.append((start, length))
        return visited

    def secured(self, call: Callable[[], T]) -> T:
        """Return what a call with all shards returns. Where one is lost, go back to the last checkpoint and try again."""
        while True:
            try:
                if self.hosts.number != self.number:
                    self._go_back()
                return call()
            except ShardLost:
                self.hosts.forget()

    def _go_back(self) -> None:
        """Load the last checkpoint, and play the rounds since again."""
        for name, table in self.solver.tables().items():
            table[...] = self._saved["tables"][name]
        for own, saved in zip(self._own, self._saved["own"], strict=True):
            for name, table in saved.items():
                own[name][...] = table
        self.number, self._last, self._merged = self._saved["number"], (), True
        self.solver._restored()
        self.hosts.load(self.number, shared_tables(self.solver.tables()))
        for start, length in self._rounds:
            LearningTeam._round(self, start, length)
        self._tables()

    def state(self) -> dict[str, Array]:
        """Write all shards to the folder of the run, and return the rest."""
        self.secured(lambda: self.hosts.save(self.number, self._kept))
        if self.number != self._saved["number"]:
            self._kept = self._saved["number"]
        self._saved, self._rounds = self._copy(), []
        return super().state()

    def restored(self) -> None:
        """Begin at the state that the tables now have."""
        self._saved, self._rounds, self._kept = self._copy(), [], self.number


class ShardedSolver(Solver):
    """A solver divided into shards. Its own tables are those of the trunk; policies are put together from all shards."""

    team: ShardTeam

    def __init__(
        self,
        name: str,
        game: Game,
        *,
        shards: int,
        folder: Path,
        seed: int = 0,
        threads: int = 1,
        make: Callable[[About, Path], ShardHosts] = ShardsHere,
        exchange: int | None = None,
        **options: Any,
    ) -> None:
        """`folder`: of the run; `make`: starts the processes; `exchange`: iterations of a worker in a round."""
        if name not in KINDS:
            raise UsageError(f"{name} does not learn in shards (accepted: {', '.join(KINDS)})")
        if threads != 1:
            raise UsageError(f"option threads={threads}: shards run on one thread each (accepted: 1)")
        self.OPTIONS = solver_class(name).OPTIONS  # type: ignore[misc]
        super().__init__(name, game, seed=seed, threads=threads, options=options)
        for option, accepted in (("against", "self"), ("explore", "constant"), ("sampling", "external")):
            given = self.options.get(option, accepted)
            if given != accepted and (option, given) != ("sampling", "outcome"):
                raise UsageError(f"option {option}={given} does not go with shards (accepted: {accepted})")
        self.parts = Parts(game, shards)
        self.shards, self._started = self.parts.shards, False
        if "c" in self.options and self.options["c"] is None:
            options = {**options, "c": self.parts.most_won}
        self.trunk = solver(name, self.parts.part(TRUNK), seed=seed, **options)
        self._make, self._about, self._folder = make, (name, game, self.shards, seed, options), folder / "shards"
        self.team = ShardTeam(self, exchange=exchange)

    def prepare(self) -> None:
        """Start the processes."""
        if not self._started:
            self.team.hosts, self._started = self._make(self._about, self._folder), True

    def run(self, iterations: int) -> None:
        self.prepare()
        super().run(iterations)

    def _advance(self, count: int) -> int:
        return self.team.advance(count)

    def tables(self) -> dict[str, Array]:
        return self.trunk.tables()

    def _restored(self) -> None:
        self.trunk._restored()

    def state(self, *, copy: bool = True) -> dict[str, Any]:
        self.prepare()
        return super().state(copy=copy)

    def restore(self, state: Mapping[str, Any]) -> None:
        super().restore(state)
        self.team.restored()

    def policy(self) -> Policy:
        return self._policy(greedy=False)

    def current_policy(self) -> Policy:
        return self._policy(greedy=True)

    def _policy(self, *, greedy: bool) -> Policy:
        self.prepare()
        shards = self.team.secured(lambda: self.team.hosts.policies(greedy))
        learned = read_policy(self.trunk, greedy=greedy)
        weights = self.parts.together(learned.weights, shards)
        weights.flags.writeable = False
        return Policy(self.game, weights, {**learned.card, **self.card, "shards": self.shards})

    @property
    def won(self) -> Winnings | None:
        if not isinstance(self.trunk, UCT):
            return None
        return Winnings(tuple(self.trunk.earned.tolist()), self.iterations, "hand")


class _NotStarted:
    """Stands for processes that have not been started."""

    note = ""

    def steps(self, number: int, update: Sequence[Change], tables: Tables, steps: Sequence[Step]) -> list[Change]:
        raise AssertionError("the processes of the shards have not been started")

    def forget(self) -> None:
        pass

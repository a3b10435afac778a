"""Processes of a Ray cluster that have the shards of a solver. Hands travel between them, and not through this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from smoothcall import files
from smoothcall.cluster.connection import connected, slots
from smoothcall.cluster.hosts import LOSSES, PATIENCE, TIMES
from smoothcall.cluster.merging import Change
from smoothcall.cluster.runner import lost_errors, where_we_run
from smoothcall.cluster.sharded import About, Shard, ShardedSolver, ShardHosts, ShardLost, ShardsHere, bytes_of
from smoothcall.cluster.team import Step, Tables
from smoothcall.cluster.version import this_version, verify_version
from smoothcall.errors import UsageError
from smoothcall.kernels.tables import Array
from smoothcall.solvers import Solver

SAVING = 3600.0  # seconds in which a shard must be built, read or written


class _Actor:
    """A process of the cluster with one shard; its methods are called by `ShardProcesses`."""

    def __init__(self) -> None:
        self._shard: Shard | None = None

    def load(self, about: About, version: str, place: int, folder: Path, number: int, tables: Mapping[str, Array]) -> int:
        """Build the shard, and load it as it was after a round; return the process id."""
        import os

        verify_version(version, this_version(), where_we_run())
        if self._shard is None:
            self._shard = Shard(about, place, folder)
        self._shard.load(number, tables)
        return os.getpid()

    def call(self, name: str, *given: Any) -> Any:
        assert self._shard is not None
        return getattr(self._shard, name)(*given)

    def begin(self, number: int, update: Sequence[Change], step: Step | None) -> Any:
        """Return the batches of all shards, an object each."""
        assert self._shard is not None
        return _each(self._shard.begin(number, update, step))

    def go_on(self, *batches: Any) -> Any:
        """Return what the hands of each worker came to, an object each."""
        assert self._shard is not None
        return _each(self._shard.go_on(batches))

    def finish(self, *results: Any) -> Change:
        assert self._shard is not None
        return self._shard.finish(results)


def _each(values: Sequence[Any]) -> Any:
    """Return several values as Ray expects them: one alone is no sequence."""
    return values[0] if len(values) == 1 else tuple(values)


class ShardProcesses:
    """The processes of all shards on the connected cluster."""

    def __init__(
        self, ray: ModuleType, about: About, folder: Path, memory: Sequence[int], tell: Callable[[str], None] | None = None
    ) -> None:
        """`memory`: bytes that the process of each shard needs."""
        self.ray, self._tell = ray, tell or (lambda line: None)
        self._about, self._folder, self._memory = about, folder, memory
        self._actors: dict[int, Any] = {}
        self.processes: dict[int, int] = {}  # ids, by shard
        self.number: int | None = None
        self.lost = 0
        self._longest = 0.0
        self._failures = (*lost_errors(ray), ray.exceptions.GetTimeoutError)
        largest = max((float(each["Resources"].get("memory", 0)) for each in ray.nodes() if each["Alive"]), default=0.0)
        if largest < max(memory):
            raise UsageError(
                f"a shard needs {max(memory) / 1e9:.2g} GB of memory, the largest machine of the cluster has "
                f"{largest / 1e9:.2g} GB (more shards are smaller)"
            )

    @property
    def note(self) -> str:
        lost = f", {self.lost} lost" if self.lost else ""
        return f" on {len(self._actors)} processes{lost}"

    def load(self, number: int, tables: Mapping[str, Array]) -> None:
        """Start the processes that are missing, and load all shards as they were after a round."""
        sent = self.ray.put(dict(tables))
        for place, memory in enumerate(self._memory):
            if place not in self._actors:
                how = {"num_cpus": 1, "memory": memory, "max_restarts": 0, "max_task_retries": 0}
                self._actors[place] = self.ray.remote(scheduling_strategy="SPREAD", **how)(_Actor).remote()
        self._actors = dict(sorted(self._actors.items()))
        about = (self._about, this_version())
        calls = {actor.load.remote(*about, place, self._folder, number, sent): place for place, actor in self._actors.items()}
        self.processes = dict(zip(calls.values(), self._get(calls, SAVING), strict=True))
        self.number = number

    def save(self, number: int, keep: int) -> None:
        self._get({actor.call.remote("save", number, keep): place for place, actor in self._actors.items()}, SAVING)

    def policies(self, greedy: bool) -> list[Array]:
        return self._get({actor.call.remote("policy", greedy): place for place, actor in self._actors.items()}, SAVING)

    def steps(self, number: int, update: Sequence[Change], tables: Tables, steps: Sequence[Step]) -> list[Change]:
        import time

        started, given, sent = time.monotonic(), {step.worker: step for step in steps}, self.ray.put(update)
        shards, begun = len(self._actors), {}
        for place, actor in self._actors.items():
            returns = shards if place in given else 1
            made = actor.begin.options(num_returns=returns).remote(number, sent, given.get(place))
            begun[place] = made if isinstance(made, list) else [made]
        gone = {}
        for place, actor in self._actors.items():
            batches = [begun[step.worker][place] for step in steps]
            made = actor.go_on.options(num_returns=len(steps)).remote(*batches)
            gone[place] = made if isinstance(made, list) else [made]
        calls = {}
        for at, step in enumerate(steps):
            results = [gone[place][at] for place in range(shards)]
            calls[self._actors[step.worker].finish.remote(*results)] = step.worker
        changes: list[Change] = self._get(calls, max(PATIENCE, TIMES * self._longest))
        self.number, self._longest = number, max(self._longest, time.monotonic() - started)
        return changes

    def forget(self) -> None:
        self.number = None

    def close(self) -> None:
        for actor in self._actors.values():
            self.ray.kill(actor)
        self._actors = {}

    def _get(self, calls: Mapping[Any, int], timeout: float) -> list[Any]:
        """Return the results of calls, by shard. Where one was lost, end the processes that are gone or do not answer."""
        try:
            return list(self.ray.get(list(calls), timeout=timeout))
        except self._failures as error:
            self._lose(error)
        except self.ray.exceptions.RayTaskError as error:
            if isinstance(error.cause, MemoryError):
                said = files.reason(error.cause)
                raise UsageError(f"the process of a shard has too little memory ({said}; more shards are smaller)") from None
            if not isinstance(error.cause, self._failures):
                raise error.cause from None
            self._lose(error.cause)
        raise ShardLost

    def _lose(self, error: BaseException) -> None:
        """Find out which processes are gone, or do not answer, and forget them."""
        reason = "no answer" if isinstance(error, self.ray.exceptions.GetTimeoutError) else type(error).__name__
        asked = {actor.call.remote("alive"): place for place, actor in self._actors.items()}
        answered, _ = self.ray.wait(list(asked), num_returns=len(asked), timeout=PATIENCE)
        for call, place in asked.items():
            try:
                if call not in answered:
                    raise self.ray.exceptions.GetTimeoutError
                self.ray.get(call)
            except self._failures:
                self.lost += 1
                self._tell(f"the process of shard {place} was lost ({reason}); all go back to the last checkpoint")
                self.ray.kill(self._actors.pop(place))
        if self.lost > LOSSES:
            raise UsageError(f"{self.lost} processes of shards were lost, the last one by: {reason}")


Build = Callable[..., Solver]


@contextmanager
def shards_on(cluster: str | None, shards: int, tell: Callable[[str], None] | None = None) -> Iterator[Build]:
    """Yield what builds a solver in shards, like `solvers.solver` with the folder of its run: here, or on a cluster."""
    if cluster is None:
        yield lambda folder, name, game, **how: ShardedSolver(name, game, shards=shards, folder=folder, **how)
        return
    with connected(cluster) as ray:
        started: list[ShardProcesses] = []

        def make(about: About, folder: Path) -> ShardHosts:
            if slots(ray) < about[2]:
                raise UsageError(f"shards={about[2]}: the cluster has {slots(ray)} places (accepted: up to as many shards)")
            started.append(ShardProcesses(ray, about, folder.resolve(), bytes_of(about), tell))
            return started[-1]

        try:
            yield lambda folder, name, game, **how: ShardedSolver(name, game, shards=shards, folder=folder, make=make, **how)
        finally:
            for each in started:
                each.close()


__all__ = ["ShardProcesses", "ShardsHere", "shards_on"]

"""Independent tasks on a Ray cluster. A task that was lost with its process or machine runs again; its result is the same."""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from functools import lru_cache
from types import ModuleType
from typing import Any

from smoothcall.cluster.connection import connected, slots
from smoothcall.cluster.saved import SavedResults
from smoothcall.cluster.version import this_version, verify_version
from smoothcall.errors import UsageError
from smoothcall.tasks import HERE, Job, Result, Runner

AHEAD = 2  # tasks in flight for every process
SAVE_SECONDS = 0.2  # a shorter task is not worth its file: it runs again
ATTEMPTS = 6  # of one task, before the job fails: its process dies every time


class ClusterRunner:
    """Runs jobs on the connected cluster."""

    def __init__(self, ray: ModuleType, tell: Callable[[str], None] | None = None) -> None:
        self.ray, self._tell = ray, tell or (lambda line: None)
        self.lost = 0  # tasks that ran again
        self.reused = 0  # results of an earlier process
        self._remote = ray.remote(num_cpus=1, max_retries=0)(_run_task)
        self._failures = lost_errors(ray)

    def run(self, job: Job) -> Generator[Result, None, None]:
        """Yield results in order. Tasks under way when this ends early are left to end: to cancel one in the moment in which it
        ends is a failed check of Ray's (2.60) that ends this process."""
        saved = SavedResults(job)
        given = self.ray.put((job.prepare, pickle.dumps(job.given), job.work, this_version()))
        running: dict[Any, int] = {}  # tasks by the reference of their result
        attempts: dict[int, int] = {}
        done: dict[int, Result] = {}
        started = told = 0
        while told < job.count:
            while started < job.count and len(running) < AHEAD * slots(self.ray):
                if (known := saved.read(started)) is not None:
                    done[started] = known
                    self.reused += 1
                else:
                    running[self._remote.remote(given, started)] = started
                started += 1
            self._collect(job, running, attempts, done, saved, given)
            while told in done:
                yield done.pop(told)
                told += 1
        saved.delete()

    def _collect(
        self,
        job: Job,
        running: dict[Any, int],
        attempts: dict[int, int],
        done: dict[int, Result],
        saved: SavedResults,
        given: Any,
    ) -> None:
        """Wait for a task, keep its result, and start it again where it was lost."""
        if not running:
            return
        ready, _ = self.ray.wait(list(running), num_returns=1)
        for reference in ready:
            number = running.pop(reference)
            try:
                result, seconds = self.ray.get(reference)
            except self._failures as error:
                self.lost += 1
                attempts[number] = attempts.get(number, 0) + 1
                reason = type(error).__name__
                if attempts[number] >= ATTEMPTS:
                    raise UsageError(f"task {number} of this {job.name} was lost {ATTEMPTS} times ({reason})") from None
                self._tell(f"{job.name}: task {number} was lost ({reason}) and runs again")
                running[self._remote.remote(given, number)] = number
            except self.ray.exceptions.RayTaskError as error:
                raise error.cause from None
            else:
                if seconds >= SAVE_SECONDS:
                    saved.save(number, result)
                done[number] = result


def lost_errors(ray: ModuleType) -> tuple[type[BaseException], ...]:
    """Return the errors of work that was lost with its process or machine."""
    known = ray.exceptions
    return (
        known.WorkerCrashedError,
        known.NodeDiedError,
        known.OutOfMemoryError,
        known.ObjectLostError,
        known.LocalRayletDiedError,
        known.RayActorError,
    )


def _run_task(given: tuple[Any, bytes, Any, str], number: int) -> tuple[Result, float]:
    """Run one task in a process of the cluster; return its result and seconds. What tasks share is prepared once."""
    prepare, pickled, work, wanted = given
    verify_version(wanted, this_version(), where_we_run())
    prepared, started = _prepared(prepare, pickled), time.perf_counter()
    result = work(prepared, number)
    return result, time.perf_counter() - started


@lru_cache(maxsize=1)
def _prepared(prepare: Callable[..., Any], pickled: bytes) -> Any:
    return prepare(*pickle.loads(pickled))


def where_we_run() -> str:
    """Return the name of this machine."""
    import socket

    return socket.gethostname()


@contextmanager
def runner_on(cluster: str | None, tell: Callable[[str], None] | None = None) -> Iterator[Runner]:
    """Yield what runs jobs: this process, or a cluster for the time of the `with` block."""
    if cluster is None:
        yield HERE
        return
    with connected(cluster) as ray:
        yield ClusterRunner(ray, tell)

"""Independent tasks: one result on one process, on threads or on a cluster.

A `Job` is a number of tasks that share what they are given. A task depends on that and on its own number, which determines its
seed, so where and when it runs does not matter. Results come in the order of the tasks; whoever adds them up gets equal bits.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Result = tuple[NDArray[Any], ...]


@dataclass(frozen=True, slots=True)
class Job:
    """`count` tasks. Other machines can run them: the functions are those of modules, and what is given can be pickled."""

    name: str  # for messages: "match"
    prepare: Callable[..., Any]  # prepare(*given) returns what the tasks of one process share
    given: tuple[Any, ...]
    work: Callable[[Any, int], Result]  # work(prepared, number of the task)
    count: int


class Runner(Protocol):
    """Runs jobs."""

    def run(self, job: Job) -> Generator[Result, None, None]:
        """Yield the results in the order of the tasks. Whoever stops early closes the iterator."""


class Serial:
    """Runs tasks one after another, each when its result is asked for."""

    def run(self, job: Job) -> Generator[Result, None, None]:
        prepared = job.prepare(*job.given)
        for number in range(job.count):
            yield job.work(prepared, number)


@dataclass(frozen=True, slots=True)
class Threads:
    """Runs tasks on threads of this process."""

    threads: int

    def run(self, job: Job) -> Generator[Result, None, None]:
        prepared = job.prepare(*job.given)
        with ThreadPoolExecutor(self.threads) as pool:
            try:
                for result in [pool.submit(job.work, prepared, number) for number in range(job.count)]:
                    yield result.result()
            finally:
                pool.shutdown(cancel_futures=True)


HERE = Serial()


def pieces(count: int, size: int) -> int:
    """Return how many pieces of at most `size` make `count`."""
    return -(-count // size)


def piece(count: int, size: int, number: int) -> int:
    """Return the length of a piece."""
    return min(size, count - number * size)


def task_seeds(seed: int, number: int, count: int) -> list[int]:
    """Return `count` independent seeds of a task."""
    sequence = np.random.SeedSequence(seed, spawn_key=(number,) if number else ())
    return [int(state) for state in sequence.generate_state(count, np.uint64)]

"""The contract of a solver: built from a game and its options, it runs, says what it learned, and can be put away."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from sys import maxsize
from typing import Any, ClassVar

import numpy as np

from smoothcall.errors import UsageError
from smoothcall.information.game import Game
from smoothcall.kernels.tables import Array
from smoothcall.options import Option, Value, number, read_options
from smoothcall.policy import Policy

MOST = 10**15  # iterations
FLOAT64_ROWS = 20_000_000  # tables of more rows are float32


@dataclass(frozen=True, slots=True)
class Winnings:
    """What was won while learning, so far."""

    chips: tuple[float, ...]  # of each player; of the learner alone where it plays freezeouts
    count: int  # of what they were won in
    each: str  # which is a "hand" or a "freezeout"


class Solver(ABC):
    """`run(a)` then `run(b)` is `run(a + b)`, bit for bit on one thread; `restore(state())` loses nothing."""

    OPTIONS: ClassVar[dict[str, Option]] = {}
    LAST: ClassVar[int] = maxsize  # the iteration after which nothing changes
    THREADS: ClassVar[str] = ""  # what more than one thread gives up; empty where there can be only one

    def __init__(self, name: str, game: Game, *, seed: int = 0, threads: int = 1, options: Mapping[str, object]) -> None:
        if not isinstance(game, Game):
            raise UsageError(f"{name} needs a game such as sc.game('leduc'), not {game!r}")
        if not 1 <= (number(threads, whole=True) or 0) <= 256:
            raise UsageError(f"option threads={threads} (accepted: a whole number from 1 to 256)")
        if (known := number(seed, whole=True)) is None or known < 0:
            raise UsageError(f"option seed={seed} (accepted: a whole number of at least 0)")
        if not self.THREADS and int(threads) != 1:
            raise UsageError(f"option threads={threads}: {name} runs on one thread (accepted: 1)")
        self.name, self.game, self.seed, self.threads = name, game, int(known), int(threads)
        self.options: dict[str, Any] = read_options(name, self.OPTIONS, options)
        self.iterations = 0
        self.nodes = 0  # (node, deal) pairs visited so far

    def run(self, iterations: int) -> None:
        """Go on by so many iterations."""
        known = number(iterations, whole=True)
        if known is None or not 0 <= known <= MOST:
            raise UsageError(f"iterations={iterations} (accepted: a whole number from 0 to {MOST:.0e})")
        iterations = int(known)
        if iterations:
            self.nodes += self._advance(iterations)
            self.iterations += iterations

    def prepare(self) -> None:
        """Build tables and load kernels now, so that the first iteration costs what the others do."""
        self._advance(0)

    @abstractmethod
    def _advance(self, count: int) -> int:
        """Run `count` iterations after the first `self.iterations`; returns (node, deal) pairs visited."""

    @abstractmethod
    def policy(self) -> Policy:
        """What converges: the average policy unless the solver says otherwise."""

    @abstractmethod
    def current_policy(self) -> Policy:
        """The latest policy."""

    @abstractmethod
    def tables(self) -> dict[str, Array]:
        """The arrays that hold everything learned so far, by name; the solver's own, not copies."""

    def state(self) -> dict[str, Any]:
        """Everything needed to go on bit-exactly, random generators included."""
        tables = {name: table.copy() for name, table in self.tables().items()}
        return {"iterations": self.iterations, "nodes": self.nodes, **tables}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from what `state()` gave, of a solver built with the same game, options and threads."""
        tables = self.tables()
        for name, table in tables.items():
            found = np.asarray(state.get(name))
            if found.shape != table.shape or found.dtype != table.dtype or np.isnan(found).any():
                raise UsageError(f"this state is not of {self.name} on {self.game.spec} with these options: {name!r} differs")
        for name in ("iterations", "nodes"):
            if not np.issubdtype(np.asarray(state.get(name)).dtype, np.integer) or state[name] < 0:
                raise UsageError(f"this state is not one of a solver: {name!r} is not a number of at least 0")
        for name, table in tables.items():
            table[...] = state[name]
        self.iterations, self.nodes = int(state["iterations"]), int(state["nodes"])
        self._restored()

    def _restored(self) -> None:  # noqa: B027 - most solvers have nothing to rebuild
        """Rebuild what follows from the tables."""

    @property
    def won(self) -> Winnings | None:
        """What the players have won so far, where the solver knows."""
        return None

    @property
    def card(self) -> dict[str, Any]:
        """What a policy's card says about where it comes from."""
        options = {name: value if isinstance(value, Value) else str(value) for name, value in self.options.items()}
        about = {"name": self.name, "options": options, "seed": self.seed, "threads": self.threads}
        return {"solver": about, "iterations": self.iterations, "nodes": self.nodes}


def width(rows: int) -> np.dtype[Any]:
    """Of the numbers in tables of so many rows: 64 bits, or 32 where those would not fit in memory."""
    return np.dtype(np.float64 if rows <= FLOAT64_ROWS else np.float32)


def apart(array: Array) -> Array:
    """A copy of a small array on cache lines of its own: threads that write to the same line wait for each other."""
    room = np.zeros(array.size + 32, array.dtype)
    copy: Array = room[16 : 16 + array.size].reshape(array.shape)
    copy[...] = array
    return copy


def on_threads(work: Callable[[int, int], int], threads: int, count: int) -> int:
    """`work(thread, its share of count)` on so many threads at once; returns the sum of what they return."""
    if threads == 1:
        return work(0, count)
    shares = [count // threads + (thread < count % threads) for thread in range(threads)]
    with ThreadPoolExecutor(threads) as pool:
        return sum(pool.map(work, range(threads), shares))

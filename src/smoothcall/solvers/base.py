"""The contract of a solver: built from a game and options, it runs, returns policies, saves and restores its state."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from sys import maxsize
from typing import Any, ClassVar, Protocol

import numpy as np

from smoothcall.errors import UsageError
from smoothcall.information.extensive import ExtensiveGame
from smoothcall.information.game import Game
from smoothcall.kernels.tables import Array
from smoothcall.options import Option, Value, number, read_options
from smoothcall.policy import Policy

MAX_ITERATIONS = 10**15


@dataclass(frozen=True, slots=True)
class Winnings:
    """Chips won while learning, so far."""

    chips: tuple[float, ...]  # of each player; of the learner alone where it plays freezeouts
    count: int  # hands or freezeouts in which they were won
    each: str  # "hand" or "freezeout"


class Team(Protocol):
    """Workers that learn a solver's tables together, on one machine or many (`smoothcall.cluster.team`)."""

    workers: int

    @property
    def note(self) -> str:
        """What a progress line says about the workers."""

    def boundary(self, end: int) -> int:
        """Return the first number of iterations, from `end` on, after which all workers have the same tables."""

    def advance(self, count: int) -> int:
        """Run `count` iterations. Return the (node, deal) pairs visited."""

    def state(self) -> dict[str, Array]:
        """Return what a checkpoint needs beside the solver's tables."""

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from what `state()` returned."""


class Solver(ABC):
    """An algorithm on one game. On one thread `run(a)` then `run(b)` is `run(a + b)` and `restore` is exact, bit for bit."""

    OPTIONS: ClassVar[dict[str, Option]] = {}
    LAST: ClassVar[int] = maxsize  # iteration after which nothing changes
    CHANCE_NODES: ClassVar[bool] = False  # whether it learns games with chance nodes in their trees
    THREADS: ClassVar[str] = ""  # what more than one thread gives up; empty where one thread is all

    def __init__(self, name: str, game: Game, *, seed: int = 0, threads: int = 1, options: Mapping[str, object]) -> None:
        if not isinstance(game, Game):
            raise UsageError(f"{name} needs a game such as sc.game('leduc'), not {game!r}")
        if not self.CHANCE_NODES and isinstance(game, ExtensiveGame):
            raise UsageError(f"{name} does not learn games given as trees, such as {game.spec} (accepted: cfr, mccfr, xfp, lp)")
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
        self.team: Team | None = None

    def run(self, iterations: int) -> None:
        """Advance by this many iterations."""
        known = number(iterations, whole=True)
        if known is None or not 0 <= known <= MAX_ITERATIONS:
            raise UsageError(f"iterations={iterations} (accepted: a whole number from 0 to {MAX_ITERATIONS:.0e})")
        iterations = int(known)
        if iterations:
            self.nodes += self._advance(iterations) if self.team is None else self.team.advance(iterations)
            self.iterations += iterations

    def prepare(self) -> None:
        """Build tables and load kernels, so that the first iteration takes as long as the others."""
        self._advance(0)

    def boundary(self, end: int) -> int:
        """Return the number of iterations, `end` or more, at which a run may pause without changing what is learned."""
        return end if self.team is None else self.team.boundary(end)

    @abstractmethod
    def _advance(self, count: int) -> int:
        """Run `count` iterations after the first `self.iterations`. Return the (node, deal) pairs visited."""

    @abstractmethod
    def policy(self) -> Policy:
        """Return the policy that converges: the average policy, unless the solver says otherwise."""

    @abstractmethod
    def current_policy(self) -> Policy:
        """Return the latest policy."""

    @abstractmethod
    def tables(self) -> dict[str, Array]:
        """Return the arrays that hold everything learned so far, by name; the solver's own, not copies."""

    def state(self, *, copy: bool = True) -> dict[str, Any]:
        """Return everything needed to resume bit-exactly, random generators included; a copy, or the solver's own arrays."""
        tables = {name: table.copy() if copy else table for name, table in self.tables().items()}
        rest = self.team.state() if self.team is not None else {}
        return {"iterations": self.iterations, "nodes": self.nodes, **tables, **rest}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from what `state()` returned, of a solver built with the same game, options and threads."""
        tables = self.tables()
        for name, table in tables.items():
            found = np.asarray(state.get(name))
            if found.shape != table.shape or found.dtype != table.dtype or np.isnan(found).any():
                raise UsageError(f"this state is not of {self.name} on {self.game.spec} with these options: {name!r} differs")
        for name in ("iterations", "nodes"):
            if not np.issubdtype(np.asarray(state.get(name)).dtype, np.integer) or state[name] < 0:
                raise UsageError(f"this state is not one of a solver: {name!r} is not a number of at least 0")
        if self.team is not None:
            self.team.restore(state)
        for name, table in tables.items():
            table[...] = state[name]
        self.iterations, self.nodes = int(state["iterations"]), int(state["nodes"])
        self._restored()

    def _restored(self) -> None:  # noqa: B027 - most solvers have nothing to rebuild
        """Recompute what follows from the tables."""

    def _restored_rows(self, rows: Mapping[str, Array]) -> None:
        """Recompute what follows from rows of the tables: numbers, by table."""
        self._restored()

    @property
    def won(self) -> Winnings | None:
        """Chips won so far, where the solver plays hands."""
        return None

    @property
    def card(self) -> dict[str, Any]:
        """The origin of a policy, as its card states it."""
        options = {name: value if isinstance(value, Value) else str(value) for name, value in self.options.items()}
        about = {"name": self.name, "options": options, "seed": self.seed, "threads": self.threads}
        return {"solver": about, "iterations": self.iterations, "nodes": self.nodes}

"""Actors that play for one learner with networks.

Learning goes in rounds. In a round every worker (an actor) plays some turns, one move in each of its hands, with networks that
the learner has sent through the object store, and with hands and generators of its own. The learner adds the turns to its
memories in the order of the workers and makes the updates that are due after each. While it learns from a round, the actors
already play the next one, so their networks lack the updates of one round. One actor waits for the updates instead, and plays
rounds of one turn: it learns what a learner without actors learns, bit for bit.

A step depends on the networks, the worker's hands and generators, and nothing else: what a team learns follows from seed,
number of workers and turns of a round; a step that was lost is played again with the same result, and a step (worker, number)
is learned from once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from smoothcall.cluster.team import PREFIX, Step, Tables, copy_of, read_workers
from smoothcall.errors import UsageError
from smoothcall.kernels.random import seeded
from smoothcall.kernels.tables import Array
from smoothcall.learners.experience import EPISODES, SAMPLES, Turn, TurnLearner
from smoothcall.solvers import Solver
from smoothcall.tasks import task_seeds

LEARNERS = ("nfsp", "nfsp-freezeouts", "monte-carlo", "deep-q-continuous", "deep-q-discrete", "clipped-double-dqn")
TURNS = 4  # of several workers in a round (docs/cluster.md)
_ACTING = f"{PREFIX}acting "  # of the names of networks with which the next round is played
_OWN = f"{PREFIX}own "  # of the names of the workers' hands


@dataclass(frozen=True, slots=True)
class Played:
    """What a worker has played in one step."""

    worker: int
    number: int  # of the step
    turns: list[Turn]
    own: dict[str, Array]  # hands and generators after it


class ActorHosts(Protocol):
    """Processes that play the steps of a round."""

    def steps(self, number: int, update: Mapping[str, Array], tables: Tables, steps: Sequence[Step]) -> list[Any]:
        """Return what was played in every step, in their order. `update`: the networks of the round, that `tables` returns."""

    def forget(self) -> None:
        """Forget the networks."""

    @property
    def note(self) -> str:
        """What a progress line says about them."""


class ActorHost:
    """A learner as an actor, on which steps are played one after another."""

    PACKAGES: ClassVar[tuple[str, ...]] = ("jax", "jaxlib", "equinox")  # whose versions determine results too

    def __init__(self, built: Solver, acting: Mapping[str, Array], number: int) -> None:
        assert isinstance(built, TurnLearner)
        self._learner, self._acting, self.number = built, acting, number

    @staticmethod
    def prepare(built: Solver) -> None:
        """Make an actor of a learner, and compile what it needs. Every step sets everything that this changes."""
        assert isinstance(built, TurnLearner)
        built.log_turns()
        built.logged_turn()

    def update(self, number: int, acting: Mapping[str, Array]) -> None:
        """Take over the networks of a round."""
        self._acting, self.number = acting, number

    def do(self, step: Step) -> Played:
        """Play a step."""
        learner = self._learner
        learner.act_with(self._acting)
        for name, table in learner.in_play().items():
            table[...] = step.own[name]
        turns = [learner.logged_turn() for _ in range(step.count)]
        return Played(step.worker, step.number, turns, {name: table.copy() for name, table in learner.in_play().items()})


class ActorsHere:
    """Plays the steps of all workers in this process, one after another."""

    note = ""

    def __init__(self, built: Solver) -> None:
        self._built = built
        self._host: ActorHost | None = None

    def steps(self, number: int, update: Mapping[str, Array], tables: Tables, steps: Sequence[Step]) -> list[Played]:
        if self._host is None:
            actor = copy_of(self._built)
            ActorHost.prepare(actor)
            self._host = ActorHost(actor, tables(), number)
        self._host.update(number, update)
        return [self._host.do(step) for step in steps]

    def forget(self) -> None:
        """The next round brings its networks."""


class ActorTeam:
    """The actors of a learner. `turns`: of each worker in a round, where there are several."""

    def __init__(self, built: Solver, workers: int, hosts: ActorHosts | None = None, *, turns: int = TURNS) -> None:
        if not isinstance(built, TurnLearner):
            raise UsageError(f"{built.name} does not learn with actors (accepted: {', '.join(LEARNERS)})")
        self.solver, self.workers = built, read_workers(workers)
        self.turns = 1 if self.workers == 1 else turns
        self.hosts: ActorHosts = hosts if hosts is not None else ActorsHere(built)
        self.number = 0  # of rounds
        self._own = [self._first_own(worker) for worker in range(1, self.workers)]  # hands of the others than the first
        self._acting: dict[str, Array] | None = None  # networks of the next round, where it begins before the updates
        self._background: ThreadPoolExecutor | None = None
        self._ahead: Future[list[Played]] | None = None  # the next round, played while the learner learns

    def _first_own(self, worker: int) -> dict[str, Array]:
        """Return the hands and generators of a worker. Those of the first are the learner's own."""
        own = {name: table.copy() for name, table in self.solver.in_play().items()}
        own["generators"] = seeded(task_seeds(self.solver.seed, worker, 1)[0], len(own["generators"]))
        return own

    @property
    def note(self) -> str:
        return f"{self.workers} workers{self.hosts.note}"

    def play_ahead(self) -> None:
        """Play rounds in the background while the learner learns."""
        self._background = ThreadPoolExecutor(1) if self.workers > 1 else None

    def close(self) -> None:
        """Wait for what is played in the background."""
        if self._background is not None:
            self._background.shutdown(cancel_futures=True)
            self._background = self._ahead = None

    def boundary(self, end: int) -> int:
        """Return `end`: rounds are not interrupted, whatever the number of episodes."""
        return end

    def advance(self, count: int) -> int:
        """Run rounds until `count` more episodes have ended. Return the moves made."""
        learner = self.solver
        before, goal = learner.moves_made, learner.iterations + count
        while learner.episodes < goal:
            self._round(goal)
        learner.finish()
        return learner.moves_made - before

    def _round(self, goal: int) -> None:
        learner = self.solver
        if self._acting is None:
            self._acting = self._networks()
        played = self._ahead.result() if self._ahead is not None else self.hosts.steps(*self._next())
        number, self._ahead = self.number + 1, None
        if [(each.worker, each.number) for each in played] != [(worker, number) for worker in range(self.workers)]:
            raise AssertionError("steps were lost or played twice")
        self.number = number
        self._take_over(played)
        self._acting = self._networks() if self.workers > 1 else None
        ended = sum(int(turn.counted["counts"][EPISODES]) for each in played for turn in each.turns)
        if self._background is not None and learner.episodes + ended < goal:
            self._ahead = self._background.submit(self.hosts.steps, *self._next())
        for each in played:
            for turn in each.turns:
                learner.learn_from(turn)

    def _networks(self) -> dict[str, Array]:
        self.solver.begin_turn()
        return self.solver.acting()

    def _next(self) -> tuple[int, dict[str, Array], Tables, list[Step]]:
        """Return the arguments of `hosts.steps` for the next round."""
        acting = self._acting
        assert acting is not None
        number, first = self.number + 1, {name: table.copy() for name, table in self.solver.in_play().items()}
        steps = [Step(worker, number, 0, self.turns, own) for worker, own in enumerate([first, *self._own])]
        return number, acting, lambda: acting, steps

    def _take_over(self, played: Sequence[Played]) -> None:
        """Take over the hands of all workers; the learner samples with a generator of its own."""
        mine, samples = self.solver.in_play(), self.solver.in_play()["generators"][SAMPLES].copy()
        for name, table in mine.items():
            table[...] = played[0].own[name]
        mine["generators"][SAMPLES] = samples
        self._own = [each.own for each in played[1:]]

    def state(self) -> dict[str, Array]:
        """Return the number of the last round, the hands of all workers but the first, and the next round's networks."""
        found: dict[str, Array] = {f"{PREFIX}number": np.array(self.number)}
        if self.workers > 1:
            found |= {f"{_OWN}{name}": np.array([own[name] for own in self._own]) for name in self._own[0]}
            found |= {f"{_ACTING}{name}": table for name, table in (self._acting or self.solver.acting()).items()}
        return found

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from what `state()` returned. The learner's own tables are restored after this."""
        if self._ahead is not None:
            self._ahead.result()  # it must not change what is restored
        number = state.get(f"{PREFIX}number")
        if number is None:
            raise UsageError("this state is not of a team of workers")
        acting, own = dict[str, Array](), dict[str, Array]()
        if self.workers > 1:
            for name, table in self.solver.acting().items():
                acting[name] = self._read(state, f"{_ACTING}{name}", table.shape, table.dtype)
            for name, table in self.solver.in_play().items():
                own[name] = self._read(state, f"{_OWN}{name}", (self.workers - 1, *table.shape), table.dtype)
        self.number, self._ahead, self._acting = int(number), None, acting if acting and number else None
        self._own = [{name: table[worker].copy() for name, table in own.items()} for worker in range(self.workers - 1)]
        self.hosts.forget()

    def _read(self, state: Mapping[str, Any], name: str, shape: tuple[int, ...], dtype: Any) -> Array:
        found = np.asarray(state.get(name))
        if found.shape != shape or found.dtype != dtype:
            raise UsageError(f"this state is not of a team of {self.workers} workers: {name!r} differs")
        return np.array(found)

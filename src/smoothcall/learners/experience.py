"""Learners that play in turns, and the experience of a turn.

In a turn a learner makes one move in every hand and adds the hands that end to its memories; then it makes the updates that
are due. Playing and learning may be apart: an *actor* is a learner that has the networks of another one and hands of its own,
and logs its turns (`log_turns`, `logged_turn`). The *learner* learns from a logged turn as from a turn of its own
(`learn_from`): with one actor and the same networks, bit for bit.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from smoothcall.kernels.learners import memory as kernels
from smoothcall.kernels.tables import Array
from smoothcall.learners.memory import new_ring
from smoothcall.simulation.batch import Batch
from smoothcall.solvers.base import Solver

EPISODES, MOVES = 0, 1  # counters of every learner: episodes (hands or freezeouts) ended, moves made
SAMPLES = 3  # generator of samples from memories; playing uses the others


class Logged(NamedTuple):
    """Arrays [n, ...] of several memories, one memory after another."""

    arrays: tuple[Array, ...]
    lengths: Array  # [memories] int64

    def by_memory(self) -> list[tuple[Array, ...]]:
        """Return the arrays of each memory."""
        ends = np.cumsum(self.lengths).tolist()
        starts = [0, *ends[:-1]]
        return [tuple(table[start:end] for table in self.arrays) for start, end in zip(starts, ends, strict=True)]


class Turn(NamedTuple):
    """What a turn adds to a learner."""

    transitions: Logged  # fields of `kernels.learners.memory.Ring` without `total`
    moves: Logged | None  # fields of `kernels.learners.memory.MoveLog` without `total`, where moves are imitated
    counted: dict[str, Array]  # growth of counters, by table


def logged(arrays: tuple[Array, ...], lengths: Array) -> Logged:
    """Copy the first lengths[m] entries of every memory m of arrays[memories, places, ...]."""
    parts = [np.concatenate([own[:length] for own, length in zip(table, lengths, strict=True)]) for table in arrays]
    return Logged(tuple(parts), lengths.copy())


def add_transitions(ring: kernels.Ring, transitions: Logged) -> None:
    """Add transitions to circular memories, in their order."""
    size = ring.observations.shape[1]
    for own, arrays in enumerate(transitions.by_memory()):
        count, total = len(arrays[0]), int(ring.total[own])
        first = max(0, count - size)  # earlier ones would be overwritten
        places = (total + np.arange(first, count)) % size
        for table, values in zip(ring, arrays, strict=False):
            table[own, places] = values[first:]
        ring.total[own] = total + count


class TurnLearner(Solver):
    """Base class of learners that play in turns."""

    _ring: kernels.Ring
    _counts: Array  # EPISODES, MOVES and counters of the subclass
    _generators: Array  # [n, 4]: of deals, of moves, of policies or opponents, SAMPLES, and others of play

    @property
    @abstractmethod
    def _hands_in_play(self) -> Batch:
        """The hands in play."""

    @abstractmethod
    def _play_turn(self) -> None:
        """Make one move in every hand; remember the hands that end."""

    @abstractmethod
    def _make_updates(self) -> None:
        """Make the updates that are due."""

    @abstractmethod
    def acting(self) -> dict[str, Array]:
        """Return copies of the arrays that determine how it plays: networks and counters."""

    @abstractmethod
    def act_with(self, acting: Mapping[str, Array]) -> None:
        """Play with what another learner's `acting` returned."""

    @abstractmethod
    def in_play(self) -> dict[str, Array]:
        """Return by name the arrays that hold the hands in play and the generators; the learner's own, not copies."""

    @abstractmethod
    def _counters(self) -> dict[str, Array]:
        """Return by name the tables to which every turn adds something."""

    def begin_turn(self) -> None:
        """Do what is due before a turn."""

    def finish(self) -> None:
        """Write what was learned to the tables."""

    @property
    def episodes(self) -> int:
        """Episodes ended so far; some more than iterations, because turns are not interrupted."""
        return int(self._counts[EPISODES])

    @property
    def moves_made(self) -> int:
        """Moves made so far."""
        return int(self._counts[MOVES])

    def _advance(self, count: int) -> int:
        before, goal = self.moves_made, self.iterations + count
        while self.episodes < goal:
            self.begin_turn()
            self._play_turn()
            self._make_updates()
        self.finish()
        return self.moves_made - before

    # Actor and learner

    def log_turns(self) -> None:
        """Become an actor: log turns in place of remembering them. Frees the memories."""
        most = self._hands_in_play.hands.observations
        memories, (count, _, moves, width) = len(self._ring.total), most.shape
        self._ring = new_ring(memories, count * (moves + 1), width, most.dtype.type)

    def logged_turn(self) -> Turn:
        """Play a turn and return what it adds to a learner."""
        self._ring.total[:] = 0
        before = {name: table.copy() for name, table in self._counters().items()}
        self._play_turn()
        counted = {name: table - before[name] for name, table in self._counters().items()}
        return Turn(logged(self._ring[:-1], self._ring.total), self._logged_moves(), counted)

    def _logged_moves(self) -> Logged | None:
        return None

    def learn_from(self, turn: Turn) -> None:
        """Add a logged turn to the memories and counters, and make the updates that are due."""
        add_transitions(self._ring, turn.transitions)
        self._add_moves(turn)
        for name, table in self._counters().items():
            table += turn.counted[name]
        self._make_updates()

    def _add_moves(self, turn: Turn) -> None:
        """Add what is neither a transition nor a counter."""

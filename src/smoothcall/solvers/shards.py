"""Solvers whose tables are divided: each process has the trunk and one shard (`information.subtrees`).

A round has three steps. `begin` deals hands and plays them in the trunk, with the tables of the start of the round. `go_on`
plays the hands that come to this shard and learns there, hand after hand. `finish` learns in the trunk what the hands won in
the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from smoothcall.information.dealing import DealSampler
from smoothcall.information.subtrees import TRUNK, Parts
from smoothcall.kernels.solvers import mccfr, uct
from smoothcall.kernels.solvers import shards as kernels
from smoothcall.kernels.tables import ELSEWHERE, Array
from smoothcall.solvers import solver
from smoothcall.solvers.base import Solver
from smoothcall.solvers.mccfr import SCHEMES, MonteCarloCFR
from smoothcall.solvers.uct import UCT
from smoothcall.tasks import task_seeds

FIRST_SHARD_SEED = 1 << 20  # the generators of shards differ from those of workers


class Batch(NamedTuple):
    """n hands that leave the trunk for one shard, in the order in which they were played."""

    bucket: Array  # [n, P, R] int32
    outcome: Array  # [n] uint32
    line: Array  # [n] int32
    about: tuple[Array, ...]  # [n] each; tree search: players outside; regrets: learner, others, own


class Result(NamedTuple):
    """What n hands of a worker came to in a shard."""

    won: Array  # [n, P] chips; regrets: [n] chips to the learner
    visited: int  # nodes


class Divided(Protocol):
    """The part of a solver that one process has."""

    @property
    def trunk(self) -> Solver: ...

    @property
    def rest(self) -> Solver: ...

    def begin(self, count: int) -> list[Batch]:
        """Play `count` iterations in the trunk. Return the hands of each shard."""

    def go_on(self, batches: Sequence[Batch]) -> list[Result]:
        """Play the hands of all workers in this shard, in their order. Return what each worker's came to."""

    def finish(self, results: Sequence[Result]) -> int:
        """Learn in the trunk from what the hands came to in each shard. Return the nodes visited, in the shards too."""


class _Divided:
    """What both kinds of solvers share: games and solvers of the trunk and of one shard."""

    trunk: Any
    rest: Any

    def __init__(self, name: str, parts: Parts, shard: int, seed: int, options: dict[str, Any]) -> None:
        self._parts = parts
        self.trunk = solver(name, parts.part(TRUNK), seed=seed, **options)
        mine = parts.part(shard)
        self.rest = solver(name, mine, seed=task_seeds(seed, FIRST_SHARD_SEED + shard, 1)[0], **options)
        tree = self.trunk.game.tree
        self._stubs = np.flatnonzero(tree.kind == ELSEWHERE)  # the node where each line leaves the trunk
        self._entry = parts.entries(mine, shard)
        self._visited = 0

    def _deal(self, count: int) -> tuple[Array, Array]:
        """Return (bucket[count, P, R], outcome[count]) of new deals."""
        bucket, outcome, index = DealSampler(self.trunk.game, count).sample(count, self.trunk.tables()["dealers"][0])
        return bucket[index], outcome[index]

    def _sent(self, bucket: Array, outcome: Array, hand: Array, line: Array, about: Sequence[Array]) -> list[Batch]:
        """Return the batch of each shard from the hands that leave the trunk: hand[n] of the deals, line[n], about[n]."""
        self._places = []
        batches, owner = [], self._parts.owner[line]
        for shard in range(self._parts.shards):
            place = np.flatnonzero(owner == shard)
            self._places.append(place)
            deals = hand[place]
            batches.append(Batch(bucket[deals], outcome[deals], line[place], tuple(each[place] for each in about)))
        return batches

    def _came_to(self, results: Sequence[Result], shape: tuple[int, ...]) -> Array:
        """Return what the hands that left the trunk came to, in their order."""
        won = np.zeros(shape)
        for place, result in zip(self._places, results, strict=True):
            won[place] = result.won
            self._visited += result.visited
        return won


class DividedSearch(_Divided):
    """Part of a tree search."""

    trunk: UCT
    rest: UCT

    def __init__(self, name: str, parts: Parts, shard: int, seed: int, options: dict[str, Any]) -> None:
        super().__init__(name, parts, shard, seed, options)
        game, nodes = self.trunk.game, self.trunk._nodes
        self._tables = len(game.settled[1])
        columns = uct.SLOTS + len(game.actions) + game.tree.slot[self._stubs]
        nodes.record[np.searchsorted(game.tree.decisions, game.tree.parent[self._stubs]), columns] = uct.leaf_code(
            self._tables + np.arange(len(self._stubs))
        )
        self._numbers = np.searchsorted(self.rest.game.tree.decisions, self._entry)  # of decisions; 0 for lines of others

    def _play(self, built: UCT, earned: Array) -> uct.Play:
        """Return scratch for one hand; all players learn."""
        depth, nobody = built.game.depth + 1, np.zeros((0, len(built.game.actions)), np.uint8)
        return uct.Play(built._learners, nobody, 1.0, earned, *np.zeros((3, depth), np.uint64))

    def begin(self, count: int) -> list[Batch]:
        trunk, game = self.trunk, self.trunk.game
        bucket, outcome = self._deal(count)
        shape = (count, game.depth + 1)
        moves = kernels.Moves(*np.zeros((3, *shape), np.uint64), *np.zeros((3, count), np.int32))
        play = self._play(trunk, trunk._earned[0])
        self._visited = kernels.play_trunk(trunk._nodes, bucket, trunk._trees[0], play, moves, trunk._generators[0])
        self._moves, self._outcome = moves, outcome
        self._away = np.flatnonzero(moves.ending >= self._tables)
        line = moves.ending[self._away] - self._tables
        return self._sent(bucket, outcome, self._away, line, [moves.outside[self._away]])

    def go_on(self, batches: Sequence[Batch]) -> list[Result]:
        rest, results = self.rest, []
        play = self._play(rest, rest._earned[0])
        for batch in batches:
            chips = np.zeros((len(batch.line), rest.game.players))
            visited = kernels.play_lines(
                rest._nodes, rest.game.walk.payoff, batch.bucket, batch.outcome, self._numbers[batch.line], batch.about[0],
                rest._trees[0], rest._mixing, play, rest._generators[0], chips,
            )  # fmt: skip
            results.append(Result(chips, visited))
        return results

    def finish(self, results: Sequence[Result]) -> int:
        trunk, moves = self.trunk, self._moves
        chips = np.zeros((len(self._outcome), trunk.game.players))
        ended = moves.ending < self._tables
        chips[ended] = trunk.game.walk.payoff[moves.ending[ended], self._outcome[ended]]
        chips[self._away] = self._came_to(results, (len(self._away), trunk.game.players))
        kernels.learn_trunk(trunk._trees[0], trunk._mixing, moves, chips, trunk._earned[0])
        return self._visited


class DividedRegrets(_Divided):
    """Part of MCCFR with external or outcome sampling."""

    trunk: MonteCarloCFR
    rest: MonteCarloCFR

    def __init__(self, name: str, parts: Parts, shard: int, seed: int, options: dict[str, Any]) -> None:
        super().__init__(name, parts, shard, seed, options)
        self._line_of = np.full(self.trunk.game.tree.nodes, -1, np.int32)
        self._line_of[self._stubs] = np.arange(len(self._stubs))
        self._how = (SCHEMES[self.trunk.options["sampling"]], self.trunk.options["epsilon"])
        self._scratch = self.trunk._visits(), self.rest._visits()

    def begin(self, count: int) -> list[Batch]:
        trunk, walk = self.trunk, self.trunk.game.walk
        bucket, outcome = self._deal(count * trunk.game.players)
        self._deals, self._regret = (bucket, outcome), trunk._regret.copy()
        self._generator = trunk._generators[0].copy()  # as it is before the walks, which `finish` repeats
        most = len(bucket) * min(trunk._max_visits, len(self._stubs))
        jobs = kernels.Jobs(*np.zeros((2, most), np.int32), *np.zeros((2, most)))
        found = kernels.list_lines(walk, bucket, *self._how, trunk._regret, self._scratch[0], trunk._generators[0], jobs)
        deal, node, others, own = (each[:found] for each in jobs)
        self._count = found
        return self._sent(bucket, outcome, deal, self._line_of[node], [deal % trunk.game.players, others, own])

    def go_on(self, batches: Sequence[Batch]) -> list[Result]:
        rest, results = self.rest, []
        tables, visits = mccfr.Tables(rest._regret, rest._average), self._scratch[1]
        for batch in batches:
            value = np.zeros(len(batch.line))
            learner, others, own = batch.about
            walks = (batch.bucket, batch.outcome, learner, self._entry[batch.line], others, own)
            visited = kernels.walk_lines(rest.game.walk, *walks, *self._how, tables, visits, rest._generators[0], value)
            results.append(Result(value, visited))
        return results

    def finish(self, results: Sequence[Result]) -> int:
        trunk, self._visited = self.trunk, 0
        value = self._came_to(results, (self._count,))
        tables, visits = mccfr.Tables(trunk._regret, trunk._average), self._scratch[0]
        walks = (trunk.game.walk, *self._deals, *self._how, self._regret, tables, visits, self._generator, value)
        self._visited += kernels.learn_lines(*walks)
        return self._visited


KINDS: dict[str, type[DividedSearch] | type[DividedRegrets]] = {
    "uct": DividedSearch,
    "smooth-uct": DividedSearch,
    "mccfr": DividedRegrets,
}

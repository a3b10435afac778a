"""The document's implementations of one-deal CFR on Kuhn poker, and ours, behind one interface: run, seconds, nodes, policy."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from time import perf_counter, thread_time
from typing import Any, NamedTuple

import numpy as np

from smoothcall.information.game import Game
from smoothcall.kernels.experiments import compact, recursive
from smoothcall.kernels.experiments.iterative import ALL, THREADS, iterative_kernel
from smoothcall.kernels.experiments.steps import (
    ACTION,
    ALIVE,
    AVERAGE,
    CHILD,
    PAID,
    PLAYER,
    REACH,
    UNPLAYED,
    Pruning,
)
from smoothcall.kernels.random import seeded
from smoothcall.kernels.solvers.one_deal import REVIEW
from smoothcall.kernels.tables import Array
from smoothcall.policy import Policy
from smoothcall.solvers import Solver, solver

RULES = {"action": ACTION, "reach": REACH, "unplayed": UNPLAYED}  # what must be below the threshold, see `steps`
NO_PRUNING = Pruning(ACTION, 0.0, 0)


def pruning_of(rule: str, threshold: float) -> Pruning:
    """Return a rule of pruning with its threshold; ours, "unplayed", has a full iteration every REVIEW-th."""
    return Pruning(RULES[rule], threshold, REVIEW if rule == "unplayed" else 0)


class Timed:
    """A learner whose time in compiled loops is counted."""

    def __init__(self, made: Game) -> None:
        self.game = made
        self.iterations = self.nodes = 0
        self.wall = self.seconds = 0.0  # of the clock, and of the processor in this thread

    def run(self, count: int) -> None:
        """Run `count` iterations and add their time."""
        wall, processor = perf_counter(), thread_time()
        self.nodes += self._advance(count)
        self.seconds += thread_time() - processor
        self.wall += perf_counter() - wall
        self.iterations += count

    def _advance(self, count: int) -> int:
        raise NotImplementedError

    def policy(self) -> Policy:
        """Return the average policy."""
        raise NotImplementedError


class Form(Timed):
    """One of the document's implementations: recursive, iterative, levels (in parallel) or optimised; or our compact one.

    `improved`: which improvements the iterative form has, bits of `kernels.experiments.iterative`.
    """

    def __init__(self, made: Game, form: str, *, seed: int, pruning: Pruning = NO_PRUNING, improved: int = 0) -> None:
        super().__init__(made)
        self.form = form
        self.pruning = Pruning(pruning.rule, float(pruning.threshold), pruning.review)
        self.learned = np.zeros((2, made.tree.rows, 2))
        self.generator = seeded(seed)[0]
        self._iterate = _iterator(made, form, improved)
        self._advance(0)  # compiles

    def _advance(self, count: int) -> int:
        return int(self._iterate(self.learned, self.generator, self.pruning, self.iterations, count))

    def continue_from(self, other: Form) -> None:
        """Take over what another form has learned, and its deals to come."""
        self.learned[...], self.generator[...] = other.learned, other.generator
        self.iterations = other.iterations

    def policy(self) -> Policy:
        table, rows, (passing, betting) = np.zeros(self.game.legal.shape), np.arange(self.game.tree.rows), _slots(self.game)
        table[rows, passing], table[rows, betting] = self.learned[AVERAGE].T
        return Policy.from_weights(self.game, table)


class Sweeps(Timed):
    """Our solver: sweeps of the sequence form of one deal."""

    def __init__(self, made: Game, *, seed: int, threads: int = 1, **options: Any) -> None:
        super().__init__(made)
        self.solver: Solver = solver("mccfr", made, seed=seed, threads=threads, **options)
        self.solver.prepare()

    def _advance(self, count: int) -> int:
        before = self.solver.nodes
        self.solver.run(count)
        return self.solver.nodes - before

    def policy(self) -> Policy:
        return self.solver.policy()


def _slots(made: Game) -> tuple[Array, Array]:
    """Return [rows] the action slots of pass and bet: the first and the last legal one."""
    return made.legal.argmax(axis=1), made.legal.shape[1] - 1 - made.legal[:, ::-1].argmax(axis=1)


class Tables(NamedTuple):
    """What the kernels read of a game. N nodes, D deals, P players."""

    nodes: Array  # [N, 4 + P] int32, see `steps`
    keys: Array  # [rows] int64, of the ordered map
    cards: Array  # [D, P] int32
    rows: Array  # [D, N] int32: the row of who acts
    terminal: Array  # [D, N, P] float64: chips at endings
    levels: Array  # [levels + 1] int64: offsets into the decisions of the tree


def tables_of(made: Game) -> Tables:
    tree, cards = made.tree, np.ascontiguousarray(made.deals.bucket[:, :, 0])
    nodes = np.full((tree.nodes, PAID + made.players), -1, np.int32)
    nodes[:, PLAYER], nodes[:, ALIVE], nodes[:, PAID:] = tree.player, tree.alive, tree.paid
    rows = np.full((len(cards), tree.nodes), -1, np.int32)
    for node in tree.decisions:
        nodes[node, CHILD:PAID] = tree.child[node][tree.child[node] >= 0]  # pass, bet
        rows[:, node] = tree.first_row[node] + cards[:, tree.player[node]]
    deck = np.arange(made.players + 1)
    keys = np.concatenate([node * len(deck) + deck for node in tree.decisions])  # in the order of rows
    ending, payoff = made.ending_payoff
    terminal = np.zeros((len(cards), tree.nodes, made.players))
    terminal[:, tree.endings] = payoff[ending[tree.endings]].transpose(1, 0, 2)
    levels = np.unique(np.searchsorted(tree.decisions, tree.levels))
    return Tables(nodes, keys, cards, rows, terminal, levels)


def _iterator(made: Game, form: str, improved: int) -> Callable[[Array, Array, Pruning, int, int], int]:
    """Return the kernel of a form with its tables: a function of (learned, generator, pruning, start, count)."""
    nodes, keys, cards, rows, terminal, levels = tables_of(made)
    walk, decisions = made.walk, made.tree.decisions
    if form == "recursive":
        return lambda learned, generator, *rest: recursive.iterate(
            nodes, keys, cards, walk, learned, made.depth, generator, *rest
        )
    if form == "compact":
        child = np.ascontiguousarray(nodes[:, CHILD:PAID])
        return lambda learned, generator, *rest: compact.iterate(
            made.tree.player, child, rows, terminal, walk, learned, generator, *rest
        )
    kernel = _iterative({"optimised": ALL, "levels": THREADS}.get(form, improved))
    return lambda learned, generator, *rest: kernel(
        nodes, keys, cards, rows, terminal, walk, learned, decisions, levels, generator, *rest
    )


_iterative = cache(iterative_kernel)  # each is compiled once

"""Monte-Carlo CFR (Lanctot et al. 2009): chance, external and outcome sampling.

With chance sampling an iteration is bahuguna2018's: one deal, one walk of its whole betting tree, all players updated.
With external and outcome sampling an iteration samples one deal for each player and updates that player.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import ClassVar

import numpy as np

from smoothcall.errors import UsageError
from smoothcall.information.dealing import DealSampler
from smoothcall.information.extensive import chance_of
from smoothcall.information.game import Game
from smoothcall.kernels.random import seeded
from smoothcall.kernels.solvers import mccfr as kernels
from smoothcall.kernels.solvers import one_deal
from smoothcall.kernels.solvers.cfr import State
from smoothcall.kernels.tables import Array
from smoothcall.memory import verify_memory
from smoothcall.options import Option
from smoothcall.policy import Policy
from smoothcall.solvers.base import Solver
from smoothcall.solvers.threads import DEALS, batches, on_threads, padded_copy, table_type

SCHEMES = {"external": kernels.EXTERNAL, "outcome": kernels.OUTCOME}


class MonteCarloCFR(Solver):
    """External and outcome sampling keep tables [rows, A], chance sampling flat tables over the sequence form."""

    CHANCE_NODES: ClassVar[bool] = True
    THREADS: ClassVar[str] = "threads share the tables without locks, so results are not bit-reproducible"
    OPTIONS: ClassVar[dict[str, Option]] = {
        "sampling": Option("external", "what is sampled", choices=(*SCHEMES, "chance")),
        "epsilon": Option(0.6, "outcome sampling: probability that the learner acts uniformly at random", low=0.01, high=1),
        "prune": Option(
            0.0,
            "chance sampling: skip actions that the current policy does not take and the average policies reach with less "
            "probability than this",
            0,
            1,
        ),
    }

    def __init__(self, name: str, game: Game, *, seed: int = 0, threads: int = 1, options: Mapping[str, object]) -> None:
        super().__init__(name, game, seed=seed, threads=threads, options=options)
        self._one_deal = self.options["sampling"] == "chance"
        if self.options["prune"] and (not self._one_deal or game.tree.shares_rows):
            raise UsageError("option prune goes with sampling=chance, in games whose players move in turn (accepted: 0)")
        if self._one_deal and len(chance_of(game)):
            raise UsageError(f"option sampling=chance: chance moves within {game.spec} (accepted: {', '.join(SCHEMES)})")
        shape = game.form.cell.shape if self._one_deal else (game.tree.rows + len(chance_of(game)), len(game.actions))
        wide = table_type(max(shape[0], game.size[2]))
        verify_memory(2 * int(np.prod(shape)) * wide.itemsize, f"{name} on {game.spec}")
        self._regret, self._average = np.zeros(shape, wide), np.zeros(shape, wide)
        if not self._one_deal:
            self._regret[game.tree.rows :] = chance_of(game)  # these rows are drawn from and never learn
        self._generators, self._dealers = seeded(self.seed, 2 * self.threads).reshape(2, self.threads, 4)

    def tables(self) -> dict[str, Array]:
        learned = {"regret": self._regret, "average": self._average}
        return {**learned, "generators": self._generators, "dealers": self._dealers}

    @cached_property
    def _max_visits(self) -> int:
        return kernels.max_visits(self.game.tree.child, self.game.tree.player, self.game.players)

    def _visits(self) -> kernels.Visits:
        """Return scratch for one thread's walks."""
        nodes, actions = self._max_visits, len(self.game.actions)
        node, child, slot = np.zeros((3, nodes), np.int32)
        value, sampled, others, own = np.ones((4, nodes))
        row, policy = np.zeros(nodes, np.int64), np.zeros((nodes, actions))
        return kernels.Visits(node, row, child, slot, policy, value, sampled, others, own, np.zeros(actions))

    def _advance(self, count: int) -> int:
        return on_threads(self._work, self.threads, count)

    def _work(self, thread: int, count: int) -> int:
        generator, dealer = padded_copy(self._generators[thread]), padded_copy(self._dealers[thread])
        visited = self._sweep(generator, count) if self._one_deal else self._walk(generator, dealer, count)
        self._generators[thread], self._dealers[thread] = generator, dealer
        return visited

    def _sweep(self, generator: Array, count: int) -> int:
        """Run `count` iterations of chance sampling."""
        game, prune = self.game, self.options["prune"]
        state = State(self._regret, self._average, *(np.ones_like(self._regret) for _ in range(4)))
        tables = (game.form, game.one_deal, game.walk, state, generator)
        if prune:
            return one_deal.iterate_pruned(*tables, self.iterations, count, prune)
        return one_deal.iterate(*tables, count)

    def _walk(self, generator: Array, dealer: Array, count: int) -> int:
        """Run `count` iterations of external or outcome sampling."""
        game, visits, visited = self.game, self._visits(), 0
        tables = kernels.Tables(self._regret, self._average)
        how = (SCHEMES[self.options["sampling"]], self.options["epsilon"], tables, visits, generator)
        sampler = DealSampler(game, DEALS)
        for some in batches(count * game.players, DEALS // game.players * game.players):  # all players, in turn
            bucket, outcome, deals = sampler.sample(some, dealer)
            visited += kernels.walk_deals(game.walk, bucket, outcome, deals, *how)
        return visited

    def policy(self) -> Policy:
        return self._read(self._average)

    def current_policy(self) -> Policy:
        return self._read(np.maximum(self._regret, 0))

    def _read(self, weights: Array) -> Policy:
        if self._one_deal:
            return Policy.from_realisation_plan(self.game, weights, self.card)
        return Policy.from_weights(self.game, weights[: self.game.tree.rows], self.card)

"""Learning in freezeouts, as epfl2020 does: first against a pool of scripted players, then against frozen copies of oneself.

One iteration is one hand of a freezeout of ten, with chips kept from hand to hand. Of every freezeout the learner is player 0; the
other is drawn when it begins. After `mirror` hands a share of the freezeouts is played against a copy of what has been learned,
renewed every `renew` hands.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from functools import cached_property
from math import sqrt
from pathlib import Path
from typing import ClassVar

import numpy as np

from smoothcall.agents.batch_policy import Table
from smoothcall.agents.files import load
from smoothcall.agents.q_networks import Exploring
from smoothcall.agents.scripted import FINAL_POOL, FIRST_POOL, Scripted
from smoothcall.agents.stack_policies import Tabled
from smoothcall.agents.tabulated import TabulatedPolicy
from smoothcall.errors import UsageError
from smoothcall.games.rules import PokerRules
from smoothcall.information.game import Game
from smoothcall.kernels.learners import memory as kernels
from smoothcall.kernels.random import seeded
from smoothcall.kernels.simulation.freezeouts import draw_opponents
from smoothcall.kernels.simulation.observations import OBSERVATION
from smoothcall.kernels.tables import Array
from smoothcall.learners.memory import new_ring
from smoothcall.options import Option
from smoothcall.policy import Policy
from smoothcall.simulation.batch import by_name
from smoothcall.simulation.batch_policy import BatchPolicy
from smoothcall.simulation.freezeouts import LENGTH, ROLLOUTS, FreezeoutEnv
from smoothcall.solvers.base import Solver, Winnings

POOLS = {"first": FIRST_POOL, "final": FINAL_POOL, "all": tuple(dict.fromkeys((*FIRST_POOL, *FINAL_POOL)))}


class FreezeoutLearner(Solver):
    """What the learners of epfl2020 have in common."""

    OPTIONS: ClassVar[dict[str, Option]] = {
        "pool": Option(
            "all", "which scripted players to learn against: the paper's first, its final ones, or both", choices=tuple(POOLS)
        ),
        "against": Option("pool", "whom to learn against: the pool, or an agent file", kind=Path),
        "mirror": Option(3e6, "hands after which mirror training begins", low=0, high=1e15),
        "renew": Option(500_000.0, "hands after which the copy is renewed", low=1, high=1e15),
        "share": Option(0.5, "of the freezeouts that are played against the copy then", low=0, high=1),
        "freezeouts": Option(2048, "freezeouts played at once", low=1, high=100_000),
        "length": Option(LENGTH, "hands of a freezeout", low=1, high=10_000),
        "rollouts": ROLLOUTS,
        "explore": Option(0.1, "how often any move is tried, at the start", low=0, high=1),
        "fade": Option(1e6, "hands after which exploration falls as 1 / sqrt(hands)", low=1, high=1e15),
        "memory": Option(200_000, "moves that are remembered", low=1, high=10**8),
    }

    def __init__(self, name: str, game: Game, *, seed: int = 0, threads: int = 1, options: Mapping[str, object]) -> None:
        super().__init__(name, game, seed=seed, threads=threads, options=options)
        rules, chosen = game.rules, self.options
        if not isinstance(rules, PokerRules) or game.abstraction is None or game.abstraction.cells != "equity":
            raise UsageError(f"{name} learns a game whose players see equities, such as no-limit-holdem-32, not {game.spec}")
        self.table = Table.of(rules)
        # of deals, moves, opponents, the learner's own draws; of simulated rollouts, where there are any
        self._generators = seeded(self.seed, 5 if chosen["rollouts"] else 4)
        self.env = FreezeoutEnv(
            rules, count=chosen["freezeouts"], length=chosen["length"], generators=self._generators, rollouts=chosen["rollouts"]
        )
        self._verify_memory(chosen["freezeouts"] * self.env.stack_trees.depth)
        self._pool = self._opponents(chosen["against"])
        self._ring = new_ring(1, chosen["memory"], OBSERVATION, np.float32)
        self._counts = np.zeros(4, np.int64)  # hands ended, moves made, moves learned from, copies made
        self.earned = np.zeros(2)  # chips won, and freezeouts ended: see `won`
        self._whose = np.array([0, *[-1] * (len(self._pool) + 1)], np.int8)  # memory of each batch policy
        self._begin()
        self._mirror = self._policy_of(self._copy)

    def _verify_memory(self, least: int) -> None:
        """No move may be forgotten before it is learned from: all hands may end at once."""
        if self.options["memory"] < least:
            raise UsageError(f"option memory={self.options['memory']} (accepted with these options: at least {least})")

    def _opponents(self, against: str) -> list[BatchPolicy]:
        if against == "pool":
            return [Scripted(each, self.table) for each in POOLS[self.options["pool"]]]
        policy = load(against)
        if policy.game.rules != self.game.rules:
            raise UsageError(f"{against!r} plays {policy.game.spec}, not {self.game.spec}")
        if isinstance(policy, TabulatedPolicy):
            return [policy.batch_policy]
        if self.options["length"] != 1:
            raise UsageError(
                f"{against!r} knows hands with full stacks only (accepted: length=1, or an agent that plays freezeouts)"
            )
        return [Tabled(self.env.stack_trees, {self.env.start: policy})]

    # What a learner adds

    @abstractmethod
    def _begin(self) -> None:
        """Make what `_learned` holds."""

    @abstractmethod
    def _learn(self, fresh: int) -> int:
        """Learn from the memory, in which so many moves are new; returns of how many of these it has made use."""

    @abstractmethod
    def _learned(self) -> dict[str, Array]:
        """By name, the arrays that hold what has been learned."""

    @abstractmethod
    def _policy_of(self, learned: Mapping[str, Array]) -> BatchPolicy:
        """The batch policy that such arrays make."""

    # What they have in common

    def batch_policy(self) -> BatchPolicy:
        """What has been learned so far."""
        return self._policy_of({name: table.copy() for name, table in self._learned().items()})

    def _acting(self) -> BatchPolicy:
        """What plays while it learns, but for its trials."""
        return self._policy_of(self._learned())

    def _places(self, fresh: int, count: int) -> Array:
        """Where the first `count` of so many fresh moves are in the memory, in the order they were made."""
        places: Array = (int(self._ring.total[0]) - fresh + np.arange(count)) % self.options["memory"]
        return places

    def tables(self) -> dict[str, Array]:
        copy = {f"copy {name}": table for name, table in self._copy.items()}
        memory = by_name(memory=self._ring)
        rest = {"counts": self._counts, "earned": self.earned, "generators": self._generators}
        return {**self._learned(), **copy, **memory, **self.env.tables(), **rest}

    @cached_property
    def _copy(self) -> dict[str, Array]:
        """What had been learned when the copy was last renewed."""
        return {name: table.copy() for name, table in self._learned().items()}

    def _advance(self, count: int) -> int:
        before, goal = int(self._counts[1]), self.iterations + count
        while self._counts[0] < goal:
            self._turn()
        return int(self._counts[1]) - before

    def _turn(self) -> None:
        """One move in every freezeout, and what is learned from those that ended with it."""
        chosen, env, hands = self.options, self.env, int(self._counts[0])
        if self._counts[3] < max(0.0, (hands - chosen["mirror"]) // chosen["renew"] + 1):
            self._renew()
        draw_opponents(env.freezeouts, self._shares(), self._generators[2])
        env.sit()
        env.batch.begin()
        env.move([Exploring(self._acting(), self.table, self._explored), *self._pool, self._mirror])
        kernels.remember(env.batch.hands, self._whose, self._ring)
        self._counts[0] += env.settle()
        self._counts[1] += len(env.batch)
        ended = ~np.isnan(env.gain)
        self.earned += (env.gain[ended].sum(), ended.sum())
        self._counts[2] += self._learn(int(self._ring.total[0] - self._counts[2]))

    @property
    def _explored(self) -> float:
        """How often any move is tried now."""
        explored: float = self.options["explore"] / sqrt(1 + int(self._counts[0]) / self.options["fade"])
        return explored

    def _renew(self) -> None:
        for name, table in self._learned().items():
            self._copy[name][...] = table
        self._counts[3] += 1
        self._mirror = self._policy_of(self._copy)

    def _restored(self) -> None:
        self._mirror = self._policy_of(self._copy)

    @property
    def won(self) -> Winnings:
        chips, ended = self.earned.tolist()
        return Winnings((chips,), int(ended), "freezeout")

    def _shares(self) -> Array:
        """[batch policies] how often each is met; the learner itself is the first, its copy the last."""
        share = self.options["share"] if self._counts[3] else 0.0
        return np.array([0.0, *[(1 - share) / len(self._pool)] * len(self._pool), share])

    def policy(self) -> Policy:
        """What has been learned, as it plays a hand with full stacks against somebody unknown."""
        return TabulatedPolicy(self.game, self.batch_policy(), self.card)

    def current_policy(self) -> Policy:
        return self.policy()

"""Learning in freezeouts as in epfl2020: first against a pool of scripted players, then also against a frozen copy of the
learner.

One iteration is one hand of a freezeout, in which chips are kept from hand to hand. The learner is player 0 of every
freezeout; the opponent is sampled when a freezeout begins. After `mirror` hands a `share` of the freezeouts is played
against the copy, which is renewed every `renew` hands.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from functools import cached_property
from math import sqrt
from typing import ClassVar

import numpy as np

from smoothcall.agents.batch_wrappers import Table
from smoothcall.agents.q_networks import Exploring
from smoothcall.agents.scripted import FINAL_POOL, FIRST_POOL, Scripted
from smoothcall.agents.tabulated import TabulatedPolicy
from smoothcall.errors import UsageError
from smoothcall.games.rules import PokerRules
from smoothcall.information.game import Game
from smoothcall.kernels.learners import memory as kernels
from smoothcall.kernels.random import seeded
from smoothcall.kernels.simulation.freezeouts import draw_opponents
from smoothcall.kernels.simulation.observations import OBSERVATION
from smoothcall.kernels.tables import Array
from smoothcall.learners.experience import EPISODES, MOVES, TurnLearner
from smoothcall.learners.memory import new_ring
from smoothcall.learners.opponents import freezeout_opponent
from smoothcall.options import Option
from smoothcall.policy import Policy
from smoothcall.simulation.batch import Batch, by_name
from smoothcall.simulation.batch_policy import BatchPolicy
from smoothcall.simulation.freezeouts import LENGTH, ROLLOUTS, FreezeoutEnv
from smoothcall.solvers.base import Winnings

HANDS, LEARNED, COPIES = EPISODES, 2, 3  # counters beside MOVES: hands ended, moves learned from, copies made
POOL = "pool"
POOLS = {"first": FIRST_POOL, "final": FINAL_POOL, "all": tuple(dict.fromkeys((*FIRST_POOL, *FINAL_POOL)))}


class FreezeoutLearner(TurnLearner):
    """Base class of the learners of epfl2020."""

    ANY_RAISE: ClassVar[bool] = False  # whether exploration makes raises that are none of the six moves
    OPTIONS: ClassVar[dict[str, Option]] = {
        "pool": Option(
            "all", "the scripted players of the pool: the paper's first, its final ones, or both", choices=tuple(POOLS)
        ),
        "against": Option(
            POOL,
            "the opponent: the pool of scripted players, or an agent (an object; on the command line an agent file)",
            choices=(POOL,),
            objects="an agent",
        ),
        "mirror": Option(3e6, "hands before mirror training begins", low=0, high=1e15),
        "renew": Option(500_000.0, "hands between renewals of the copy", low=1, high=1e15),
        "share": Option(0.5, "fraction of freezeouts against the copy in mirror training", low=0, high=1),
        "freezeouts": Option(2048, "freezeouts played at once", low=1, high=100_000),
        "length": Option(LENGTH, "hands of a freezeout", low=1, high=10_000),
        "rollouts": ROLLOUTS,
        "explore": Option(0.1, "probability of a random move, at the start", low=0, high=1),
        "fade": Option(1e6, "hands after which exploration falls as 1 / sqrt(hands)", low=1, high=1e15),
        "memory": Option(200_000, "size of the circular memory of moves", low=1, high=10**8),
    }

    def __init__(self, name: str, game: Game, *, seed: int = 0, threads: int = 1, options: Mapping[str, object]) -> None:
        super().__init__(name, game, seed=seed, threads=threads, options=options)
        rules, chosen = game.rules, self.options
        if not isinstance(rules, PokerRules) or game.abstraction is None or game.abstraction.cells != "equity":
            raise UsageError(f"{name} learns a game whose players see equities, such as no-limit-holdem-32, not {game.spec}")
        self.table = Table.of(rules)
        # generators of deals, moves, opponents and the learner's own samples; of simulated rollouts, if there are any
        self._generators = seeded(self.seed, 5 if chosen["rollouts"] else 4)
        self.env = FreezeoutEnv(
            rules, count=chosen["freezeouts"], length=chosen["length"], generators=self._generators, rollouts=chosen["rollouts"]
        )
        self._verify_memory(chosen["freezeouts"] * self.env.stack_trees.depth)
        self._pool = self._opponents(chosen["against"])
        self._ring = new_ring(1, chosen["memory"], OBSERVATION, np.float32)
        self._counts = np.zeros(4, np.int64)  # HANDS, MOVES, LEARNED, COPIES
        self.earned = np.zeros(2)  # chips won, freezeouts ended
        self._memory_of = np.array([0, *[-1] * (len(self._pool) + 1)], np.int8)  # ring of each policy; -1: none
        self._begin()
        self._mirror = self._policy_of(self._copy)

    def _verify_memory(self, least: int) -> None:
        """Verify that no move is overwritten before it is learned from, even if all hands end at once."""
        if self.options["memory"] < least:
            raise UsageError(f"option memory={self.options['memory']} (accepted with these options: at least {least})")

    def _opponents(self, against: Policy | BatchPolicy | str) -> list[BatchPolicy]:
        if isinstance(against, str):
            return [Scripted(each, self.table) for each in POOLS[self.options["pool"]]]
        return [freezeout_opponent(against, self.game, length=self.options["length"], with_cards=False)]

    # Implemented by each learner

    @abstractmethod
    def _begin(self) -> None:
        """Create the arrays of `_learned`."""

    @abstractmethod
    def _learn(self, fresh: int) -> int:
        """Learn from the memory, whose last `fresh` moves are new; return how many of these were used."""

    @abstractmethod
    def _learned(self) -> dict[str, Array]:
        """Return by name the arrays that hold what has been learned."""

    @abstractmethod
    def _policy_of(self, learned: Mapping[str, Array]) -> BatchPolicy:
        """Return the batch policy of such arrays."""

    # Common to all

    def batch_policy(self) -> BatchPolicy:
        """Return the learned batch policy, with its own copies of the arrays."""
        return self._policy_of({name: table.copy() for name, table in self._learned().items()})

    def _acting(self) -> BatchPolicy:
        """Return the batch policy that plays while it learns, without exploration."""
        return self._policy_of(self._learned())

    def _places(self, fresh: int, count: int) -> Array:
        """Return the places in the memory of the first `count` of the `fresh` moves, in the order they were made."""
        places: Array = (int(self._ring.total[0]) - fresh + np.arange(count)) % self.options["memory"]
        return places

    def tables(self) -> dict[str, Array]:
        memory = by_name(memory=self._ring)
        return {**self._playing(), "earned": self.earned, **memory, **self.env.tables(), "generators": self._generators}

    def _playing(self) -> dict[str, Array]:
        """Return by name the tables that determine how it plays, beside the hands in play."""
        copy = {f"copy {name}": table for name, table in self._copy.items()}
        return {**self._learned(), **copy, "counts": self._counts}

    def acting(self) -> dict[str, Array]:
        return {name: table.copy() for name, table in self._playing().items()}

    def act_with(self, acting: Mapping[str, Array]) -> None:
        for name, table in self._playing().items():
            table[...] = acting[name]
        self._restored()

    def in_play(self) -> dict[str, Array]:
        return {**self.env.in_play(), "generators": self._generators}

    @property
    def _hands_in_play(self) -> Batch:
        return self.env.batch

    def _counters(self) -> dict[str, Array]:
        return {"counts": self._counts, "earned": self.earned}

    @cached_property
    def _copy(self) -> dict[str, Array]:
        """The learned arrays at the last renewal of the copy."""
        return {name: table.copy() for name, table in self._learned().items()}

    def begin_turn(self) -> None:
        """Renew the copy where that is due."""
        hands = int(self._counts[HANDS])
        if self._counts[COPIES] < max(0.0, (hands - self.options["mirror"]) // self.options["renew"] + 1):
            self._renew()

    def _play_turn(self) -> None:
        env = self.env
        draw_opponents(env.freezeouts, self._shares(), self._generators[2])
        env.sit()
        env.batch.begin()
        explorer = Exploring(self._acting(), self.table, self._exploration, self.ANY_RAISE)
        env.move([explorer, *self._pool, self._mirror])
        kernels.remember(env.batch.hands, self._memory_of, self._ring)
        self._counts[HANDS] += env.settle()
        self._counts[MOVES] += len(env.batch)
        ended = ~np.isnan(env.gain)
        self.earned += (env.gain[ended].sum(), ended.sum())

    def _make_updates(self) -> None:
        self._counts[LEARNED] += self._learn(int(self._ring.total[0] - self._counts[LEARNED]))

    @property
    def _exploration(self) -> float:
        """The probability of a random move now."""
        probability: float = self.options["explore"] / sqrt(1 + int(self._counts[HANDS]) / self.options["fade"])
        return probability

    def _renew(self) -> None:
        for name, table in self._learned().items():
            self._copy[name][...] = table
        self._counts[COPIES] += 1
        self._mirror = self._policy_of(self._copy)

    def _restored(self) -> None:
        self._mirror = self._policy_of(self._copy)

    @property
    def won(self) -> Winnings:
        chips, ended = self.earned.tolist()
        return Winnings((chips,), int(ended), "freezeout")

    def _shares(self) -> Array:
        """Return how often each policy is sampled as the opponent; the learner is the first, its copy the last."""
        share = self.options["share"] if self._counts[COPIES] else 0.0
        return np.array([0.0, *[(1 - share) / len(self._pool)] * len(self._pool), share])

    def policy(self) -> Policy:
        """Return what has been learned, tabulated for a hand with full stacks against an unknown opponent."""
        return TabulatedPolicy(self.game, self.batch_policy(), self.card)

    def current_policy(self) -> Policy:
        return self.policy()

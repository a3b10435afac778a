"""UCT and Smooth UCT by self-play over information states (Heinrich and Silver 2014, as macmanus2019 plays Leduc).

Each player has a search tree of information states; an episode is one hand. UCT selects by upper confidence bounds and never
settles down where equilibria are mixed; Smooth UCT selects so only some of the time and else plays its average policy, as in
fictitious play, and comes close to an equilibrium. The average policy are the visit counts; the current one, the greedy
policy, takes the action of the highest mean return.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

import numpy as np

from smoothcall.errors import UsageError
from smoothcall.games.matrix import MatrixGame
from smoothcall.information.game import Game
from smoothcall.kernels import uct as kernels
from smoothcall.kernels.random import seeded
from smoothcall.kernels.tables import Array
from smoothcall.options import Option
from smoothcall.policy import Policy, load
from smoothcall.solvers.base import Solver, apart, on_threads

SCHEDULES = {"constant": kernels.CONSTANT, "decay": kernels.DECAY, "greatest": kernels.GREATEST, "slow": kernels.SLOW}
EXPLORE = ("constant", "pot")


def options(mixing: str, eta0: float) -> dict[str, Option]:
    """The options of the search; its members differ in how often they select by bounds."""
    return {
        "mixing": Option(
            mixing,
            "how often bounds select: constant (eta0), decay (max of gamma and eta0 / (1 + d sqrt N)), "
            "greatest (the largest probability of the average policy), slow (0.9 * 10000 / (10000 + sqrt N))",
            choices=tuple(SCHEDULES),
        ),
        "eta0": Option(eta0, "how often at the start (decay) or always (constant)", low=0, high=1),
        "gamma": Option(0.01, "decay: at least so often", low=0, high=1),
        "d": Option(0.002, "decay: how fast", low=0, high=1e9),
        "patience": Option(0, "visits below which a state plays its average policy only", low=0),
        "explore": Option("constant", "width of the bounds: c, or pot + k * what may still be bet, by street", choices=EXPLORE),
        "c": Option(None, "constant width; none: the most that can be won in a hand", low=0, high=1e9, kind=float),
        "k": Option(0.5, "pot: how much of the remaining betting counts", low=0, high=1),
        "against": Option("self", "whom to learn against: self, random, or an agent file", kind=Path),
        "learner": Option(0, "the player who learns, unless against itself", low=0),
    }


class UCT(Solver):
    """One iteration is one episode: a sampled hand."""

    THREADS: ClassVar[str] = "threads learn from each other without locks, so results are not bit-reproducible"
    OPTIONS: ClassVar[dict[str, Option]] = options("constant", 1.0)

    def __init__(self, name: str, game: Game, *, seed: int = 0, threads: int = 1, options: Mapping[str, object]) -> None:
        super().__init__(name, game, seed=seed, threads=threads, options=options)
        chosen = self.options
        against = chosen["against"]
        game.verify_player(chosen["learner"])
        self._fixed = self._opponent(against).table
        self._learners = (1 << game.players) - 1 if against == "self" else 1 << chosen["learner"]
        self._mixing = kernels.Mixing(
            SCHEDULES[chosen["mixing"]], chosen["eta0"], chosen["gamma"], chosen["d"], float(chosen["patience"])
        )
        self._choices = choices(game, exploration(game, chosen["explore"], chosen["c"], chosen["k"]))
        self._visits = np.zeros((self.threads, *game.legal.shape))  # learned by each thread
        self._returns = np.zeros_like(self._visits)
        self._trees = [self._tree(thread) for thread in range(self.threads)]
        self._earned = np.zeros((self.threads, game.players))
        self._generators = seeded(self.seed, self.threads)

    def _tree(self, thread: int) -> kernels.Tree:
        """A thread's tree: alone, on the tables themselves; beside others, on copies."""
        legal, rows = self.game.legal, len(self.game.legal)
        alone = self.threads == 1
        return kernels.Tree(
            visits=self._visits[thread] if alone else np.zeros(legal.shape),
            returns=self._returns[thread] if alone else np.zeros(legal.shape),
            mean=np.where(legal, 0.0, -np.inf),
            narrow=np.where(legal, np.inf, 0.0),
            total=np.zeros(rows),
            wide=np.zeros(rows),
            share=np.zeros(rows),
        )

    def _opponent(self, against: str) -> Policy:
        if against in ("self", "random"):
            return Policy.uniform(self.game)
        return load(against, self.game)

    def tables(self) -> dict[str, Array]:
        return {
            "visits": self._visits, "returns": self._returns, "earned": self._earned, "generators": self._generators
        }  # fmt: skip

    def _restored(self) -> None:
        self._trees = [self._tree(thread) for thread in range(self.threads)]
        kernels.refresh(self._trees[0], self._mixing)

    @property
    def earned(self) -> Array:
        """[P] chips each player has won over all episodes."""
        total: Array = self._earned.sum(axis=0)
        return total

    def _advance(self, count: int) -> int:
        return on_threads(self._search, self.threads, count)

    def _search(self, thread: int, count: int) -> int:
        earned, generator = apart(self._earned[thread]), apart(self._generators[thread])
        tree, walk = self._trees[thread], self.game.walk
        how = (tree, self._choices, self._mixing, self._fixed, self._learners, earned, generator, count)
        if self.threads == 1:
            visited = kernels.iterate(walk, *how)
        else:
            visited = kernels.iterate_together(walk, self._visits, self._returns, thread, self.iterations, *how)
        self._earned[thread], self._generators[thread] = earned, generator
        return visited

    def policy(self) -> Policy:
        """The average policy: visit counts. Players who do not learn keep what they play."""
        return self._with_fixed(Policy.from_weights(self.game, self._visits.sum(axis=0), self.card))

    def current_policy(self) -> Policy:
        """The greedy policy: the action of the highest mean return; uniform at states never visited."""
        visits, returns = self._visits.sum(axis=0), self._returns.sum(axis=0)
        mean = np.where(visits > 0, returns / np.where(visits > 0, visits, 1.0), -np.inf)
        best = (mean == mean.max(axis=1, keepdims=True)) & (visits > 0)
        first = best & (best.cumsum(axis=1) == 1)
        return self._with_fixed(Policy.from_weights(self.game, first.astype(np.float64), self.card))

    def _with_fixed(self, learned: Policy) -> Policy:
        mine = (self._learners >> self.game.row_player.astype(np.int64)) & 1
        return Policy(self.game, np.where(mine[:, None] == 1, learned.table, self._fixed), learned.card)


class SmoothUCT(UCT):
    OPTIONS: ClassVar[dict[str, Option]] = options("decay", 0.9)


def choices(game: Game, explore: Array) -> kernels.Choices:
    """What the kernel reads of each node besides the walk."""
    legal = game.tree.child >= 0
    return kernels.Choices(
        np.argsort(~legal, axis=1, kind="stable").astype(np.uint32), legal.sum(axis=1).astype(float), explore
    )


def exploration(game: Game, kind: str, c: float | None, k: float) -> Array:
    """[N] the width of the bounds at each node: a constant, or set at the start of each street (heinrich2014, (5))."""
    tree = game.tree
    if kind == "pot" and isinstance(game.rules, MatrixGame):
        raise UsageError(f"option explore=pot: {game.spec} has no pot (accepted: constant)")
    if kind == "constant":
        width = float(game.ending_payoff[1].max()) if c is None else c
        return np.full(len(tree.kind), width)
    pot = tree.paid.sum(axis=1).astype(np.float64)
    largest = pot.copy()
    widths = np.empty(len(pot))
    for node in range(len(pot) - 1, 0, -1):
        largest[tree.parent[node]] = max(largest[tree.parent[node]], largest[node])
    for node in range(len(pot)):
        parent = tree.parent[node]
        same_street = parent >= 0 and tree.round[parent] == tree.round[node]
        widths[node] = widths[parent] if same_street else pot[node] + k * (largest[node] - pot[node])
    return widths

"""UCT and Smooth UCT by self-play over information states (Heinrich and Silver 2014, as macmanus2019 plays Leduc).

Each player has a search tree of information states; an episode is one hand. UCT selects by upper confidence bounds and never
settles down where equilibria are mixed; Smooth UCT selects so only some of the time and else plays its average policy, as in
fictitious play, and comes close to an equilibrium. The average policy are the visit counts; the current one, the greedy
policy, takes the action of the highest mean return.

What a fold costs is known: what its player has paid. So no fold is played to learn it, and every visit of a state counts as one
of its fold; only states seldom seen do not fold at all. `folds=sampled` is the documents' way, where a fold is tried like any
other action, by every hand in every state, and each try stays in the average.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from smoothcall.errors import UsageError
from smoothcall.games.matrix import MatrixGame
from smoothcall.information.game import Game
from smoothcall.kernels.information.quantised import greedy_rows
from smoothcall.kernels.random import seeded
from smoothcall.kernels.solvers import uct as kernels
from smoothcall.kernels.tables import CALL, FOLD_SLOT, Array
from smoothcall.memory import verify_memory
from smoothcall.options import Option
from smoothcall.policy import Policy
from smoothcall.solvers.base import Solver, Winnings, apart, on_threads, width

SCHEDULES = {"constant": kernels.CONSTANT, "decay": kernels.DECAY, "greatest": kernels.GREATEST, "slow": kernels.SLOW}
EXPLORE = ("constant", "pot")
FOLDS = ("exact", "sampled")
SHARED = 100_000  # rows up to which threads learn in parts of their own; in larger tables they seldom meet


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
        "folds": Option(
            "exact",
            "what a fold costs: known, so that none is played to learn it, or tried like any action, as the documents have it",
            choices=FOLDS,
        ),
        "against": Option(
            "self",
            "whom to learn against: the learners themselves, uniform random play, or a fixed agent (a Policy; on the command line "
            "an agent file)",
            choices=("self", "random"),
            objects="an agent",
        ),
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
        self._fixed = self._opponent(against)
        self._learners = (1 << game.players) - 1 if against == "self" else 1 << chosen["learner"]
        rows, actions = game.tree.rows, len(game.actions)
        self._together = (
            self.threads > 1 and rows <= SHARED and not game.sampled
        )  # threads have parts of their own, see `kernels.solvers.threads`
        wide = width(rows)
        self._known = FOLD_SLOT if chosen["folds"] == "exact" and not isinstance(game.rules, MatrixGame) else -1
        self._mixing = kernels.Mixing(
            SCHEDULES[chosen["mixing"]], chosen["eta0"], chosen["gamma"], chosen["d"], float(chosen["patience"]),
            self._known, np.inf if wide == np.float64 else 2.0**23,
        )  # fmt: skip
        verify_memory(
            rows * (3 * actions + 2) * wide.itemsize * (self.threads if self._together else 1), f"{name} on {game.spec}"
        )
        explore = exploration(game, chosen["explore"], chosen["c"], chosen["k"])
        self._nodes = decision_records(game, explore, self._known)
        parts = (self.threads if self._together else 0, rows, actions)
        self._visits, self._returns = np.zeros(parts), np.zeros(parts)
        self._trees = [self._tree() for _ in range(self.threads if self._together else 1)]
        self._earned = np.zeros((self.threads, game.players))
        self._generators, self._dealers = seeded(self.seed, 2 * self.threads).reshape(2, self.threads, 4)

    def _tree(self) -> Array:
        rows, actions = self.game.tree.rows, len(self.game.actions)
        tree = np.empty((rows, 3 * actions + 2), width(rows))
        self._plant(tree)
        return tree

    def _plant(self, tree: Array) -> None:
        kernels.plant(tree, *self.game.node_rows, self.game.tree.player, self.game.tree.paid, self._mixing)

    def _opponent(self, against: object) -> Policy | None:
        """Return the policy of the players who do not learn; None where all learn."""
        if isinstance(against, Policy):
            against.verify_game(self.game)
            return against
        if against not in ("self", "random"):
            raise UsageError(f"option against={against!r} (accepted: {self.OPTIONS['against'].accepted})")
        return None if against == "self" else Policy.uniform(self.game)

    def tables(self) -> dict[str, Array]:
        record, actions = self._trees[0], len(self.game.actions)
        learned = {"visits": record[:, :actions], "mean": record[:, actions : 2 * actions]}
        parts = {"visits": self._visits, "returns": self._returns}
        rest = {"earned": self._earned, "generators": self._generators, "dealers": self._dealers}
        return {**(parts if self._together else learned), **rest}

    def _restored(self) -> None:
        if not self._together:
            kernels.refresh(self._trees[0], self._mixing)
        for tree in self._trees if self._together else ():
            self._plant(tree)

    @property
    def earned(self) -> Array:
        """[P] chips each player has won over all episodes."""
        total: Array = self._earned.sum(axis=0)
        return total

    @property
    def won(self) -> Winnings:
        return Winnings(tuple(self.earned.tolist()), self.iterations, "hand")

    def _advance(self, count: int) -> int:
        return on_threads(self._search, self.threads, count)

    def _search(self, thread: int, count: int) -> int:
        earned, generator, dealer = (apart(table[thread]) for table in (self._earned, self._generators, self._dealers))
        walk, tree = self.game.walk, self._trees[thread if self._together else 0]
        fixed = np.zeros((0, len(self.game.actions)), np.uint8) if self._fixed is None else self._fixed.weights
        scale = 1.0 if self._fixed is None else self._fixed.scale
        play = kernels.Play(self._learners, fixed, scale, earned, *np.zeros((3, self.game.depth + 1), np.uint64))
        how = (self._nodes, tree, self._mixing, play, generator, dealer, count)
        if self.game.abstraction is not None:
            visited = kernels.iterate_cards(walk, self.game.abstraction.cards, *how)
        elif self._together:
            visited = kernels.iterate_together(walk, self._visits, self._returns, thread, self.iterations, *how)
        else:
            visited = kernels.iterate(walk, *how)
        self._earned[thread], self._generators[thread], self._dealers[thread] = earned, generator, dealer
        return visited

    def _learned(self) -> tuple[Array, Array]:
        """([rows, A] visits, [rows, A] mean returns)"""
        if not self._together:
            tables = self.tables()
            return tables["visits"], tables["mean"]
        visits, returns = self._visits.sum(axis=0), self._returns.sum(axis=0)
        planted = self._trees[0][:, visits.shape[1] : 2 * visits.shape[1]]
        return visits, np.where(visits > 0, returns / np.maximum(visits, 1), planted)

    def policy(self) -> Policy:
        """The average policy: visit counts, and where a state has none, what is played there at random.

        Players who do not learn keep what they play.
        """
        unseen = np.ones(len(self.game.actions))
        if self._known >= 0:
            unseen[self._known] = 0
        return self._with_fixed(Policy.from_weights(self.game, self._learned()[0], self.card, unseen))

    def current_policy(self) -> Policy:
        """The greedy policy: the action of the highest mean return.

        In poker, states where some action was never tried check or call: of values that nothing is known about, or that one
        random roll-out told, folding is the worst guess. Large games have many such states beside the lines of self-play. Where
        folds are known, states with few visits do not fold, as in learning.
        """
        visits, mean = self._learned()
        parts = np.empty(visits.shape, np.uint8)
        unknown = -1 if isinstance(self.game.rules, MatrixGame) else CALL
        greedy_rows(mean, visits, *self.game.node_rows, self._known, kernels.FEW, unknown, parts)
        return self._with_fixed(Policy.from_weights(self.game, parts, {**self.card, "greedy": True}))

    def _with_fixed(self, learned: Policy) -> Policy:
        if self._fixed is None:
            return learned
        mine = (self._learners >> self.game.row_player.astype(np.int64)) & 1
        return Policy(self.game, np.where(mine[:, None] == 1, learned.weights, self._fixed.weights), learned.card)


class SmoothUCT(UCT):
    OPTIONS: ClassVar[dict[str, Option]] = options("decay", 0.9)


def decision_records(game: Game, explore: Array, known: int = -1) -> kernels.Nodes:
    """What the kernel reads of the decisions; explore[N]; the slot of an action whose value is known, or -1."""
    tree, actions = game.tree, len(game.actions)
    decisions = tree.decisions
    nodes = kernels.Nodes(
        np.zeros((len(decisions), kernels.SLOTS + 2 * actions), np.int32), np.zeros(len(decisions), np.float32)
    )
    number = np.full(tree.nodes, -1, np.int32)
    number[decisions] = np.arange(len(decisions))
    kernels.fill_records(tree.child, tree.player, tree.round, tree.first_row, game.settled[0], number, explore, known, nodes)
    return nodes


def exploration(game: Game, kind: str, c: float | None, k: float) -> Array:
    """[N] the width of the bounds at each node: a constant, or set at the start of each street (heinrich2014, (5))."""
    tree = game.tree
    if kind == "pot" and isinstance(game.rules, MatrixGame):
        raise UsageError(f"option explore=pot: {game.spec} has no pot (accepted: constant)")
    width = np.empty(tree.nodes, np.float32)
    if kind == "constant":
        width[:] = float(game.settled[1].max()) if c is None else c
    else:
        kernels.widths(tree.parent, tree.round, tree.paid, k, width)
    return width

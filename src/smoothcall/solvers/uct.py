"""UCT and Smooth UCT by self-play over information states (Heinrich and Silver 2014; macmanus2019 on Leduc).

Each player has a search tree of information states; an iteration is one episode, a sampled hand. UCT selects actions by upper
confidence bounds and does not settle down where equilibria are mixed. Smooth UCT does so with probability eta and otherwise
plays its average policy, as in fictitious play, and comes close to an equilibrium. The average policy is
proportional to the visit counts. The current policy is the greedy one: the action of the highest mean return.

The value of a fold is exact: what its player has paid is lost. So no fold is played to learn it, and every visit of a state
counts as one of its fold; states with few visits do not fold. With `folds=sampled`, as in the papers, a fold is tried like
any other action, and each try stays in the average.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from smoothcall.errors import UsageError, unknown
from smoothcall.games.matrix import MatrixGame
from smoothcall.information.dealing import DealSampler
from smoothcall.information.game import Game
from smoothcall.kernels.information.quantised import greedy_rows
from smoothcall.kernels.random import seeded
from smoothcall.kernels.solvers import uct as kernels
from smoothcall.kernels.solvers.uct_nodes import fill_records, pot_exploration
from smoothcall.kernels.tables import CALL, FOLD_SLOT, NO_SLOT, Array, read_only
from smoothcall.memory import verify_memory
from smoothcall.options import Option
from smoothcall.policy import Policy
from smoothcall.solvers.base import Solver, Winnings
from smoothcall.solvers.threads import DEALS, batches, on_threads, padded_copy, table_type

SCHEDULES = {"constant": kernels.CONSTANT, "decay": kernels.DECAY, "greatest": kernels.GREATEST, "slow": kernels.SLOW}
EXPLORE = ("constant", "pot")
FOLDS = ("exact", "sampled")
UNTRIED = ("call", "skip")  # rules of greedy policies for states where some action has no visits
MAX_SHARED_ROWS = 100_000  # up to which threads have tables of their own; in larger tables threads seldom meet
MAX_FLOAT32_VISITS = 2.0**23  # of an action: float32 counts to 2 ** 24


def options(mixing: str, eta0: float) -> dict[str, Option]:
    """Return the options of the search, with a mixing schedule as default."""
    return {
        "mixing": Option(
            mixing,
            "schedule of eta, the probability of selecting by upper confidence bounds: constant (eta0), decay (max of gamma "
            "and eta0 / (1 + d sqrt N)), greatest (the largest probability of the average policy), "
            "slow (0.9 * 10000 / (10000 + sqrt N))",
            choices=tuple(SCHEDULES),
        ),
        "eta0": Option(eta0, "constant: eta; decay: eta at the start", low=0, high=1),
        "gamma": Option(0.01, "decay: lower limit of eta", low=0, high=1),
        "d": Option(0.002, "decay: speed", low=0, high=1e9),
        "patience": Option(0, "visits below which a state plays its average policy only", low=0),
        "explore": Option(
            "constant",
            "exploration constant of the confidence bounds: c, or pot + k * the remaining betting at the start of each street",
            choices=EXPLORE,
        ),
        "c": Option(
            None, "constant: the exploration constant; none: the most that can be won in a hand", low=0, high=1e9, kind=float
        ),
        "k": Option(0.5, "pot: weight of the remaining betting", low=0, high=1),
        "folds": Option(
            "exact",
            "value of a fold: exact, so that no fold is played to learn it, or sampled like any action, as in the papers",
            choices=FOLDS,
        ),
        "against": Option(
            "self",
            "opponents: the learners themselves, uniform random play, or a fixed agent (a Policy; on the command line "
            "an agent file)",
            choices=("self", "random"),
            objects="an agent",
        ),
        "learner": Option(0, "the player who learns, unless against=self", low=0),
    }


class UCT(Solver):
    THREADS: ClassVar[str] = "threads learn from each other without locks, so results are not bit-reproducible"
    OPTIONS: ClassVar[dict[str, Option]] = options("constant", 1.0)

    def __init__(self, name: str, game: Game, *, seed: int = 0, threads: int = 1, options: Mapping[str, object]) -> None:
        super().__init__(name, game, seed=seed, threads=threads, options=options)
        chosen = self.options
        game.verify_player(chosen["learner"])
        self._fixed = self._opponent(chosen["against"])
        self._learners = (1 << game.players) - 1 if self._fixed is None else 1 << chosen["learner"]
        rows, actions = game.tree.rows, len(game.actions)
        self._per_thread = self.threads > 1 and rows <= MAX_SHARED_ROWS and not game.sampled  # see `kernels.solvers.threads`
        self._exact_fold = FOLD_SLOT if chosen["folds"] == "exact" and not isinstance(game.rules, MatrixGame) else NO_SLOT
        wide, trees = table_type(game.size[2]), self.threads if self._per_thread else 1
        self._mixing = kernels.Mixing(
            SCHEDULES[chosen["mixing"]], chosen["eta0"], chosen["gamma"], chosen["d"], float(chosen["patience"]),
            self._exact_fold, np.inf if wide == np.float64 else MAX_FLOAT32_VISITS,
        )  # fmt: skip
        verify_memory(rows * (3 * actions + 2) * wide.itemsize * trees, f"{name} on {game.spec}")
        self._nodes = decision_records(game, exploration(game, chosen["explore"], chosen["c"], chosen["k"]), self._exact_fold)
        shape = (self.threads if self._per_thread else 0, rows, actions)
        self._visits, self._returns = np.zeros(shape), np.zeros(shape)
        self._trees = [np.empty((rows, 3 * actions + 2), wide) for _ in range(trees)]
        self._clear()
        self._earned = np.zeros((self.threads, game.players))
        self._generators, self._dealers = seeded(self.seed, 2 * self.threads).reshape(2, self.threads, 4)

    def _clear(self) -> None:
        for tree in self._trees:
            kernels.clear(tree, *self.game.node_rows, self.game.tree.player, self.game.tree.paid, self._mixing)

    def _opponent(self, against: object) -> Policy | None:
        """Return the policy of the players who do not learn; None where all learn."""
        if isinstance(against, Policy):
            against.verify_game(self.game)
            return against
        if against not in ("self", "random"):
            raise UsageError(f"option against={against!r} (accepted: {self.OPTIONS['against'].accepted})")
        return None if against == "self" else Policy.uniform(self.game)

    def tables(self) -> dict[str, Array]:
        rest = {"earned": self._earned, "generators": self._generators, "dealers": self._dealers}
        if self._per_thread:
            return {"visits": self._visits, "returns": self._returns, **rest}
        record, actions = self._trees[0], len(self.game.actions)
        return {"visits": record[:, :actions], "mean": record[:, actions : 2 * actions], **rest}

    def _restored(self) -> None:
        if self._per_thread:
            self._clear()  # a tree is renewed from the tables of all threads before it is used
        else:
            kernels.derive(self._trees[0], self._mixing)

    def _restored_rows(self, rows: Mapping[str, Array]) -> None:
        if self._per_thread:
            self._restored()
        else:
            kernels.derive_rows(self._trees[0], rows["visits"], self._mixing)

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
        game, start, visited = self.game, self.iterations, 0
        sampler = DealSampler(game, DEALS)
        earned, generator, dealer = (padded_copy(table[thread]) for table in (self._earned, self._generators, self._dealers))
        none = np.zeros((0, len(game.actions)), np.uint8)
        fixed = read_only(none if self._fixed is None else self._fixed.weights)
        scale = 1.0 if self._fixed is None else self._fixed.scale
        play = kernels.Play(self._learners, fixed, scale, earned, *np.zeros((3, game.depth + 1), np.uint64))
        shared = kernels.Shared(self._visits, self._returns, *np.zeros((2, *self._visits.shape[1:])))
        how = (self._trees[thread if self._per_thread else 0], self._mixing, play, generator)
        for some in batches(count, DEALS):
            bucket, outcome, index = sampler.sample(some, dealer)
            deals = (self._nodes, game.walk.payoff, bucket, outcome, index)
            if self._per_thread:
                visited += kernels.play_shared(shared, thread, start, *deals, *how)
            else:
                visited += kernels.play_deals(*deals, *how)
            start += some * self.threads
        self._earned[thread], self._generators[thread], self._dealers[thread] = earned, generator, dealer
        return visited

    def _learned(self) -> tuple[Array, Array]:
        """Return ([rows, A] visits, [rows, A] mean returns in chips)."""
        if not self._per_thread:
            tables = self.tables()
            return tables["visits"], tables["mean"]
        visits, returns = self._visits.sum(axis=0), self._returns.sum(axis=0)
        unvisited = self._trees[0][:, visits.shape[1] : 2 * visits.shape[1]]
        return visits, np.where(visits > 0, returns / np.maximum(visits, 1), unvisited)

    def policy(self) -> Policy:
        """Return the average policy, the visit counts; at states without visits, the random policy played there.

        Players who do not learn keep their policy.
        """
        unseen = np.ones(len(self.game.actions))
        if self._exact_fold != NO_SLOT:
            unseen[self._exact_fold] = 0
        return self._with_fixed(Policy.from_weights(self.game, self._learned()[0], self.card, unseen))

    def current_policy(self) -> Policy:
        """Return the greedy policy: the action of the highest mean return.

        In poker, states where some action has no visits check or call: their means cannot be compared, and a fold is the worst
        guess. Large games have many such states off the lines of self-play. With exact fold values, states with few visits do
        not fold, as in learning.
        """
        return self.greedy_policy()

    def greedy_policy(self, untried: str = "call") -> Policy:
        """Return the greedy policy; where some action has no visits, it checks or calls (`untried="call"`), or takes the best
        of the actions that have some and, where there are none, any action at random (`untried="skip"`)."""
        if untried not in UNTRIED:
            raise unknown("rule for untried actions", untried, UNTRIED)
        visits, mean = self._learned()
        greedy = np.empty(visits.shape, np.uint8)
        fallback = NO_SLOT if isinstance(self.game.rules, MatrixGame) or untried == "skip" else CALL
        greedy_rows(mean, visits, *self.game.node_rows, self._exact_fold, kernels.MIN_FOLD_VISITS, fallback, greedy)
        return self._with_fixed(Policy.from_weights(self.game, greedy, {**self.card, "greedy": True}))

    def _with_fixed(self, learned: Policy) -> Policy:
        """Return what was learned with the rows of the fixed players replaced by their policy."""
        if self._fixed is None:
            return learned
        mine = (self._learners >> self.game.row_player.astype(np.int64)) & 1
        return Policy(self.game, np.where(mine[:, None] == 1, learned.weights, self._fixed.weights), learned.card)


class SmoothUCT(UCT):
    OPTIONS: ClassVar[dict[str, Option]] = options("decay", 0.9)


def decision_records(game: Game, explore: Array, exact_fold: int = NO_SLOT) -> kernels.Nodes:
    """Return the decisions as the kernel reads them. explore[N]; `exact_fold`: slot of the action with an exact value."""
    tree, actions = game.tree, len(game.actions)
    decisions = tree.decisions
    nodes = kernels.Nodes(
        np.zeros((len(decisions), kernels.SLOTS + 2 * actions), np.int32), np.zeros(len(decisions), np.float32)
    )
    number = np.full(tree.nodes, -1, np.int32)
    number[decisions] = np.arange(len(decisions))
    fill_records(tree.child, tree.player, tree.round, tree.first_row, game.settled[0], number, explore, exact_fold, nodes)
    return nodes


def exploration(game: Game, kind: str, c: float | None, k: float) -> Array:
    """Return [N] float32, the exploration constant at each node: c, or set at the start of each street (heinrich2014, (5))."""
    tree = game.tree
    if kind == "pot" and isinstance(game.rules, MatrixGame):
        raise UsageError(f"option explore=pot: {game.spec} has no pot (accepted: constant)")
    explore = np.empty(tree.nodes, np.float32)
    if kind == "constant":
        explore[:] = float(game.settled[1].max()) if c is None else c
    else:
        pot_exploration(tree.parent, tree.round, tree.paid, k, explore)
    return explore

"""The searches of macmanus2019: its games, its reward, its two search trees."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np

from smoothcall.experiments.macmanus2019.full_tree import FullTree
from smoothcall.games.rules import PokerRules
from smoothcall.information.game import Game
from smoothcall.information.named_games import game
from smoothcall.kernels.experiments import macmanus2019 as kernels
from smoothcall.kernels.random import seeded
from smoothcall.kernels.tables import Array
from smoothcall.policy import Policy

C, GAMMA, ETA0 = 18.0, 0.01, 0.9  # of the document, after Heinrich
DISCOUNT = 0.95  # of its program; its listing names a discount without a number
NO_CHECKS = "leduc:opening=bet-or-fold"


class PotGame(Game):
    """A poker game in which the winner's reward is the whole pot and the loser's is minus the pot (Section 4.2.3)."""

    @classmethod
    def named(cls, spec: str) -> PotGame:
        made = game(spec)
        assert isinstance(made.rules, PokerRules)
        return cls(made.rules, suits=made.options.get("suits", "merged"), options=made.options)

    @cached_property
    def settled(self) -> tuple[Array, Array]:
        """([N] int32 index, [endings, outcomes, P] float64 pots)."""
        index, chips = super().settled
        pots, ends = np.zeros(len(chips)), self.tree.endings
        pots[index[ends]] = self.tree.paid[ends].sum(axis=1)
        return index, np.sign(chips) * pots[:, None, None]

    @cached_property
    def histories(self) -> FullTree:
        return FullTree(self)


@dataclass(frozen=True, slots=True)
class Setting:
    """A game and the details of the search that its program has and its text has not."""

    label: str
    spec: str
    discount: float = 1.0
    both_trees: bool = False  # every step updates the trees of both players, see `kernels.search_both_trees`


LEDUC = Setting("Leduc hold'em, search as listed", "leduc:suits=apart")
PROGRAM = Setting("both trees updated: its program", f"{NO_CHECKS},showdown=starting-hands", DISCOUNT, both_trees=True)
LADDER = (  # from the text to the program, one change at a time
    LEDUC,
    Setting("no checks: bet or fold", f"{NO_CHECKS},suits=apart"),
    Setting("showdown by starting hands", PROGRAM.spec),
    Setting(f"discount {DISCOUNT:g}", PROGRAM.spec, DISCOUNT),
    PROGRAM,
)


@dataclass(frozen=True, slots=True)
class Method:
    """A column of the experiments."""

    label: str
    against: str = "self"  # or "random": experiment 1
    d: float | None = None  # Smooth UCT with this d; None: UCT


AGAINST_RANDOM = Method("UCT against a random player", against="random")
SELF_PLAY = Method("UCT by self-play")
SMOOTH = Method("Smooth UCT, d = 0.1", d=0.1)
SMOOTH_HEINRICH = Method("Smooth UCT, d = 0.002", d=0.002)
METHODS = (AGAINST_RANDOM, SELF_PLAY, SMOOTH, SMOOTH_HEINRICH)


class TreeSearch:
    """A search of the document, with a table of player 1 in each seat. An episode is a hand with player 1 in a random seat."""

    def __init__(self, played: PotGame, setting: Setting, method: Method, seed: int, **changes: Any) -> None:
        """`changes`: parameters of the search that are not those of the setting and the method."""
        rows, actions = played.legal.shape
        self.game, self.episodes, earned = played, 0, np.zeros(1)
        self.how = kernels.Search(
            c=C, smooth=method.d is not None, eta=ETA0, gamma=GAMMA, d=method.d or 0.0, discount=setting.discount,
            both_trees=setting.both_trees, self_play=method.against == "self",
        )._replace(**changes)  # fmt: skip
        self._listed = kernels.Tables(np.zeros((2, rows)), np.zeros((2, rows, actions)), np.zeros((2, rows, actions)), earned)
        shape = (2, played.histories.count if setting.both_trees else 0)
        self._trees = kernels.Trees(np.zeros(shape), np.zeros(shape), np.zeros(shape, bool), earned)
        self._path = np.zeros((played.depth + 3, 4), np.int64)
        self._generator = seeded(seed)[0]

    def run(self, episodes: int) -> None:
        if self.how.both_trees:
            listed = self.game.histories.listed
            kernels.search_both_trees(listed, self.how, self._trees, self._path, self._generator, episodes)
        else:
            kernels.search(self.game.walk, self.how, self._listed, self._path, self._generator, episodes)
        self.episodes += episodes

    @property
    def tables(self) -> kernels.Tables:
        """What was learned at the states of both players; in its program a tree has more nodes."""
        return self.game.histories.states(self._trees) if self.how.both_trees else self._listed

    @property
    def earned(self) -> float:
        """The rewards of player 1 over all episodes, in pots."""
        return float(self._listed.earned[0])

    def stochastic(self) -> Policy:
        """Return player 1's average policy, in both seats: the visits of the nodes behind the actions."""
        return Policy.from_weights(self.game, self._of_player_1(self.tables.visits))

    def deterministic(self) -> Array:
        """Return [rows, A] player 1's deterministic strategy, in both seats: the node of the highest value (Section 3.1.1).

        Rows of states that are not in the tree are all 0.
        """
        tables = self.tables
        visits, mean = self._of_player_1(tables.visits), self._of_player_1(tables.mean)
        order = np.roll(np.where(visits > 0, mean, -np.inf), -1, axis=1)  # of equals the first in the order c, r, f
        best = (order.argmax(axis=1) + 1) % mean.shape[1]
        chosen = np.zeros(mean.shape)
        chosen[np.arange(len(mean)), best] = visits.any(axis=1)
        return chosen

    def _of_player_1(self, table: Array) -> Array:
        """table[2, rows, A] by player 1's seat -> [rows, A]: the rows of each seat from when player 1 sat there."""
        found: Array = np.where(self.game.row_player[:, None] == 0, table[0], table[1])
        return found


def settings_of(setting: Setting, method: Method, **sizes: Any) -> dict[str, Any]:
    """Return the settings of a part, as data."""
    about = asdict(setting) | {f"method_{name}": value for name, value in asdict(method).items()}
    del about["label"], about["method_label"]
    return {**about, "reward": "pot", "c": C, "gamma": GAMMA, "eta0": ETA0, **sizes}

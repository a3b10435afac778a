"""A batch policy as a tabular policy: its probabilities at every information state of a game, computed on first use.

The table holds how it plays one hand with full stacks against an opponent of unknown habits.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from smoothcall.agents.batch_wrappers import Table
from smoothcall.agents.scripted import Scripted
from smoothcall.agents.serialization import to_data, verify_batch_policy, verify_game
from smoothcall.errors import UsageError
from smoothcall.games.rules import PokerRules
from smoothcall.information.game import Game
from smoothcall.information.sample_hands import SAMPLES
from smoothcall.kernels.information.quantised import SCALE, quantise_rows
from smoothcall.kernels.tables import Array
from smoothcall.policy import Policy
from smoothcall.simulation.batch_policy import BatchPolicy, ignores_observations, sees_cards
from smoothcall.simulation.observations import node_observations

PIECE = 1 << 16  # observations at a time


class TabulatedPolicy(Policy):
    """A batch policy tabulated on demand. Its agent file holds the batch policy, not the table (`agents.serialization`)."""

    KIND: ClassVar[str] = "batch_policy"

    def __init__(self, game: Game, batch_policy: BatchPolicy, card: Mapping[str, Any] | None = None) -> None:
        verify_batch_policy(game, batch_policy)
        self.game, self.batch_policy, self.card = game, batch_policy, dict(card or {})
        self.scale = float(SCALE) if game.sampled else 1.0
        self._nodes: dict[int, Array] = {}  # by node, of `node_weights`

    @property
    def rules(self) -> PokerRules:
        assert isinstance(self.game.rules, PokerRules)
        return self.game.rules

    @cached_property
    def weights(self) -> Array:  # type: ignore[override]
        """[rows, A] uint8. Without cards, nodes with equal observations are computed once (NODE is 0 in them). With cards it is
        the mean over SAMPLES hands of each bucket.
        """
        if ignores_observations(self.batch_policy):
            legal = self.game.legal
            return Policy.from_weights(self.game, self.batch_policy.probabilities(np.zeros((len(legal), 0)), legal)).weights
        tree, number = self.game.tree, 0
        kind, first = _single_nodes(self.game) if self._sees_cards else _equal_nodes(self.game)
        rows = tree.first_row[tree.decisions[np.argsort(kind, kind="stable")]]  # by class
        rows_of = np.split(rows, np.cumsum(np.bincount(kind))[:-1])
        sizes = np.array(self.game.buckets)[tree.round[tree.decisions]]
        table = np.empty((int(sizes.sum()), len(self.game.actions)), np.uint8)  # filled in place: it may take 150 MB
        for street, buckets in enumerate(self.game.buckets):
            nodes = tree.decisions[first[tree.round[tree.decisions[first]] == street]]
            many = buckets * (SAMPLES if self._sees_cards else 1)
            for start in range(0, len(nodes), step := max(1, PIECE // many)):
                for part in self._parts(nodes[start : start + step]):
                    for row in rows_of[number].tolist():
                        table[row : row + buckets] = part
                    number += 1
        table.flags.writeable = False
        return table

    def node_weights(self, node: int) -> Array:
        """Return [buckets, A] uint8: the rows of a decision, equal to those of `weights`. The rest is not tabulated."""
        if "weights" in self.__dict__ or not self.game.sampled or ignores_observations(self.batch_policy):
            first = int(self.game.tree.first_row[node])
            rows: Array = self.weights[first : first + self.game.buckets[self.game.tree.round[node]]]
            return rows
        if node not in self._nodes:
            self._nodes[node] = self._parts(np.array([node]))[0]
        return self._nodes[node]

    def _parts(self, nodes: Array) -> list[Array]:
        """Return n tables [buckets, A] uint8 of decisions on one street."""
        tree, street = self.game.tree, self.game.tree.round[nodes]
        child, buckets = tree.child[nodes], self.game.buckets[int(street[0])]
        observations = node_observations(self.game, nodes, with_cards=self._sees_cards)
        legal = np.repeat(child >= 0, len(observations) // len(nodes), axis=0)
        probabilities = self.batch_policy.probabilities(observations, legal)
        probabilities = probabilities.reshape(len(nodes) * buckets, -1, probabilities.shape[1]).mean(axis=1)
        found, place = np.empty(probabilities.shape, np.uint8), np.arange(0, len(probabilities), buckets)
        wrong = quantise_rows(
            probabilities, child, place, street, np.array(self.game.buckets, np.int64), np.ones(probabilities.shape[1]), found
        )
        if wrong >= 0:
            raise UsageError(
                f"this batch policy returned {probabilities[wrong].tolist()} for an observation of {self.game.spec} "
                "(accepted: probabilities)"
            )
        return list(found.reshape(len(nodes), buckets, -1))

    @property
    def _sees_cards(self) -> bool:
        return sees_cards(self.batch_policy)

    @property
    def nbytes(self) -> int:
        return super().nbytes if "weights" in self.__dict__ else 0

    def within(self, twin: Game) -> TabulatedPolicy:
        self.verify_game(twin)
        return TabulatedPolicy(twin, self.batch_policy, self.card)

    def _to_file(self) -> tuple[dict[str, Any], dict[str, Array]]:
        about, arrays = to_data(self.batch_policy)
        return {"batch_policy": about}, arrays


def scripted_policy(game: Game, name: str) -> TabulatedPolicy:
    """Return the policy of a scripted player, by its name in RULES."""
    return TabulatedPolicy(game, Scripted(name, Table.of(verify_game(game, name))))


def _single_nodes(game: Game) -> tuple[Array, Array]:
    """Return ([decisions] class of each decision, [classes] a decision of each), every decision in a class of its own.

    Classes are numbered street by street.
    """
    order = np.argsort(game.tree.round[game.tree.decisions], kind="stable")
    return np.argsort(order), order


def _equal_nodes(game: Game) -> tuple[Array, Array]:
    """Return ([decisions] class of each decision, [classes] a decision of each); decisions of a class have equal observations.

    Classes are numbered street by street.
    """
    tree, nodes = game.tree, game.tree.decisions
    last, size = tree.last_moves
    place, seat, paid = np.arange(len(nodes)), tree.player[nodes], tree.paid[nodes]
    legal = (tree.child[nodes] >= 0) @ (1 << np.arange(len(game.actions)))
    columns = (size[nodes], last[nodes], legal, paid[place, seat], paid[place, 1 - seat], tree.round[nodes])
    order = np.lexsort(columns)
    changed = np.zeros(len(nodes), bool)
    for column in columns:
        changed[1:] |= column[order][1:] != column[order][:-1]
    number = np.empty(len(nodes), np.int64)
    number[order] = np.cumsum(changed)
    changed[0] = True
    return number, order[changed]

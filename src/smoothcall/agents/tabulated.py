"""A batch policy as a policy: what it does at every information state of a game, worked out when that is asked for.

The policy is the batch policy as it plays one hand in which both have full stacks, against somebody of whom nothing is known.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from smoothcall.agents.batch_policy import Table
from smoothcall.agents.scripted import Scripted
from smoothcall.agents.serialization import to_data, verify_batch_policy, verify_game
from smoothcall.errors import UsageError
from smoothcall.games.rules import PokerRules
from smoothcall.holdem.equity_table import equity_table
from smoothcall.information.game import Game
from smoothcall.information.sample_hands import SAMPLES, examples
from smoothcall.information.tree import ActionTree
from smoothcall.kernels.holdem.buckets import VISIBLE
from smoothcall.kernels.information.quantised import SCALE, quantise_rows
from smoothcall.kernels.simulation.observations import (
    AGGRESSION,
    BEFORE_CALL,
    BEFORE_POT,
    BEFORE_STREET,
    BUCKET,
    CARD,
    CARD_OBSERVATION,
    CARDS,
    EQUITY,
    LAST,
    LAST_SIZE,
    NEVER,
    NODE,
    OBSERVATION,
    OTHER_STACK,
    POT,
    RAISES,
    SEAT,
    STACK,
    STREET,
    TO_CALL,
    UNKNOWN,
)
from smoothcall.kernels.tables import Array
from smoothcall.policy import Policy
from smoothcall.simulation.batch_policy import BatchPolicy, ignores_observations, sees_cards

PIECE = 1 << 16  # rows that are worked out at a time


class TabulatedPolicy(Policy):
    """A batch policy tabulated on demand. Its agent file holds the batch policy, not the table (`agents.serialization`)."""

    KIND: ClassVar[str] = "batch_policy"

    def __init__(self, game: Game, batch_policy: BatchPolicy, card: Mapping[str, Any] | None = None) -> None:
        verify_batch_policy(game, batch_policy)
        self.game, self.batch_policy, self.card = game, batch_policy, dict(card or {})
        self.scale = float(SCALE) if game.sampled else 1.0

    @property
    def rules(self) -> PokerRules:
        assert isinstance(self.game.rules, PokerRules)
        return self.game.rules

    @cached_property
    def weights(self) -> Array:  # type: ignore[override]
        """[rows, A] uint8. Decisions that look alike are worked out once: there are few kinds of them. (The node itself, which
        observations of freezeouts show too, is not looked at here.) Of batch policies that look at cards it is the mean over some hands of
        each bucket."""
        if ignores_observations(self.batch_policy):
            legal = self.game.legal
            return Policy.from_weights(self.game, self.batch_policy.probabilities(np.zeros((len(legal), 0)), legal)).weights
        tree, parts = self.game.tree, list[Array]()
        kind, first = _each(self.game) if self._wide else _kinds(self.game)
        for street, buckets in enumerate(self.game.buckets):
            nodes = tree.decisions[first[tree.round[tree.decisions[first]] == street]]
            many = buckets * (SAMPLES if self._wide else 1)
            for start in range(0, len(nodes), step := max(1, PIECE // many)):
                parts += self._parts(nodes[start : start + step])
        table = np.concatenate([parts[each] for each in kind.tolist()])  # rows follow the order of nodes
        table.flags.writeable = False
        return table

    def _parts(self, nodes: Array) -> list[Array]:
        """[n] of [buckets, A]: what is done at decisions on one street."""
        tree, street = self.game.tree, self.game.tree.round[nodes]
        child, buckets = tree.child[nodes], self.game.buckets[int(street[0])]
        seen = card_observations(self.game, nodes) if self._wide else observations(self.game, nodes)
        probabilities = self.batch_policy.probabilities(seen, np.repeat(child >= 0, len(seen) // len(nodes), axis=0))
        probabilities = probabilities.reshape(len(nodes) * buckets, -1, probabilities.shape[1]).mean(axis=1)
        found, place = np.empty(probabilities.shape, np.uint8), np.arange(0, len(probabilities), buckets)
        wrong = quantise_rows(
            probabilities, child, place, street, np.array(self.game.buckets, np.int64), np.ones(probabilities.shape[1]), found
        )
        if wrong >= 0:
            raise UsageError(
                f"this batch policy says {probabilities[wrong].tolist()} in a observation of {self.game.spec} (accepted: probabilities)"
            )
        return list(found.reshape(len(nodes), buckets, -1))

    @property
    def _wide(self) -> bool:
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
    """A scripted player by its name in RULES."""
    return TabulatedPolicy(game, Scripted(name, Table.of(verify_game(game, name))))


def _each(game: Game) -> tuple[Array, Array]:
    """The same where every decision is of a kind of its own."""
    order = np.argsort(game.tree.round[game.tree.decisions], kind="stable")
    return np.argsort(order), order


def _kinds(game: Game) -> tuple[Array, Array]:
    """([decisions] the kind of each, [kinds] a decision of each): those of a kind look alike to whoever acts there.

    Kinds are numbered street by street.
    """
    tree, nodes = game.tree, game.tree.decisions
    last, size = tree.last_moves
    place, seat, paid = np.arange(len(nodes)), tree.player[nodes], tree.paid[nodes]
    legal = (tree.child[nodes] >= 0) @ (1 << np.arange(len(game.actions)))
    looks = (size[nodes], last[nodes], legal, paid[place, seat], paid[place, 1 - seat], tree.round[nodes])
    order = np.lexsort(looks)
    changed = np.zeros(len(nodes), bool)
    for look in looks:
        changed[1:] |= look[order][1:] != look[order][:-1]
    kind = np.empty(len(nodes), np.int64)
    kind[order] = np.cumsum(changed)
    changed[0] = True
    return kind, order[changed]


def observations(game: Game, nodes: Array) -> Array:
    """[n * buckets, OBSERVATION] float32: every observation of decisions on one street, node by node."""
    assert game.abstraction is not None
    tree, start = game.tree, float(game.rules.stack)  # type: ignore[union-attr, arg-type]
    last, size = tree.last_moves
    street, place = int(tree.round[nodes[0]]), np.arange(len(nodes))
    equity = game.abstraction.equity[street]
    paid, seat = tree.paid[nodes].astype(np.float32), tree.player[nodes]
    own, other = paid[place, seat], paid[place, 1 - seat]
    seen = np.zeros((len(nodes), len(equity), OBSERVATION), np.float32)
    seen[:, :, EQUITY] = equity
    columns = {
        POT: own + other,
        TO_CALL: other - own,
        STACK: start - own,
        OTHER_STACK: start - other,
        LAST_SIZE: size[nodes],
    }
    for column, chips in columns.items():
        seen[:, :, column] = (chips / start)[:, None]
    seen[:, :, STREET], seen[:, :, LAST] = street, last[nodes][:, None]
    seen[:, :, RAISES], seen[:, :, AGGRESSION] = 0, UNKNOWN
    return seen.reshape(-1, OBSERVATION)


def card_observations(game: Game, nodes: Array) -> Array:
    """[n * buckets * SAMPLES, CARD_OBSERVATION] float32: observations of decisions on one street, with the `examples` of every bucket."""
    tree, stack = game.tree, float(game.rules.stack)  # type: ignore[union-attr, arg-type]
    street, before = int(tree.round[nodes[0]]), _last_own(tree)[nodes]
    last, size = (each[nodes] for each in tree.last_moves)
    cards = examples(game)[street].reshape(-1, CARDS)
    seen = np.zeros((len(nodes), len(cards), CARD_OBSERVATION), np.float32)
    seen[:, :, EQUITY], seen[:, :, CARD:], seen[:, :, STREET] = _equities(game, street), cards, street
    seen[:, :, BUCKET] = np.repeat(np.arange(game.buckets[street]), SAMPLES)
    seen[:, :, AGGRESSION] = UNKNOWN

    def shown(there: Array) -> tuple[Array, Array, Array, Array]:
        place, paid, seat = np.arange(len(there)), tree.paid[there] / stack, tree.player[nodes]
        own, other = paid[place, seat], paid[place, 1 - seat]
        return own + other, other - own, 1 - own, 1 - other

    now, then, moved = shown(nodes), shown(before), before >= 0
    columns = {
        **dict(zip((POT, TO_CALL, STACK, OTHER_STACK), now, strict=True)),
        LAST: last,
        LAST_SIZE: size / stack,
        NODE: nodes,
        SEAT: tree.player[nodes],
        BEFORE_STREET: np.where(moved, tree.round[before], NEVER),
        BEFORE_POT: np.where(moved, then[0], 0),
        BEFORE_CALL: np.where(moved, then[1], 0),
    }
    for column, values in columns.items():
        seen[:, :, column] = values[:, None]
    return seen.reshape(-1, CARD_OBSERVATION)


def _last_own(tree: ActionTree) -> Array:
    """[N] the decision at which the player of each node moved last before it; -1 where it has not."""
    found = np.full(tree.nodes, -1, np.int64)
    for node in range(tree.nodes):
        above = int(tree.parent[node])
        while above >= 0 and tree.player[above] != tree.player[node]:
            above = int(tree.parent[above])
        found[node] = above
    return found


def _equities(game: Game, street: int) -> Array:
    """[buckets * SAMPLES] of the `examples` of a street."""
    assert game.abstraction is not None
    known, visible = equity_table(game.abstraction.deck), VISIBLE[street]
    cards = examples(game)[street].reshape(-1, CARDS)[:, :visible].tolist()
    return np.array([known.of(tuple(each[:2]), tuple(each[2:])) for each in cards])

"""A mind as a policy: what it does at every information state of a game, worked out when that is asked for.

The policy is the mind as it plays one hand in which both have full stacks, against somebody of whom nothing is known.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from smoothcall.errors import UsageError
from smoothcall.games.rules import PokerRules
from smoothcall.information.game import Game
from smoothcall.kernels.sessions import (
    AGGRESSION,
    COLUMNS,
    LAST,
    LAST_SIZE,
    OTHER_STACK,
    POSITION,
    POT,
    RAISES,
    STACK,
    STREET,
    TO_CALL,
    UNKNOWN,
)
from smoothcall.kernels.tables import Array
from smoothcall.kernels.units import WHOLE, round_rows
from smoothcall.minds.dummies import Dummy
from smoothcall.minds.files import from_data, to_data, verify_game
from smoothcall.minds.mind import Mind, Table
from smoothcall.policy import Policy

PIECE = 1 << 16  # rows that are worked out at a time


class MindPolicy(Policy):
    """Its file holds the mind, and not the table (`minds.files`)."""

    KIND: ClassVar[str] = "mind"

    def __init__(self, game: Game, mind: Mind, card: Mapping[str, Any] | None = None) -> None:
        verify_game(game)
        self.game, self.mind, self.unit, self.card = game, mind, float(WHOLE), dict(card or {})

    @property
    def rules(self) -> PokerRules:
        assert isinstance(self.game.rules, PokerRules)
        return self.game.rules

    @cached_property
    def weights(self) -> Array:  # type: ignore[override]
        """[rows, A] uint8. Decisions that look alike are worked out once: there are few kinds of them. (The node itself, which
        situations of sessions show too, is not looked at here.)"""
        tree, parts = self.game.tree, list[Array]()
        kind, first = _kinds(self.game)
        for street, buckets in enumerate(self.game.buckets):
            nodes = tree.decisions[first[tree.round[tree.decisions[first]] == street]]
            for start in range(0, len(nodes), step := max(1, PIECE // buckets)):
                parts += self._parts(nodes[start : start + step])
        table = np.concatenate([parts[each] for each in kind.tolist()])  # rows follow the order of nodes
        table.flags.writeable = False
        return table

    def _parts(self, nodes: Array) -> list[Array]:
        """[n] of [buckets, A]: what is done at decisions on one street."""
        tree, street = self.game.tree, self.game.tree.round[nodes]
        child, buckets = tree.child[nodes], self.game.buckets[int(street[0])]
        chances = self.mind.chances(situations(self.game, nodes), np.repeat(child >= 0, buckets, axis=0))
        found, place = np.empty(chances.shape, np.uint8), np.arange(0, len(chances), buckets)
        wrong = round_rows(chances, child, place, street, np.array(self.game.buckets, np.int64), found)
        if wrong >= 0:
            raise UsageError(f"this mind says {chances[wrong].tolist()} in a situation of {self.game.spec} (accepted: chances)")
        return list(found.reshape(len(nodes), buckets, -1))

    @property
    def nbytes(self) -> int:
        return super().nbytes if "weights" in self.__dict__ else 0

    def within(self, twin: Game) -> MindPolicy:
        self.verify_game(twin)
        return MindPolicy(twin, self.mind, self.card)

    def _to_file(self) -> tuple[dict[str, Any], dict[str, Array]]:
        about, arrays = to_data(self.mind)
        return {"mind": about}, arrays

    @classmethod
    def from_file(cls, game: Game, card: dict[str, Any], arrays: Mapping[str, Array]) -> Policy:
        return MindPolicy(game, from_data(game, card.pop("mind"), arrays), card)


def dummy_policy(game: Game, name: str) -> MindPolicy:
    """A dummy by its name in RULES."""
    return MindPolicy(game, Dummy(name, Table.of(verify_game(game, name))))


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


def situations(game: Game, nodes: Array) -> Array:
    """[n * buckets, COLUMNS] float32: every situation of decisions on one street, node by node."""
    assert game.abstraction is not None
    tree, start = game.tree, float(game.rules.stack)  # type: ignore[union-attr, arg-type]
    last, size = tree.last_moves
    street, place = int(tree.round[nodes[0]]), np.arange(len(nodes))
    position = game.abstraction.position[street]
    paid, seat = tree.paid[nodes].astype(np.float32), tree.player[nodes]
    own, other = paid[place, seat], paid[place, 1 - seat]
    seen = np.zeros((len(nodes), len(position), COLUMNS), np.float32)
    seen[:, :, POSITION] = position
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
    return seen.reshape(-1, COLUMNS)

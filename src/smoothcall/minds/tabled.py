"""Policies as a mind: one of the game for each stack that may be left, so that whoever solved the hands can play sessions."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from smoothcall.errors import UsageError
from smoothcall.games.rules import PokerRules
from smoothcall.information.forest import Forest, forest
from smoothcall.kernels.sessions import BUCKET, NODE, POSITION, STREET, WIDE
from smoothcall.kernels.tables import Array
from smoothcall.policy import Policy


class Tabled:
    """Plays policies[stack] in hands of which the smaller stack is that many chips. They see positions, or situations are wide
    and have their buckets.

    A position that lies on the edge of two cells to the sixth digit may fall into the other one: situations hold them so.
    """

    def __init__(self, forest: Forest, policies: Mapping[int, Policy]) -> None:
        stacks = sorted(policies)
        games = {stack: policies[stack].game for stack in stacks}
        abstractions = {each.abstraction.digest if each.abstraction else "": each.abstraction for each in games.values()}
        if len(abstractions) > 1:
            raise UsageError("the policies of different stacks see the cards differently (accepted: one grid for all)")
        (seen,) = abstractions.values()
        if seen is None:
            raise UsageError("the policies do not see situations (accepted: hold'em)")
        self._known = f"{stacks[0]:,} to {stacks[-1]:,}" if len(stacks) > 1 else f"{stacks[0]:,}"
        self._cells = [np.array(street) for street in seen.position] if seen.cells == "position" else []
        self._first = np.full(len(forest.walk.kind), -1, np.int64)
        weights, rows = list[Array](), 0
        for stack in stacks:
            tree, begin = games[stack].tree, int(forest.root[stack // forest.unit])
            self._first[begin : begin + tree.nodes] = np.where(tree.first_row >= 0, tree.first_row + rows, -1)
            weights.append(policies[stack].weights)
            rows += tree.rows
        self._weights = np.concatenate(weights)

    @classmethod
    def whole(cls, policy: Policy) -> Tabled:
        """A policy for hands in which both have full stacks."""
        rules = policy.game.rules
        assert isinstance(rules, PokerRules)
        assert rules.stack is not None
        return cls(forest(rules), {rules.stack: policy})

    def chances(self, seen: Array, legal: Array) -> Array:
        node, street = seen[:, NODE].astype(np.int64), seen[:, STREET].astype(np.int64)
        first = self._first[node]
        if (first < 0).any():
            raise UsageError(f"these policies play stacks of {self._known} chips only")
        if seen.shape[1] == WIDE:
            bucket = seen[:, BUCKET].astype(np.int64)
        elif self._cells:
            bucket = self._buckets(seen[:, POSITION], street)
        else:
            raise UsageError("the policies do not see positions (accepted: games with cells=position, or wide situations)")
        found: Array = self._weights[first + bucket] / 255.0
        return found

    def _buckets(self, position: Array, street: Array) -> Array:
        """The cell that each position lies in; before the flop the class of hands whose own it is."""
        bucket = np.zeros(len(position), np.int64)
        for number, cells in enumerate(self._cells):
            here = street == number
            if number:
                bucket[here] = np.minimum((position[here] * len(cells)).astype(np.int64), len(cells) - 1)
            else:
                by_class = np.argsort(cells)
                middle = (cells[by_class][1:] + cells[by_class][:-1]) / 2
                bucket[here] = by_class[np.searchsorted(middle, position[here])]
        return bucket

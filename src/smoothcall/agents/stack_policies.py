"""Policies as a batch policy: one of the game for each stack that may be left, so that whoever solved the hands can play freezeouts."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from smoothcall.errors import UsageError
from smoothcall.games.rules import PokerRules
from smoothcall.kernels.simulation.observations import BUCKET, CARD_OBSERVATION, EQUITY, NODE, STREET
from smoothcall.kernels.tables import Array
from smoothcall.policy import Policy
from smoothcall.simulation.stack_trees import StackTrees, stack_trees


class Tabled:
    """Plays policies[stack] in hands of which the smaller stack is that many chips. They see equities, or observations are wide
    and have their buckets.

    A equity that lies on the edge of two cells to the sixth digit may fall into the other one: observations hold them so.
    """

    def __init__(self, stack_trees: StackTrees, policies: Mapping[int, Policy]) -> None:
        stacks = sorted(policies)
        games = {stack: policies[stack].game for stack in stacks}
        abstractions = {each.abstraction.digest if each.abstraction else "": each.abstraction for each in games.values()}
        if len(abstractions) > 1:
            raise UsageError("the policies of different stacks see the cards differently (accepted: one grid for all)")
        (seen,) = abstractions.values()
        if seen is None:
            raise UsageError("the policies do not see observations (accepted: hold'em)")
        self._known = f"{stacks[0]:,} to {stacks[-1]:,}" if len(stacks) > 1 else f"{stacks[0]:,}"
        self._cells = [np.array(street) for street in seen.equity] if seen.cells == "equity" else []
        self._first = np.full(len(stack_trees.walk.kind), -1, np.int64)
        weights, rows = list[Array](), 0
        for stack in stacks:
            tree, begin = games[stack].tree, int(stack_trees.root[stack // stack_trees.unit])
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
        return cls(stack_trees(rules), {rules.stack: policy})

    def probabilities(self, seen: Array, legal: Array) -> Array:
        node, street = seen[:, NODE].astype(np.int64), seen[:, STREET].astype(np.int64)
        first = self._first[node]
        if (first < 0).any():
            raise UsageError(f"these policies play stacks of {self._known} chips only")
        if seen.shape[1] == CARD_OBSERVATION:
            bucket = seen[:, BUCKET].astype(np.int64)
        elif self._cells:
            bucket = self._buckets(seen[:, EQUITY], street)
        else:
            raise UsageError("the policies do not see equities (accepted: games with cells=equity, or observations with cards)")
        found: Array = self._weights[first + bucket] / 255.0
        return found

    def _buckets(self, equity: Array, street: Array) -> Array:
        """The cell that each equity lies in; before the flop the class of hands whose own it is."""
        bucket = np.zeros(len(equity), np.int64)
        for number, cells in enumerate(self._cells):
            here = street == number
            if number:
                bucket[here] = np.minimum((equity[here] * len(cells)).astype(np.int64), len(cells) - 1)
            else:
                by_class = np.argsort(cells)
                middle = (cells[by_class][1:] + cells[by_class][:-1]) / 2
                bucket[here] = by_class[np.searchsorted(middle, equity[here])]
        return bucket

"""Tabular policies as a batch policy: one policy for each stack size, so that solved games can play freezeouts."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from smoothcall.errors import UsageError
from smoothcall.games.rules import PokerRules
from smoothcall.kernels.simulation.observations import BUCKET, CARD_OBSERVATION, EQUITY, NODE, STREET
from smoothcall.kernels.tables import Array
from smoothcall.policy import Policy
from smoothcall.simulation.stack_trees import StackTrees, stack_trees


class PolicyByStack:
    """Plays policies[stack] in hands whose smaller stack is that many chips.

    The bucket of a hand is that of an observation with cards, or the cell of the equity. Observations hold equities as float32:
    one that lies on the edge of two cells may fall into the other cell.
    """

    def __init__(self, stack_trees: StackTrees, policies: Mapping[int, Policy]) -> None:
        stacks = sorted(policies)
        games = {stack: policies[stack].game for stack in stacks}
        abstractions = {each.abstraction.digest if each.abstraction else "": each.abstraction for each in games.values()}
        if len(abstractions) > 1:
            raise UsageError("the policies of different stacks see the cards differently (accepted: one grid for all)")
        (abstraction,) = abstractions.values()
        if abstraction is None:
            raise UsageError("the policies do not see observations (accepted: hold'em)")
        self._known = f"{stacks[0]:,} to {stacks[-1]:,}" if len(stacks) > 1 else f"{stacks[0]:,}"
        self._cells = [np.array(street) for street in abstraction.equity] if abstraction.cells == "equity" else []
        self._first = np.full(len(stack_trees.walk.kind), -1, np.int64)
        weights, rows = list[Array](), 0
        for stack in stacks:
            tree, begin = games[stack].tree, int(stack_trees.root[stack // stack_trees.unit])
            self._first[begin : begin + tree.nodes] = np.where(tree.first_row >= 0, tree.first_row + rows, -1)
            weights.append(policies[stack].weights)
            rows += tree.rows
        scales = [policies[stack].scale for stack in stacks]
        if len(set(scales)) > 1:
            weights, scales = [table / scale for table, scale in zip(weights, scales, strict=True)], [1.0]
        self._weights, self._scale = np.concatenate(weights), scales[0]  # probabilities are weights / scale

    @classmethod
    def whole(cls, policy: Policy, *, full_stacks: bool = False) -> PolicyByStack:
        """Return a batch policy for hands in which both players have full stacks; `full_stacks` as in the environment."""
        rules = policy.game.rules
        assert isinstance(rules, PokerRules)
        assert rules.stack is not None
        return cls(stack_trees(rules, full_stacks=full_stacks), {rules.stack: policy})

    def probabilities(self, observations: Array, legal: Array) -> Array:
        node, street = observations[:, NODE].astype(np.int64), observations[:, STREET].astype(np.int64)
        first = self._first[node]
        if (first < 0).any():
            raise UsageError(f"these policies play stacks of {self._known} chips only")
        if observations.shape[1] == CARD_OBSERVATION:
            bucket = observations[:, BUCKET].astype(np.int64)
        elif self._cells:
            bucket = self._buckets(observations[:, EQUITY], street)
        else:
            raise UsageError("the policies do not see equities (accepted: games with cells=equity, or observations with cards)")
        found: Array = self._weights[first + bucket] / self._scale
        return found

    def _buckets(self, equity: Array, street: Array) -> Array:
        """Return [n] the cell of each equity; before the flop the class of hands with the nearest equity."""
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

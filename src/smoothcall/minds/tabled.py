"""Policies as a mind: one of the game for each stack that may be left, so that whoever solved the hands can play sessions."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from smoothcall.errors import UsageError
from smoothcall.information.forest import Forest
from smoothcall.kernels.sessions import NODE, POSITION, STREET
from smoothcall.kernels.tables import Array
from smoothcall.policy import Policy


class Tabled:
    """Plays policies[stack] in hands of which the smaller stack is that many chips. They see positions.

    A position that lies on the edge of two cells to the sixth digit may fall into the other one: situations hold them so.
    """

    def __init__(self, forest: Forest, policies: Mapping[int, Policy]) -> None:
        stacks = sorted(policies)
        games = {stack: policies[stack].game for stack in stacks}
        abstractions = {each.abstraction.digest if each.abstraction else "": each.abstraction for each in games.values()}
        if len(abstractions) > 1:
            raise UsageError("the policies of different stacks see the cards differently (accepted: one grid for all)")
        (seen,) = abstractions.values()
        if seen is None or seen.cells != "position":
            raise UsageError("the policies do not see positions (accepted: games with cells=position)")
        self._known = f"{stacks[0]:,} to {stacks[-1]:,}" if len(stacks) > 1 else f"{stacks[0]:,}"
        self._cells = [np.array(street) for street in seen.position]
        self._by_class = np.argsort(self._cells[0])
        self._first = np.full(len(forest.walk.kind), -1, np.int64)
        weights, rows = list[Array](), 0
        for stack in stacks:
            tree, begin = games[stack].tree, int(forest.root[stack // forest.unit])
            self._first[begin : begin + tree.nodes] = np.where(tree.first_row >= 0, tree.first_row + rows, -1)
            weights.append(policies[stack].weights)
            rows += tree.rows
        self._weights = np.concatenate(weights)

    def chances(self, seen: Array, legal: Array) -> Array:
        node, street = seen[:, NODE].astype(np.int64), seen[:, STREET].astype(np.int64)
        first = self._first[node]
        if (first < 0).any():
            raise UsageError(f"these policies play stacks of {self._known} chips only")
        found: Array = self._weights[first + self._buckets(seen[:, POSITION], street)] / 255.0
        return found

    def _buckets(self, position: Array, street: Array) -> Array:
        """The cell that each position lies in; before the flop the class of hands whose own it is."""
        bucket = np.zeros(len(position), np.int64)
        for number, cells in enumerate(self._cells):
            here = street == number
            if number:
                bucket[here] = np.minimum((position[here] * len(cells)).astype(np.int64), len(cells) - 1)
            else:
                middle = (cells[self._by_class][1:] + cells[self._by_class][:-1]) / 2
                bucket[here] = self._by_class[np.searchsorted(middle, position[here])]
        return bucket

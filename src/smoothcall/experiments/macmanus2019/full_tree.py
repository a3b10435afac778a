"""The full game tree of macmanus2019's program: histories with both private cards, and what each player knows of them.

A history of its program is a text: who starts, the cards, the actions. Here it is a number; deals are those of the game.
"""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from smoothcall.information.game import Game
from smoothcall.kernels.experiments.macmanus2019 import CHANCE, END, Histories, Tables, Trees
from smoothcall.kernels.tables import DECISION, Array


class FullTree:
    """The histories of a game of two players and two streets, with player 1 in either seat."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._children: list[list[int]] = []
        self._actor: list[int] = []
        self._known: list[tuple[int, int]] = []
        self._reward: list[float] = []
        self._numbers: tuple[dict[Hashable, int], dict[Hashable, int]] = ({}, {})
        shape = (2, len(game.legal), game.legal.shape[1] + 1)
        self._place = np.full(shape, -1)  # [seat, row, 1 + A]: a state and what is behind its actions, as its player knows them
        self._build()
        width = max(map(len, self._children))
        self.listed = Histories(
            np.array([[*found, *[-1] * (width - len(found))] for found in self._children], np.int32),
            np.array([len(found) for found in self._children], np.int32),
            np.array(self._actor, np.int8),
            np.ascontiguousarray(np.array(self._known, np.int32).T),
            np.array(self._reward),
        )
        self.count = max(map(len, self._numbers))  # of histories that a player can tell apart

    def states(self, trees: Trees) -> Tables:
        """Return the expanded states of both players, each with what is behind its actions."""
        rows, actions = self.game.legal.shape
        tables = Tables(np.zeros((2, rows)), np.zeros((2, rows, actions)), np.zeros((2, rows, actions)), trees.earned)
        for seat in (0, 1):
            owner = (self.game.row_player != seat).astype(int)  # whose tree a row is in: 0 player 1, 1 player -1
            known = trees.expanded[owner, self._place[seat, :, 0]]
            tables.total[seat] = known * trees.visits[owner, self._place[seat, :, 0]]
            for slot in range(actions):
                behind, there = self._place[seat, :, 1 + slot], known & (self._place[seat, :, 1 + slot] >= 0)
                tables.visits[seat, :, slot] = there * trees.visits[owner, behind]
                tables.mean[seat, :, slot] = there * trees.value[owner, behind] * (1 - 2 * owner)
        return tables

    def _build(self) -> None:
        """List the histories; the empty one comes first."""
        root = self._add(CHANCE, ("", ""))
        private = self.game.deals.bucket[:, :, 0]
        for seat in (0, 1):
            for hands in np.unique(private, axis=0):
                deals = np.flatnonzero((private == hands).all(axis=1))
                self._children[root].append(self._below(seat, 0, deals))

    def _add(self, actor: int, seen: tuple[Hashable, Hashable], reward: float = 0.0) -> int:
        self._children.append([])
        self._actor.append(actor)
        self._reward.append(reward)
        one, other = (numbers.setdefault(each, len(numbers)) for numbers, each in zip(self._numbers, seen, strict=True))
        self._known.append((one, other))
        return len(self._actor) - 1

    def _seen(self, seat: int, node: int, deals: Array, street: int) -> tuple[Hashable, Hashable]:
        """Return what player 1, in a seat, and player -1 know of a history: who starts, their buckets, the node."""
        buckets = self.game.deals.bucket[deals[0], :, : street + 1]
        return ((seat, node, street, *buckets[seat]), (seat, node, street, *buckets[1 - seat]))

    def _below(self, seat: int, node: int, deals: Array) -> int:
        """Add the history at a node of the action tree, and all below it. `deals`: those that are still possible."""
        tree = self.game.tree
        street = int(tree.round[node])
        seen = self._seen(seat, node, deals, street)
        if tree.kind[node] != DECISION:
            ending, payoff = self.game.ending_payoff
            return self._add(END, seen, float(payoff[ending[node], deals[0], seat]))
        history = self._add(int(tree.player[node] != seat), seen)
        row = int(tree.first_row[node] + self.game.deals.bucket[deals[0], tree.player[node], street])
        owner = int(tree.player[node] != seat)
        self._place[seat, row, 0] = self._known[history][owner]
        for slot, below in enumerate(tree.child[node]):
            self._children[history].append(-1)
            if below < 0:
                continue
            if tree.kind[below] == DECISION and tree.round[below] != street:
                reached = self._add(CHANCE, self._seen(seat, below, deals, street))
                boards = self.game.deals.bucket[deals][:, :, street + 1]
                for board in np.unique(boards, axis=0):
                    left = deals[(boards == board).all(axis=1)]
                    self._children[reached].append(self._below(seat, below, left))
            else:
                reached = self._below(seat, below, deals)
            self._children[history][slot] = reached
            self._place[seat, row, 1 + slot] = self._known[reached][owner]
        return history

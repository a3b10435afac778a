"""Parts of a game: the trunk, which is the betting of the first street, and the lines below it, shared out among shards.

A *line* is a betting sequence of the first street that leads to the second one: in hold'em, to the flop. A hand that leaves the
trunk follows one line to its end, so all its later rows are in the shard that has the line. Buckets of hands on the flop do not
say which flop it is, so that rows belong to hands on many flops: lines are not divided further by flops.

The tree of a part is unrolled from the betting states like that of the whole game, with the nodes of other parts cut off. Nodes
of a part are a subsequence of those of the whole tree, and so are its rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from smoothcall.errors import UsageError
from smoothcall.games.betting import Betting
from smoothcall.games.rules import PokerRules
from smoothcall.information.extensive import ExtensiveGame
from smoothcall.information.game import Game
from smoothcall.information.tree import ActionTree, States, betting_states, unroll, with_rows
from smoothcall.kernels.tables import DECISION, ELSEWHERE, Array

TRUNK = -1  # the part of a node that is in no shard


@dataclass(frozen=True, eq=False)
class Parts:
    """The trunk of a game and its lines, shared out among shards so that their tables are about equally large."""

    game: Game
    shards: int

    def __post_init__(self) -> None:
        if isinstance(self.game, ExtensiveGame) or not isinstance(self.game.rules, PokerRules):
            raise UsageError(f"{self.game.spec} has no shards (accepted: games of poker)")
        if not self._lines:
            raise UsageError(f"{self.game.spec} has no shards: its betting has one street (accepted: games of two or more)")
        if not 1 <= self.shards <= len(self._lines):
            raise UsageError(f"shards={self.shards} of {self.game.spec} (accepted: 1 to {len(self._lines)})")

    @cached_property
    def _states(self) -> States:
        assert isinstance(self.game.rules, PokerRules)
        return betting_states(self.game.rules)

    @property
    def actions(self) -> int:
        """How many actions the game has."""
        return len(self._states.actions)

    @cached_property
    def _nodes(self) -> list[int]:
        """The betting states of the trunk's nodes, in the order of the tree."""
        found, states = [0], self._states
        for state in found:  # grows while it is read
            found += [after for after in states.follows[state] if after >= 0 and not self._leaves(after)]
        return found

    @cached_property
    def _lines(self) -> list[int]:
        """The betting states in which lines begin, in the order of the tree."""
        return [after for state in self._nodes for after in self._states.follows[state] if after >= 0 and self._leaves(after)]

    def _leaves(self, state: int) -> bool:
        return self._states.kind[state] == DECISION and self._states.round[state] > 0

    @cached_property
    def line_rows(self) -> Array:
        """[lines] int64: information states of each line."""
        follows = np.array(self._states.follows)
        own = np.where(np.array(self._states.kind) == DECISION, np.array(self.game.buckets)[self._states.round], 0)
        below: Array = np.zeros_like(own)
        while True:
            total: Array = own + np.where(follows >= 0, below[follows], 0).sum(axis=1)
            if np.array_equal(total, below):
                return total[self._lines]
            below = total

    @cached_property
    def most_won(self) -> float:
        """The most chips that can be won in a hand: those of the others, on the way to some ending."""
        follows, alive = np.array(self._states.follows), np.array(self._states.alive)
        adds, ends = np.array(self._states.adds), np.array(self._states.kind) != DECISION
        most = []
        for player in range(self.game.players):
            others = adds.sum(axis=2) - adds[:, :, player]
            own = np.where(ends & ((alive >> player) & 1 == 1), 0.0, -np.inf)
            best = own
            while True:
                after = np.where(follows >= 0, others + best[follows], -np.inf).max(axis=1)
                if np.array_equal(better := np.maximum(own, after), best):
                    break
                best = better
            start: Array = np.array(Betting(self.game.rules).paid)  # type: ignore[arg-type]
            most.append(best[0] + start.sum() - start[player])
        return float(max(most))

    @cached_property
    def owner(self) -> Array:
        """[lines] int32: the shard of each line. The largest lines come first, each to the shard with the fewest rows."""
        owner, rows = np.zeros(len(self._lines), np.int32), np.zeros(self.shards, np.int64)
        for line in np.argsort(-self.line_rows, kind="stable"):
            owner[line] = rows.argmin()
            rows[owner[line]] += self.line_rows[line]
        return owner

    @property
    def shard_rows(self) -> Array:
        """[shards] int64: information states of each shard."""
        return np.array([self.line_rows[self.owner == shard].sum() for shard in range(self.shards)])

    def part(self, shard: int) -> Game:
        """Return the game with the rows of a shard, or those of the trunk, and no others."""
        rules, suits, grid, cells, options = self.game._given
        part = Game(rules, suits=suits, grid=grid, cells=cells, options=dict(options))
        part.abstraction = self.game.abstraction
        part.tree = self._tree(shard)
        return part

    def _tree(self, shard: int) -> ActionTree:
        tree = unroll(self._cut(shard), np.array(Betting(self.game.rules).paid))  # type: ignore[arg-type]
        rows = np.where(tree.kind == DECISION, np.array(self.game.buckets, np.int64)[tree.round], 0)
        return with_rows(tree, np.cumsum(rows) - rows, int(rows.sum()))

    def _cut(self, shard: int) -> States:
        """Return the betting states of a part: the trunk's nodes, one state for lines of other parts, then all states."""
        known, trunk = self._states, self._nodes
        cut, actions = len(trunk), len(known.actions)
        nothing = [[0] * self.game.players] * actions
        mine = iter(self.owner == shard)
        inner, follows = 0, []
        for state in trunk:
            row = []
            for after in known.follows[state]:
                if after < 0:
                    row.append(-1)
                elif self._leaves(after):
                    row.append(cut + 1 + after if next(mine) else cut)
                else:
                    inner += 1
                    row.append(inner)
            follows.append(row)
        alive, decides = (1 << self.game.players) - 1, shard == TRUNK
        return States(
            known.actions,
            [known.kind[state] if decides or known.kind[state] != DECISION else ELSEWHERE for state in trunk]
            + [ELSEWHERE, *known.kind],
            [known.player[state] for state in trunk] + [-1, *known.player],
            [known.round[state] for state in trunk] + [0, *known.round],
            [known.alive[state] for state in trunk] + [alive, *known.alive],
            follows + [[-1] * actions] + [[after if after < 0 else cut + 1 + after for after in row] for row in known.follows],
            [known.adds[state] for state in trunk] + [nothing, *known.adds],
            known.amounts,
        )

    def entries(self, part: Game, shard: int) -> Array:
        """Return [lines] int32: the node of a shard's tree where each line begins, -1 for lines of others."""
        tree, found = part.tree, np.full(len(self._lines), -1, np.int32)
        begins = np.flatnonzero((tree.kind == DECISION) & (tree.parent >= 0))
        found[self.owner == shard] = begins[tree.kind[tree.parent[begins]] == ELSEWHERE]
        return found

    def together(self, trunk: Array, parts: list[Array]) -> Array:
        """Return the table [rows, ...] of the whole game from those of the trunk and of all shards."""
        tree = self.game.tree
        part = np.full(tree.nodes, TRUNK, np.int32)
        above = np.maximum(tree.parent, 0)
        begins = np.flatnonzero((tree.kind == DECISION) & (tree.round > 0) & (tree.round[above] == 0))
        part[begins] = self.owner
        for begin, end in pairwise(tree.levels[1:]):
            own = part[begin:end]
            np.copyto(own, part[tree.parent[begin:end]], where=own == TRUNK)
        of_decision, count = part[tree.decisions], np.array(self.game.buckets)[tree.round[tree.decisions]]
        whole = np.empty((tree.rows, *trunk.shape[1:]), trunk.dtype)
        for number, table in enumerate([trunk, *parts], start=TRUNK):
            whole[np.repeat(of_decision == number, count)] = table
        return whole

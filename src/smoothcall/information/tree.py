"""The action tree: every public sequence of actions, with no cards in it, as a frozen struct of arrays.

This is the only bridge from rules to kernels: rules are enumerated here, never implemented a second time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from smoothcall.errors import UsageError
from smoothcall.games.betting import Betting
from smoothcall.games.matrix import MatrixGame
from smoothcall.games.rules import PokerRules
from smoothcall.kernels.tables import DECISION, FIXED, FOLD, SHOWDOWN, Array


@dataclass(frozen=True, eq=False)
class ActionTree:
    """N nodes in breadth-first order: children come after parents, a level is a slice. A action slots, P players."""

    actions: tuple[str, ...]  # [A] the letter of each slot
    kind: Array  # [N] int8: DECISION, FOLD (all but one gave up), SHOWDOWN, FIXED (pay-off given)
    player: Array  # [N] int8: who acts, -1 at the end
    round: Array  # [N] int8: the street
    child: Array  # [N, A] int32: next node per action slot, -1 where illegal
    parent: Array  # [N] int32: -1 at the root
    slot: Array  # [N] int8: the action slot that leads here from the parent, -1 at the root
    depth: Array  # [N] int16
    paid: Array  # [N, P] int32: chips each player has put in
    alive: Array  # [N] uint16: a bit per player still in
    first_row: Array  # [N] int64: row = first_row[node] + bucket of the player who acts, -1 at the end
    payoff: Array  # [N, P] float64: chips, where kind is FIXED; [0, P] in games without such nodes
    rows: int

    @property
    def players(self) -> int:
        return int(self.paid.shape[1])

    @cached_property
    def decisions(self) -> Array:
        """[D] the nodes where somebody acts."""
        return np.flatnonzero(self.kind == DECISION)

    @cached_property
    def endings(self) -> Array:
        """[E] the nodes where a hand ends."""
        return np.flatnonzero(self.kind != DECISION)

    @property
    def shares_rows(self) -> bool:
        """Whether some player cannot tell two nodes apart (simultaneous moves, coarse states)."""
        rows = self.first_row[self.decisions]
        return len(np.unique(rows)) < len(rows)

    def betting(self, node: int) -> str:
        """The public actions that lead to a node, as in the information-state keys."""
        text = ""
        while (parent := int(self.parent[node])) >= 0:
            street = "/" * int(self.round[node] - self.round[parent])
            text = self.actions[self.slot[node]] + street + text
            node = parent
        return text


def poker_tree(rules: PokerRules, buckets: Sequence[int]) -> ActionTree:
    """Every betting sequence of a limit game; `buckets[street]` is how many things a player may see on that street."""
    if not rules.limit:
        raise UsageError(f"{rules.name}: a no-limit game has too many amounts to list; it needs a bet menu")
    actions = ("f", "c", "r")
    build = _Builder(actions, rules.seats)
    waiting = deque([(Betting(rules), -1, -1)])
    while waiting:
        state, parent, slot = waiting.popleft()
        alive = sum(1 << player for player in range(rules.seats) if state.alive[player])
        if state.finished:
            kind = FOLD if state.alive_count == 1 else SHOWDOWN
            build.add(kind, -1, state.street, parent, slot, state.paid, alive, 0)
            continue
        assert state.player is not None
        node = build.add(DECISION, state.player, state.street, parent, slot, state.paid, alive, buckets[state.street])
        legal = (state.can_fold(), state.can_call(), state.can_raise())
        for letter, action in zip(actions, range(len(actions)), strict=True):
            if legal[action]:
                after = state.copy()
                after.play(letter)
                waiting.append((after, node, action))
    return build.tree()


def matrix_tree(game: MatrixGame) -> ActionTree:
    """One level per player; the nodes of a level share one row, because nobody sees what the others chose."""
    players, count = game.seats, len(game.actions)
    build = _Builder(game.actions, players)
    level: list[tuple[int, int, tuple[int, ...]]] = [(-1, -1, ())]
    for player in range(players):
        above, level = level, []
        for index, (parent, slot, chosen) in enumerate(above):
            node = build.add(DECISION, player, 0, parent, slot, [0] * players, 0, int(index == 0))
            build.first_row[node] = build.rows - 1
            level += [(node, action, (*chosen, action)) for action in range(count)]
    for parent, slot, chosen in level:
        build.add(FIXED, -1, 0, parent, slot, [0] * players, 0, 0)
        build.payoff.append(game.payoffs[chosen])
    payoff = np.zeros((len(build.kind), players))
    payoff[-len(level) :] = build.payoff
    return build.tree(payoff)


class _Builder:
    """Lists that grow by one node at a time and end as the arrays of a tree."""

    def __init__(self, actions: tuple[str, ...], players: int) -> None:
        self.actions, self.players, self.rows = actions, players, 0
        self.kind: list[int] = []
        self.player: list[int] = []
        self.round: list[int] = []
        self.child: list[list[int]] = []
        self.parent: list[int] = []
        self.slot: list[int] = []
        self.depth: list[int] = []
        self.paid: list[list[int]] = []
        self.alive: list[int] = []
        self.first_row: list[int] = []
        self.payoff: list[Array] = []

    def add(self, kind: int, player: int, street: int, parent: int, slot: int, paid: list[int], alive: int, rows: int) -> int:
        node = len(self.kind)
        self.kind.append(kind)
        self.player.append(player)
        self.round.append(street)
        self.child.append([-1] * len(self.actions))
        self.parent.append(parent)
        self.slot.append(slot)
        self.depth.append(self.depth[parent] + 1 if parent >= 0 else 0)
        self.paid.append(paid)
        self.alive.append(alive)
        self.first_row.append(self.rows if kind == DECISION else -1)
        self.rows += rows
        if parent >= 0:
            self.child[parent][slot] = node
        return node

    def tree(self, payoff: Array | None = None) -> ActionTree:
        arrays: dict[str, Array] = {
            "kind": np.array(self.kind, np.int8),
            "player": np.array(self.player, np.int8),
            "round": np.array(self.round, np.int8),
            "child": np.array(self.child, np.int32),
            "parent": np.array(self.parent, np.int32),
            "slot": np.array(self.slot, np.int8),
            "depth": np.array(self.depth, np.int16),
            "paid": np.array(self.paid, np.int32),
            "alive": np.array(self.alive, np.uint16),
            "first_row": np.array(self.first_row, np.int64),
            "payoff": np.zeros((0, self.players)) if payoff is None else payoff,
        }
        for array in arrays.values():
            array.flags.writeable = False
        return ActionTree(actions=self.actions, rows=self.rows, **arrays)

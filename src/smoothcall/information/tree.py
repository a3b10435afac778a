"""The action tree: every public sequence of actions, with no cards in it, as a frozen struct of arrays.

This is the only way from rules to kernels: rules are enumerated here and never implemented a second time. They are not
enumerated node by node. What may happen next depends on a *betting state*: who is in, who is to act, this street's bets.
Three-player limit hold'em has millions of nodes and a few hundred such states. So the states are enumerated with the rules,
and the tree is unrolled from them level by level.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from smoothcall.errors import UsageError
from smoothcall.games.betting import Betting
from smoothcall.games.matrix import MatrixGame
from smoothcall.games.rules import PokerRules
from smoothcall.kernels.tables import CALL, CALLED, CHECKED, DECISION, FIXED, FOLD, NOTHING, RAISED, SHOWDOWN, Array
from smoothcall.memory import verify_memory

MAX_NODES = 100_000_000
MAX_BETTING_STATES = 100_000


@dataclass(frozen=True, eq=False)
class ActionTree:
    """N nodes in breadth-first order: children come after parents, a level is a slice. A action slots, P players."""

    actions: tuple[str, ...]  # [A] the name of each slot; in limit games the letter of the move
    kind: Array  # [N] int8: DECISION, FOLD (all but one folded), SHOWDOWN, FIXED (pay-off given)
    player: Array  # [N] int8: who acts, -1 at the end
    round: Array  # [N] int8: the street
    child: Array  # [N, A] int32: next node per action slot, -1 where illegal
    parent: Array  # [N] int32: -1 at the root
    slot: Array  # [N] int8: the action slot that leads here from the parent, -1 at the root
    paid: Array  # [N, P] int16 or, where stacks are large, int32: chips each player has put in
    alive: Array  # [N] uint16: a bit per player still in
    first_row: Array  # [N] int32: row = first_row[node] + bucket of the player who acts, -1 at the end
    payoff: Array  # [N, P] float64: chips, where kind is FIXED; [0, P] in games without such nodes
    levels: Array  # [depth + 2] int64: the nodes of depth d are levels[d] to levels[d + 1]
    rows: int
    amounts: bool  # whether a raise is written with its amount, as in no-limit games

    @property
    def players(self) -> int:
        return int(self.paid.shape[1])

    @property
    def nodes(self) -> int:
        return len(self.kind)

    @property
    def depth(self) -> int:
        """The greatest number of actions in a hand."""
        return len(self.levels) - 2

    @cached_property
    def decisions(self) -> Array:
        """[D] the nodes where a player acts."""
        return np.flatnonzero(self.kind == DECISION)

    @cached_property
    def decision_rows(self) -> Array:
        """[D] the first row of each decision."""
        return self.first_row[self.decisions]

    @cached_property
    def endings(self) -> Array:
        """[E] the nodes where a hand ends."""
        return np.flatnonzero(self.kind != DECISION)

    @cached_property
    def last_moves(self) -> tuple[Array, Array]:
        """([N] int8, [N] int32): the last move of the seat that is not to move and the chips it added, in two-player games.

        Moves are NOTHING, CHECKED, CALLED or RAISED.
        """
        move, size = np.full((self.nodes, 2), NOTHING, np.int8), np.zeros((self.nodes, 2), np.int32)
        for begin, end in pairwise(self.levels[1:]):
            nodes, above = np.arange(begin, end), self.parent[begin:end]
            move[nodes], size[nodes] = move[above], size[above]
            seat = self.player[above]
            added = self.paid[nodes, seat].astype(np.int32) - self.paid[above, seat]
            move[nodes, seat] = np.where(self.slot[nodes] > CALL, RAISED, np.where(added > 0, CALLED, CHECKED))
            size[nodes, seat] = added
        place, other = np.arange(self.nodes), np.where(self.player >= 0, 1 - self.player, 0)
        return move[place, other], size[place, other]

    @cached_property
    def shares_rows(self) -> bool:
        """Whether some player cannot tell two nodes apart (simultaneous moves, coarse states)."""
        return len(np.unique(self.decision_rows)) < len(self.decision_rows)

    def letter(self, node: int) -> str:
        """Return the move that leads to a node, as in the information-state keys."""
        name, parent = self.actions[self.slot[node]], self.parent[node]
        raised = self.amounts and name not in ("f", "c")
        return f"r{self.paid[node, self.player[parent]]}" if raised else name

    def betting(self, node: int) -> str:
        """Return the betting that leads to a node, as in the information-state keys."""
        text = ""
        while (parent := int(self.parent[node])) >= 0:
            text = self.letter(node) + "/" * int(self.round[node] - self.round[parent]) + text
            node = parent
        return text

    def children(self, node: int) -> dict[str, int]:
        """Return the nodes that the moves from a node lead to, by letter."""
        return {self.letter(int(child)): int(child) for child in self.child[node] if child >= 0}


@dataclass
class States:
    """The S betting states of a game; a hand starts in the first."""

    actions: tuple[str, ...]
    kind: list[int]  # [S]
    player: list[int]  # [S]
    round: list[int]  # [S]
    alive: list[int]  # [S]
    follows: list[list[int]]  # [S][A] the state after each action, -1 where illegal
    adds: list[list[list[int]]]  # [S][A][P] chips each player puts in by it
    amounts: bool = False


def poker_tree(rules: PokerRules, buckets: Sequence[int]) -> ActionTree:
    """Return the tree of every betting sequence; buckets[street]: rows per decision of that street."""
    if not rules.limit and rules.menu is None:
        raise UsageError(f"{rules.name}: a no-limit game has too many amounts to list; it needs a bet menu")
    tree = unroll(betting_states(rules), np.array(Betting(rules).paid))
    rows = np.where(tree.kind == DECISION, np.array(buckets, np.int64)[tree.round], 0)
    return with_rows(tree, np.cumsum(rows) - rows, int(rows.sum()))


def poker_size(rules: PokerRules) -> tuple[int, list[int]]:
    """Return (nodes, decisions of each street) of the tree, without building it."""
    states = betting_states(rules)
    count: Array = np.sum(list(_levels(np.array(states.follows))), axis=0)
    decisions = [0] * len(rules.streets)
    for kind, street, nodes in zip(states.kind, states.round, count, strict=True):
        decisions[street] += int(nodes) if kind == DECISION else 0
    return int(count.sum()), decisions


def matrix_tree(game: MatrixGame) -> ActionTree:
    """Return a tree with one level per player. The nodes of a level share one row, because players move at once."""
    players, count = game.seats, len(game.actions)
    states = States(
        actions=game.actions,
        kind=[DECISION] * players + [FIXED],
        player=[*range(players), -1],
        round=[0] * (players + 1),
        alive=[0] * (players + 1),
        follows=[[player + 1] * count for player in range(players)] + [[-1] * count],
        adds=[[[0] * players] * count] * (players + 1),
    )
    tree = unroll(states, np.zeros(players, np.int64))
    payoff = np.zeros((tree.nodes, players))
    payoff[tree.endings] = game.payoffs.reshape(-1, players)
    return with_rows(tree, tree.player.astype(np.int64), players, payoff)


def betting_states(rules: PokerRules) -> States:
    """Enumerate the betting states with the rules."""
    slots = ("r",) if rules.limit or rules.menu is None else rules.menu.items
    states = States(("f", "c", *slots), [], [], [], [], [], [], amounts=not rules.limit)
    known: dict[object, int] = {}
    waiting: list[Betting] = []

    def number(state: Betting) -> int:
        key = state.continuation_key
        if key not in known:
            if len(waiting) == MAX_BETTING_STATES:
                raise UsageError(
                    f"{rules.name}: the betting has more than {MAX_BETTING_STATES:,} states "
                    "(fewer: a smaller menu, stack or table)"
                )
            known[key] = len(waiting)
            waiting.append(state)
        return known[key]

    number(Betting(rules))
    for state in waiting:  # grows while it is read
        states.alive.append(sum(1 << player for player in range(rules.seats) if state.alive[player]))
        states.round.append(state.street)
        states.player.append(-1 if state.player is None else state.player)
        states.kind.append(DECISION if not state.finished else FOLD if state.alive_count == 1 else SHOWDOWN)
        follows, adds = [], []
        for letter in state.slots:
            after = state.copy()
            if letter is not None:
                after.play(letter)
            follows.append(-1 if letter is None else number(after))
            adds.append([new - old for new, old in zip(after.paid, state.paid, strict=True)])
        states.follows.append(follows)
        states.adds.append(adds)
    return states


def unroll(states: States, start: Array) -> ActionTree:
    """Build the tree from the states, without rows."""
    follows, adds = np.array(states.follows, np.int32), np.array(states.adds, np.int32)
    sizes = [int(level.sum()) for level in _levels(follows)]
    nodes, actions, players = sum(sizes), follows.shape[1], len(start)
    if nodes > MAX_NODES:
        raise UsageError(
            f"an action tree of {nodes:,} nodes is too large (at most {MAX_NODES:,}; fewer raises make it smaller)"
        )
    levels = np.cumsum([0, *sizes])
    verify_memory(nodes * (4 * actions + 6 * players + 30), f"an action tree of {nodes:,} nodes")
    state = np.zeros(nodes, np.int32)
    parent, slot = np.full(nodes, -1, np.int32), np.full(nodes, -1, np.int8)
    child, paid = np.full((nodes, actions), -1, np.int32), np.zeros((nodes, players), np.int32)
    paid[0] = start
    for begin, end in pairwise(levels[:-1]):
        above = np.s_[begin:end]
        after = follows[state[above]]
        place, taken = np.nonzero(after >= 0)
        below = np.s_[end : end + len(place)]
        child[begin + place, taken] = np.arange(end, end + len(place))
        parent[below], slot[below] = begin + place, taken
        paid[below] = paid[begin + place] + adds[state[begin + place], taken]
        state[below] = after[place, taken]
    return ActionTree(
        actions=states.actions,
        kind=np.array(states.kind, np.int8)[state],
        player=np.array(states.player, np.int8)[state],
        round=np.array(states.round, np.int8)[state],
        child=child,
        parent=parent,
        slot=slot,
        paid=paid if paid.max() >= 2**15 else paid.astype(np.int16),
        alive=np.array(states.alive, np.uint16)[state],
        first_row=np.full(0, -1),
        payoff=np.zeros((0, players)),
        levels=levels,
        rows=0,
        amounts=states.amounts,
    )


def _levels(follows: Array) -> Iterator[Array]:
    """Yield for each level of the tree [S] the number of nodes in each state, without building them."""
    count = np.zeros(len(follows))  # exact up to 2 ** 53; such trees are far too large to build
    count[0] = 1
    legal = follows >= 0
    while count.any():
        yield count
        below = np.zeros_like(count)
        np.add.at(below, follows[legal], np.broadcast_to(count[:, None], follows.shape)[legal])
        count = below


def with_rows(tree: ActionTree, first_row: Array, rows: int, payoff: Array | None = None) -> ActionTree:
    fields = {name: getattr(tree, name) for name in tree.__dataclass_fields__}
    if rows >= 2**31:
        raise UsageError(f"{rows:,} information states are too many (at most {2**31 - 1:,}; a coarser grid has fewer)")
    fields |= {"first_row": np.where(tree.kind == DECISION, first_row, -1).astype(np.int32), "rows": rows}
    fields |= {} if payoff is None else {"payoff": payoff}
    for value in fields.values():
        if isinstance(value, np.ndarray):
            value.flags.writeable = False
    return ActionTree(**fields)

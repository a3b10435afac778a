"""The action trees of one game for every stack size, as one walk with many roots.

Between two players only the smaller stack counts, because nobody can lose more. Each hand of a freezeout is played on the
tree of the game with that stack.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from math import gcd

import numpy as np

from smoothcall.errors import UsageError
from smoothcall.games.rules import PokerRules
from smoothcall.information.game import Game
from smoothcall.kernels.simulation.observations import PublicNodes
from smoothcall.kernels.tables import Array, Walk, read_only
from smoothcall.progress import report

MAX_STACKS = 1000  # stack sizes
MAX_NODES = 2**24  # observations hold node numbers as float32


@dataclass(frozen=True, eq=False)
class StackTrees:
    """N nodes; those of one tree are contiguous, and children come after parents."""

    rules: PokerRules
    actions: tuple[str, ...]  # [A]
    unit: int  # stacks are multiples of so many chips
    root: Array  # [stack / unit + 1] int32: node where a hand with so many units begins; -1 for none
    walk: Walk  # with no deals and no rows
    public: PublicNodes
    depth: int  # most moves in a hand


@cache
def stack_trees(rules: PokerRules, *, full_stacks: bool = False) -> StackTrees:
    """Return the trees of a no-limit game for two. If its raises are whole bets, stacks stay multiples of the blinds' unit.

    With `full_stacks` there is only the tree in which both players have all their chips: for hands, not for freezeouts.
    """
    if rules.seats != 2 or rules.limit or rules.menu is None:
        raise UsageError(f"{rules.name}: freezeouts are played in no-limit games for two with a menu of raises, such as x1+x2")
    factors = [int(item[1:]) for item in rules.menu.items if item.startswith("x")]
    if factors != sorted(factors):
        raise UsageError(
            f"bet menu {str(rules.menu)!r} of {rules.name} (accepted in freezeouts: from the smallest raise to the largest)"
        )
    assert rules.stack is not None
    unit = gcd(*rules.blinds, *rules.antes, *(street.bet for street in rules.streets), rules.stack)
    unit = 1 if any(item[0].isdigit() or item == "pot" for item in rules.menu.items) else unit
    depth, count = 0, rules.stack // unit
    sizes = range(count if full_stacks else 1, count + 1)
    parts, root, nodes, endings = list[tuple[Array, ...]](), [-1] * sizes.start, 0, 0
    if len(sizes) > MAX_STACKS:
        raise UsageError(
            f"{rules.name}: a freezeout may leave any of {count:,} stacks (accepted: at most {MAX_STACKS:,}; a menu of "
            "whole bets, such as x1+x2, leaves fewer)"
        )
    for units in sizes:
        made = Game(replace(rules, stack=units * unit))
        tree, (ending, payoff) = made.tree, made.settled
        last, size = tree.last_moves
        child = np.where(tree.child >= 0, tree.child + nodes, -1).astype(np.int32)
        ending = np.where(ending >= 0, ending + endings, -1).astype(np.int32)
        parts.append((tree.kind, tree.player, tree.round, child, ending, payoff, tree.paid.astype(np.int32), last, size))
        root.append(nodes)
        nodes, endings, depth = nodes + tree.nodes, endings + len(payoff), max(depth, tree.depth)
        if nodes > MAX_NODES:
            raise UsageError(
                f"{rules.name}: action trees of {nodes:,} nodes for every stack are too many (at most {MAX_NODES:,})"
            )
        if not full_stacks:
            report(f"action trees of {rules.name} for every stack", units / count)
    kind, player, street, child, ending, payoff, paid, last, size = (
        np.concatenate([part[field] for part in parts]) for field in range(len(parts[0]))
    )
    none = np.zeros(0, np.int32)
    walk = Walk(
        kind=read_only(kind),
        player=read_only(player),
        round=read_only(street),
        child=read_only(child),
        first_row=read_only(np.full(nodes, -1, np.int32)),
        ending=ending,
        payoff=payoff,
        bucket=np.zeros((0, rules.seats, len(rules.streets)), np.int32),
        outcome=none.astype(np.uint32),
        accept=np.zeros(0),
        alias=none,
    )
    return StackTrees(
        rules, ("f", "c", *rules.menu.items), unit, np.array(root, np.int32), walk, PublicNodes(paid, last, size), depth
    )

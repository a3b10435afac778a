"""Self-play Monte-Carlo tree search over information states: UCT and Smooth UCT in one loop (Heinrich and Silver 2014).

An episode is one sampled hand. Each player who learns has a tree of rows: inside it an action is selected, the first row
outside it is added to it and from there on that player plays at random. Then every row passed in a tree learns the return.

An episode is a chain of loads and draws, each waiting for the one before. So whatever a selection needs besides the draw is
worked out when a row learns, where nothing waits for it: means, the widths of bounds, the share of the mixing schedule.
Illegal actions need no test: their mean is -inf and their visits are 0.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from smoothcall.kernels import inlined, kernel
from smoothcall.kernels.matching import choose
from smoothcall.kernels.parts import add_up, put_down, until_renewal
from smoothcall.kernels.random import draw, draw_deal
from smoothcall.kernels.tables import Array, Walk

CONSTANT, DECAY, GREATEST, SLOW = 0, 1, 2, 3  # mixing schedules


class Mixing(NamedTuple):
    """How often a selection looks for the best action, by upper confidence bounds, instead of playing the average policy."""

    schedule: int
    eta: float  # CONSTANT: how often; DECAY: at the start
    gamma: float  # DECAY: at least
    d: float  # DECAY: how fast
    patience: float  # visits of a row below which it always plays the average policy


class Tree(NamedTuple):
    """All players' trees. What was learned, and what follows from it."""

    visits: Array  # [rows, A]
    returns: Array  # [rows, A] sums of returns
    mean: Array  # [rows, A] returns / visits; -inf where illegal
    narrow: Array  # [rows, A] 1 / sqrt(visits); inf where never tried, 0 where illegal
    total: Array  # [rows] visits of the row; it is in the tree when there is one
    wide: Array  # [rows] sqrt(log(total))
    share: Array  # [rows] how often to select by bounds


class Choices(NamedTuple):
    """What can be done at each node, for moves at random, and how wide its bounds are."""

    legal: Array  # [N, A] uint32: the legal slots first
    number: Array  # [N] float64: how many there are
    explore: Array  # [N] float64: the exploration constant


@inlined
def share_of_bounds(mixing: Mixing, total: float, most: float) -> float:
    """How often to select by bounds at a row with so many visits, `most` of them of one action."""
    if total < mixing.patience:
        return 0.0
    if mixing.schedule == CONSTANT:
        return mixing.eta
    if mixing.schedule == DECAY:
        return max(mixing.gamma, mixing.eta / (1.0 + mixing.d * float(np.sqrt(total))))
    if mixing.schedule == GREATEST:
        return most / total
    return 0.9 * 10000.0 / (10000.0 + float(np.sqrt(total)))


@inlined
def refresh_row(tree: Tree, row: int, total: float, mixing: Mixing) -> None:
    """What follows from a row's number of visits."""
    tree.total[row] = total
    tree.wide[row] = np.sqrt(np.log(total)) if total > 1 else 0.0
    most = 0.0
    if mixing.schedule == GREATEST:
        for action in range(tree.visits.shape[1]):
            most = max(most, tree.visits[row, action])
    tree.share[row] = share_of_bounds(mixing, total, most)


@kernel
def refresh(tree: Tree, mixing: Mixing) -> None:
    """Work out everything that follows from visits and returns."""
    for row in range(len(tree.total)):
        total = 0.0
        for action in range(tree.visits.shape[1]):
            visits = tree.visits[row, action]
            total += visits
            if visits > 0:
                tree.mean[row, action] = tree.returns[row, action] / visits
                tree.narrow[row, action] = 1.0 / np.sqrt(visits)
        if total > 0:
            refresh_row(tree, row, total, mixing)


@inlined
def learn(tree: Tree, row: int, action: int, payoff: float, mixing: Mixing) -> None:
    visits, returns = tree.visits[row, action] + 1.0, tree.returns[row, action] + payoff
    tree.visits[row, action], tree.returns[row, action] = visits, returns
    tree.mean[row, action], tree.narrow[row, action] = returns / visits, 1.0 / np.sqrt(visits)
    refresh_row(tree, row, tree.total[row] + 1.0, mixing)


@inlined
def best_by_bounds(tree: Tree, row: int, explore: float) -> int:
    """The first action with the highest mean return + explore * sqrt(log(visits of the row) / its visits)."""
    width, best, chosen = max(explore * tree.wide[row], 1e-12), -np.inf, 0  # above 0: what was never tried comes first
    for action in range(tree.mean.shape[1]):
        bound = tree.mean[row, action] + width * tree.narrow[row, action]
        better = bound > best
        best = bound if better else best
        chosen = action if better else chosen
    return chosen


@inlined
def from_average(tree: Tree, row: int, number: float) -> int:
    """The action of the average policy that a number in [0, 1) falls on."""
    left, chosen = number * tree.total[row], 0
    for action in range(tree.visits.shape[1] - 1):
        left -= tree.visits[row, action]
        chosen += left >= 0
    while tree.visits[row, chosen] == 0:  # a number that rounding brought to 1
        chosen -= 1
    return chosen


@inlined
def select(tree: Tree, row: Any, explore: float, number: float) -> int:
    """The action of the tree policy. One number in [0, 1) decides between bounds and average, and within the latter."""
    share = tree.share[row]
    if number < share:
        return best_by_bounds(tree, row, explore)
    return from_average(tree, row, (number - share) / (1.0 - share))


@kernel
def iterate(
    walk: Walk, tree: Tree, choices: Choices, mixing: Mixing, fixed: Array, learners: int, earned: Array, generator: Array,
    count: int,
) -> int:  # fmt: skip
    """`count` episodes. Returns the nodes visited.

    learners: a bit per player who learns, the others play fixed[rows, A]; earned[P]: chips each player has won so far.
    """
    players, depth = walk.bucket.shape[1], len(walk.kind)
    passed, taken, whose = np.empty(depth, np.uint64), np.empty(depth, np.uint64), np.empty(depth, np.uint64)
    visited = 0
    for _ in range(count):
        deal = np.uint32(draw_deal(walk, generator))
        node, steps, outside = np.uint32(0), 0, 0
        visited += 1
        while walk.player[node] >= 0:
            actor, street = np.uint32(walk.player[node]), np.uint32(walk.round[node])
            row = np.uint64(walk.first_row[node] + walk.bucket[deal, actor, street])
            number, action = draw(generator), np.uint32(0)
            if not (learners >> actor) & 1:
                action = np.uint32(choose(fixed[row], number))
            elif (outside >> actor) & 1:
                action = choices.legal[node, np.uint32(number * choices.number[node])]
            else:
                if tree.total[row] > 0:
                    action = np.uint32(select(tree, row, choices.explore[node], number))
                else:
                    outside |= 1 << int(actor)
                    action = choices.legal[node, np.uint32(number * choices.number[node])]
                passed[steps], taken[steps], whose[steps] = row, action, actor
                steps += 1
            node = np.uint32(walk.child[node, action])
            visited += 1
        ending = np.uint32(walk.ending[node])
        for player in range(players):
            earned[player] += walk.payoff[ending, deal, player]
        for step in range(steps):
            learn(tree, passed[step], taken[step], walk.payoff[ending, deal, whose[step]], mixing)
    return visited


@kernel
def iterate_together(
    walk: Walk, visits: Array, returns: Array, thread: int, start: int, tree: Tree, choices: Choices,
    mixing: Mixing, fixed: Array, learners: int, earned: Array, generator: Array, count: int,
) -> int:  # fmt: skip
    """The same beside other threads, on visits and returns[threads, rows, A] (see `kernels.parts`); `tree` is its own."""
    before_visits, before_returns = np.empty_like(tree.visits), np.empty_like(tree.returns)
    visited, done = 0, 0
    while done < count:
        some = until_renewal(tree.visits.size, start + done * len(visits), count - done)
        add_up(visits, before_visits)
        add_up(returns, before_returns)
        tree.visits[:] = before_visits
        tree.returns[:] = before_returns
        refresh(tree, mixing)
        visited += iterate(walk, tree, choices, mixing, fixed, learners, earned, generator, some)
        put_down(visits[thread], tree.visits, before_visits)
        put_down(returns[thread], tree.returns, before_returns)
        done += some
    return visited

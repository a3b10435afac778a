"""Self-play Monte-Carlo tree search over information states: UCT and Smooth UCT (Heinrich and Silver 2014).

An episode is one sampled hand. Each learning player has a tree of rows. Inside it a player selects actions; the first row
outside it joins the tree, and from there on that player acts uniformly at random. Then every row passed in a tree learns the
return of the hand.

An episode is a chain of loads and draws, each waiting for the one before. So a row is one record, which in large games costs
one cache line instead of six; and the columns that a selection derives from visits are computed when the row learns, where
nothing waits for them. Illegal actions need no test: their mean is -inf.

**Exact fold values.** A fold costs what its player has paid, whatever cards come. With an exact fold slot that is the fold's
mean from the start, and every visit of a row counts as one of its fold, so no fold is played to learn its value. The fold's
upper confidence bound uses the visits of the row as n; without this term the fold would lose every tie.
With sampled folds, as in the papers, a fold is an action like any other: every row folds now and then to learn its value, and
Smooth UCT repeats that as part of its average policy.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from smoothcall.kernels import callee, inlined, kernel
from smoothcall.kernels.random import draw, draw_index
from smoothcall.kernels.solvers.threads import until_renewal
from smoothcall.kernels.tables import Array, Integer

CONSTANT, DECAY, GREATEST, SLOW = 0, 1, 2, 3  # mixing schedules
MIN_FOLD_VISITS = 10  # a row with fewer does not fold by an exact value: one lost hand says nothing about the other actions
MIN_WIDTH = 1e-12  # of confidence bounds: unvisited actions are tried first even without exploration

# A row of tree[rows, 3 A + 2] is the record of an information state: three blocks of A columns, then two columns.
VISITS, MEAN, ROOT, REST = np.uint32(0), np.uint32(1), np.uint32(2), np.uint32(3)  # the block's first column is a multiple of A
# VISITS: of each action.
# MEAN: return, chips; -inf where illegal.
# ROOT: 1 / sqrt(visits); inf where unvisited, 0 where illegal.
#     An exact fold: 1 / sqrt(visits of the row), -inf below MIN_FOLD_VISITS.
LOG, ETA = np.uint32(0), np.uint32(1)  # columns behind the blocks: sqrt(log(visits of the row)); eta
OUTSIDE = -1.0  # eta of a row that is not in the tree


class Mixing(NamedTuple):
    """When a selection uses upper confidence bounds instead of the average policy."""

    schedule: int
    eta: float  # CONSTANT: the probability of upper confidence bounds; DECAY: that of the start
    gamma: float  # DECAY: lower limit of eta
    d: float  # DECAY: speed
    patience: float  # visits below which a row plays its average policy only
    exact_fold: int  # slot of the action with an exact value, or NO_SLOT (tables.py)
    max_visits: float  # of an action; those of its row are then halved: float32 counts to 2 ** 24


class Nodes(NamedTuple):
    """The D decisions of the action tree, renumbered in tree order."""

    record: Array  # [D, SLOTS + 2 A] int32: the columns below, then slots to play at random, then the child of each action
    explore: Array  # [D] float32: the exploration constant c of the confidence bounds


PLAYER, STREET, FIRST_ROW, OPEN, SLOTS = 0, 1, 2, 3, 4  # columns of Nodes.record; OPEN: how many slots to play at random


@inlined
def leaf_code(ending: Integer) -> Integer:
    """Return what stands for a terminal node where a child's number is expected; its own inverse."""
    return -1 - ending


@inlined
def eta_of(mixing: Mixing, total: float, most: float) -> float:
    """Return eta, the probability of upper confidence bounds, at a row with `total` visits, `most` of them of one action."""
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
def inverse_root(visits: float) -> float:
    """Return 1 / sqrt(visits) of visits as the tree stores them, so that a restored tree has the same bits."""
    return 1.0 / float(np.sqrt(np.float64(visits)))


@inlined
def derive_row(tree: Array, row: Integer, actions: Integer, mixing: Mixing) -> None:
    """Compute the columns of a row that follow from the visits of all its actions."""
    total, most, rest = 0.0, 0.0, REST * actions
    for action in range(actions):
        total += tree[row, action]
        most = max(most, tree[row, action])
    if mixing.exact_fold >= 0:
        fold = ROOT * actions + np.uint32(mixing.exact_fold)
        tree[row, fold] = 1.0 / np.sqrt(total) if total >= MIN_FOLD_VISITS else -np.inf
    tree[row, rest + LOG] = np.sqrt(np.log(total))
    tree[row, rest + ETA] = eta_of(mixing, total, most)


@inlined
def derive_record(tree: Array, row: Integer, actions: Integer, mixing: Mixing) -> None:
    """Compute every column of a row that follows from visits and means. A row without visits leaves the tree."""
    visited = False
    for action in range(actions):
        root = ROOT * actions + action
        if tree[row, action] > 0:
            tree[row, root] = inverse_root(tree[row, action])
            visited = True
        elif tree[row, MEAN * actions + action] == -np.inf:
            tree[row, root] = 0.0
        else:
            tree[row, root] = -np.inf if action == mixing.exact_fold else np.inf
    if visited:
        derive_row(tree, row, actions, mixing)
    else:
        tree[row, REST * actions + LOG] = 0.0
        tree[row, REST * actions + ETA] = OUTSIDE


@kernel
def derive(tree: Array, mixing: Mixing) -> None:
    """Compute the columns of all rows that follow from visits and means."""
    actions = np.uint32((tree.shape[1] - 2) // 3)
    for row in range(len(tree)):
        derive_record(tree, row, actions, mixing)


@kernel
def derive_rows(tree: Array, rows: Array, mixing: Mixing) -> None:
    """Compute the columns of rows[n] that follow from visits and means."""
    actions = np.uint32((tree.shape[1] - 2) // 3)
    for number in range(len(rows)):
        derive_record(tree, rows[number], actions, mixing)


@kernel
def clear(
    tree: Array, child: Array, first_row: Array, street: Array, buckets: Array, player: Array, paid: Array, mixing: Mixing
) -> None:
    """Write empty records for all rows. child[N, A], first_row[N], street[N], buckets[R], player[N], paid[N, P] chips."""
    actions = child.shape[1]
    for node in range(len(child)):
        if first_row[node] < 0:
            continue
        for row in range(first_row[node], first_row[node] + buckets[street[node]]):
            for action in range(actions):
                legal = child[node, action] >= 0
                tree[row, action] = 0.0
                tree[row, actions + action] = 0.0 if legal else -np.inf
                if legal and action == mixing.exact_fold:
                    tree[row, actions + action] = -paid[node, player[node]]
    derive(tree, mixing)


@inlined
def learn(tree: Array, row: Integer, action: Integer, actions: Integer, payoff: float, mixing: Mixing) -> None:
    """Count a visit of an action and move its mean towards the pay-off."""
    if tree[row, action] >= mixing.max_visits:
        for other in range(actions):
            tree[row, other] *= 0.5
            if tree[row, other] > 0:
                tree[row, ROOT * actions + other] = inverse_root(tree[row, other])
    tree[row, action] += 1.0
    visits, mean = np.float64(tree[row, action]), tree[row, MEAN * actions + action]
    tree[row, MEAN * actions + action] = mean + (payoff - mean) / visits
    tree[row, ROOT * actions + action] = inverse_root(visits)
    derive_row(tree, row, actions, mixing)


@inlined
def best_by_bounds(tree: Array, row: Integer, actions: Integer, explore: float) -> Integer:
    """Return the first action with the highest upper confidence bound: mean + explore * sqrt(log N / n)."""
    chosen: Integer = np.uint64(0)
    best = -np.inf
    explore = max(explore * tree[row, REST * actions + LOG], MIN_WIDTH)
    for action in range(actions):
        bound = tree[row, MEAN * actions + action] + explore * tree[row, ROOT * actions + action]
        better = bound > best  # False where illegal: the bound is -inf
        best = bound if better else best
        chosen = action if better else chosen
    return chosen


@inlined
def from_average(tree: Array, row: Integer, actions: Integer, number: float) -> Integer:
    """Return the action of the average policy, the visits, that a number in [0, 1) falls on.

    The result is that of `draw_index`. This form has no branches and measured faster here, where averages mix.
    """
    chosen: Integer = np.uint64(0)
    total = 0.0
    for action in range(actions):
        total += tree[row, action]
    left = number * total
    for action in range(actions - np.uint32(1)):
        left -= tree[row, action]
        chosen += np.uint64(left >= 0)
    while tree[row, chosen] == 0:  # rounding brought the number to 1
        chosen -= np.uint64(1)
    return chosen


@inlined
def select(tree: Array, row: Integer, actions: Integer, explore: float, eta: float, number: float) -> Integer:
    """Return the best action by upper confidence bounds with probability eta, else an action of the average policy.
    One number in [0, 1) decides both."""
    if number < eta:
        return best_by_bounds(tree, row, actions, explore)
    return from_average(tree, row, actions, (number - eta) / (1.0 - eta))


class Play(NamedTuple):
    """The learners, the fixed policies of the other players, winnings so far, and scratch for one episode."""

    learners: int  # a bit per player who learns
    fixed: Array  # [rows, A] probabilities of the other players times `scale`; [0, A] where all learn
    scale: float
    earned: Array  # [P] chips each player has won so far
    row: Array  # [depth] uint64: scratch, the learners' moves of one episode
    action: Array  # [depth] uint64
    actor: Array  # [depth] uint64


@kernel
def play_deals(
    nodes: Nodes, payoff: Array, bucket: Array, outcome: Array, deals: Array, tree: Array, mixing: Mixing, play: Play,
    generator: Array,
) -> int:  # fmt: skip
    """Play one episode for each of `deals`, indices of bucket[D, P, R] and outcome[D]. Return the number of nodes visited."""
    actions = np.uint32((nodes.record.shape[1] - SLOTS) // 2)
    first, leads, eta_column = np.uint32(SLOTS), np.uint32(SLOTS) + actions, REST * actions + ETA
    visited = 0
    for number_of_deal in range(len(deals)):
        deal = deals[number_of_deal]
        node, steps, outside = 0, 0, 0
        visited += 1
        while node >= 0:
            place = np.uint32(node)
            actor, street = np.uint32(nodes.record[place, PLAYER]), np.uint32(nodes.record[place, STREET])
            row = np.uint64(nodes.record[place, FIRST_ROW] + bucket[deal, actor, street])
            number, action = draw(generator), np.uint32(0)
            if not (play.learners >> actor) & 1:
                action = np.uint32(draw_index(play.fixed[row], actions, number * play.scale))
            elif (outside >> actor) & 1:
                action = np.uint32(nodes.record[place, first + np.uint32(number * nodes.record[place, OPEN])])
            else:
                eta = tree[row, eta_column]
                if eta >= 0:
                    action = np.uint32(select(tree, row, actions, nodes.explore[place], eta, number))
                else:
                    outside |= 1 << int(actor)
                    action = np.uint32(nodes.record[place, first + np.uint32(number * nodes.record[place, OPEN])])
                play.row[steps], play.action[steps], play.actor[steps] = row, action, actor
                steps += 1
            node = nodes.record[place, leads + action]
            visited += 1
        ending, compared = np.uint32(leaf_code(node)), outcome[deal]
        for player in range(len(play.earned)):
            play.earned[player] += payoff[ending, compared, player]
        for step in range(steps):
            learn(tree, play.row[step], play.action[step], actions, payoff[ending, compared, play.actor[step]], mixing)
    return visited


class Shared(NamedTuple):
    """Per-thread tables of T threads, whose sum all threads know (see `kernels.solvers.threads`), and one thread's scratch."""

    visits: Array  # [T, rows, A]
    returns: Array  # [T, rows, A] chips, sums
    total_visits: Array  # [rows, A] scratch: the sums at the last renewal
    total_returns: Array  # [rows, A]


@kernel
def play_shared(
    shared: Shared, thread: int, start: int, nodes: Nodes, payoff: Array, bucket: Array, outcome: Array, deals: Array,
    tree: Array, mixing: Mixing, play: Play, generator: Array,
) -> int:  # fmt: skip
    """Play episodes beside other threads, on a tree of this thread's own. `start`: episodes of all threads before these."""
    visited, done, count = 0, 0, len(deals)
    while done < count:
        some = until_renewal(shared.total_visits.size, start + done * len(shared.visits), count - done)
        renew(shared, tree, mixing)
        these = deals[done : done + some]
        visited += play_deals(nodes, payoff, bucket, outcome, these, tree, mixing, play, generator)
        put_down(shared, thread, tree)
        done += some
    return visited


@kernel
def renew(shared: Shared, tree: Array, mixing: Mixing) -> None:
    """Bring a tree up to what all threads know."""
    rows, actions = shared.total_visits.shape
    shared.total_visits[:] = 0.0
    shared.total_returns[:] = 0.0
    for thread in range(len(shared.visits)):
        for row in range(rows):
            for action in range(actions):
                shared.total_visits[row, action] += shared.visits[thread, row, action]
                shared.total_returns[row, action] += shared.returns[thread, row, action]
    for row in range(rows):
        for action in range(actions):
            visits = shared.total_visits[row, action]
            tree[row, action] = visits
            if visits > 0:
                tree[row, actions + action] = shared.total_returns[row, action] / visits
    derive(tree, mixing)


@callee
def put_down(shared: Shared, thread: int, tree: Array) -> None:
    """Add to a thread's tables what its tree has learned since the last renewal."""
    rows, actions = shared.total_visits.shape
    for row in range(rows):
        for action in range(actions):
            visits, before = tree[row, action], shared.total_visits[row, action]
            if visits > before:
                shared.visits[thread, row, action] += visits - before
                shared.returns[thread, row, action] += tree[row, actions + action] * visits - shared.total_returns[row, action]

"""CFR with public chance sampling (Johanson et al. 2012a): a whole board is drawn, and all hands learn on it, by bucket.

The action tree is cut before the last street. What is before is the *trunk*, swept once for a board; the last street is swept
part by part. Hands keep one order, that of their strength on the whole board, on all streets, so that vectors go from street
to street as they are, and an all-in before the last street is a showdown in the trunk.

A sweep finds the reach of the player who does not learn from the root down, adds it to that player's average policy, and
brings the learner's values from the endings up. On the last street a player may respond best with real cards: CFR-BR
(Johanson et al. 2012b) with the streets before as its trunk.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from smoothcall.kernels import callee, kernel
from smoothcall.kernels.random import draw
from smoothcall.kernels.search.drawn_boards import Strategy
from smoothcall.kernels.search.lanes import fill, gather, load, store, total
from smoothcall.kernels.search.sweep import (
    DECISION,
    Betting,
    Boards,
    Scratch,
    add_values,
    block_width,
    stride_of,
    value_endings,
)
from smoothcall.kernels.tables import CALL, Array
from smoothcall.kernels.vectors import copy


class Work(NamedTuple):
    """Buffers of a sweep."""

    share: Array  # [A, K] float32: probability of each action by local bucket
    choice: Array  # [nodes of the last street, W] uint8: actions of a best response on the last street
    generator: Array  # [4] uint64: draws which nodes are visited
    sums: Array  # [A + 1, K] float32: values of each action, or reach, by local bucket


class Tree(NamedTuple):
    """The action tree in two pieces."""

    trunk: Betting
    last: Betting
    street: Array  # [nodes of the trunk] int8
    entry: Array  # [entries of the last street] int32: nodes of the trunk


class Sweep(NamedTuple):
    """What one sweep does."""

    player: int  # who learns
    respond: bool  # the learner responds best on the last street, instead of learning there
    chosen: bool  # the other player follows `Work.choice` on the last street
    least: float  # nodes that the other player reaches with less probability are visited at random; 0: all are visited
    regret: float  # weight of this sweep among the learner's regrets
    average: float  # weight among the other player's policies; 0: they are not averaged


@callee
def _match(strategy: Strategy, row: int, slot: Array, actions: int, board: int, street: int, share: Array) -> None:
    """Write share[actions, K]: regret matching at the row of each local bucket."""
    regret, bucket = strategy.regret.reshape(-1), strategy.bucket[board, street]
    even, step, none = np.float32(1.0 / actions), np.uint64(strategy.regret.shape[1]), np.float32(0)
    for k in range(np.uint32(strategy.buckets[board, street])):
        at, total = np.uint64(row + bucket[k]) * step, none
        for action in range(np.uint32(actions)):
            total += max(regret[at + np.uint64(slot[action])], none)
        if total > 0:
            factor = np.float32(1) / total
            for action in range(np.uint32(actions)):
                share[action, k] = max(regret[at + np.uint64(slot[action])], none) * factor
        else:
            for action in range(np.uint32(actions)):
                share[action, k] = even


@callee
def _sum_buckets(vectors: Array, one: int, other: int, order: Array, first: Array, count: int, sums: Array) -> None:
    """Write sums[2, K]: two of the vectors, summed over the hands of each local bucket.

    Two at a time share the reading of `order`; unsigned indices and float32 sums make it three times as fast.
    """
    flat, width = vectors.reshape(-1), np.uint64(vectors.shape[1])
    begin, begin_other = np.uint64(one) * width, np.uint64(other) * width
    for k in range(np.uint32(count)):
        total, total_other = np.float32(0), np.float32(0)
        for n in range(np.uint32(first[k]), np.uint32(first[k + 1])):
            hand = np.uint64(order[n])
            total += flat[begin + hand]
            total_other += flat[begin_other + hand]
        sums[0, k] = total
        sums[1, k] = total_other


@callee
def _act(
    strategy: Strategy,
    row: int,
    slot: Array,
    actions: int,
    board: int,
    street: int,
    weight: float,
    reach: Array,
    before: int,
    after: Array,
    found: Array,
    stride: int,
    work: Work,
) -> None:
    """Write the reach behind each action, and whether there is any to found[actions]; add the policy to the average.

    `before` and after[actions] are vectors of `reach`.
    """
    share, count = work.share, strategy.buckets[board, street]
    _match(strategy, row, slot, actions, board, street, share)
    if weight > 0:
        held, bucket, average = work.sums[0], strategy.bucket[board, street], strategy.average
        _sum_buckets(reach, before, before, strategy.order[board, street], strategy.first[board, street], count, work.sums)
        for k in range(np.uint32(count)):
            if held[k] > 0:
                for action in range(np.uint32(actions)):
                    average[row + bucket[k], slot[action]] += np.float32(weight) * held[k] * share[action, k]
    local, blocks, step = strategy.local[board, street], reach.shape[1] // stride_width(reach), share.shape[1]
    for action in range(actions):
        come = fill(reach, 0.0)
        for block in range(stride):
            each = load(reach, before * blocks + block) * gather(reach, share, action * step, 1, local, block)
            come = come + each
            store(reach, after[action] * blocks + block, each)
        found[action] = total(come)


@callee
def stride_width(reach: Array) -> int:
    """Return the numbers of a block of lanes."""
    return 64 // reach.itemsize


@callee
def _follow(choice: Array, actions: int, reach: Array, before: int, after: Array, found: Array, hands: int) -> None:
    """Write the reach behind each action of a best response, choice[W], and whether there is any to found[actions]."""
    come = reach[before]
    for action in range(actions):
        behind = reach[after[action]]
        found[action] = 0
        for n in range(hands):
            each = come[n] if choice[n] == action else np.float32(0)
            behind[n] = each
            found[action] += each
        behind[hands:] = 0


@callee
def _walk_down(
    betting: Betting,
    first: int,
    last: int,
    board: int,
    sweep: Sweep,
    strategy: Strategy,
    rows: Array,
    streets: Array,
    boards: Boards,
    scratch: Scratch,
    work: Work,
) -> None:
    """Find the reach of the player who does not learn at nodes first:last from their roots down, and which are reached.

    streets[nodes], or the last street where it is empty.
    """
    reached, most = scratch.reached, betting.child.shape[1]
    after, found = np.empty(most, np.int64), np.empty(most)
    hands, stride = boards.hands[1 - sweep.player, board], stride_of(boards, 1 - sweep.player, board, block_width(scratch))
    for node in range(first, last):
        if betting.kind[node] != DECISION:
            continue
        actions = betting.actions[node]
        found[:] = 1
        if betting.player[node] != sweep.player and reached[node - first]:
            for action in range(actions):
                after[action] = betting.child[node, action] - first
            before = betting.source[sweep.player, node] - first
            if len(streets) == 0 and sweep.chosen:
                _follow(work.choice[node], actions, scratch.reach, before, after, found, hands)
            else:
                street = streets[node] if len(streets) else strategy.buckets.shape[1] - 1
                _act(
                    strategy, rows[node], betting.slot[node], actions, board, street, sweep.average, scratch.reach,
                    before, after, found, stride, work,
                )  # fmt: skip
            if sweep.least > 0:
                _visit_at_random(scratch.reach, after, actions, found, sweep.least * hands, stride, work.generator)
        for action in range(actions):
            reached[betting.child[node, action] - first] = reached[node - first] and found[action] > 0


@callee
def _visit_at_random(
    reach: Array, after: Array, actions: int, found: Array, least: float, stride: int, generator: Array
) -> None:
    """Drop vectors with a sum found[action] below `least`, each with the probability 1 - found[action] / least.

    Those that stay are scaled up to that sum, so that every sum of them has the same expectation as before.
    """
    blocks = reach.shape[1] // stride_width(reach)
    for action in range(actions):
        if 0 < found[action] < least:
            if draw(generator) * least < found[action]:
                times = fill(reach, np.float32(least / found[action]))
                for block in range(after[action] * blocks, after[action] * blocks + stride):
                    store(reach, block, load(reach, block) * times)
            else:
                found[action] = 0


@callee
def _learn(
    strategy: Strategy,
    row: int,
    slot: Array,
    actions: int,
    board: int,
    street: int,
    weight: float,
    value: Array,
    own: int,
    below: Array,
    stride: int,
    work: Work,
) -> None:
    """Write the mean of the actions' values under the current policy; add the regrets of each bucket, summed over its hands."""
    share, sums, count = work.share, work.sums, strategy.buckets[board, street]
    _match(strategy, row, slot, actions, board, street, share)
    bucket, width = strategy.bucket[board, street], value.shape[1]
    for action in range(0, actions, 2):
        other, order = min(action + 1, actions - 1), strategy.order[board, street]
        _sum_buckets(value, below[action], below[other], order, strategy.first[board, street], count, sums[action:])
    regret, step = strategy.regret.reshape(-1), np.uint64(strategy.regret.shape[1])
    for k in range(np.uint32(count)):
        mean, at = np.float32(0), np.uint64(row + bucket[k]) * step
        for action in range(np.uint32(actions)):
            mean += sums[action, k] * share[action, k]
        for action in range(np.uint32(actions)):
            regret[at + np.uint64(slot[action])] += np.float32(weight) * (sums[action, k] - mean)
    local, blocks, place = strategy.local[board, street], width // stride_width(value), share.shape[1]
    for block in range(stride):
        come = fill(value, 0.0)
        for action in range(actions):
            each = gather(value, share, action * place, 1, local, block)
            come = come + load(value, below[action] * blocks + block) * each
        store(value, own * blocks + block, come)


@callee
def _respond(value: Array, own: int, below: Array, actions: int, choice: Array) -> None:
    """Write the greatest of the actions' values, and the action that has it to choice[W]."""
    best, numbers = value[own], value.shape[1]
    for n in range(numbers):
        best[n] = value[below[0], n]
        choice[n] = 0
    for action in range(1, actions):
        each = value[below[action]]
        for n in range(numbers):
            better = each[n] > best[n]
            best[n] = each[n] if better else best[n]
            choice[n] = np.uint8(action) if better else choice[n]


@callee
def _walk_up(
    betting: Betting,
    first: int,
    last: int,
    board: int,
    sweep: Sweep,
    strategy: Strategy,
    rows: Array,
    streets: Array,
    boards: Boards,
    scratch: Scratch,
    work: Work,
) -> None:
    """Find the learner's values at the decisions among nodes first:last, from the endings up, and let it learn or respond."""
    value, below = scratch.value, np.empty(betting.child.shape[1], np.int64)
    width = block_width(scratch)
    blocks, stride = value.shape[1] // width, stride_of(boards, sweep.player, board, width)
    responds = sweep.respond and len(streets) == 0
    for node in range(last - 1, first - 1, -1):
        if betting.kind[node] != DECISION:
            continue
        own, actions, learns = node - first, int(0), betting.player[node] == sweep.player
        if not scratch.reached[own]:
            if responds and learns:  # every action is a best response: it checks or calls
                for action in range(betting.actions[node]):
                    if betting.slot[node, action] == CALL:
                        work.choice[node] = action
            continue
        for action in range(betting.actions[node]):
            child = betting.child[node, action] - first
            if scratch.reached[child]:
                below[actions] = child if learns else child * blocks
                actions += 1
        if not learns:
            if actions == 0:  # its reach is too small for a number
                value[own] = 0
            else:
                add_values(value, own * blocks, below, actions, stride)
        elif responds:
            _respond(value, own, below, actions, work.choice[node])
        else:
            street = streets[node] if len(streets) else strategy.buckets.shape[1] - 1
            _learn(
                strategy, rows[node], betting.slot[node], actions, board, street, sweep.regret, value, own, below, stride, work
            )  # fmt: skip


@callee
def _sweep(
    tree: Tree,
    boards: Boards,
    board: int,
    sweep: Sweep,
    own: Strategy,
    other: Strategy,
    trunk: Scratch,
    late: Scratch,
    work: Work,
) -> int:
    """Sweep the tree on one board. Return the number of nodes visited."""
    none, part_0, top, nodes = tree.street[:0], int(0), tree.trunk.root[0], tree.trunk.root[-1]  # no literals: see `sweep`
    trunk.reach[0] = 0
    trunk.reach[0, : boards.hands[1 - sweep.player, board]] = 1
    trunk.reached[0] = True
    _walk_down(tree.trunk, top, nodes, board, sweep, other, other.trunk_row, tree.street, boards, trunk, work)
    visited, betting = len(tree.trunk.kind), tree.last
    for part in range(len(betting.part) - 1):
        begin, end = betting.part[part], betting.part[part + 1]
        first, last = betting.root[begin], betting.root[end]
        for entry in range(begin, end):
            node, root = tree.entry[entry], betting.root[entry] - first
            late.reached[root] = trunk.reached[node]
            if late.reached[root]:
                copy(trunk.reach[tree.trunk.source[sweep.player, node]], late.reach[root])
                visited += betting.root[entry + 1] - betting.root[entry]
        _walk_down(betting, first, last, board, sweep, other, other.last_row, none, boards, late, work)
        value_endings(betting, part, first, sweep.player, boards, board, late)
        _walk_up(betting, first, last, board, sweep, own, own.last_row, none, boards, late, work)
        for entry in range(begin, end):
            root = betting.root[entry] - first
            if late.reached[root]:
                copy(late.value[root], trunk.value[tree.entry[entry]])
    value_endings(tree.trunk, part_0, top, sweep.player, boards, board, trunk)
    _walk_up(tree.trunk, top, nodes, board, sweep, own, own.trunk_row, tree.street, boards, trunk, work)
    return visited


@kernel
def iterate(
    order: Array,
    done: int,
    powers: tuple[float, float],
    least: float,
    tree: Tree,
    boards: Boards,
    agent: Strategy,
    responder: Strategy,
    respond: bool,
    trunk: Scratch,
    late: Scratch,
    work: Work,
) -> int:
    """Run an iteration on each of the boards order[n], after `done` earlier ones. Return the number of nodes visited.

    Iteration t counts t^powers[0] in regrets and t^powers[1] in averages. Both players learn in turn from each other; `least`
    is that of `Sweep`. To `respond`, each learns from a responder of its own in the other seat, which learns before it.
    """
    visited = 0
    for n in range(len(order)):
        board, time = order[n], done + n + 1.0
        regret, average = time ** powers[0], time ** powers[1]
        for player in range(2):
            if respond:
                what = Sweep(1 - player, True, False, 0.0, regret, average)
                visited += _sweep(tree, boards, board, what, responder, agent, trunk, late, work)
                what = Sweep(player, False, True, 0.0, regret, 0.0)
                visited += _sweep(tree, boards, board, what, agent, responder, trunk, late, work)
            else:
                what = Sweep(player, False, False, least, regret, average)
                visited += _sweep(tree, boards, board, what, agent, agent, trunk, late, work)
    return visited

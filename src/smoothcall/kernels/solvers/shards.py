"""Learning in parts (`information.subtrees`): hands start in the trunk, go on in a shard, and come back with what they won.

A line that leaves the trunk is an ending of the trunk's tree. Its leaf code (tree search) is that of an ending behind the last
table of pay-offs; its node (regrets) has the kind ELSEWHERE.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from smoothcall.kernels import inlined, kernel
from smoothcall.kernels.random import draw, draw_index
from smoothcall.kernels.solvers.mccfr import Tables, Visits, ascend, descend
from smoothcall.kernels.solvers.uct import (
    ETA,
    FIRST_ROW,
    OPEN,
    PLAYER,
    REST,
    SLOTS,
    STREET,
    Mixing,
    Nodes,
    Play,
    leaf_code,
    learn,
    select,
)
from smoothcall.kernels.tables import ELSEWHERE, Array, Integer, Walk


class Moves(NamedTuple):
    """The learners' moves of n hands in the trunk, at most M each, and where each hand left it."""

    row: Array  # [n, M] uint64
    action: Array  # [n, M] uint64
    actor: Array  # [n, M] uint64
    steps: Array  # [n] int32: how many
    ending: Array  # [n] int32: index of the pay-offs; for lines, the number of tables + the line
    outside: Array  # [n] int32: a bit per player who has left the tree


@inlined
def play_hand(
    nodes: Nodes, tree: Array, bucket: Array, deal: Integer, actions: Integer, node: int, outside: int, play: Play,
    generator: Array,
) -> tuple[int, int, int, int]:  # fmt: skip
    """Play from a decision to an ending. Return (its leaf code, learners' moves, bits of players outside, actions taken).

    The loop is that of `uct.play_deals`, which measured 12 % slower with this function in its place.
    """
    steps, taken = 0, 0
    first, leads, eta_column = np.uint32(SLOTS), np.uint32(SLOTS) + actions, REST * actions + ETA
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
        taken += 1
    return node, steps, outside, taken


@kernel
def play_trunk(nodes: Nodes, bucket: Array, tree: Array, play: Play, moves: Moves, generator: Array) -> int:
    """Play n hands, bucket[n, P, R], in the trunk, and learn nothing yet. Return the number of nodes visited."""
    actions, visited = np.uint32((nodes.record.shape[1] - SLOTS) // 2), len(bucket)
    for hand in range(len(bucket)):
        node, steps, outside, taken = play_hand(nodes, tree, bucket, hand, actions, 0, 0, play, generator)
        for step in range(steps):
            moves.row[hand, step], moves.action[hand, step] = play.row[step], play.action[step]
            moves.actor[hand, step] = play.actor[step]
        moves.steps[hand], moves.outside[hand], moves.ending[hand] = steps, outside, leaf_code(node)
        visited += taken
    return visited


@kernel
def play_lines(
    nodes: Nodes, payoff: Array, bucket: Array, outcome: Array, entry: Array, outside: Array, tree: Array, mixing: Mixing,
    play: Play, generator: Array, chips: Array,
) -> int:  # fmt: skip
    """Play n hands from their decisions entry[n] on, and learn. Write chips[n, P], what players won. Return nodes visited."""
    actions, visited = np.uint32((nodes.record.shape[1] - SLOTS) // 2), 0
    for hand in range(len(bucket)):
        start, left = int(entry[hand]), int(outside[hand])
        node, steps, _, taken = play_hand(nodes, tree, bucket, hand, actions, start, left, play, generator)
        visited += taken
        ending = np.uint32(leaf_code(node))
        for player in range(chips.shape[1]):
            chips[hand, player] = payoff[ending, outcome[hand], player]
        for step in range(steps):
            learn(tree, play.row[step], play.action[step], actions, chips[hand, play.actor[step]], mixing)
    return visited


@kernel
def learn_trunk(tree: Array, mixing: Mixing, moves: Moves, chips: Array, earned: Array) -> None:
    """Learn from the moves of n hands in the trunk and from chips[n, P], what players won in the end."""
    actions = np.uint32((tree.shape[1] - 2) // 3)
    for hand in range(len(chips)):
        for player in range(len(earned)):
            earned[player] += chips[hand, player]
        for step in range(moves.steps[hand]):
            won = chips[hand, np.int64(moves.actor[hand, step])]
            learn(tree, moves.row[hand, step], moves.action[hand, step], actions, won, mixing)


class Jobs(NamedTuple):
    """Walks that go on below lines, in the order in which the trunk's walks list them."""

    deal: Array  # [n] int32
    node: Array  # [n] int32: of the trunk, where the line leaves it
    others: Array  # [n] reach probability of the other players / sampling probability
    own: Array  # [n] reach probability of the learner / sampling probability


@kernel
def list_lines(
    walk: Walk, bucket: Array, scheme: int, epsilon: float, regret: Array, visits: Visits, generator: Array, jobs: Jobs
) -> int:
    """Walk once through the trunk for each of n deals, bucket[n, P, R], and list the lines that are reached.

    In the walk number n player n mod P learns. Nothing is learned yet. Return the number of jobs.
    """
    players, found = bucket.shape[1], 0
    for deal in range(len(bucket)):
        visits.node[0], visits.others[0], visits.own[0] = 0, 1.0, 1.0
        count = descend(walk, bucket, 0, deal, visits, scheme, deal % players, epsilon, regret, generator)
        for visit in range(count):
            if walk.kind[visits.node[visit]] == ELSEWHERE:
                jobs.deal[found], jobs.node[found] = deal, visits.node[visit]
                jobs.others[found], jobs.own[found] = visits.others[visit], visits.own[visit]
                found += 1
    return found


@kernel
def walk_lines(
    walk: Walk, bucket: Array, outcome: Array, learner: Array, entry: Array, others: Array, own: Array, scheme: int,
    epsilon: float, tables: Tables, visits: Visits, generator: Array, value: Array,
) -> int:  # fmt: skip
    """Go on with n walks at their nodes entry[n], and learn. Write value[n], chips to the learner. Return nodes visited."""
    visited = 0
    for job in range(len(bucket)):
        visits.node[0], visits.others[0], visits.own[0] = entry[job], others[job], own[job]
        seat, compared = int(learner[job]), outcome[job]
        count = descend(walk, bucket, compared, job, visits, scheme, seat, epsilon, tables.regret, generator)
        ascend(walk, visits, count, scheme, seat, tables.regret, tables.average)
        value[job] = visits.value[0]
        visited += count
    return visited


@kernel
def learn_lines(
    walk: Walk, bucket: Array, outcome: Array, scheme: int, epsilon: float, before: Array, tables: Tables, visits: Visits,
    generator: Array, value: Array,
) -> int:  # fmt: skip
    """Repeat the walks of `list_lines` with the regrets before[rows, A] of then, and learn with the values of its jobs.

    Return the number of nodes visited.
    """
    players, visited, found = bucket.shape[1], 0, 0
    for deal in range(len(bucket)):
        learner, compared = deal % players, outcome[deal]
        visits.node[0], visits.others[0], visits.own[0] = 0, 1.0, 1.0
        count = descend(walk, bucket, compared, deal, visits, scheme, learner, epsilon, before, generator)
        visited += count
        for visit in range(count):
            if walk.kind[visits.node[visit]] == ELSEWHERE:
                visits.value[visit] = value[found]
                found += 1
                visited -= 1  # counted where the walk goes on
        ascend(walk, visits, count, scheme, learner, tables.regret, tables.average)
    return visited

"""Monte-Carlo CFR by walks through one sampled deal (Lanctot et al. 2009). Tables are [rows, A].

A walk goes down from the root and lists the nodes it visits, then goes back up the list. External sampling follows every
action of the learner; outcome sampling follows one, drawn with exploration. Both follow one action of each other player, drawn
from that player's policy. Values are divided by sampling probabilities, so that the learner's regrets are unbiased.

Chance sampling, which follows every action below one deal, is `kernels.solvers.one_deal`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from smoothcall.kernels import inlined, kernel
from smoothcall.kernels.random import draw, draw_index
from smoothcall.kernels.solvers.matching import match_regrets
from smoothcall.kernels.tables import CHANCE, DECISION, Array, Walk

EXTERNAL, OUTCOME = 0, 1  # sampling schemes


class Visits(NamedTuple):
    """The list of one walk, parents before children; at most V visits (see `max_visits`)."""

    node: Array  # [V] int32
    row: Array  # [V] int64: of the player who acts
    child: Array  # [V] int32: the first visit below this one; visits of one node's actions are contiguous
    slot: Array  # [V] int32: the action that led here
    policy: Array  # [V, A] of the player who acts
    value: Array  # [V] chips, to the learner
    sampled: Array  # [V] probability with which the walk followed the action that led here
    others: Array  # [V] reach probability of the other players / sampling probability of the visit
    own: Array  # [V] reach probability of the learner / sampling probability of the visit
    exploring: Array  # [A] scratch: the sampling policy of outcome sampling


@kernel
def max_visits(child: Array, player: Array, players: int) -> int:
    """Return the length of the longest list: external sampling follows all actions of the learner, one of the others."""
    longest, below = 0, np.zeros(len(child), np.int32)
    for learner in range(players):
        for node in range(len(child) - 1, -1, -1):
            summed, largest = 0, 0
            for action in range(child.shape[1]):
                if child[node, action] >= 0:
                    summed += below[child[node, action]]
                    largest = max(largest, below[child[node, action]])
            below[node] = 1 + (summed if player[node] == learner else largest)
        longest = max(longest, below[0])
    return longest


@inlined
def explore(child: Array, policy: Array, legal: int, epsilon: float, exploring: Array) -> None:
    """Write the sampling policy: epsilon * uniform over the legal actions (child[A] >= 0) + (1 - epsilon) * policy[A]."""
    for action in range(len(policy)):
        exploring[action] = epsilon / legal + (1.0 - epsilon) * policy[action] if child[action] >= 0 else 0.0


@inlined
def descend(
    walk: Walk, bucket: Array, outcome: int, deal: int, visits: Visits, scheme: int, learner: int, epsilon: float,
    regret: Array, generator: Array,
) -> int:  # fmt: skip
    """List the visits of one walk below visits.node[0], whose others[0] and own[0] are set. Return their number."""
    count, visit, actions = 1, 0, np.uint32(regret.shape[1])
    while visit < count:
        node = visits.node[visit]
        if walk.kind[node] != DECISION and walk.kind[node] != CHANCE:
            visits.value[visit] = walk.payoff[walk.ending[node], outcome, learner]
            visit += 1
            continue
        actor = walk.player[node]  # nobody at chance nodes, whose rows hold their probabilities in place of regrets
        row = np.int64(walk.first_row[node])
        if actor >= 0:
            row += bucket[deal, actor, walk.round[node]]
        policy, child = visits.policy[visit], walk.child[node]
        visits.row[visit] = row
        visits.child[visit] = count
        legal = match_regrets(regret[row], child, policy)
        if scheme == EXTERNAL and actor == learner:
            for action in range(len(policy)):
                if child[action] >= 0:
                    visits.node[count], visits.slot[count] = child[action], action
                    count += 1
        else:
            if actor == learner:
                explore(child, policy, legal, epsilon, visits.exploring)
                taken = draw_index(visits.exploring, actions, draw(generator))
                sampled = visits.exploring[taken]
                visits.others[count] = visits.others[visit] / sampled
                visits.own[count] = visits.own[visit] * policy[taken] / sampled
            else:
                taken = draw_index(policy, actions, draw(generator))
                sampled = policy[taken]
                visits.others[count] = visits.others[visit]
                visits.own[count] = visits.own[visit] / sampled
            visits.node[count], visits.slot[count], visits.sampled[count] = child[taken], taken, sampled
            count += 1
        visit += 1
    return count


@inlined
def ascend(walk: Walk, visits: Visits, count: int, scheme: int, learner: int, regret: Array, average: Array) -> None:
    """Go back up the list: pass values to the parents, update regrets and averages."""
    players, actions = walk.bucket.shape[1], regret.shape[1]
    for visit in range(count - 1, -1, -1):
        node = visits.node[visit]
        actor = walk.player[node]
        if actor < 0 and walk.kind[node] != CHANCE:
            continue
        row, policy, child = visits.row[visit], visits.policy[visit], visits.child[visit]
        if actor != learner:
            visits.value[visit] = visits.value[child]  # policy and sampling policy are the same
            if scheme == EXTERNAL and actor == (learner + 1) % players:  # each player is counted once an iteration
                for action in range(actions):
                    average[row, action] += policy[action]
        elif scheme == EXTERNAL:
            value, below = 0.0, child
            for action in range(actions):
                if walk.child[node, action] >= 0:
                    value += policy[action] * visits.value[below]
                    below += 1
            visits.value[visit], below = value, child
            for action in range(actions):
                if walk.child[node, action] >= 0:
                    regret[row, action] += visits.value[below] - value
                    below += 1
        else:
            taken, others, own = visits.slot[child], visits.others[visit], visits.own[visit]
            value = visits.value[child] / visits.sampled[child]
            visits.value[visit] = policy[taken] * value
            for action in range(actions):
                if walk.child[node, action] >= 0:
                    regret[row, action] += others * ((value if action == taken else 0.0) - visits.value[visit])
                    average[row, action] += own * policy[action]


class Tables(NamedTuple):
    regret: Array  # [rows, A]
    average: Array  # [rows, A] weighted sum of policies


@kernel
def walk_deals(
    walk: Walk, bucket: Array, outcome: Array, deals: Array, scheme: int, epsilon: float, tables: Tables, visits: Visits,
    generator: Array,
) -> int:  # fmt: skip
    """Walk once through each of `deals`, indices of bucket[D, P, R] and outcome[D]; in the walk number n player n mod P learns.

    Return the number of nodes visited.
    """
    players, visited = bucket.shape[1], 0
    for number in range(len(deals)):
        deal, learner = deals[number], number % players
        compared = outcome[deal]
        visits.node[0], visits.others[0], visits.own[0] = 0, 1.0, 1.0
        count = descend(walk, bucket, compared, deal, visits, scheme, learner, epsilon, tables.regret, generator)
        ascend(walk, visits, count, scheme, learner, tables.regret, tables.average)
        visited += count
    return visited

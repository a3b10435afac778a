"""Monte-Carlo CFR by walks through one sampled deal (Lanctot et al. 2009). Tables are [rows, A].

A walk goes down, making a list of the nodes it visits, and comes back up the list. It follows every action of the learner
(external sampling) or one drawn with some exploration (outcome sampling), and one action of everybody else, drawn from
their policies. What was sampled is divided out, so that the learner's regrets are unbiased.

Chance sampling, which follows everything below one deal, is `kernels.solvers.one_deal`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from smoothcall.kernels import inlined, kernel
from smoothcall.kernels.holdem.buckets import Cards
from smoothcall.kernels.holdem.dealing import BATCH, deal_cards
from smoothcall.kernels.random import draw, draw_deal
from smoothcall.kernels.solvers.matching import choose
from smoothcall.kernels.tables import DECISION, Array, Walk

EXTERNAL, OUTCOME = 0, 1  # sampling schemes


class Visits(NamedTuple):
    """The list of one walk, parents before children; at most V visits (see `most_visits`)."""

    node: Array  # [V] int32
    row: Array  # [V] int64: of the player who acts
    child: Array  # [V] int32: the first visit below this one; visits of one node's actions are contiguous
    slot: Array  # [V] int32: the action that led here
    policy: Array  # [V, A] of the player who acts
    value: Array  # [V] to the learner
    chance: Array  # [V] the probability with which the action that led here was followed
    others: Array  # [V] the others' probability of coming here, divided by that of the walk coming here
    own: Array  # [V] the learner's, divided by the same


@kernel
def most_visits(child: Array, player: Array, players: int) -> int:
    """The longest list that external sampling can make of a tree: every action of the learner, one of everybody else."""
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


@kernel
def empty_visits(nodes: int, actions: int) -> Visits:
    return Visits(
        np.zeros(nodes, np.int32), np.zeros(nodes, np.int64), np.zeros(nodes, np.int32), np.zeros(nodes, np.int32),
        np.zeros((nodes, actions)), np.zeros(nodes), np.ones(nodes), np.ones(nodes), np.ones(nodes),
    )  # fmt: skip


@kernel
def match_row(child: Array, regret: Array, policy: Array) -> int:
    """regret[A] -> policy[A]: proportional to positive regrets, uniform without any, 0 where illegal (child[A] < 0).

    Returns the number of legal actions.
    """
    total, legal = 0.0, 0
    for action in range(len(policy)):
        policy[action] = 0.0
        if child[action] >= 0:
            legal += 1
            if regret[action] > 0:
                policy[action] = regret[action]
                total += regret[action]
    scale = 1.0 / total if total > 0 else 0.0
    for action in range(len(policy)):
        if total > 0:
            policy[action] *= scale
        elif child[action] >= 0:
            policy[action] = 1.0 / legal
    return legal


@kernel
def explore(child: Array, policy: Array, legal: int, epsilon: float, number: float) -> tuple[int, float]:
    """The action that a number in [0, 1) falls on when `epsilon` of the policy goes to any action; and its probability."""
    chosen, chance = -1, 0.0
    for action in range(len(policy)):
        if child[action] >= 0:
            chosen, chance = action, epsilon / legal + (1.0 - epsilon) * policy[action]
            number -= chance
            if number < 0:
                break
    return chosen, chance


@inlined
def descend(
    walk: Walk, bucket: Array, outcome: int, deal: int, visits: Visits, scheme: int, learner: int, epsilon: float,
    regret: Array, generator: Array,
) -> int:  # fmt: skip
    """Go down from the root; returns the number of visits listed."""
    visits.node[0] = 0
    visits.others[0] = visits.own[0] = 1.0
    count, visit = 1, 0
    while visit < count:
        node = visits.node[visit]
        if walk.kind[node] != DECISION:
            visits.value[visit] = walk.payoff[walk.ending[node], outcome, learner]
            visit += 1
            continue
        actor = walk.player[node]
        row = walk.first_row[node] + bucket[deal, actor, walk.round[node]]
        policy, child = visits.policy[visit], walk.child[node]
        visits.row[visit] = row
        visits.child[visit] = count
        legal = match_row(child, regret[row], policy)
        if scheme == EXTERNAL and actor == learner:
            for action in range(len(policy)):
                if child[action] >= 0:
                    visits.node[count], visits.slot[count] = child[action], action
                    count += 1
        else:
            if actor == learner:
                action, chance = explore(child, policy, legal, epsilon, draw(generator))
                visits.others[count] = visits.others[visit] / chance
                visits.own[count] = visits.own[visit] * policy[action] / chance
            else:
                action = choose(policy, draw(generator))
                chance = policy[action]
                visits.others[count] = visits.others[visit]
                visits.own[count] = visits.own[visit] / chance
            visits.node[count], visits.slot[count], visits.chance[count] = child[action], action, chance
            count += 1
        visit += 1
    return count


@inlined
def ascend(walk: Walk, visits: Visits, count: int, scheme: int, learner: int, regret: Array, average: Array) -> None:
    """Come back up the list: values to the parents, regrets and averages to the tables."""
    players, actions = walk.bucket.shape[1], regret.shape[1]
    for visit in range(count - 1, -1, -1):
        node = visits.node[visit]
        actor = walk.player[node]
        if actor < 0:
            continue
        row, policy, child = visits.row[visit], visits.policy[visit], visits.child[visit]
        if actor != learner:
            visits.value[visit] = visits.value[child]  # the policy's probability over that of sampling is 1
            if scheme == EXTERNAL and actor == (learner + 1) % players:  # so each player is counted once an iteration
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
            gain = visits.value[child] / visits.chance[child]
            visits.value[visit] = policy[taken] * gain
            for action in range(actions):
                if walk.child[node, action] >= 0:
                    regret[row, action] += others * ((gain if action == taken else 0.0) - visits.value[visit])
                    average[row, action] += own * policy[action]


class Learned(NamedTuple):
    """What the walks write to."""

    regret: Array  # [rows, A]
    average: Array  # [rows, A]


@kernel
def walk_deals(
    walk: Walk, bucket: Array, outcome: Array, deals: Array, scheme: int, epsilon: float, learned: Learned, visits: Visits,
    generator: Array,
) -> int:  # fmt: skip
    """A walk for each of `deals` (places in bucket[D, P, R] and outcome[D]), the players taking the learner's place in turn."""
    players, visited = bucket.shape[1], 0
    for number in range(len(deals)):
        deal, learner = deals[number], number % players
        compared = outcome[deal]
        listed = descend(walk, bucket, compared, deal, visits, scheme, learner, epsilon, learned.regret, generator)
        ascend(walk, visits, listed, scheme, learner, learned.regret, learned.average)
        visited += listed
    return visited


@kernel
def iterate(
    walk: Walk, longest: int, scheme: int, epsilon: float, learned: Learned, generator: Array, dealer: Array, count: int
) -> int:
    """`count` iterations of one deal for each player in the learner's place. Returns the nodes visited."""
    players, visits = walk.bucket.shape[1], empty_visits(longest, learned.regret.shape[1])
    deals, visited, done = np.empty(BATCH, np.uint32), 0, 0
    while done < count:
        some = min(BATCH // players, count - done)
        for place in range(some * players):
            deals[place] = draw_deal(walk, dealer)
        these = deals[: some * players]
        visited += walk_deals(walk, walk.bucket, walk.outcome, these, scheme, epsilon, learned, visits, generator)
        done += some
    return visited


@kernel
def iterate_cards(
    walk: Walk, cards: Cards, longest: int, scheme: int, epsilon: float, learned: Learned, generator: Array, dealer: Array,
    count: int,
) -> int:  # fmt: skip
    """The same where deals are drawn from the cards."""
    players, visits = walk.bucket.shape[1], empty_visits(longest, learned.regret.shape[1])
    bucket = np.zeros((BATCH, players, walk.bucket.shape[2]), np.int32)
    outcome, deals = np.zeros(BATCH, np.uint32), np.arange(BATCH).astype(np.uint32)
    visited, done = 0, 0
    while done < count:
        some = min(BATCH // players, count - done)
        deal_cards(cards, bucket[: some * players], outcome[: some * players], dealer)
        these = deals[: some * players]
        visited += walk_deals(walk, bucket, outcome, these, scheme, epsilon, learned, visits, generator)
        done += some
    return visited

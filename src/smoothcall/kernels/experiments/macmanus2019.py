"""UCT and Smooth UCT as macmanus2019 lists them, and as its program has them, for two players.

`kernels.solvers.uct` is the algorithm of the thesis that the document follows. The document differs in details that change
what is learned:

- A state joins a tree together with the nodes behind all its actions, each with one visit and the value 0.
- Returns are discounted at every step on the way up, the deal of the board included.
- Player 1 sits in either seat and has a table for each. In experiment 1 player -1 is random and does not learn.
- `twice`, its program only: a node counts a visit when it is entered and another when it is left; an ending is never left. So
  a mean moves by 1 / (2 n + 1) instead of 1 / (n + 1), which remembers early returns for long, and the average policy counts
  folds and last calls half. A player who leaves the tree also takes the other one out of it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from smoothcall.kernels import inlined, kernel
from smoothcall.kernels.random import draw, draw_deal, draw_index
from smoothcall.kernels.tables import DECISION, Array, Walk

LEARNED, PASSED, ROLLED_OUT = 0, 1, 2  # steps of an episode: by a learner, by the random player, outside the tree


class Search(NamedTuple):
    """Parameters of the search."""

    c: float  # exploration constant
    smooth: bool  # Smooth UCT; UCT otherwise
    eta: float  # eta_0
    gamma: float
    d: float
    discount: float  # of returns, a step
    twice: bool
    self_play: bool  # whether player -1 learns; a random player otherwise


class Tables(NamedTuple):
    """What was learned, by the seat of player 1."""

    total: Array  # [2, rows] visits of a state; 0: not in the tree
    visits: Array  # [2, rows, A] visits of the nodes behind its actions; 0 where illegal
    mean: Array  # [2, rows, A] their values, to the player who acts
    earned: Array  # [1] the rewards of player 1 so far, not discounted


@inlined
def random_action(child: Array, number: float) -> int:
    """Return a legal action, all equally likely, by a number in [0, 1). child[A]"""
    legal = 0
    for action in range(len(child)):
        legal += child[action] >= 0
    left, chosen = int(number * legal), -1
    for action in range(len(child)):
        if child[action] >= 0:
            if left == 0:
                chosen = action
            left -= 1
    return chosen


@inlined
def join(child: Array, total: Array, visits: Array, row: int) -> None:
    """Add a state and the nodes behind its actions to the tree. child[A], total[rows], visits[rows, A]"""
    total[row] = 1.0
    for action in range(len(child)):
        visits[row, action] = 1.0 if child[action] >= 0 else 0.0


@kernel
def select(how: Search, total: float, visits: Array, mean: Array, generator: Array) -> int:
    """Return the action of the tree policy at a state. visits[A], mean[A]; of equal bounds the first in the order c, r, f."""
    actions = len(visits)
    if how.smooth and draw(generator) >= max(how.gamma, how.eta / (1.0 + how.d * np.sqrt(total))):
        return draw_index(visits, actions, draw(generator) * visits.sum())
    spread = how.c * np.sqrt(np.log(total + 1.0 if how.twice else total))
    chosen, best = -1, -np.inf
    for place in range(actions):
        action = (place + 1) % actions
        if visits[action] > 0:
            bound = mean[action] + spread / np.sqrt(visits[action])
            if bound > best:
                chosen, best = action, bound
    return chosen


@kernel
def learn(walk: Walk, how: Search, tables: Tables, seat: int, path: Array, steps: int, rewards: Array) -> None:
    """Update the tables of an episode. path[depth, 4]: node, row, action and kind of each step; rewards[2] by seat."""
    factor, passage = 1.0, 2.0 if how.twice else 1.0
    for step in range(steps - 1, -1, -1):
        node, row, action, kind = path[step]
        below = walk.child[node, action]
        inner = walk.kind[below] == DECISION
        if inner and walk.round[below] != walk.round[node]:
            factor *= how.discount
        if kind == ROLLED_OUT:
            continue
        factor *= how.discount
        if kind == LEARNED:
            tables.total[seat, row] += passage
            tables.visits[seat, row, action] += passage if inner else 1.0
            change = factor * rewards[walk.player[node]] - tables.mean[seat, row, action]
            tables.mean[seat, row, action] += change / tables.visits[seat, row, action]


@kernel
def search(walk: Walk, how: Search, tables: Tables, path: Array, generator: Array, episodes: int) -> None:
    """Play episodes; each draws the seat of player 1 and a deal. path[depth, 4] int64: scratch."""
    for _ in range(episodes):
        seat, deal = int(draw(generator) * 2), draw_deal(walk, generator)
        node, steps, outside = 0, 0, 0
        while walk.kind[node] == DECISION:
            actor = int(walk.player[node])
            row = int(walk.first_row[node]) + int(walk.bucket[deal, actor, walk.round[node]])
            child, kind = walk.child[node], LEARNED
            if not how.self_play and actor != seat:
                action, kind = random_action(child, draw(generator)), PASSED
            elif (outside >> actor) & 1:
                action, kind = random_action(child, draw(generator)), ROLLED_OUT
            elif tables.total[seat, row] > 0:
                action = select(how, tables.total[seat, row], tables.visits[seat, row], tables.mean[seat, row], generator)
            else:
                join(child, tables.total[seat], tables.visits[seat], row)
                outside |= 3 if how.twice else 1 << actor
                action = random_action(child, draw(generator))
            path[steps, 0], path[steps, 1], path[steps, 2], path[steps, 3] = node, row, action, kind
            steps += 1
            node = child[action]
        rewards = walk.payoff[walk.ending[node], walk.outcome[deal]]
        tables.earned[0] += rewards[seat]
        learn(walk, how, tables, seat, path, steps, rewards)

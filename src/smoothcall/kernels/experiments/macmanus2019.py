"""UCT and Smooth UCT as macmanus2019 lists them, and as its program has them, for two players.

`kernels.solvers.uct` is the algorithm of the thesis that the document follows. The document differs in details that change
what is learned:

- A state joins a tree together with the nodes behind all its actions, each with one visit and the value 0.
- Returns are discounted at every step on the way up, the deal of the board included.
- Player 1 sits in either seat and has a table for each. In experiment 1 player -1 is random and does not learn.

Its program (`both_trees`) differs from its listings in more, see `search_both_trees`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from smoothcall.kernels import callee, inlined, kernel
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
    both_trees: bool  # as in its program
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


@callee
def select(how: Search, total: float, visits: Array, mean: Array, generator: Array) -> int:
    """Return the action of the tree policy at a state. visits[A], mean[A]; of equal bounds the first in the order c, r, f."""
    actions = len(visits)
    if how.smooth and draw(generator) >= max(how.gamma, how.eta / (1.0 + how.d * np.sqrt(total))):
        return draw_index(visits, actions, draw(generator) * visits.sum())
    spread = how.c * np.sqrt(np.log(total + 1.0 if how.both_trees else total))
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
    factor = 1.0
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
            tables.total[seat, row] += 1.0
            tables.visits[seat, row, action] += 1.0
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
                outside |= 1 << actor
                action = random_action(child, draw(generator))
            path[steps, 0], path[steps, 1], path[steps, 2], path[steps, 3] = node, row, action, kind
            steps += 1
            node = child[action]
        rewards = walk.payoff[walk.ending[node], walk.outcome[deal]]
        tables.earned[0] += rewards[seat]
        learn(walk, how, tables, seat, path, steps, rewards)


CHANCE, END = 2, 3  # who acts at a history; 0 and 1: player 1 and player -1


class Histories(NamedTuple):
    """All histories of its program's game, S of them; the first is empty. A player knows a history without the other's card."""

    child: Array  # [S, K] int32: behind actions f, c, r, -1 where illegal; behind the `children` deals of chance
    children: Array  # [S] int32: deals of a chance history
    actor: Array  # [S] int8
    known: Array  # [2, S] int32: the number of the history as each player knows it
    reward: Array  # [S] float64: of player 1 at an end


class Trees(NamedTuple):
    """The search trees of both players in its program; V histories that a player can tell apart."""

    visits: Array  # [2, V] float64; 0: not in the tree
    value: Array  # [2, V] float64, to player 1
    expanded: Array  # [2, V] bool: whether what is behind the actions is in the tree
    earned: Array  # [1] the rewards of player 1 so far, not discounted


@inlined
def add(visits: Array, known: int) -> None:
    """Add a history to a tree with one visit, unless it is there. visits[V]"""
    if visits[known] == 0:
        visits[known] = 1.0


@kernel
def search_both_trees(game: Histories, how: Search, trees: Trees, path: Array, generator: Array, episodes: int) -> None:
    """Play episodes as its program does. path[depth, 2] int64: scratch.

    What differs from its listings:

    - Every step updates the trees of both players: it counts a visit of the history that it leaves and one of the history
      that it enters, if both are in the tree, and moves the value of the latter by 1 / (its visits).
    - A history is expanded in both trees, but only when the player who acts there comes to it for the first time. So of the
      opponent's replies a tree has those to the cards with which the opponent first came there, and others never: a passage
      of the history before them counts as two visits or as one.
    - Who leaves the tree takes the other player out of it. The public card is counted in both trees nevertheless.
    """
    actions = 3
    visits, mean = np.zeros(actions), np.zeros(actions)
    for _ in range(episodes):
        history, steps, outside = 0, 0, False
        while game.actor[history] != END:
            actor, child, rolled_out = int(game.actor[history]), game.child[history], 0
            if actor == CHANCE:
                choice = int(draw(generator) * game.children[history])
                for player in range(2):
                    add(trees.visits[player], game.known[player, history])
                    add(trees.visits[player], game.known[player, child[choice]])
            elif outside or not trees.expanded[actor, game.known[actor, history]]:
                if not outside:
                    for player in range(2):
                        trees.expanded[player, game.known[player, history]] = True
                        add(trees.visits[player], game.known[player, history])
                        for action in range(actions):
                            if child[action] >= 0:
                                add(trees.visits[player], game.known[player, child[action]])
                choice, rolled_out, outside = random_action(child[:actions], draw(generator)), int(outside), True
            elif actor == 1 and not how.self_play:
                choice = random_action(child[:actions], draw(generator))
            else:
                for action in range(actions):
                    behind = game.known[actor, child[action]]
                    visits[action] = trees.visits[actor, behind] if child[action] >= 0 else 0.0
                    mean[action] = trees.value[actor, behind] * (1 - 2 * actor)
                choice = select(how, trees.visits[actor, game.known[actor, history]], visits, mean, generator)
            path[steps, 0], path[steps, 1] = history, rolled_out
            steps += 1
            history = int(child[choice])
        trees.earned[0] += game.reward[history]
        learn_both_trees(game, how, trees, path, steps, history)


@callee
def learn_both_trees(game: Histories, how: Search, trees: Trees, path: Array, steps: int, end: int) -> None:
    """Update both trees by an episode that came to `end`. path[depth, 2]: histories, and whether a step was a roll-out."""
    entered, reward = end, game.reward[end]
    for step in range(steps - 1, -1, -1):
        history = path[step, 0]
        if not path[step, 1]:
            reward *= how.discount
            for player in range(2):
                left, to = game.known[player, history], game.known[player, entered]
                if trees.visits[player, left] > 0 and trees.visits[player, to] > 0:
                    trees.visits[player, left] += 1.0
                    trees.visits[player, to] += 1.0
                    trees.value[player, to] += (reward - trees.value[player, to]) / trees.visits[player, to]
        entered = history

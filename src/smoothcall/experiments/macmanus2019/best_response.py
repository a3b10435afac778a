"""The best response of macmanus2019 (Section 3.2), which knows more than a player can.

It evaluates the game tree with both private cards in every history. A showdown is worth its mean over the opponent's cards
with which the agent comes there, which is right. But a fold is worth its pot at the history itself, and the responder's best
action is selected history by history: so the responder knows, card by card, whether a bet makes the agent fold; and before the
public card it knows, by the agent's card, which public cards can come. The value is never below that of a best response
(`evaluation.exploitability`).
"""

from __future__ import annotations

import numpy as np

from smoothcall.information.game import Game
from smoothcall.kernels.tables import DECISION, FOLD, Array


def exploitability(game: Game, table: Array) -> float:
    """Return what the responder of Section 3.2 wins a hand from an agent, mean of both seats; deals must be listed.

    table[rows, A]: the agent's probabilities, all 0 at states that it does not know. A hand that comes there is worth 0.
    """
    return sum(value(game, table, seat) for seat in (0, 1)) / 2


def value(game: Game, table: Array, responder: int) -> float:
    """Return what the responder wins in one seat."""
    tree, deals = game.tree, game.deals
    ending, payoff = game.ending_payoff
    hidden = deals.bucket[:, responder, -1]  # what the responder knows at the end, the board included
    hands = _numbers(deals.bucket[:, :, 0])  # both private cards
    reach, values = np.ones((tree.nodes, deals.count)), np.zeros((tree.nodes, deals.count))
    for node in tree.decisions:
        moves = moves_at(game, table, node)
        for slot in np.flatnonzero(tree.child[node] >= 0):
            reach[tree.child[node, slot]] = reach[node] * (moves[:, slot] if tree.player[node] != responder else 1.0)
    for node in range(tree.nodes - 1, -1, -1):
        if tree.kind[node] != DECISION:
            reward = payoff[ending[node], :, responder]
            values[node] = reward if tree.kind[node] == FOLD else _mean(reward, hidden, deals.weight * reach[node])
            continue
        slots = np.flatnonzero(tree.child[node] >= 0)
        below = [values[tree.child[node, slot]] for slot in slots]
        for place, child in enumerate(tree.child[node, slots]):
            if tree.kind[child] == DECISION and tree.round[child] != tree.round[node]:
                below[place] = _mean(below[place], hands, deals.weight)
        after = np.stack(below)
        is_agent = tree.player[node] != responder
        values[node] = (moves_at(game, table, node)[:, slots].T * after).sum(axis=0) if is_agent else after.max(axis=0)
    return float(values[0] @ deals.weight)


def moves_at(game: Game, table: Array, node: int) -> Array:
    """Return [D, A]: the probability of each action at a node, by deal."""
    tree = game.tree
    moves: Array = table[tree.first_row[node] + game.deals.bucket[:, tree.player[node], tree.round[node]]]
    return moves


def _numbers(rows: Array) -> Array:
    """Return [D] int: equal numbers for equal rows of [D, P]."""
    return np.unique(rows, axis=0, return_inverse=True)[1].reshape(len(rows))


def _mean(values: Array, group: Array, weight: Array) -> Array:
    """Return [D]: the weighted mean over each deal's group; 0 where no deal of the group has weight."""
    total = np.bincount(group, weight * values)
    mass = np.bincount(group, weight)
    mean: Array = (total / np.where(mass > 0, mass, 1.0))[group]
    return mean

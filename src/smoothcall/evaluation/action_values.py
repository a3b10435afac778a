"""Exact EVs of a person's moves against opponents with known probabilities, in games whose deals are listed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from smoothcall.agents.fixed import Fixed
from smoothcall.evaluation.policy_match import table_of
from smoothcall.information.game import Game
from smoothcall.kernels.tables import DECISION, Array

KEPT = 64  # cached tables; of Leduc a few kilobytes each


@dataclass(frozen=True, eq=False)
class ActionValues:
    """EVs in chips per hand if the person plays a best response after the move.

    At information states that the others' policies never reach, deals are weighted by their own probability alone.
    """

    value: float  # of a best response, before the deal
    table: Array  # [rows, A]; NaN where a move is illegal or not the person's


def action_values(game: Game, seat: int, others: Mapping[int, Fixed]) -> ActionValues:
    """Return the EVs of a seat; `others` maps every other seat to its player."""
    return _action_values(game, seat, tuple(sorted(others.items(), key=lambda item: item[0])))


@lru_cache(KEPT)
def _action_values(game: Game, seat: int, others: tuple[tuple[int, Fixed], ...]) -> ActionValues:
    tree, deals = game.tree, game.deals
    tables = {place: table_of(game, player) for place, player in others}
    index, payoff = game.ending_payoff

    def moves(node: int) -> Array:
        """Return the acting opponent's probabilities [D, A] at a node."""
        player = int(tree.player[node])
        found: Array = tables[player][tree.first_row[node] + deals.bucket[:, player, tree.round[node]]]
        return found

    reach = np.empty((tree.nodes, deals.count))  # probability of the deal times the others' probabilities
    reach[0] = deals.weight
    for node in tree.decisions:
        probabilities = moves(node) if tree.player[node] != seat else np.ones((deals.count, len(game.actions)))
        for slot in np.flatnonzero(tree.child[node] >= 0):
            reach[tree.child[node, slot]] = reach[node] * probabilities[:, slot]

    value = np.empty((tree.nodes, deals.count))
    table = np.full(game.legal.shape, np.nan)
    for node in range(tree.nodes - 1, -1, -1):  # children come after parents
        slots = np.flatnonzero(tree.child[node] >= 0)
        after = value[tree.child[node, slots]]
        if tree.kind[node] != DECISION:
            value[node] = payoff[index[node], :, seat]
        elif tree.player[node] != seat:
            value[node] = (moves(node)[:, slots].T * after).sum(axis=0)
        else:
            bucket, count = deals.bucket[:, seat, tree.round[node]], game.buckets[tree.round[node]]
            known = np.bincount(bucket, reach[node], count) > 0
            weight = np.where(known[bucket], reach[node], deals.weight)
            ev = np.array([np.bincount(bucket, weight * each, count) for each in after]) / np.bincount(bucket, weight, count)
            first = tree.first_row[node]
            table[first : first + count, slots] = ev.T
            value[node] = after[ev.argmax(axis=0)[bucket], np.arange(deals.count)]
    table.flags.writeable = False
    return ActionValues(float(deals.weight @ value[0]), table)

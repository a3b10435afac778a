"""Build the sequence form, the tables that full-width algorithms sweep, from an action tree and the deals over it.

With perfect recall a player's probability of reaching an ending is the product of that player's own choices: one number per
*sequence*. Each leaf stores the last sequence of every player, so that a sweep needs no tree: a sweep is one pass down a
player's rows, one over the leaves, one up the rows. See `kernels.tables.Form`.
"""

from __future__ import annotations

import numpy as np

from smoothcall.errors import UsageError
from smoothcall.information.deals import Deals
from smoothcall.information.tree import ActionTree
from smoothcall.kernels.tables import Array, Form, OneDeal


def to_rows(form: Form, values: Array, shape: tuple[int, ...]) -> Array:
    """Return values[sequences] as a table [rows, A] of this shape, 0 where illegal."""
    table, players = np.zeros(shape), len(form.player_row) - 1
    table.reshape(-1)[form.cell[players:]] = values[players:]
    return table


def from_rows(form: Form, table: Array) -> Array:
    """Return a table [rows, A] as values[sequences], 1 for the empty sequences."""
    values: Array = table.reshape(-1)[form.cell]
    values[: len(form.player_row) - 1] = 1.0
    return values


def build_form(tree: ActionTree, deals: Deals, ending: Array, payoff: Array, legal: Array, row_player: Array) -> Form:
    """Build the form. ending[N], payoff[endings, D, P], legal[rows, A], row_player[rows]: see `Game`."""
    _verify_recall(deals)
    players = tree.players
    rows = [np.flatnonzero(row_player == player) for player in range(players)]
    order = np.concatenate(rows)
    player_row = np.cumsum([0, *map(len, rows)]).astype(np.int32)
    row_sequence = players + np.cumsum([0, *legal[order].sum(axis=1)])
    row, slot = np.nonzero(legal[order])
    cell = np.concatenate([np.full(players, -1), order[row] * legal.shape[1] + slot])
    sequence = _sequence_of(cell, legal.shape, players)

    last = _last_moves(tree)
    classes = [_classes(deals, street) for street in range(deals.bucket.shape[2])]
    sequences, payoffs, sizes = [], [], []
    for node in tree.endings:
        representative, group = classes[tree.round[node]]
        found = np.empty((players, len(representative)), np.uint32)
        for player in range(players):
            found[player] = _sequences_at(tree, deals, sequence, player, last[node][player], representative)
        weighted = payoff[ending[node]] * deals.weight[:, None]
        payoffs.append(np.array([np.bincount(group, weighted[:, p], len(representative)) for p in range(players)]))
        sequences.append(found)
        sizes.append(len(representative))

    steps = [_step_sequences(tree, deals, sequence, int(node)) for node in range(len(tree.kind))]
    node_ending = np.full(len(tree.kind), -1, np.int32)
    node_ending[tree.endings] = np.arange(len(tree.endings))
    parent = tree.parent
    return Form(
        player_row=player_row,
        player_sequence=row_sequence[player_row].astype(np.int32),
        cell=cell,
        row_sequence=row_sequence.astype(np.uint32),
        row_parent=_row_parents(tree, deals, last, sequence, row_player)[order].astype(np.uint32),
        leaf_sequence=np.ascontiguousarray(np.concatenate(sequences, axis=1)),
        leaf_payoff=np.ascontiguousarray(np.concatenate(payoffs, axis=1)),
        ending_leaf=np.cumsum([0, *sizes]).astype(np.int32),
        node_parent=parent,
        node_player=np.where(parent < 0, -1, tree.player[parent]).astype(np.int8),
        node_sequence=np.cumsum([0, *map(len, steps)]).astype(np.int32),
        sequences=np.concatenate(steps).astype(np.int32),
        node_ending=node_ending,
        node_deals=np.array([len(classes[street][0]) for street in tree.round], np.int32),
    )


def build_one_deal(tree: ActionTree, deals: Deals, ending: Array, payoff: Array, form: Form) -> OneDeal:
    """Restrict the form to each deal."""
    everything, last = np.arange(deals.count), _last_moves(tree)
    sequence = _sequence_of(form.cell, (tree.rows, len(tree.actions)), tree.players)
    row_of = np.repeat(np.arange(len(form.row_parent)), np.diff(form.row_sequence))  # [sequences - P]
    node_row = np.full((deals.count, len(tree.kind)), -1, np.int32)
    node_step = np.full((deals.count, len(tree.kind)), -1, np.int32)
    for node in tree.decisions:
        rows = _rows_at(tree, deals, int(node), everything)
        for child in tree.child[node][tree.child[node] >= 0]:
            node_step[:, child] = sequence[rows, tree.slot[child]]
        node_row[:, node] = row_of[node_step[:, child] - tree.players]
    found = np.empty((deals.count, len(tree.endings), tree.players), np.uint32)
    for index, node in enumerate(tree.endings):
        for player in range(tree.players):
            found[:, index, player] = _sequences_at(tree, deals, sequence, player, last[node][player], everything)
    _, first = np.unique(tree.first_row[tree.decisions], return_index=True)
    return OneDeal(
        row=np.ascontiguousarray(node_row[:, tree.decisions[np.sort(first)]]).astype(np.uint32),
        sequence=found,
        payoff=np.ascontiguousarray(payoff[ending[tree.endings]].transpose(1, 0, 2)),
        node_row=node_row,
        node_step=node_step,
    )


def _sequence_of(cell: Array, shape: tuple[int, ...], players: int) -> Array:
    """Return [rows, A] int64, the sequence of each action at each row; -1 where illegal."""
    sequence = np.full(shape, -1, np.int64)
    sequence.reshape(-1)[cell[players:]] = np.arange(players, len(cell))
    return sequence


Move = tuple[int, int]  # (node, action slot)


def _last_moves(tree: ActionTree) -> list[list[Move | None]]:
    """Return [N][P], each player's latest move on the way to each node."""
    last: list[list[Move | None]] = [[None] * tree.players]
    for node in range(1, len(tree.kind)):
        parent = int(tree.parent[node])
        moves = list(last[parent])
        moves[tree.player[parent]] = (parent, int(tree.slot[node]))
        last.append(moves)
    return last


def _classes(deals: Deals, street: int) -> tuple[Array, Array]:
    """Classes of deals that look the same to every player up to a street: (a deal of each class, the class of each deal)."""
    _, representative, group = np.unique(deals.bucket[:, :, street], axis=0, return_index=True, return_inverse=True)
    return representative, group.reshape(-1)


def _rows_at(tree: ActionTree, deals: Deals, node: int, which: Array) -> Array:
    """Return the rows of the player who acts at a node, for the deals `which`."""
    found: Array = tree.first_row[node] + deals.bucket[which, tree.player[node], tree.round[node]]
    return found


def _sequences_at(tree: ActionTree, deals: Deals, sequence: Array, player: int, move: Move | None, which: Array) -> Array:
    """Return the sequences that end with a player's move, for the deals `which`; the empty one where there is no move."""
    if move is None:
        return np.full(len(which), player)
    found: Array = sequence[_rows_at(tree, deals, move[0], which), move[1]]
    return found


def _step_sequences(tree: ActionTree, deals: Deals, sequence: Array, node: int) -> Array:
    """Return the sequences, one a bucket of the actor, of the step from the parent to a node."""
    parent = int(tree.parent[node])
    if parent < 0:
        return np.zeros(0, np.int64)
    first = int(tree.first_row[parent])
    found: Array = sequence[first : first + deals.buckets[tree.round[parent]], tree.slot[node]]
    return found


def _row_parents(tree: ActionTree, deals: Deals, last: list[list[Move | None]], sequence: Array, row_player: Array) -> Array:
    """Return [rows], the sequence of the same player that leads to each row."""
    parents = np.full(len(row_player), -1, np.int64)
    everything = np.arange(deals.count)
    for node in tree.decisions:
        player = int(tree.player[node])
        rows = _rows_at(tree, deals, int(node), everything)
        found = _sequences_at(tree, deals, sequence, player, last[node][player], everything)
        known = parents[rows]
        if ((known >= 0) & (known != found)).any():
            raise UsageError("a player forgets own moves in this game: full-width algorithms need perfect recall")
        parents[rows] = found
    return parents


def _verify_recall(deals: Deals) -> None:
    """Refuse buckets that forget what a player saw on an earlier street."""
    for player in range(deals.bucket.shape[1]):
        for street in range(1, deals.bucket.shape[2]):
            pairs = np.unique(deals.bucket[:, player, street - 1 : street + 1], axis=0)
            if len(np.unique(pairs[:, 1])) < len(pairs):
                raise UsageError("buckets forget earlier streets: full-width algorithms need perfect recall")

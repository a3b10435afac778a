"""The tables that kernels read: an action tree and the deals over it, as named tuples of arrays."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]
Integer = Any  # an integer of any width; a kernel keeps to one signedness, because Numba promotes int64 + uint64 to float64

# Indices in hot loops are uint32: Numba leaves out its check for negative indices, which takes a third of the time.
# Indices that use -1 for "none" are int32.

DECISION, FOLD, SHOWDOWN, FIXED, CHANCE, ELSEWHERE = 0, 1, 2, 3, 4, 5  # tree.kind; ELSEWHERE: in another part of the tree
FOLD_SLOT, CALL = 0, 1  # action slots of poker; then raises
NO_SLOT = -1
NOTHING, CHECKED, CALLED, RAISED = range(4)  # what somebody did last in a hand


def read_only(table: Array) -> Array:
    """Return a view that cannot be written: Numba compiles kernels for writeable and read-only arrays apart."""
    view = table.view()
    view.flags.writeable = False
    return view


class Walk(NamedTuple):
    """Tables for walks through one deal. N nodes, A action slots, D deals, P players, R streets.

    The pay-off at an ending depends on a deal only through how the hands compare: deals that compare alike have one *outcome*.
    In games whose deals are sampled, not listed, D is 0.
    """

    kind: Array  # [N] int8
    player: Array  # [N] int8, -1 where nobody acts
    round: Array  # [N] int8
    child: Array  # [N, A] int32, -1 where illegal
    first_row: Array  # [N] int32, -1 where nobody acts
    ending: Array  # [N] int32, index into `payoff`, -1 at decisions
    payoff: Array  # [endings, outcomes, P] float64, chips
    bucket: Array  # [D, P, R] int32
    outcome: Array  # [D] uint32
    accept: Array  # [D] float64, alias table of the deals' weights
    alias: Array  # [D] int32


class Form(NamedTuple):
    """The sequence form (Koller, Megiddo and von Stengel 1996), which full-width algorithms sweep.

    A *sequence* is one action at one row together with the player's earlier actions that lead to the row. A *realisation plan*
    gives every sequence the probability that its player takes all of them. A *leaf* is one ending of the action tree for one
    class of deals that no player can tell apart: it pays when every player's sequence to it is played.

    Rows and sequences of one player are contiguous. The first P sequences are empty: sequence p stands for player p not having
    acted. Tables over the form are flat, [sequences].
    """

    player_row: Array  # [P + 1] int32: first row of each player
    player_sequence: Array  # [P + 1] int32: first sequence of each player, behind the P empty ones
    cell: Array  # [sequences] int64: the place of each sequence in a flat [rows x A] table, -1 for the empty ones
    row_sequence: Array  # [rows + 1] uint32: first sequence of each row; the sequences of a row are contiguous
    row_parent: Array  # [rows] uint32: the sequence that leads to the row; smaller than the row's own
    leaf_sequence: Array  # [P, leaves] uint32: each player's last sequence
    leaf_payoff: Array  # [P, leaves] float64: chips times the probability of the deals
    ending_leaf: Array  # [endings + 1] int32: first leaf of each ending; the leaves of an ending are contiguous
    # for pruning: the action tree from the root
    node_parent: Array  # [N] int32, -1 at the root
    node_player: Array  # [N] int8: who acted on the way from the parent, -1 at the root
    node_sequence: Array  # [N + 1] int32: slice of `sequences` that lead from the parent to the node
    sequences: Array  # int32: all sequences (one a bucket) of the step to a node
    node_ending: Array  # [N] int32: index of the terminal in `ending_leaf`, -1 at decisions
    node_deals: Array  # [N] int32: how many classes of deals the node stands for


class OneDeal(NamedTuple):
    """The sequence form restricted to one deal. D deals, T terminal nodes, N nodes."""

    row: Array  # [D, rows of a deal] uint32: rows of the form, parents before children
    sequence: Array  # [D, T, P] uint32: each player's last sequence to each ending
    payoff: Array  # [D, T, P] float64: chips
    node_row: Array  # [D, N] int32: the row of the player who acts, -1 at endings
    node_step: Array  # [D, N] int32: the sequence of the step to the node, -1 at the root

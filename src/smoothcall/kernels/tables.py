"""The tables every kernel reads: an action tree and the deals over it, as tuples of arrays."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]
Integer = Any  # a whole number of any width: mixing signed and unsigned ones in a kernel would make reals of them

# Indices read in hot loops are uint32: Numba then leaves out its check for negative ones, which takes a third of the time.
# Those that use -1 for "none" are int32.

DECISION, FOLD, SHOWDOWN, FIXED = 0, 1, 2, 3  # tree.kind
FOLD_SLOT, CALL = 0, 1  # action slots of poker; then raises
NOTHING, CHECKED, CALLED, RAISED = range(4)  # what somebody did last in a hand


class Walk(NamedTuple):
    """What a walk through one deal needs. N nodes, A action slots, D deals, P players, R streets.

    How a hand ends for a deal depends on who holds the better cards only: deals that compare alike have one *outcome*.
    In games whose deals are drawn and not listed there are none here: D is 0.
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
    """The sequence form. Each player's rows and sequences are contiguous; the first P sequences are empty:
    sequence p stands for player p having done nothing yet.

    A *sequence* is one action at one row together with all the player's earlier actions that lead there; a *plan* gives
    every sequence the probability that its player makes all of them. A *result* is one ending of the action tree for one
    class of deals that no player can tell apart: it pays when every player's sequence to it is played.
    """

    player_row: Array  # [P + 1] int32: first row of each player
    player_sequence: Array  # [P + 1] int32: first sequence of each player's own, behind the P empty ones
    row_sequence: Array  # [rows + 1] uint32: first sequence of each row; the sequences of a row are contiguous
    row_parent: Array  # [rows] uint32: the sequence that leads to the row; smaller than the row's own
    result_sequence: Array  # [P, results] uint32: each player's last sequence
    result_payoff: Array  # [P, results] float64: chips times the probability of the deals
    ending_result: Array  # [endings + 1] int32: results of one terminal node are contiguous
    # for pruning: the action tree from above
    node_parent: Array  # [N] int32, -1 at the root
    node_player: Array  # [N] int8: who acted on the way from the parent, -1 at the root
    node_sequence: Array  # [N + 1] int32: slice of `sequences` that lead from the parent to the node
    sequences: Array  # int32: all sequences (one a bucket) of the step to a node
    node_ending: Array  # [N] int32: index of the terminal in `ending_result`, -1 at decisions
    node_deals: Array  # [N] int32: how many classes of deals the node stands for


class OneDeal(NamedTuple):
    """The part of the sequence form that one deal comes to. D deals, T terminal nodes, N nodes."""

    row: Array  # [D, rows of a deal] uint32: rows of the form, parents before children
    sequence: Array  # [D, T, P] uint32: each player's last sequence to each ending
    payoff: Array  # [D, T, P] float64: chips
    node_row: Array  # [D, N] int32: the row of the player who acts, -1 at endings
    node_step: Array  # [D, N] int32: the sequence of the step to the node, -1 at the root

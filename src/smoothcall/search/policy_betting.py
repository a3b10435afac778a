"""The betting that a responder to a policy of two-player hold'em may meet, street by street, and which parts are equal."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np

from smoothcall.games.outcomes import every_outcome
from smoothcall.information.game import Game
from smoothcall.information.tree import ActionTree
from smoothcall.kernels.search import sweep as kernels
from smoothcall.kernels.tables import DECISION, FOLD, SHOWDOWN, Array
from smoothcall.policy import Policy
from smoothcall.search.boards import PLAYERS
from smoothcall.search.public_tree import StreetBetting

STREETS = 4


def able_actions(policy: Policy, allowed: Array, seat: int) -> Array:
    """Return [N, A] bool: the actions that a policy and a responder in a seat may take, the responder those of allowed[N, A].

    After the first street the policy is left with the actions that it takes with some hand.
    """
    tree = policy.game.tree
    starts, number = np.unique(tree.decision_rows, return_inverse=True)
    some = np.maximum.reduceat(policy.weights, starts, axis=0)[number] > 0
    found = tree.child >= 0
    found[tree.decisions] &= some | (tree.round[tree.decisions] == 0)[:, None]
    return np.where((tree.player == seat)[:, None], allowed, found)


def policy_streets(game: Game, able: Array, root: int = 0) -> list[StreetBetting]:
    """Return the betting that may follow a node if the actions able[N, A] are taken, street by street."""
    tree, first = game.tree, int(game.tree.round[root])
    streets = [StreetBetting() for _ in range(first, STREETS)]
    entries = [root]
    for number, street in enumerate(streets, first):
        later: list[int] = []
        for root in entries:
            street.root.append(len(street.kind))
            waiting = [(root, -1)]
            for node, parent in waiting:  # grows while it is read
                place, player = len(street.kind), int(tree.player[node])
                ended, last = tree.kind[node] in (FOLD, SHOWDOWN), number + 1 == STREETS
                kind, entry, slots = kernels.NEXT_STREET, -1, list[int]()
                if tree.kind[node] == FOLD or (ended and last):
                    kind = kernels.FOLDED if tree.kind[node] == FOLD else kernels.SHOWN_DOWN
                elif ended or tree.round[node] > number:
                    entry = len(later)
                    later.append(node)
                else:
                    kind, slots = kernels.DECISION, np.flatnonzero(able[node]).tolist()
                    waiting += [(int(child), place) for child in tree.child[node, slots]]
                street.add(
                    kind, player if slots else -1, parent, int(tree.first_row[node]), entry, ending_factor(game, node, kind)
                )
                street.slots.append(slots)
                street.like.append(node)
                street.pot.append(PLAYERS * int(tree.paid[node].min()))  # without what nobody has called
        street.root.append(len(street.kind))
        entries = later
    return streets


def entry_nodes(street: StreetBetting) -> list[int]:
    """Return the nodes from which the next street is entered, by entry."""
    nodes = [node for node, kind in enumerate(street.kind) if kind == kernels.NEXT_STREET]
    return sorted(nodes, key=lambda node: street.entry[node])


def number_betting(policy: Policy, able: Array, seat: int) -> Array:
    """Return [N] int32: nodes with equal numbers have equal betting behind them, for a responder in a seat.

    It is equal where the same actions of able[N, A] follow, the policy's probabilities are the same in every bucket, and so are
    the pay-offs: a policy that does not remember how the chips came into the pot plays alike after many betting sequences.
    """
    game, tree = policy.game, policy.game.tree
    index = np.zeros(tree.nodes, np.int64)
    index[tree.decisions] = _number_tables(policy)
    index[tree.player == seat] = 0
    ended = tree.kind != DECISION
    index[ended] = game.settled[0][ended]
    found, numbers = np.zeros(tree.nodes, np.int32), 0
    height = _heights(able, tree)
    for here in np.split(np.argsort(height, kind="stable"), np.cumsum(np.bincount(height))[:-1]):
        behind = np.where(able[here], found[tree.child[here]], -1)
        columns = (tree.kind[here], tree.player[here], tree.round[here], index[here])
        _, inverse = np.unique(np.column_stack([*columns, behind]), axis=0, return_inverse=True)
        found[here] = numbers + inverse.reshape(-1)
        numbers += len(here)
    return found


def _heights(able: Array, tree: ActionTree) -> Array:
    """Return [N] the most actions that may follow each node."""
    found = np.zeros(tree.nodes, np.int64)
    for begin, end in reversed(list(pairwise(tree.levels))):
        here = np.s_[begin:end]
        found[here] = np.where(able[here], found[tree.child[here]] + 1, 0).max(axis=1)
    return found


def _number_tables(policy: Policy) -> Array:
    """Return [decisions] numbers of the policy's rows behind each decision; equal rows have equal numbers."""
    tree = policy.game.tree
    sizes = np.array(policy.game.buckets)[tree.round[tree.decisions]].tolist()
    known: dict[bytes, int] = {}
    rows = zip(tree.decision_rows.tolist(), sizes, strict=True)
    return np.array([known.setdefault(policy.weights[row : row + size].tobytes(), len(known)) for row, size in rows])


def ending_factor(game: Game, node: int, kind: int) -> list[list[float]]:
    """Return the chips of an ending as the sweep takes them, by seat."""
    if kind not in (kernels.FOLDED, kernels.SHOWN_DOWN):
        return [[0.0] * 3] * PLAYERS
    index, payoff = game.settled
    chips, found = payoff[index[node]], []
    for seat, (won, tied, lost) in enumerate(_orders() if game.sampled else _places(game.deals.outcomes[1])):
        win, lose = float(chips[won, seat]), float(chips[lost, seat])
        tie = (win + lose) / 2 if tied is None else float(chips[tied, seat])
        found.append([0.0, 0.0, win] if kind == kernels.FOLDED else [win - tie, tie - lose, lose])
    return found


@cache
def _orders() -> list[tuple[int, int | None, int]]:
    return _places(every_outcome(PLAYERS)[1])


def _places(orders: Array) -> list[tuple[int, int | None, int]]:
    """Return for each seat the places of outcomes in which it wins, ties (None: it never does) and loses."""
    found = []
    for seat in range(PLAYERS):
        ahead = np.sign(orders[:, seat] - orders[:, 1 - seat])
        won, tied, lost = (np.flatnonzero(ahead == sign).tolist() for sign in (1, 0, -1))
        found.append((won[0], tied[0] if tied else None, lost[0]))
    return found

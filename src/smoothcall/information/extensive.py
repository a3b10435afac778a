"""Games given as trees of histories: any finite extensive-form game with perfect recall.

Poker splits into a small action tree and deals; a game from elsewhere (`interop.openspiel`, `interop.gambit`) is a tree of
whole histories, in which chance moves anywhere. Here it becomes a `Game` with one deal: chance nodes are nodes of its tree, and
nodes that a player cannot tell apart share a row. Full-width solvers and exact evaluation sweep its sequence form, whose leaves
carry the probability of chance; MCCFR draws the moves of chance on its walks.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isclose, isfinite
from typing import Any

import numpy as np

from smoothcall.errors import UsageError
from smoothcall.games.cards import Cards
from smoothcall.information.deals import Deals, no_cards
from smoothcall.information.game import Game
from smoothcall.information.payoffs import matrix_payoffs
from smoothcall.information.tree import ActionTree
from smoothcall.kernels.tables import CHANCE, DECISION, FIXED, Array, Form, OneDeal, Walk

MAX_HISTORIES = 2_000_000
NOBODY = -1  # the player of chance and of endings


@dataclass(frozen=True, slots=True)
class History:
    """A node of a game tree; `children` are indices of the list that it is in, one for each of `moves`."""

    player: int = NOBODY
    key: str = ""  # of the player's information state
    moves: tuple[str, ...] = ()  # () at an ending
    children: tuple[int, ...] = ()
    probabilities: tuple[float, ...] = ()  # of the moves, where chance moves
    payoffs: tuple[float, ...] = ()  # of each player, at an ending


@dataclass(frozen=True, slots=True)
class ExtensiveRules:
    """The rules of a game that is given as a tree: histories[0] is the beginning."""

    name: str
    seats: int
    histories: tuple[History, ...]


@dataclass(frozen=True, eq=False)
class ExtensiveTree(ActionTree):
    """An action tree with chance nodes. Moves have names of their own at every node."""

    letters: tuple[str, ...]  # [N] the move that leads to each node, "" at the root
    chance: Array  # [N] float64: probability of the step to each node where chance moves, else 1

    def letter(self, node: int) -> str:
        return self.letters[node]

    def betting(self, node: int) -> str:
        steps = []
        while node > 0:
            steps.append(self.letters[node])
            node = int(self.parent[node])
        return " ".join(steps[::-1])

    @cached_property
    def endings(self) -> Array:
        return np.flatnonzero(self.kind == FIXED)


class ExtensiveGame(Game):
    """A game given as a tree. Its keys are those of its source; action slots are numbered, their names differ by node."""

    def __init__(self, rules: ExtensiveRules) -> None:
        self.rules = rules  # type: ignore[assignment]
        self.name, self.players, self.options, self.abstraction = rules.name, rules.seats, {}, None
        self._histories = _split_chance(rules)

    @cached_property
    def tree(self) -> ExtensiveTree:
        return _tree(self.name, self.players, self._histories)

    @cached_property
    def deals(self) -> Deals:
        return no_cards(self.players)

    @cached_property
    def chance(self) -> Array:
        """[chance nodes, A] float64: probabilities, in the order of nodes."""
        tree = self.tree
        nodes = np.flatnonzero(tree.kind == CHANCE)
        return np.where(tree.child[nodes] >= 0, tree.chance[tree.child[nodes]], 0.0)

    @cached_property
    def size(self) -> tuple[int, int, int]:
        return self.tree.nodes, 1, self.tree.rows

    @property
    def blind(self) -> int:
        return 1

    @cached_property
    def fingerprint(self) -> str:
        digest = hashlib.sha256("\n".join([*self.keys, *self.tree.letters]).encode())
        for array in (self.tree.child, self.tree.player, self.tree.chance, *self.settled):
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()[:16]

    @cached_property
    def settled(self) -> tuple[Array, Array]:
        return matrix_payoffs(self.tree)

    @cached_property
    def form(self) -> Form:
        return _form(self)

    @property
    def one_deal(self) -> OneDeal:
        raise UsageError(f"{self.spec}: chance moves within the game (accepted: sampling=external, sampling=outcome)")

    @cached_property
    def walk(self) -> Walk:
        """The tables of sampling algorithms; rows of chance nodes follow those of the players."""
        tree = self.tree
        first_row = tree.first_row.copy()
        nodes = np.flatnonzero(tree.kind == CHANCE)
        first_row[nodes] = tree.rows + np.arange(len(nodes))
        return super().walk._replace(first_row=first_row)

    # Information states

    @cached_property
    def keys(self) -> list[str]:
        return [self._histories[self._history[node]].key for node in self.row_node]

    @cached_property
    def _history(self) -> list[int]:
        return _breadth_first(self._histories)

    @cached_property
    def _rows_of(self) -> dict[str, list[int]]:
        rows: dict[str, list[int]] = {}
        for row, key in enumerate(self.keys):
            rows.setdefault(key, []).append(row)
        return rows

    def key(self, row: int) -> str:
        return self.keys[row]

    def rows(self, key: str, player: int | None = None) -> list[int]:
        self.verify_player(player)
        rows = [row for row in self._rows_of.get(key, ()) if player in (None, self.row_player[row])]
        if not rows:
            raise UsageError(f"key {key!r} cannot occur in {self.spec} (its keys are like {', '.join(self.keys[:4])})")
        return rows

    def reach(self, betting: str) -> int:
        raise UsageError(f"{self.spec} has no betting")

    def row_at(self, node: int, hole: Cards, boards: Sequence[Cards]) -> int:
        raise UsageError(f"{self.spec} has no cards")


def chance_of(game: Game) -> Array:
    """Return [chance nodes, A] probabilities; poker games have no chance nodes, their deals come first."""
    return game.chance if isinstance(game, ExtensiveGame) else np.zeros((0, len(game.actions)))


def _verify(rules: ExtensiveRules) -> None:
    if rules.seats < 1 or not rules.histories:
        raise UsageError(f"{rules.name}: {rules.seats} players and {len(rules.histories)} histories (accepted: 1 or more)")
    for at in rules.histories:
        if not at.moves:
            wrong = len(at.payoffs) != rules.seats or not all(map(isfinite, at.payoffs))
        elif at.player == NOBODY:
            total = sum(at.probabilities)
            wrong = len(at.probabilities) != len(at.moves) or min(at.probabilities) < 0 or not isclose(total, 1, abs_tol=1e-6)
        else:
            wrong = not 0 <= at.player < rules.seats or len(set(at.moves)) < len(at.moves)
        if wrong or len(at.children) != len(at.moves):
            raise UsageError(f"{rules.name}: {str(at)[:200]} is no history of a game for {rules.seats} players")


def _split_chance(rules: ExtensiveRules) -> tuple[History, ...]:
    """Return the histories with chance nodes split in several, so that none has more moves than a player ever has."""
    _verify(rules)
    found = list(rules.histories)
    most = max((len(at.moves) for at in found if at.player != NOBODY), default=0)
    most = max(most, 2)

    def split(moves: Sequence[str], children: Sequence[int], probabilities: Sequence[float]) -> History:
        if len(moves) <= most:
            total = sum(probabilities) or 1.0
            shares = tuple(share / total for share in probabilities)
            return History(NOBODY, "", tuple(moves), tuple(children), shares)
        size = -(-len(moves) // most)
        parts = [slice(begin, begin + size) for begin in range(0, len(moves), size)]
        inner = [split(moves[part], children[part], probabilities[part]) for part in parts]
        first = len(found)
        found.extend(inner)
        return split([""] * len(inner), range(first, first + len(inner)), [sum(probabilities[part]) for part in parts])

    for place, at in enumerate(rules.histories):
        if at.moves and at.player == NOBODY:
            found[place] = split(at.moves, at.children, at.probabilities)
    return tuple(found)


def _breadth_first(histories: Sequence[History]) -> list[int]:
    order = [0]
    for place in order:
        order.extend(histories[place].children)
        if len(order) > MAX_HISTORIES:
            raise UsageError(f"more than {MAX_HISTORIES:,} histories are too many for a tree")
    if len(set(order)) < len(order):
        raise UsageError("a history is reached in two ways (accepted: trees)")
    return order


def _tree(name: str, players: int, histories: Sequence[History]) -> ExtensiveTree:
    order = _breadth_first(histories)
    nodes, slots = len(order), max([2, *(len(at.moves) for at in histories)])
    kind, player = np.full(nodes, FIXED, np.int8), np.full(nodes, NOBODY, np.int8)
    child, parent, slot = np.full((nodes, slots), -1, np.int32), np.full(nodes, -1, np.int32), np.full(nodes, -1, np.int8)
    first_row, payoff, chance = np.full(nodes, -1, np.int32), np.zeros((nodes, players)), np.ones(nodes)
    letters, rows, moves_of, depth = [""], dict[tuple[int, str], int](), list[tuple[str, ...]](), np.zeros(nodes, np.int64)
    following = 1
    for node, place in enumerate(order):
        at = histories[place]
        if not at.moves:
            payoff[node] = at.payoffs
            continue
        below = np.arange(following, following + len(at.moves))
        child[node, : len(below)], parent[below], slot[below] = below, node, np.arange(len(below))
        depth[below] = depth[node] + 1
        letters.extend(at.moves)
        following += len(below)
        kind[node] = CHANCE if at.player == NOBODY else DECISION
        if at.player == NOBODY:
            chance[below] = at.probabilities
            continue
        player[node] = at.player
        first_row[node] = row = rows.setdefault((at.player, at.key), len(rows))
        if row == len(moves_of):
            moves_of.append(at.moves)
        elif moves_of[row] != at.moves:
            raise UsageError(f"{name}: player {at.player} has moves {moves_of[row]} and {at.moves} in one state {at.key!r}")
    levels = np.searchsorted(depth, np.arange(depth.max() + 2))
    arrays: dict[str, Any] = {
        "kind": kind, "player": player, "round": np.zeros(nodes, np.int8), "child": child, "parent": parent, "slot": slot,
        "paid": np.zeros((nodes, players), np.int16), "alive": np.full(nodes, (1 << players) - 1, np.uint16),
        "first_row": first_row, "payoff": payoff, "levels": levels, "chance": chance,
    }  # fmt: skip
    for array in arrays.values():
        array.flags.writeable = False
    names = tuple(map(str, range(slots)))
    return ExtensiveTree(actions=names, rows=len(rows), amounts=False, letters=tuple(letters), **arrays)


def _form(game: ExtensiveGame) -> Form:
    """Return the sequence form; every ending is one leaf, which pays its pay-off times the probability of chance."""
    tree, players, legal = game.tree, game.players, game.legal
    order = np.concatenate([np.flatnonzero(game.row_player == player) for player in range(players)]).astype(np.int64)
    counts = Counter(game.row_player.tolist())
    player_row = np.cumsum([0, *(counts[player] for player in range(players))]).astype(np.int32)
    row_sequence = players + np.cumsum([0, *legal[order].sum(axis=1)])
    row, slot = np.nonzero(legal[order])
    cell = np.concatenate([np.full(players, -1), order[row] * legal.shape[1] + slot])
    sequence = np.full(legal.shape, -1, np.int64)
    sequence.reshape(-1)[cell[players:]] = np.arange(players, len(cell))

    last = np.tile(np.arange(players), (tree.nodes, 1))  # [N, P] the sequence of each player on the way to each node
    reach, step, mover = np.ones(tree.nodes), np.full(tree.nodes, -1, np.int64), np.full(tree.nodes, NOBODY, np.int8)
    row_parent = np.full(tree.rows, -1, np.int64)
    for node in range(tree.nodes):
        if node:
            above = tree.parent[node]
            last[node], reach[node], mover[node] = last[above], reach[above] * tree.chance[node], tree.player[above]
            if mover[node] >= 0:
                last[node, mover[node]] = step[node] = sequence[tree.first_row[above], tree.slot[node]]
        if tree.kind[node] == DECISION:
            own, at = last[node, tree.player[node]], tree.first_row[node]
            if row_parent[at] not in (-1, own):
                raise UsageError(f"{game.spec}: player {tree.player[node]} forgets own moves (accepted: perfect recall)")
            row_parent[at] = own
    endings = tree.endings
    node_ending = np.full(tree.nodes, -1, np.int32)
    node_ending[endings] = np.arange(len(endings))
    return Form(
        player_row=player_row,
        player_sequence=row_sequence[player_row].astype(np.int32),
        cell=cell,
        row_sequence=row_sequence.astype(np.uint32),
        row_parent=row_parent[order].astype(np.uint32),
        leaf_sequence=np.ascontiguousarray(last[endings].T.astype(np.uint32)),
        leaf_payoff=np.ascontiguousarray((tree.payoff[endings] * reach[endings, None]).T),
        ending_leaf=np.arange(len(endings) + 1, dtype=np.int32),
        node_parent=tree.parent,
        node_player=mover,
        node_sequence=np.cumsum([0, *(step >= 0)]).astype(np.int32),
        sequences=step[step >= 0].astype(np.int32),
        node_ending=node_ending,
        node_deals=np.ones(tree.nodes, np.int32),
    )

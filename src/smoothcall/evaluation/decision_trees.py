"""The betting behind a decision in two-player hold'em, against a policy: from its tree, or enumerated with the rules engine."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from smoothcall.games.betting import Betting
from smoothcall.games.notation import split_moves
from smoothcall.games.rules import PokerRules
from smoothcall.information.game import Game
from smoothcall.information.translation import moves_like, node_like
from smoothcall.information.tree import ActionTree
from smoothcall.kernels.search import sweep as kernels
from smoothcall.kernels.tables import Array
from smoothcall.policy import Policy
from smoothcall.search.policy_betting import policy_streets
from smoothcall.search.public_tree import StreetBetting, street_bettings

Shares = list[tuple[int, int, int]]  # row of the person's table, first row and slot of the policy; -1: always


@dataclass(frozen=True, eq=False)
class DecisionTree:
    """The betting behind a decision of a person, with the table that the opponent follows in it."""

    streets: list[StreetBetting]
    policy: Array  # [rows, slots] uint8: the opponent's; `row` and `slots` of its decisions are places in it
    shares: list[Array]  # [numbers, 3] of each street: where the person's moves are in the policy itself, as in `Shares`


def decision_tree(game: Game, seat: int, policy: Policy, betting: str, made: str = "") -> DecisionTree:
    """Return the betting behind a decision of a seat; `made` is a move there that is not in the menu."""
    root = _node_at(game.tree, betting)
    if root is not None and not made:
        return known_tree(game, seat, policy, root)
    return translated_tree(game, seat, policy, betting, made)


def _node_at(tree: ActionTree, betting: str) -> int | None:
    """Return the node of a betting sequence; None where the tree does not have it."""
    node: int | None = 0
    for letter in split_moves(betting):
        node = tree.children(node).get(letter) if node is not None else None
    return node


def _decisions(street: StreetBetting) -> list[int]:
    return [node for node, kind in enumerate(street.kind) if kind == kernels.DECISION]


def _tree(streets: list[StreetBetting], policy: Array, shares: list[Shares]) -> DecisionTree:
    return DecisionTree(streets, policy, [np.array(each, np.int64).reshape(-1, 3) for each in shares])


def known_tree(game: Game, seat: int, policy: Policy, root: int) -> DecisionTree:
    """Return the betting behind a node of the policy's tree."""
    tree = game.tree
    streets = policy_streets(game, tree.child >= 0, root)
    shares: list[Shares] = [[] for _ in streets]
    for place, street in enumerate(streets):
        street.text = [""] * len(street.kind)
        for node in _decisions(street):
            if place == 0:
                like = game.node_of(street.row[node])
                letters = {int(tree.slot[child]): letter for letter, child in tree.children(like).items()}
                street.text[node] = tree.betting(like)
                street.moves[node] = [letters[slot] for slot in street.slots[node]]
            if street.player[node] == seat:
                first, street.row[node] = street.row[node], street.rows[seat]
                shares[place] += [(street.row[node] + n, first, slot) for n, slot in enumerate(street.slots[node])]
                street.rows[seat] += len(street.slots[node])
    return _tree(streets, policy.weights, shares)


def translated_tree(game: Game, seat: int, policy: Policy, betting: str, made: str = "") -> DecisionTree:
    """Return the betting behind a state, enumerated by the rules engine.

    Slots of the policy that are one move in the hand are added up: the person cannot tell them apart.
    """
    assert isinstance(game.rules, PokerRules)
    root = Betting(game.rules)
    for letter in split_moves(betting):
        root.play(letter)

    def moves(state: Betting) -> list[str]:
        if state.player == seat:
            return [letter for letter in (*state.slots, made if state.text == betting else None) if letter]
        return list(dict.fromkeys(letter for letter in moves_like(game, state.text) if letter)) or ["c"]

    streets = street_bettings(root, moves)
    shares: list[Shares] = [[] for _ in streets]
    parts, rows, width = list[Array](), 0, len(game.actions)
    for place, street in enumerate(streets):
        street.slots = [[] for _ in street.kind]
        for node in _decisions(street):
            like, letters = node_like(game, street.text[node]), moves_like(game, street.text[node])
            first = -1 if like is None else int(game.tree.first_row[like])
            slots = [[slot for slot, known in enumerate(letters) if known == letter] for letter in street.moves[node]]
            if street.player[node] != seat and like is not None:
                own = policy.weights[first : first + game.buckets[root.street + place]]
                part = np.zeros((len(own), width), np.uint8)
                for action, several in enumerate(slots):
                    part[:, action] = own[:, several].sum(axis=1)
                street.row[node], street.slots[node] = rows, list(range(len(slots)))
                parts.append(part)
                rows += len(part)
                continue
            if street.player[node] != seat:  # it checks and calls, as if the person had one move
                street.player[node], street.row[node] = seat, street.rows[seat]
                street.rows[seat] += 1
            for row, (letter, several) in enumerate(zip(street.moves[node], slots, strict=True), street.row[node]):
                shares[place] += [(row, first, slot) for slot in several]
                shares[place] += [(row, -1, 0)] * (like is None and letter == "c")
    followed = np.concatenate(parts) if parts else np.zeros((1, width), np.uint8)
    followed.flags.writeable = False  # kernels are compiled for read-only policies
    return _tree(streets, followed, shares)

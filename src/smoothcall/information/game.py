"""A game as its players know it: rules, action tree, deals, and the keys of its information states."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from smoothcall.errors import UsageError, unknown
from smoothcall.games import catalog
from smoothcall.games.matrix import MatrixGame
from smoothcall.games.rules import PokerRules
from smoothcall.information.buckets import Lossless
from smoothcall.information.deals import Deals, list_deals, no_cards
from smoothcall.information.sequence_form import build_form, build_parts
from smoothcall.information.tree import ActionTree, matrix_tree, poker_tree
from smoothcall.kernels.tables import FIXED, Array, Form, OneDeal, Walk
from smoothcall.options import Option, number, read_options

SUITS = Option("merged", "cards that differ only in suit: one to everybody, or told apart", choices=("merged", "apart"))


class Game:
    """A game ready to be solved, evaluated and played. Its tables are built when first asked for and then kept."""

    def __init__(self, rules: PokerRules | MatrixGame, *, suits: str = "merged", options: Mapping[str, Any] | None = None):
        if not isinstance(rules, PokerRules | MatrixGame):
            raise UsageError(f"a game is made of PokerRules or a MatrixGame, not of {rules!r}")
        SUITS.read("suits", suits)
        self.rules = rules
        self.name = rules.name
        self.players = rules.seats
        self.options = dict(options or {})  # those that differ from the defaults, as in `sc.game(name, **options)`
        self._suits_apart = suits == "apart" or (isinstance(rules, PokerRules) and rules.order.suits_matter)

    def __repr__(self) -> str:
        return f"<Game {self.spec}>"

    @cached_property
    def fingerprint(self) -> str:
        """A short digest of everything that tells this game from others: states, actions, chances and pay-offs."""
        digest = hashlib.sha256("\n".join([*self.actions, *self.keys]).encode())
        for array in (self.tree.child, self.tree.player, self.deals.weight, self.deals.bucket, *self.ending_payoff):
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()[:16]

    @property
    def spec(self) -> str:
        """The game's name with its options, as the command line writes it: `kuhn:pot=8`."""
        options = ",".join(f"{name}={value}" for name, value in sorted(self.options.items()))
        return f"{self.name}:{options}" if options else self.name

    @cached_property
    def deals(self) -> Deals:
        if isinstance(self.rules, MatrixGame):
            return no_cards(self.players)
        return list_deals(self.rules, Lossless(self.rules, suits_apart=self._suits_apart))

    @cached_property
    def tree(self) -> ActionTree:
        return matrix_tree(self.rules) if isinstance(self.rules, MatrixGame) else poker_tree(self.rules, self.deals.buckets)

    @property
    def actions(self) -> tuple[str, ...]:
        """[A] the letter of each action slot."""
        return self.tree.actions

    # Information states: one row of every table each

    @cached_property
    def row_node(self) -> Array:
        """[rows] int32: a node of each row, the first one where several share it."""
        nodes = np.full(self.tree.rows, -1, np.int32)
        for node in self.tree.decisions[::-1]:
            first = self.tree.first_row[node]
            nodes[first : first + self.deals.buckets[self.tree.round[node]]] = node
        return nodes

    @cached_property
    def row_player(self) -> Array:
        """[rows] int8: whose information state each row is."""
        return self.tree.player[self.row_node]

    @cached_property
    def legal(self) -> Array:
        """[rows, A] bool: which actions each information state has."""
        return self.tree.child[self.row_node] >= 0

    @cached_property
    def keys(self) -> list[str]:
        """[rows] the key of every information state: `<own cards>[/<board>]:<betting>`."""
        tree, labels = self.tree, self.deals.labels
        if isinstance(self.rules, MatrixGame):  # everybody moves at once: nobody has seen anything
            return [":"] * tree.rows
        betting = {int(node): tree.betting(int(node)) for node in np.unique(self.row_node)}
        return [
            f"{labels[tree.round[node]][row - tree.first_row[node]]}:{betting[int(node)]}"
            for row, node in enumerate(self.row_node)
        ]

    @cached_property
    def _rows(self) -> dict[str, list[int]]:
        rows: dict[str, list[int]] = {}
        for row, key in enumerate(self.keys):
            rows.setdefault(key, []).append(row)
        return rows

    def information_states(self, player: int | None = None) -> list[str]:
        """The keys of a player's information states, in row order; of all players where none is named."""
        self.verify_player(player)
        return [key for key, owner in zip(self.keys, self.row_player, strict=True) if player in (None, owner)]

    def rows(self, key: str, player: int | None = None) -> list[int]:
        """The rows a key names: one, or one a player where players move at once and their keys are the same."""
        self.verify_player(player)
        rows = [row for row in self._rows.get(key, ()) if player in (None, self.row_player[row])]
        if rows:
            return rows
        if key in self._rows:
            raise UsageError(f"player {player} has no information state {key!r} in {self.spec}")
        cards = key.partition(":")[0]
        same = [known for known in self._rows if known.partition(":")[0] == cards]
        example = ", ".join((same or list(self._rows))[:4])
        raise UsageError(f"key {key!r} cannot occur in {self.spec} (its keys are like {example})")

    def verify_player(self, player: int | None) -> None:
        known = number(player, whole=True)
        if player is not None and (known is None or not 0 <= known < self.players):
            raise UsageError(f"player {player} (accepted: 0 to {self.players - 1})")

    # What kernels read

    @cached_property
    def ending_payoff(self) -> tuple[Array, Array]:
        """([N] int32 index, [endings, D, P] float64 chips): pay-offs by terminal node and deal, equal ones kept once."""
        from smoothcall.kernels.payoffs import settle_deals

        tree, deals = self.tree, self.deals
        index = np.full(len(tree.kind), -1, np.int32)
        distinct: dict[tuple[object, ...], int] = {}
        tables: list[Array] = []
        for node in tree.endings:
            fixed = tree.kind[node] == FIXED
            what = (int(node),) if fixed else (int(tree.alive[node]), *map(int, tree.paid[node]))
            if what not in distinct:
                distinct[what] = len(tables)
                table = np.empty((deals.count, self.players))
                if fixed:
                    table[:] = tree.payoff[node]
                else:
                    settle_deals(tree.paid[node].astype(np.int64), int(tree.alive[node]), deals.strength, table)
                tables.append(table)
            index[node] = distinct[what]
        return index, np.array(tables)

    @cached_property
    def walk(self) -> Walk:
        """The tables for sampling algorithms."""
        tree, (ending, payoff) = self.tree, self.ending_payoff
        return Walk(
            tree.kind,
            tree.player,
            tree.round,
            tree.child,
            tree.first_row,
            ending,
            payoff,
            self.deals.bucket,
            *self.deals.alias,
        )

    @cached_property
    def form(self) -> Form:
        """The sequence form, for full-width algorithms."""
        return build_form(self.tree, self.deals, *self.ending_payoff, self.legal, self.row_player, self.row_node)

    @cached_property
    def parts(self) -> OneDeal:
        """The part of the sequence form that each deal comes to."""
        return build_parts(self.tree, self.deals, *self.ending_payoff, self.sequence_cells, self.form)

    @cached_property
    def sequence_cells(self) -> Array:
        """[sequences] int64: the cell of a flat [rows x A] table behind each sequence, -1 for the empty ones."""
        mine = [self.legal & (self.row_player == player)[:, None] for player in range(self.players)]
        return np.concatenate([np.full(self.players, -1), *map(np.flatnonzero, mine)])

    @property
    def zero_sum(self) -> bool:
        return bool(np.allclose(self.ending_payoff[1].sum(axis=2), 0, atol=1e-9))

    @property
    def depth(self) -> int:
        """The longest path in the action tree."""
        return int(self.tree.depth.max())


def options_of(name: str) -> dict[str, Option]:
    """The options a named game takes."""
    if name not in catalog.CATALOG:
        raise unknown("game", name, catalog.CATALOG)
    entry = catalog.CATALOG[name]
    rules = entry.build(**{option: declared.default for option, declared in entry.options.items()})
    return {**entry.options, **({"suits": SUITS} if isinstance(rules, PokerRules) and rules.deck.suits else {})}


def game(name: str, **options: object) -> Game:
    """A game by name: `game("kuhn", pot=8)`, or with its options in the name as on the command line: `game("kuhn:pot=8")`."""
    if not isinstance(name, str):
        raise UsageError(f"a game is named by text such as 'leduc', not {name!r}")
    name, colon, text = name.partition(":")
    if colon:
        pairs = re.findall(r"([^=,]+)=([^,]*)", text)
        if ",".join(f"{key}={value}" for key, value in pairs) != text or not pairs:
            raise UsageError(f"game options {text!r} (accepted: name=value,name=value)")
        if len(dict(pairs)) < len(pairs):
            raise UsageError(f"game options {text!r} name one of them twice")
        options = {**dict(pairs), **options}
    declared = options_of(name)
    values = read_options(name, declared, options)
    changed = {key: value for key, value in values.items() if value != declared[key].default}
    suits = values.pop("suits", "merged")
    return Game(catalog.rules(name, **values), suits=suits, options=changed)

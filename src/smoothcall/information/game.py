"""A game as its players know it: rules, action tree, deals, and the keys of its information states."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from smoothcall.errors import UsageError, unknown
from smoothcall.games import catalog
from smoothcall.games.cards import SHORT, Cards
from smoothcall.games.matrix import MatrixGame
from smoothcall.games.outcomes import every_outcome
from smoothcall.games.rules import PokerRules
from smoothcall.holdem.abstraction import CELLS, GRID, Abstraction, is_holdem, read_grid
from smoothcall.information.buckets import Lossless
from smoothcall.information.deals import Deals, count_deals, list_deals, no_cards
from smoothcall.information.sequence_form import build_form, build_parts
from smoothcall.information.tree import ActionTree, matrix_tree, poker_size, poker_tree
from smoothcall.kernels.tables import DECISION, Array, Form, OneDeal, Walk
from smoothcall.memory import verify_room
from smoothcall.options import Option, number, read_options

SUITS = Option("merged", "cards that differ only in suit: one to everybody, or told apart", choices=("merged", "apart"))


MOST_KEYS = 5_000_000  # information states that may be listed by their keys


class Game:
    """A game ready to be solved, evaluated and played. Its tables are built when first asked for and then kept.

    Where the deals are too many to list they are drawn, and players see the cards through an `abstraction`: what needs a
    list of the deals (full-width solvers, exact evaluation) is refused then.
    """

    def __init__(
        self,
        rules: PokerRules | MatrixGame,
        *,
        suits: str = "merged",
        grid: str | None = None,
        cells: str | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        if not isinstance(rules, PokerRules | MatrixGame):
            raise UsageError(f"a game is made of PokerRules or a MatrixGame, not of {rules!r}")
        SUITS.read("suits", suits)
        CELLS.read("cells", cells or CELLS.default)
        self.rules = rules
        self.name = rules.name
        self.players = rules.seats
        self.options = dict(options or {})  # those that differ from the defaults, as in `sc.game(name, **options)`
        self.abstraction: Abstraction | None = None
        if isinstance(rules, PokerRules):
            self._suits_apart = suits == "apart" or rules.order.suits_matter
            if is_holdem(rules):
                sizes = read_grid(grid or default_grid(rules))
                self.abstraction = Abstraction(rules.deck, rules.seats, sizes, cells or default_cells(rules))

    def __repr__(self) -> str:
        return f"<Game {self.spec}>"

    @property
    def sampled(self) -> bool:
        """Whether deals are drawn, because they are too many to list."""
        return self.abstraction is not None

    @cached_property
    def fingerprint(self) -> str:
        """A short digest of everything that tells this game from others: states, actions, probabilities and pay-offs."""
        tree = self.tree
        if self.abstraction is not None:
            digest = hashlib.sha256("\n".join([*self.actions, self.abstraction.digest]).encode())
            paid = tree.paid[tree.endings].astype(np.int32)
            arrays: tuple[Array, ...] = (tree.child, tree.player, tree.round, tree.alive[tree.endings], paid)
        else:
            digest = hashlib.sha256("\n".join([*self.actions, *self.keys]).encode())
            arrays = (tree.child, tree.player, self.deals.weight, self.deals.bucket, *self.ending_payoff)
        for array in arrays:
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()[:16]

    @property
    def spec(self) -> str:
        """The game's name with its options, as the command line writes it: `kuhn:pot=8`."""
        options = ",".join(f"{name}={value}" for name, value in sorted(self.options.items()))
        return f"{self.name}:{options}" if options else self.name

    @cached_property
    def deals(self) -> Deals:
        """Every deal; an error where they are drawn."""
        if isinstance(self.rules, MatrixGame):
            return no_cards(self.players)
        if self.sampled:
            total = count_deals(self.rules)
            raise UsageError(f"{self.spec}: {total:.3g} deals are too many to list; this works on smaller games only")
        return list_deals(self.rules, self._lossless)

    @property
    def _lossless(self) -> Lossless:
        assert isinstance(self.rules, PokerRules)
        return Lossless(self.rules, suits_apart=self._suits_apart)

    @property
    def buckets(self) -> tuple[int, ...]:
        """[R] how many buckets each street has."""
        return self.deals.buckets if self.abstraction is None else self.abstraction.counts

    @cached_property
    def tree(self) -> ActionTree:
        return matrix_tree(self.rules) if isinstance(self.rules, MatrixGame) else poker_tree(self.rules, self.buckets)

    @cached_property
    def size(self) -> tuple[int, int, int]:
        """(nodes of the action tree, deals, information states), without building large tables."""
        if not self.sampled or not isinstance(self.rules, PokerRules):
            return self.tree.nodes, self.deals.count, self.tree.rows
        nodes, decisions = poker_size(self.rules)
        rows = sum(count * seen for count, seen in zip(decisions, self.buckets, strict=True))
        return nodes, count_deals(self.rules), rows

    @property
    def actions(self) -> tuple[str, ...]:
        """[A] the name of each action slot."""
        return self.tree.actions

    @property
    def blind(self) -> int:
        """The big blind, in chips; in games without blinds the ante, in games without either 1."""
        if isinstance(self.rules, MatrixGame):
            return 1
        return max((*self.rules.blinds, 0)) or max((*self.rules.antes, 0)) or 1

    # Information states: one row of every table each

    @cached_property
    def row_node(self) -> Array:
        """[rows] int32: a node of each row, the first one where several share it."""
        nodes = np.full(self.tree.rows, -1, np.int32)
        for node in self.tree.decisions[::-1]:
            first = self.tree.first_row[node]
            nodes[first : first + self.buckets[self.tree.round[node]]] = node
        return nodes

    @cached_property
    def row_player(self) -> Array:
        """[rows] int8: whose information state each row is."""
        return self.tree.player[self.row_node]

    @cached_property
    def legal(self) -> Array:
        """[rows, A] bool: which actions each information state has."""
        return self.tree.child[self.row_node] >= 0

    def node_of(self, row: int) -> int:
        """A node of a row, the first one where several share it."""
        decisions = self.tree.decisions
        first = self.tree.first_row[decisions]
        if not self.tree.shares_rows:  # rows follow the order of nodes
            return int(decisions[np.searchsorted(first, row, side="right") - 1])
        return int(self.row_node[row])

    def key(self, row: int) -> str:
        """The key of an information state: `<own cards>[/<board>]:<betting>`; where cards are seen through buckets, a class
        of hands (`AKs:rc`) before the flop and the number of a bucket (`#17:rc/`) later."""
        if isinstance(self.rules, MatrixGame):  # everybody moves at once: nobody has seen anything
            return ":"
        node = self.node_of(row)
        street, bucket = int(self.tree.round[node]), int(row - self.tree.first_row[node])
        cards = self.deals.labels[street][bucket] if self.abstraction is None else self.abstraction.label(street, bucket)
        return f"{cards}:{self.tree.betting(node)}"

    @cached_property
    def keys(self) -> list[str]:
        """[rows] the key of every information state."""
        tree = self.tree
        if tree.rows > MOST_KEYS:
            raise UsageError(f"{self.spec}: {tree.rows:,} information states are too many to list (at most {MOST_KEYS:,})")
        if isinstance(self.rules, MatrixGame):
            return [":"] * tree.rows
        keys = []
        for node in tree.decisions:
            street, betting = int(tree.round[node]), tree.betting(int(node))
            labels = (
                self.deals.labels[street]
                if self.abstraction is None
                else [self.abstraction.label(street, bucket) for bucket in range(self.buckets[street])]
            )
            keys += [f"{label}:{betting}" for label in labels]
        return keys

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
        if self.abstraction is not None:
            row = self._read_key(key)
            if player not in (None, int(self.tree.player[self.node_of(row)])):
                raise UsageError(f"player {player} has no information state {key!r} in {self.spec}")
            return [row]
        rows = [row for row in self._rows.get(key, ()) if player in (None, self.row_player[row])]
        if rows:
            return rows
        if key in self._rows:
            raise UsageError(f"player {player} has no information state {key!r} in {self.spec}")
        cards = key.partition(":")[0]
        same = [known for known in self._rows if known.partition(":")[0] == cards]
        example = ", ".join((same or list(self._rows))[:4])
        raise UsageError(f"key {key!r} cannot occur in {self.spec} (its keys are like {example})")

    def _read_key(self, key: str) -> int:
        """The row of a key where cards are seen through buckets: `AhKh/Td9d2c:rc/`, `AKs:rc` or `#17:rc/`."""
        assert self.abstraction is not None
        cards, colon, betting = key.partition(":")
        if not colon:
            raise UsageError(f"key {key!r} cannot occur in {self.spec} (its keys are like AhKh/Td9d2c:rc/, AKs:r, #17:rc/)")
        node = self.reach(betting)
        street, named = int(self.tree.round[node]), self.abstraction.read_label(cards)
        if named is None:
            deck = self.rules.deck  # type: ignore[union-attr]
            deck.parse(cards.replace("/", ""))  # no card twice
            hole, *boards = map(deck.parse, cards.split("/"))
            sizes = [len(hole), *map(len, boards)]
            if sizes != [2, 3, 1, 1][: street + 1]:
                raise UsageError(f"key {key!r}: {cards!r} are not the cards of street {street + 1} in {self.spec}")
            return int(self.tree.first_row[node]) + self.abstraction.bucket(hole, [(), *boards])
        where, bucket = named
        if (where == 0) != (street == 0) or not 0 <= bucket < self.buckets[street]:
            raise UsageError(f"key {key!r}: {cards!r} is not a bucket of street {street + 1} in {self.spec}")
        return int(self.tree.first_row[node]) + bucket

    def reach(self, betting: str) -> int:
        """The decision that a betting sequence leads to."""
        tree, node = self.tree, 0
        for move in re.findall(r"[a-zA-Z][0-9]*", betting):
            children = tree.children(node)
            if move not in children:
                raise UsageError(
                    f"betting {betting!r}: no {move!r} there in {self.spec} (accepted: {', '.join(children) or 'none'})"
                )
            node = children[move]
        if tree.kind[node] != DECISION or tree.betting(node) != betting:
            raise UsageError(f"betting {betting!r} does not lead to a decision in {self.spec}")
        return node

    def row_of(self, hole: Cards, boards: Sequence[Cards], betting: str) -> int:
        """The row of a player with these cards who acts after this betting; `boards` are those of each street so far."""
        node = self.reach(betting)
        if self.abstraction is not None:
            return int(self.tree.first_row[node]) + self.abstraction.bucket(hole, boards)
        label = self._lossless.label(self._lossless.view(hole, boards))
        return int(self.tree.first_row[node]) + self._labels[int(self.tree.round[node])][label]

    @cached_property
    def _labels(self) -> list[dict[str, int]]:
        return [{label: bucket for bucket, label in enumerate(labels)} for labels in self.deals.labels]

    def verify_player(self, player: int | None) -> None:
        known = number(player, whole=True)
        if player is not None and (known is None or not 0 <= known < self.players):
            raise UsageError(f"player {player} (accepted: 0 to {self.players - 1})")

    # What kernels read

    @property
    def node_rows(self) -> tuple[Array, Array, Array, Array]:
        """(child[N, A], first_row[N], street[N], buckets[R]): which rows and actions every node has."""
        return self.tree.child, self.tree.first_row, self.tree.round, np.array(self.buckets, np.int64)

    @cached_property
    def settled(self) -> tuple[Array, Array]:
        """([N] int32 index, [endings, outcomes, P] float64 chips): pay-offs by terminal node and outcome, equal ones once."""
        from smoothcall.kernels.information.payoffs import settle_deals

        tree = self.tree
        orders = every_outcome(self.players)[1] if self.sampled else self.deals.outcomes[1]
        index = np.full(tree.nodes, -1, np.int32)
        if isinstance(self.rules, MatrixGame):
            index[tree.endings] = np.arange(len(tree.endings))
            return index, tree.payoff[tree.endings][:, None, :]
        verify_room(
            len(tree.endings) * (8 * self.players + 60), f"pay-offs of the {len(tree.endings):,} endings of {self.spec}"
        )
        what = np.column_stack([tree.alive[tree.endings], tree.paid[tree.endings]])
        distinct, index[tree.endings] = unique_rows(what)
        tables = np.empty((len(distinct), len(orders), self.players))
        for table, (alive, *paid) in zip(tables, distinct, strict=True):
            settle_deals(np.array(paid, np.int64), int(alive), orders, table)
        return index, tables

    @cached_property
    def ending_payoff(self) -> tuple[Array, Array]:
        """([N] int32 index, [endings, D, P] float64 chips): pay-offs by terminal node and deal."""
        index, table = self.settled
        return index, table[:, self.deals.outcomes[0]]

    @cached_property
    def walk(self) -> Walk:
        """The tables for sampling algorithms."""
        tree, (ending, payoff) = self.tree, self.settled
        nowhere = np.zeros((0, self.players, len(self.buckets)), np.int32)
        none = np.zeros(0, np.uint32)
        return Walk(
            tree.kind,
            tree.player,
            tree.round,
            tree.child,
            tree.first_row,
            ending,
            payoff,
            nowhere if self.sampled else self.deals.bucket,
            none if self.sampled else self.deals.outcomes[0],
            *((np.zeros(0), none.astype(np.int32)) if self.sampled else self.deals.alias),
        )

    def dealer(self, seed: int) -> Dealer:
        """Somebody who deals fair hands."""
        return Dealer(self, seed)

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
        return self.tree.depth


class Dealer:
    """Deals hands one after the other, as what each player sees on each street and how the hands compare."""

    def __init__(self, game: Game, seed: int) -> None:
        from smoothcall.kernels.random import seeded

        self.game, self._generator = game, seeded(seed)[0]

    def deal(self, count: int) -> tuple[Array, Array]:
        """(bucket[count, P, R] int32, outcome[count] uint32): see `Walk`."""
        from smoothcall.kernels.holdem import dealing

        walk, abstraction = self.game.walk, self.game.abstraction
        bucket = np.zeros((count, *walk.bucket.shape[1:]), np.int32)
        outcome = np.zeros(count, np.uint32)
        if abstraction is None:
            dealing.deal_listed(walk, bucket, outcome, self._generator)
        else:
            dealing.deal_many(abstraction.cards, bucket, outcome, self._generator)
        return bucket, outcome


def unique_rows(table: Array) -> tuple[Array, Array]:
    """(distinct rows, index of each row among them), by sorting one number a row."""
    table = table.astype(np.int64)
    low, span = table.min(axis=0), np.ptp(table, axis=0) + 1
    place = np.cumprod([1, *span[:-1]])
    _, first, index = np.unique(((table - low) * place).sum(axis=1), return_index=True, return_inverse=True)
    return table[first], index


def options_of(name: str) -> dict[str, Option]:
    """The options a named game takes."""
    if name not in catalog.CATALOG:
        raise unknown("game", name, catalog.CATALOG)
    entry = catalog.CATALOG[name]
    rules = entry.build(**{option: declared.default for option, declared in entry.options.items()})
    if isinstance(rules, PokerRules) and is_holdem(rules):
        return {
            **entry.options,
            "grid": replace(GRID, default=default_grid(rules)),
            "cells": replace(CELLS, default=default_cells(rules)),
        }
    return {**entry.options, **({"suits": SUITS} if isinstance(rules, PokerRules) and rules.deck.suits else {})}


def default_grid(rules: PokerRules) -> str:
    return "S" if rules.seats == 2 else "3p"


def default_cells(rules: PokerRules) -> str:
    """The players of epfl2020, who hold 32 cards, look at equities."""
    return "equity" if rules.deck == SHORT else "even"


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
    seen = {key: values.pop(key) for key in ("suits", "grid", "cells") if key in values}
    return Game(catalog.rules(name, **values), **seen, options=changed)

"""`Game`: the arrays of a game (action tree, deals, rows, pay-offs) that solvers, evaluation and play use.

Keys of information states are in `information.keys`, sampling of deals in `information.dealing`, building a game by its name
in `information.named_games`.
"""

from __future__ import annotations

import copyreg
import hashlib
import pickle
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from smoothcall.errors import UsageError
from smoothcall.games.cards import Cards
from smoothcall.games.matrix import MatrixGame
from smoothcall.games.outcomes import every_outcome
from smoothcall.games.rules import PokerRules
from smoothcall.holdem.abstraction import CELLS, Abstraction, default_cells, default_grid, is_holdem, read_grid
from smoothcall.information.buckets import Lossless
from smoothcall.information.dealing import Dealer
from smoothcall.information.deals import Deals, count_deals, list_deals, no_cards
from smoothcall.information.keys import Keys
from smoothcall.information.sequence_form import build_form, build_one_deal
from smoothcall.information.tree import ActionTree, matrix_tree, poker_size, poker_tree
from smoothcall.kernels.tables import Array, Form, OneDeal, Walk, read_only
from smoothcall.options import Option, number

SUITS = Option("merged", "merge cards that differ only in suit, or tell them apart", choices=("merged", "apart"))


class Game:
    """A game ready to be solved, evaluated and played. Tables are built at first use and kept.

    Where the deals are too many to list they are sampled, and players see the cards through an `abstraction`. Full-width
    solvers and exact evaluation need listed deals and raise `UsageError` then.
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
        if isinstance(rules, PokerRules) and rules.dead:
            raise UsageError(f"{rules.name}: dead money of single seats is for hands only (accepted: antes, blinds)")
        SUITS.read("suits", suits)
        CELLS.read("cells", cells or CELLS.default)
        self._given = (rules, suits, grid, cells, tuple((options or {}).items()))
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

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle what the game was made of; a process that reads several such games builds one of each (see `_rebuilt`).

        Subclasses are pickled with their attributes.
        """
        if type(self) is not Game:
            state = {name: value for name, value in self.__dict__.items() if name != "_keys"}  # which refer to this game
            return copyreg.__newobj__, (type(self),), state  # type: ignore[attr-defined]
        return _rebuilt, (pickle.dumps(self._given),)

    @property
    def sampled(self) -> bool:
        """Whether deals are sampled, because they are too many to list."""
        return self.abstraction is not None

    @cached_property
    def fingerprint(self) -> str:
        """A short digest of states, actions, probabilities and pay-offs: equal for equal games."""
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
        return spec_of(self.name, self.options)

    @cached_property
    def deals(self) -> Deals:
        """Every deal. Raises `UsageError` where deals are sampled."""
        if isinstance(self.rules, MatrixGame):
            return no_cards(self.players)
        if self.sampled:
            total = count_deals(self.rules)
            raise UsageError(f"{self.spec}: {total:.3g} deals are too many to list; this works on smaller games only")
        return list_deals(self.rules, self.lossless)

    @cached_property
    def lossless(self) -> Lossless:
        """The buckets of a game whose deals are listed."""
        assert isinstance(self.rules, PokerRules)
        return Lossless(self.rules, suits_apart=self._suits_apart)

    @property
    def buckets(self) -> tuple[int, ...]:
        """[R] number of buckets on each street."""
        return self.deals.buckets if self.abstraction is None else self.abstraction.counts

    @cached_property
    def tree(self) -> ActionTree:
        return matrix_tree(self.rules) if isinstance(self.rules, MatrixGame) else poker_tree(self.rules, self.buckets)

    @cached_property
    def size(self) -> tuple[int, int, int]:
        """(nodes of the action tree, deals, information states), found without building large tables."""
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
        """[rows] int8: the player whose information state each row is."""
        return self.tree.player[self.row_node]

    @cached_property
    def legal(self) -> Array:
        """[rows, A] bool: which actions each information state has."""
        return self.tree.child[self.row_node] >= 0

    def node_of(self, row: int) -> int:
        """Return a node of a row, the first one where several share it."""
        if self.tree.shares_rows:
            return int(self.row_node[row])
        place = np.searchsorted(self.tree.decision_rows, row, side="right") - 1  # rows follow the order of nodes
        return int(self.tree.decisions[place])

    @cached_property
    def _keys(self) -> Keys:
        return Keys(self)

    @property
    def keys(self) -> list[str]:
        """[rows] the key of every information state."""
        return self._keys.all

    def key(self, row: int) -> str:
        """Return the key of an information state: `<own cards>[/<board>]:<betting>`, see `information.keys`."""
        return self._keys.key(row)

    def rows(self, key: str, player: int | None = None) -> list[int]:
        """Return the rows a key names: one, or one per player where players move at once and share a key."""
        self.verify_player(player)
        return self._keys.rows(key, player)

    def information_states(self, player: int | None = None) -> list[str]:
        """Return the keys of a player's information states in row order; of all players where `player` is None."""
        self.verify_player(player)
        return [key for key, owner in zip(self.keys, self.row_player, strict=True) if player in (None, owner)]

    def reach(self, betting: str) -> int:
        """Return the decision node that a betting sequence leads to."""
        return self._keys.reach(betting)

    def row_at(self, node: int, hole: Cards, boards: Sequence[Cards]) -> int:
        """Return the row of a player with these hole cards at a decision node; boards[street] for each street so far."""
        return self._keys.row_at(node, hole, boards)

    def row_of(self, hole: Cards, boards: Sequence[Cards], betting: str) -> int:
        """Return the row of a player with these cards who acts after this betting; boards[street] for each street so far."""
        return self._keys.row_at(self._keys.reach(betting), hole, boards)

    def verify_player(self, player: int | None) -> None:
        """Raise unless `player` is a seat or None."""
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
        """([N] int32 index, [endings, outcomes, P] float64 chips): pay-offs by ending and outcome, equal tables once."""
        from smoothcall.information.payoffs import matrix_payoffs, poker_payoffs

        if isinstance(self.rules, MatrixGame):
            return matrix_payoffs(self.tree)
        strengths = every_outcome(self.players)[1] if self.sampled else self.deals.outcomes[1]
        return poker_payoffs(self.tree, strengths, self.spec)

    @cached_property
    def ending_payoff(self) -> tuple[Array, Array]:
        """([N] int32 index, [endings, D, P] float64 chips): pay-offs by terminal node and deal."""
        index, table = self.settled
        return index, table[:, self.deals.outcomes[0]]

    @cached_property
    def walk(self) -> Walk:
        """The tables of sampling algorithms."""
        tree, (ending, payoff) = self.tree, self.settled
        nowhere = np.zeros((0, self.players, len(self.buckets)), np.int32)
        none = np.zeros(0, np.uint32)
        return Walk(
            read_only(tree.kind),
            read_only(tree.player),
            read_only(tree.round),
            read_only(tree.child),
            read_only(tree.first_row),
            ending,
            payoff,
            nowhere if self.sampled else self.deals.bucket,
            none if self.sampled else self.deals.outcomes[0],
            *((np.zeros(0), none.astype(np.int32)) if self.sampled else self.deals.alias),
        )

    def dealer(self, seed: int) -> Dealer:
        """Return a dealer of fair hands."""
        return Dealer(self, seed)

    @cached_property
    def form(self) -> Form:
        """The sequence form, which full-width algorithms sweep."""
        return build_form(self.tree, self.deals, *self.ending_payoff, self.legal, self.row_player)

    @cached_property
    def one_deal(self) -> OneDeal:
        """The sequence form restricted to each deal, for chance sampling."""
        return build_one_deal(self.tree, self.deals, *self.ending_payoff, self.form)

    @property
    def zero_sum(self) -> bool:
        return bool(np.allclose(self.ending_payoff[1].sum(axis=2), 0, atol=1e-9))

    @property
    def depth(self) -> int:
        """The longest path in the action tree."""
        return self.tree.depth


@lru_cache(maxsize=4)
def _rebuilt(given: bytes) -> Game:
    rules, suits, grid, cells, options = pickle.loads(given)
    return Game(rules, suits=suits, grid=grid, cells=cells, options=dict(options))


def spec_of(name: str, options: Mapping[str, object]) -> str:
    """Return the specification of a game with its options in alphabetical order: `kuhn:pot=8`."""
    listed = ",".join(f"{option}={value}" for option, value in sorted(options.items()))
    return f"{name}:{listed}" if listed else name

"""Keys of information states: `<own cards>[/<board of each street>]:<betting>`, and the rows they name.

With lossless buckets the card part lists the cards: `K/Q:crrc/r`. With an abstraction it is a class of hands before the flop
(`AKs:rc`) and the number of a bucket later (`#17:rc/`); keys with cards (`AhKh/Td9d2c:rc/`) are read as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING
from weakref import ref

from smoothcall.errors import UsageError
from smoothcall.games.cards import Cards
from smoothcall.games.matrix import MatrixGame
from smoothcall.games.notation import split_moves
from smoothcall.games.rules import PokerRules
from smoothcall.kernels.tables import DECISION

if TYPE_CHECKING:
    from smoothcall.information.game import Game

MAX_LISTED_KEYS = 5_000_000  # information states


class Keys:
    """Converts between the rows of a game and their keys."""

    def __init__(self, game: Game) -> None:
        self._game = ref(game)  # weak, because the game holds its keys: without a cycle it is freed as soon as nobody uses it

    @property
    def game(self) -> Game:
        found = self._game()
        assert found is not None
        return found

    # From rows to keys

    def key(self, row: int) -> str:
        """Return the key of a row. In matrix games every key is `:`, because nobody has seen anything."""
        if isinstance(self.game.rules, MatrixGame):
            return ":"
        tree, node = self.game.tree, self.game.node_of(row)
        return f"{self._label(int(tree.round[node]), int(row - tree.first_row[node]))}:{tree.betting(node)}"

    @cached_property
    def all(self) -> list[str]:
        """[rows] the key of every row."""
        tree = self.game.tree
        if tree.rows > MAX_LISTED_KEYS:
            limit = f"at most {MAX_LISTED_KEYS:,}"
            raise UsageError(f"{self.game.spec}: {tree.rows:,} information states are too many to list ({limit})")
        if isinstance(self.game.rules, MatrixGame):
            return [":"] * tree.rows
        labels = [[self._label(street, bucket) for bucket in range(count)] for street, count in enumerate(self.game.buckets)]
        bettings = [(int(tree.round[node]), tree.betting(int(node))) for node in tree.decisions]
        return [f"{label}:{betting}" for street, betting in bettings for label in labels[street]]

    def _label(self, street: int, bucket: int) -> str:
        """Return the card part of a key."""
        game = self.game
        return game.deals.labels[street][bucket] if game.abstraction is None else game.abstraction.label(street, bucket)

    # From keys to rows

    def rows(self, key: str, player: int | None = None) -> list[int]:
        """Return the rows a key names: one, or one per player where players move at once and share a key."""
        game = self.game
        if game.abstraction is not None:
            row = self._read(key)
            if player not in (None, int(game.tree.player[game.node_of(row)])):
                raise UsageError(f"player {player} has no information state {key!r} in {game.spec}")
            return [row]
        rows = [row for row in self._rows.get(key, ()) if player in (None, game.row_player[row])]
        if rows:
            return rows
        if key in self._rows:
            raise UsageError(f"player {player} has no information state {key!r} in {game.spec}")
        cards = key.partition(":")[0]
        similar = [known for known in self._rows if known.partition(":")[0] == cards]
        example = ", ".join((similar or list(self._rows))[:4])
        raise UsageError(f"key {key!r} cannot occur in {game.spec} (its keys are like {example})")

    @cached_property
    def _rows(self) -> dict[str, list[int]]:
        rows: dict[str, list[int]] = {}
        for row, key in enumerate(self.all):
            rows.setdefault(key, []).append(row)
        return rows

    def _read(self, key: str) -> int:
        """Return the row of a key of a game with an abstraction: `AhKh/Td9d2c:rc/`, `AKs:rc` or `#17:rc/`."""
        game, abstraction = self.game, self.game.abstraction
        assert abstraction is not None
        cards, colon, betting = key.partition(":")
        if not colon:
            raise UsageError(f"key {key!r} cannot occur in {game.spec} (its keys are like AhKh/Td9d2c:rc/, AKs:r, #17:rc/)")
        node = self.reach(betting)
        street, named = int(game.tree.round[node]), abstraction.read_label(cards)
        if named is None:
            abstraction.deck.parse(cards.replace("/", ""))  # no card twice
            hole, *boards = map(abstraction.deck.parse, cards.split("/"))
            return self.row_at(node, hole, [(), *boards])
        where, bucket = named
        if (where == 0) != (street == 0) or not 0 <= bucket < game.buckets[street]:
            raise UsageError(f"key {key!r}: {cards!r} is not a bucket of street {street + 1} in {game.spec}")
        return int(game.tree.first_row[node]) + bucket

    # From cards and betting to rows

    def reach(self, betting: str) -> int:
        """Return the decision node that a betting sequence leads to."""
        tree, node = self.game.tree, 0
        for move in split_moves(betting):
            children = tree.children(node)
            if move not in children:
                accepted = ", ".join(children) or "none"
                raise UsageError(f"betting {betting!r}: no {move!r} there in {self.game.spec} (accepted: {accepted})")
            node = children[move]
        if tree.kind[node] != DECISION or tree.betting(node) != betting:
            raise UsageError(f"betting {betting!r} does not lead to a decision in {self.game.spec}")
        return node

    def row_at(self, node: int, hole: Cards, boards: Sequence[Cards]) -> int:
        """Return the row of a player with these hole cards at a decision node; boards[street] for each street so far."""
        game = self.game
        street = int(game.tree.round[node])
        self._verify_cards(street, hole, boards)
        if game.abstraction is not None:
            return int(game.tree.first_row[node]) + game.abstraction.bucket(hole, boards)
        label = game.lossless.label(game.lossless.view(hole, boards))
        return int(game.tree.first_row[node]) + self._buckets[street][label]

    def _verify_cards(self, street: int, hole: Cards, boards: Sequence[Cards]) -> None:
        rules = self.game.rules
        if not isinstance(rules, PokerRules):
            raise UsageError(f"{self.game.spec} has no cards")
        dealt = rules.streets[: street + 1]
        given, sizes = [hole, *boards], [sum(each.hole for each in dealt), *(each.board for each in dealt)]
        cards = [card for group in given for card in group]
        if not all(0 <= card < rules.deck.size for card in cards):
            raise UsageError(f"cards {cards} (accepted: 0 to {rules.deck.size - 1})")
        text = "/".join(rules.deck.names(group) for group in given if group)
        if [*map(len, given)] != sizes:
            raise UsageError(f"{text!r} are not the cards of street {street + 1} in {self.game.spec}")
        if len(set(cards)) < len(cards):
            raise UsageError(f"a card stands twice in {text!r}")

    @cached_property
    def _buckets(self) -> list[dict[str, int]]:
        """By street: the bucket of each card label."""
        return [{label: bucket for bucket, label in enumerate(labels)} for labels in self.game.deals.labels]

"""Whole boards on which all hands learn: drawn from the deck in hold'em, from the list of all boards in small games."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, product
from math import comb, prod

import numpy as np

from smoothcall.errors import UsageError
from smoothcall.games.cards import STANDARD, Cards
from smoothcall.games.rules import PokerRules
from smoothcall.holdem.evaluator import evaluator
from smoothcall.information.game import Game
from smoothcall.kernels.search import drawn_boards as kernels
from smoothcall.kernels.search.boards import Listed, fill_boards
from smoothcall.kernels.search.sweep import Boards
from smoothcall.kernels.tables import DECISION, Array
from smoothcall.search.boards import PLAYERS, Range, held_ranges, strengths, symmetries, vector_width

BATCH = 16  # boards of hold'em that are drawn together
MAX_BOARDS = 5_000  # listed


def every_hand(rules: PokerRules) -> Range:
    """Return all hole cards of a player, in hold'em numbered as its tables number them."""
    count = sum(street.hole for street in rules.streets)
    if count == 2:
        return Range.every_hand(rules.deck)
    hands = np.array(list(combinations(range(rules.deck.size), count)), np.uint8)
    return Range(hands, np.ones(len(hands)))


class DrawnBoards:
    """B boards of a two-player game with the hands that each leaves, weakest first: the same for both players."""

    def __init__(self, game: Game, lanes: int) -> None:
        assert isinstance(game.rules, PokerRules)
        self.game, self.rules, self._lanes = game, game.rules, lanes
        self.range = every_hand(self.rules)
        self.width = vector_width(len(self.range.hands), lanes)
        ranges = [self.range] * PLAYERS
        self._held = held_ranges(self.rules, ranges, symmetries(self.rules, (), ranges)[:1])
        cards = [tuple(range(sum(street.board for street in self.rules.streets)))] * BATCH
        self.cards = cards if game.sampled else [sum(boards, ()) for boards in self._every_board()]
        count, most = len(self.cards), len(self.range.hands)
        none = np.zeros((PLAYERS, 0, 0), np.uint16)
        board = np.array(self.cards, np.uint8).reshape(count, -1)
        self.listed = Listed(
            parent=np.zeros(count, np.int64),
            coming=board,
            board=board,
            strength=none if game.sampled else strengths(self.rules, self.cards, self._held),
            permutation=np.zeros(count, np.int64),
            place=np.zeros((PLAYERS, count, most), np.uint16),
        )
        low, high, weaker, not_stronger, same = np.zeros((5, PLAYERS, count, most), np.uint16)
        self.arrays = Boards(
            hands=np.zeros((PLAYERS, count), np.int32),
            low=low,
            high=high,
            weaker=weaker,
            not_stronger=not_stronger,
            same=same,
            start=np.zeros((PLAYERS, count), np.int64),
            image=np.zeros(count + 1, np.int32),
            origin=np.zeros((PLAYERS, count, self.width), np.uint16),
            place=np.zeros((PLAYERS, 0, self.width), np.uint16),
            weight=1.0,
            children=np.zeros(count + 1, np.int32),
            bucket=np.zeros((0, 0), np.uint16),
            ahead=np.zeros((0, 0, 0), np.int8),
        )
        if not game.sampled:
            self._fill()

    @property
    def pairs(self) -> int:
        """Pairs of hands of both players that share no card with each other or with a board."""
        hole, left = self.range.hands.shape[1], self.rules.deck.size - self.listed.board.shape[1]
        return comb(left, hole) * comb(left - hole, hole)

    def _every_board(self) -> Iterator[tuple[Cards, ...]]:
        """Yield the boards of a small game, each as the cards of every street."""
        deck = range(self.rules.deck.size)
        sizes = [street.board for street in self.rules.streets]
        left = np.cumsum([0, *sizes])[:-1]
        total = prod(comb(len(deck) - int(gone), size) for gone, size in zip(left, sizes, strict=True))
        if total > MAX_BOARDS:
            raise UsageError(f"{self.game.spec} has {total:,} boards (accepted: hold'em, or at most {MAX_BOARDS:,})")
        for boards in product(*(combinations(deck, size) for size in sizes)):
            cards = sum(boards, ())
            if len(set(cards)) == len(cards):
                yield boards

    def _fill(self) -> None:
        hands = np.array([[len(self.range.hands)]] * PLAYERS, np.int32)
        place = np.tile(np.arange(len(self.range.hands), dtype=np.uint16), (PLAYERS, 1, 1))
        known = evaluator(self.rules.deck if self.game.sampled else STANDARD)
        fill_boards(self._held, self.listed, self.arrays, hands, place, known, self.game.sampled)

    def draw(self, count: int, generator: Array) -> Array:
        """Return [count] int64: boards, drawn. In hold'em, where at most BATCH may be drawn, their cards are new."""
        if not self.game.sampled:
            return kernels.draw_places(count, len(self.cards), generator)
        kernels.draw_boards(self.rules.deck.size, count, self.listed.board, generator)
        self._fill()
        return np.arange(count)

    def strategy(self, game: Game, rows: Sequence[Array], regret: Array, average: Array) -> kernels.Strategy:
        """Return tables with buckets of the boards that are there now, in the abstraction of a game of the same rules."""
        shape = len(self.cards), len(self.rules.streets)
        most = len(self.range.hands)
        found = kernels.Strategy(
            regret=regret,
            average=average,
            trunk_row=rows[0],
            last_row=rows[1],
            bucket=np.zeros((*shape, most), np.int32),
            first=np.zeros((*shape, most + 1), np.int32),
            buckets=np.zeros(shape, np.int32),
            local=np.zeros((*shape, self.width), np.uint16),
            order=np.zeros((*shape, self.width), np.uint16),
        )
        self.fill_buckets(game, found)
        return found

    def fill_buckets(self, game: Game, strategy: kernels.Strategy) -> None:
        """Write the buckets of all boards to a strategy of a game of the same rules."""
        bucket = np.zeros((len(self.cards), len(self.rules.streets), len(self.range.hands)), np.int32)
        if game.abstraction is not None:
            kernels.fill_street_buckets(game.abstraction.cards, self.listed, self.arrays.hands[0], bucket)
        else:
            self._list_buckets(game, bucket)
        seen = np.full(max(game.buckets), -1, np.int32)
        kernels.number_buckets(bucket, self.arrays.hands[0], strategy, seen)

    def _list_buckets(self, game: Game, bucket: Array) -> None:
        """Write bucket[B, R, n] of a game whose buckets have no tables."""
        tree = game.tree
        nodes = [np.flatnonzero((tree.round == street) & (tree.kind == DECISION))[0] for street in range(bucket.shape[1])]
        for number, boards in enumerate(self._every_board()):
            for n in range(int(self.arrays.hands[0, number])):
                hole = tuple(self.range.hands[self.listed.place[0, number, n]].tolist())
                for street, node in enumerate(nodes):
                    row = game.row_at(int(node), hole, boards[: street + 1])
                    bucket[number, street, n] = row - tree.first_row[node]

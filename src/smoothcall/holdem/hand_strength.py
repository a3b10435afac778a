"""How strong two cards are on every board of hold'em, exactly: hand strength on the river, E[HS^2] on turn and flop.

Boards are told apart up to a change of suits: 1,755 flops, 16,432 turns and 134,459 rivers stand for all. The tables hold
whole numbers (see `kernels.holdem.hand_strength`), are built once in a few seconds and kept in the cache folder.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from math import comb
from os import cpu_count

import numpy as np

from smoothcall.cache import table as kept
from smoothcall.errors import UsageError
from smoothcall.games.cards import Cards, Deck
from smoothcall.games.outcomes import every_outcome
from smoothcall.holdem.evaluator import evaluator
from smoothcall.kernels.holdem import boards as board_kernels
from smoothcall.kernels.holdem import buckets
from smoothcall.kernels.holdem import hand_strength as kernels
from smoothcall.kernels.tables import Array
from smoothcall.memory import verify_memory
from smoothcall.progress import report

FLOP, TURN, RIVER = 1, 2, 3  # streets; preflop is 0
STREETS = (FLOP, TURN, RIVER)
_CARDS = {FLOP: 3, TURN: 4, RIVER: 5}  # on the board
_NAMES = {FLOP: "flop", TURN: "turn", RIVER: "river"}
_TYPES = {FLOP: np.uint64, TURN: np.uint32, RIVER: np.uint16}
VERSION = 1  # of what the tables hold
MOST_PLAYERS = 6  # whose hands are compared by a table
_PIECE = 512  # boards a thread takes at a time


@dataclass(frozen=True, eq=False)
class Boards:
    """The boards of one street, K kinds of them."""

    index: Array  # [boards] uint32: (kind << 8) | change of suits that brings a board to the one that stands for its kind
    board: Array  # [K, cards] uint8: the one that stands for each kind
    number: Array  # [K] int64: how many boards are of it


@dataclass(frozen=True, eq=False)
class Tables(ABC):
    """A whole number for each hand on each board of a deck: `table` is [kinds of boards, hands], see `scale` for the unit."""

    deck: Deck
    binomial: Array  # [cards + 1, 6] uint32
    changed: Array  # [256, cards] uint8: each card after each change of suits
    hand: Array  # [cards, cards] uint32: the number of two cards
    boards: dict[int, Boards]  # by street
    table: dict[int, Array]  # by street

    @abstractmethod
    def scale(self, street: int) -> int:
        """What a table holds for a hand that cannot lose."""

    def value(self, hole: Cards, board: Cards) -> int:
        """What the table of a street holds for two cards on a board of it, in any order."""
        street = len(board) - 2
        rank = sum(int(self.binomial[card, place + 1]) for place, card in enumerate(sorted(board)))
        entry = self.boards[street].index[rank]
        one, other = (int(self.changed[entry & board_kernels.CHANGE, card]) for card in hole)
        return int(self.table[street][entry >> board_kernels.SHIFT, self.hand[one, other]])

    def histogram(self, street: int, step: int) -> Array:
        """How often table // step takes each value, over all boards and hands."""
        counts, boards = np.zeros(self.scale(street) // step + 1, np.int64), self.boards[street]
        kernels.count_values(self.table[street], boards.board, boards.number, step, counts)
        return counts

    def dealt_as(self, players: int, preflop: Array, flop: Array, turn: Array, river_bucket: Array) -> buckets.Cards:
        """What a kernel deals with to players who see these numbers, uint16, instead of their cards (see `buckets.Cards`)."""
        verify_players(players)
        return buckets.Cards(
            evaluator=evaluator(self.deck),
            binomial=self.binomial,
            changed=self.changed,
            hand=self.hand,
            preflop=preflop,
            flop_index=self.boards[FLOP].index,
            turn_index=self.boards[TURN].index,
            river_index=self.boards[RIVER].index,
            flop=flop,
            turn=turn,
            river=self.table[RIVER],
            river_bucket=river_bucket,
            outcome=every_outcome(players)[0],
        )


class Strengths(Tables):
    """Divided by its `scale` a table is HS on the river, E[HS^2] before."""

    def scale(self, street: int) -> int:
        return scale(self.deck, street)


def scale(deck: Deck, street: int) -> int:
    """What a table holds for a hand that cannot lose."""
    most = 2 * comb(deck.size - 7, 2)
    return {RIVER: most, TURN: most**2 * (deck.size - 6), FLOP: most**2 * (deck.size - 6) * (deck.size - 5)}[street]


def verify_players(players: int) -> None:
    if players > MOST_PLAYERS:
        raise UsageError(f"{players} players (accepted where deals are drawn: at most {MOST_PLAYERS})")


Work = Callable[[Array, Array], None]  # boards[K, cards] -> table[K, hands]


@cache
def strengths(deck: Deck) -> Strengths:
    """The tables of a deck, from the cache folder or built into it."""
    binomial, changed = board_kernels.choices(deck.size), board_kernels.changed_cards(deck.size)
    boards = {street: list_boards(deck, _CARDS[street], binomial, changed) for street in STREETS}
    tools, numbers, table = evaluator(deck), kernels.hand_numbers(deck.size), dict[int, Array]()

    def on_river(board: Array, strength: Array) -> None:
        kernels.river_strengths(tools, board, strength)

    def before(street: int) -> Work:
        index, of, square = boards[street + 1].index, table[street + 1], street == TURN
        return lambda board, total: kernels.sum_over_next(board, index, of, square, changed, binomial, numbers, total)

    def keep(street: int, work: Work) -> Array:
        return keep_street(f"strength-{VERSION}", "hand strength", deck, street, boards[street].board, work)

    table[RIVER] = keep(RIVER, on_river)
    table[TURN] = keep(TURN, before(TURN))
    table[FLOP] = keep(FLOP, before(FLOP))
    return Strengths(deck, binomial, changed, numbers, boards, table)


def list_boards(deck: Deck, count: int, binomial: Array, changed: Array) -> Boards:
    """The boards of this many cards, one to five."""
    index, kinds = board_kernels.index_boards(deck.size, count, binomial, changed)
    return Boards(index, *board_kernels.list_kinds(index, count, kinds))


def keep_street(name: str, what: str, deck: Deck, street: int, board: Array, work: Work) -> Array:
    """A street's table, from the cache folder or made by all cores together; `what` tells those who wait."""
    what = f"{what} on every {_NAMES[street]} of {deck.size} cards"

    def build() -> Array:
        verify_memory(len(board) * comb(deck.size, 2) * np.dtype(_TYPES[street]).itemsize, what)
        table = np.zeros((len(board), comb(deck.size, 2)), _TYPES[street])
        pieces = [np.s_[start : start + _PIECE] for start in range(0, len(board), _PIECE)]
        with ThreadPoolExecutor(cpu_count()) as pool:
            for done, _ in enumerate(pool.map(lambda piece: work(board[piece], table[piece]), pieces), 1):
                report(what, done / len(pieces))
        return table

    return kept(f"{name}-{deck.size}-{_NAMES[street]}", build)

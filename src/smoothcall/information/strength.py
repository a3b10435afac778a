"""How strong two cards are on every board of hold'em, exactly: hand strength on the river, E[HS^2] on turn and flop.

Boards are told apart up to a change of suits: 1,755 flops, 16,432 turns and 134,459 rivers stand for all. The tables hold
whole numbers (see `kernels.strength`), are built once in a few seconds and kept in the cache folder.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from math import comb
from os import cpu_count

import numpy as np

from smoothcall.cache import table as kept
from smoothcall.games.cards import Deck
from smoothcall.information.evaluator import evaluator
from smoothcall.kernels import boards as board_kernels
from smoothcall.kernels import strength as kernels
from smoothcall.kernels.tables import Array
from smoothcall.memory import verify_room
from smoothcall.progress import report

FLOP, TURN, RIVER = 1, 2, 3  # streets; preflop is 0
STREETS = (FLOP, TURN, RIVER)
_CARDS = {FLOP: 3, TURN: 4, RIVER: 5}  # on the board
_NAMES = {FLOP: "flop", TURN: "turn", RIVER: "river"}
_TYPES = {FLOP: np.uint64, TURN: np.uint32, RIVER: np.uint16}
VERSION = 1  # of what the tables hold
_PIECE = 512  # boards a thread takes at a time


@dataclass(frozen=True, eq=False)
class Boards:
    """The boards of one street, K kinds of them."""

    index: Array  # [boards] uint32: (kind << 8) | change of suits that brings a board to the one that stands for its kind
    board: Array  # [K, cards] uint8: the one that stands for each kind
    number: Array  # [K] int64: how many boards are of it


@dataclass(frozen=True, eq=False)
class Strengths:
    """Of one deck. A table is [kinds of boards, hands]; divided by its `scale` it is HS on the river, E[HS^2] before."""

    deck: Deck
    binomial: Array  # [cards + 1, 6] uint32
    changed: Array  # [256, cards] uint8: each card after each change of suits
    hand: Array  # [cards, cards] uint32: the number of two cards
    boards: dict[int, Boards]  # by street
    table: dict[int, Array]  # by street

    def scale(self, street: int) -> int:
        return scale(self.deck, street)

    def histogram(self, street: int, step: int) -> Array:
        """How often table // step takes each value, over all boards and hands."""
        counts, boards = np.zeros(self.scale(street) // step + 1, np.int64), self.boards[street]
        kernels.count_values(self.table[street], boards.board, boards.number, step, counts)
        return counts


def scale(deck: Deck, street: int) -> int:
    """What a table holds for a hand that cannot lose."""
    most = 2 * comb(deck.size - 7, 2)
    return {RIVER: most, TURN: most**2 * (deck.size - 6), FLOP: most**2 * (deck.size - 6) * (deck.size - 5)}[street]


Work = Callable[[Array, Array], None]  # boards[K, cards] -> table[K, hands]


@cache
def strengths(deck: Deck) -> Strengths:
    """The tables of a deck, from the cache folder or built into it."""
    binomial, changed = board_kernels.choices(deck.size), board_kernels.changed_cards(deck.size)
    boards = {street: _boards(deck, _CARDS[street], binomial, changed) for street in STREETS}
    tools, numbers, table = evaluator(deck), kernels.hand_numbers(deck.size), dict[int, Array]()

    def on_river(board: Array, strength: Array) -> None:
        kernels.river_strengths(tools, board, strength)

    def before(street: int) -> Work:
        index, of, square = boards[street + 1].index, table[street + 1], street == TURN
        return lambda board, total: kernels.sum_over_next(board, index, of, square, changed, binomial, numbers, total)

    table[RIVER] = _kept(deck, RIVER, boards[RIVER].board, on_river)
    table[TURN] = _kept(deck, TURN, boards[TURN].board, before(TURN))
    table[FLOP] = _kept(deck, FLOP, boards[FLOP].board, before(FLOP))
    return Strengths(deck, binomial, changed, numbers, boards, table)


def _boards(deck: Deck, count: int, binomial: Array, changed: Array) -> Boards:
    index, kinds = board_kernels.index_boards(deck.size, count, binomial, changed)
    return Boards(index, *board_kernels.list_kinds(index, count, kinds))


def _kept(deck: Deck, street: int, board: Array, work: Work) -> Array:
    """A street's table, from the cache folder or made by all cores together."""
    what = f"hand strength on every {_NAMES[street]} of {deck.size} cards"

    def build() -> Array:
        verify_room(len(board) * comb(deck.size, 2) * np.dtype(_TYPES[street]).itemsize, what)
        table = np.zeros((len(board), comb(deck.size, 2)), _TYPES[street])
        pieces = [np.s_[start : start + _PIECE] for start in range(0, len(board), _PIECE)]
        with ThreadPoolExecutor(cpu_count()) as pool:
            for done, _ in enumerate(pool.map(lambda piece: work(board[piece], table[piece]), pieces), 1):
                report(what, done / len(pieces))
        return table

    return kept(f"strength-{VERSION}-{deck.size}-{_NAMES[street]}", build)

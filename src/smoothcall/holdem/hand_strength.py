"""Hand strength of two cards on every board of hold'em, exactly: HS on the river, E[HS^2] on turn and flop.

Boards are taken up to suit isomorphism: 1,755 flops, 16,432 turns and 134,459 rivers with 52 cards. The tables hold whole
numbers (see `kernels.holdem.hand_strength`), are built once in a few seconds and cached.
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
_CARDS = {FLOP: 3, TURN: 4, RIVER: 5}  # board cards
STREET_NAMES = {FLOP: "flop", TURN: "turn", RIVER: "river"}
_TYPES = {FLOP: np.uint64, TURN: np.uint32, RIVER: np.uint16}
VERSION = 1  # of the cached tables
MAX_SAMPLED_PLAYERS = 6  # the table of showdown outcomes has P ** P entries
_PIECE = 512  # boards per task of a thread


@dataclass(frozen=True, eq=False)
class Boards:
    """The boards of one street, in K classes up to suit isomorphism."""

    index: Array  # [boards] uint32: (class << 8) | suit change that makes the board the canonical one of its class
    board: Array  # [K, cards] uint8: the canonical board of each class
    number: Array  # [K] int64: boards in each class


@dataclass(frozen=True, eq=False)
class Tables(ABC):
    """A whole number for each hand on each board of a deck; table[street] is [K, hands], in units of 1 / scale(street)."""

    deck: Deck
    binomial: Array  # [cards + 1, 6] uint32
    changed: Array  # [256, cards] uint8: each card after each change of suits
    hand: Array  # [cards, cards] uint32: the number of two cards
    boards: dict[int, Boards]  # by street
    table: dict[int, Array]  # by street

    @abstractmethod
    def scale(self, street: int) -> int:
        """Return what the table of a street holds for a hand that cannot lose."""

    def value(self, hole: Cards, board: Cards) -> int:
        """Return what the table holds for two cards on a board of three to five cards, in any order."""
        return int(self.table[len(board) - 2][self.place(hole, board)])

    def place(self, hole: Cards, board: Cards) -> tuple[int, int]:
        """Return (class of a board of three to five cards, number of the hand that two cards become on its canonical board)."""
        entry = self.boards[len(board) - 2].index[board_rank(self.binomial, board)]
        one, other = (int(self.changed[entry & board_kernels.CHANGE, card]) for card in hole)
        return int(entry >> board_kernels.SHIFT), int(self.hand[one, other])

    def histogram(self, street: int, step: int) -> Array:
        """Return how often table // step takes each value, over all boards and hands."""
        counts, boards = np.zeros(self.scale(street) // step + 1, np.int64), self.boards[street]
        kernels.count_values(self.table[street], boards.board, boards.number, step, counts)
        return counts

    def dealt_as(
        self, players: int, preflop: Array, flop: Array, turn: Array, river_bucket: Array, river_first: Array | None = None
    ) -> buckets.Cards:
        """Return the tables of a dealing kernel that writes these uint16 values as buckets."""
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
            river_first=np.zeros(len(self.boards[RIVER].number), np.uint16) if river_first is None else river_first,
            outcome=every_outcome(players)[0],
        )


class Strengths(Tables):
    """Hand strengths: table / scale is HS on the river, E[HS^2] on turn and flop."""

    def scale(self, street: int) -> int:
        return scale(self.deck, street)


def board_rank(binomial: Array, board: Cards) -> int:
    """Return the number of a set of cards among those of its size, in colexicographic order."""
    return sum(int(binomial[card, place + 1]) for place, card in enumerate(sorted(board)))


def scale(deck: Deck, street: int) -> int:
    """Return what the table of a street holds for a hand that cannot lose."""
    most = 2 * comb(deck.size - 7, 2)
    return {RIVER: most, TURN: most**2 * (deck.size - 6), FLOP: most**2 * (deck.size - 6) * (deck.size - 5)}[street]


def verify_players(players: int) -> None:
    if players > MAX_SAMPLED_PLAYERS:
        raise UsageError(f"{players} players (accepted where deals are sampled: at most {MAX_SAMPLED_PLAYERS})")


Work = Callable[[Array, Array], None]  # boards[K, cards] -> table[K, hands]


@cache
def strengths(deck: Deck) -> Strengths:
    """Return the tables of a deck, built and cached at first use."""
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
    """Return the boards of one to five cards."""
    index, classes = board_kernels.index_boards(deck.size, count, binomial, changed)
    return Boards(index, *board_kernels.list_classes(index, count, classes))


def keep_street(name: str, what: str, deck: Deck, street: int, board: Array, work: Work) -> Array:
    """Return a street's table from the cache, or build it on all cores; `what` names it in progress reports."""
    what = f"{what} on every {STREET_NAMES[street]} of {deck.size} cards"

    def build() -> Array:
        verify_memory(len(board) * comb(deck.size, 2) * np.dtype(_TYPES[street]).itemsize, what)
        table = np.zeros((len(board), comb(deck.size, 2)), _TYPES[street])
        pieces = [np.s_[start : start + _PIECE] for start in range(0, len(board), _PIECE)]
        with ThreadPoolExecutor(cpu_count()) as pool:
            for done, _ in enumerate(pool.map(lambda piece: work(board[piece], table[piece]), pieces), 1):
                report(what, done / len(pieces))
        return table

    return kept(f"{name}-{deck.size}-{STREET_NAMES[street]}", build)

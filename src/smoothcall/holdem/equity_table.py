"""The equity of two cards against a random hand (epfl2020), ties counting half, on every board.

Equity is E[HS], the mean hand strength over every river that may come. On the river it is HS, before the flop all-in equity.
The tables are exact whole numbers, computed from the hand strengths and cached. The paper estimates equities by rollouts
instead: `simulated` does so, and `simulation_error` measures the error. Freezeouts can be played with such estimates
(`simulation.freezeouts`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations
from math import comb, prod

import numpy as np

from smoothcall.errors import UsageError
from smoothcall.games.cards import Cards, Deck
from smoothcall.holdem.evaluator import evaluator
from smoothcall.holdem.hand_strength import FLOP, RIVER, TURN, Tables, Work, keep_street, list_boards, strengths
from smoothcall.kernels.holdem import buckets
from smoothcall.kernels.holdem.drawing import draw_cards
from smoothcall.kernels.holdem.equity import sample_winners
from smoothcall.kernels.holdem.hand_strength import sum_over_next
from smoothcall.kernels.random import seeded
from smoothcall.kernels.tables import Array

PREFLOP = 0
BOARD = {PREFLOP: 0, FLOP: 3, TURN: 4, RIVER: 5}  # board cards by street
PARTS = 65535  # an equity of 1, where equities are dealt as uint16
ROLLOUTS = 100  # per estimate (epfl2020, section 3.1)
MAX_OPPONENTS = 9
VERSION = 1  # of the cached tables


@dataclass(frozen=True, eq=False)
class EquityTable(Tables):
    """The equity tables of one deck: E[HS] = table / scale."""

    preflop: Array  # [hands] uint64

    def scale(self, street: int) -> int:
        return scale(self.deck, street)

    def of(self, hole: Cards, board: Cards) -> float:
        """Return the equity of two cards on a board of 0, 3, 4 or 5 cards."""
        verify_spot(self.deck, hole, board)
        if not board:
            return int(self.preflop[self.hand[hole[0], hole[1]]]) / self.scale(PREFLOP)
        return self.value(hole, board) / self.scale(len(board) - 2)

    def cards(self, players: int) -> buckets.Cards:
        """Return tables with which the dealing kernels write equities, in units of 1 / PARTS, instead of buckets."""
        preflop, flop, turn, river = self._parts
        return self.dealt_as(players, preflop=preflop, flop=flop, turn=turn, river_bucket=river)

    @cached_property
    def _parts(self) -> tuple[Array, ...]:
        """By street, uint16: equities in units of 1 / PARTS, rounded; on the river by strength."""
        rivers = np.arange(self.scale(RIVER) + 1, dtype=np.uint64)[:, None]
        tables = {PREFLOP: self.preflop[:, None], FLOP: self.table[FLOP], TURN: self.table[TURN], RIVER: rivers}
        parts = {street: _rounded(table, self.scale(street)) for street, table in tables.items()}
        return parts[PREFLOP].reshape(-1), parts[FLOP], parts[TURN], parts[RIVER].reshape(-1)


def scale(deck: Deck, street: int) -> int:
    """Return what the table of a street holds for a hand that cannot lose."""
    coming = prod(deck.size - 2 - dealt for dealt in range(BOARD[street], 5))  # cards, one after the other
    return 2 * comb(deck.size - 7, 2) * coming


def verify_spot(deck: Deck, hole: Cards, board: Cards) -> None:
    every = (*hole, *board)
    if len(hole) != 2 or len(board) not in BOARD.values():
        raise UsageError(f"{len(hole)} hole cards and {len(board)} on the board (accepted: 2, and 0, 3, 4 or 5)")
    if len(set(every)) < len(every) or not all(0 <= card < deck.size for card in every):
        raise UsageError(f"cards {every} (accepted: different ones from 0 to {deck.size - 1})")


@cache
def equity_table(deck: Deck) -> EquityTable:
    """Return the tables of a deck, built and cached at first use."""
    known = strengths(deck)
    table, how = {RIVER: known.table[RIVER]}, (known.changed, known.binomial, known.hand)

    def before(index: Array, of: Array) -> Work:
        return lambda board, total: sum_over_next(board, index, of, False, *how, total)

    for street in (TURN, FLOP):
        board, work = known.boards[street].board, before(known.boards[street + 1].index, table[street + 1])
        table[street] = keep_street(f"equity-{VERSION}", "equity", deck, street, board, work)
    fewer = [list_boards(deck, count, known.binomial, known.changed) for count in (2, 1)]
    preflop = table[FLOP]
    for board, index in (
        (fewer[0].board, known.boards[FLOP].index),
        (fewer[1].board, fewer[0].index),
        (np.zeros((1, 0), np.uint8), fewer[1].index),
    ):  # the flop one card at a time
        total = np.zeros((len(board), comb(deck.size, 2)), np.uint64)
        before(index, preflop)(board, total)
        preflop = total
        preflop.flags.writeable = False  # as cached tables are: Numba compiles kernels for writeable and read-only arrays apart
    return EquityTable(deck, known.binomial, known.changed, known.hand, known.boards, table, preflop[0])


def _rounded(table: Array, most: int) -> Array:
    """Convert [n, m] from units of 1 / most to uint16 in units of 1 / PARTS, rounded."""
    found = np.empty(table.shape, np.uint16)
    for row in range(len(table)):
        found[row] = (table[row].astype(np.uint64) * np.uint64(2 * PARTS) + np.uint64(most)) // np.uint64(2 * most)
    return found


# Estimates


def simulated(deck: Deck, hole: Cards, board: Cards, generator: Array, rollouts: int = ROLLOUTS, opponents: int = 1) -> float:
    """Estimate the equity of two cards by rollouts against random hands; generator[4] uint64 moves on."""
    verify_spot(deck, hole, board)
    if rollouts < 1:
        raise UsageError(f"rollouts={rollouts} (accepted: at least 1)")
    if not 1 <= opponents <= MAX_OPPONENTS:
        raise UsageError(f"opponents={opponents} (accepted: 1 to {MAX_OPPONENTS})")
    every = _every_hand(deck)
    combos = np.concatenate([np.array([hole], np.uint8), *[every] * opponents])
    drawn_from, on_board = np.array([0, *range(1, len(combos) + 1, len(every))]), np.array(board, np.uint8)
    winners = np.zeros(2 << opponents, np.int64)
    done = sample_winners(evaluator(deck), combos, drawn_from, on_board, on_board, rollouts, generator, winners)
    return sum(int(winners[who]) / who.bit_count() for who in range(1, len(winners), 2)) / done


@cache
def _every_hand(deck: Deck) -> Array:
    """Return [hands, 2] uint8: every hand of a deck."""
    return np.array([*combinations(range(deck.size), 2)], np.uint8)


@dataclass(frozen=True, slots=True)
class SimulationError:
    """Errors of rollout estimates, over random spots of one street."""

    street: int
    spots: int
    rollouts: int  # per estimate
    repeats: int  # estimates per spot
    bias: float  # mean of estimate - equity
    error: float  # mean of |estimate - equity|
    deviation: float  # standard deviation of the estimates of a spot: root of the mean variance
    expected: float  # `deviation` in theory, without ties: the variance is p (1 - p) / rollouts
    apart: float  # standard deviation of the equities over spots


def simulation_error(
    deck: Deck, street: int, spots: int = 1000, rollouts: int = ROLLOUTS, repeats: int = 20, seed: int = 0
) -> SimulationError:
    """Estimate the equities of random spots, several times each, and return the errors."""
    if street not in BOARD or spots < 2 or repeats < 2:
        raise UsageError(f"street={street}, spots={spots}, repeats={repeats} (accepted: 0 to 3, at least 2, at least 2)")
    generator, known, card = seeded(seed)[0], equity_table(deck), np.zeros(2 + BOARD[street], np.uint8)
    exact, estimate = np.zeros(spots), np.zeros((spots, repeats))
    for spot in range(spots):
        draw_cards(card, deck.size, generator)
        cards: list[int] = card.tolist()
        hole, board = tuple(cards[:2]), tuple(cards[2:])
        exact[spot] = known.of(hole, board)
        estimate[spot] = [simulated(deck, hole, board, generator, rollouts) for _ in range(repeats)]
    off = estimate - exact[:, None]
    return SimulationError(
        street,
        spots,
        rollouts,
        repeats,
        bias=float(off.mean()),
        error=float(np.abs(off).mean()),
        deviation=float(np.sqrt(estimate.var(axis=1, ddof=1).mean())),
        expected=float(np.sqrt((exact * (1 - exact)).mean() / rollouts)),
        apart=float(exact.std(ddof=1)),
    )

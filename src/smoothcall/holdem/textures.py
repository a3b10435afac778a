"""Textures: classes of boards, so that hands of equal strength on boards of different kinds do not share a bucket.

A best response knows the board. What it wins from a policy that sees strengths alone comes in part from boards that favour one
player's range. A texture has three parts: what draws the board completes, whether ranks repeat on it, and its highest card.
On flop and turn hands are also told apart by their spread, the standard deviation of HS on the river: a draw has a large one.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from smoothcall.games.cards import Deck
from smoothcall.holdem.equity_table import equity_table
from smoothcall.holdem.equity_table import scale as equity_scale
from smoothcall.holdem.hand_strength import FLOP, RIVER, TURN, scale, strengths
from smoothcall.kernels.tables import Array

DRAWS, PAIRS, HIGHEST = 3, 2, 3
TEXTURES = DRAWS * PAIRS * HIGHEST
SPREADS = {FLOP: (0.18, 0.24), TURN: (0.13, 0.19)}  # limits between classes of spread: about thirds of the hands of 52 cards
WINDOW = 5  # ranks of a straight
VERSION = 1  # of everything here; part of the digest of an abstraction


def spreads(street: int) -> int:
    """Return the classes of spread on a street."""
    return len(SPREADS[street]) + 1 if street in SPREADS else 1


def classes(street: int) -> int:
    """Return the classes of texture and spread on a street: the number of its buckets is a multiple of this."""
    return TEXTURES * spreads(street)


def textures(deck: Deck, boards: Array) -> Array:
    """Return [K] int64: the textures of boards[K, cards].

    Draws: on the flop 0, 1 or 2 for one, two or three cards of a suit at most; later 2 where one card makes a flush or a
    straight, else 1 where three cards are of a suit. Pairs: 1 where a rank repeats. Highest card: 2 for the highest rank of
    the deck, 1 for the two below, 0 for others.
    """
    rank, suit = boards // deck.suit_count, boards % deck.suit_count
    suited = np.stack([(suit == each).sum(axis=1) for each in range(deck.suit_count)]).max(axis=0)
    held = np.stack([(rank == each).any(axis=1) for each in range(len(deck.ranks))], axis=1)
    if boards.shape[1] == 3:
        draws = suited - 1
    else:
        low_ace = np.concatenate([held[:, -1:], held], axis=1)
        close = np.stack([low_ace[:, first : first + WINDOW].sum(axis=1) for first in range(low_ace.shape[1] - WINDOW + 1)])
        draws = np.where((suited >= 4) | (close.max(axis=0) >= WINDOW - 1), 2, np.where(suited == 3, 1, 0))
    pairs = held.sum(axis=1) < boards.shape[1]
    below = len(deck.ranks) - 1 - rank.max(axis=1)
    highest = np.where(below == 0, 2, np.where(below <= 2, 1, 0))
    found: Array = (draws * PAIRS + pairs) * HIGHEST + highest
    return found


@cache
def board_textures(deck: Deck, street: int) -> Array:
    """Return [K] uint16, read-only: the texture of every class of boards of a street."""
    found = textures(deck, strengths(deck).boards[street].board.astype(np.int64)).astype(np.uint16)
    found.flags.writeable = False
    return found


def spread(deck: Deck, street: int, place: int | tuple[int, int]) -> Array:
    """Return int64: the class of spread of every hand on a class of boards, or of one (board, hand). Flop and turn only."""
    square = strengths(deck).table[street][place] / scale(deck, street)
    mean = equity_table(deck).table[street][place] / equity_scale(deck, street)
    found: Array = np.searchsorted([limit**2 for limit in SPREADS[street]], square - mean * mean, side="left")
    return found


def first_buckets(deck: Deck, street: int, kind: Array, intervals: int) -> Array:
    """Return the first bucket of each kind[K] of boards and spread: uint16 [K, hands] on flop and turn, [K] on the river.

    The kinds of boards are textures or clusters.
    """
    if street == RIVER:
        return (kind.astype(np.int64) * intervals).astype(np.uint16)
    found = np.empty(strengths(deck).table[street].shape, np.uint16)
    for place, of_board in enumerate(kind.tolist()):
        found[place] = (of_board * spreads(street) + spread(deck, street, place)) * intervals
    return found

"""Clusters of boards that treat the classes of hands before the flop alike (AA, AKs, AKo, ...).

Both players' ranges depend on what they did before the flop, so two boards are played alike if every class has about the same
strength on both. A board is described by two numbers for each class: the mean strength of its hands that the board leaves, and
the greatest, which tells boards with flushes. Boards are clustered by k-means (`holdem.histograms` has the kernels: distances
are sums of absolute differences, all numbers are whole, so clusters are the same on every machine).
"""

from __future__ import annotations

import numpy as np

from smoothcall.cache import table as kept
from smoothcall.games.cards import Deck
from smoothcall.holdem.hand_strength import STREET_NAMES, scale, strengths
from smoothcall.kernels.holdem import histograms as kernels
from smoothcall.kernels.random import seeded
from smoothcall.kernels.tables import Array
from smoothcall.progress import report

LEVELS = 255  # the greatest strength in a description
SAMPLES = 20_000  # boards from which centres are found, at most
STEPS = 30  # of Lloyd's algorithm at most
VERSION = 1  # of everything that clusters depend on; part of the names of cached tables and of the digest of an abstraction
_PIECE = 1024  # boards described or assigned together


def describe(deck: Deck, street: int, classes: Array, boards: slice) -> Array:
    """Return [n, 2 C] int32: mean and greatest strength of each of C classes, from 0 to LEVELS, times its hands.

    classes[hands] is the class of each hand before the flop, `boards` are n classes of boards. A class of which a board leaves
    no hand has 0.
    """
    known = strengths(deck)
    order = np.argsort(classes, kind="stable")
    first = np.flatnonzero(np.diff(classes[order].astype(np.int64), prepend=-1))
    cards = np.array([(low, high) for high in range(deck.size) for low in range(high)])[order]  # of hands, by number
    taken = (known.boards[street].board[boards][:, :, None, None] == cards).any(axis=(1, 3))
    values = np.rint(known.table[street][boards][:, order] * (LEVELS / scale(deck, street))).astype(np.int64)
    left = np.maximum(np.add.reduceat(~taken, first, axis=1, dtype=np.int64), 1)
    mean = (np.add.reduceat(values, first, axis=1) + left // 2) // left
    greatest = np.maximum.reduceat(values, first, axis=1)
    return (np.concatenate([mean, greatest], axis=1) * np.tile(np.bincount(classes), 2)).astype(np.int32)


def board_clusters(deck: Deck, street: int, size: int, classes: Array) -> Array:
    """Return [K] uint16: the cluster of every class of boards of a street, from the cache or built."""
    boards, name = len(strengths(deck).boards[street].board), STREET_NAMES[street]
    what = f"{size} clusters of boards on the {name} of {deck.size} cards"

    def build() -> Array:
        step, generator = -(-boards // SAMPLES), seeded(street)[0]
        sample = np.concatenate([describe(deck, street, classes, each) for each in _pieces(boards, step)])
        centre, found = np.zeros((size, sample.shape[1]), np.int32), np.zeros(boards, np.uint16)
        kernels.first_centres(sample, generator, centre)
        kernels.settle(sample, centre, STEPS)
        for each in _pieces(boards, 1):
            kernels.nearest(describe(deck, street, classes, each), centre, found[each])
            report(what, min(each.stop / boards, 1.0))
        return found

    return kept(f"boards-{VERSION}-{deck.size}-{name}-{size}", build)


def _pieces(count: int, step: int) -> list[slice]:
    """Return slices of about _PIECE numbers that together hold every step-th number below `count`."""
    return [slice(start, min(start + step * _PIECE, count), step) for start in range(0, count, step * _PIECE)]

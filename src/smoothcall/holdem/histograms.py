"""Distribution-aware buckets: clusters of hands whose strength on the river is distributed alike (Johanson et al. 2013).

E[HS^2] is one number, so that a made hand and a draw may share a bucket. Here a hand on flop or turn is the histogram of its
strength on the river, over every run-out: 1,081 on the flop and 46 on the turn with 52 cards. Histograms are clustered by
k-means with the earth mover's distance. Centres are found from a sample of hands, then every hand on every board goes to the
closest centre. Tables are built once, in half a minute for 100 clusters, and cached.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from math import comb
from os import cpu_count

import numpy as np

from smoothcall.cache import table as kept
from smoothcall.errors import UsageError
from smoothcall.games.cards import Deck
from smoothcall.holdem.hand_strength import FLOP, RIVER, STREET_NAMES, TURN, scale, strengths
from smoothcall.kernels.holdem import histograms as kernels
from smoothcall.kernels.random import seeded
from smoothcall.kernels.tables import Array
from smoothcall.progress import report

BINS = 32  # of hand strength
SAMPLES = 100_000  # hands from which centres are found
EACH = 100  # of them on a board
STEPS = 100  # of Lloyd's algorithm at most
MAX_CLUSTERS = 1000
VERSION = 1  # of everything that clusters depend on; part of the names of cached tables and of the digest of an abstraction
_SHOWN = {FLOP: 3, TURN: 4}  # board cards
_PIECE = 16  # boards per task of a thread


def verify_clusters(grid: tuple[int, ...]) -> None:
    if max(grid[:2]) > MAX_CLUSTERS:
        sizes = "/".join(map(str, grid))
        raise UsageError(f"option grid={sizes} (accepted with cells=histograms: at most {MAX_CLUSTERS} on flop and turn)")


def rivers(deck: Deck) -> kernels.Rivers:
    """Return the strengths on all rivers, in BINS even bins of HS."""
    known, most = strengths(deck), scale(deck, RIVER)
    bin_of = np.minimum(np.arange(most + 1) * BINS // most, BINS - 1)
    return kernels.Rivers(
        known.boards[RIVER].index, known.table[RIVER], bin_of, known.changed, known.binomial, known.hand
    )  # fmt: skip


def centres(deck: Deck, street: int, size: int) -> Array:
    """Return [size, BINS] int32 cumulative histograms, the centres of the clusters, weakest hands first."""
    generator, tools = seeded(street)[0], rivers(deck)
    histogram, found = np.zeros((SAMPLES, BINS), np.int32), np.zeros((size, BINS), np.int32)
    kernels.sample_histograms(tools, _SHOWN[street], EACH, generator, histogram)
    kernels.first_centres(histogram, generator, found)
    kernels.settle(histogram, found, STEPS)
    ordered: Array = found[np.argsort(-found.sum(axis=1), kind="stable")]
    return ordered


def clusters(deck: Deck, street: int, size: int) -> Array:
    """Return [K, hands] uint16: the cluster of every hand on every class of flops or turns, from the cache or built."""
    board = strengths(deck).boards[street].board
    what = f"{size} clusters of hand strength on every {STREET_NAMES[street]} of {deck.size} cards"

    def build() -> Array:
        middle, tools, hands = centres(deck, street, size), rivers(deck), comb(deck.size, 2)
        table = np.zeros((len(board), hands), np.uint16)

        def work(start: int) -> None:
            some = board[start : start + _PIECE]
            histogram = np.empty((len(some), hands, BINS), np.int32)
            kernels.count_boards(tools, some, histogram)
            kernels.nearest(histogram.reshape(-1, BINS), middle, table[start : start + _PIECE].reshape(-1))

        starts = range(0, len(board), _PIECE)
        with ThreadPoolExecutor(cpu_count()) as pool:
            for done, _ in enumerate(pool.map(work, starts), 1):
                report(what, done / len(starts))
        return table

    return kept(f"histograms-{VERSION}-{deck.size}-{STREET_NAMES[street]}-{size}", build)

"""The tables of the hand evaluator, built once per deck from the hand rankings in `games.rankings`."""

from __future__ import annotations

from functools import cache

import numpy as np

from smoothcall.errors import UsageError
from smoothcall.games.cards import STANDARD, Deck
from smoothcall.games.rankings import BEST_FIVE, classes, offsuit_fives, suited_fives
from smoothcall.kernels.holdem.evaluator import MASKS, RANK_KEYS, ROWS, Evaluator, pack_rows
from smoothcall.kernels.tables import Array


@cache
def evaluator(deck: Deck = STANDARD) -> Evaluator:
    """Return the evaluator of a deck of four suits and five to thirteen ranks. The first call takes a fifth of a second."""
    if len(deck.ranks) > len(RANK_KEYS):
        raise UsageError(f"deck {deck.ranks!r} has {len(deck.ranks)} ranks (accepted: 5 to {len(RANK_KEYS)})")
    rank, suit = np.divmod(np.arange(deck.size, dtype=np.uint64), np.uint64(4))
    offset, by_sum = _packed(*_by_ranks(deck))
    return Evaluator(
        card_key=np.array(RANK_KEYS, np.uint64)[rank] + (np.uint64(1) << (np.uint64(48) + np.uint64(4) * suit)),
        card_mask=np.uint64(1) << (np.uint64(16) * suit + rank),
        offset=offset + np.uint32(MASKS),
        strength=np.concatenate([_by_mask(deck), by_sum]),
        classes=len(classes(deck)),
    )


def _by_ranks(deck: Deck) -> tuple[Array, Array]:
    """Return (sums, strengths) of every choice of five to seven ranks.

    Five ranks have the strength of the rules; six and seven the best strength of the hands with one card fewer.
    """
    fives, count = np.array(offsuit_fives(deck)), len(deck.ranks)
    keys = np.array(RANK_KEYS[:count])
    times = (fives[:, :, None] // 4 == np.arange(count)).sum(axis=1)  # [hands, ranks]
    sums, best = times @ keys, np.array([BEST_FIVE.strength(deck, tuple(cards), ()) for cards in fives.tolist()])
    every = [(sums, best)]
    for _ in (6, 7):
        order = np.argsort(sums)
        known, values = sums[order], best[order]
        times = (times[:, None, :] + np.eye(count, dtype=np.int64)).reshape(-1, count)
        times = times[times.max(axis=1) <= 4]
        sums, first = np.unique(times @ keys, return_index=True)
        times, best = times[first], np.zeros(len(sums), np.int64)
        for rank in range(count):
            held = times[:, rank] > 0
            best[held] = np.maximum(best[held], values[np.searchsorted(known, sums[held] - keys[rank])])
        every.append((sums, best))
    return np.concatenate([sums for sums, _ in every]), np.concatenate([best for _, best in every])


def _packed(sums: Array, strengths: Array) -> tuple[Array, Array]:
    """Return (offset, table): strength = table[offset[sum % ROWS] + sum // ROWS]."""
    row, place = sums % ROWS, sums // ROWS
    order = np.argsort(row, kind="stable")
    start = np.searchsorted(row[order], np.arange(ROWS + 1))
    fullest_first = np.argsort(-np.diff(start), kind="stable")
    offset, table = np.zeros(ROWS, np.uint32), np.zeros(2 * len(sums) + int(place.max()) + 1, np.uint16)
    used = pack_rows(place[order], strengths[order], start, fullest_first, offset, table)
    return offset, table[:used].copy()


def _by_mask(deck: Deck) -> Array:
    """Return [MASKS] strength by which ranks of a suit there are, 0 for fewer than five."""
    table = np.zeros(MASKS, np.uint16)
    for cards in suited_fives(deck):
        table[sum(1 << deck.rank(card) for card in cards)] = BEST_FIVE.strength(deck, cards, ())
    masks = np.arange(len(table))
    for count in (6, 7):
        more = masks[np.bitwise_count(masks) == count]
        for bit in range(len(deck.ranks)):
            held = more[(more >> bit) & 1 == 1]
            table[held] = np.maximum(table[held], table[held ^ (1 << bit)])
    return table

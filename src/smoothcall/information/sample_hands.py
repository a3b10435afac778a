"""Example hands for every bucket of an abstraction, for batch policies that look at cards."""

from __future__ import annotations

from itertools import pairwise
from weakref import WeakKeyDictionary

import numpy as np

from smoothcall.information.game import Game
from smoothcall.kernels.holdem.dealing import collect_hands, deal_many, deal_visible_cards
from smoothcall.kernels.random import seeded
from smoothcall.kernels.tables import Array

SAMPLES = 8  # hands per bucket
MAX_DEALS = 1 << 19  # sampled to find them
_PIECE = 1 << 14  # deals at a time
_CARDS = 7

_known: WeakKeyDictionary[Game, list[Array]] = WeakKeyDictionary()


def examples(game: Game) -> list[Array]:
    """Return by street [buckets, SAMPLES, 7] int32: cards that fall into each bucket, -1 for cards to come.

    The seed is fixed. Hands are repeated where fewer were found; a bucket without any gets those of the nearest bucket.
    """
    found = _known.get(game)
    if found is None:
        found = _known[game] = _examples(game)
    return found


def _examples(game: Game) -> list[Array]:
    assert game.abstraction is not None
    cards, generator = game.abstraction.cards, seeded(0)[0]
    first = np.cumsum([0, *game.buckets])
    count, hand = np.zeros(first[-1], np.int64), np.zeros((first[-1], SAMPLES, _CARDS), np.int32)
    bucket, dealt = (np.zeros((_PIECE, game.players, things), np.int32) for things in (len(game.buckets), _CARDS))
    outcome = np.zeros(_PIECE, np.uint32)
    for _ in range(0, MAX_DEALS, _PIECE):
        deal_many(cards, bucket, outcome, generator.copy())
        deal_visible_cards(cards, dealt, outcome, generator)
        collect_hands(bucket, dealt, first, count, hand)
        if count.min() == SAMPLES:
            break
    return [_filled(hand[begin:end], count[begin:end]) for begin, end in pairwise(first)]


def _filled(hand: Array, count: Array) -> Array:
    """Return hand[buckets, S, 7], of which count[buckets] were found, with the rest filled by repetition."""
    known, buckets = np.flatnonzero(count), np.arange(len(count))
    above = np.searchsorted(known, buckets)
    left, right = known[np.maximum(above - 1, 0)], known[np.minimum(above, len(known) - 1)]
    nearest = np.where(abs(buckets - left) <= abs(right - buckets), left, right)
    nearest[known] = known
    filled: Array = hand[nearest[:, None], np.arange(hand.shape[1]) % count[nearest][:, None]]
    return filled

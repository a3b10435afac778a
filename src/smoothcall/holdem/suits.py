"""Permutations of suits: hands and boards that differ only by one are isomorphic."""

from __future__ import annotations

from functools import cache
from itertools import permutations

import numpy as np

from smoothcall.games.cards import Deck
from smoothcall.kernels.tables import Array


@cache
def suit_permutations(deck: Deck) -> Array:
    """Return [suits!, cards] int64: the card that each card becomes under every permutation, the identity first. Read-only."""
    cards, suits = np.arange(deck.size), np.array(list(permutations(range(deck.suit_count))))
    found = np.ascontiguousarray(cards // deck.suit_count * deck.suit_count + suits[:, cards % deck.suit_count])
    found.flags.writeable = False
    return found

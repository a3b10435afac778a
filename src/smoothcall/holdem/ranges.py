"""Ranges: the hands that a player may hold, each with a weight, written as `QQ+,AKs:0.5`."""

from __future__ import annotations

import re

import numpy as np

from smoothcall.errors import UsageError
from smoothcall.games.cards import STANDARD, Cards, Deck
from smoothcall.holdem.equity import RANGE, parse_range
from smoothcall.kernels.tables import Array

ANY = ("any", "any two")
_WEIGHT = re.compile(r"[0-9]{0,9}\.?[0-9]{0,9}")


def weighted_hands(text: str, board: Cards = (), deck: Deck = STANDARD) -> tuple[Array, Array]:
    """Return ([H, 2] uint8 cards ascending, [H] float64 weights) of a range, without the hands that a board blocks.

    A weight from 0 to 1 stands behind a colon, `AKs:0.5`; where a hand is named twice the last weight counts. `any` is every
    hand. Hands of weight 0 are left out.
    """
    weights: dict[tuple[int, int], float] = {}
    for item in text.split(","):
        name, colon, number = (piece.strip() for piece in item.partition(":"))
        weight = _weight(number, item, text) if colon else 1.0
        for high, low in parse_range("random" if name.lower() in ANY else name, deck):
            weights[low, high] = weight
    held = sorted(hand for hand, weight in weights.items() if weight > 0 and not set(hand) & set(board))
    if not held:
        beside = f" beside {deck.names(board)}" if board else ""
        raise UsageError(f"range {text!r} has no hand{beside} (accepted: {RANGE}, any; weights as in AKs:0.5)")
    return np.array(held, np.uint8), np.array([weights[hand] for hand in held])


def _weight(number: str, item: str, text: str) -> float:
    if not number or _WEIGHT.fullmatch(number) is None or number == "." or not 0 <= float(number) <= 1:
        raise UsageError(f"weight {number!r} of {item.strip()!r} in range {text!r} (accepted: a number from 0 to 1)")
    return float(number)


def class_name(hand: tuple[int, int], deck: Deck = STANDARD) -> str:
    """Return the class of two cards, as in `AKs`."""
    low, high = sorted(hand)
    ranks = deck.ranks[deck.rank(high)] + deck.ranks[deck.rank(low)]
    return (
        ranks
        if deck.rank(high) == deck.rank(low)
        else ranks + ("s" if high % deck.suit_count == low % deck.suit_count else "o")
    )

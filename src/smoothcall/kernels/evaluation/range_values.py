"""Values of endings for every hand at once, against a range: O(hands) instead of O(hands^2), by sums over cards.

H hands; `low[H]` and `high[H]` are their cards. LANES endings are valued side by side, written out by hand so that each
step compiles to one vector instruction.
"""

from __future__ import annotations

import numpy as np

from smoothcall.kernels import inlined, kernel
from smoothcall.kernels.tables import Array

LANES = 4


@kernel
def fold_values(reach: Array, low: Array, high: Array, card_reach: Array, count: int) -> None:
    """Replace reach[H, LANES] by the opponent's total reach with hands that share no card with one's own.

    Multiplied by the stake, this is the value of an ending by a fold. By inclusion and exclusion: all hands, less those with
    either card, plus the hand itself, which was subtracted twice.
    """
    a = b = c = d = 0.0
    card_reach[:] = 0.0
    for n in range(count):
        one, other = low[n], high[n]
        e, f, g, h = reach[n, 0], reach[n, 1], reach[n, 2], reach[n, 3]
        a, b, c, d = a + e, b + f, c + g, d + h
        _add_to_card(card_reach, one, e, f, g, h)
        _add_to_card(card_reach, other, e, f, g, h)
    for n in range(count):
        one, other = low[n], high[n]
        e = a - card_reach[one, 0] - card_reach[other, 0] + reach[n, 0]
        f = b - card_reach[one, 1] - card_reach[other, 1] + reach[n, 1]
        g = c - card_reach[one, 2] - card_reach[other, 2] + reach[n, 2]
        h = d - card_reach[one, 3] - card_reach[other, 3] + reach[n, 3]
        reach[n, 0], reach[n, 1], reach[n, 2], reach[n, 3] = e, f, g, h


@kernel
def showdown_values(reach: Array, low: Array, high: Array, tie_end: Array, card_reach: Array, value: Array, count: int) -> None:
    """Replace reach[H, LANES] by the opponent's reach with hands that one's own beats, less that with hands it loses to.

    Multiplied by the stake, this is the value of a showdown. Hands that share a card with one's own do not count. Hands are
    sorted by strength: those beaten stand before the group of ties, those lost to behind it. `value` is scratch.
    """
    a = b = c = d = 0.0
    card_reach[:] = 0.0
    begin = np.uint32(0)
    while begin < count:
        end = tie_end[begin]
        for n in range(begin, end):
            one, other = low[n], high[n]
            e = a - card_reach[one, 0] - card_reach[other, 0]
            f = b - card_reach[one, 1] - card_reach[other, 1]
            g = c - card_reach[one, 2] - card_reach[other, 2]
            h = d - card_reach[one, 3] - card_reach[other, 3]
            value[n, 0], value[n, 1], value[n, 2], value[n, 3] = e, f, g, h
        for n in range(begin, end):
            e, f, g, h = reach[n, 0], reach[n, 1], reach[n, 2], reach[n, 3]
            a, b, c, d = a + e, b + f, c + g, d + h
            _add_to_card(card_reach, low[n], e, f, g, h)
            _add_to_card(card_reach, high[n], e, f, g, h)
        for n in range(begin, end):
            one, other = low[n], high[n]
            e = value[n, 0] + (a - card_reach[one, 0] - card_reach[other, 0])
            f = value[n, 1] + (b - card_reach[one, 1] - card_reach[other, 1])
            g = value[n, 2] + (c - card_reach[one, 2] - card_reach[other, 2])
            h = value[n, 3] + (d - card_reach[one, 3] - card_reach[other, 3])
            value[n, 0], value[n, 1], value[n, 2], value[n, 3] = e, f, g, h
        begin = end
    for n in range(count):
        one, other = low[n], high[n]
        e = value[n, 0] - (a - card_reach[one, 0] - card_reach[other, 0])
        f = value[n, 1] - (b - card_reach[one, 1] - card_reach[other, 1])
        g = value[n, 2] - (c - card_reach[one, 2] - card_reach[other, 2])
        h = value[n, 3] - (d - card_reach[one, 3] - card_reach[other, 3])
        reach[n, 0], reach[n, 1], reach[n, 2], reach[n, 3] = e, f, g, h


@inlined
def _add_to_card(card_reach: Array, card: int, e: float, f: float, g: float, h: float) -> None:
    p, q, r, s = card_reach[card, 0] + e, card_reach[card, 1] + f, card_reach[card, 2] + g, card_reach[card, 3] + h
    card_reach[card, 0], card_reach[card, 1], card_reach[card, 2], card_reach[card, 3] = p, q, r, s

"""Pictures of observations with cards, for networks that look at them as images (pricope2021, after Yakovenko et al. 2016).

A picture has PLANES planes of SIDE x SIDE numbers. Cards are ones in a field of 4 suits x 13 ranks in the middle of a plane.
Numbers are bands, two rows of one value from edge to edge, so that pooling 2 x 2 keeps them apart: band b of a plane is its
rows 2 b and 2 b + 1; the last row is empty.

    0 own cards              3 board when the player moved last    5 chips: the bands POT_NOW ... (parts of the starting stack)
    1 board                  4 own cards and that board            6 the rest: the bands STREET_NOW ...
    2 own cards and board    (3, 4: empty before its first move)   7 everywhere: strength of the made hand, 0 before the flop
                                                                   8 everywhere: equity (E[HS]), the chance to win
"""

from __future__ import annotations

import numpy as np

from smoothcall.kernels import inlined, kernel
from smoothcall.kernels.holdem.buckets import VISIBLE
from smoothcall.kernels.holdem.evaluator import Evaluator, add_cards, evaluate
from smoothcall.kernels.simulation.observations import (
    AGGRESSION,
    BEFORE_CALL,
    BEFORE_POT,
    BEFORE_STREET,
    CARD,
    CARDS,
    EQUITY,
    LAST,
    LAST_SIZE,
    OTHER_STACK,
    POT,
    RAISES,
    SEAT,
    STACK,
    STREET,
    TO_CALL,
)
from smoothcall.kernels.tables import CALLED, CHECKED, RAISED, Array

SIDE, PLANES = 17, 9
SUITS = 4
TOP, LEFT = 6, 2  # of the field of cards
OWN, BOARD, ALL, BOARD_THEN, ALL_THEN, CHIPS, REST, MADE, CHANCE = range(PLANES)
POT_NOW, CALL_NOW, OWN_CHIPS, OTHER_CHIPS, POT_THEN, CALL_THEN, LAST_CHIPS, ODDS = range(8)  # bands of plane CHIPS
STREET_NOW, IN_SEAT, HAS_CHECKED, HAS_CALLED, HAS_RAISED, RAISES_FIRST, IS_AGGRESSIVE, STREET_THEN = range(8)  # of plane REST
_ZERO = np.uint64(0)


@kernel
def draw_pictures(evaluator: Evaluator, metrics: bool, seen: Array, picture: Array) -> None:
    """seen[n, CARD_OBSERVATION] -> picture[n, PLANES, SIDE, SIDE] float32. Without the metrics planes 7 and 8 are empty."""
    for n in range(len(seen)):
        one, sampled = seen[n], picture[n]
        sampled[:] = 0
        _draw_cards(one, sampled)
        _draw_numbers(one, sampled)
        if metrics:
            sampled[MADE] = _made(evaluator, one)
            sampled[CHANCE] = one[EQUITY]


@inlined
def _draw_cards(seen: Array, picture: Array) -> None:
    then = int(seen[BEFORE_STREET])
    visible = VISIBLE[then] if then >= 0 else 0
    for place in range(CARDS):
        card = int(seen[CARD + place])
        if card < 0:
            continue
        row, column = TOP + card % SUITS, LEFT + card // SUITS
        picture[ALL, row, column] = 1
        picture[OWN if place < 2 else BOARD, row, column] = 1
        if place < visible:
            picture[ALL_THEN, row, column] = 1
            if place >= 2:
                picture[BOARD_THEN, row, column] = 1


@inlined
def _draw_numbers(seen: Array, picture: Array) -> None:
    chips, rest = picture[CHIPS], picture[REST]
    call, pot, last = seen[TO_CALL], seen[POT], int(seen[LAST])
    _draw_band(chips, POT_NOW, pot)
    _draw_band(chips, CALL_NOW, call)
    _draw_band(chips, OWN_CHIPS, seen[STACK])
    _draw_band(chips, OTHER_CHIPS, seen[OTHER_STACK])
    _draw_band(chips, POT_THEN, seen[BEFORE_POT])
    _draw_band(chips, CALL_THEN, seen[BEFORE_CALL])
    _draw_band(chips, LAST_CHIPS, seen[LAST_SIZE])
    _draw_band(chips, ODDS, call / (pot + call) if call > 0 else 0)
    _draw_band(rest, STREET_NOW, seen[STREET] / 3)
    _draw_band(rest, IN_SEAT, seen[SEAT])
    _draw_band(rest, HAS_CHECKED, last == CHECKED)
    _draw_band(rest, HAS_CALLED, last == CALLED)
    _draw_band(rest, HAS_RAISED, last == RAISED)
    _draw_band(rest, RAISES_FIRST, seen[RAISES])
    _draw_band(rest, IS_AGGRESSIVE, seen[AGGRESSION])
    _draw_band(rest, STREET_THEN, (seen[BEFORE_STREET] + 1) / 4)


@inlined
def _draw_band(plane: Array, band: int, value: float) -> None:
    for row in range(2 * band, 2 * band + 2):
        for column in range(SIDE):
            plane[row, column] = value


@inlined
def _made(evaluator: Evaluator, seen: Array) -> float:
    """The strength of all cards that are seen, as a part of the highest; 0 for fewer than five."""
    count = 0
    while count < CARDS and seen[CARD + count] >= 0:
        count += 1
    made = 0.0
    if count >= 5:
        keys, mask = add_cards(evaluator, seen, CARD, CARD + count)
        made = float(evaluate(evaluator, keys, mask)) / evaluator.classes
    return made

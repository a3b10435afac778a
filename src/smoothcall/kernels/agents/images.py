"""Images of observations with cards, for convolutional networks (pricope2021, after Yakovenko et al. 2016).

An image has PLANES planes of SIDE x SIDE numbers. Cards are ones in a field of 4 suits x 13 ranks in the middle of a plane.
Numbers are bands: two rows of one value from edge to edge, so that 2 x 2 pooling keeps them apart. Band b of a plane is its
rows 2 b and 2 b + 1; the last row is 0. "Then" is the player's previous decision; planes 3 and 4 are 0 before its first.

    0 own cards              3 board then                5 chips: bands POT_NOW ... (fractions of the starting stack)
    1 board                  4 own cards and board then  6 other numbers: bands STREET_NOW ...
    2 own cards and board                                7 constant: strength of the made hand, 0 before the flop
                                                         8 constant: equity (E[HS])
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
TOP, LEFT = 6, 2  # corner of the field of cards
OWN, BOARD, ALL, BOARD_THEN, ALL_THEN, CHIPS, REST, MADE, WIN = range(PLANES)
POT_NOW, CALL_NOW, OWN_CHIPS, OTHER_CHIPS, POT_THEN, CALL_THEN, LAST_CHIPS, ODDS = range(8)  # bands of plane CHIPS
STREET_NOW, IN_SEAT, HAS_CHECKED, HAS_CALLED, HAS_RAISED, RAISES_FIRST, IS_AGGRESSIVE, STREET_THEN = range(8)  # of plane REST
_ZERO = np.uint64(0)


@kernel
def encode_images(evaluator: Evaluator, metrics: bool, observations: Array, images: Array) -> None:
    """Turn observations[n, CARD_OBSERVATION] into images[n, PLANES, SIDE, SIDE] float32. Without `metrics` planes 7 and 8
    are 0.
    """
    for n in range(len(observations)):
        observation, image = observations[n], images[n]
        image[:] = 0
        _write_cards(observation, image)
        _write_numbers(observation, image)
        if metrics:
            image[MADE] = _made(evaluator, observation)
            image[WIN] = observation[EQUITY]


@inlined
def _write_cards(observation: Array, image: Array) -> None:
    then = int(observation[BEFORE_STREET])
    visible = VISIBLE[then] if then >= 0 else 0
    for place in range(CARDS):
        card = int(observation[CARD + place])
        if card < 0:
            continue
        row, column = TOP + card % SUITS, LEFT + card // SUITS
        image[ALL, row, column] = 1
        image[OWN if place < 2 else BOARD, row, column] = 1
        if place < visible:
            image[ALL_THEN, row, column] = 1
            if place >= 2:
                image[BOARD_THEN, row, column] = 1


@inlined
def _write_numbers(observation: Array, image: Array) -> None:
    chips, rest = image[CHIPS], image[REST]
    call, pot, last = observation[TO_CALL], observation[POT], int(observation[LAST])
    _write_band(chips, POT_NOW, pot)
    _write_band(chips, CALL_NOW, call)
    _write_band(chips, OWN_CHIPS, observation[STACK])
    _write_band(chips, OTHER_CHIPS, observation[OTHER_STACK])
    _write_band(chips, POT_THEN, observation[BEFORE_POT])
    _write_band(chips, CALL_THEN, observation[BEFORE_CALL])
    _write_band(chips, LAST_CHIPS, observation[LAST_SIZE])
    _write_band(chips, ODDS, call / (pot + call) if call > 0 else 0)
    _write_band(rest, STREET_NOW, observation[STREET] / 3)
    _write_band(rest, IN_SEAT, observation[SEAT])
    _write_band(rest, HAS_CHECKED, last == CHECKED)
    _write_band(rest, HAS_CALLED, last == CALLED)
    _write_band(rest, HAS_RAISED, last == RAISED)
    _write_band(rest, RAISES_FIRST, observation[RAISES])
    _write_band(rest, IS_AGGRESSIVE, observation[AGGRESSION])
    _write_band(rest, STREET_THEN, (observation[BEFORE_STREET] + 1) / 4)


@inlined
def _write_band(plane: Array, band: int, value: float) -> None:
    for row in range(2 * band, 2 * band + 2):
        for column in range(SIDE):
            plane[row, column] = value


@inlined
def _made(evaluator: Evaluator, observation: Array) -> float:
    """Return the strength of the visible cards as a fraction of the highest; 0 for fewer than five cards."""
    count = 0
    while count < CARDS and observation[CARD + count] >= 0:
        count += 1
    made = 0.0
    if count >= 5:
        keys, mask = add_cards(evaluator, observation, CARD, CARD + count)
        made = float(evaluate(evaluator, keys, mask)) / evaluator.classes
    return made

"""Compact features of observations with cards, for the networks of `agents.nfsp_networks`.

They hold the information of the images of `kernels.agents.images` in FEATURES numbers: one bit per card of the own cards,
of the board, and of the board at the player's previous decision; the street, the street of that decision (or none) and the
opponent's last move, one bit per value; the columns SCALARS; then the hand-made metrics: strength of the made hand, equity,
and the equity as STEPS ramps that rise from 0 to 1 one after the other.
"""

from __future__ import annotations

from smoothcall.kernels import kernel
from smoothcall.kernels.holdem.buckets import VISIBLE
from smoothcall.kernels.holdem.evaluator import Evaluator, add_cards, evaluate
from smoothcall.kernels.simulation.observations import (
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
    SEAT,
    STACK,
    STREET,
    TO_CALL,
)
from smoothcall.kernels.tables import Array

DECK, STEPS = 52, 10
STREETS, LAST_MOVES = 4, 4
SCALARS = (POT, TO_CALL, STACK, OTHER_STACK, LAST_SIZE, BEFORE_POT, BEFORE_CALL, SEAT)
FEATURES = 3 * DECK + STREETS + (STREETS + 1) + LAST_MOVES + len(SCALARS) + 1 + 1 + STEPS
_STREET_AT = 3 * DECK
_BEFORE_AT = _STREET_AT + STREETS + 1  # of street 0; NEVER is one before
_LAST_AT = _STREET_AT + STREETS + STREETS + 1
_SCALARS_AT = _LAST_AT + LAST_MOVES


@kernel
def encode_compact(evaluator: Evaluator, metrics: bool, observations: Array, features: Array) -> None:
    """Turn observations[n, CARD_OBSERVATION] into features[n, FEATURES] float32. Without `metrics` the last STEPS + 2 are 0."""
    for number in range(len(observations)):
        here = observations[number]
        features[number] = 0
        before, place = VISIBLE[max(int(here[BEFORE_STREET]), 0)], 0
        while place < CARDS and here[CARD + place] >= 0:
            card = int(here[CARD + place])
            features[number, card if place < 2 else DECK + card] = 1
            if 2 <= place < before:
                features[number, 2 * DECK + card] = 1
            place += 1
        features[number, _STREET_AT + int(here[STREET])] = 1
        features[number, _BEFORE_AT + int(here[BEFORE_STREET])] = 1
        features[number, _LAST_AT + int(here[LAST])] = 1
        at = _SCALARS_AT
        for column in SCALARS:
            features[number, at] = here[column]
            at += 1
        if metrics:
            if place >= 5:
                keys, mask = add_cards(evaluator, here, CARD, CARD + place)
                features[number, at] = evaluate(evaluator, keys, mask) / evaluator.classes
            features[number, at + 1] = here[EQUITY]
            for step in range(STEPS):
                features[number, at + 2 + step] = min(max(here[EQUITY] * STEPS - step, 0.0), 1.0)

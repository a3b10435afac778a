"""Observations with cards as images, for convolutional networks. `kernels.agents.images` lists the planes."""

from __future__ import annotations

import numpy as np

from smoothcall.errors import UsageError
from smoothcall.games.cards import STANDARD
from smoothcall.holdem.evaluator import evaluator
from smoothcall.kernels.agents.images import PLANES, SIDE, encode_images
from smoothcall.kernels.simulation.observations import BUCKET, CARD, CARD_OBSERVATION, EQUITY
from smoothcall.kernels.tables import Array

HIDDEN = -1  # in place of a card


def images(observations: Array, metrics: bool = True) -> Array:
    """Return [n, PLANES, SIDE, SIDE] float32 images of observations[n, CARD_OBSERVATION] with the 52-card deck.

    Without `metrics` the planes of hand-made metrics are 0.
    """
    verify_cards(observations)
    found = np.empty((len(observations), PLANES, SIDE, SIDE), np.float32)
    encode_images(evaluator(STANDARD), metrics, np.ascontiguousarray(observations, np.float32), found)
    return found


def public_part(observations: Array) -> Array:
    """Return observations without what the player's own cards tell: only what everybody at the table knows."""
    verify_cards(observations)
    found = observations.copy()
    found[:, CARD : CARD + 2] = HIDDEN
    found[:, [EQUITY, BUCKET]] = 0
    return found


def verify_cards(observations: Array) -> None:
    """Raise `UsageError` unless observations have cards."""
    if observations.ndim != 2 or observations.shape[1] != CARD_OBSERVATION:
        raise UsageError(f"observations of shape {observations.shape} (accepted: [n, {CARD_OBSERVATION}]: with cards)")

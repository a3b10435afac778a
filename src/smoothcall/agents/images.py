"""Observations with cards as pictures, for networks that look at images (`kernels.agents.images` says what is where)."""

from __future__ import annotations

import numpy as np

from smoothcall.errors import UsageError
from smoothcall.games.cards import STANDARD
from smoothcall.holdem.evaluator import evaluator
from smoothcall.kernels.agents.images import PLANES, SIDE, draw_pictures
from smoothcall.kernels.simulation.observations import BUCKET, CARD, CARD_OBSERVATION, EQUITY
from smoothcall.kernels.tables import Array

UNSEEN = -1


def pictures(seen: Array, metrics: bool = True) -> Array:
    """seen[n, CARD_OBSERVATION] -> [n, PLANES, SIDE, SIDE] float32, of 52 cards. Without `metrics` the hand-made planes are empty."""
    verify_wide(seen)
    found = np.empty((len(seen), PLANES, SIDE, SIDE), np.float32)
    draw_pictures(evaluator(STANDARD), metrics, np.ascontiguousarray(seen, np.float32), found)
    return found


def public(seen: Array) -> Array:
    """The same observations without the player's own cards: what everybody at the table knows."""
    verify_wide(seen)
    found = seen.copy()
    found[:, CARD : CARD + 2] = UNSEEN
    found[:, [EQUITY, BUCKET]] = 0
    return found


def verify_wide(seen: Array) -> None:
    if seen.ndim != 2 or seen.shape[1] != CARD_OBSERVATION:
        raise UsageError(f"observations of shape {seen.shape} (accepted: [n, {CARD_OBSERVATION}]: wide ones, with the cards)")

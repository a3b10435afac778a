"""Players that kernels take as probabilities: scripted rules over the legal actions, and tabular policies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from smoothcall.agents.scripted import Rule
from smoothcall.information.translation import moves_like
from smoothcall.kernels.tables import Array
from smoothcall.policy import Policy

__all__ = ["Fixed", "Rule", "Strategy", "by_letter"]


@dataclass(frozen=True, slots=True)
class Strategy:
    """A policy, played as it is or by its most likely action; a greedy one needs no second table."""

    policy: Policy
    greedy: bool = False

    def moves(self, betting: str, rows: Array | int) -> dict[str, Array]:
        """Return the probabilities [...] of each move after a betting sequence, at rows[...] of the policy's game.

        The betting may leave the policy's tree where `information.translation` can follow it.
        """
        weights = self.policy.weights[rows]
        found = np.eye(weights.shape[-1])[weights.argmax(axis=-1)] if self.greedy else weights / self.policy.scale
        return by_letter(moves_like(self.policy.game, betting), found)


Fixed = Rule | Strategy


def by_letter(letters: Sequence[str | None], probabilities: Array) -> dict[str, Array]:
    """Map probabilities [..., A] by slot to probabilities [...] by move; several slots may be one move."""
    found: dict[str, Array] = {}
    for slot, letter in enumerate(letters):
        if letter is not None:
            found[letter] = found.get(letter, 0) + probabilities[..., slot]
    return found

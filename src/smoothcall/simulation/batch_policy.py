"""The protocol of policies that answer for a batch of observations at once."""

from __future__ import annotations

from typing import Protocol

from smoothcall.kernels.tables import Array


class BatchPolicy(Protocol):
    def probabilities(self, seen: Array, legal: Array) -> Array:
        """seen[n, OBSERVATION], legal[n, A] -> [n, A]: of every legal action."""


def sees_cards(batch_policy: BatchPolicy) -> bool:
    """Whether a batch policy looks at observations with cards: then its class says so, by `CARD_OBSERVATION`."""
    return bool(getattr(batch_policy, "SEES_CARDS", False))


def ignores_observations(batch_policy: BatchPolicy) -> bool:
    """Whether a batch policy looks only at which actions are legal; its class says so by `IGNORES_OBSERVATIONS`."""
    return bool(getattr(batch_policy, "IGNORES_OBSERVATIONS", False))

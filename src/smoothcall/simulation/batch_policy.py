"""The protocol of policies that are evaluated on a batch of observations."""

from __future__ import annotations

from typing import Protocol

from smoothcall.kernels.tables import Array


class BatchPolicy(Protocol):
    """A policy evaluated on a batch of observations.

    A class whose observations have cards (CARD_OBSERVATION columns) says so by `SEES_CARDS = True`; one that plays differently
    against opponents of different habits by `OBSERVES_HABITS = True`. One whose first evaluation takes seconds, as it reads
    tables or compiles kernels, does that in `prepare()`.
    """

    def probabilities(self, observations: Array, legal: Array) -> Array:
        """Return [n, A] action probabilities for observations[n, OBSERVATION or CARD_OBSERVATION] and legal[n, A]."""


def sees_cards(batch_policy: BatchPolicy) -> bool:
    """Return whether a batch policy takes observations with cards."""
    return bool(getattr(batch_policy, "SEES_CARDS", False))


def observes_habits(batch_policy: BatchPolicy) -> bool:
    """Return whether a batch policy depends on what the opponent did in earlier hands."""
    return bool(getattr(batch_policy, "OBSERVES_HABITS", False))


def ignores_observations(batch_policy: BatchPolicy) -> bool:
    """Return whether a batch policy looks only at which actions are legal; its class says so by `IGNORES_OBSERVATIONS`."""
    return bool(getattr(batch_policy, "IGNORES_OBSERVATIONS", False))


def prepare(batch_policy: BatchPolicy) -> None:
    """Let a batch policy read its tables and compile its kernels, where its class has `prepare`."""
    getattr(batch_policy, "prepare", lambda: None)()

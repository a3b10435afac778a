"""Base class of the learners of epfl2020 with networks: three hidden layers, kept as tables."""

from __future__ import annotations

from typing import Protocol

from smoothcall.kernels.tables import Array
from smoothcall.learners.freezeout_learner import FreezeoutLearner

HIDDEN = (16, 16, 16)


class Updates(Protocol):
    """Networks and their compiled updates."""

    tables: dict[str, Array]  # all arrays by name; the layers of a network as in `agents.layers.to_arrays`

    def restored(self) -> None:
        """Take networks and optimisers from `tables`."""


class NetworkLearner(FreezeoutLearner):
    """`_begin` sets `_updates`."""

    _updates: Updates

    def _learned(self) -> dict[str, Array]:
        return self._updates.tables

    def _restored(self) -> None:
        self._updates.restored()
        super()._restored()

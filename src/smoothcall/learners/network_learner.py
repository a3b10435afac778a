"""What the learners of epfl2020 with networks have in common: networks of three hidden layers, kept as tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from smoothcall.agents.q_networks import Layers
from smoothcall.kernels.tables import Array
from smoothcall.learners.freezeout_learner import FreezeoutLearner

HIDDEN = (16, 16, 16)


class NetworkLearner(FreezeoutLearner):
    """`_begin` makes the `_learner`: an object with `tables` by name, which goes on from them after `restored()`."""

    _learner: Any

    def _learned(self) -> dict[str, Array]:
        tables: dict[str, Array] = self._learner.tables
        return tables

    def _restored(self) -> None:
        self._learner.restored()
        super()._restored()


def layers_of(learned: Mapping[str, Array], name: str) -> Layers:
    """The layers of a network among tables."""
    return [(learned[f"{name} {n} weight"], learned[f"{name} {n} bias"]) for n in range(len(HIDDEN) + 1)]

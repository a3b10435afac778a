"""Matrix games: all players choose at once, pay-offs are given by a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from smoothcall.errors import UsageError


@dataclass(frozen=True, eq=False)
class MatrixGame:
    name: str
    actions: tuple[str, ...]  # the same letters for every player
    payoffs: np.ndarray[Any, np.dtype[np.float64]]  # [A, ..., A, P]: player p gets payoffs[choice_0, ..., choice_P-1, p]

    def __post_init__(self) -> None:
        shape = np.shape(self.payoffs)
        players = len(shape) - 1
        if players < 2 or shape != (len(self.actions),) * players + (players,):
            raise UsageError(f"{self.name}: pay-offs of shape {shape} do not fit {len(self.actions)} actions")
        if not np.isfinite(self.payoffs).all():
            raise UsageError(f"{self.name}: pay-offs must be finite numbers")

    @property
    def seats(self) -> int:
        return self.payoffs.ndim - 1


def zero_sum(name: str, actions: tuple[str, ...], payoff: list[list[float]]) -> MatrixGame:
    """Return a two-player game; the second player's pay-off is minus the first player's."""
    first = np.array(payoff, dtype=np.float64)
    return MatrixGame(name, actions, np.stack([first, -first], axis=-1))

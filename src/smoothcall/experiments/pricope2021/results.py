"""Results of matches as JSON data, and the estimates that follow from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite, sqrt
from typing import Any

import numpy as np

from smoothcall.evaluation.freezeouts import FreezeoutResult
from smoothcall.evaluation.statistics import Estimate
from smoothcall.kernels.tables import Array


def to_list(estimate: Estimate) -> list[float]:
    return [estimate.mean, estimate.error, estimate.count]


def from_list(data: Sequence[Any]) -> Estimate:
    mean, error, count = data
    return Estimate(mean, inf if error is None else error, count)


def to_data(result: FreezeoutResult) -> dict[str, Any]:
    """Return the figures of a match: of the first player, except for the numbers of freezeouts and hands."""
    return {
        "gain": to_list(result.gain),
        "wins": result.wins,
        "deviation": result.deviation,
        "freezeouts": result.freezeouts,
        "hands": result.hands,
        "actions": result.actions[0],
    }


def formatted(estimate: Estimate, form: str) -> str:
    """Return the mean with its 95 % interval, if that is known."""
    half = estimate.half_width()
    return f"{estimate.mean:{form}} ± {half:{form.replace('+', '')}}" if isfinite(half) else f"{estimate.mean:{form}}"


@dataclass(frozen=True, slots=True)
class Played:
    """A match, read from data."""

    gain: Estimate  # chips a freezeout
    wins: float  # share of freezeouts won
    deviation: float  # of the chips of single freezeouts
    freezeouts: int
    hands: int
    actions: tuple[float, ...]  # share of each action

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Played:
        return cls(**{**data, "gain": from_list(data["gain"]), "actions": tuple(data["actions"])})

    def mbb(self, blind: int) -> Estimate:
        """Winnings in mbb/h; the number of hands is taken as known."""
        return self.gain.scaled(1000 / blind * self.freezeouts / max(self.hands, 1))

    def stack(self, start: int) -> Estimate:
        """Average stack at the end of a freezeout."""
        return Estimate(start + self.gain.mean, self.gain.error, self.gain.count)

    @property
    def won(self) -> Estimate:
        """Share of freezeouts won. A freezeout won is a full stack won, so its error follows from that of the gain."""
        scale = self.deviation_of_wins / self.deviation if self.deviation else 0.0
        return Estimate(self.wins, self.gain.error * scale, self.gain.count)

    @property
    def deviation_of_wins(self) -> float:
        return sqrt(self.wins * (1 - self.wins))

    @property
    def raises(self) -> float:
        return sum(self.actions[2:])


def over_seeds(values: Sequence[float] | Array) -> Estimate:
    """Return the mean over trainings of different seeds; of one training its interval is unknown."""
    count = len(values)
    return Estimate(float(np.mean(values)), float(np.std(values, ddof=1)) / sqrt(count) if count > 1 else inf, count)

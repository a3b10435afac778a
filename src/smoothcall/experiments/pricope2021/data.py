"""The measured parts, read: trainings by label and seed, matches, and estimates over seeds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from smoothcall.evaluation.statistics import Estimate
from smoothcall.experiments.parts import NotMeasured, Part
from smoothcall.experiments.pricope2021.results import Played, over_seeds
from smoothcall.kernels.tables import Array


@dataclass(frozen=True, slots=True)
class Data:
    """The parts of the page by name."""

    parts: Mapping[str, Part]

    def __getitem__(self, name: str) -> Any:
        if name not in self.parts:
            raise NotMeasured(name)
        return self.parts[name].figures

    def settings(self, name: str) -> dict[str, Any]:
        if name not in self.parts:
            raise NotMeasured(name)
        return self.parts[name].settings

    def has(self, *names: str) -> bool:
        return all(name in self.parts for name in names)

    @property
    def stack(self) -> int:
        return int(self["game"]["stack"])

    @property
    def blind(self) -> int:
        return int(max(self["game"]["blinds"]))

    # Trainings

    def trained(self, label: str) -> list[dict[str, Any]]:
        """Return what is known of each training of an agent, by seed."""
        return list(self[f"training, {label}"])

    def points(self, label: str) -> list[int]:
        """Return the numbers of freezeouts after which versions of an agent were saved."""
        return [point["iterations"] for point in self.trained(label)[0]["points"]]

    def shared_points(self, label: str) -> list[int]:
        """Return the numbers of freezeouts after which versions of an agent were saved in the trainings of all seeds."""
        every = [{point["iterations"] for point in each["points"]} for each in self.trained(label)]
        return sorted(set.intersection(*every))

    def moves(self, label: str, freezeouts: int) -> Array:
        """Return [seeds] the moves made in the first freezeouts of training, of the seeds trained so long."""
        found = [
            _at(each["points"], freezeouts) for each in self.trained(label) if each["points"][-1]["iterations"] >= freezeouts
        ]
        return np.array([point["moves"] for point in found], float)

    def differences(self, label: str) -> Array:
        """Return [seeds, points] |difference| between the winnings of two copies, in mbb/h, at points that all seeds have."""
        every = [each["differences"] for each in self.trained(label)]
        found = np.array([each[: min(map(len, every))] for each in every])
        if found.shape[1] < 2:
            raise NotMeasured(f"differences of {label}")
        return found

    # Matches

    def match(self, one: str, other: str) -> list[Played]:
        """Return the matches of two agents, seed by seed: after the first number of freezeouts, which has most seeds."""
        return self.versions(one, other, self.matched(one, other)[0])

    def matched(self, one: str, other: str) -> list[int]:
        """Return the numbers of freezeouts of training after which two agents were matched."""
        return list(map(int, self[f"{one} against {other}"]))

    def versions(self, one: str, other: str, freezeouts: int) -> list[Played]:
        """Return the matches of the versions of an agent after so many freezeouts of training, by seed."""
        found = self[f"{one} against {other}"].get(str(freezeouts))
        if found is None:
            raise NotMeasured(f"{one} against {other} after {freezeouts} freezeouts")
        return [Played.of(each) for each in found]

    def mbb(self, played: Sequence[Played]) -> Estimate:
        return over_seeds([each.mbb(self.blind).mean for each in played])

    def stacks(self, played: Sequence[Played]) -> Estimate:
        return over_seeds([each.stack(self.stack).mean for each in played])

    def hands(self, one: str, other: str) -> Played:
        """Return the match of hands with full stacks."""
        for first, second, result in self["cross table"]:
            if (first, second) == (one, other):
                return Played.of(result)
            if (first, second) == (other, one):
                turned = Played.of(result)
                return Played(turned.gain.scaled(-1), 1 - turned.wins, turned.deviation, turned.freezeouts, turned.hands, ())
        raise NotMeasured(f"{one} against {other}")


def of_seeds(function: Callable[[Played], float], played: Sequence[Played]) -> Estimate:
    return over_seeds([function(each) for each in played])


def apart(function: Callable[[Played], float], one: Sequence[Played], other: Sequence[Played]) -> Estimate:
    """Return the mean over seeds of the difference one - other."""
    return over_seeds([function(first) - function(second) for first, second in zip(one, other, strict=True)])


def _at(points: Sequence[Mapping[str, Any]], freezeouts: int) -> Mapping[str, Any]:
    found = next((point for point in points if point["iterations"] == freezeouts), None)
    if found is None:
        raise NotMeasured(f"{freezeouts} freezeouts")
    return found

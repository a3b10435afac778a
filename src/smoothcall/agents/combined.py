"""A batch policy that combines others: the opponent's habits decide which of them plays a hand.

epfl2020 wishes for "combining agents to get a wider strategy" (section 8.2). The metrics are its own: how often the opponent
raised before the flop, and its aggression factor, both over earlier hands of the freezeout. They do not change within a hand,
so one member plays the whole hand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from smoothcall.agents.layers import array_of_shape
from smoothcall.agents.q_networks import aggression_factor
from smoothcall.errors import UsageError
from smoothcall.files import field
from smoothcall.kernels.simulation.observations import AGGRESSION, OBSERVATION, RAISES, UNKNOWN
from smoothcall.kernels.tables import Array
from smoothcall.simulation.batch_policy import BatchPolicy, sees_cards

PREFLOP_RAISES = (0.05, 0.2, 0.4, 0.6, 0.8)  # where the frequency of raising before the flop is cut
AGGRESSION_FACTORS = (0.25, 0.75, 1.25, 2.5, 5.0, 9.99)  # where the aggression factor is cut; the last cell has 10 and more
CELLS = (len(PREFLOP_RAISES) + 1, len(AGGRESSION_FACTORS) + 1)
MAX_MEMBERS = 16


def cells_of(observations: Array) -> Array:
    """Return [n] the cell of the opponent's habits, counted row by row in a table of shape CELLS."""
    first = np.searchsorted(PREFLOP_RAISES, observations[:, RAISES], side="right")
    found: Array = first * CELLS[1] + np.searchsorted(AGGRESSION_FACTORS, aggression_factor(observations), side="right")
    return found


def stranger() -> Array:
    """Return [1, OBSERVATION] with the habits of an opponent of whom nothing is known."""
    observations = np.zeros((1, OBSERVATION), np.float32)
    observations[0, AGGRESSION] = UNKNOWN
    return observations


@dataclass(frozen=True, eq=False)
class Combined:
    """Plays as members[choice[cell]] against an opponent whose habits are in that cell."""

    OBSERVES_HABITS: ClassVar[bool] = True

    members: tuple[BatchPolicy, ...]
    choice: Array  # [cells] int64

    def __post_init__(self) -> None:
        if not 1 <= len(self.members) <= MAX_MEMBERS or any(map(sees_cards, self.members)):
            raise UsageError(
                f"a combination of {len(self.members)} batch policies (accepted: 1 to {MAX_MEMBERS} without cards)"
            )
        if self.choice.shape != (CELLS[0] * CELLS[1],) or not set(self.choice.tolist()) <= set(range(len(self.members))):
            raise UsageError(
                f"the choice of a combination (accepted: a member's number for each of {CELLS[0] * CELLS[1]} cells)"
            )

    def probabilities(self, observations: Array, legal: Array) -> Array:
        found, member = np.zeros(legal.shape), self.choice[cells_of(observations)]
        for number, batch_policy in enumerate(self.members):
            own = np.flatnonzero(member == number)
            if len(own):
                found[own] = batch_policy.probabilities(observations[own], legal[own])
        return found


Saved = tuple[dict[str, Any], dict[str, Array]]  # the entry of a card, arrays by name


def to_data(combined: Combined, member_to_data: Callable[[BatchPolicy], Saved]) -> Saved:
    """Return the entry of the card and the arrays of an agent file; those of member 2 are named `member-2-...`."""
    entries, arrays = list[dict[str, Any]](), {"choice": combined.choice.astype(np.float64)}
    for number, member in enumerate(combined.members):
        entry, own = member_to_data(member)
        entries.append(entry)
        arrays |= {f"member-{number}-{name}": array for name, array in own.items()}
    return {"class": "combined", "members": entries}, arrays


def from_data(
    about: Mapping[str, Any],
    arrays: Mapping[str, Array],
    member: Callable[[Mapping[str, Any], Mapping[str, Array]], BatchPolicy],
) -> Combined:
    """Return the batch policy of which `to_data` gave this entry; `member` reads one member."""
    entries = field(about, "members", list)
    if not 1 <= len(entries) <= MAX_MEMBERS or not all(isinstance(entry, dict) for entry in entries):
        raise UsageError(f"members {str(entries)[:80]} of a combination (accepted: 1 to {MAX_MEMBERS} entries)")
    if any(entry.get("class") == "combined" for entry in entries):
        raise UsageError("a combination of combinations (accepted: batch policies that are none)")
    members = []
    for number, entry in enumerate(entries):
        start = f"member-{number}-"
        own = {name.removeprefix(start): array for name, array in arrays.items() if name.startswith(start)}
        members.append(member(entry, own))
    choice = array_of_shape(arrays, "choice", (CELLS[0] * CELLS[1],))
    if not (choice == np.rint(choice)).all():
        raise UsageError("the choice of a combination (accepted: whole numbers)")
    return Combined(tuple(members), choice.astype(np.int64))

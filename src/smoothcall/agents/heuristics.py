"""The generic players of pricope2021 that look at probabilities only: one that mostly calls, one that goes by simulated rollouts.

The third, which always calls, is the scripted player "call". None of them looks at the sizes behind the slots: raises are taken in
their order, the smallest first, so that they sit at any table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.special import bdtr

from smoothcall.errors import UsageError, unknown
from smoothcall.files import field
from smoothcall.kernels.simulation.observations import EQUITY, POT, STACK, TO_CALL
from smoothcall.kernels.tables import CALL, FOLD_SLOT, Array

CLASSES = ("mostly-calls", "simulations")
MOST = 10_000  # rollouts
LARGEST = 10**6  # the wish for the largest raise of any menu
EDGE = 1e-9  # of a share of rollouts: thresholds are compared after rounding


@dataclass(frozen=True)
class MostlyCalls:
    """Random of pricope2021: checks or calls 3 times of 5; the rest is a raise, all alike, or a fold, both as often.

    What of that is not legal is a call too.
    """

    SEES_CARDS: ClassVar[bool] = True

    def probabilities(self, seen: Array, legal: Array) -> Array:
        found = np.zeros(legal.shape)
        found[:, FOLD_SLOT] = np.where(legal[:, FOLD_SLOT], 0.2, 0)
        raises = legal[:, CALL + 1 :]
        found[:, CALL + 1 :] = 0.2 * raises / np.maximum(raises.sum(axis=1, keepdims=True), 1)
        found[:, CALL] = 1 - found.sum(axis=1)
        return found


@dataclass(frozen=True)
class HeuristicMC:
    """HeuristicMC of pricope2021, which goes by simulated rollouts only: the share w it won of so many against any cards.

    It folds where w is below the pot odds, makes the smallest raise from 0.6 on, the second from 0.75 and the largest from
    0.9, and calls otherwise; it never folds where checking is free. The paper says no more than that its actions are "based
    only on Monte-Carlo simulations": the thresholds are ours. No game is simulated here. The rollouts it wins are binomial, with
    the exact equity for the chance of each (ties neglected), and so is what it does.
    """

    SEES_CARDS: ClassVar[bool] = True

    rollouts: int = 100

    def __post_init__(self) -> None:
        if not 1 <= self.rollouts <= MOST:
            raise UsageError(f"rollouts={self.rollouts} (accepted: a whole number from 1 to {MOST:,})")

    def probabilities(self, seen: Array, legal: Array) -> Array:
        odds = np.where(legal[:, FOLD_SLOT], pot_odds(seen), 0)
        found, rows = np.zeros(legal.shape), np.arange(len(seen))
        below = self._below(seen, odds)
        found[:, FOLD_SLOT] = below
        for wish, least in ((None, 0.6), (0, 0.75), (1, 0.9), (LARGEST, 2.0)):
            up_to = self._below(seen, np.maximum(odds, least))
            found[rows, CALL if wish is None else raise_slots(wish, legal)] += up_to - below
            below = up_to
        return found

    def _below(self, seen: Array, share: Array) -> Array:
        """[n] the chance that less than share[n] of the rollouts is won."""
        won = np.clip(np.ceil(share * self.rollouts - EDGE) - 1, -1, self.rollouts)
        chance = np.clip(seen[:, EQUITY].astype(np.float64), 0, 1)
        return np.where(won < 0, 0.0, bdtr(np.maximum(won, 0), self.rollouts, chance))


def pot_odds(seen: Array) -> Array:
    """[n] the chance to win from which on a call does not lose: what is to call, as a part of the pot with it."""
    call = np.minimum(seen[:, TO_CALL], seen[:, STACK]).clip(0).astype(np.float64)
    return np.asarray(call / np.maximum(seen[:, POT] + call, EDGE))


def raise_slots(wish: Array | int, legal: Array) -> Array:
    """[n] the slot of raise number `wish` (0 is the smallest); where that is illegal of the next smaller one, else of the
    smallest that is legal; of a call where none is."""
    slots = np.full(len(legal), CALL)
    for slot in range(CALL + 1, legal.shape[1]):
        slots = np.where(legal[:, slot] & ((slots == CALL) | (slot - CALL - 1 <= np.asarray(wish))), slot, slots)
    return slots


def to_data(batch_policy: MostlyCalls | HeuristicMC) -> tuple[dict[str, Any], dict[str, Array]]:
    """(what the card says of a batch policy, its arrays by name)."""
    if isinstance(batch_policy, MostlyCalls):
        return {"class": "mostly-calls"}, {}
    return {"class": "simulations", "rollouts": batch_policy.rollouts}, {}


def from_data(about: Mapping[str, Any], arrays: Mapping[str, Array]) -> MostlyCalls | HeuristicMC:
    """The batch policy that such data describe."""
    named = field(about, "class", str)
    if named not in CLASSES:
        raise unknown("class of batch policy", named, CLASSES)
    return MostlyCalls() if named == "mostly-calls" else HeuristicMC(field(about, "rollouts", int))

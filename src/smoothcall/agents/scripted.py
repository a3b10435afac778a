"""The scripted players of epfl2020: eleven in two pools, of which one is in both. They look at a observation and follow a rule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from smoothcall.agents.batch_policy import Table, raising, surely
from smoothcall.kernels.simulation.observations import EQUITY, LAST, STREET, TO_CALL
from smoothcall.kernels.tables import CALL, FOLD_SLOT, RAISED, Array

FLOP, TURN = 1, 2

Slots = Callable[[Table, Array, Array], Array]  # (table, seen, legal) -> [n] the slot of the move
Rule = Callable[[Table, Array, Array], Array]  # (table, seen, legal) -> [n, A] probabilities


def check_or_call(seen: Array, legal: Array) -> Array:
    return np.full(len(seen), CALL)


def check_or_fold(seen: Array, legal: Array) -> Array:
    """Gives up where something is to call."""
    return np.where(legal[:, FOLD_SLOT], FOLD_SLOT, CALL)


def aggressive(table: Table, seen: Array, legal: Array) -> Array:
    return np.where(seen[:, EQUITY] > 0.5, raising(table, 1, legal), check_or_fold(seen, legal))


def moderate(table: Table, seen: Array, legal: Array) -> Array:
    """Raises by one bet above 0.6, by one more for every tenth."""
    equity = seen[:, EQUITY]
    strong = raising(table, np.floor((equity - 0.6) * 10) + 1, legal)
    return np.where(equity > 0.6, strong, np.where(equity >= 0.4, CALL, check_or_fold(seen, legal)))


def mirror(table: Table, seen: Array, legal: Array) -> Array:
    """Does what the other did last: raises by as much as it was raised by, else checks or calls."""
    factor = np.rint(seen[:, TO_CALL] / table.bet)
    return np.where(seen[:, LAST] == RAISED, raising(table, factor, legal), CALL)


def _bluffing(rule: Slots) -> Rule:
    """With the chance 1/2 raises by one bet on the flop and by two on the turn, whatever it holds."""

    def probabilities(table: Table, seen: Array, legal: Array) -> Array:
        honest = surely(rule(table, seen, legal), legal.shape[1])
        bluff = surely(raising(table, np.where(seen[:, STREET] == FLOP, 1, 2), legal), legal.shape[1])
        bluffs = np.isin(seen[:, STREET], (FLOP, TURN))[:, None]
        return np.where(bluffs, (honest + bluff) / 2, honest)

    return probabilities


def _sure(rule: Slots) -> Rule:
    return lambda table, seen, legal: surely(rule(table, seen, legal), legal.shape[1])


RULES: dict[str, tuple[Rule, str]] = {
    "aggressive": (_sure(aggressive), "raises by one bet if its equity is above 1/2, else checks or folds"),
    "all-in": (_sure(lambda table, seen, legal: raising(table, 10**6, legal)), "raises by the most that is listed, every time"),
    "call": (_sure(lambda table, seen, legal: check_or_call(seen, legal)), "checks or calls"),
    "check-fold": (_sure(lambda table, seen, legal: check_or_fold(seen, legal)), "checks or folds"),
    "raise": (_sure(lambda table, seen, legal: raising(table, 2, legal)), "raises by two bets, every time"),
    "mirror": (_sure(mirror), "does what the other did last"),
    "random": (lambda table, seen, legal: legal / legal.sum(axis=1, keepdims=True), "makes any legal move, all alike"),
    "moderate": (_sure(moderate), "calls with a equity from 0.4 to 0.6, raises above by more the higher it is, else folds"),
    "bluffer-aggressive": (_bluffing(aggressive), "aggressive, but half of the time raises flop by one bet and turn by two"),
    "bluffer-moderate": (_bluffing(moderate), "moderate, but half of the time raises flop by one bet and turn by two"),
}


@dataclass(frozen=True)
class Scripted:
    """A rule at a table."""

    name: str
    table: Table

    def probabilities(self, seen: Array, legal: Array) -> Array:
        return RULES[self.name][0](self.table, seen, legal)


FIRST_POOL = ("aggressive", "all-in", "call", "check-fold", "raise", "mirror", "random")
FINAL_POOL = ("aggressive", "moderate", "bluffer-aggressive", "bluffer-moderate")

"""What batch policies have in common: the table they sit at, and moves as slots of the action tree.

Learners choose among six moves: check, call, raises by one, two and three bets, fold.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from smoothcall.errors import UsageError
from smoothcall.games.rules import PokerRules
from smoothcall.kernels.simulation.observations import OTHER_STACK, STACK, TO_CALL
from smoothcall.kernels.tables import CALL, FOLD_SLOT, Array
from smoothcall.simulation.batch_policy import BatchPolicy, sees_cards

CHECK_MOVE, CALL_MOVE, RAISE_MOVE, FOLD_MOVE = 0, 1, 2, 5
MOVES = 6


@dataclass(frozen=True)
class Greedy:
    """The most likely move of a batch policy; of equals, the first."""

    batch_policy: BatchPolicy

    @property
    def SEES_CARDS(self) -> bool:
        return sees_cards(self.batch_policy)

    def probabilities(self, observations: Array, legal: Array) -> Array:
        return surely(self.batch_policy.probabilities(observations, legal).argmax(axis=1), legal.shape[1])


@dataclass(frozen=True)
class Thresholded:
    """A batch policy without moves less likely than `share`, the others scaled up; the most likely move always stays."""

    batch_policy: BatchPolicy
    share: float

    @property
    def SEES_CARDS(self) -> bool:
        return sees_cards(self.batch_policy)

    def probabilities(self, observations: Array, legal: Array) -> Array:
        found = self.batch_policy.probabilities(observations, legal)
        kept = (found >= self.share) | (surely(found.argmax(axis=1), found.shape[1]) > 0)
        cut = np.where(kept, found, 0)
        scaled: Array = cut / cut.sum(axis=1, keepdims=True)
        return scaled


@dataclass(frozen=True)
class Table:
    """What batch policies must know of the game: its smallest bet in parts of the chips a freezeout starts with, and the raises."""

    bet: float
    factors: tuple[int, ...]  # bets that each raise slot raises by

    @classmethod
    def of(cls, rules: PokerRules) -> Table:
        if rules.stack is None or rules.menu is None or not all(item.startswith("x") for item in rules.menu.items):
            raise UsageError(f"{rules.name}: these players know a menu of whole bets only, such as x1+x2")
        return cls(rules.streets[0].bet / rules.stack, tuple(int(item[1:]) for item in rules.menu.items))


def raising(table: Table, factor: Array | int, legal: Array) -> Array:
    """A raise by so many bets, or by the most below that is legal (all that is left); a call where no raise is."""
    slots = np.full(len(legal), CALL)
    for slot, each in enumerate(table.factors, CALL + 1):
        smallest = slots == CALL  # nothing smaller was legal: the first raise will do, however large
        slots = np.where(legal[:, slot] & (smallest | (np.asarray(factor) >= each)), slot, slots)
    return slots


def surely(slots: Array, actions: int) -> Array:
    """[n, A] probabilities of moves that are certain."""
    probabilities = np.zeros((len(slots), actions))
    probabilities[np.arange(len(slots)), slots] = 1
    return probabilities


def legal_moves(table: Table, seen: Array, legal: Array) -> Array:
    """legal[n, A] of slots -> [n, 6] of moves."""
    found, free = np.zeros((len(seen), MOVES), bool), seen[:, TO_CALL] <= 0
    found[:, CHECK_MOVE], found[:, CALL_MOVE], found[:, FOLD_MOVE] = free, ~free, legal[:, FOLD_SLOT]
    for factor, slot in _raise_slots(table):
        found[:, RAISE_MOVE + factor - 1] = legal[:, slot]
    return found


def likely_legal(table: Table, seen: Array) -> Array:
    """[n, A] which slots are legal, by the observation alone: raises are, as long as chips are left for them."""
    slots = np.ones((len(seen), CALL + 1 + len(table.factors)), bool)
    slots[:, FOLD_SLOT] = seen[:, TO_CALL] > 0
    behind = np.minimum(seen[:, STACK] - seen[:, TO_CALL], seen[:, OTHER_STACK]) / table.bet
    before = 0
    for slot, factor in enumerate(table.factors, CALL + 1):
        slots[:, slot] = behind > before + 1e-6
        before = factor
    return slots


def raised_by(table: Table, action: Array) -> Array:
    """[n] the bets that action[n] slots raise by, 0 where they do not."""
    found: Array = np.array([0, 0, *table.factors])[action]
    return found


def slots_of(table: Table, probabilities: Array, actions: int) -> Array:
    """probabilities[n, 6] of moves -> [n, A] of slots."""
    found = np.zeros((len(probabilities), actions), probabilities.dtype)
    found[:, FOLD_SLOT], found[:, CALL] = (
        probabilities[:, FOLD_MOVE],
        probabilities[:, CHECK_MOVE] + probabilities[:, CALL_MOVE],
    )
    for factor, slot in _raise_slots(table):
        found[:, slot] = probabilities[:, RAISE_MOVE + factor - 1]
    return found


def moves_of(table: Table, seen: Array, action: Array) -> Array:
    """action[n] slots -> [n] moves; a slot that is none of the six is the last raise."""
    found = np.where(action == FOLD_SLOT, FOLD_MOVE, np.where(seen[:, TO_CALL] > 0, CALL_MOVE, CHECK_MOVE))
    for factor, slot in _raise_slots(table):
        found = np.where(action == slot, RAISE_MOVE + factor - 1, found)
    return np.where(action > max((slot for _, slot in _raise_slots(table)), default=CALL), FOLD_MOVE - 1, found)


def _raise_slots(table: Table) -> list[tuple[int, int]]:
    return [(factor, CALL + 1 + place) for place, factor in enumerate(table.factors) if factor < FOLD_MOVE - RAISE_MOVE + 1]

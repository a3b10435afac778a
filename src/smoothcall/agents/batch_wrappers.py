"""Building blocks of batch policies: wrappers, the bets of a game, raise slots, and moves as action slots.

Learners of epfl2020 choose among six moves: check, call, raises by one, two and three bets, fold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from smoothcall.errors import UsageError
from smoothcall.games.rules import PokerRules
from smoothcall.kernels.simulation.observations import OTHER_STACK, STACK, TO_CALL
from smoothcall.kernels.tables import CALL, FOLD_SLOT, Array
from smoothcall.simulation.batch_policy import BatchPolicy, observes_habits, prepare, sees_cards

CHECK_MOVE, CALL_MOVE, RAISE_MOVE, FOLD_MOVE = 0, 1, 2, 5
MOVES = 6
EDGE = 1e-6  # bets: amounts of chips are compared after rounding
ALL_IN = 10**6  # bets: stands for the all-in of a menu, above any other raise


@dataclass(frozen=True)
class _Changed:
    """A batch policy whose probabilities are changed; it observes what that one does."""

    batch_policy: BatchPolicy

    @property
    def SEES_CARDS(self) -> bool:
        return sees_cards(self.batch_policy)

    @property
    def OBSERVES_HABITS(self) -> bool:
        return observes_habits(self.batch_policy)

    def prepare(self) -> None:
        prepare(self.batch_policy)


@dataclass(frozen=True)
class Greedy(_Changed):
    """The most likely action of a batch policy; of equally likely ones the first."""

    def probabilities(self, observations: Array, legal: Array) -> Array:
        return one_hot(self.batch_policy.probabilities(observations, legal).argmax(axis=1), legal.shape[1])


@dataclass(frozen=True)
class Thresholded(_Changed):
    """A batch policy without moves less likely than `share`, the others scaled up; the most likely move always stays."""

    share: float

    def probabilities(self, observations: Array, legal: Array) -> Array:
        found = self.batch_policy.probabilities(observations, legal)
        kept = (found >= self.share) | (one_hot(found.argmax(axis=1), found.shape[1]) > 0)
        cut = np.where(kept, found, 0)
        scaled: Array = cut / cut.sum(axis=1, keepdims=True)
        return scaled


@dataclass(frozen=True)
class Table:
    """The bets of a game: its smallest bet as a fraction of the starting stack, and the bets that each raise slot raises by.

    The factor of all-in is ALL_IN.
    """

    bet: float
    factors: tuple[int, ...]

    @classmethod
    def of(cls, rules: PokerRules) -> Table:
        factors = whole_bets(rules)
        if rules.stack is None or factors is None:
            raise UsageError(f"{rules.name}: these players know a menu of whole bets only, such as x1+x2 or x1+x2+all-in")
        return cls(rules.streets[0].bet / rules.stack, factors)


def whole_bets(rules: PokerRules) -> tuple[int, ...] | None:
    """Return the bets that each raise of the menu raises by; None unless they are whole bets, and perhaps all-in at the end."""
    items = () if rules.menu is None else rules.menu.items
    bets = items[:-1] if items[-1:] == ("all-in",) else items
    if not bets or not all(item.startswith("x") for item in bets):
        return None
    return (*(int(item[1:]) for item in bets), *[ALL_IN] * (len(items) - len(bets)))


def raise_slots(sizes: Sequence[int], wish: Array | int, legal: Array) -> Array:
    """Return [n] the slot of the largest legal raise whose size is at most `wish`; else of the smallest legal raise; else
    of a call.

    `sizes` are the sizes of the raise slots in ascending order, in any unit: bets, or places in the menu.
    """
    slots = np.full(len(legal), CALL)
    for slot, size in enumerate(sizes, CALL + 1):
        none_smaller = slots == CALL
        slots = np.where(legal[:, slot] & (none_smaller | (np.asarray(wish) >= size)), slot, slots)
    return slots


def one_hot(slots: Array, actions: int) -> Array:
    """Return [n, A] probabilities of actions slots[n] that are certain."""
    probabilities = np.zeros((len(slots), actions))
    probabilities[np.arange(len(slots)), slots] = 1
    return probabilities


def legal_moves(table: Table, observations: Array, legal: Array) -> Array:
    """Return [n, 6] which moves are legal, from legal[n, A] of slots."""
    found, free = np.zeros((len(observations), MOVES), bool), observations[:, TO_CALL] <= 0
    found[:, CHECK_MOVE], found[:, CALL_MOVE], found[:, FOLD_MOVE] = free, ~free, legal[:, FOLD_SLOT]
    for factor, slot in _raise_moves(table):
        found[:, RAISE_MOVE + factor - 1] = legal[:, slot]
    return found


def likely_legal(table: Table, observations: Array) -> Array:
    """Return [n, A] which slots are legal, from the observation alone: raises are as long as chips are left for them.

    All-in is a raise of its own where more chips are left than the largest other raise takes.
    """
    slots = np.ones((len(observations), CALL + 1 + len(table.factors)), bool)
    slots[:, FOLD_SLOT] = observations[:, TO_CALL] > 0
    behind = np.minimum(observations[:, STACK] - observations[:, TO_CALL], observations[:, OTHER_STACK]) / table.bet
    before = 0
    for slot, factor in enumerate(table.factors, CALL + 1):
        slots[:, slot] = behind > before + EDGE
        before = factor
    return slots


def raised_by(table: Table, action: Array) -> Array:
    """Return [n] the bets that slots action[n] raise by; 0 for other actions."""
    found: Array = np.array([0, 0, *table.factors])[action]
    return found


def slots_of(table: Table, probabilities: Array, actions: int) -> Array:
    """Return [n, A] probabilities of slots from probabilities[n, 6] of moves."""
    found = np.zeros((len(probabilities), actions), probabilities.dtype)
    found[:, FOLD_SLOT] = probabilities[:, FOLD_MOVE]
    found[:, CALL] = probabilities[:, CHECK_MOVE] + probabilities[:, CALL_MOVE]
    for factor, slot in _raise_moves(table):
        found[:, slot] = probabilities[:, RAISE_MOVE + factor - 1]
    return found


def moves_of(table: Table, observations: Array, action: Array) -> Array:
    """Return [n] the moves of slots action[n]; a slot that is none of the six moves counts as the last raise."""
    found = np.where(action == FOLD_SLOT, FOLD_MOVE, np.where(observations[:, TO_CALL] > 0, CALL_MOVE, CHECK_MOVE))
    for factor, slot in _raise_moves(table):
        found = np.where(action == slot, RAISE_MOVE + factor - 1, found)
    return np.where(action > max((slot for _, slot in _raise_moves(table)), default=CALL), FOLD_MOVE - 1, found)


def _raise_moves(table: Table) -> list[tuple[int, int]]:
    """Return (bets, slot) of the raises that are among the six moves."""
    return [(factor, CALL + 1 + place) for place, factor in enumerate(table.factors) if factor < FOLD_MOVE - RAISE_MOVE + 1]

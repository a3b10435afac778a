"""Scripted players: batch policies that follow a rule and learn nothing.

- `Rule`: four players that look only at which actions are legal (heinrich2014 measures against two). They play any game.
- `Scripted`: the players of epfl2020, in two pools. They look at an observation and know raises by whole bets.
- `MostlyCalls`, `HeuristicMC`: generic players of pricope2021. They take raises in the order of the menu, the smallest first,
  so they sit at any no-limit hold'em table. The third generic player, which always calls, is `Rule.ALWAYS_CALL`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum, nonmember
from random import Random
from typing import Any, ClassVar

import numpy as np

from smoothcall.agents.batch_wrappers import ALL_IN, Table, one_hot, raise_slots
from smoothcall.agents.view import View
from smoothcall.errors import UsageError, unknown
from smoothcall.files import field
from smoothcall.games.matrix import MatrixGame
from smoothcall.games.rules import PokerRules
from smoothcall.kernels.simulation.observations import EQUITY, LAST, POT, STACK, STREET, TO_CALL
from smoothcall.kernels.tables import CALL, FOLD_SLOT, RAISED, Array

CLASSES = ("mostly-calls", "simulations")  # of MostlyCalls and HeuristicMC in agent files
FLOP, TURN = 1, 2
MAX_ROLLOUTS = 10_000
LARGEST = ALL_IN  # the size of a raise that is the largest of any menu
EDGE = 1e-9  # rounding of shares of rollouts before they are compared with a threshold


class Rule(StrEnum):
    """Players who look only at which actions are legal: batch policies that ignore observations."""

    ALWAYS_RAISE = "always-raise"
    ALWAYS_CALL = "always-call"
    PROBE = "probe"
    RANDOM = "random"

    IGNORES_OBSERVATIONS = nonmember(True)

    @property
    def summary(self) -> str:
        return _SUMMARIES[self]

    def among(self, legal: Array) -> Array:
        """legal[n, A] bool -> [n, A] probabilities. The action slots of poker are fold, call, then raises."""
        if self is Rule.RANDOM:
            even: Array = legal / np.maximum(legal.sum(axis=1, keepdims=True), 1)
            return even
        raise_share = {Rule.ALWAYS_RAISE: 1.0, Rule.ALWAYS_CALL: 0.0, Rule.PROBE: 0.5}[self] * legal[:, 2:].any(axis=1)
        raise_share = np.where(legal[:, 2:].any(axis=1) & ~legal[:, CALL], 1.0, raise_share)  # bets in games without checks
        found = np.zeros(legal.shape)
        found[:, 1] = 1 - raise_share
        found[np.arange(len(legal)), 2 + legal[:, 2:].argmax(axis=1)] += raise_share
        return found

    def probabilities(self, observations: Array, legal: Array) -> Array:
        """Return [n, A] probabilities; observations are ignored."""
        return self.among(legal)

    def verify_game(self, rules: object) -> None:
        if self is not Rule.RANDOM and isinstance(rules, MatrixGame):
            raise UsageError(f"{self} plays poker, not {rules.name} (accepted there: {Rule.RANDOM}, agents)")


_SUMMARIES = {
    Rule.ALWAYS_RAISE: "makes the first bet or raise that the game lists, else calls",
    Rule.ALWAYS_CALL: "checks and calls",
    Rule.PROBE: "makes the first bet or raise that the game lists, or checks or calls, each half of the time",
    Rule.RANDOM: "makes every legal move of the game's action slots equally often",
}


# The players of epfl2020

Slots = Callable[[Table, Array, Array], Array]  # (table, observations, legal) -> [n] the slot of the move
Distribution = Callable[[Table, Array, Array], Array]  # (table, observations, legal) -> [n, A] probabilities


def check_or_call(observations: Array, legal: Array) -> Array:
    return np.full(len(observations), CALL)


def check_or_fold(observations: Array, legal: Array) -> Array:
    return np.where(legal[:, FOLD_SLOT], FOLD_SLOT, CALL)


def aggressive(table: Table, observations: Array, legal: Array) -> Array:
    return np.where(observations[:, EQUITY] > 0.5, raise_slots(table.factors, 1, legal), check_or_fold(observations, legal))


def moderate(table: Table, observations: Array, legal: Array) -> Array:
    """Raises by one bet above an equity of 0.6, by one bet more for every tenth above that."""
    equity = observations[:, EQUITY]
    strong = raise_slots(table.factors, np.floor((equity - 0.6) * 10) + 1, legal)
    return np.where(equity > 0.6, strong, np.where(equity >= 0.4, CALL, check_or_fold(observations, legal)))


def mirror(table: Table, observations: Array, legal: Array) -> Array:
    """Repeats the opponent's last move: raises by as much as the opponent raised, else checks or calls."""
    factor = np.rint(observations[:, TO_CALL] / table.bet)
    return np.where(observations[:, LAST] == RAISED, raise_slots(table.factors, factor, legal), CALL)


def any_move(table: Table, observations: Array, legal: Array) -> Array:
    """Return [n, A]: every legal move equally likely, except all-in: epfl2020 lists raises by 1 to 4 bets as the possible ones.

    Where all-in is the only raise it counts as one.
    """
    others = np.array([True, True, *(factor != ALL_IN for factor in table.factors)])
    raises = (legal & others)[:, CALL + 1 :].any(axis=1)[:, None]
    return Rule.RANDOM.among(np.where(raises, legal & others, legal))


def _bluffing(rule: Slots) -> Distribution:
    """With probability 1/2 raises the flop by one bet and the turn by two, whatever the cards."""

    def probabilities(table: Table, observations: Array, legal: Array) -> Array:
        honest = one_hot(rule(table, observations, legal), legal.shape[1])
        bluff = one_hot(raise_slots(table.factors, np.where(observations[:, STREET] == FLOP, 1, 2), legal), legal.shape[1])
        bluffs = np.isin(observations[:, STREET], (FLOP, TURN))[:, None]
        return np.where(bluffs, (honest + bluff) / 2, honest)

    return probabilities


def _sure(rule: Slots) -> Distribution:
    return lambda table, observations, legal: one_hot(rule(table, observations, legal), legal.shape[1])


RULES: dict[str, tuple[Distribution, str]] = {
    "aggressive": (_sure(aggressive), "raises by one bet if its equity is above 1/2, else checks or folds"),
    "all-in": (
        _sure(lambda table, _, legal: raise_slots(table.factors, LARGEST, legal)),
        "bets all its chips, every time; where the menu has no all-in, makes its largest raise",
    ),
    "call": (_sure(lambda _, observations, legal: check_or_call(observations, legal)), "checks or calls"),
    "check-fold": (_sure(lambda _, observations, legal: check_or_fold(observations, legal)), "checks or folds"),
    "raise": (_sure(lambda table, _, legal: raise_slots(table.factors, 2, legal)), "raises by two bets, every time"),
    "mirror": (_sure(mirror), "repeats the opponent's last move"),
    "random": (any_move, "makes every legal move but all-in equally often"),
    "moderate": (_sure(moderate), "calls with an equity from 0.4 to 0.6, raises by more the higher it is above, else folds"),
    "bluffer-aggressive": (_bluffing(aggressive), "aggressive, but half of the time raises flop by one bet and turn by two"),
    "bluffer-moderate": (_bluffing(moderate), "moderate, but half of the time raises flop by one bet and turn by two"),
}
FIRST_POOL = ("aggressive", "all-in", "call", "check-fold", "raise", "mirror", "random")
FINAL_POOL = ("aggressive", "moderate", "bluffer-aggressive", "bluffer-moderate")


@dataclass(frozen=True)
class Scripted:
    """A rule of epfl2020 at a table."""

    name: str
    table: Table

    def probabilities(self, observations: Array, legal: Array) -> Array:
        return RULES[self.name][0](self.table, observations, legal)


# The generic players of pricope2021


@dataclass(frozen=True)
class MostlyCalls:
    """Random of pricope2021: checks or calls with probability 0.6, folds with 0.2, raises with 0.2 (all raises alike).

    The share of an illegal action goes to the call. In a seat its raises are of any size: `AnyAmount`.
    """

    SEES_CARDS: ClassVar[bool] = True
    NAME: ClassVar[str] = "mostly-calls"

    def probabilities(self, observations: Array, legal: Array) -> Array:
        found = np.zeros(legal.shape)
        found[:, FOLD_SLOT] = np.where(legal[:, FOLD_SLOT], 0.2, 0)
        raises = legal[:, CALL + 1 :]
        found[:, CALL + 1 :] = 0.2 * raises / np.maximum(raises.sum(axis=1, keepdims=True), 1)
        found[:, CALL] = 1 - found.sum(axis=1)
        no_check = raises.any(axis=1) & ~legal[:, CALL]  # in games without checks
        found[no_check, CALL] = 0
        found[no_check] /= found[no_check].sum(axis=1, keepdims=True)
        return found


class AnyAmount:
    """`MostlyCalls` in a seat, raising to any legal amount, all amounts equally likely. It plays any poker game."""

    def __init__(self, random: Random | None = None) -> None:
        self.random = random or Random()

    def act(self, view: View) -> str:
        share = self.random.random()
        if share < 0.2 and view.to_call > 0:
            return "f"
        if 0.2 <= share < 0.4 and view.raises is not None:
            low, high = view.raises
            limit = isinstance(view.rules, PokerRules) and view.rules.limit
            return "r" if limit else f"r{self.random.randint(low, high)}"
        no_check = isinstance(view.rules, PokerRules) and not view.rules.checks and view.to_call == 0
        return "r" if no_check else "c"


@dataclass(frozen=True)
class HeuristicMC:
    """HeuristicMC of pricope2021: acts on the share w of simulated rollouts that it wins against random cards.

    It folds where w is below the pot odds, makes the smallest raise from w = 0.6, the second from 0.75 and the largest from
    0.9, and calls otherwise; it never folds where checking is free. The paper says only that its actions are "based only on
    Monte-Carlo simulations": the thresholds are ours. No rollout is simulated: the number won is binomial, with the exact
    equity as the probability of each (ties neglected), which gives the action probabilities in closed form.
    """

    SEES_CARDS: ClassVar[bool] = True

    rollouts: int = 100

    def __post_init__(self) -> None:
        if not 1 <= self.rollouts <= MAX_ROLLOUTS:
            raise UsageError(f"rollouts={self.rollouts} (accepted: a whole number from 1 to {MAX_ROLLOUTS:,})")

    def probabilities(self, observations: Array, legal: Array) -> Array:
        odds = np.where(legal[:, FOLD_SLOT], pot_odds(observations), 0)
        found, rows = np.zeros(legal.shape), np.arange(len(observations))
        below = self._below(observations, odds)
        found[:, FOLD_SLOT] = below
        for size, least in ((None, 0.6), (0, 0.75), (1, 0.9), (LARGEST, 2.0)):
            up_to = self._below(observations, np.maximum(odds, least))
            found[rows, CALL if size is None else raise_slots(range(legal.shape[1] - CALL - 1), size, legal)] += up_to - below
            below = up_to
        return found

    def _below(self, observations: Array, share: Array) -> Array:
        """Return [n] the probability that less than share[n] of the rollouts is won."""
        from scipy.special import bdtr

        won = np.clip(np.ceil(share * self.rollouts - EDGE) - 1, -1, self.rollouts)
        equity = np.clip(observations[:, EQUITY].astype(np.float64), 0, 1)
        return np.where(won < 0, 0.0, bdtr(np.maximum(won, 0), self.rollouts, equity))


def pot_odds(observations: Array) -> Array:
    """Return [n] the equity from which a call does not lose: the chips to call as a share of the pot after the call."""
    call = np.minimum(observations[:, TO_CALL], observations[:, STACK]).clip(0).astype(np.float64)
    return np.asarray(call / np.maximum(observations[:, POT] + call, EDGE))


def to_data(batch_policy: MostlyCalls | HeuristicMC) -> tuple[dict[str, Any], dict[str, Array]]:
    """Return (the entry of the card, arrays by name) of an agent file."""
    if isinstance(batch_policy, MostlyCalls):
        return {"class": "mostly-calls"}, {}
    return {"class": "simulations", "rollouts": batch_policy.rollouts}, {}


def from_data(about: Mapping[str, Any], arrays: Mapping[str, Array]) -> MostlyCalls | HeuristicMC:
    """Return the batch policy of which `to_data` gave this entry."""
    named = field(about, "class", str)
    if named not in CLASSES:
        raise unknown("class of batch policy", named, CLASSES)
    return MostlyCalls() if named == "mostly-calls" else HeuristicMC(field(about, "rollouts", int))

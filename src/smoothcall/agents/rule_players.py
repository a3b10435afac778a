"""Players by a rule of one line; also what learners are measured against first."""

from __future__ import annotations

from random import Random
from typing import ClassVar

import numpy as np

from smoothcall.agents.fixed import Rule
from smoothcall.agents.view import View
from smoothcall.games.rules import PokerRules
from smoothcall.kernels.tables import Array


def draw_slot(weights: Array, random: Random) -> int:
    """An action slot with a probability in proportion to its weight in weights[A]."""
    legal = np.flatnonzero(weights)
    return int(random.choices(legal.tolist(), weights[legal].tolist())[0])


class RulePlayer:
    """Plays one of the rules, which need to know only what is legal."""

    fixed: ClassVar[Rule]

    def __init__(self, random: Random | None = None) -> None:
        self.random = random or Random()

    def act(self, view: View) -> str:
        self.fixed.verify_game(view.rules)
        legal = np.array([[letter is not None for letter in view.slots]])
        letter = view.slots[draw_slot(self.fixed.probabilities(legal)[0], self.random)]
        assert letter is not None
        return letter


class AlwaysRaise(RulePlayer):
    """Makes the first bet or raise that the game lists, else calls."""

    fixed = Rule.ALWAYS_RAISE


class AlwaysCall(RulePlayer):
    """Checks and calls."""

    fixed = Rule.ALWAYS_CALL


class Probe(RulePlayer):
    """The first bet or raise that the game lists, or a check or call, each half of the time."""

    fixed = Rule.PROBE


class RandomPlayer(RulePlayer):
    """Makes every legal move of the game's action slots equally often."""

    fixed = Rule.RANDOM


class MostlyCalls:
    """Random of pricope2021: checks or calls 3 times of 5; else folds or raises by any amount, both as often.

    What of that is not legal is a call too. (As a batch policy among the raises of a menu: `agents.heuristics.MostlyCalls`.)
    """

    NAME: ClassVar[str] = "mostly-calls"

    def __init__(self, random: Random | None = None) -> None:
        self.random = random or Random()

    def act(self, view: View) -> str:
        wish = self.random.random()
        if wish < 0.2 and view.to_call > 0:
            return "f"
        if 0.2 <= wish < 0.4 and view.raises is not None:
            low, high = view.raises
            limit = isinstance(view.rules, PokerRules) and view.rules.limit
            return "r" if limit else f"r{self.random.randint(low, high)}"
        return "c"


SIMPLE: dict[str, type[RulePlayer]] = {str(player.fixed): player for player in (AlwaysRaise, AlwaysCall, Probe, RandomPlayer)}

"""A policy in a seat."""

from __future__ import annotations

from random import Random

import numpy as np

from smoothcall.errors import UsageError
from smoothcall.evaluation.match import Strategy
from smoothcall.games.matrix import MatrixGame
from smoothcall.players.simple import draw_slot
from smoothcall.players.view import View
from smoothcall.policy import Policy


class PolicyPlayer:
    """Plays a policy as it is, or its most likely action (of equals, the first in the order of the game's actions)."""

    def __init__(self, policy: Policy, *, greedy: bool = False, random: Random | None = None) -> None:
        self.fixed = Strategy(policy, greedy)
        self.random = random or Random()

    def act(self, view: View) -> str:
        """Where the policy's move is not legal, because it stands for a place like this one, the next likely one; else `c`."""
        policy, game = self.fixed.policy, self.fixed.policy.game
        if view.rules != game.rules:
            raise UsageError(f"this policy plays {game.spec}, not {view.rules.name}")
        legal = [letter is not None for letter in view.slots]
        weights = policy.weights[self._row(view)] * legal
        if not weights.any():
            return "c"
        letter = view.slots[int(np.argmax(weights)) if self.fixed.greedy else draw_slot(weights, self.random)]
        assert letter is not None
        return letter

    def _row(self, view: View) -> int:
        game = self.fixed.policy.game
        if isinstance(game.rules, MatrixGame):
            return game.rows(":", view.seat)[0]
        return game.row_of(view.hole, view.boards, view.text)

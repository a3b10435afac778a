"""The adapter from a policy to a player."""

from __future__ import annotations

from random import Random

import numpy as np

from smoothcall.agents.batch_player import batch_player_of, draw_slot
from smoothcall.agents.fixed import Strategy
from smoothcall.agents.view import View
from smoothcall.errors import UsageError
from smoothcall.games.matrix import MatrixGame
from smoothcall.information.translation import moves_like, row_like, same_table
from smoothcall.policy import Policy


class PolicyPlayer:
    """Plays a policy as it is, or its most likely action (of equals, the first in the order of the game's actions).

    It sits at any table of its game's rules, whatever the table's bet menu: raises that are not in its tree are translated to
    raises that are (`information.translation`). Where its tree has no such node it checks and calls. A `TabulatedPolicy` is
    played by its batch policy (`BatchPlayer`) and not by its table.
    """

    def __init__(self, policy: Policy, *, greedy: bool = False, random: Random | None = None) -> None:
        self.fixed = Strategy(policy, greedy)
        self.random = random or Random()
        self._table = policy.game.rules  # the rules of the last view, so that they are compared once
        self._batch_player = batch_player_of(policy, greedy=greedy, random=self.random)

    def act(self, view: View) -> str:
        if self._batch_player is not None:
            return self._batch_player.act(view)
        policy, game = self.fixed.policy, self.fixed.policy.game
        if view.rules is not self._table and not same_table(view.rules, game.rules):
            raise UsageError(f"this policy plays {game.spec}, not {view.rules.name}")
        self._table = view.rules
        if isinstance(game.rules, MatrixGame):
            row, moves = game.rows(":", view.seat)[0], view.slots
        else:
            found = row_like(game, view.hole, view.boards, view.text)
            if found is None:
                return "c"
            row, moves = found, moves_like(game, view.text)
        weights = policy.weights[row]
        letter = moves[int(np.argmax(weights)) if self.fixed.greedy else draw_slot(weights, self.random)]
        assert letter is not None
        return letter

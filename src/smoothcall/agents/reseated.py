"""A player at a table whose seats are numbered differently from those of the game that it plays.

In limit hold'em our seat 0 is the small blind; in the ACPC's heads-up games position 0 is the big blind. The betting is written
alike in both, so only what is listed by seat has to be turned.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from smoothcall.agents.outside import Watcher
from smoothcall.agents.view import Player, View
from smoothcall.games.rules import PokerRules
from smoothcall.information.translation import rotated

T = TypeVar("T")


class Reseated:
    """Seats a player. `shift`: the table's seat that is the player's seat 0 (`information.translation.seat_shift`)."""

    def __init__(self, player: Player, table: PokerRules, shift: int) -> None:
        self.player, self.shift = player, shift
        self.rules = rotated(table, shift)
        if isinstance(player, Watcher):
            self.watch = self._watch

    def act(self, view: View) -> str:
        return self.player.act(self.turned(view))

    def _watch(self, view: View) -> None:
        assert isinstance(self.player, Watcher)
        self.player.watch(self.turned(view))

    def turned(self, view: View) -> View:
        """Return a view of the table as one of the player's game."""

        def turn(values: tuple[T, ...]) -> tuple[T, ...]:
            return values[self.shift :] + values[: self.shift]

        return replace(
            view,
            rules=self.rules,
            seat=(view.seat - self.shift) % self.rules.seats,
            paid=turn(view.paid),
            stacks=turn(view.stacks),
            alive=turn(view.alive),
            shown=turn(view.shown),
            payoffs=turn(view.payoffs),
        )


def reseated(player: Player, table: PokerRules, shift: int) -> Player:
    """Return the player itself where the seats are numbered alike."""
    return Reseated(player, table, shift) if shift else player

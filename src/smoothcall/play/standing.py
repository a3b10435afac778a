"""Where a table stands after its finished hands: the score of a match, and what the opponent knows of the person's habits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from smoothcall.agents.view import NO_HABITS, Habits
from smoothcall.games.catalog import NO_LIMIT_HOLDEM_32
from smoothcall.play.person_view import MatchView
from smoothcall.simulation.freezeouts import LENGTH
from smoothcall.store.records import TableRow

FREEZEOUT_HANDS = {NO_LIMIT_HOLDEM_32.name: LENGTH}  # by game: ten hands in epfl2020; elsewhere until one player has no chips


@dataclass(frozen=True, slots=True)
class Standing:
    """A table after its finished hands. In a match a freezeout ends with its last hand, or when a player has no chips left."""

    length: int = 0  # hands of a freezeout at most; 0: any number
    won: int = 0  # freezeouts that the person has won, lost and drawn
    lost: int = 0
    drawn: int = 0
    hand: int = 0  # finished hands of the current freezeout
    freezeout_over: bool = False  # it ended with the last finished hand
    habits: Habits = NO_HABITS  # of the person: in this freezeout, or in all hands of a table that is no match

    def after(
        self, seat: int, payoffs: Sequence[Fraction], stacks: Sequence[int] | None, marks: Mapping[str, Any] | None
    ) -> Standing:
        """Return the standing after one more hand; `stacks` as it began with, None where the table is no match."""
        before = replace(self, hand=0, freezeout_over=False, habits=NO_HABITS) if self.freezeout_over else self
        did = (1, int(marks["preflop_raise"]), int(marks["bets"]), int(marks["calls"])) if marks else NO_HABITS
        hands, first, raised, called = (one + other for one, other in zip(before.habits, did, strict=True))
        now = replace(before, hand=before.hand + 1, habits=(hands, first, raised, called))
        if stacks is None:
            return now
        left = [chips + net for chips, net in zip(stacks, payoffs, strict=True)]
        if min(left) > 0 and now.hand != self.length:
            return now
        own, other = left[seat], left[1 - seat]
        return replace(
            now,
            won=now.won + (own > other),
            lost=now.lost + (own < other),
            drawn=now.drawn + (own == other),
            freezeout_over=True,
        )

    @property
    def known_habits(self) -> Habits:
        """The person's habits as the opponent knows them in the next hand."""
        return NO_HABITS if self.freezeout_over else self.habits


def new_standing(row: TableRow) -> Standing:
    """Return the standing of a table without finished hands."""
    return Standing(FREEZEOUT_HANDS.get(row.game, 0) if row.freezeouts else 0)


def match_of(row: TableRow, standing: Standing, *, in_hand: bool = False) -> MatchView | None:
    """Return the state of a match, `in_hand`: while the next hand is played; None where the table is no match."""
    if not row.freezeouts:
        return None
    won, lost, drawn = standing.won, standing.lost, standing.drawn
    hand = (0 if standing.freezeout_over else standing.hand) + 1 if in_hand else standing.hand
    return MatchView(
        row.freezeouts,
        won,
        lost,
        drawn,
        over=won + lost + drawn >= row.freezeouts,
        length=standing.length,
        hand=hand,
        freezeout_over=standing.freezeout_over and not in_hand,
    )

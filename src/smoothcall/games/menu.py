"""Bet menus: the raise sizes that a no-limit game is reduced to, so that its betting can be enumerated.

A menu is one text, its items joined by `+`:

    min        the smallest legal raise
    1/2, 0.75  a raise by this share of the pot, counted after calling; `pot` is a raise by all of it
    x2         a raise by so many times the street's smallest bet
    all-in     everything the player has

An item below the smallest legal raise is not available (`min` always is), one at or above the player's stack is all-in, and
of items that come to the same total only the first is kept. Shares of the pot are rounded to whole chips, halves up.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

from smoothcall.errors import UsageError

if TYPE_CHECKING:
    from smoothcall.games.betting import Betting

ACCEPTED = "min, pot, all-in, a share of the pot such as 1/2 or 0.75, or a number of bets such as x2, joined by +"
_SHARE = re.compile(r"[0-9]{1,6}(/[0-9]{1,6}|\.[0-9]{1,6})?")
_BETS = re.compile(r"x[0-9]{1,6}")


@dataclass(frozen=True, slots=True)
class BetMenu:
    """Raise sizes by name, in the order of their action slots."""

    items: tuple[str, ...]

    def __post_init__(self) -> None:
        sizes = [_size(item) for item in self.items]
        for item, size in zip(self.items, sizes, strict=True):
            if size is None:
                raise UsageError(f"item {item!r} of bet menu {str(self)!r} (accepted: {ACCEPTED})")
        if not sizes or len(set(sizes)) < len(sizes):
            raise UsageError(f"bet menu {str(self)!r} (accepted: at least one item, each size once)")

    @classmethod
    def parse(cls, text: str) -> BetMenu:
        return cls(tuple(text.split("+")))

    def __str__(self) -> str:
        return "+".join(self.items)

    def totals(self, state: Betting) -> list[int | None]:
        """Return for each item the player's total chips in the hand after the raise; None where there is no such raise."""
        span = state.raises
        if span is None:
            return [None] * len(self.items)
        low, high = span
        player = state.player
        assert player is not None
        called, pot, bet = state.paid[player] + state.to_call, state.pot + state.to_call, state.rules.streets[state.street].bet
        totals: list[int | None] = []
        for item in self.items:
            if item in ("min", "all-in"):
                total = low if item == "min" else high
            elif item.startswith("x"):
                total = called + int(item[1:]) * bet
            else:
                share = _share(item)
                total = called + (2 * share.numerator * pot + share.denominator) // (2 * share.denominator)  # halves up
            total = min(total, high)
            totals.append(total if total >= low and total not in totals else None)
        return totals


@lru_cache(maxsize=1024)
def _share(item: str) -> Fraction:
    return Fraction(1) if item == "pot" else Fraction(item)


def _size(item: str) -> object:
    """Return a value that is equal for items of equal size; None where the text is no item."""
    if item in ("min", "all-in"):
        return item
    if _BETS.fullmatch(item):
        return f"x{int(item[1:])}" if int(item[1:]) else None
    if item == "pot" or (_SHARE.fullmatch(item) and not re.search("/0+$", item)):
        return _share(item) or None
    return None

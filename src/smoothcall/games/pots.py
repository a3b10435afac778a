"""Dividing the pot: main pot, side pots, split pots and uncalled bets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise


@dataclass(frozen=True, slots=True)
class Pot:
    """The main pot or a side pot."""

    chips: int
    players: tuple[int, ...]  # who can win it

    def winners(self, strength: Sequence[int]) -> tuple[int, ...]:
        """Return the players with the best hand; strength[P]: the higher hand wins, equal hands share."""
        best = max(strength[player] for player in self.players)
        return tuple(player for player in self.players if strength[player] == best)


def divide(paid: Sequence[int], alive: Sequence[bool]) -> list[Pot]:
    """Return the main pot and the side pots, in this order.

    paid[P]: chips put in; alive[P]: who is still in the hand. A player can win a pot by having paid for it in full. Where
    checks are allowed every chip is in such a pot: a player who has put in the most chips has nothing to fold to. Without
    checks that player may fold too; what nobody left has paid for then goes to the best hand of all who are still in.
    """
    left = [player for player in range(len(paid)) if alive[player]]
    levels = sorted({paid[player] for player in left} - {0})
    found = [
        Pot(chips, tuple(player for player in left if paid[player] >= level))
        for level, chips in zip(levels, amounts(paid, levels), strict=True)
    ]
    dead = sum(paid) - sum(pot.chips for pot in found)
    return [*found, Pot(dead, tuple(left))] if dead else found


def split_pots(paid: Sequence[int], alive: Sequence[bool], strength: Sequence[int], dead: int = 0) -> list[Fraction]:
    """Return each player's pay-off in chips, what the player paid subtracted. Odd chips are shared as fractions.

    `dead` chips, of nobody in particular, go to the main pot, which all who are still in can win.
    """
    payoffs = [Fraction(-chips) for chips in paid]
    everyone = tuple(player for player in range(len(paid)) if alive[player])
    for pot in [*divide(paid, alive), *([Pot(dead, everyone)] if dead else [])]:
        winners = pot.winners(strength)
        for winner in winners:
            payoffs[winner] += Fraction(pot.chips, len(winners))
    return payoffs


def uncalled_bet(paid: Sequence[int], alive: Sequence[bool]) -> tuple[int, int] | None:
    """Return (player, chips) of the part of a bet that nobody has called when the betting is over; None where there is none."""
    second, most = sorted(paid)[-2:]
    player = list(paid).index(most)
    return (player, most - second) if most > second and alive[player] else None


def amounts(paid: Sequence[int], levels: Sequence[int]) -> list[int]:
    """Return the chips that were put in up to each of these levels, above the level before it."""
    return [sum(min(chips, level) - min(chips, below) for chips in paid) for below, level in pairwise([0, *levels])]

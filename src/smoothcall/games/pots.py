"""Dividing the pot: main pot, side pots and split pots."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise


def split_pots(paid: Sequence[int], alive: Sequence[bool], strength: Sequence[int]) -> list[Fraction]:
    """Return each player's pay-off in chips, what the player paid subtracted. Odd chips are shared as fractions.

    paid[P]: chips put in; alive[P]: who is still in the hand; strength[P]: the higher hand wins, equal hands share.

    Each layer of equal contributions is a pot of its own. It goes to the best hand among the players still in who paid for
    it. Where checks are allowed there always is one: a player who has put in the most chips has nothing to fold to. Without
    checks that player may fold too; the layer then goes to the best hand of all who are still in.
    """
    payoffs = [Fraction(-chips) for chips in paid]
    for below, level in pairwise([0, *sorted(set(paid) - {0})]):
        payers = [player for player, chips in enumerate(paid) if chips >= level]
        entitled = [player for player in payers if alive[player]] or [player for player in range(len(paid)) if alive[player]]
        best = max(strength[player] for player in entitled)
        winners = [player for player in entitled if strength[player] == best]
        for winner in winners:
            payoffs[winner] += Fraction(len(payers) * (level - below), len(winners))
    return payoffs

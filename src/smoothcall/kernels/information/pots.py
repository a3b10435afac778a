"""Dividing main and side pots in whole numbers, for pay-off tables. Tests prove it equal to `games.pots.split_pots`."""

from __future__ import annotations

from typing import Any

from smoothcall.kernels import kernel

UNITS = 2520  # per chip: divisible by 1 to 10, so that up to ten players share a pot in whole units


@kernel
def settle(paid: Any, alive: int, strength: Any, units: Any) -> None:
    """Write each player's pay-off to units[P] int64, in 1 / UNITS of a chip.

    paid[P]: chips put in; alive: a bit per player still in; strength[P]: the higher wins, equals share. Each layer of
    equal contributions is a pot of its own, won by the best hand among the players still in who paid for it.
    """
    players = len(paid)
    for player in range(players):
        units[player] = -paid[player] * UNITS
    level = 0
    while True:
        top = 0
        for player in range(players):
            if paid[player] > level and (top == 0 or paid[player] < top):
                top = paid[player]
        if top == 0:
            return
        pot, best, winners = 0, -1, 0
        for player in range(players):
            pot += min(paid[player], top) - min(paid[player], level)
            if (alive >> player) & 1 and paid[player] >= top:
                if strength[player] > best:
                    best, winners = strength[player], 0
                if strength[player] == best:
                    winners += 1
        for player in range(players):
            if (alive >> player) & 1 and paid[player] >= top and strength[player] == best:
                units[player] += pot * UNITS // winners
        level = top

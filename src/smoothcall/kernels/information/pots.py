"""Who gets the chips. The one place where pots and side pots are divided."""

from __future__ import annotations

from typing import Any

from smoothcall.kernels import kernel

UNITS = 2520  # pay-offs are counted in 1/2520 of a chip, so that shares among up to ten players are whole numbers


@kernel
def settle(paid: Any, alive: int, strength: Any, units: Any) -> None:
    """Write each player's pay-off in units of 1/2520 chip.

    paid[P]: chips put in; alive: a bit per player still in; strength[P]: the higher wins, equals share. Each layer of
    equal contributions is a pot of its own, won by the best hand among those alive who paid for it. Somebody alive has
    paid the most: who bets highest has nothing to fold to.
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

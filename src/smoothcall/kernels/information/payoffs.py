"""Pay-offs of one ending of the action tree for many deals."""

from __future__ import annotations

import numpy as np

from smoothcall.kernels import kernel
from smoothcall.kernels.information.pots import UNITS, settle
from smoothcall.kernels.tables import Array


@kernel
def settle_deals(paid: Array, alive: int, strength: Array, payoff: Array) -> None:
    """Write payoff[D, P] in chips for contributions paid[P], players `alive` (bits) and strength[D, P]."""
    units = np.zeros(len(paid), np.int64)
    for deal in range(len(strength)):
        settle(paid, alive, strength[deal], units)
        for player in range(len(paid)):
            payoff[deal, player] = units[player] / UNITS

"""All-ins on the first of two streets: counted once, and not walked on every board of the last one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from smoothcall.kernels.search.all_ins import count_ahead
from smoothcall.kernels.search.lanes import lane_zeros
from smoothcall.kernels.search.sweep import DECISION
from smoothcall.search.boards import PLAYERS, Level
from smoothcall.search.public_tree import StreetBetting

MOST_BOARDS = 127  # of the last street: their numbers are in int8
MEMORY_SHARE = 0.05  # of the tables, which the counts may take


def count_all_ins(streets: Sequence[StreetBetting], levels: Sequence[Level], table_bytes: int) -> tuple[int | None, Level]:
    """Return (entries of the last street to walk, the first street's board with `Boards.ahead`).

    All-ins are the last entries. None: every entry is walked, because there are more streets or fewer, no all-ins, winnings
    that are not the losses (rake), or too little memory.
    """
    first, every = levels[0], (None, levels[0])
    if len(streets) != 2:
        return every
    roots, arrays = streets[1].root[:-1], first.arrays
    all_ins = [root for root in roots if streets[1].kind[root] != DECISION]
    walked = len(roots) - len(all_ins)
    chips = [factor for root in all_ins for factor in streets[1].factor[root]]
    if not 0 < walked < len(roots) or any(factor != [factor[0], factor[0], -factor[0]] for factor in chips):
        return every
    alike = bool((arrays.low[0] == arrays.low[1]).all() and (arrays.high[0] == arrays.high[1]).all())
    shape = (1 if alike else PLAYERS, arrays.low.shape[2], arrays.origin.shape[2])
    if len(levels[1].arrays.place[0]) > MOST_BOARDS or np.prod(shape) > MEMORY_SHARE * table_bytes:
        return every
    ahead = lane_zeros(shape, np.int8)
    for player, counts in enumerate(ahead):
        count_ahead(arrays, levels[1].arrays, player, counts)
    return walked, replace(first, arrays=arrays._replace(ahead=ahead))

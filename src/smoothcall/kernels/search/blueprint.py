"""A policy by buckets, written into the tables of a range solver."""

from __future__ import annotations

from smoothcall.kernels import kernel
from smoothcall.kernels.tables import Array


@kernel
def fill_strategies(
    policy: Array, scale: float, row: Array, first: Array, slot: Array, bucket: Array, hands: Array, start: Array, table: Array
) -> None:
    """Add the probabilities of N slots to a player's table[blocks, lanes], on the boards of one street.

    row[N] int64: the row of the slot's move on a board; first[N] int64: the first row of its decision in policy[rows, slots],
    -1 where the move is certain; slot[N] int64; bucket[B, n], hands[B] and start[B] are those of the boards.
    """
    lanes = table.shape[1]
    numbers = table.reshape(-1)
    for board in range(len(hands)):
        count = hands[board]
        stride = (count + lanes - 1) // lanes * lanes
        for each in range(len(row)):
            place = start[board] * lanes + row[each] * stride
            if first[each] < 0:
                for n in range(count):
                    numbers[place + n] += 1
                continue
            for n in range(count):
                numbers[place + n] += policy[first[each] + bucket[board, n], slot[each]] / scale

"""All-ins before the last street, valued on the board where they are made.

Nobody acts behind an all-in, so its value is linear in the reach on that board: for each pair of hands it takes the boards of
the last street on which one hand is ahead, less those on which it is behind. They are counted once, and not walked again.
"""

from __future__ import annotations

import numpy as np

from smoothcall.kernels import callee, kernel
from smoothcall.kernels.search.lanes import fill, load, load_whole, total
from smoothcall.kernels.search.sweep import Betting, Boards, Scratch, block_width, stride_of
from smoothcall.kernels.tables import Array


@kernel
def count_ahead(boards: Boards, last_boards: Boards, player: int, ahead: Array) -> None:
    """Write ahead[n, W] int8: the last street's boards on which a hand of the player beats one of the opponent, less those
    on which it loses to it; 0 for hands that share a card. `boards` has one board, `last_boards` those behind it.
    """
    count, many, nowhere = boards.hands[player, 0], boards.hands[1 - player, 0], ahead.shape[1] - 1
    weaker_from, stronger_to = np.empty(many, np.int16), np.empty(many, np.int16)
    for board in range(len(last_boards.image) - 1):
        for image in range(last_boards.image[board], last_boards.image[board + 1]):
            for other in range(many):
                place = last_boards.place[1 - player, image, other]
                weaker_from[other] = place if place != nowhere else 32767
                stronger_to[other] = place if place != nowhere else -1
            for hand in range(count):
                place = last_boards.place[player, image, hand]
                if place == nowhere:
                    continue
                weaker = np.int16(last_boards.weaker[player, board, place])
                not_stronger = np.int16(last_boards.not_stronger[player, board, place])
                for other in range(many):
                    won, lost = np.int8(weaker_from[other] < weaker), np.int8(stronger_to[other] >= not_stronger)
                    ahead[hand, other] += won - lost
    for hand in range(count):
        low, high = boards.low[player, 0, hand], boards.high[player, 0, hand]
        for other in range(many):
            for card in (boards.low[1 - player, 0, other], boards.high[1 - player, 0, other]):
                if card in (low, high):
                    ahead[hand, other] = 0


@callee
def all_in_values(
    begin: int, end: int, betting: Betting, boards: Boards, weight: float, player: int, scratch: Scratch, value: Array
) -> None:
    """Write value[E, begin:end] of the entries of `betting`, the last street's, that are in none of its parts.

    Their showdowns win as much as they lose. `boards` are those of the street before; the opponent's reach at the entries is
    in the last street's buffers. `weight` is the probability of one of its boards.
    """
    first, entries, width, reach = betting.part[-1], len(betting.root) - 1, block_width(scratch), scratch.entry_reach
    ahead, none = boards.ahead[min(player, len(boards.ahead) - 1)], fill(reach, 0.0)
    blocks, stride = reach.shape[1] // width, stride_of(boards, 1 - player, 0, width)
    for hand in range(begin, end):
        for one in range(first, entries, 3):  # three at a time share what is read
            two, three = min(one + 1, entries - 1), min(one + 2, entries - 1)
            won_one, won_two, won_three = none, none, none
            for block in range(stride):
                each = load_whole(reach, ahead, hand * blocks + block)
                won_one = won_one + each * load(reach, one * blocks + block)
                won_two = won_two + each * load(reach, two * blocks + block)
                won_three = won_three + each * load(reach, three * blocks + block)
            value[one, hand] = betting.factor[player, betting.root[one], 0] * weight * total(won_one)
            value[two, hand] = betting.factor[player, betting.root[two], 0] * weight * total(won_two)
            value[three, hand] = betting.factor[player, betting.root[three], 0] * weight * total(won_three)

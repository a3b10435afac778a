"""Values of endings for every hand at once, against a range: O(hands) instead of O(hands^2), by sums over cards.

Endings of one board share the order of hands and the cards they block, so they are valued side by side, one in each lane.
`reach` is the opponent's; its last row, behind the opponent's hands, is 0.
"""

from __future__ import annotations

from typing import NamedTuple

from smoothcall.kernels import callee, inlined
from smoothcall.kernels.search.lanes import Lanes, Wide, fill_wide, first_blocks, load_wide, store
from smoothcall.kernels.tables import Array


class Side(NamedTuple):
    """The n hands of one player on one board, weaker hands first, and how they meet the m hands of the opponent."""

    low: Array  # [n] uint16: cards of each hand; one that has a single card has a blank, which no other hand has
    high: Array  # [n] uint16
    weaker: Array  # [n] uint16: how many of the opponent's hands are weaker
    not_stronger: Array  # [n] uint16: how many are weaker or equal
    same: Array  # [n] uint16: the place of the same two cards among the opponent's hands; m where they are not there


@inlined
def _add_hands(reach: Array, other: Side, begin: int, end: int, card_reach: Array, total: Lanes, wide: Wide) -> Lanes:
    """Add the reach of hands begin:end to their cards; return the sum of all hands so far."""
    for n in range(begin, end):
        each = load_wide(reach, n, wide)
        total = total + each
        store(card_reach, other.low[n], load_wide(card_reach, other.low[n], wide) + each)
        store(card_reach, other.high[n], load_wide(card_reach, other.high[n], wide) + each)
    return total


@inlined
def _apart(total: Lanes, own: Side, n: int, card_reach: Array, wide: Wide) -> Lanes:
    """Return the reach of the hands in `total` that share no card with hand n, less that of the same hand.

    By inclusion and exclusion: all of them, less those with either card. The same hand has both and is subtracted twice.
    """
    return total - load_wide(card_reach, own.low[n], wide) - load_wide(card_reach, own.high[n], wide)


@inlined
def _no_hands(reach: Array, card_reach: Array, wide: Wide) -> Lanes:
    """Set the sums of all cards to 0; return 0."""
    none = fill_wide(reach, 0.0, wide)
    for card in range(len(card_reach)):
        store(card_reach, card, none)
    return none


@callee
def sum_hands(reach: Array, other: Side, many: int, card_reach: Array, wide: Wide) -> None:
    """Write the reach of all hands of the opponent by card; in the last row, that of all hands."""
    total = _add_hands(reach, other, 0, many, card_reach, _no_hands(reach, card_reach, wide), wide)
    store(card_reach, len(card_reach) - 1, total)


@callee
def compare_hands(
    reach: Array, other: Side, many: int, own: Side, count: int, factor: Array, card_reach: Array, value: Array, wide: Wide
) -> None:
    """Write value[count, lanes] without the part that `add_all_hands` adds; leave in `card_reach` what `sum_hands` writes.

    The same hand is neither weaker nor stronger. Where a showdown wins as much as it loses, it does not count.
    """
    total = _no_hands(reach, card_reach, wide)
    weaker, not_stronger = load_wide(factor, 0, wide), load_wide(factor, 1, wide)
    same = not_stronger + load_wide(factor, 2, wide)
    begin = added = 0
    while begin < count:
        end = begin
        while end < count and own.weaker[end] == own.weaker[begin] and own.not_stronger[end] == own.not_stronger[begin]:
            end += 1
        total = _add_hands(reach, other, added, own.weaker[begin], card_reach, total, wide)
        for n in range(begin, end):
            store(value, n, weaker * _apart(total, own, n, card_reach, wide))
        total = _add_hands(reach, other, own.weaker[begin], own.not_stronger[begin], card_reach, total, wide)
        for n in range(begin, end):
            ties = not_stronger * _apart(total, own, n, card_reach, wide) + same * load_wide(reach, own.same[n], wide)
            store(value, n, load_wide(value, n, wide) + ties)
        begin, added = end, own.not_stronger[begin]
    total = _add_hands(reach, other, added, many, card_reach, total, wide)
    store(card_reach, len(card_reach) - 1, total)


@inlined
def add_all_hands(
    begin: int,
    end: int,
    reach: Array,
    own: Side,
    factor: Array,
    card_reach: Array,
    value: Array,
    target: Array,
    fold_target: Array,
    wide: Wide,
    folded: Wide,
) -> None:
    """Write rows 0:end - begin of the values of hands begin:end, by the sums of all hands in `card_reach`.

    target[rows, lanes]: `value`, as `compare_hands` wrote it, plus factor[2] times the reach of all hands that share no card
    with one's own. fold_target[rows, lanes]: factor[3] times that reach, in as many lanes as `folded` has. Either may be
    empty, and is not written then.
    """
    total, all_hands = load_wide(card_reach, len(card_reach) - 1, wide), load_wide(factor, 2, wide)
    folds = first_blocks(load_wide(factor, 3, wide), folded)
    for n in range(begin, end):
        apart = _apart(total, own, n, card_reach, wide)
        if len(target):
            store(target, n - begin, load_wide(value, n, wide) + all_hands * apart)
        if len(fold_target):
            store(fold_target, n - begin, folds * first_blocks(apart + load_wide(reach, own.same[n], wide), folded))

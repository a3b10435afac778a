"""The last street against a policy by bucket, where few entries have the same shape: many endings of an entry side by side.

A lane has a showdown, a fold, or the fold and the call of the policy behind one of its decisions. The policy's way to them
depends on the bucket only, so its probability times the chips is found once for all boards behind one board of the street
before. Values come back as vectors over hands and go up the betting as elsewhere.
"""

from __future__ import annotations

from typing import NamedTuple

from smoothcall.kernels import callee, inlined, kernel
from smoothcall.kernels.search.entry_lanes import CALL, SET, WIDE, Group, value_showdowns
from smoothcall.kernels.search.lanes import fill, store, transpose
from smoothcall.kernels.search.sweep import (
    BEST,
    DECISION,
    Betting,
    Boards,
    Scratch,
    Tables,
    Weights,
    add_to_entries,
    block_width,
    walk_up,
)
from smoothcall.kernels.tables import Array


class Endings(NamedTuple):
    """L lanes for each of G groups, and B blocks of lanes, each of one entry. Parts of the betting have whole groups."""

    block_entry: Array  # [B] int32
    shown: Array  # [G, L] int32: the showdown of each lane, or -1
    fold: Array  # [G, L] int32: the fold, or -1
    part_group: Array  # [parts + 1] int32: the first group of each part
    paid: Array  # [M] bool: nodes without values, because the values are with those of a call
    chips: Array  # [G, 2, L]: of the showdown, or else of the fold; and 0
    shown_plays: Array  # [G, K, L]: buffers of one thread: the policy's probability at showdowns, by bucket
    fold_plays: Array  # [G, K, L]: half of what the fold pays more than a lost showdown, for each chip of the showdown
    plays: Array  # [M, K]: the policy's probability at nodes


@kernel
def walk_ending_lanes(
    begin: int,
    end: int,
    endings: Endings,
    betting: Betting,
    boards: Boards,
    player: int,
    tables: Tables,
    locked: Array,
    weights: Weights,
    scratch: Scratch,
    group: Group,
) -> None:
    """Add the values of a best response on boards begin:end to the entries in the betting's parts."""
    _read_policy(endings, betting, player, tables, scratch)
    for board in range(begin, end):
        for part in range(len(betting.part) - 1):
            entry, last_entry = betting.part[part], betting.part[part + 1]
            first, last = betting.root[entry], betting.root[last_entry]
            for each in range(entry, last_entry):
                for node in range(betting.root[each], betting.root[each + 1]):
                    scratch.reached[node - first] = scratch.entry_reached[each] and not endings.paid[node]
            for number in range(endings.part_group[part], endings.part_group[part + 1]):
                _value_group(endings, number, first, boards, board, player, scratch, group)
            walk_up(betting, first, last, player, BEST, tables, boards, board, locked, weights, scratch)
            add_to_entries(betting, boards, board, player, entry, last_entry, first, scratch)


@inlined
def _read_policy(endings: Endings, betting: Betting, player: int, tables: Tables, scratch: Scratch) -> None:
    """Fill the buffers of all groups."""
    plays, buckets = endings.plays, endings.plays.shape[1]
    for entry in range(betting.part[-1]):
        if scratch.entry_reached[entry]:
            plays[betting.root[entry]] = 1
            for node in range(betting.root[entry], betting.root[entry + 1]):
                if betting.kind[node] == DECISION:
                    for action in range(betting.actions[node]):
                        child = betting.child[node, action]
                        for bucket in range(buckets):
                            come = plays[node, bucket]
                            if betting.player[node] != player:
                                come *= tables.policy[betting.row[node] + bucket, betting.slot[node, action]] / tables.scale
                            plays[child, bucket] = come
    for number in range(len(endings.shown)):
        for lane in range(endings.shown.shape[1]):
            shown, fold = endings.shown[number, lane], endings.fold[number, lane]
            chips = endings.chips[number, 0, lane]
            for bucket in range(buckets):
                play, more = plays[0, 0] * 0, plays[0, 0] * 0
                if shown >= 0:
                    play = plays[shown, bucket]
                if fold >= 0:
                    more = plays[fold, bucket] * betting.factor[player, fold, 2] / chips
                endings.shown_plays[number, bucket, lane] = play
                endings.fold_plays[number, bucket, lane] = (more - play) / 2


@callee
def _value_group(
    endings: Endings, number: int, first: int, boards: Boards, board: int, player: int, scratch: Scratch, group: Group
) -> None:
    """Write the values of a group's endings to the vectors of their nodes."""
    width, size = block_width(scratch), scratch.value.shape[1] // block_width(scratch)
    count, origin, blocks = boards.hands[player, board], boards.origin[player, board], len(WIDE)
    alive = False
    for block in range(blocks):
        entry = endings.block_entry[number * blocks + block]
        alive |= scratch.entry_reached[entry]
        share = 1 if scratch.entry_reached[entry] else 0
        for n in range(count):
            store(group.here, n * blocks + block, fill(group.here, scratch.entry_reach[entry, origin[n]] * share))
    if not alive:
        return
    value = group.value[0]
    shown, fold = endings.shown_plays[number], endings.fold_plays[number]
    cards = group.cards
    value_showdowns(
        boards, board, player, CALL, SET, shown, fold, endings.chips[number], group.here, group.kept, cards[0], cards[1], value
    )
    value[count : count + width] = 0
    for lane in range(width):
        scratch.lane_block[0, lane] = lane * blocks
    for lane in range(blocks * width):
        node = endings.shown[number, lane] if endings.shown[number, lane] >= 0 else endings.fold[number, lane]
        scratch.vector[1, lane] = (node - first if node >= 0 else len(scratch.value) - 1) * size
    for block in range((count + width - 1) // width):
        for part in range(blocks):
            places = scratch.vector[1, part * width : (part + 1) * width]
            transpose(value, scratch.lane_block[0], block * width * blocks + part, scratch.value, places, block)

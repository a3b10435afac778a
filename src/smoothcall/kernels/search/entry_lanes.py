"""The last street against a policy by bucket, with many entries side by side: one in each lane.

Entries whose betting has the same *shape* (the same nodes, whoever acts, whatever the chips) are walked together, so vectors
over hands become rows of lanes, and no vector has to be transposed. The policy's way from an entry to an ending depends on the
bucket only; its probability is found once for all boards behind one board of the street before.

A shape is a list of steps, in the order of a walk that finishes a node's children before the node. Values are kept in
*slots*: the first child has its node's slot, the others the next one, from which they are merged into it.
"""

from __future__ import annotations

from typing import NamedTuple

from smoothcall.kernels import callee, inlined, kernel
from smoothcall.kernels.search.endings import Side, fold_values, showdown_values
from smoothcall.kernels.search.lanes import TWO, choose, fill_wide, load_wide, store
from smoothcall.kernels.search.sweep import DECISION, Betting, Boards, Scratch, Tables
from smoothcall.kernels.tables import Array

SHOW, FOLD, GREATEST, SUM = range(4)  # Shapes.step
WIDE = TWO  # with four blocks, more lanes are empty and buffers larger: a flop took a fifth longer


class Shapes(NamedTuple):
    """S shapes of the betting behind entries of one street, for one player. Nodes are counted from an entry's first one."""

    member: Array  # [members] int32: entries, shape by shape
    member_start: Array  # [S + 1] int32
    step: Array  # [steps] int8: value an ending, or merge the next slot into one
    step_start: Array  # [S + 1] int32
    node: Array  # [steps] int32: the ending that is valued; -1 where slots are merged
    fold: Array  # [steps] int32: the fold that is valued with a showdown, into the slot before; -1: none
    slot: Array  # [steps] int32


class Group(NamedTuple):
    """Buffers for one group of entries. L is the number of wide lanes, K that of buckets, W the length of vectors."""

    entry: Array  # [L] int32
    reach: Array  # [W, L]: of the opponent at the entries, on the board of the street before
    total: Array  # [W, L]: values of the entries
    value: Array  # [slots, W, L]
    plays: Array  # [nodes of a shape, K, L]: probability that the policy comes from the entry to the node, by bucket
    factor: Array  # [steps, 4, L]
    alive: Array  # [nodes of a shape] bool: whether the policy comes there at all


@kernel
def walk_entry_lanes(
    begin: int,
    end: int,
    shapes: Shapes,
    betting: Betting,
    boards: Boards,
    player: int,
    tables: Tables,
    scratch: Scratch,
    group: Group,
) -> None:
    """Add the values of a best response on boards begin:end to the entries of all shapes that the opponent reaches."""
    for shape in range(len(shapes.member_start) - 1):
        some, last = 0, shapes.member_start[shape + 1]
        for place in range(shapes.member_start[shape], last):
            entry = shapes.member[place]
            if scratch.entry_reached[entry]:
                group.entry[some] = entry
                some += 1
            if some == len(group.entry) or (some > 0 and place + 1 == last):
                _read_entries(shapes, shape, some, betting, player, tables, scratch, group)
                for board in range(begin, end):
                    _walk_board(shapes, shape, boards, board, player, scratch, group)
                for lane in range(some):
                    value = scratch.entry_value[group.entry[lane]]
                    for n in range(len(value)):
                        value[n] += group.total[n, lane]
                some = 0


@callee
def _read_entries(
    shapes: Shapes, shape: int, some: int, betting: Betting, player: int, tables: Tables, scratch: Scratch, group: Group
) -> None:
    """Fill the buffers of a group of `some` entries. The lanes behind them hold zeros."""
    nodes = betting.root[group.entry[0] + 1] - betting.root[group.entry[0]]
    group.reach[:], group.total[:], group.plays[:nodes], group.factor[:], group.alive[:nodes] = 0, 0, 0, 0, False
    for lane in range(some):
        entry = group.entry[lane]
        first = betting.root[entry]
        for n in range(group.reach.shape[0]):
            group.reach[n, lane] = scratch.entry_reach[entry, n]
        group.plays[0, :, lane] = 1
        _follow_policy(betting, first, nodes, lane, player, tables, group)
        for step in range(shapes.step_start[shape], shapes.step_start[shape + 1]):
            factor = group.factor[step - shapes.step_start[shape]]
            fold = shapes.fold[step] if shapes.fold[step] >= 0 else shapes.node[step]
            if shapes.node[step] >= 0:
                for each in range(3):
                    factor[each, lane] = betting.factor[player, first + shapes.node[step], each]
                factor[3, lane] = betting.factor[player, first + fold, 2]


@inlined
def _follow_policy(betting: Betting, first: int, nodes: int, lane: int, player: int, tables: Tables, group: Group) -> None:
    """Write one lane of `plays`, and which nodes the policy comes to."""
    for node in range(nodes):
        for bucket in range(group.plays.shape[1]):
            group.alive[node] |= group.plays[node, bucket, lane] > 0
        if betting.kind[first + node] == DECISION:
            for action in range(betting.actions[first + node]):
                child = betting.child[first + node, action] - first
                for bucket in range(group.plays.shape[1]):
                    come = group.plays[node, bucket, lane]
                    if betting.player[first + node] != player:
                        row = betting.row[first + node] + bucket
                        come *= tables.policy[row, betting.slot[first + node, action]] / tables.scale
                    group.plays[child, bucket, lane] = come


@callee
def _walk_board(shapes: Shapes, shape: int, boards: Boards, board: int, player: int, scratch: Scratch, group: Group) -> None:
    """Add one board's values to those of the group's entries."""
    own = Side(
        boards.low[player, board],
        boards.high[player, board],
        boards.weaker[player, board],
        boards.not_stronger[player, board],
        boards.same[player, board],
    )
    other = Side(
        boards.low[1 - player, board],
        boards.high[1 - player, board],
        boards.weaker[1 - player, board],
        boards.not_stronger[1 - player, board],
        boards.same[1 - player, board],
    )
    count, many, reach, value = boards.hands[player, board], boards.hands[1 - player, board], scratch.lanes, group.value
    origin, bucket, width = boards.origin[1 - player, board], boards.bucket[board], group.reach.shape[0]
    first_step = shapes.step_start[shape]
    for step in range(first_step, shapes.step_start[shape + 1]):
        kind, slot, node, fold = shapes.step[step], shapes.slot[step], shapes.node[step], shapes.fold[step]
        if kind in (GREATEST, SUM):
            _merge_slots(value, slot * width, (slot + 1) * width, count, kind == GREATEST)
        elif not group.alive[node]:
            value[slot, :count] = 0
            if fold >= 0:
                value[slot - 1, :count] = 0
        else:
            for n in range(many):
                store(reach, n, load_wide(group.reach, origin[n], WIDE) * load_wide(group.plays[node], bucket[n], WIDE))
            reach[many] = 0
            factor = group.factor[step - first_step]
            if kind == SHOW:
                folds = value[slot - 1] if fold >= 0 else value[slot, :0]
                showdown_values(reach, other, many, own, count, factor, scratch.card_reach, value[slot], folds, WIDE)
            else:
                fold_values(reach, other, many, own, count, factor, scratch.card_reach, value[slot], WIDE)
    value[0, width - 1] = 0  # for hands that the board does not leave
    weight = fill_wide(value, boards.weight, WIDE)
    for image in range(boards.image[board], boards.image[board + 1]):
        place = boards.place[player, image]
        for n in range(width):
            if place[n] < width - 1:
                store(group.total, n, load_wide(group.total, n, WIDE) + weight * load_wide(value, place[n], WIDE))


@inlined
def _merge_slots(value: Array, one: int, other: int, count: int, greatest: bool) -> None:
    """Write the greater, or the sum, of rows from `one` and from `other` on to the former."""
    for n in range(count):
        kept, each = load_wide(value, one + n, WIDE), load_wide(value, other + n, WIDE)
        store(value, one + n, choose(each - kept, each, kept) if greatest else kept + each)

"""Sweeps over a public tree with vectors over all hands: counterfactual regrets, best responses and values.

The betting is cut at the streets, as boards are. An *entry* is a way into a street; the betting behind it is a run of nodes,
children after parents. On each board of a street the opponent's reach goes down from the entries to the endings and to the
next street's entries; the values of one player's hands, each summed over the opponent's hands that share no card with it,
come back up. An all-in without further betting is an entry of every later street.

Vectors over hands and tables are read and written in blocks of lanes (`kernels.search.lanes`); behind the hands of a vector
there may be numbers without meaning in tables, and zeros elsewhere. A player's table has, for each board, for each action of
each of its decisions on that street, a vector over the hands that the board leaves. A strategy is what is proportional to the
positive part of a table, so regrets and sums of strategies are read in the same way.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from smoothcall.kernels import callee, inlined, kernel
from smoothcall.kernels.search.endings import Side, add_all_hands, compare_hands, sum_hands
from smoothcall.kernels.search.lanes import (
    FOUR,
    MOST_BLOCKS,
    ONE,
    THREE,
    TWO,
    Wide,
    choose,
    fill,
    fill_wide,
    gather,
    load,
    store,
    total,
    transpose,
)
from smoothcall.kernels.search.strategies import Tables as Tables
from smoothcall.kernels.search.strategies import Weights as Weights
from smoothcall.kernels.search.strategies import act, learn, mean_values
from smoothcall.kernels.tables import Array
from smoothcall.kernels.vectors import add, copy

DECISION, FOLDED, SHOWN_DOWN, NEXT_STREET = range(4)  # Betting.kind
LEARN, BEST, MEAN = range(3)  # what a player does at its own decisions: update its tables, respond best, follow its strategy


class Betting(NamedTuple):
    """The betting of one street: M nodes of all its E entries, at most A actions."""

    kind: Array  # [M] int8
    player: Array  # [M] int8: who acts at a DECISION
    child: Array  # [M, A] int32: -1 behind the last action
    actions: Array  # [M] int32: how many
    row: Array  # [M] int32: of the first action of a DECISION among its player's rows on a board, or its first row in a policy
    slot: Array  # [M, A] int32: the action slot of each action in a policy
    entry: Array  # [M] int32: the next street's entry at NEXT_STREET
    source: Array  # [2, M] int32: the node at which the reach of the other player than this one last changed
    factor: Array  # [2, M, 3]: chips of each player at an ending, as `endings` takes them
    root: Array  # [E + 1] int32: the first node of each entry
    part: Array  # [parts + 1] int32: the first entry of each part: entries that are walked together
    endings: Array  # [2, endings] int32: by player, nodes, part by part: showdowns with a `fold`, other showdowns, then folds
    part_endings: Array  # [2, parts + 1] int32: the first ending of each part
    fold: Array  # [2, M] int32: by player, the fold that has the reach of a showdown and is valued with it; -1 where none is


class Boards(NamedTuple):
    """The B boards of one street. Players have n hands at most; `Side` describes a board's hands."""

    hands: Array  # [2, B] int32: hands that the board leaves to each player
    low: Array  # [2, B, n] uint16
    high: Array  # [2, B, n] uint16
    weaker: Array  # [2, B, n] uint16
    not_stronger: Array  # [2, B, n] uint16
    same: Array  # [2, B, n] uint16
    start: Array  # [2, B] int64: the first block of the board in each player's table
    image: Array  # [B + 1] int32: the first image of each board: the cards that it stands for
    origin: Array  # [2, B, W] uint16: the place of each hand on the board of the street before; behind the hands, W - 1
    place: (
        Array  # [2, images, W] uint16: the place here of each hand on that board, after the image's permutation; W - 1 if none
    )
    weight: float  # probability of the card (or cards) that come, given both hands
    children: Array  # [B + 1] int32: the first board of the next street behind each
    bucket: Array  # [B, n] uint16: of the opponent's hands, where it follows a policy by bucket; else [0, 0]
    ahead: Array  # [2 or 1, n, W] int8: `all_ins.count_ahead` of each player on the only board, or of both; else [0, 0, 0]


class Scratch(NamedTuple):
    """Buffers of one thread for one street. Vectors over hands have W numbers, a whole number of blocks."""

    reach: Array  # [nodes, W]: of the opponent; number W - 1 is 0. May be `value`, which is written later
    value: Array  # [nodes + 1, W]; the last is for lanes that hold no ending
    entry_reach: Array  # [entries of the street, W]: on a board of the street before
    entry_value: Array  # [entries of the street, W]
    entry_reached: Array  # [entries of the street] bool: whether the opponent comes there with any hand
    reached: Array  # [nodes] bool
    ending: Array  # [endings of a part] int32: those that are reached
    lanes: Array  # [W + lanes, L]: reach at endings. L is the most lanes; with fewer, rows are shorter, without gaps
    lane_value: Array  # [W, L]: of `compare_hands`
    square: Array  # [2, lanes, L]: values of a block of hands at endings, and at their folds
    factor: Array  # [4 * L]
    card_reach: Array  # [cards and blanks + 1, L]
    vector: Array  # [3, L] int64: the first block of the vector that is copied into each lane, from it, and of its fold
    lane_block: Array  # [2, lanes] int64: the first block of each row of lanes; and of lanes that hold folds


@callee
def _side(boards: Boards, player: int, board: int) -> Side:
    return Side(
        boards.low[player, board],
        boards.high[player, board],
        boards.weaker[player, board],
        boards.not_stronger[player, board],
        boards.same[player, board],
    )


@inlined
def block_width(scratch: Scratch) -> int:
    """Return the numbers of a block."""
    width: int = scratch.lanes.shape[1] // MOST_BLOCKS
    return width


@inlined
def stride_of(boards: Boards, player: int, board: int, lanes: int) -> int:
    """Return the blocks of a vector over the hands that a board leaves."""
    blocks: int = (boards.hands[player, board] + lanes - 1) // lanes
    return blocks


@callee
def _act_by_bucket(
    tables: Tables,
    bucket: Array,
    row: int,
    slot: Array,
    actions: int,
    stride: int,
    reach: Array,
    before: int,
    after: Array,
    found: Array,
) -> None:
    """As `act`, by a policy whose rows from `row` on are those of the buckets. found[actions]: sums of the reach."""
    step = tables.policy.shape[1]
    share = fill(reach, 1.0 / tables.scale)
    for action in range(actions):
        come = fill(reach, 0.0)
        for block in range(stride):
            each = gather(reach, tables.policy, row * step + slot[action], step, bucket, block)
            now = load(reach, before + block) * (each * share)
            come = come + now
            store(reach, after[action] + block, now)
        found[action] = total(come)


@callee
def add_values(value: Array, own: int, below: Array, actions: int, stride: int) -> None:
    """Write the sum of the actions' values: where the opponent acts, its probabilities are in its reach."""
    for block in range(stride):
        total = load(value, below[0] + block)
        for action in range(1, actions):
            total = total + load(value, below[action] + block)
        store(value, own + block, total)


@callee
def _best_values(value: Array, own: int, below: Array, actions: int, stride: int) -> None:
    """Write the greatest of the actions' values."""
    for block in range(stride):
        best = load(value, below[0] + block)
        for action in range(1, actions):
            each = load(value, below[action] + block)
            best = choose(each - best, each, best)
        store(value, own + block, best)


@kernel
def _enter(
    betting: Betting, boards: Boards, board: int, player: int, begin: int, end: int, first: int, scratch: Scratch
) -> None:
    """Read the opponent's reach at entries begin:end in the order of a board."""
    origin, width = boards.origin[1 - player, board], block_width(scratch)
    stride, blocks = stride_of(boards, 1 - player, board, width), scratch.reach.shape[1] // width
    for entry in range(begin, end):
        root = betting.root[entry] - first
        scratch.reached[root] = scratch.entry_reached[entry]
        if scratch.reached[root]:
            for block in range(stride):
                store(
                    scratch.reach, root * blocks + block, gather(scratch.reach, scratch.entry_reach[entry], 0, 1, origin, block)
                )


@callee
def _walk_down(
    betting: Betting, first: int, last: int, player: int, tables: Tables, boards: Boards, board: int, scratch: Scratch
) -> None:
    """Find the reach of the other player than `player` at nodes first:last, from their roots down, and which are reached.

    Behind actions that a policy never takes, nodes are not walked.
    """
    reach, reached, most = scratch.reach, scratch.reached, betting.child.shape[1]
    after, found = np.empty(most, np.int64), np.empty(most, reach.dtype)
    width, stride = reach.shape[1] // block_width(scratch), stride_of(boards, 1 - player, board, block_width(scratch))
    for node in range(first, last):
        if betting.kind[node] != DECISION:
            continue
        actions = betting.actions[node]
        found[:] = 1
        if betting.player[node] != player and reached[node - first]:
            for action in range(actions):
                after[action] = (betting.child[node, action] - first) * width
            before = (betting.source[player, node] - first) * width
            if len(tables.policy):
                slot, bucket = betting.slot[node], boards.bucket[board]
                _act_by_bucket(tables, bucket, betting.row[node], slot, actions, stride, reach, before, after, found)
            else:
                place = boards.start[1 - player, board] + betting.row[node] * stride
                act(tables.other, place, actions, stride, reach, before, after)
        for action in range(actions):
            reached[betting.child[node, action] - first] = reached[node - first] and found[action] > 0


@callee
def value_endings(betting: Betting, part: int, first: int, player: int, boards: Boards, board: int, scratch: Scratch) -> None:
    """Write the values of the endings of a part that are reached; its first node is `first`."""
    nodes, endings, width = scratch.ending, 0, block_width(scratch)
    for place in range(betting.part_endings[player, part], betting.part_endings[player, part + 1]):
        if scratch.reached[betting.endings[player, place] - first]:
            nodes[endings] = betting.endings[player, place]
            endings += 1
    for begin in range(0, endings, MOST_BLOCKS * width):
        some = endings - begin
        if some <= len(TWO) * width:
            _value_group(betting, begin, some, first, player, boards, board, scratch, TWO)
        elif some <= len(THREE) * width:
            _value_group(betting, begin, some, first, player, boards, board, scratch, THREE)
        else:
            _value_group(betting, begin, min(some, len(FOUR) * width), first, player, boards, board, scratch, FOUR)


@callee
def _value_group(
    betting: Betting,
    begin: int,
    some: int,
    first: int,
    player: int,
    boards: Boards,
    board: int,
    scratch: Scratch,
    wide: Wide,
) -> None:
    """Write the values of `some` endings from the place `begin` on, side by side.

    A fold among showdowns is valued with them: its factors on the order of hands are 0.
    """
    lanes, factor, card_reach = scratch.lanes, scratch.factor, scratch.card_reach
    own, other = _side(boards, player, board), _side(boards, 1 - player, board)
    count, many, width = boards.hands[player, board], boards.hands[1 - player, board], block_width(scratch)
    shown_down, blocks = betting.kind[scratch.ending[begin]] == SHOWN_DOWN, int(len(wide))  # no literal, as in `walk_up`
    folds = _find_lanes(betting, begin, some, first, player, shown_down, blocks, scratch)
    _to_lanes(stride_of(boards, 1 - player, board, width), some, blocks, scratch)
    store(lanes, many, fill_wide(lanes, 0.0, wide))
    if shown_down:
        compare_hands(lanes, other, many, own, count, factor, card_reach, scratch.lane_value, wide)
    else:
        sum_hands(lanes, other, many, card_reach, wide)
    if folds <= width:
        _from_lanes(own, count, some if shown_down else 0, folds, scratch, wide, ONE)
    else:
        _from_lanes(own, count, some if shown_down else 0, folds, scratch, wide, wide)


@callee
def _find_lanes(
    betting: Betting, begin: int, some: int, first: int, player: int, shown_down: bool, blocks: int, scratch: Scratch
) -> int:
    """Write the factors of endings and the vectors of their lanes; return how many lanes have a fold, or have one before them.

    Unless showdowns are among the endings, all of them are folds.
    """
    vector, factor, width = scratch.vector, scratch.factor, block_width(scratch)
    size, lanes, folds = scratch.value.shape[1] // width, blocks * width, 0
    nowhere = (len(scratch.value) - 1) * size
    for lane in range(lanes):
        node = scratch.ending[begin + min(lane, some - 1)]
        fold = betting.fold[player, node] if shown_down else node
        vector[0, lane] = (betting.source[player, node] - first) * size
        vector[1, lane] = (node - first) * size if lane < some else nowhere
        vector[2, lane] = (fold - first) * size if lane < some and fold >= 0 else nowhere
        for each in range(3):
            factor[each * lanes + lane] = betting.factor[player, node, each]
        factor[3 * lanes + lane] = betting.factor[player, fold, 2] if fold >= 0 else 0
        folds = lane + 1 if fold >= 0 and lane < some else folds
    for lane in range(width):
        scratch.lane_block[0, lane] = lane * blocks
        scratch.lane_block[1, lane] = lane * (1 if folds <= width else blocks)
    return folds


@callee
def _to_lanes(stride: int, some: int, blocks: int, scratch: Scratch) -> None:
    """Copy one vector into each of the first lanes, so many that `some` are among them. A row of lanes has `blocks` blocks."""
    width = block_width(scratch)
    for block in range(stride):
        for part in range((some + width - 1) // width):
            vector, row = scratch.vector[0, part * width : (part + 1) * width], block * width * blocks + part
            transpose(scratch.reach, vector, block, scratch.lanes, scratch.lane_block[0], row)


@callee
def _from_lanes(own: Side, count: int, some: int, folds: int, scratch: Scratch, wide: Wide, folded: Wide) -> None:
    """Finish the values of `some` endings and of `folds` folds, a block of hands at a time; copy each lane to a vector."""
    width, vector, lane_block = block_width(scratch), scratch.vector, scratch.lane_block
    target = scratch.square[0] if some > 0 else scratch.square[0, :0]
    fold_target = scratch.square[1] if folds > 0 else scratch.square[1, :0]
    for block in range((count + width - 1) // width):
        begin, end = block * width, min(count, (block + 1) * width)
        if end - begin < width:
            target[:], fold_target[:] = 0, 0
        add_all_hands(
            begin,
            end,
            scratch.lanes,
            own,
            scratch.factor,
            scratch.card_reach,
            scratch.lane_value,
            target,
            fold_target,
            wide,
            folded,
        )
        for part in range((some + width - 1) // width):
            transpose(target, lane_block[0], part, scratch.value, vector[1, part * width : (part + 1) * width], block)
        for part in range((folds + width - 1) // width):
            transpose(fold_target, lane_block[1], part, scratch.value, vector[2, part * width : (part + 1) * width], block)


@callee
def walk_up(
    betting: Betting,
    first: int,
    last: int,
    player: int,
    how: int,
    tables: Tables,
    boards: Boards,
    board: int,
    locked: Array,
    weights: Weights,
    scratch: Scratch,
) -> None:
    """Find the player's values at the decisions among nodes first:last, from the endings up; update its tables to LEARN."""
    value, below = scratch.value, np.empty(betting.child.shape[1], np.int64)
    width, stride = value.shape[1] // block_width(scratch), stride_of(boards, player, board, block_width(scratch))
    for node in range(last - 1, first - 1, -1):
        if betting.kind[node] != DECISION or not scratch.reached[node - first]:
            continue
        own, actions = (node - first) * width, int(0)  # no literal: Numba compiles a callee once more for each
        for action in range(betting.actions[node]):
            child = betting.child[node, action] - first
            if scratch.reached[child]:
                below[actions] = child * width
                actions += 1
        place = boards.start[player, board] + betting.row[node] * stride
        if actions == 0:  # its reach is too small for a number
            scratch.value[node - first] = 0
        elif betting.player[node] != player:
            add_values(value, own, below, actions, stride)
        elif how == MEAN or (len(locked) > 0 and locked[board, node]):
            mean_values(tables.average, place, value, own, below, actions, stride)
        elif how == BEST:
            _best_values(value, own, below, actions, stride)
        else:
            learn(tables, place, value, own, below, actions, stride, weights)


@callee
def add_to_entries(
    betting: Betting, boards: Boards, board: int, player: int, begin: int, end: int, first: int, scratch: Scratch
) -> None:
    """Add a board's values to its street's entries, once for each card that the board stands for."""
    blocks = scratch.value.shape[1] // block_width(scratch)
    for image in range(boards.image[board], boards.image[board + 1]):
        place = boards.place[player, image]
        for entry in range(begin, end):
            root = betting.root[entry] - first
            if scratch.reached[root]:
                value, times = scratch.value[root], fill(scratch.value, boards.weight)
                for block in range(entry * blocks, (entry + 1) * blocks):
                    more = gather(scratch.value, value, 0, 1, place, block - entry * blocks)
                    store(scratch.entry_value, block, load(scratch.entry_value, block) + times * more)


@inlined
def run_of(board: int, boards: int, runs: int) -> int:
    """Return the run of neighbours that a board is in; board -1 is in none."""
    return board * runs // boards if board >= 0 else -1


@kernel
def walk_boards(
    begin: int,
    end: int,
    down: bool,
    up: bool,
    runs: int,
    partial: Array,
    betting: Betting,
    boards: Boards,
    player: int,
    how: int,
    tables: Tables,
    locked: Array,
    weights: Weights,
    scratch: Scratch,
) -> None:
    """Walk the boards begin:end of a street: down from its entries, up to them, or both.

    Values are added to the street's entries. With `runs`, sums over so many runs of all boards (`run_of`), of which begin:end
    has whole ones, are written to partial[runs, E, W] instead, or added up in partial[1, E, W]. Where a street follows, its
    betting is one part, and its values are in the buffers before the walk up.
    """
    every, walked = len(boards.image) - 1, betting.part[-1]
    for board in range(begin, end):
        run = run_of(board, every, runs)
        if runs > 0 and run != run_of(board - 1, every, runs):
            scratch.entry_value[:walked] = 0
        for part in range(len(betting.part) - 1):
            entry, last_entry = betting.part[part], betting.part[part + 1]
            first, last = betting.root[entry], betting.root[last_entry]
            if down:
                _enter(betting, boards, board, player, entry, last_entry, first, scratch)
                _walk_down(betting, first, last, player, tables, boards, board, scratch)
            if up:
                value_endings(betting, part, first, player, boards, board, scratch)
                walk_up(betting, first, last, player, how, tables, boards, board, locked, weights, scratch)
                add_to_entries(betting, boards, board, player, entry, last_entry, first, scratch)
        if runs > 0 and run != run_of(board + 1, every, runs):
            if run < len(partial):
                for entry in range(walked):
                    copy(scratch.entry_value[entry], partial[run, entry])
            else:
                for entry in range(walked):
                    add(scratch.entry_value[entry], partial[0, entry])

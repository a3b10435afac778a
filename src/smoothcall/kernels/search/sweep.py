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

from smoothcall.kernels import inlined, kernel
from smoothcall.kernels.search.endings import Side, fold_values, showdown_values
from smoothcall.kernels.search.lanes import Lanes, choose, fill, load, store, transpose
from smoothcall.kernels.tables import Array

DECISION, FOLDED, SHOWN_DOWN, NEXT_STREET = range(4)  # Betting.kind
LEARN, BEST, MEAN = range(3)  # what a player does at its own decisions: update its tables, respond best, follow its strategy


class Betting(NamedTuple):
    """The betting of one street: M nodes of all its E entries, at most A actions."""

    kind: Array  # [M] int8
    player: Array  # [M] int8: who acts at a DECISION
    child: Array  # [M, A] int32: -1 behind the last action
    actions: Array  # [M] int32: how many
    row: Array  # [M] int32: of the first action of a DECISION, among the rows of its player on a board
    entry: Array  # [M] int32: the next street's entry at NEXT_STREET
    source: Array  # [2, M] int32: the node at which the reach of the other player than this one last changed
    factor: Array  # [2, M, 3]: chips of each player at an ending, as `endings` takes them
    root: Array  # [E + 1] int32: the first node of each entry
    part: Array  # [parts + 1] int32: the first entry of each part: entries that are walked together
    endings: Array  # [endings] int32: nodes, part by part, in each part folds before showdowns
    part_endings: Array  # [parts + 1] int32: the first ending of each part


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
    origin: Array  # [2, images, n] uint16: the place of each hand on the board of the street before
    weight: float  # probability of the card (or cards) that come, given both hands
    children: Array  # [B + 1] int32: the first board of the next street behind each


class Tables(NamedTuple):
    """The tables of one sweep."""

    regret: Array  # of the player
    average: Array  # of the player: sums of its strategies
    other: Array  # which the opponent follows: its regrets or its average


class Weights(NamedTuple):
    """Factors of one iteration of CFR."""

    positive: float  # on positive regrets
    negative: float  # on negative regrets
    average: float  # on the sum of strategies


class Scratch(NamedTuple):
    """Buffers of one thread for one street. Vectors over hands have W numbers, a whole number of blocks."""

    reach: Array  # [nodes, W]: of the opponent
    value: Array  # [nodes + 1, W]; the last is for lanes that hold no ending
    entry_reach: Array  # [entries of the street, W]: on a board of the street before
    entry_value: Array  # [entries of the street, W]
    lanes: Array  # [W + lanes, lanes]: reach at endings
    lane_value: Array  # [W, lanes]
    factor: Array  # [3, lanes]
    card_reach: Array  # [cards and blanks, lanes]
    row: Array  # [lanes] int64: the vector that is in each lane
    vector_block: Array  # [lanes] int64
    lane_block: Array  # [lanes] int64


@kernel
def _side(boards: Boards, player: int, board: int) -> Side:
    return Side(
        boards.low[player, board],
        boards.high[player, board],
        boards.weaker[player, board],
        boards.not_stronger[player, board],
        boards.same[player, board],
    )


@inlined
def _stride(boards: Boards, player: int, board: int, lanes: int) -> int:
    """Return the blocks of a vector over the hands that a board leaves."""
    blocks: int = (boards.hands[player, board] + lanes - 1) // lanes
    return blocks


@inlined
def _shares(table: Array, first: int, actions: int, stride: int) -> tuple[Lanes, Lanes]:
    """Return (factor on positive numbers, probability to add) that make one block of a table a strategy."""
    none, one = fill(table, 0.0), fill(table, 1.0)
    total = none
    for action in range(actions):
        each = load(table, first + action * stride)
        total = total + choose(each, each, none)
    share = choose(total, one, none) / choose(total, total, one)
    return share, choose(total, none, fill(table, 1.0 / actions))


@kernel
def _act(table: Array, first: int, actions: int, stride: int, reach: Array, before: int, after: Array) -> None:
    """Write the opponent's reach behind each action. after[action], `before` and `first` are blocks."""
    for block in range(stride):
        share, even = _shares(table, first + block, actions, stride)
        come, none = load(reach, before + block), fill(table, 0.0)
        for action in range(actions):
            each = load(table, first + action * stride + block)
            store(reach, after[action] + block, come * (choose(each, each, none) * share + even))


@kernel
def _add_values(value: Array, own: int, below: Array, actions: int, stride: int) -> None:
    """Write the sum of the actions' values: where the opponent acts, its probabilities are in its reach."""
    for block in range(stride):
        total = load(value, below[0] + block)
        for action in range(1, actions):
            total = total + load(value, below[action] + block)
        store(value, own + block, total)


@kernel
def _best_values(value: Array, own: int, below: Array, actions: int, stride: int) -> None:
    """Write the greatest of the actions' values."""
    for block in range(stride):
        best = load(value, below[0] + block)
        for action in range(1, actions):
            each = load(value, below[action] + block)
            best = choose(each - best, each, best)
        store(value, own + block, best)


@kernel
def _mean_values(table: Array, first: int, value: Array, own: int, below: Array, actions: int, stride: int) -> None:
    """Write the mean of the actions' values under the player's strategy."""
    for block in range(stride):
        share, even = _shares(table, first + block, actions, stride)
        none = fill(table, 0.0)
        mean = none
        for action in range(actions):
            each = load(table, first + action * stride + block)
            mean = mean + load(value, below[action] + block) * (choose(each, each, none) * share + even)
        store(value, own + block, mean)


@kernel
def _learn(
    tables: Tables, first: int, value: Array, own: int, below: Array, actions: int, stride: int, weights: Weights
) -> None:
    """Write the mean of the actions' values under the current strategy; update regrets and the sum of strategies."""
    regret, average = tables.regret, tables.average
    for block in range(stride):
        share, even = _shares(regret, first + block, actions, stride)
        none = fill(regret, 0.0)
        positive, negative = fill(regret, weights.positive), fill(regret, weights.negative)
        fading = fill(regret, weights.average)
        mean = none
        for action in range(actions):
            each = load(regret, first + action * stride + block)
            mean = mean + load(value, below[action] + block) * (choose(each, each, none) * share + even)
        store(value, own + block, mean)
        for action in range(actions):
            place = first + action * stride + block
            old = load(regret, place)
            store(average, place, load(average, place) * fading + (choose(old, old, none) * share + even))
            store(regret, place, old * choose(old, positive, negative) + (load(value, below[action] + block) - mean))


@kernel
def walk_down(
    betting: Betting, first: int, last: int, player: int, table: Array, start: int, stride: int, scratch: Scratch
) -> None:
    """Find the reach of the other player than `player` at nodes first:last, from their roots down. `table` is its own."""
    reach, after = scratch.reach, np.empty(betting.child.shape[1], np.int64)
    width = reach.shape[1] // scratch.lanes.shape[1]
    for node in range(first, last):
        if betting.kind[node] == DECISION and betting.player[node] != player:
            actions = betting.actions[node]
            for action in range(actions):
                after[action] = (betting.child[node, action] - first) * width
            before = (betting.source[player, node] - first) * width
            _act(table, start + betting.row[node] * stride, actions, stride, reach, before, after)


@kernel
def value_endings(betting: Betting, part: int, first: int, player: int, boards: Boards, board: int, scratch: Scratch) -> None:
    """Write the values of the endings of a part, whose first node is `first`.

    A fold among showdowns is valued with them: its factors on the order of hands are 0.
    """
    nodes = betting.endings[betting.part_endings[part] : betting.part_endings[part + 1]]
    lanes, lane_value, factor, row = scratch.lanes, scratch.lane_value, scratch.factor, scratch.row
    own, other = _side(boards, player, board), _side(boards, 1 - player, board)
    count, many, width = boards.hands[player, board], boards.hands[1 - player, board], lanes.shape[1]
    for begin in range(0, len(nodes), width):
        some = min(width, len(nodes) - begin)
        for lane in range(width):
            node = nodes[begin + min(lane, some - 1)]
            row[lane] = betting.source[player, node] - first
            for each in range(3):
                factor[each, lane] = betting.factor[player, node, each]
        _to_lanes(scratch.reach, _stride(boards, 1 - player, board, width), scratch)
        lanes[many] = 0
        if betting.kind[nodes[begin + some - 1]] == SHOWN_DOWN:
            showdown_values(lanes, other, many, own, count, factor, scratch.card_reach, lane_value)
        else:
            fold_values(lanes, other, many, own, count, factor, scratch.card_reach, lane_value)
        stride = _stride(boards, player, board, width)
        lane_value[count : stride * width] = 0
        for lane in range(width):
            row[lane] = nodes[begin + lane] - first if lane < some else len(scratch.value) - 1
        _from_lanes(scratch.value, stride, scratch)


@kernel
def _to_lanes(vectors: Array, stride: int, scratch: Scratch) -> None:
    """Copy one vector into each lane."""
    width = scratch.lanes.shape[1]
    for block in range(stride):
        for lane in range(width):
            scratch.vector_block[lane] = scratch.row[lane] * (vectors.shape[1] // width) + block
            scratch.lane_block[lane] = block * width + lane
        transpose(vectors, scratch.vector_block, scratch.lanes, scratch.lane_block)


@kernel
def _from_lanes(vectors: Array, stride: int, scratch: Scratch) -> None:
    """Copy each lane into a vector."""
    width = scratch.lanes.shape[1]
    for block in range(stride):
        for lane in range(width):
            scratch.vector_block[lane] = scratch.row[lane] * (vectors.shape[1] // width) + block
            scratch.lane_block[lane] = block * width + lane
        transpose(scratch.lane_value, scratch.lane_block, vectors, scratch.vector_block)


@kernel
def walk_up(
    betting: Betting,
    first: int,
    last: int,
    player: int,
    how: int,
    tables: Tables,
    start: int,
    stride: int,
    locked: Array,
    weights: Weights,
    scratch: Scratch,
) -> None:
    """Find the player's values at the decisions among nodes first:last, from the endings up; update its tables to LEARN."""
    value, below = scratch.value, np.empty(betting.child.shape[1], np.int64)
    width = value.shape[1] // scratch.lanes.shape[1]
    for node in range(last - 1, first - 1, -1):
        if betting.kind[node] != DECISION:
            continue
        own, actions, place = (node - first) * width, betting.actions[node], start + betting.row[node] * stride
        for action in range(actions):
            below[action] = (betting.child[node, action] - first) * width
        if betting.player[node] != player:
            _add_values(value, own, below, actions, stride)
        elif how == MEAN or locked[node]:
            _mean_values(tables.average, place, value, own, below, actions, stride)
        elif how == BEST:
            _best_values(value, own, below, actions, stride)
        else:
            _learn(tables, place, value, own, below, actions, stride, weights)


@kernel
def enter_street(
    betting: Betting, boards: Boards, board: int, player: int, begin: int, end: int, first: int, scratch: Scratch
) -> None:
    """Read the opponent's reach at entries begin:end in the order of a board."""
    origin, many = boards.origin[1 - player, boards.image[board]], boards.hands[1 - player, board]
    for entry in range(begin, end):
        reach, before = scratch.reach[betting.root[entry] - first], scratch.entry_reach[entry]
        for n in range(many):
            reach[n] = before[origin[n]]
        reach[many:] = 0


@kernel
def _add_to_entries(
    betting: Betting, boards: Boards, board: int, player: int, begin: int, end: int, first: int, scratch: Scratch
) -> None:
    """Add a board's values to its street's entries, once for each card that the board stands for."""
    count = boards.hands[player, board]
    for image in range(boards.image[board], boards.image[board + 1]):
        origin = boards.origin[player, image]
        for entry in range(begin, end):
            value, later = scratch.value[betting.root[entry] - first], scratch.entry_value[entry]
            for n in range(count):
                later[origin[n]] += boards.weight * value[n]


@kernel
def leave_street(betting: Betting, player: int, reach: Array, later: Array) -> None:
    """Write the reach at the next street's entries."""
    for node in range(len(betting.kind)):
        if betting.kind[node] == NEXT_STREET:
            later[betting.entry[node]] = reach[betting.source[player, node]]


@kernel
def return_to_street(betting: Betting, later: Array, value: Array) -> None:
    """Read the values of the next street's entries."""
    for node in range(len(betting.kind)):
        if betting.kind[node] == NEXT_STREET:
            value[node] = later[betting.entry[node]]


@kernel
def sweep_last(
    begin: int,
    end: int,
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
    """Add the values on the boards begin:end of the last street to the street's entries.

    With partial[boards, E, W], write those of each board there instead.
    """
    for board in range(begin, end):
        if len(partial):
            scratch.entry_value[:] = 0
        stride = _stride(boards, player, board, scratch.lanes.shape[1])
        across = _stride(boards, 1 - player, board, scratch.lanes.shape[1])
        start, start_across = boards.start[player, board], boards.start[1 - player, board]
        for part in range(len(betting.part) - 1):
            entry, last_entry = betting.part[part], betting.part[part + 1]
            first, last = betting.root[entry], betting.root[last_entry]
            enter_street(betting, boards, board, player, entry, last_entry, first, scratch)
            walk_down(betting, first, last, player, tables.other, start_across, across, scratch)
            value_endings(betting, part, first, player, boards, board, scratch)
            walk_up(betting, first, last, player, how, tables, start, stride, locked[board], weights, scratch)
            _add_to_entries(betting, boards, board, player, entry, last_entry, first, scratch)
        if len(partial):
            partial[board] = scratch.entry_value


@kernel
def sweep_inner(
    begin: int,
    end: int,
    partial: Array,
    betting: Betting,
    boards: Boards,
    player: int,
    how: int,
    tables: Tables,
    locked: Array,
    weights: Weights,
    scratch: Scratch,
    last_betting: Betting,
    last_boards: Boards,
    last_locked: Array,
    last_scratch: Scratch,
) -> None:
    """Write partial[boards, E, W], the values of the entries of the street before the last on each of the boards begin:end."""
    nodes, entries = len(betting.kind), len(betting.root) - 1
    for board in range(begin, end):
        stride = _stride(boards, player, board, scratch.lanes.shape[1])
        across = _stride(boards, 1 - player, board, scratch.lanes.shape[1])
        enter_street(betting, boards, board, player, 0, entries, 0, scratch)
        walk_down(betting, 0, nodes, player, tables.other, boards.start[1 - player, board], across, scratch)
        leave_street(betting, player, scratch.reach, last_scratch.entry_reach)
        last_scratch.entry_value[:] = 0
        later = boards.children[board], boards.children[board + 1]
        sweep_last(
            later[0], later[1], partial[:0], last_betting, last_boards, player, how, tables, last_locked, weights, last_scratch
        )
        return_to_street(betting, last_scratch.entry_value, scratch.value)
        value_endings(betting, 0, 0, player, boards, board, scratch)
        start = boards.start[player, board]
        walk_up(betting, 0, nodes, player, how, tables, start, stride, locked[board], weights, scratch)
        scratch.entry_value[:] = 0
        _add_to_entries(betting, boards, board, player, 0, entries, 0, scratch)
        partial[board] = scratch.entry_value

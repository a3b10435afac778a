"""The last street against a policy by bucket, with many entries side by side: one in each lane.

Entries whose betting has the same *shape* (the same nodes, whoever acts, whatever the chips) are walked together, so vectors
over hands become rows of lanes, and no vector has to be transposed. The policy's way from an entry to an ending depends on the
bucket only; its probability is found once for all boards behind one board of the street before.

A shape is a list of steps, in the order of a walk that finishes a node's children before the node. A step values a showdown, a
fold, or a fold and a call of one player at once; its values are written to a *slot* or merged with those there. Both players
hold all hands, so their hands have the same order on every board.
"""

from __future__ import annotations

from typing import NamedTuple

from smoothcall.kernels import callee, inlined, kernel
from smoothcall.kernels.search.lanes import TWO, Lanes, choose, fill_wide, load_wide, store
from smoothcall.kernels.search.sweep import DECISION, Betting, Boards, Scratch, Tables
from smoothcall.kernels.tables import Array

SHOW, FOLD, OWN_CALL, CALL, MERGE = range(5)  # Shapes.step; a call comes with the fold of the responder, or of the policy
SET, GREATEST, SUM = range(3)  # Shapes.mode
WIDE = TWO


class Shapes(NamedTuple):
    """S shapes of the betting behind entries of one street, for one player. Nodes are counted from an entry's first one."""

    member: Array  # [members] int32: entries, shape by shape
    member_start: Array  # [S + 1] int32
    step: Array  # [steps] int8: value an ending or two, or merge the next slot into one
    step_start: Array  # [S + 1] int32
    shown: Array  # [steps] int32: the showdown that is valued, or -1
    fold: Array  # [steps] int32: the fold that is valued, or -1
    slot: Array  # [steps] int32
    mode: Array  # [steps] int8: how values come into the slot


class Group(NamedTuple):
    """Buffers for one group of entries. L is the number of wide lanes, K that of buckets, W the length of vectors."""

    entry: Array  # [L] int32
    reach: Array  # [W, L]: of the opponent at the entries, on the board of the street before
    here: Array  # [W, L]: on a board of the last street
    total: Array  # [W, L]: values of the entries
    value: Array  # [slots, W, L]
    kept: Array  # [W, L]: of equal hands, what they win from weaker ones
    cards: Array  # [2, cards + 1, L]: sums of reach by card; the last of all hands
    plays: Array  # [nodes of a shape, K, L]: probability that the policy comes from the entry to the node, by bucket
    chips: Array  # [steps, 2, L]: of the showdown, or else of the fold; and what an own fold pays for each chip of the call
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
                    _walk_board(shapes, shape, boards, board, player, group)
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
    group.reach[:], group.total[:], group.plays[:nodes], group.chips[:], group.alive[:nodes] = 0, 0, 0, 0, False
    for lane in range(some):
        entry = group.entry[lane]
        first = betting.root[entry]
        for n in range(group.reach.shape[0]):
            group.reach[n, lane] = scratch.entry_reach[entry, n]
        group.plays[0, :, lane] = 1
        _follow_policy(betting, first, nodes, lane, player, tables, group)
        begin = shapes.step_start[shape]
        for step in range(begin, shapes.step_start[shape + 1]):
            _pay(shapes, step, step - begin, betting, first, lane, player, group)


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


@inlined
def _pay(shapes: Shapes, step: int, number: int, betting: Betting, first: int, lane: int, player: int, group: Group) -> None:
    """Write one lane of the chips of a step.

    Write to `plays` at the fold that comes with a call of the policy: half of what the fold pays more than a lost showdown, for
    each chip of the call.
    """
    shown, fold, kind = shapes.shown[step], shapes.fold[step], shapes.step[step]
    paid = betting.factor[player, first + fold, 2] if fold >= 0 else 0.0
    chips = betting.factor[player, first + shown, 0] if shown >= 0 else paid
    group.chips[number, 0, lane] = chips
    if kind == OWN_CALL:
        group.chips[number, 1, lane] = paid / chips
    if kind == CALL:
        for bucket in range(group.plays.shape[1]):
            more = paid / chips * group.plays[fold, bucket, lane]
            group.plays[fold, bucket, lane] = (more - group.plays[shown, bucket, lane]) / 2


@callee
def _walk_board(shapes: Shapes, shape: int, boards: Boards, board: int, player: int, group: Group) -> None:
    """Add one board's values to those of the group's entries."""
    count, value, width = boards.hands[player, board], group.value, group.reach.shape[0]
    origin, first_step = boards.origin[player, board], shapes.step_start[shape]
    for n in range(count):
        store(group.here, n, load_wide(group.reach, origin[n], WIDE))
    for step in range(first_step, shapes.step_start[shape + 1]):
        kind, slot, mode, shown, fold = (
            shapes.step[step],
            shapes.slot[step],
            shapes.mode[step],
            shapes.shown[step],
            shapes.fold[step],
        )
        if kind == MERGE:
            for n in range(count):
                old, each = load_wide(value[slot], n, WIDE), load_wide(value[slot + 1], n, WIDE)
                store(value[slot], n, choose(each - old, each, old) if mode == GREATEST else old + each)
        elif not ((shown >= 0 and group.alive[shown]) or (fold >= 0 and group.alive[fold])):
            if mode == SET:
                value[slot, :count] = 0
        elif kind == FOLD:
            chips = group.chips[step - first_step]
            _value_folds(boards, board, player, group.plays[fold], mode, chips, group.here, group.cards[0], value[slot])
        else:
            value_showdowns(
                boards,
                board,
                player,
                kind,
                mode,
                group.plays[shown],
                group.plays[max(fold, 0)],
                group.chips[step - first_step],
                group.here,
                group.kept,
                group.cards[0],
                group.cards[1],
                value[slot],
            )
    value[0, width - 1] = 0  # for hands that the board does not leave
    weight = fill_wide(value, boards.weight, WIDE)
    for image in range(boards.image[board], boards.image[board + 1]):
        place = boards.place[player, image]
        for n in range(width):
            if place[n] < width - 1:
                store(group.total, n, load_wide(group.total, n, WIDE) + weight * load_wide(value, place[n], WIDE))


@inlined
def _apart(total: Lanes, cards: Array, low: int, high: int) -> Lanes:
    """Return a sum over all hands less those with either card: the hand of both cards is subtracted twice."""
    return total - load_wide(cards, low, WIDE) - load_wide(cards, high, WIDE)


@inlined
def _sum_hands(low: Array, high: Array, bucket: Array, count: int, plays: Array, here: Array, cards: Array) -> Lanes:
    """Write the sums of here * plays by card; return that of all hands."""
    total = fill_wide(here, 0.0, WIDE)
    for card in range(len(cards)):
        store(cards, card, total)
    for n in range(count):
        each = load_wide(here, n, WIDE) * load_wide(plays, bucket[n], WIDE)
        total = total + each
        store(cards, low[n], load_wide(cards, low[n], WIDE) + each)
        store(cards, high[n], load_wide(cards, high[n], WIDE) + each)
    return total


@inlined
def _bring(found: Lanes, value: Array, n: int, mode: int) -> None:
    """Bring values into value[n] as `mode` says."""
    if mode == SET:
        store(value, n, found)
    elif mode == SUM:
        store(value, n, load_wide(value, n, WIDE) + found)
    else:
        old = load_wide(value, n, WIDE)
        store(value, n, choose(found - old, found, old))


@callee
def _value_folds(
    boards: Boards, board: int, player: int, plays: Array, mode: int, chips: Array, here: Array, cards: Array, value: Array
) -> None:
    """Bring what the policy's reach at a fold pays into value[count, L]."""
    times = load_wide(chips, 0, WIDE)
    low, high, bucket = boards.low[player, board], boards.high[player, board], boards.bucket[board]
    count = boards.hands[player, board]
    total = _sum_hands(low, high, bucket, count, plays, here, cards)
    for n in range(count):
        same = load_wide(here, n, WIDE) * load_wide(plays, bucket[n], WIDE)
        found = (_apart(total, cards, low[n], high[n]) + same) * times
        _bring(found, value, n, mode)


@callee
def value_showdowns(  # long: one loop over the hands, whose sums all kinds share
    boards: Boards,
    board: int,
    player: int,
    kind: int,
    mode: int,
    plays: Array,
    folds: Array,
    chips: Array,
    here: Array,
    kept: Array,
    cards: Array,
    all_cards: Array,
    value: Array,
) -> None:  # long: in an inlined function with branches, Numba counts references to arrays for every hand
    """Bring the chips won less those lost at a showdown into value[count, L], with the fold that comes with a call.

    Weaker hands count 1, equal ones 0, stronger ones -1: a half of all hands is subtracted beforehand, then the hands that are
    weaker are added to those that are not stronger. The hand of the same cards is subtracted twice in one of both, once less
    than in the other, so that it is in none.
    """
    low, high, bucket = boards.low[player, board], boards.high[player, board], boards.bucket[board]
    not_stronger, count = boards.not_stronger[player, board], boards.hands[player, board]
    half, times, share = fill_wide(here, -0.5, WIDE), load_wide(chips, 0, WIDE), load_wide(chips, 1, WIDE)
    total = _sum_hands(low, high, bucket, count, folds if kind == CALL else plays, here, cards)
    every = total * share
    if kind == OWN_CALL:
        for card in range(len(cards)):
            store(all_cards, card, load_wide(cards, card, WIDE) * share)
    if kind != CALL:
        total = total * half
        for card in range(len(cards)):
            store(cards, card, load_wide(cards, card, WIDE) * half)
    begin = 0
    while begin < count:
        end = not_stronger[begin]
        for n in range(begin, end):
            store(kept, n - begin, _apart(total, cards, low[n], high[n]))
        for n in range(begin, end):
            each = load_wide(here, n, WIDE) * load_wide(plays, bucket[n], WIDE)
            total = total + each
            store(cards, low[n], load_wide(cards, low[n], WIDE) + each)
            store(cards, high[n], load_wide(cards, high[n], WIDE) + each)
        if kind == SHOW:
            for n in range(begin, end):
                found = (load_wide(kept, n - begin, WIDE) + _apart(total, cards, low[n], high[n])) * times
                _bring(found, value, n, mode)
        elif kind == CALL:
            for n in range(begin, end):
                reach, play = load_wide(here, n, WIDE), load_wide(plays, bucket[n], WIDE)
                fold = load_wide(folds, bucket[n], WIDE)
                won = load_wide(kept, n - begin, WIDE) + _apart(total, cards, low[n], high[n])
                found = (won + reach * (play + fold + fold)) * times
                _bring(found, value, n, mode)
        else:
            for n in range(begin, end):
                same = load_wide(here, n, WIDE) * load_wide(plays, bucket[n], WIDE)
                call = load_wide(kept, n - begin, WIDE) + _apart(total, cards, low[n], high[n])
                fold = _apart(every, all_cards, low[n], high[n]) + share * same
                found = choose(call - fold, call, fold) * times
                _bring(found, value, n, mode)
        begin = end

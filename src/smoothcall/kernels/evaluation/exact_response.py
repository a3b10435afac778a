"""An exact best response to an agent of two-player hold'em: a walk of all boards with all hands at once.

The responder sees its own cards and the board. Every quantity is a vector over hands. The agent's `reach`, the probability
that it comes to a step with each of its hands, goes down the betting; the responder's values with each of its own hands,
summed over the hands of the agent that share no card with it, come back up. The responder takes the best action for each
hand and board separately, so it has perfect recall.

The betting is cut at the streets. An *entry* is a way into a street; the betting behind it is a run of *steps* in depth-first
order. An all-in without further betting is an entry of every later street, down to the showdown on the river. A street is
walked twice: down, to find the reach of the next street's entries, and up, after these are valued over every card that may
come. On the river, endings are valued in between, LANES side by side; parts of the entries are taken over all rivers, so
that their reach stays in the processor's cache.

Boards that differ only by a permutation of suits are walked once, with their multiplicity; their values are then averaged
over the permutations that fix the earlier cards.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from smoothcall.kernels import kernel
from smoothcall.kernels.evaluation.board_views import (
    BoardViews,
    SuitPermutations,
    ViewScratch,
    contains,
    orbit_size,
    sort_by_strength,
    view_board,
)
from smoothcall.kernels.evaluation.range_values import LANES, fold_values, showdown_values
from smoothcall.kernels.holdem.buckets import Cards, rank_streets
from smoothcall.kernels.tables import Array, Integer

RESPONDER, AGENT, FOLDED, SHOWN_DOWN, NEXT_STREET = range(
    5
)  # Betting.kind: who acts, how it ends, or an entry of the next street
PREFLOP, FLOP, TURN, RIVER = range(4)
STREETS = 4
UNREACHED = -1  # Scratch.lane of steps that the agent never reaches


class Betting(NamedTuple):
    """The betting that the responder may meet, of both its seats. S steps, E entries, both sorted by street."""

    kind: Array  # [S] int8: RESPONDER, AGENT, ...
    depth: Array  # [S] uint32: 0 at an entry
    after: Array  # [S] uint32: the step behind the subtree of this one
    row: Array  # [S] int32: the agent's first row where its action leads here, else -1
    slot: Array  # [S] uint32: that action
    stake: Array  # [S] float64: the responder's chips after a fold, or with the better cards at a showdown
    entry: Array  # [S] uint32: the entry of the next street, at NEXT_STREET
    start: Array  # [E + 1] uint32: the first step of each entry
    street: Array  # [STREETS + 1] int64: the first entry of each street
    part: Array  # [parts + 1] int64: the first entry of each part of the river


class Agent(NamedTuple):
    """A policy, quantised."""

    weights: Array  # [rows, A]: probabilities times `scale`
    scale: float


class Scratch(NamedTuple):
    """Buffers of one thread. Vectors of paths and endings are over the hands that a board leaves, in the order of its view."""

    reach: Array  # [E, H] float64: of the agent at entries
    value: Array  # [E, H] float64: of entries, summed over the cards that may come
    reached: Array  # [E] bool: whether the agent comes there with any hand
    early: BoardViews  # one for each street before the river
    rivers: BoardViews  # one for each river after a turn
    path_kind: Array  # [depth] int64: of the steps that lead to the present one
    path_from: Array  # [depth] int64: the depth that holds the reach; the responder's actions do not change it
    path_reach: Array  # [depth, H] float64
    path_value: Array  # [depth, H] float64
    lane: Array  # [S] int32: number of an ending among those of its kind, or UNREACHED
    folds: Array  # [endings / LANES, H, LANES] float64: the reach at folds of a part, then the value for a stake of 1
    showdowns: Array  # [endings / LANES, H, LANES] float64: the same at showdowns
    card_reach: Array  # [cards, LANES] float64: the reach with hands that contain each card
    hand_value: Array  # [H, LANES] float64
    views: ViewScratch


@kernel
def walk_before_flop(betting: Betting, agent: Agent, cards: Cards, up: bool, scratch: Scratch) -> None:
    """Down: find the reach of the flop's entries. Up, after these are valued: find the value of the two seats."""
    view_board(cards, PREFLOP, np.empty(0, np.uint8), np.zeros(3, np.uint32), 1, scratch.early, PREFLOP, scratch.views)
    _clear(betting, PREFLOP, scratch)
    _walk_street(betting, agent, PREFLOP, up, scratch)


@kernel
def walk_flop(betting: Betting, agent: Agent, cards: Cards, suits: SuitPermutations, flop: Array, scratch: Scratch) -> int:
    """Value the flop's entries on one flop, given their reach. Return the number of five-card boards walked."""
    size, walked = len(cards.evaluator.card_key), 0
    board, ascending, place = np.zeros(5, np.uint8), np.zeros(5, np.uint8), np.zeros(3, np.uint32)
    fixes_flop, fixes_turn = np.zeros(len(suits.card), np.bool_), np.zeros(len(suits.card), np.bool_)
    board[:3] = flop
    for each in range(len(suits.card)):
        fixes_flop[each] = True
        for card in flop:
            fixes_flop[each] &= contains(suits.card[each, card], flop)
    rank_streets(board, 0, cards.binomial, ascending, place)
    view_board(cards, FLOP, board[:3], place, 1, scratch.early, FLOP, scratch.views)
    _walk_street(betting, agent, FLOP, False, scratch)
    _clear(betting, TURN, scratch)
    for turn in range(size):
        turns = orbit_size(suits, fixes_flop, turn)
        if turns == 0 or contains(turn, board[:3]):
            continue
        board[3] = turn
        for each in range(len(suits.card)):
            fixes_turn[each] = fixes_flop[each] and suits.card[each, turn] == turn
        rank_streets(board, 0, cards.binomial, ascending, place)
        view_board(cards, TURN, board[:4], place, turns, scratch.early, TURN, scratch.views)
        _walk_street(betting, agent, TURN, False, scratch)
        _clear(betting, RIVER, scratch)
        rivers = 0
        for river in range(size):
            alike = orbit_size(suits, fixes_turn, river)
            if alike == 0 or contains(river, board[:4]):
                continue
            board[4] = river
            rank_streets(board, 0, cards.binomial, ascending, place)
            view_board(cards, RIVER, board, place, alike, scratch.rivers, rivers, scratch.views)
            sort_by_strength(cards, board, scratch.rivers, rivers, scratch.views)
            rivers += 1
        for part in range(len(betting.part) - 1):
            for view in range(rivers):
                _walk_river(betting, agent, betting.part[part], betting.part[part + 1], view, scratch)
        _average_suits(betting, RIVER, suits, fixes_turn, size - 8, scratch)
        _walk_street(betting, agent, TURN, True, scratch)
        walked += rivers
    _average_suits(betting, TURN, suits, fixes_flop, size - 7, scratch)
    _clear(betting, FLOP, scratch)
    _walk_street(betting, agent, FLOP, True, scratch)
    return walked


@kernel
def average_flops(betting: Betting, suits: SuitPermutations, size: int, scratch: Scratch) -> None:
    """Turn the sums over flops, each with its multiplicity, into the flop's expected values before the flop."""
    every, flops = np.ones(len(suits.card), np.bool_), (size - 4) * (size - 5) * (size - 6) // 6
    _average_suits(betting, FLOP, suits, every, flops, scratch)


@kernel
def _walk_street(betting: Betting, agent: Agent, street: int, up: bool, scratch: Scratch) -> None:
    """Walk a street before the river: down for the reach of the next street's entries, or up for the value of its own."""
    views, path_kind, path_from, share = scratch.early, scratch.path_kind, scratch.path_from, 1.0 / agent.scale
    count, hand, bucket = views.hands_left[street], views.hand[street], views.bucket[street]
    card_reach, hand_value = scratch.card_reach, scratch.hand_value
    for entry in range(betting.street[street], betting.street[street + 1]):
        step, end = betting.start[entry], betting.start[entry + 1]
        if not scratch.reached[entry] or _gather(scratch.reach[entry], hand, scratch.path_reach[0], count) == 0.0:
            if not up:
                _mark_unreached(betting, step, end, scratch)
            continue
        level = -1
        while step < end:
            depth: Integer = np.int64(betting.depth[step])
            while up and level >= depth:
                _merge(path_kind[level - 1], scratch.path_value[level - 1], scratch.path_value[level], count)
                level -= 1
            level, path_from[depth] = depth, path_from[depth - 1] if depth > 0 else 0
            if betting.row[step] >= 0:
                before, path_from[depth] = scratch.path_reach[path_from[depth]], depth
                reach = scratch.path_reach[depth]
                if _act(agent.weights, betting.row[step], betting.slot[step], share, bucket, before, reach, count) == 0.0:
                    if not up:
                        _mark_unreached(betting, step, betting.after[step], scratch)
                    step, level = betting.after[step], depth - 1
                    continue
            reach, value = scratch.path_reach[path_from[depth]], scratch.path_value[depth]
            kind = np.int64(betting.kind[step])
            path_kind[depth] = kind
            if kind == AGENT:
                value[:count] = 0.0
            elif kind == RESPONDER:
                value[:count] = -np.inf
            elif kind == NEXT_STREET:
                _link_next_street(betting.entry[step], up, reach, value, hand, count, scratch)
            elif up:
                for n in range(count):
                    hand_value[n, 0] = reach[n]
                fold_values(hand_value, views.low[street], views.high[street], card_reach, count)
                for n in range(count):
                    value[n] = betting.stake[step] * hand_value[n, 0]
            step += np.uint32(1)
        while up and level > 0:
            _merge(path_kind[level - 1], scratch.path_value[level - 1], scratch.path_value[level], count)
            level -= 1
        if up:
            _scatter(scratch.path_value[0], views.multiplicity[street], hand, scratch.value[entry], count)


@kernel
def _walk_river(betting: Betting, agent: Agent, begin: int, end: int, view: int, scratch: Scratch) -> None:
    """Add the values on one river to the river's entries begin:end."""
    views = scratch.rivers
    count, hand, low, high = views.hands_left[view], views.hand[view], views.low[view], views.high[view]
    folds, showdowns = _reach_endings(betting, agent, begin, end, count, hand, views.bucket[view], scratch)
    for some in range((folds + LANES - 1) // LANES):
        fold_values(scratch.folds[some], low, high, scratch.card_reach, count)
    for some in range((showdowns + LANES - 1) // LANES):
        showdown_values(scratch.showdowns[some], low, high, views.tie_end[view], scratch.card_reach, scratch.hand_value, count)
    _back_up(betting, begin, end, count, hand, views.multiplicity[view], scratch)


@kernel
def _reach_endings(
    betting: Betting, agent: Agent, begin: int, end: int, count: int, hand: Array, bucket: Array, scratch: Scratch
) -> tuple[int, int]:
    """Write the reach at every ending into a lane. Return (number of folds, number of showdowns)."""
    folds, showdowns, lanes = 0, 0, np.uint32(LANES)
    path_from, share = scratch.path_from, 1.0 / agent.scale
    for entry in range(begin, end):
        step, last = betting.start[entry], betting.start[entry + 1]
        if not scratch.reached[entry] or _gather(scratch.reach[entry], hand, scratch.path_reach[0], count) == 0.0:
            scratch.lane[step] = UNREACHED
            continue
        while step < last:
            depth: Integer = np.int64(betting.depth[step])
            kind = np.int64(betting.kind[step])
            path_from[depth] = path_from[depth - 1] if depth > 0 else 0
            before, reach = scratch.path_reach[path_from[depth]], scratch.path_reach[depth]
            scratch.lane[step] = 0
            if betting.row[step] >= 0:
                path_from[depth] = depth
                if _act(agent.weights, betting.row[step], betting.slot[step], share, bucket, before, reach, count) == 0.0:
                    scratch.lane[step] = UNREACHED
                    step = betting.after[step]
                    continue
            reach = scratch.path_reach[path_from[depth]]
            if kind == FOLDED:
                _store_lane(reach, scratch.folds[folds // LANES], np.uint32(folds) % lanes, count)
                scratch.lane[step] = folds
                folds += 1
            elif kind == SHOWN_DOWN:
                _store_lane(reach, scratch.showdowns[showdowns // LANES], np.uint32(showdowns) % lanes, count)
                scratch.lane[step] = showdowns
                showdowns += 1
            step += np.uint32(1)
    return folds, showdowns


@kernel
def _back_up(betting: Betting, begin: int, end: int, count: int, hand: Array, multiplicity: float, scratch: Scratch) -> None:
    """Back up the values of endings to the entries."""
    path_kind = scratch.path_kind
    for entry in range(begin, end):
        step, last = betting.start[entry], betting.start[entry + 1]
        if scratch.lane[step] == UNREACHED:
            continue
        level = -1
        while step < last:
            if scratch.lane[step] == UNREACHED:
                step = betting.after[step]
                continue
            depth: Integer = np.int64(betting.depth[step])
            kind = np.int64(betting.kind[step])
            while level >= depth:
                _merge(path_kind[level - 1], scratch.path_value[level - 1], scratch.path_value[level], count)
                level -= 1
            if kind <= AGENT:
                path_kind[depth], level = kind, depth
                scratch.path_value[depth, :count] = 0.0 if kind == AGENT else -np.inf
            else:
                place, lane = scratch.lane[step] // LANES, np.uint32(scratch.lane[step]) % np.uint32(LANES)
                ending = scratch.folds[place] if kind == FOLDED else scratch.showdowns[place]
                above = path_kind[depth - 1] if depth > 0 else SHOWN_DOWN  # an all-in on an earlier street has no parent
                _merge_lane(above, ending, lane, betting.stake[step], scratch.path_value[max(0, depth - 1)], count)
            step += np.uint32(1)
        while level > 0:
            _merge(path_kind[level - 1], scratch.path_value[level - 1], scratch.path_value[level], count)
            level -= 1
        _scatter(scratch.path_value[0], multiplicity, hand, scratch.value[entry], count)


@kernel
def _gather(known: Array, hand: Array, reach: Array, count: int) -> float:
    """Read the reach at an entry in the order of a view. Return its sum."""
    total = 0.0
    for n in range(count):
        reach[n] = known[hand[n]]
        total += reach[n]
    return total


@kernel
def _scatter(value: Array, multiplicity: float, hand: Array, entry: Array, count: int) -> None:
    """Add a view's values to an entry."""
    for n in range(count):
        entry[hand[n]] += multiplicity * value[n]


@kernel
def _link_next_street(entry: int, up: bool, reach: Array, value: Array, hand: Array, count: int, scratch: Scratch) -> None:
    """Down: write the reach of an entry of the next street. Up: read its value."""
    later = scratch.value[entry] if up else scratch.reach[entry]
    if up:
        for n in range(count):
            value[n] = later[hand[n]]
        return
    scratch.reached[entry] = True
    later[:] = 0.0
    for n in range(count):
        later[hand[n]] = reach[n]


@kernel
def _act(weights: Array, row: int, slot: int, share: float, bucket: Array, before: Array, now: Array, count: int) -> float:
    """Multiply the reach by the probability of the agent's action. Return its sum."""
    total, first = 0.0, np.uint32(row)
    for n in range(count):
        reach = before[n] * (share * weights[first + bucket[n], slot])
        now[n] = reach
        total += reach
    return total


@kernel
def _merge(kind: int, above: Array, below: Array, count: int) -> None:
    """Merge a step's value into its parent's: a sum where the agent acts, a maximum where the responder does."""
    if kind == AGENT:
        for n in range(count):
            above[n] += below[n]
    else:
        for n in range(count):
            above[n] = max(above[n], below[n])


@kernel
def _store_lane(reach: Array, ending: Array, lane: Integer, count: int) -> None:
    for n in range(count):
        ending[n, lane] = reach[n]


@kernel
def _merge_lane(kind: int, ending: Array, lane: Integer, stake: float, above: Array, count: int) -> None:
    """Merge an ending's value into its parent's; where nobody acts before it, it is the entry's value."""
    if kind == AGENT:
        for n in range(count):
            above[n] += stake * ending[n, lane]
    elif kind == RESPONDER:
        for n in range(count):
            above[n] = max(above[n], stake * ending[n, lane])
    else:
        for n in range(count):
            above[n] = stake * ending[n, lane]


@kernel
def _mark_unreached(betting: Betting, step: int, end: int, scratch: Scratch) -> None:
    """Mark the next street's entries behind these steps as never reached by the agent."""
    for n in range(step, end):
        if betting.kind[n] == NEXT_STREET:
            scratch.reached[betting.entry[n]] = False


@kernel
def _clear(betting: Betting, street: int, scratch: Scratch) -> None:
    """Set the values of a street's entries to zero."""
    for entry in range(betting.street[street], betting.street[street + 1]):
        scratch.value[entry] = 0.0


@kernel
def _average_suits(betting: Betting, street: int, suits: SuitPermutations, fixes: Array, cards: int, scratch: Scratch) -> None:
    """Turn sums over cards, each with its multiplicity, into means over the `cards` that may come.

    A walked card stands for its images: values are averaged over the permutations of suits in `fixes`.
    """
    count, hand_value = 0, scratch.hand_value
    for each in range(len(fixes)):
        count += fixes[each]
    for entry in range(betting.street[street], betting.street[street + 1]):
        if not scratch.reached[entry]:
            continue
        value = scratch.value[entry]
        hand_value[:, 0] = value
        for each in range(1, len(fixes) if count > 1 else 1):
            if fixes[each]:
                moved = suits.hand[each]
                for hand in range(len(value)):
                    hand_value[hand, 0] += value[moved[hand]]
        for hand in range(len(value)):
            value[hand] = hand_value[hand, 0] / (count * cards)

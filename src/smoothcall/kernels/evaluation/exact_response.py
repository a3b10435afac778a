"""An exact best response to an agent of two-player hold'em, by a walk of all boards with all hands at once.

The responder sees its own cards and the board. Everything is a vector over *hands*: `reach`, how likely the agent comes
somewhere with each of its hands, goes down; what the responder wins with each of its own comes back, summed over the hands
of the agent that it does not meet. The responder takes the best action for each hand and board, so nothing is forgotten.

The betting is cut at the streets. Every way into a street is an *entry*, and the betting behind it a run of *steps*, each
before what follows it. An all-in has nothing to bet on: it is an entry of every later street, down to the river where cards
are shown. A street is walked twice: down, to find the reach of the entries of the next one; and, when these are valued
over every card that may come, up. On the river endings are valued in between, four of them side by side; and some entries
at a time are taken over all rivers, so that what is read of them stays in the cache.

Boards that a change of suits makes the same are walked once, as often as they count; what they are worth is then averaged
over the changes of suits that leave the cards before them as they are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from smoothcall.kernels import inlined, kernel
from smoothcall.kernels.evaluation.local_best_response import free_hands, see_buckets
from smoothcall.kernels.holdem.dealing import Cards, rank_streets
from smoothcall.kernels.holdem.evaluator import evaluate
from smoothcall.kernels.holdem.hand_strength import sort_by_digit
from smoothcall.kernels.tables import Array, Integer

# Kinds of steps: who acts, how it ends, or an entry of the next street.
RESPONDER, AGENT, GIVEN_UP, SHOWN, NEXT = 0, 1, 2, 3, 4
PREFLOP, FLOP, TURN, RIVER = 0, 1, 2, 3
STREETS = 4
LANES = 4  # endings valued side by side
DIGITS = 128
_DIGIT = 7  # bits, as `sort_by_digit` has them


class Betting(NamedTuple):
    """What the responder may meet, of both its seats. S steps, E entries, both by street."""

    kind: Array  # [S] int8
    depth: Array  # [S] uint32: 0 at an entry
    after: Array  # [S] uint32: the step after all that follow from this one
    row: Array  # [S] int32: the agent's first row where it made the action that leads here, else -1
    slot: Array  # [S] uint32: that action
    stake: Array  # [S] float64: what the responder wins where somebody gave up, or with the better cards where they are shown
    entry: Array  # [S] uint32: of the next street, where the kind says so
    start: Array  # [E + 1] uint32: the first step of each entry
    street: Array  # [STREETS + 1] int64: the first entry of each street
    part: Array  # [parts + 1] int64: the river's entries some at a time, by their first


class Agent(NamedTuple):
    weights: Array  # [rows, A]: probabilities times `scale`
    scale: float


class Suits(NamedTuple):
    """The 24 changes of suits, the first of which changes nothing."""

    card: Array  # [24, cards] uint32
    hand: Array  # [24, hands] uint32


class Seen(NamedTuple):
    """What is seen on V boards: the hands that each leaves, on rivers weaker ones first."""

    left: Array  # [V] int64: how many hands
    hand: Array  # [V, H] uint32
    bucket: Array  # [V, H] uint32: what the agent sees with each
    low: Array  # [V, H] uint32: their cards
    high: Array  # [V, H] uint32
    tied: Array  # [V, H] uint32: on rivers, where the hands as strong as this one end
    times: Array  # [V] float64: how many boards this one stands for


class Room(NamedTuple):
    """What one thread writes into. Vectors of a path and of endings are over the hands that a board leaves, in its order."""

    reach: Array  # [E, H] float64: at entries
    value: Array  # [E, H] float64: of entries, summed over what may come
    alive: Array  # [E] bool: whether the agent can come there at all
    before: Seen  # of each street before the river
    rivers: Seen  # of every river after a turn
    path_kind: Array  # [depth] int64: of the steps that lead to the one at hand
    path_from: Array  # [depth] int64: where the reach of each is: the responder's moves leave it as it was
    path_reach: Array  # [depth, H] float64
    path_value: Array  # [depth, H] float64
    lane: Array  # [S] int32: of an ending, -1 where the agent never comes
    given_up: Array  # [endings / LANES, H, LANES] float64: the reach at endings of a part, then the value for a stake of 1
    shown: Array  # the same where cards are shown
    by_card: Array  # [cards, LANES] float64
    mean: Array  # [H, LANES] float64
    free: Array  # [H] bool
    bucket: Array  # [H] int32
    strength: Array  # [H] uint16, and what is needed to sort by it
    ranked: Array  # [H] uint32
    spare: Array  # [H] uint32
    places: Array  # [DIGITS + 1] int64


@kernel
def walk_before_flop(betting: Betting, agent: Agent, cards: Cards, up: bool, room: Room) -> None:
    """Down: the reach of the flop's entries. Up, when these are valued: the value of the entries before the flop."""
    _see(cards, PREFLOP, np.empty(0, np.uint8), np.zeros(3, np.uint32), 1, room.before, PREFLOP, room)
    _clear(betting, PREFLOP, room)
    _walk_street(betting, agent, PREFLOP, up, room)


@kernel
def walk_flop(betting: Betting, agent: Agent, cards: Cards, suits: Suits, flop: Array, room: Room) -> int:
    """Value the flop's entries on one flop, from their reach; returns how many boards of five cards were walked."""
    size, walked = len(cards.evaluator.card_key), 0
    board, ascending, place = np.zeros(5, np.uint8), np.zeros(5, np.uint8), np.zeros(3, np.uint32)
    same_flop, same_turn = np.zeros(len(suits.card), np.bool_), np.zeros(len(suits.card), np.bool_)
    board[:3] = flop
    for change in range(len(suits.card)):
        same_flop[change] = True
        for card in flop:
            same_flop[change] &= _among(suits.card[change, card], flop)
    rank_streets(board, 0, cards.binomial, ascending, place)
    _see(cards, FLOP, board[:3], place, 1, room.before, FLOP, room)
    _walk_street(betting, agent, FLOP, False, room)
    _clear(betting, TURN, room)
    for turn in range(size):
        turns = _alike(suits, same_flop, turn)
        if turns == 0 or _among(turn, board[:3]):
            continue
        board[3] = turn
        for change in range(len(suits.card)):
            same_turn[change] = same_flop[change] and suits.card[change, turn] == turn
        rank_streets(board, 0, cards.binomial, ascending, place)
        _see(cards, TURN, board[:4], place, turns, room.before, TURN, room)
        _walk_street(betting, agent, TURN, False, room)
        _clear(betting, RIVER, room)
        rivers = 0
        for river in range(size):
            alike = _alike(suits, same_turn, river)
            if alike == 0 or _among(river, board[:4]):
                continue
            board[4] = river
            rank_streets(board, 0, cards.binomial, ascending, place)
            _see(cards, RIVER, board, place, alike, room.rivers, rivers, room)
            _sort_hands(cards, board, room.rivers, rivers, room)
            rivers += 1
        for part in range(len(betting.part) - 1):
            for view in range(rivers):
                _walk_river(betting, agent, betting.part[part], betting.part[part + 1], view, room)
        _average(betting, RIVER, suits, same_turn, size - 8, room)
        _walk_street(betting, agent, TURN, True, room)
        walked += rivers
    _average(betting, TURN, suits, same_flop, size - 7, room)
    _clear(betting, FLOP, room)
    _walk_street(betting, agent, FLOP, True, room)
    return walked


@kernel
def average_flops(betting: Betting, suits: Suits, size: int, room: Room) -> None:
    """Make of the flop's entries, valued and summed over flops that stand for all, what they are worth before the flop."""
    every, flops = np.ones(len(suits.card), np.bool_), (size - 4) * (size - 5) * (size - 6) // 6
    _average(betting, FLOP, suits, every, flops, room)


@kernel
def _walk_street(betting: Betting, agent: Agent, street: int, up: bool, room: Room) -> None:
    """Walk the betting of a street before the river: down for the reach of the next street's entries, up for its own value."""
    seen, path_kind, path_from, share = room.before, room.path_kind, room.path_from, 1.0 / agent.scale
    count, hand, bucket = seen.left[street], seen.hand[street], seen.bucket[street]
    by_card, mean = room.by_card, room.mean
    for entry in range(betting.street[street], betting.street[street + 1]):
        step, end = betting.start[entry], betting.start[entry + 1]
        if not room.alive[entry] or _enter(room.reach[entry], hand, room.path_reach[0], count) == 0.0:
            if not up:
                _bury(betting, step, end, room)
            continue
        level = -1
        while step < end:
            depth: Integer = np.int64(betting.depth[step])
            while up and level >= depth:
                _close(path_kind[level - 1], room.path_value[level - 1], room.path_value[level], count)
                level -= 1
            level, path_from[depth] = depth, path_from[depth - 1] if depth > 0 else 0
            if betting.row[step] >= 0:
                before, path_from[depth] = room.path_reach[path_from[depth]], depth
                reach = room.path_reach[depth]
                if _act(agent.weights, betting.row[step], betting.slot[step], share, bucket, before, reach, count) == 0.0:
                    if not up:
                        _bury(betting, step, betting.after[step], room)
                    step, level = betting.after[step], depth - 1
                    continue
            reach, value = room.path_reach[path_from[depth]], room.path_value[depth]
            kind = np.int64(betting.kind[step])
            path_kind[depth] = kind
            if kind == AGENT:
                value[:count] = 0.0
            elif kind == RESPONDER:
                value[:count] = -np.inf
            elif kind == NEXT:
                _pass_on(betting.entry[step], up, reach, value, hand, count, room)
            elif up:
                for n in range(count):
                    mean[n, 0] = reach[n]
                _give_up(mean, seen.low[street], seen.high[street], by_card, count)
                for n in range(count):
                    value[n] = betting.stake[step] * mean[n, 0]
            step += np.uint32(1)
        while up and level > 0:
            _close(path_kind[level - 1], room.path_value[level - 1], room.path_value[level], count)
            level -= 1
        if up:
            _leave(room.path_value[0], seen.times[street], hand, room.value[entry], count)


@kernel
def _walk_river(betting: Betting, agent: Agent, begin: int, end: int, view: int, room: Room) -> None:
    """Add to the value of some of the river's entries what they are worth on one river."""
    seen = room.rivers
    count, hand, low, high = seen.left[view], seen.hand[view], seen.low[view], seen.high[view]
    given_up, shown = _come_down(betting, agent, begin, end, count, hand, seen.bucket[view], room)
    for some in range((given_up + LANES - 1) // LANES):
        _give_up(room.given_up[some], low, high, room.by_card, count)
    for some in range((shown + LANES - 1) // LANES):
        _show(room.shown[some], low, high, seen.tied[view], room.by_card, room.mean, count)
    _go_up(betting, begin, end, count, hand, seen.times[view], room)


@kernel
def _come_down(
    betting: Betting, agent: Agent, begin: int, end: int, count: int, hand: Array, bucket: Array, room: Room
) -> tuple[int, int]:
    """Write the reach at every ending into a lane; returns how many endings there are of either kind."""
    given_up, shown, lanes = 0, 0, np.uint32(LANES)
    path_from, share = room.path_from, 1.0 / agent.scale
    for entry in range(begin, end):
        step, last = betting.start[entry], betting.start[entry + 1]
        if not room.alive[entry] or _enter(room.reach[entry], hand, room.path_reach[0], count) == 0.0:
            room.lane[step] = -1
            continue
        while step < last:
            depth: Integer = np.int64(betting.depth[step])
            kind = np.int64(betting.kind[step])
            path_from[depth] = path_from[depth - 1] if depth > 0 else 0
            before, reach = room.path_reach[path_from[depth]], room.path_reach[depth]
            room.lane[step] = 0
            if betting.row[step] >= 0:
                path_from[depth] = depth
                if _act(agent.weights, betting.row[step], betting.slot[step], share, bucket, before, reach, count) == 0.0:
                    room.lane[step] = -1
                    step = betting.after[step]
                    continue
            reach = room.path_reach[path_from[depth]]
            if kind == GIVEN_UP:
                _into_lane(reach, room.given_up[given_up // LANES], np.uint32(given_up) % lanes, count)
                room.lane[step] = given_up
                given_up += 1
            elif kind == SHOWN:
                _into_lane(reach, room.shown[shown // LANES], np.uint32(shown) % lanes, count)
                room.lane[step] = shown
                shown += 1
            step += np.uint32(1)
    return given_up, shown


@kernel
def _go_up(betting: Betting, begin: int, end: int, count: int, hand: Array, times: float, room: Room) -> None:
    """Take the value of endings to the entries."""
    path_kind = room.path_kind
    for entry in range(begin, end):
        step, last = betting.start[entry], betting.start[entry + 1]
        if room.lane[step] < 0:
            continue
        level = -1
        while step < last:
            if room.lane[step] < 0:
                step = betting.after[step]
                continue
            depth: Integer = np.int64(betting.depth[step])
            kind = np.int64(betting.kind[step])
            while level >= depth:
                _close(path_kind[level - 1], room.path_value[level - 1], room.path_value[level], count)
                level -= 1
            if kind <= AGENT:
                path_kind[depth], level = kind, depth
                room.path_value[depth, :count] = 0.0 if kind == AGENT else -np.inf
            else:
                place, lane = room.lane[step] // LANES, np.uint32(room.lane[step]) % np.uint32(LANES)
                ending = room.given_up[place] if kind == GIVEN_UP else room.shown[place]
                above = path_kind[depth - 1] if depth > 0 else SHOWN  # an all-in on an earlier street has nothing above it
                _from_lane(above, ending, lane, betting.stake[step], room.path_value[max(0, depth - 1)], count)
            step += np.uint32(1)
        while level > 0:
            _close(path_kind[level - 1], room.path_value[level - 1], room.path_value[level], count)
            level -= 1
        _leave(room.path_value[0], times, hand, room.value[entry], count)


# The parts of a walk


@kernel
def _enter(known: Array, hand: Array, reach: Array, count: int) -> float:
    """The reach at an entry, in the order of hands; returns its sum."""
    total = 0.0
    for n in range(count):
        reach[n] = known[hand[n]]
        total += reach[n]
    return total


@kernel
def _leave(value: Array, times: float, hand: Array, entry: Array, count: int) -> None:
    for n in range(count):
        entry[hand[n]] += times * value[n]


@kernel
def _pass_on(entry: int, up: bool, reach: Array, value: Array, hand: Array, count: int, room: Room) -> None:
    """Down: the reach of an entry of the next street. Up: what it is worth."""
    later = room.value[entry] if up else room.reach[entry]
    if up:
        for n in range(count):
            value[n] = later[hand[n]]
        return
    room.alive[entry] = True
    later[:] = 0.0
    for n in range(count):
        later[hand[n]] = reach[n]


@kernel
def _act(weights: Array, row: int, slot: int, share: float, bucket: Array, before: Array, now: Array, count: int) -> float:
    """The reach after the agent's action; returns its sum."""
    total, first = 0.0, np.uint32(row)
    for n in range(count):
        reach = before[n] * (share * weights[first + bucket[n], slot])
        now[n] = reach
        total += reach
    return total


@kernel
def _close(kind: int, above: Array, below: Array, count: int) -> None:
    """Take what a step is worth into the one it follows from: the agent's steps add up, the responder takes the best."""
    if kind == AGENT:
        for n in range(count):
            above[n] += below[n]
    else:
        for n in range(count):
            above[n] = max(above[n], below[n])


@kernel
def _into_lane(reach: Array, ending: Array, lane: Integer, count: int) -> None:
    for n in range(count):
        ending[n, lane] = reach[n]


@kernel
def _from_lane(kind: int, ending: Array, lane: Integer, stake: float, above: Array, count: int) -> None:
    """`_close` for an ending in a lane; where nobody acts before it, its value is that of the entry."""
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
def _give_up(reach: Array, low: Array, high: Array, by_card: Array, count: int) -> None:
    """reach[H, LANES] becomes the reach of all hands that do not meet one's own. (Lanes written out: they become one move.)"""
    a = b = c = d = 0.0
    by_card[:] = 0.0
    for n in range(count):
        one, other = low[n], high[n]
        e, f, g, h = reach[n, 0], reach[n, 1], reach[n, 2], reach[n, 3]
        a, b, c, d = a + e, b + f, c + g, d + h
        _add(by_card, one, e, f, g, h)
        _add(by_card, other, e, f, g, h)
    for n in range(count):
        one, other = low[n], high[n]
        e = a - by_card[one, 0] - by_card[other, 0] + reach[n, 0]
        f = b - by_card[one, 1] - by_card[other, 1] + reach[n, 1]
        g = c - by_card[one, 2] - by_card[other, 2] + reach[n, 2]
        h = d - by_card[one, 3] - by_card[other, 3] + reach[n, 3]
        reach[n, 0], reach[n, 1], reach[n, 2], reach[n, 3] = e, f, g, h


@kernel
def _show(reach: Array, low: Array, high: Array, tied: Array, by_card: Array, value: Array, count: int) -> None:
    """reach[H, LANES] becomes that of hands that one's own beats, less those it loses to, of those it does not meet.

    Hands beaten are those before one's group of equals, hands lost to all but those up to its end.
    """
    a = b = c = d = 0.0
    by_card[:] = 0.0
    begin = np.uint32(0)
    while begin < count:
        end = tied[begin]
        for n in range(begin, end):
            one, other = low[n], high[n]
            e = a - by_card[one, 0] - by_card[other, 0]
            f = b - by_card[one, 1] - by_card[other, 1]
            g = c - by_card[one, 2] - by_card[other, 2]
            h = d - by_card[one, 3] - by_card[other, 3]
            value[n, 0], value[n, 1], value[n, 2], value[n, 3] = e, f, g, h
        for n in range(begin, end):
            e, f, g, h = reach[n, 0], reach[n, 1], reach[n, 2], reach[n, 3]
            a, b, c, d = a + e, b + f, c + g, d + h
            _add(by_card, low[n], e, f, g, h)
            _add(by_card, high[n], e, f, g, h)
        for n in range(begin, end):
            one, other = low[n], high[n]
            e = value[n, 0] + (a - by_card[one, 0] - by_card[other, 0])
            f = value[n, 1] + (b - by_card[one, 1] - by_card[other, 1])
            g = value[n, 2] + (c - by_card[one, 2] - by_card[other, 2])
            h = value[n, 3] + (d - by_card[one, 3] - by_card[other, 3])
            value[n, 0], value[n, 1], value[n, 2], value[n, 3] = e, f, g, h
        begin = end
    for n in range(count):
        one, other = low[n], high[n]
        e = value[n, 0] - (a - by_card[one, 0] - by_card[other, 0])
        f = value[n, 1] - (b - by_card[one, 1] - by_card[other, 1])
        g = value[n, 2] - (c - by_card[one, 2] - by_card[other, 2])
        h = value[n, 3] - (d - by_card[one, 3] - by_card[other, 3])
        reach[n, 0], reach[n, 1], reach[n, 2], reach[n, 3] = e, f, g, h


@inlined
def _add(by_card: Array, card: int, e: float, f: float, g: float, h: float) -> None:
    p, q, r, s = by_card[card, 0] + e, by_card[card, 1] + f, by_card[card, 2] + g, by_card[card, 3] + h
    by_card[card, 0], by_card[card, 1], by_card[card, 2], by_card[card, 3] = p, q, r, s


@kernel
def _bury(betting: Betting, step: int, end: int, room: Room) -> None:
    """The agent never comes to these steps: neither to what follows on later streets."""
    for n in range(step, end):
        if betting.kind[n] == NEXT:
            room.alive[betting.entry[n]] = False


@kernel
def _clear(betting: Betting, street: int, room: Room) -> None:
    for entry in range(betting.street[street], betting.street[street + 1]):
        room.value[entry] = 0.0


@kernel
def _average(betting: Betting, street: int, suits: Suits, same: Array, cards: int, room: Room) -> None:
    """Values summed over boards that stand for all become means over the `cards` that may come, the same in alike suits."""
    count, mean = 0, room.mean
    for change in range(len(same)):
        count += same[change]
    for entry in range(betting.street[street], betting.street[street + 1]):
        if not room.alive[entry]:
            continue
        value = room.value[entry]
        mean[:, 0] = value
        for change in range(1, len(same) if count > 1 else 1):
            if same[change]:
                moved = suits.hand[change]
                for hand in range(len(value)):
                    mean[hand, 0] += value[moved[hand]]
        for hand in range(len(value)):
            value[hand] = mean[hand, 0] / (count * cards)


# What is seen of the cards


@inlined
def _among(card: int, cards: Array) -> bool:
    found = False
    for other in cards:
        found |= other == card
    return found


@kernel
def _alike(suits: Suits, same: Array, card: int) -> int:
    """How many cards the changes of suits make of this one; 0 where a lower one stands for it."""
    changes, stay = 0, 0
    for change in range(len(same)):
        if same[change]:
            if suits.card[change, card] < card:
                return 0
            changes += 1
            stay += suits.card[change, card] == card
    return changes // stay


@kernel
def _see(cards: Cards, street: int, board: Array, place: Array, times: int, seen: Seen, view: int, room: Room) -> None:
    """The hands that a board leaves, and what the agent sees with each."""
    size, number, count = len(cards.evaluator.card_key), 0, 0
    free_hands(size, board[:0], board, room.free)
    see_buckets(cards, street, place, size, room.bucket)
    for high in range(size):
        for low in range(high):
            if room.free[number]:
                seen.hand[view, count], seen.bucket[view, count] = number, room.bucket[number]
                seen.low[view, count], seen.high[view, count] = low, high
                count += 1
            number += 1
    seen.left[view], seen.times[view] = count, times


@kernel
def _sort_hands(cards: Cards, board: Array, seen: Seen, view: int, room: Room) -> None:
    """Put the hands of a river in the order of their strength and find those as strong as one another."""
    evaluator, strength, spare, ranked = cards.evaluator, room.strength, room.spare, room.ranked
    count, low, high = seen.left[view], seen.low[view], seen.high[view]
    keys, mask = np.uint64(0), np.uint64(0)
    for card in board:
        keys += evaluator.card_key[card]
        mask += evaluator.card_mask[card]
    for n in range(count):
        own_keys, own_mask = keys + evaluator.card_key[low[n]], mask + evaluator.card_mask[low[n]]
        strength[n] = evaluate(evaluator, own_keys + evaluator.card_key[high[n]], own_mask + evaluator.card_mask[high[n]])
        ranked[n] = n
    sort_by_digit(strength, ranked, spare, count, 0, room.places)
    sort_by_digit(strength, spare, ranked, count, _DIGIT, room.places)
    for column in (seen.hand[view], seen.bucket[view], low, high):
        for n in range(count):
            spare[n] = column[ranked[n]]
        column[:count] = spare[:count]
    end = count
    for n in range(count - 1, -1, -1):
        if n + 1 < count and strength[ranked[n]] != strength[ranked[n + 1]]:
            end = n + 1
        seen.tied[view, n] = end

"""How strong cards are against cards that are more or less likely: hand strength and potentials (Papp 1998).

Hands of the other are in classes by their equity on the board; a model says how likely each class is, and all hands of a
class are alike. The hand strength is exact. The potentials are of cards to come after some of the hands: every STRIDE-th,
one draw for each, by a generator that the cards seed, so that the same observation always looks the same.
"""

from __future__ import annotations

import numpy as np

from smoothcall.kernels import inlined, kernel
from smoothcall.kernels.holdem.boards import insert, rank_board
from smoothcall.kernels.holdem.buckets import RIVER, VISIBLE, Cards, board_entry, board_row, hand_after
from smoothcall.kernels.holdem.drawing import draw_other
from smoothcall.kernels.holdem.evaluator import add_card, add_cards, evaluate
from smoothcall.kernels.simulation.observations import CARD, CARDS, STREET
from smoothcall.kernels.tables import Array, Integer

STRENGTH, GETTING_AHEAD, FALLING_BEHIND = range(3)  # what is said of each observation: HS, PPot, NPot
STRIDE = 3
SMALLEST = 0.02  # share of hands: a class is not thought to be rarer
_ZERO, _ONE = np.uint64(0), np.uint64(1)
_MULTIPLIER, _STEP = np.uint64(0x9E3779B97F4A7C15), np.uint64(29)
_AHEAD, _TIED, _BEHIND = range(3)


@kernel
def weigh_hands(cards: Cards, edges: Array, likely: Array, seen: Array, said: Array) -> None:
    """seen[n, CARD_OBSERVATION], of boards with cards on them -> said[n, 3] float64: HS, PPot, NPot.

    cards holds equities in whole parts where others hold buckets; edges[4, K - 1] by street cut these into K classes, and
    likely[n, K] is how likely the other's hand is in each. All hands are alike where likely has no columns.
    """
    size = len(cards.binomial) - 1
    unseen, board = np.empty(size, np.uint32), np.empty(CARDS - 2, np.uint8)
    kind = np.zeros(size * (size - 1) // 2, np.int64)  # class of each hand
    classes = likely.shape[1]
    weight = np.ones(max(classes, 1))
    now, then = np.zeros(3), np.zeros((3, 3))  # weights of hands: as they compare now, and of some after all cards
    generator = np.empty(4, np.uint64)
    for n in range(len(seen)):
        street = int(seen[n, STREET])
        left = _list_unseen(seen[n], size, unseen)
        hands = left * (left - 1) // 2
        if classes > 0:
            _find_classes(cards, edges[street], street, seen[n], unseen, left, board, kind)
            _weigh_classes(kind, hands, likely[n], weight)
        _seed(seen[n], generator)
        _compare(cards, seen[n], street, unseen, left, kind, weight, generator, now, then)
        _summarise(now, then, said[n])


@inlined
def _list_unseen(seen: Array, size: int, unseen: Array) -> int:
    known = _ZERO
    for place in range(CARDS):
        card = int(seen[CARD + place])
        if card >= 0:
            known |= _ONE << np.uint64(card)
    left = 0
    for card in range(size):
        if known & (_ONE << np.uint64(card)) == _ZERO:
            unseen[left] = card
            left += 1
    return left


@inlined
def _seed(seen: Array, generator: Array) -> None:
    state = _MULTIPLIER
    for place in range(CARDS):
        state = (state ^ np.uint64(int(seen[CARD + place]) + 1)) * _MULTIPLIER
        state ^= state >> _STEP
    for part in range(4):
        state = (state + _ONE) * _MULTIPLIER
        generator[part] = state ^ (state >> _STEP)


@kernel
def _find_classes(
    cards: Cards, edges: Array, street: int, seen: Array, unseen: Array, left: int, board: Array, kind: Array
) -> None:
    """Fill kind with the class of every hand of unseen[:left], in the order of `_compare`."""
    shown = VISIBLE[street] - 2
    for place in range(shown):
        insert(board, place, np.uint8(seen[CARD + 2 + place]))
    rank = rank_board(board, shown, cards.binomial)
    entry, hand = board_entry(cards, street, rank), 0
    row, river_bucket = board_row(cards, street, entry), cards.river_bucket
    for one in range(left):
        for other in range(one + 1, left):
            found = row[hand_after(cards, entry, unseen[one], unseen[other])]
            if street == RIVER:
                found = river_bucket[np.uint32(found)]
            number = 0
            for edge in edges:
                number += found >= edge
            kind[hand] = number
            hand += 1


@inlined
def _weigh_classes(kind: Array, hands: int, likely: Array, weight: Array) -> None:
    """weight[K] of every hand of a class: how likely the class is, by the share of hands that are in it."""
    weight[:] = 0
    for hand in range(hands):
        weight[kind[hand]] += 1
    for number in range(len(weight)):
        weight[number] = likely[number] / max(weight[number] / hands, SMALLEST)


@kernel
def _compare(
    cards: Cards,
    seen: Array,
    street: int,
    unseen: Array,
    left: int,
    kind: Array,
    weight: Array,
    generator: Array,
    now: Array,
    then: Array,
) -> None:
    """Add up the weights of all hands that are worse, alike and better: now[3]; of some, also after the cards to come."""
    evaluator = cards.evaluator
    own_keys, own_mask = add_cards(evaluator, seen, CARD, CARD + 2)
    keys, mask = add_cards(evaluator, seen, CARD + 2, CARD + VISIBLE[street])
    own = evaluate(evaluator, keys + own_keys, mask + own_mask)
    now[:] = 0
    then[:] = 0
    hand, coming, weighted = 0, CARDS - VISIBLE[street], len(weight) > 1
    for one in range(left):
        one_keys, one_mask = add_card(evaluator, unseen[one], _ZERO, _ZERO)
        for other in range(one + 1, left):
            other_keys, other_mask = add_card(evaluator, unseen[other], one_keys, one_mask)
            before = _order(own, evaluate(evaluator, keys + other_keys, mask + other_mask))
            counts = weight[kind[hand]] if weighted else 1.0
            now[before] += counts
            if coming > 0 and hand % STRIDE == 0:
                first = draw_other(generator, left, one, other, left)
                all_keys, all_mask = add_card(evaluator, unseen[first], keys, mask)
                if coming > 1:
                    second = draw_other(generator, left, one, other, first)
                    all_keys, all_mask = add_card(evaluator, unseen[second], all_keys, all_mask)
                mine = evaluate(evaluator, all_keys + own_keys, all_mask + own_mask)
                theirs = evaluate(evaluator, all_keys + other_keys, all_mask + other_mask)
                then[before, _order(mine, theirs)] += counts
            hand += 1


@inlined
def _order(mine: Integer, theirs: Integer) -> int:
    return _AHEAD if mine > theirs else (_TIED if mine == theirs else _BEHIND)


@inlined
def _summarise(now: Array, then: Array, said: Array) -> None:
    """A tie counts as half ahead and half behind."""
    total = now.sum()
    said[STRENGTH] = (now[_AHEAD] + now[_TIED] / 2) / total if total > 0 else 0.5
    behind, ahead = then[_BEHIND].sum() + then[_TIED].sum() / 2, then[_AHEAD].sum() + then[_TIED].sum() / 2
    said[GETTING_AHEAD] = said[FALLING_BEHIND] = 0
    if behind > 0:
        said[GETTING_AHEAD] = (then[_BEHIND, _AHEAD] + (then[_BEHIND, _TIED] + then[_TIED, _AHEAD]) / 2) / behind
    if ahead > 0:
        said[FALLING_BEHIND] = (then[_AHEAD, _BEHIND] + (then[_AHEAD, _TIED] + then[_TIED, _BEHIND]) / 2) / ahead

"""Hand strength and potentials against weighted hands of the opponent (Papp 1998).

The opponent's hands are in classes by their equity on the board. A model gives a probability to each class; hands of one
class are equally likely. Hand strength is exact. Potentials are estimated: for every STRIDE-th hand the cards to come are
sampled once, by a generator that the visible cards seed, so that equal observations give equal results.
"""

from __future__ import annotations

import numpy as np

from smoothcall.kernels import callee, inlined, kernel
from smoothcall.kernels.holdem.boards import insert, rank_board
from smoothcall.kernels.holdem.buckets import RIVER, VISIBLE, Cards, board_entry, board_row, hand_after
from smoothcall.kernels.holdem.drawing import draw_other
from smoothcall.kernels.holdem.evaluator import add_card, add_cards, evaluate
from smoothcall.kernels.simulation.observations import CARD, CARDS, STREET
from smoothcall.kernels.tables import Array, Integer

STRENGTH, GETTING_AHEAD, FALLING_BEHIND = range(3)  # columns of the result: HS, PPot, NPot
STRIDE = 3
SMALLEST = 0.02  # smallest share of hands of a class, to bound its weight
_ZERO, _ONE = np.uint64(0), np.uint64(1)
_MULTIPLIER, _STEP = np.uint64(0x9E3779B97F4A7C15), np.uint64(29)
_AHEAD, _TIED, _BEHIND = range(3)


@kernel
def weigh_hands(cards: Cards, edges: Array, classes: Array, observations: Array, found: Array) -> None:
    """Fill found[n, 3] float64 with HS, PPot and NPot of observations[n, CARD_OBSERVATION] after the flop.

    `cards` holds equities in units of 1 / PARTS in place of buckets; edges[4, K - 1] by street cut these into K classes, and
    classes[n, K] are the probabilities of the opponent's class. If K is 0, all hands are equally likely.
    """
    size = len(cards.binomial) - 1
    unseen, board = np.empty(size, np.uint32), np.empty(CARDS - 2, np.uint8)
    kind = np.zeros(size * (size - 1) // 2, np.int64)  # class of each hand
    count = classes.shape[1]
    weight = np.ones(max(count, 1))
    now, then = np.zeros(3), np.zeros((3, 3))  # weights of hands: as they compare now, and of some after all cards
    generator = np.empty(4, np.uint64)
    for n in range(len(observations)):
        street = int(observations[n, STREET])
        left = _list_unseen(observations[n], size, unseen)
        hands = left * (left - 1) // 2
        if count > 0:
            _find_classes(cards, edges[street], street, observations[n], unseen, left, board, kind)
            _weigh_classes(kind, hands, classes[n], weight)
        _seed(observations[n], generator)
        _compare(cards, observations[n], street, unseen, left, kind, weight, generator, now, then)
        _summarise(now, then, found[n])


@inlined
def _list_unseen(observation: Array, size: int, unseen: Array) -> int:
    known = _ZERO
    for place in range(CARDS):
        card = int(observation[CARD + place])
        if card >= 0:
            known |= _ONE << np.uint64(card)
    left = int(0)  # no literal: Numba compiles a callee once more for each
    for card in range(size):
        if known & (_ONE << np.uint64(card)) == _ZERO:
            unseen[left] = card
            left += 1
    return left


@inlined
def _seed(observation: Array, generator: Array) -> None:
    state = _MULTIPLIER
    for place in range(CARDS):
        state = (state ^ np.uint64(int(observation[CARD + place]) + 1)) * _MULTIPLIER
        state ^= state >> _STEP
    for part in range(4):
        state = (state + _ONE) * _MULTIPLIER
        generator[part] = state ^ (state >> _STEP)


@callee
def _find_classes(
    cards: Cards, edges: Array, street: int, observation: Array, unseen: Array, left: int, board: Array, kind: Array
) -> None:
    """Fill kind with the class of every hand of unseen[:left], in the order of `_compare`."""
    shown = VISIBLE[street] - 2
    for place in range(shown):
        insert(board, place, np.uint8(observation[CARD + 2 + place]))
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
def _weigh_classes(kind: Array, hands: int, classes: Array, weight: Array) -> None:
    """Fill weight[K] with the weight of a hand of each class: probability of the class over its share of all hands."""
    weight[:] = 0
    for hand in range(hands):
        weight[kind[hand]] += 1
    for number in range(len(weight)):
        weight[number] = classes[number] / max(weight[number] / hands, SMALLEST)


@callee
def _compare(
    cards: Cards,
    observation: Array,
    street: int,
    unseen: Array,
    left: int,
    kind: Array,
    weight: Array,
    generator: Array,
    now: Array,
    then: Array,
) -> None:
    """Sum the weights of hands that are worse, equal and better now, in now[3]; for some also after the cards to come, in
    then[3, 3].
    """
    evaluator = cards.evaluator
    own_keys, own_mask = add_cards(evaluator, observation, CARD, CARD + 2)
    keys, mask = add_cards(evaluator, observation, CARD + 2, CARD + VISIBLE[street])
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
def _summarise(now: Array, then: Array, found: Array) -> None:
    """Turn sums of weights into HS, PPot and NPot; a tie counts as half ahead and half behind."""
    total = now.sum()
    found[STRENGTH] = (now[_AHEAD] + now[_TIED] / 2) / total if total > 0 else 0.5
    behind, ahead = then[_BEHIND].sum() + then[_TIED].sum() / 2, then[_AHEAD].sum() + then[_TIED].sum() / 2
    found[GETTING_AHEAD] = found[FALLING_BEHIND] = 0
    if behind > 0:
        found[GETTING_AHEAD] = (then[_BEHIND, _AHEAD] + (then[_BEHIND, _TIED] + then[_TIED, _AHEAD]) / 2) / behind
    if ahead > 0:
        found[FALLING_BEHIND] = (then[_AHEAD, _BEHIND] + (then[_AHEAD, _TIED] + then[_TIED, _BEHIND]) / 2) / ahead

"""Counting winners over every board or random ones, by the set of players who share the pot, one bit per player."""

from __future__ import annotations

import numpy as np

from smoothcall.kernels import callee, kernel
from smoothcall.kernels.holdem.drawing import card_set, draw_rest
from smoothcall.kernels.holdem.evaluator import Evaluator, Number, add_cards, evaluate, step
from smoothcall.kernels.random import draw
from smoothcall.kernels.tables import Array
from smoothcall.kernels.vectors import copy

_ZERO = np.uint64(0)


@kernel
def count_winners(evaluator: Evaluator, hands: Array, weight: Array, removed: Array, board: Array, winners: Array) -> None:
    """Add to winners[2 ** P] int64 over every board, for every choice of hands.

    hands[n, P, 2] uint8: choices of hands, each counted weight[n] int64 times; board[] uint8: up to five cards;
    removed[] uint8: the board and dead cards, which cannot come.
    """
    players, coming = hands.shape[1], 5 - len(board)
    keys, mask = np.zeros(coming + 1, np.uint64), np.zeros(coming + 1, np.uint64)  # sums of the board and so many more cards
    own_keys, own_mask = np.zeros(players, np.uint64), np.zeros(players, np.uint64)
    keys[0], mask[0] = add_cards(evaluator, board, 0, len(board))
    for n in range(len(hands)):
        here = np.zeros(len(winners), np.int64)
        for player in range(players):
            own_keys[player], own_mask[player] = add_cards(evaluator, hands[n, player], 0, 2)
        if coming == 0:
            here[_winners(evaluator, own_keys, own_mask, keys[0], mask[0])] += 1
        else:
            left = _left(len(evaluator.card_key), removed, hands[n])
            left_key, left_mask = evaluator.card_key[left], evaluator.card_mask[left]
            choice = np.arange(coming - 1)  # the last card is the loop below
            changed = 0
            while changed >= 0:
                for c in range(changed, coming - 1):
                    keys[c + 1] = keys[c] + left_key[choice[c]]
                    mask[c + 1] = mask[c] + left_mask[choice[c]]
                first = choice[coming - 2] + 1 if coming > 1 else 0
                for last in range(first, len(left)):
                    board_keys, board_mask = keys[coming - 1] + left_key[last], mask[coming - 1] + left_mask[last]
                    here[_winners(evaluator, own_keys, own_mask, board_keys, board_mask)] += 1
                changed = step(choice, len(left) - 1)
        winners += weight[n] * here


@kernel
def sample_winners(
    evaluator: Evaluator, combos: Array, start: Array, removed: Array, board: Array, samples: int, state: Array, winners: Array
) -> int:
    """Add to winners[2 ** P] int64 over random hands and boards; return the number of samples.

    Player p holds one of combos[start[p] : start[p + 1]], uint8 pairs, all equally likely. The number of samples is smaller
    than `samples` where the hands nearly always share a card.
    """
    players, size = len(start) - 1, len(evaluator.card_key)
    own_keys, own_mask = np.zeros(players, np.uint64), np.zeros(players, np.uint64)
    full, known = np.zeros(5, np.uint8), card_set(removed, 0, len(removed))
    copy(board, full)
    done = tries = 0
    while done < samples and tries < 1000 * (done + 1000):
        tries += 1
        fit, taken = True, known
        for player in range(players):
            hand = combos[start[player] + int(draw(state) * (start[player + 1] - start[player]))]
            held = card_set(hand, 0, 2)
            fit = fit and taken & held == _ZERO
            taken |= held
            own_keys[player], own_mask[player] = add_cards(evaluator, hand, 0, 2)
        if not fit:
            continue
        draw_rest(full, len(board), taken, size, state)
        keys, mask = add_cards(evaluator, full, 0, 5)
        winners[_winners(evaluator, own_keys, own_mask, keys, mask)] += 1
        done += 1
    return done


@callee
def _winners(evaluator: Evaluator, own_keys: Array, own_mask: Array, board_keys: Number, board_mask: Number) -> int:
    best, bits = 0, 0
    for player in range(len(own_keys)):
        strength = int(evaluate(evaluator, board_keys + own_keys[player], board_mask + own_mask[player]))
        if strength > best:
            best, bits = strength, 0
        if strength == best:
            bits |= 1 << player
    return bits


@kernel
def _left(size: int, removed: Array, hands: Array) -> Array:
    """Return the cards that may still come."""
    free = np.ones(size, np.bool_)
    free[removed] = False
    for hand in hands:
        free[hand] = False
    return np.flatnonzero(free)

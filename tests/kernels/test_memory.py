"""Memories: what hand-made hands leave in them, and the laws that draws and samples obey."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
import scipy  # its parts are imported at their first use

from smoothcall.kernels.learners import memory as kernels
from smoothcall.kernels.learners.nfsp import draw_hand_policies
from smoothcall.kernels.random import draw, seeded
from smoothcall.kernels.simulation.batch import Hands
from smoothcall.kernels.tables import Array
from smoothcall.learners.memory import (
    AVERAGE,
    BEST,
    GRADIENT,
    draw_moves,
    draw_transitions,
    new_reservoir,
    new_ring,
    policy_modes,
)
from tests.conftest import INTERPRETED

UNLIKELY = 1e-4  # p-values below it are no accident; seeds are fixed
NOBODY = np.full(4, -1, np.int8)


def no_hands(count: int, seats: int, moves: int, width: int = 1) -> Hands:
    """Hands that go on and in which nothing has happened."""
    return Hands(
        node=np.zeros(count, np.int32),
        dealt=np.zeros((count, seats, 1), np.int32),
        outcome=np.zeros(count, np.uint32),
        policy=np.zeros((count, seats), np.int8),
        moves=np.zeros((count, seats), np.int8),
        observations=np.full((count, seats, moves, width), -7, np.int32),
        action=np.full((count, seats, moves), -7, np.int8),
        over=np.zeros(count, bool),
        won=np.zeros((count, seats), np.float32),
    )


def one_move_each(numbers: Array) -> Hands:
    """Hands for one that are over: in each it saw a number and did its remainder by 5."""
    hands = no_hands(len(numbers), 1, 1)
    hands.over[:], hands.moves[:] = True, 1
    hands.observations[:, 0, 0, 0], hands.action[:, 0, 0], hands.won[:, 0] = numbers, numbers % 5, numbers / 2
    return hands


def made_up() -> Hands:
    """Four hands of two seats. The second goes on; in the third nobody in seat 0 has moved."""
    hands = no_hands(4, 2, 3, width=2)
    hands.over[:] = True, False, True, True
    hands.policy[:] = [[0, 1], [0, 1], [1, 2], [3, 0]]
    hands.won[:] = [[5, -5], [9, 9], [1.5, -1.5], [-2, 2]]
    hands.moves[:] = [[3, 1], [2, 2], [0, 2], [1, 1]]
    for hand, seat in np.ndindex(4, 2):
        for move in range(hands.moves[hand, seat]):
            number = 100 * hand + 10 * seat + move
            hands.observations[hand, seat, move] = number, -number
            hands.action[hand, seat, move] = move + seat
    return hands


@pytest.mark.interpreted
def test_transitions_of_hand_made_hands() -> None:
    """Players 0 and 2 remember in memory 1, player 1 in memory 0, player 3 in none."""
    hands, ring = made_up(), new_ring(2, 10, 2, np.int32)
    kernels.remember(hands, np.array([1, 0, 1, -1], np.int8), ring)
    assert ring.total.tolist() == [1, 6]
    wanted = {  # (observation, action, after, left, won)
        0: [(10, 1, None, 0, -5.0)],
        1: [
            (0, 0, 1, 2, 5.0),
            (1, 1, 2, 1, 5.0),
            (2, 2, None, 0, 5.0),
            (210, 1, 211, 1, -1.5),
            (211, 2, None, 0, -1.5),
            (310, 1, None, 0, 2.0),
        ],
    }
    for own, moves in wanted.items():
        for place, (observation, action, after, left, won) in enumerate(moves):
            assert ring.observations[own, place].tolist() == [observation, -observation]
            if after is not None:
                assert ring.next_observations[own, place].tolist() == [after, -after]
            assert (ring.action[own, place], ring.moves_left[own, place], ring.won[own, place]) == (action, left, won)
    assert not ring.observations[0, 1:].any()
    assert not ring.observations[1, 6:].any()


@pytest.mark.interpreted
def test_a_ring_overwrites_the_oldest() -> None:
    ring, memory = new_ring(1, 4, 1, np.int32), np.zeros(1, np.int8)
    for numbers, wanted in (
        ([1, 2, 3], [1, 2, 3, 0]),
        ([4, 5], [5, 2, 3, 4]),
        ([6, 7, 8, 9, 10, 11], [9, 10, 11, 8]),
    ):
        kernels.remember(one_move_each(np.array(numbers)), memory, ring)
        assert ring.observations[0, :, 0].tolist() == wanted
        assert ring.action[0].tolist() == [number % 5 for number in wanted]
        assert ring.won[0].tolist() == [number / 2 for number in wanted]
    assert ring.total[0] == 11


@pytest.mark.interpreted
def test_reservoirs_take_everything_until_they_are_full() -> None:
    hands, reservoir = made_up(), new_reservoir(2, 6, 2, np.int32)
    kernels.keep(hands, np.array([1, 0, 1, -1], np.int8), reservoir, seeded(1)[0])
    assert reservoir.total.tolist() == [1, 6]
    assert reservoir.observations[1, :, 0].tolist() == [0, 1, 2, 210, 211, 310]
    assert reservoir.action[1].tolist() == [0, 1, 2, 1, 2, 1]
    kernels.keep(hands, NOBODY, reservoir, seeded(1)[0])
    assert reservoir.total.tolist() == [1, 6], "nobody's moves are kept nowhere"
    ring = new_ring(2, 6, 2, np.int32)
    kernels.remember(hands, NOBODY, ring)
    assert ring.total.tolist() == [0, 0]


def kept(arrivals: Array, size: int, times: int, seed: int) -> Counter[tuple[int, ...]]:
    """How often each set of numbers is what a reservoir of a size keeps of these arrivals."""
    hands, memory, generator, found = one_move_each(arrivals), np.zeros(1, np.int8), seeded(seed)[0], Counter()
    reservoir = new_reservoir(1, size, 1, np.int32)
    for _ in range(times):
        reservoir.total[:] = 0
        kernels.keep(hands, memory, reservoir, generator)
        assert reservoir.total[0] == len(arrivals)
        assert (reservoir.action[0] == reservoir.observations[0, :, 0] % 5).all(), "each observation with its action"
        found[tuple(sorted(reservoir.observations[0, :, 0].tolist()))] += 1
    return found


def test_a_reservoir_keeps_every_set_equally_often() -> None:
    """3 of 6: all 20 sets alike, and so every move, whenever it came."""
    sets, times = list(combinations(range(1, 7), 3)), 200 if INTERPRETED else 20_000
    found = kept(np.arange(1, 7), 3, times, seed=1)
    assert set(found) <= set(sets)
    assert scipy.stats.chisquare([found[each] for each in sets]).pvalue > UNLIKELY


def test_the_order_of_arrival_does_not_matter() -> None:
    """5 of 20, forwards and backwards: each is kept a quarter of the time, the first and the last no more than any."""
    times = 200 if INTERPRETED else 10_000
    counts = []
    for seed, arrivals in enumerate((np.arange(20), np.arange(20)[::-1])):
        found = kept(arrivals, 5, times, seed)
        count = np.array([sum(often for each, often in found.items() if number in each) for number in range(20)])
        # of draws without replacement the counts vary less: by 1 - 5/20, and they add up, which leaves 19 of 20
        statistic = ((count - times / 4) ** 2).sum() / (times * 1 / 4 * 3 / 4 * 20 / 19)
        assert 2 < statistic < 55  # chi-square, 19 degrees of freedom: each 1 in 40,000 or less
        counts.append(count)
    assert scipy.stats.chi2_contingency(counts).pvalue > UNLIKELY


def test_draws_are_uniform_over_what_is_known() -> None:
    """Also from a memory that is not full yet, which has nothing else to give."""
    generator, memory = seeded(5)[0], np.zeros(1, np.int8)
    for count in (7, 10, 33):
        hands, known = one_move_each(np.arange(100, 100 + count)), min(count, 10)
        ring, reservoir = new_ring(1, 10, 1, np.int32), new_reservoir(1, 10, 1, np.int32)
        kernels.remember(hands, memory, ring)
        kernels.keep(hands, memory, reservoir, generator)
        batch = 50 if INTERPRETED else 5_000
        for sampled, held in (
            (draw_transitions(ring, 4, batch, generator), ring),
            (draw_moves(reservoir, 4, batch, generator), reservoir),
        ):
            assert sampled.action.shape == (4, 1, batch)
            often = Counter(sampled.observations.reshape(-1).tolist())
            assert set(often) <= set(held.observations[0, :known, 0].tolist())
            assert (
                scipy.stats.chisquare([often[number] for number in held.observations[0, :known, 0].tolist()]).pvalue > UNLIKELY
            )
            one, two = sampled.observations[0, 0, ::2, 0], sampled.observations[0, 0, 1::2, 0]
            assert 0.5 / known < (one == two).mean() < 2 / known, "a draw says nothing of the next"
            assert (sampled.observations[0] != sampled.observations[1]).any(), "updates draw their own"


def test_what_is_drawn_belongs_together() -> None:
    """Two memories, of hands of three moves: hand h was worth h, and its move m saw 10 h + m."""
    hands = no_hands(40, 2, 3)
    hands.over[:], hands.moves[:], hands.policy[:] = True, 3, [0, 1]
    for hand, seat, move in np.ndindex(40, 2, 3):
        hands.observations[hand, seat, move], hands.action[hand, seat, move] = 1000 * seat + 10 * hand + move, move
        hands.won[hand, seat] = hand
    ring, reservoir = new_ring(2, 100, 1, np.int32), new_reservoir(2, 100, 1, np.int32)
    kernels.remember(hands, np.array([0, 1], np.int8), ring)
    kernels.keep(hands, np.array([0, 1], np.int8), reservoir, seeded(1)[0])
    sampled, moves = draw_transitions(ring, 3, 500, seeded(2)[0]), draw_moves(reservoir, 3, 500, seeded(3)[0])
    for own in (0, 1):
        number = sampled.observations[:, own, :, 0] - 1000 * own
        assert (number // 10 == sampled.won[:, own]).all()
        assert (number % 10 == sampled.action[:, own]).all()
        assert (number % 10 == 2 - sampled.moves_left[:, own]).all()
        goes_on = sampled.moves_left[:, own] > 0
        assert (sampled.next_observations[:, own, :, 0] - sampled.observations[:, own, :, 0] == 1)[goes_on].all()
        assert ((moves.observations[:, own, :, 0] - 1000 * own) % 10 == moves.action[:, own]).all()
        assert number.min() == 62, "120 moves were made, the first 20 are gone"


@pytest.mark.parametrize("rho", [1.0, 0.7])
def test_policies_of_hands_are_sampled_by_eta_and_rho(rho: float) -> None:
    """Average policy 2p; best response 2p + 1 with probability eta * rho; gradient 2P + p. Hands in play keep theirs."""
    count = 100 if INTERPRETED else 20_000
    hands = no_hands(count, 3, 1)
    hands.over[::2], hands.policy[:] = True, 9
    draw_hand_policies(hands, 0.1, rho, seeded(1)[0])
    assert (hands.policy[1::2] == 9).all()
    seat, who = np.arange(3), hands.policy[::2]
    best, gradient = who == 2 * seat + 1, who == 6 + seat
    assert (best | gradient | (who == 2 * seat)).all()
    player, mode = policy_modes(3)
    assert (player[who] == seat).all()
    np.testing.assert_array_equal(mode[who], np.where(best, BEST, np.where(gradient, GRADIENT, AVERAGE)))
    for own in range(3):
        assert scipy.stats.binomtest(int(best[:, own].sum()), count // 2, 0.1 * rho).pvalue > UNLIKELY
        assert scipy.stats.binomtest(int(gradient[:, own].sum()), count // 2, 0.1 * (1 - rho)).pvalue > UNLIKELY
    together = (best[:, 0] & best[:, 1]).sum()
    assert scipy.stats.binomtest(int(together), count // 2, (0.1 * rho) ** 2).pvalue > UNLIKELY, "seats are drawn apart"


def test_with_rho_1_no_number_is_drawn_for_the_gradient() -> None:
    hands, generator = no_hands(500, 2, 1), seeded(3)[0]
    hands.over[:], other = True, generator.copy()
    draw_hand_policies(hands, 0.3, 1.0, generator)
    numbers = np.array([draw(other) for _ in range(1000)]).reshape(500, 2)
    np.testing.assert_array_equal(hands.policy, 2 * np.arange(2) + (numbers < 0.3))
    np.testing.assert_array_equal(generator, other)

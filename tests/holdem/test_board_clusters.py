"""Clusters of boards: descriptions against a count card by card, the same for all suits, closest centres, and buckets."""

from __future__ import annotations

import numpy as np
import pytest

import smoothcall as sc
from smoothcall.games.cards import SHORT
from smoothcall.holdem.abstraction import INTERVALS, Abstraction
from smoothcall.holdem.board_clusters import LEVELS, describe
from smoothcall.holdem.hand_strength import FLOP, RIVER, STREETS, TURN, scale
from smoothcall.holdem.textures import spreads

GRID = (600, 300, 160)  # 10, 5 and 4 clusters


@pytest.fixture(scope="module")
def of() -> Abstraction:
    return Abstraction(SHORT, 2, GRID, "boards")


def test_descriptions_count_card_by_card(of: Abstraction) -> None:
    number = {name: place for place, name in enumerate(of.classes)}
    for street in STREETS:
        boards, most = of.strengths.boards[street].board, scale(SHORT, street)
        for board in np.linspace(0, len(boards) - 1, 4).astype(int).tolist():
            cards = boards[board].tolist()
            found: dict[str, list[int]] = {name: [] for name in of.classes}
            held = dict.fromkeys(of.classes, 0)
            for high in range(SHORT.size):
                for low in range(high):
                    held[of.class_of((low, high))] += 1
                    if low not in cards and high not in cards:
                        value = of.strengths.value((low, high), tuple(cards))
                        found[of.class_of((low, high))].append(round(value * LEVELS / most))
            described = describe(SHORT, street, of._preflop(), slice(board, board + 1))[0]
            for name, values in found.items():
                mean, greatest = (described[place] // held[name] for place in (number[name], number[name] + len(number)))
                assert greatest == max(values, default=0)
                assert abs(mean - (np.mean(values) if values else 0)) <= 0.5


def test_buckets_belong_to_one_cluster_and_spread(of: Abstraction) -> None:
    random = np.random.default_rng(1)
    for street, size in zip(STREETS, GRID, strict=True):
        kinds = of.board_kinds(street)
        assert set(kinds.tolist()) == set(range(size // spreads(street) // INTERVALS[street]))
        for _ in range(20):
            cards = [int(card) for card in random.choice(SHORT.size, 4 + street, replace=False)]
            hole, board = (cards[0], cards[1]), tuple(cards[2:])
            bucket = of.hand_buckets(street, board)[int(of.strengths.hand[hole])]
            kind, _ = of.strengths.place(hole, board)
            assert bucket // INTERVALS[street] // spreads(street) == kinds[kind]
            strength = of.strengths.value(hole, board) / of.strengths.scale(street)
            strength = strength**2 if street == RIVER else strength
            assert bucket % INTERVALS[street] == min(int(strength * INTERVALS[street] + 1e-9), INTERVALS[street] - 1)


def test_grids_they_refuse() -> None:
    assert [spreads(street) * INTERVALS[street] for street in (FLOP, TURN, RIVER)] == [60, 60, 40]
    with pytest.raises(sc.UsageError, match=r"grid=100/60/40 \(accepted with cells=boards: multiples of 60/60/40"):
        sc.game("limit-holdem:cells=boards,grid=100/60/40")

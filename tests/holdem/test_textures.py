"""Textures of boards: known boards, the same for all suits, and buckets that they keep apart."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import smoothcall as sc
from smoothcall.games.cards import SHORT, STANDARD
from smoothcall.holdem.abstraction import Abstraction
from smoothcall.holdem.hand_strength import FLOP, RIVER, STREETS, TURN
from smoothcall.holdem.textures import HIGHEST, PAIRS, SPREADS, TEXTURES, classes, textures
from smoothcall.play.cache import arrays_of


@pytest.mark.parametrize(
    ("board", "draws", "pairs", "highest"),
    [
        ("Ah7d2c", 0, 0, 2),
        ("Kh7h2c", 1, 0, 1),
        ("QhJhTh", 2, 0, 1),
        ("8h8d2c", 0, 1, 0),
        ("Ah7d2c9s", 0, 0, 2),
        ("Jh7h2h9s", 1, 0, 0),
        ("Jh7h2h9h", 2, 0, 0),
        ("Qc7h8d9sJh", 2, 0, 1),  # a ten makes a straight
        ("Ac2h3d5sKh", 2, 0, 2),  # a four does
        ("AcKhQdJsJh", 2, 1, 2),
        ("Kc7h8d2s2h", 0, 1, 1),
        ("Tc7c4c2s2h", 1, 1, 0),
    ],
)
def test_known_boards(board: str, draws: int, pairs: int, highest: int) -> None:
    cards = STANDARD.parse(board)
    for change in ((0, 1, 2, 3), (3, 1, 0, 2)):
        changed = [[card // 4 * 4 + change[card % 4] for card in cards]]
        assert textures(STANDARD, np.array(changed)).tolist() == [(draws * PAIRS + pairs) * HIGHEST + highest]


def test_buckets_belong_to_one_texture_and_spread() -> None:
    """By E[HS^2] and E[HS] found by enumeration, for some hands on some boards."""
    of = Abstraction(SHORT, 2, (108, 108, 36), "textures")
    random = np.random.default_rng(1)
    for _ in range(60):
        cards = [int(card) for card in random.choice(SHORT.size, 7, replace=False)]
        hole, board = (cards[0], cards[1]), cards[2:]
        boards = [(), tuple(board[:3]), (board[3],), (board[4],)]
        for street in STREETS:
            shown = board[: street + 2]
            texture = int(textures(SHORT, np.array([shown]))[0])
            intervals = of.grid[street - 1] // classes(street)
            bucket = of.bucket(hole, boards[: street + 1])
            spreads = len(SPREADS[street]) + 1 if street in SPREADS else 1
            assert bucket // intervals // spreads == texture
            if street == TURN:
                left = [card for card in range(SHORT.size) if card not in (*hole, *shown)]
                on_river = [of.strengths.value(hole, (*shown, card)) / of.strengths.scale(RIVER) for card in left]
                spread = sum(float(np.std(on_river)) > limit for limit in SPREADS[TURN])
                assert bucket // intervals % spreads == spread
                assert bucket % intervals == min(int(np.mean(np.square(on_river)) * intervals + 1e-9), intervals - 1)


def test_buckets_need_no_table_of_hands() -> None:
    """A server holds many abstractions: what finds the bucket of one hand has a number for each board, not for each hand on it.

    The tables that deals are sampled with have all buckets.
    """
    of = Abstraction(SHORT, 2, (108, 108, 36), "textures")
    of.read_tables()
    boards = sum(len(of.strengths.boards[street].board) for street in STREETS)
    assert sum(arrays_of(of).values()) <= 2 * boards + sum(edges.nbytes for edges in of.edges.values())
    deal = [(), (0, 9, 18), (3,), (30,)]
    for street in STREETS:
        shown = [card for cards in deal[: street + 1] for card in cards]
        found = of.hand_buckets(street, tuple(shown))
        left = [card for card in range(SHORT.size) if card not in shown]
        for hole in combinations(left, 2):
            assert found[of.strengths.hand[hole]] == of.bucket(hole, deal[: street + 1])


def test_grids_they_refuse() -> None:
    assert classes(RIVER) == TEXTURES
    assert classes(FLOP) == 3 * TEXTURES
    with pytest.raises(sc.UsageError, match=r"grid=100/100/100 \(accepted with cells=textures: multiples of 54/54/18"):
        sc.game("limit-holdem", cells="textures")

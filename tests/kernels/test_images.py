"""Pictures of observations made by hand: every plane and band."""

from __future__ import annotations

import numpy as np
import pytest

from smoothcall.agents.images import images, public_part
from smoothcall.errors import UsageError
from smoothcall.games.cards import STANDARD
from smoothcall.kernels.agents import images as kernels
from smoothcall.kernels.agents.images import LEFT, PLANES, SIDE, TOP
from smoothcall.kernels.simulation import observations as columns
from smoothcall.kernels.tables import CALLED, RAISED, Array

OWN = ("As", "Ah")
BOARD = ("2c", "Ad", "Ac", "Ks", "3d")


def card(text: str) -> int:
    return STANDARD.ranks.index(text[0]) * 4 + "cdhs".index(text[1])


def observation(street: int = 2, before: int = 1) -> Array:
    """On the street, the last move of the player having been on the one before."""
    seen = np.zeros((1, columns.CARD_OBSERVATION), np.float32)
    values = {columns.EQUITY: 0.75, columns.POT: 0.6, columns.STREET: street, columns.TO_CALL: 0.2, columns.STACK: 0.7,
              columns.OTHER_STACK: 0.5, columns.LAST: RAISED, columns.LAST_SIZE: 0.3, columns.RAISES: 0.4,
              columns.AGGRESSION: 0.9, columns.SEAT: 1, columns.BEFORE_STREET: before, columns.BEFORE_POT: 0.25,
              columns.BEFORE_CALL: 0.05}  # fmt: skip
    for column, value in values.items():
        seen[0, column] = value
    seen[0, columns.CARD :] = -1
    shown = [*OWN, *BOARD[: (0, 3, 4, 5)[street]]]
    seen[0, columns.CARD : columns.CARD + len(shown)] = [card(each) for each in shown]
    return seen


def plane_of(*cards: str) -> Array:
    plane = np.zeros((SIDE, SIDE), np.float32)
    for each in cards:
        plane[TOP + "cdhs".index(each[1]), LEFT + STANDARD.ranks.index(each[0])] = 1
    return plane


def test_cards() -> None:
    found = images(observation())[0]
    assert found.shape == (PLANES, SIDE, SIDE)
    for plane, cards in ((kernels.OWN, OWN), (kernels.BOARD, BOARD[:4]), (kernels.ALL, OWN + BOARD[:4]),
                         (kernels.BOARD_THEN, BOARD[:3]), (kernels.ALL_THEN, OWN + BOARD[:3])):  # fmt: skip
        np.testing.assert_array_equal(found[plane], plane_of(*cards))
    first = images(observation(0, -1))[0]
    assert not first[[kernels.BOARD, kernels.BOARD_THEN, kernels.ALL_THEN, kernels.MADE]].any()
    np.testing.assert_array_equal(first[kernels.ALL], plane_of(*OWN))
    np.testing.assert_array_equal(images(observation(1, 0))[0, kernels.ALL_THEN], plane_of(*OWN))


def test_numbers_are_bands() -> None:
    chips, rest = images(observation())[0, [kernels.CHIPS, kernels.REST]]
    assert chips[0:16:2, 0].tolist() == pytest.approx([0.6, 0.2, 0.7, 0.5, 0.25, 0.05, 0.3, 0.25])
    assert rest[0:16:2, 0].tolist() == pytest.approx([2 / 3, 1, 0, 0, 1, 0.4, 0.9, 0.5])
    for plane in (chips, rest):
        np.testing.assert_array_equal(plane[0:16:2], plane[1:16:2])
        assert (plane == plane[:, :1]).all()
        assert not plane[16].any()
    called = observation()
    called[0, [columns.LAST, columns.TO_CALL]] = CALLED, 0
    chips, rest = images(called)[0, [kernels.CHIPS, kernels.REST]]
    assert rest[0:16:2, 0].tolist() == pytest.approx([2 / 3, 1, 0, 1, 0, 0.4, 0.9, 0.5])
    assert chips[2 * kernels.ODDS, 0] == 0


def test_hand_made_planes() -> None:
    made, chance = images(observation())[0, [kernels.MADE, kernels.WIN]]
    assert (chance == 0.75).all()
    assert (made == np.float32(1 - 10 / 7462)).all(), "four aces and a king: only the ten straight flushes are better"
    assert not images(observation(), metrics=False)[0, [kernels.MADE, kernels.WIN]].any()
    plain = images(observation(), metrics=False)[0, : kernels.MADE]
    np.testing.assert_array_equal(plain, images(observation())[0, : kernels.MADE])


def test_public_observations_hide_the_cards() -> None:
    other = observation()
    other[0, [columns.CARD, columns.CARD + 1, columns.EQUITY, columns.BUCKET]] = 20, 21, 0.3, 7
    assert (observation() != other).any()
    np.testing.assert_array_equal(public_part(observation()), public_part(other))
    found = images(public_part(observation()))[0]
    assert not found[kernels.OWN].any()
    np.testing.assert_array_equal(found[kernels.ALL], plane_of(*BOARD[:4]))
    assert observation()[0, columns.CARD] == card("As"), "a copy"


def test_observations_without_cards_are_refused() -> None:
    with pytest.raises(UsageError, match=r"observations of shape \(3, 11\)"):
        images(np.zeros((3, columns.OBSERVATION), np.float32))

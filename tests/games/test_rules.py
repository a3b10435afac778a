from dataclasses import FrozenInstanceError, replace

import pytest

from smoothcall.errors import UsageError
from smoothcall.games.catalog import LEDUC
from smoothcall.games.menu import BetMenu
from smoothcall.games.rules import Street


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seats": 1}, "leduc: 1 seats (accepted: 2 to 10)"),
        ({"seats": 11}, "leduc: 11 seats (accepted: 2 to 10)"),
        ({"streets": ()}, "leduc: a poker game needs at least one street"),
        ({"antes": (1,)}, "leduc: antes (1,) (accepted: none, or the same from each of 2 seats)"),
        ({"antes": (0, 2)}, "leduc: antes (0, 2) (accepted: none, or the same from each of 2 seats)"),
        ({"blinds": (1, 2, 4)}, "leduc: 3 blinds (accepted: at most 2, the seats)"),
        ({"blinds": (1, -2)}, "leduc: antes and blinds must not be negative and bets must be positive"),
        (
            {"streets": (Street(bet=0, hole=1, max_raises=1),)},
            "antes and blinds must not be negative and bets must be positive",
        ),
        ({"streets": (Street(bet=1, hole=-1, max_raises=1),)}, "leduc: a street's cards and raises must not be negative"),
        ({"streets": (Street(bet=1, hole=1, max_raises=-1),)}, "leduc: a street's cards and raises must not be negative"),
        ({"stack": 0}, "leduc: a stack of 0 (accepted: 1 or more)"),
        ({"limit": False}, "leduc: a no-limit game needs a stack"),
        ({"menu": BetMenu.parse("pot")}, "leduc: a limit game has one size of raise and no bet menu"),
        (
            {"streets": (Street(bet=1, hole=1),)},
            "leduc: a game in which everybody always has enough needs max_raises on every street",
        ),
        ({"seats": 6, "antes": (1,) * 6}, "leduc: 7 cards are dealt, the deck has 6"),
        ({"streets": (Street(bet=1, hole=1, max_raises=1, first=2),)}, "leduc: the first seat to act must be 0 to 1"),
    ],
)
def test_rules_that_make_no_game(changes: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError) as error:
        replace(LEDUC, **changes)
    assert message in str(error.value)


def test_rules_are_frozen_and_can_be_compared() -> None:
    with pytest.raises(FrozenInstanceError):
        LEDUC.seats = 3  # type: ignore[misc]
    assert replace(LEDUC) == LEDUC
    assert hash(replace(LEDUC)) == hash(LEDUC)


def test_seats_without_a_blind_put_in_none() -> None:
    rules = replace(LEDUC, blinds=(1,), antes=())
    assert [rules.blind(seat) for seat in range(2)] == [1, 0]
    assert [rules.ante(seat) for seat in range(2)] == [0, 0]

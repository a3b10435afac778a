"""A view holds what its seat may know, and nothing else can be reached from it."""

from __future__ import annotations

from dataclasses import astuple, fields
from fractions import Fraction
from random import Random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from smoothcall.agents.view import View, view_of, view_of_matrix, visible_hole_cards
from smoothcall.games.catalog import LEDUC
from smoothcall.games.hand import Hand
from smoothcall.games.notation import read_hand
from smoothcall.games.rules import PokerRules
from tests.conftest import built
from tests.games.random_hands import after, hands, no_limit


def reachable(thing: Any) -> list[Any]:
    """Everything below a value; rules end the way, being the same in every hand."""
    if isinstance(thing, tuple):
        return [found for part in thing for found in reachable(part)]
    return [thing]


@given(hand=hands(), seed=st.integers(0, 99))
def test_hidden_cards_change_nothing(hand: Hand, seed: int) -> None:
    """The same hand with other cards for everybody else, but those shown at a showdown, looks the same."""
    seat = Random(seed).randrange(hand.rules.seats)
    twin = hand.copy()
    shown = visible_hole_cards(hand, None)
    known = {*hand.hole[seat], *hand.board, *(card for cards in shown for card in cards)}
    left = [card for card in range(hand.rules.deck.size) if card not in known]
    Random(seed).shuffle(left)
    for other in range(hand.rules.seats):
        if other != seat and not shown[other]:
            twin.hole[other] = tuple(left.pop() for _ in hand.hole[other])
    assert view_of(twin, seat) == view_of(hand, seat)
    assert repr(view_of(twin, seat)) == repr(view_of(hand, seat))


@given(hand=hands())
def test_visible_hole_cards(hand: Hand) -> None:
    """Own cards always, others' at a showdown unless folded; a spectator sees only the latter."""
    ended = hand.outcome is not None and hand.outcome.reason == "showdown"
    public = [cards if ended and hand.alive[seat] else () for seat, cards in enumerate(hand.hole)]
    assert visible_hole_cards(hand, None) == tuple(public)
    for seat in range(hand.rules.seats):
        found = visible_hole_cards(hand, seat)
        assert found[seat] == hand.hole[seat]
        assert [found[other] for other in range(len(found)) if other != seat] == [
            public[other] for other in range(len(found)) if other != seat
        ]


@given(hand=hands(), seed=st.integers(0, 99))
def test_nothing_but_plain_values_is_reachable(hand: Hand, seed: int) -> None:
    view = view_of(hand, Random(seed).randrange(hand.rules.seats))
    for field in fields(View):
        for thing in reachable(getattr(view, field.name)):
            assert thing is None or isinstance(thing, int | str | Fraction | PokerRules)
    assert not hasattr(view, "__dict__")


def test_what_a_seat_sees() -> None:
    hand = read_hand(LEDUC, "Kh|Qs/Jh:crrc/r")
    view = view_of(hand, 1)
    assert (view.seat, view.hole, view.text, view.street) == (1, LEDUC.deck.parse("Qs"), "crrc/r", 1)
    assert view.boards == ((), LEDUC.deck.parse("Jh"))
    assert (view.paid, view.pot, view.alive) == ((9, 5), 14, (True, True))
    assert (view.to_call, view.raises, view.slots, view.letters) == (4, (13, 13), ("f", "c", "r"), ("f", "c", "r"))
    waiting = view_of(hand, 0)
    assert (waiting.hole, waiting.letters, waiting.raises, waiting.to_call) == (LEDUC.deck.parse("Kh"), (), None, 0)


def test_no_limit_slots_are_the_smallest_and_the_largest_raise_without_a_menu() -> None:
    hand = after(Hand(no_limit(2)), "c")
    view = view_of(hand, 1)
    assert view.raises == (4, 100)
    assert view.slots == (None, "c", "r4", "r100")
    assert view.stacks == (98, 98)


def test_nobody_sees_anything_of_a_matrix_game() -> None:
    rules = built("rps").rules
    first, second = (view_of_matrix(rules, seat) for seat in (0, 1))  # type: ignore[arg-type]
    assert first.letters == ("R", "P", "S")
    assert astuple(first)[2:] == astuple(second)[2:]

"""A person's view of a hand: events, choices, steps."""

from __future__ import annotations

from dataclasses import replace

import pytest

from smoothcall.agents.view import view_of, visible_hole_cards
from smoothcall.games.catalog import LIMIT_HOLDEM, NO_LIMIT_HOLDEM
from smoothcall.games.notation import split_moves
from smoothcall.interop.acpc import write_match_state
from smoothcall.interop.phh import write_phh
from smoothcall.play.table import button_of, hand_steps, opponent_seats, replay, seat_of, view_hand
from tests.conftest import built

DECK = LIMIT_HOLDEM.deck.parse("AhKhQdQc2s3s4s5d6d")


def _texts(betting: str, seat: int = 0) -> list[str]:
    hand = replay(LIMIT_HOLDEM, DECK, split_moves(betting))
    return [event.text for event in view_hand(hand, seat, ["Ann", "Bob"], id=1, number=1).events]


def test_events_in_words() -> None:
    assert _texts("rrc/cc/cc/crf") == [
        "You post the small blind of 5", "Bob posts the big blind of 10", "You are dealt Ah Kh",
        "You raise to 20", "Bob raises to 30", "You call 10",
        "Flop: 2s 3s 4s", "Bob checks", "You check",
        "Turn: 5d", "Bob checks", "You check",
        "River: 6d", "Bob checks", "You bet 20", "Bob folds",
        "Uncalled bet of 20 returned to you", "You win the pot of 60",
    ]  # fmt: skip


def test_a_showdown_in_words() -> None:
    seen = _texts("cc/cc/cc/cc", seat=1)
    assert "You are dealt Qd Qc" in seen
    assert not any("Ah" in text for text in seen[:-3])
    assert seen[-3:] == [
        "Ann shows Ah Kh: a straight, six high",
        "You show Qd Qc: a straight, six high",
        "You and Ann split the pot of 20: 10 each",
    ]


def test_the_pot_is_shown() -> None:
    pots = [view_hand(replay(LIMIT_HOLDEM, DECK, split_moves(betting)), 0, ["A", "B"], id=1, number=1).pot for betting in (
        "", "r", "rrc", "rrc/cc/r", "rrc/cc/rc/")]  # fmt: skip
    assert pots == [15, 30, 60, 80, 100]


def test_choices() -> None:
    def names(rules: object, betting: str) -> list[str]:
        hand = replay(rules, DECK, split_moves(betting))  # type: ignore[arg-type]
        assert hand.player is not None
        return [choice.name for choice in view_hand(hand, hand.player, ["A", "B"], id=1, number=1).choices]

    assert names(LIMIT_HOLDEM, "") == ["Fold", "Call 5", "Raise to 20"]
    assert names(LIMIT_HOLDEM, "c") == ["Check", "Raise to 20"]
    assert names(LIMIT_HOLDEM, "rrr") == ["Fold", "Call 10"]
    assert names(LIMIT_HOLDEM, "cc/c") == ["Check", "Bet 10"]
    assert names(replace(LIMIT_HOLDEM, checks=False), "rc/") == ["Fold", "Bet 10"]
    assert names(LIMIT_HOLDEM, "cc/rr") == ["Fold", "Call 10", "Raise to 30"]
    assert names(NO_LIMIT_HOLDEM, "r100") == ["Fold", "Call 90 (all in)"]
    hand = replay(NO_LIMIT_HOLDEM, DECK, ["r20", "c"])
    raising = view_hand(hand, 1, ["A", "B"], id=1, number=1).choices[-1]
    assert (raising.name, raising.low, raising.high, raising.earlier) == ("Bet", 30, 100, 20)
    assert raising.presets == (("min", 30), ("1/2 pot", 40), ("pot", 60), ("all in", 100))


def test_steps_show_what_was_seen_then() -> None:
    found = hand_steps(LIMIT_HOLDEM, DECK, "cc/cc/cc/cc", 0, ["A", "B"], id=9, number=3)
    assert len(found) == 9
    assert [len(step.boards) for step in found] == [1, 1, 2, 2, 3, 3, 4, 4, 4]
    assert all(not step.choices for step in found)
    assert all(step.seats[1].hidden == 2 for step in found[:-1])
    assert found[-1].seats[1].cards == ("Qd", "Qc")
    assert (found[-1].over, found[-1].won) == (True, "0")


@pytest.mark.parametrize("betting", ["", "rrc/cc/cc/crf", "cc/cc/cc/cc", "f"])
def test_all_outputs_show_the_same_cards(betting: str) -> None:
    """A person's view, a player's view, ACPC match states and PHH files take their cards from one function."""
    hand, deck = replay(LIMIT_HOLDEM, DECK, split_moves(betting)), LIMIT_HOLDEM.deck
    for seat in range(2):
        visible = visible_hole_cards(hand, seat)
        view = view_hand(hand, seat, ["A", "B"], id=1, number=1)
        assert ["".join(each.cards) for each in view.seats] == [deck.names(cards) for cards in visible]
        assert view_of(hand, seat).hole == visible[seat]
        match_state = write_match_state(hand, seat).partition(":" + betting + ":")[2].partition("/")[0]
        assert match_state == "|".join(deck.names(cards) for cards in visible)
        phh = write_phh(hand, known=[place for place, cards in enumerate(visible) if cards])
        assert phh.count("????") == visible.count(())


def test_seats_go_round() -> None:
    assert [seat_of(number, 3) for number in (1, 2, 3, 4)] == [0, 1, 2, 0]
    assert opponent_seats(1, 3) == [2, 0]
    assert [button_of(built(name).rules) for name in ("kuhn", "leduc", "kuhn-3p")] == [1, 1, 2]  # type: ignore[arg-type]
    assert button_of(LIMIT_HOLDEM) == 0

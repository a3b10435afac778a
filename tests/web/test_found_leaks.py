"""The comparison of `tests.web.leaks` detects planted leaks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from smoothcall.errors import UsageError
from smoothcall.games.hand import Hand
from smoothcall.games.rules import PokerRules
from smoothcall.play import history as history_module
from smoothcall.play import service as service_module
from smoothcall.play import table as table_module
from smoothcall.play.exports import Exported
from smoothcall.play.log import Log
from smoothcall.play.person_view import Event, HandView, TableView
from smoothcall.play.service import PlayService
from smoothcall.store.records import HandRow
from tests.web.leaks import compare


def _watched(hand: Hand, seat: int) -> int:
    """Return a card that the seat does not see."""
    return hand.hole[(seat + 1) % hand.rules.seats][0]


def _leak_cards(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(table_module, "visible_hole_cards", lambda hand, seat: tuple(hand.hole))


def _leak_event(patch: pytest.MonkeyPatch) -> None:
    events = Log.events
    patch.setattr(
        Log, "events", lambda self: [*events(self), Event(0, None, f"{_watched(self.hand, self.seat)} is dealt", "deal")]
    )


def _leak_pot(patch: pytest.MonkeyPatch) -> None:
    view_hand = service_module.view_hand
    patch.setattr(
        service_module,
        "view_hand",
        lambda hand, seat, *rest, **more: replace(
            found := view_hand(hand, seat, *rest, **more), pot=found.pot + _watched(hand, seat) % 2
        ),
    )


def _leak_order(patch: pytest.MonkeyPatch) -> None:
    choices = table_module._choices
    patch.setattr(
        table_module,
        "_choices",
        lambda hand, money: choices(hand, money)[:: 1 if _watched(hand, hand.player) < hand.rules.deck.size / 2 else -1],
    )


def _leak_error(patch: pytest.MonkeyPatch) -> None:
    act = PlayService.act

    def told(self: PlayService, person: int, id: str, letter: str, **more: int) -> TableView:
        try:
            return act(self, person, id, letter, **more)
        except UsageError as error:
            raise type(error)(f"{error}; {self._find(person, id).about.deck}") from None

    patch.setattr(PlayService, "act", told)


def _leak_export(patch: pytest.MonkeyPatch) -> None:
    exported = PlayService._exported

    def leaky(self: PlayService, row: HandRow) -> Exported:
        found = exported(self, row)
        return replace(found, hole=tuple(found.hand.hole))

    patch.setattr(PlayService, "_exported", leaky)


def _leak_steps(patch: pytest.MonkeyPatch) -> None:
    steps = history_module.hand_steps

    def told(rules: PokerRules, deck: tuple[int, ...], *rest: Any, **more: Any) -> tuple[HandView, ...]:
        return tuple(replace(step, pot=step.pot + deck[-1]) for step in steps(rules, deck, *rest, **more))

    patch.setattr(history_module, "hand_steps", told)


def _leak_coach(patch: pytest.MonkeyPatch) -> None:
    def told(self: PlayService, person: int, hand_id: int, *, longer: bool = False) -> object:
        row = self._hand_row(person, hand_id)
        return self._make_coach(row.game, row.opponents, row.seat).review((row.deck[0],), [], "")

    patch.setattr(PlayService, "coach", told)


def _leak_explorer(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(PlayService, "may_explore", lambda self, person, player_id: None)


LEAKS = (
    _leak_cards,
    _leak_event,
    _leak_pot,
    _leak_order,
    _leak_error,
    _leak_export,
    _leak_steps,
    _leak_coach,
    _leak_explorer,
)


@pytest.mark.parametrize("leak", LEAKS, ids=lambda leak: leak.__name__[6:])
def test_a_leak_is_found(leak: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch) -> None:
    leak(monkeypatch)
    with pytest.raises(AssertionError):
        asyncio.run(compare("leduc", 40, 0.7))

"""Readers of text: whatever they are given, they return a result or raise a UsageError."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from smoothcall.errors import UsageError
from smoothcall.games.catalog import LEDUC, LIMIT_HOLDEM, NO_LIMIT_HOLDEM
from smoothcall.games.menu import BetMenu
from smoothcall.games.notation import read_betting, read_hand
from smoothcall.holdem.equity import parse_range
from smoothcall.interop import acpc, macmanus2019, phh
from smoothcall.interop.gambit import read_efg
from smoothcall.interop.pokerstars import read_pokerstars
from tests.conftest import GOLDEN, built
from tests.fuzz.mutations import damaged_json, damaged_text, fuzz, is_read_or_refused
from tests.interop.test_acpc import LIMIT_2P, NO_LIMIT_2P
from tests.interop.test_openspiel import SIGNALS
from tests.interop.test_phh import HEADS_UP
from tests.interop.test_pokerstars import CASH

STATE = "STATE:0:cc/crc/cc/cc:5d5c|9hQd/8dAs8s/4h/6d:20|-20:p1|p2"
MATCH_STATE = "MATCHSTATE:1:30:cc/cc:|9hQd/8dAs8s"
STRATEGY = {"1Ah": {"c": 0.25, "b": 0.75}, "-1Ahb": "c", "1AhcbcKs": {"c": 1}}


@fuzz
@given(damaged_text(HEADS_UP))
def test_phh(text: str) -> None:
    is_read_or_refused(lambda: phh.read_phh(text))


@fuzz
@given(damaged_text((GOLDEN / "pluribus.phhs").read_text()))
def test_phhs(text: str) -> None:
    is_read_or_refused(lambda: phh.read_phhs(text))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[0, 250]", "[0, inf]"),
        ("[0, 250]", "[nan, 250]"),
        ("[0, 250]", '["0", 250]'),
        ("[0, 250]", f"[0, {'9' * 400}]"),
        ("[50, 200]", f"[50, {'9' * 400}]"),
        ("[50, 200]", "[50, -200]"),
        ("min_bet = 2", f"min_bet = {'[' * 5000}"),
        ("[0, 250]", f"[0, 250]\nplayers = [1, {'[' * 200}{']' * 200}]"),
    ],
)
def test_phh_numbers_and_nesting(old: str, new: str) -> None:
    assert old in HEADS_UP
    with pytest.raises(UsageError):
        phh.read_phh(HEADS_UP.replace(old, new, 1))


@fuzz
@given(some.one_of(damaged_text(LIMIT_2P), damaged_text(NO_LIMIT_2P)))
def test_acpc_games(text: str) -> None:
    is_read_or_refused(lambda: acpc.read_game(text))


@fuzz
@given(damaged_text(CASH))
def test_pokerstars(text: str) -> None:
    is_read_or_refused(lambda: read_pokerstars(text))


@fuzz
@given(damaged_text(SIGNALS))
def test_gambit_files(text: str) -> None:
    is_read_or_refused(lambda: read_efg(text))


@fuzz
@given(damaged_text(STATE), damaged_text(MATCH_STATE))
def test_acpc_lines(state: str, match_state: str) -> None:
    for rules in (LIMIT_HOLDEM, NO_LIMIT_HOLDEM, LEDUC):
        is_read_or_refused(lambda rules=rules: acpc.read_state(rules, state))  # type: ignore[misc]
        is_read_or_refused(lambda rules=rules: acpc.read_log(rules, state))  # type: ignore[misc]
        is_read_or_refused(lambda rules=rules: acpc.read_match_state(rules, match_state))  # type: ignore[misc]


def test_text_files_that_are_missing_or_no_text(tmp_path: Path) -> None:
    for path in (tmp_path / "none", tmp_path):
        with pytest.raises(UsageError):
            acpc.read_log(LEDUC, path)
        with pytest.raises(UsageError):
            acpc.read_game(path)
        with pytest.raises(UsageError):
            phh.read_phh(path)
        with pytest.raises(UsageError):
            macmanus2019.read_strategy(path, built("leduc:suits=apart"))
    (tmp_path / "noise").write_bytes(b"\xff\xfe\xfd")
    with pytest.raises(UsageError):
        acpc.read_log(LEDUC, tmp_path / "noise")
    with pytest.raises(UsageError):
        phh.read_phh(tmp_path / "noise")


@fuzz
@given(damaged_text("1AhQhbcKsbrc"), damaged_text("-1AhbcKsb"))
def test_macmanus2019_histories(history: str, known: str) -> None:
    is_read_or_refused(lambda: macmanus2019.to_hand(macmanus2019.parse(history)))
    is_read_or_refused(lambda: macmanus2019.key_of(known))


@fuzz
@given(some.one_of(damaged_text(json.dumps(STRATEGY)), damaged_json(STRATEGY).map(json.dumps)))
def test_macmanus2019_strategies(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.getbasetemp() / "strategy.json"
    path.write_text(text)
    is_read_or_refused(lambda: macmanus2019.read_strategy(path, built("leduc:suits=apart")))


def test_macmanus2019_numbers_too_long(tmp_path: Path) -> None:
    path = tmp_path / "strategy.json"
    for number in ("9" * 400, "-1", "true", "1e999", "NaN", "[" * 5000):
        path.write_text('{"1Ah": {"c": ' + number + "}}")
        with pytest.raises(UsageError):
            macmanus2019.read_strategy(path, built("leduc:suits=apart"))


@fuzz
@given(damaged_text("min+1/2+0.75+pot+x2+all-in"))
def test_bet_menus(text: str) -> None:
    is_read_or_refused(lambda: BetMenu.parse(text))


@fuzz
@given(damaged_text("QQ+,AKs,T9o-54o,AhKh,22-66"))
def test_ranges(text: str) -> None:
    is_read_or_refused(lambda: parse_range(text))


@fuzz
@given(damaged_text("AhKh|7c7d/2h7h9s/Th/9d:r6c/r16r200c//@50,200"), damaged_text("r6c/r16r200c//"))
def test_hands(hand: str, betting: str) -> None:
    is_read_or_refused(lambda: read_hand(NO_LIMIT_HOLDEM, hand))
    is_read_or_refused(lambda: read_betting(NO_LIMIT_HOLDEM, betting))

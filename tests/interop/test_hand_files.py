"""PHH files as they are in the wild, beside PokerKit, and folders of them with a count of what is skipped."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from pathlib import Path

import pokerkit
import pytest

from smoothcall.games.notation import write_hand
from smoothcall.interop.hand_files import read_hands
from smoothcall.interop.phh import read_phh, write_phh

FRACTIONS = """variant = "NT"
antes = [0, 0, 0]
blinds_or_straddles = [0.25, 0.5, 0]
min_bet = 0.5
starting_stacks = [50, 40.75, 60.1]
actions = ["d dh p1 AhKh", "d dh p2 7c7d", "d dh p3 2c3c", "p3 cbr 1.25", "p1 cc", "p2 f", "d db 2h7h9s", "p1 cbr 2.2", "p3 f"]
"""
UNKNOWN = """variant = "NT"
antes = [0, 0, 0]
blinds_or_straddles = [1, 2, 0]
min_bet = 2
starting_stacks = [200, 200, 200]
actions = [
  "d dh p1 ????", "d dh p2 ????", "d dh p3 AsAd", "p3 cbr 6", "p1 f", "p2 cc", "d db 2h7h9s", "p2 cc", "p3 cbr 8", "p2 f",
]
"""
BIG_BLIND_ANTE = """variant = "NT"
ante_trimming_status = false
antes = [0, 2, 0]
blinds_or_straddles = [1, 2, 0]
min_bet = 2
starting_stacks = [20, 200, 200]
actions = [
  "d dh p1 AhKh", "d dh p2 7c7d", "d dh p3 2c3c", "p3 cbr 6", "p1 cbr 20", "p2 cc", "p3 cc", "d db 7hKsQs", "p2 cbr 30", "p3 f",
  "p1 sm AhKh", "p2 sm 7c7d", "d db Ts", "d db 4d",
]
"""
STRADDLE = """variant = "NT"
antes = [0, 0, 0, 0]
blinds_or_straddles = [1, 2, 4, 0]
min_bet = 2
starting_stacks = [200, 200, 200, 200]
actions = [
  "d dh p1 AhKh", "d dh p2 7c7d", "d dh p3 2c3c", "d dh p4 TsTd", "p4 cbr 12", "p1 f", "p2 f", "p3 cc", "d db 2h7h9s", "p3 cc",
  "p4 cbr 20", "p3 f",
]
"""
POST = """variant = "NT"
antes = [0, 0, 0, 0]
blinds_or_straddles = [1, 2, 0, -2]
min_bet = 2
starting_stacks = [200, 200, 200, 200]
actions = [
  "d dh p1 AhKh", "d dh p2 7c7d", "d dh p3 2c3c", "d dh p4 TsTd", "p3 f", "p4 cc", "p1 f", "p2 cbr 10", "p4 f",
]
"""
ODD = {"fractions": FRACTIONS, "unknown": UNKNOWN, "ante": BIG_BLIND_ANTE, "straddle": STRADDLE, "post": POST}


def pokerkits(text: str) -> list[Fraction]:
    """The stacks after PokerKit has replayed a hand."""
    *_, state = pokerkit.HandHistory.loads(text)
    return [Fraction(str(stack)) for stack in state.stacks]


@pytest.mark.parametrize("name", ODD)
def test_oddities_end_as_in_pokerkit(name: str) -> None:
    found = read_phh(ODD[name])
    assert found.hand.outcome is not None
    ours = [found.unit * (start + won) for start, won in zip(found.hand.starting, found.hand.outcome.payoffs, strict=True)]
    assert ours == pokerkits(ODD[name])


def test_fractions_are_counted_in_units() -> None:
    found = read_phh(FRACTIONS)
    assert found.unit == Fraction(1, 20)
    assert found.hand.starting == (1000, 815, 1202)


def test_unknown_cards_do_not_decide() -> None:
    found = read_phh(UNKNOWN)
    assert found.known == (False, False, True)
    assert found.decided
    cards = [card for cards in (*found.hand.hole, found.hand.board) for card in cards]
    assert len(set(cards)) == len(cards)
    called = read_phh(UNKNOWN.replace('"p2 f"', '"p2 cc", "d db Ts", "p2 cc", "p3 cc", "d db 4d", "p2 cc", "p3 cc"'))
    assert not called.decided
    assert called.agrees, "there is nothing to compare"
    shown = read_phh(
        UNKNOWN.replace('"p2 f"', '"p2 cc", "d db Ts", "p2 cc", "p3 cc", "d db 4d", "p2 cc", "p3 cc", "p2 sm 7c7d"')
    )
    assert shown.known == (False, True, True)
    assert shown.decided


def test_last_folds_need_not_be_written() -> None:
    whole, cut = read_phh(STRADDLE), read_phh(STRADDLE.replace(', "p3 f"', "").replace('"p4 cbr 20", ', '"p4 cbr 20"'))
    assert write_hand(cut.hand) == write_hand(whole.hand)


def test_rake() -> None:
    ended = STRADDLE + "finishing_stacks = [199, 198, 188, 213]\n"
    found = read_phh(ended)
    assert found.rake == 2
    assert found.agrees
    assert not read_phh(ended.replace("188, 213", "186, 215")).agrees, "rake comes from winners"
    assert not read_phh(ended.replace("213", "217")).agrees, "chips do not appear"


def test_what_is_written_again_is_what_pokerkit_reads() -> None:
    for text in (BIG_BLIND_ANTE, UNKNOWN, STRADDLE, POST):
        found = read_phh(text)
        written = write_phh(found.hand)
        assert read_phh(written).hand.rules == found.hand.rules
        assert pokerkits(written) == pokerkits(text)
        assert read_phh(written).hand.outcome == found.hand.outcome


def test_folders(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    for name, text in ODD.items():
        (tmp_path / "inner" / f"{name}.phh").write_text(text)
    omaha = STRADDLE.replace('"NT"', '"PO"')
    (tmp_path / "many.phhs").write_text(f"[1]\n{UNKNOWN}\n[2]\n{omaha}\n[3]\n{omaha}\n[4]\nvariant = 1\n")
    (tmp_path / "broken.phh").write_text("variant = ")
    (tmp_path / "bad.phh").write_text(UNKNOWN.replace("p3 cbr 6", "p1 cbr 6"))
    (tmp_path / "notes.txt").write_text("not a hand")
    found = read_hands([tmp_path])
    assert len(found.hands) == len(ODD) + 1
    assert found.skipped.total() == 6
    assert found.skipped[".txt files without hands of PokerStars"] == 1
    assert found.skipped["variant = 'PO', another game"] == 2
    assert any("it is the turn of p3" in reason for reason in found.skipped)
    assert found.summary.startswith("6 hands were read, 6 skipped")


def test_damaged_files_lose_only_their_damaged_hands(tmp_path: Path) -> None:
    whole = f"[1]\n{UNKNOWN}\n[2]\n{STRADDLE}\n[3]\n{UNKNOWN}\n"
    for text, hands in ((whole[:-20], 2), (whole.replace("[2]\n", "[2]\n= nonsense\n"), 2), (whole.replace("[2]", "[1]"), 3)):
        (tmp_path / "many.phhs").write_text(text)
        found = read_hands([tmp_path])
        assert len(found.hands) == hands
        assert found.skipped == Counter({"tables that are cut off or damaged": 3 - hands} if hands < 3 else {})
    (tmp_path / "many.phhs").unlink()
    (tmp_path / "stars.txt").write_text("PokerStars Hand #7: Hold'em No Limit ($1/$2) - 2000/01/01 00:00:00 ET\nTable 'x'\n")
    assert read_hands([tmp_path]).skipped == Counter({"a hand that is cut off": 1})

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from smoothcall.errors import UsageError
from smoothcall.games.betting import Betting, IllegalMove
from smoothcall.games.catalog import KUHN, LEDUC, LIMIT_HOLDEM, NO_LIMIT_HOLDEM
from smoothcall.games.hand import Hand
from smoothcall.games.notation import move_name, read_hand, split_last, split_moves, write_hand
from smoothcall.games.rules import PokerRules, Street
from tests.conftest import examples

from .random_hands import fresh_hands, hands, no_limit, step

STUD = replace(LEDUC, name="stud", streets=(Street(bet=2, hole=1, board=1, max_raises=1), Street(bet=2, hole=1, max_raises=1)))


@settings(deadline=None, max_examples=examples(200))
@given(hands())
def test_a_hand_at_any_moment_is_read_back_as_it_was(hand: Hand) -> None:
    text = write_hand(hand)
    again = read_hand(hand.rules, text)
    assert again.outcome == hand.outcome
    assert vars(again) == vars(hand)
    assert write_hand(again) == text


@settings(deadline=None, max_examples=examples(50))
@given(fresh_hands(), st.integers(0, 2**32))
def test_every_moment_of_a_hand_has_a_text_of_its_own(hand: Hand, seed: int) -> None:
    texts, random = [write_hand(hand)], Random(seed)
    while hand.outcome is None:
        step(hand, random)
        texts.append(write_hand(hand))
    assert len(set(texts)) == len(texts)


@pytest.mark.interpreted
@pytest.mark.parametrize(
    ("rules", "text"),
    [
        (KUHN, "|:"),
        (KUHN, "K|:"),
        (KUHN, "K|Q:crc"),
        (LEDUC, "Kh|Qs:crrc/"),
        (LEDUC, "Kh|Qs/Jh:crrc/rc"),
        (LEDUC, "Kh|Qs:rf@9,5"),
        (LEDUC, "Kh|Qs:rc/@3,3"),  # all in, the board to come
        (LEDUC, "Kh|Qs/Ks:rc/@3,3"),
        (no_limit(2), "AhAs|KhKs/2c3c4c/5c:r6c/cr20c/cc"),
        (no_limit(3), "AhAs|KhKs|7h2d:r6r20fr100f@150,150,100"),
        (no_limit(2), "AhAs|KhKs/2c3c4c:r40c//@40,60"),
        (STUD, "Kh|Qs/Jh:cc/"),
        (STUD, "KhJs|Qs/Jh:cc/"),
        (STUD, "KhJs|QsQh/Jh:cc/cc"),
    ],
)
def test_known_texts(rules: PokerRules, text: str) -> None:
    hand = read_hand(rules, text)
    assert write_hand(hand) == text
    betting = text.partition(":")[2].partition("@")[0]
    assert hand.text == betting


@pytest.mark.parametrize(
    ("rules", "text", "message"),
    [
        (LEDUC, "", "'' is not a hand of leduc (accepted: hole|hole/board:betting, then @stack,stack)"),
        (LEDUC, "Kh|Qs", "'Kh|Qs' is not a hand of leduc (accepted: hole|hole/board:betting, then @stack,stack)"),
        (LEDUC, "Kh|Qs:@9,", "'Kh|Qs:@9,' is not a hand of leduc (accepted: hole|hole/board:betting, then @stack,stack)"),
        (LEDUC, "Kh|Qs:@9", "leduc: stacks [9] (accepted: 2 positive numbers)"),
        (LEDUC, "Kh|Qs:@9,0", "leduc: stacks [9, 0] (accepted: 2 positive numbers)"),
        (LEDUC, "Kh|Qs:cx", "'cx' is not a betting sequence (accepted: f, c, r, r<chips>, /)"),
        (LEDUC, "Kh|Xs:c", "unknown card 'Xs' in 'Xs' (accepted: Jh, Js, Qh, Qs, Kh, Ks)"),
        (LEDUC, "Kh|Kh:c", "deal 'Kh': Kh was dealt before"),
        (LEDUC, "Kh|Q:c", "unknown card 'Q' in 'Q' (accepted: Jh, Js, Qh, Qs, Kh, Ks)"),
        (LEDUC, "Kh|:c", "cards have to be dealt first"),
        (LEDUC, "Kh:c", "cards have to be dealt first"),
        (LEDUC, "Kh|Qs:cc/c", "cards have to be dealt first"),
        (LEDUC, "Kh|Qs/JhJs:cc/", "deal 'JhJs' (accepted now: 1 cards, each once)"),
        (LEDUC, "Kh|Qs:rrr", "raise: not allowed now"),
        (LEDUC, "Kh|Qs:rff", "the hand is over"),
        (LEDUC, "Kh|Qs:r3", "unknown move 'r3' (accepted: f, c, r)"),
        (LEDUC, "Kh|Qs:cc", "'Kh|Qs:cc' is not how a hand of leduc is written: 'Kh|Qs:cc/' is"),
        (LEDUC, "Kh|Qs:c/c/", "'Kh|Qs:c/c/' is not how a hand of leduc is written: 'Kh|Qs:cc/' is"),
        (LEDUC, "KhJs|Qs:c", "'KhJs|Qs:c' is not how a hand of leduc is written: 'Kh|Qs:c' is"),
        (LEDUC, "Kh|Qs|Jh:c", "'Kh|Qs|Jh:c' is not how a hand of leduc is written: 'Kh|Qs:c' is"),
        (LEDUC, "Kh|Qs/Jh:c", "'Kh|Qs/Jh:c' is not how a hand of leduc is written: 'Kh|Qs:c' is"),
        (no_limit(2), "AhAs|KhKs:r101", "raise to 101 (accepted: 4 to 100)"),
        (no_limit(2), "AhAs|KhKs:r010", "'AhAs|KhKs:r010' is not how a hand of no-limit is written: 'AhAs|KhKs:r10' is"),
        (no_limit(2), "AhAs|KhKs:c@100,100", "is not how a hand of no-limit is written: 'AhAs|KhKs:c' is"),
    ],
)
def test_wrong_texts(rules: PokerRules, text: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        read_hand(rules, text)
    assert message in str(error.value)


@settings(deadline=None)
@given(st.text("KQJhs|/:cfr@123, ", max_size=16))
def test_any_other_text_is_refused_or_is_a_hand(text: str) -> None:
    try:
        hand = read_hand(LEDUC, text)
    except UsageError:
        return
    assert write_hand(hand) == text


@pytest.mark.parametrize(
    ("rules", "betting", "letter", "name"),
    [
        (LEDUC, "", "c", "Check"),
        (LEDUC, "", "r", "Bet 2"),
        (LEDUC, "r", "r", "Raise to 4"),
        (LEDUC, "r", "c", "Call 2"),
        (LEDUC, "r", "f", "Fold"),
        (LIMIT_HOLDEM, "", "c", "Call 5"),
        (LIMIT_HOLDEM, "", "r", "Raise to 20"),
        (LIMIT_HOLDEM, "cc/", "r", "Bet 10"),
        (NO_LIMIT_HOLDEM, "", "r100", "Raise to 100 (all in)"),
        (NO_LIMIT_HOLDEM, "r100", "c", "Call 90 (all in)"),
        (NO_LIMIT_HOLDEM, "r40c/", "r80", "Bet 40"),
        (NO_LIMIT_HOLDEM, "r40c/", "r100", "Bet 60 (all in)"),
        (NO_LIMIT_HOLDEM, "r40c/r60", "r100", "Raise to 60 (all in)"),
    ],
)
def test_moves_have_one_name(rules: PokerRules, betting: str, letter: str, name: str) -> None:
    state = Betting(rules)
    for move in split_moves(betting):
        state.play(move)
    assert state.text == betting
    assert move_name(state, letter) == name


def test_illegal_moves_have_no_name() -> None:
    state = Betting(NO_LIMIT_HOLDEM)
    for letter in ("r", "r5", "r101"):
        with pytest.raises(IllegalMove):
            move_name(state, letter)
    state.fold()
    with pytest.raises(IllegalMove, match="the hand is over"):
        move_name(state, "c")


@pytest.mark.parametrize(
    ("betting", "moves"),
    [("", []), ("cc/", ["c", "c"]), ("crrc/r", ["c", "r", "r", "c", "r"]), ("r300c/r600f", ["r300", "c", "r600", "f"])],
)
def test_betting_is_split_into_moves(betting: str, moves: list[str]) -> None:
    assert split_moves(betting) == moves
    rest, backwards = betting, []
    while rest:
        rest, last = split_last(rest)
        backwards.append(last)
    assert backwards[::-1] == moves


@pytest.mark.parametrize("betting", ["x", "cx", "R", "r-1", "c c", "c\n", "1"])
def test_what_is_no_betting_is_refused(betting: str) -> None:
    for split in (split_moves, split_last):
        with pytest.raises(UsageError, match="is not a betting sequence"):
            split(betting)
    with pytest.raises(UsageError, match="has no moves"):
        split_last("//")

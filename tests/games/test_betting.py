from collections import Counter
from collections.abc import Iterator
from dataclasses import FrozenInstanceError, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from smoothcall.errors import UsageError
from smoothcall.games.betting import Betting, Call, Fold, IllegalMove, Post, Raise
from smoothcall.games.catalog import KUHN, KUHN_3P, LEDUC, LIMIT_HOLDEM
from smoothcall.games.hand import Hand
from smoothcall.games.rules import Street
from tests.conftest import examples

from .random_hands import after, fresh_hands, hands, no_limit, random_letter


def every_state(state: Betting) -> Iterator[Betting]:
    yield state
    if not state.finished:
        for letter, legal in (("f", state.can_fold()), ("c", state.can_call()), ("r", state.can_raise())):
            if legal:
                child = state.copy()
                child.play(letter)
                yield from every_state(child)


# Known games


@pytest.mark.interpreted
def test_kuhn_has_nine_betting_sequences() -> None:
    """Kuhn, "A simplified two-person poker" (1950): check or bet, then check, bet, fold or call."""
    states = {state.text: state for state in every_state(Betting(KUHN))}
    assert sorted(states) == sorted(["", "c", "r", "cc", "cr", "rf", "rc", "crf", "crc"])
    assert {text: state.paid for text, state in states.items() if state.finished} == {
        "cc": [1, 1],
        "rf": [2, 1],
        "rc": [2, 2],
        "crf": [1, 2],
        "crc": [2, 2],
    }
    assert {text: state.player for text, state in states.items() if not state.finished} == {"": 0, "c": 1, "r": 1, "cr": 0}


@pytest.mark.interpreted
def test_three_player_kuhn_has_twelve_decisions() -> None:
    """Four betting observations for each player, as Szafron, Gibson and Sturtevant (2013) number them, and 13 endings."""
    states = list(every_state(Betting(KUHN_3P)))
    assert Counter(state.player for state in states) == {0: 4, 1: 4, 2: 4, None: 13}


@pytest.mark.interpreted
def test_leduc_has_85_betting_sequences() -> None:
    """A street has 6 decisions, 4 folds and 5 ways through it: 10 + 5 * (10 + 5)."""
    states = list(every_state(Betting(LEDUC)))
    assert len(states) == 85
    assert Counter(state.street for state in states if not state.finished) == {0: 6, 1: 30}
    assert {state.text for state in states if state.text.endswith("/")} == {"cc/", "crc/", "crrc/", "rc/", "rrc/"}
    assert max(state.pot for state in states) == 26
    assert after(Betting(LEDUC), "crrcrrc").paid == [13, 13]


def test_leduc_takes_two_bets_a_street() -> None:
    state = after(Betting(LEDUC), "rr")
    assert not state.can_raise()
    assert state.to_call == 2
    state = after(state, "c")
    assert (state.text, state.street, state.player, state.raises) == ("rrc/", 1, 0, (9, 9))


def test_limit_caps() -> None:
    state = after(Betting(LIMIT_HOLDEM), "rrr")
    assert state.paid == [40, 30]
    assert not state.can_raise()
    state = after(state, "crrrr")
    assert state.paid == [80, 70]
    assert not state.can_raise()
    assert after(state, "c").raises == (100, 100)  # bets of 20 from the third street on
    assert after(state, "rrrrcrrrrc").paid == [240, 240]


# Blinds


def test_heads_up_the_small_blind_acts_first_and_then_last() -> None:
    state = Betting(no_limit(2))
    assert state.posts == [Post(0, 1, "blind"), Post(1, 2, "blind")]
    assert (state.player, state.to_call, state.raises) == (0, 1, (4, 100))
    state = after(state, "c")
    assert (state.street, state.player, state.to_call) == (0, 1, 0)  # the big blind's option
    assert state.raises == (4, 100)
    assert after(state, "c").player == 1
    assert state.text == "cc/"


def test_the_big_blind_may_raise_when_all_have_called() -> None:
    state = after(Betting(no_limit(4)), "ccc")
    assert (state.player, state.to_call, state.can_fold(), state.raises) == (1, 0, False, (4, 100))
    state = after(state, "r6")
    assert [after(state.copy(), "c" * calls).player for calls in range(3)] == [2, 3, 0]
    assert after(state, "ccc").text == "cccr6ccc/"


def test_the_big_blind_wins_when_all_fold() -> None:
    state = after(Betting(no_limit(3)), "ff")
    assert state.finished
    assert state.player is None
    assert state.alive == [False, True, False]


def test_a_short_big_blind_is_called_for_what_it_is() -> None:
    """As in PokerKit. Many card rooms ask later players for the whole blind."""
    state = Betting(no_limit(4, blinds=(1, 4), streets=(Street(bet=4, hole=1, first=2),)), [50, 3, 50, 50])
    assert state.posts == [Post(0, 1, "blind"), Post(1, 3, "blind")]
    assert (state.player, state.to_call, state.raises) == (2, 3, (7, 50))
    assert after(state, "ccc").finished  # the small blind called two more; the big blind has nothing to decide
    assert state.paid == [3, 3, 3, 3]


def test_blinds_that_put_everybody_all_in_leave_no_turn() -> None:
    assert Betting(no_limit(2), [1, 50]).finished  # all in for the small blind
    assert Betting(no_limit(2), [50, 1]).finished  # the big blind is no more than the small one
    assert Betting(no_limit(2, antes=(3, 3)), [2, 50]).finished
    state = Betting(no_limit(2), [50, 2])
    assert (state.player, state.to_call, state.raises) == (0, 1, None)
    assert after(state, "c").text == "c//"


def test_antes_are_dead_money() -> None:
    state = Betting(no_limit(3, antes=(5, 5, 5)), [50, 50, 4])
    assert [post.kind for post in state.posts] == ["ante"] * 3 + ["blind"] * 2
    assert (state.paid, state.bets) == ([6, 7, 4], [1, 2, 0])
    assert (state.player, state.to_call, state.raises) == (0, 1, (9, 50))


# All-ins


def test_a_short_all_in_does_not_reopen_the_betting() -> None:
    """Seat 2 opens for 10, a raise of 8; seat 3's all-in for 15 adds only 5."""
    state = after(Betting(no_limit(4), [100, 100, 100, 15]), "r10r15")
    assert (state.player, state.raises) == (0, (23, 100))  # who has not acted may raise, by a full raise
    assert after(state.copy(), "cc").raises is None  # seat 2 has acted
    assert after(state.copy(), "cc").to_call == 5
    assert after(state.copy(), "cc").can_fold()
    assert after(state.copy(), "r23f").raises == (31, 100)  # a full raise by another one opens it again


def test_a_short_all_in_bet_does_not_reopen_it_for_who_has_checked() -> None:
    state = after(Betting(no_limit(3), [100, 100, 3]), "cccccr3")
    assert (state.street, state.player, state.to_call, state.raises) == (1, 0, 1, None)


def test_short_all_ins_that_add_up_to_a_raise_reopen_the_betting() -> None:
    """TDA rule 47A, its first illustration: a bet of 100, all in for 125, a call, all in for 200, a call."""
    rules = no_limit(5, blinds=(), antes=(), streets=(Street(bet=100, hole=1),))
    state = after(Betting(rules, [900, 125, 900, 200, 900]), "r100r125cr200c")
    assert (state.player, state.to_call, state.raises) == (0, 100, (300, 900))
    state = after(state, "c")
    assert (state.player, state.to_call, state.raises) == (2, 75, None)


def test_where_the_rules_say_so_a_short_all_in_reopens_the_betting() -> None:
    """As in the ACPC dealer, where the next raise goes to where it would have gone without the short one."""
    state = after(Betting(no_limit(4, reopen=True), [100, 100, 100, 13]), "r10r13")
    assert (state.player, state.raises) == (0, (18, 100))
    assert after(state, "cc").raises == (18, 100)  # seat 2 has acted
    state = after(Betting(no_limit(4, reopen=True), [100, 100, 100, 15]), "r10r15")
    assert state.raises == (20, 100)  # but it is no smaller than the short one
    limit = replace(LIMIT_HOLDEM, seats=3, reopen=True)
    state = after(Betting(limit, [100, 25, 100]), "rr")
    assert (state.player, state.raises) == (2, (35, 35))
    assert after(state, "c").raises == (35, 35)  # seat 0 has acted


def test_nobody_is_asked_to_bet_at_players_who_are_all_in() -> None:
    state = after(Betting(no_limit(3), [50, 50, 8]), "r8f")
    assert (state.player, state.raises) == (1, None)
    assert after(state, "c").text == "r8fc//"
    assert state.finished
    state = after(Betting(no_limit(3), [50, 50, 2]), "cf")  # the big blind's option is none
    assert state.finished
    assert state.text == "cf//"


def test_a_stack_that_just_calls_cannot_raise() -> None:
    state = after(Betting(no_limit(3), [10, 50, 50]), "r10")
    assert (state.player, state.to_call, state.raises) == (0, 9, None)
    assert after(Betting(no_limit(3), [11, 50, 50]), "r10").raises == (11, 11)


def test_no_raise_where_nobody_can_pay_more_than_the_call() -> None:
    """Seat 1 has chips left, but too few for the 20 that seat 2 went all in with."""
    assert after(Betting(no_limit(3), [50, 9, 20]), "r20").raises is None
    assert after(Betting(no_limit(3), [50, 21, 20]), "r20").raises == (38, 50)


def test_a_street_without_raises_asks_nobody() -> None:
    rules = replace(LEDUC, streets=(Street(bet=2, hole=1, max_raises=1), Street(bet=4, board=1, max_raises=0)))
    assert after(Betting(rules), "cc").text == "cc/"
    assert after(Betting(rules), "cc").finished


def test_in_limit_games_a_short_stack_raises_with_what_it_has() -> None:
    state = after(Betting(LIMIT_HOLDEM, [25, 200]), "r")
    assert (state.paid, state.raises) == ([20, 10], (30, 30))
    state = after(state, "r")
    assert (state.player, state.to_call, state.raises) == (0, 5, None)
    state = Betting(LIMIT_HOLDEM, [15, 200])
    assert state.raises == (15, 15)
    assert after(state, "r").moves == [Raise(0, 10, 15, "r")]


# The doors


@settings(deadline=None, max_examples=examples(200))
@given(hands(), st.integers(-2, 70))
def test_the_three_doors_of_each_move_agree(hand: Hand, total: int) -> None:
    doors = [
        (hand.verify_fold, hand.can_fold, lambda state: state.fold()),
        (hand.verify_call, hand.can_call, lambda state: state.call()),
        (hand.verify_raise, hand.can_raise, lambda state: state.raise_to()),
        (lambda: hand.verify_raise(total), lambda: hand.can_raise(total), lambda state: state.raise_to(total)),
        (lambda: hand.verify_deal((total,)), lambda: hand.can_deal((total,)), lambda state: state.deal((total,))),
        (lambda: hand.verify_deal("KhK"), lambda: hand.can_deal("KhK"), lambda state: state.deal("KhK")),
    ]
    before = vars(hand.copy())
    for verify, can, act in doors:
        twin = hand.copy()
        if can():
            verify()
            record = act(twin)
            assert record == twin.records[-1]
            assert len(twin.records) == len(hand.records) + 1
        else:
            with pytest.raises(UsageError) as asked:
                verify()
            with pytest.raises(UsageError) as acted:
                act(twin)
            assert str(asked.value) == str(acted.value)
            assert vars(twin) == before
        assert vars(hand) == before


@settings(deadline=None, max_examples=examples(200))
@given(hands())
def test_raises_says_what_may_be_raised(hand: Hand) -> None:
    if hand.finished or hand.due is not None:
        assert not hand.can_fold()
        assert not hand.can_call()
        assert not hand.can_raise(10)
        return
    assert hand.can_call() == (hand.rules.checks or hand.to_call > 0)
    assert hand.can_fold() == (not hand.rules.checks or hand.to_call > 0)
    assert hand.can_fold() or hand.raises is not None  # there is something to decide
    totals = [total for total in range(-1, 70) if hand.can_raise(total)]
    if hand.raises is None:
        assert totals == []
    elif hand.starting[hand.player] < 70:
        assert totals == list(range(hand.raises[0], hand.raises[1] + 1))
        assert hand.raises[0] > hand.paid[hand.player] + hand.to_call


@settings(deadline=None)
@given(fresh_hands(), st.randoms(use_true_random=False))
def test_betting_needs_no_cards(hand: Hand, random) -> None:
    """The public half is the same with and without cards: `Betting` is what the action tree is made of."""
    betting = Betting(hand.rules, hand.starting)
    while not betting.finished:
        letter = random_letter(betting, random)
        hand.deal_random(random)
        assert hand.play(letter) == betting.play(letter)
        public = {name: value for name, value in vars(betting).items() if name != "rules"}
        assert public == {name: vars(hand)[name] for name in public}


def test_moves_are_frozen_records() -> None:
    state = after(Betting(no_limit(3)), "r6cf")
    assert state.moves == [Raise(2, 6, 6, "r6"), Call(0, 5), Fold(1)]
    assert "".join(move.letter for move in state.moves) + "/" == state.text
    for record in (*state.moves, *state.posts):
        with pytest.raises(FrozenInstanceError):
            record.player = 0


def test_a_copy_lives_its_own_life() -> None:
    state = Betting(LEDUC)
    after(state.copy(), "rrcrrf")
    assert vars(state) == vars(Betting(LEDUC))


# What is refused, and how


@pytest.mark.parametrize(
    ("state", "letter", "message"),
    [
        (after(Betting(KUHN), "cc"), "c", "the hand is over"),
        (after(Betting(KUHN), "rf"), "f", "the hand is over"),
        (Betting(KUHN), "f", "fold: there is nothing to call, check instead"),
        (after(Betting(KUHN), "r"), "r", "raise: not allowed now"),
        (Betting(KUHN), "x", "unknown move 'x' (accepted: f, c, r)"),
        (Betting(KUHN), "", "unknown move '' (accepted: f, c, r)"),
        (Betting(KUHN), "r2", "unknown move 'r2' (accepted: f, c, r)"),
        (Betting(no_limit(2)), "r", "unknown move 'r' (accepted: f, c, r<total chips in the hand>)"),
        (Betting(no_limit(2)), "r-4", "unknown move 'r-4' (accepted: f, c, r<total chips in the hand>)"),
        (Betting(no_limit(2)), "r3", "raise to 3 (accepted: 4 to 100)"),
        (Betting(no_limit(2)), "r101", "raise to 101 (accepted: 4 to 100)"),
    ],
)
def test_wrong_moves(state: Betting, letter: str, message: str) -> None:
    before = vars(state.copy())
    with pytest.raises(IllegalMove) as error:
        state.play(letter)
    assert str(error.value) == message
    assert vars(state) == before


def test_a_no_limit_raise_needs_an_amount() -> None:
    with pytest.raises(IllegalMove) as error:
        Betting(no_limit(2)).raise_to()
    assert str(error.value) == "raise: say to how many chips in all (accepted: 4 to 100)"


def test_an_endless_number_is_no_move() -> None:
    with pytest.raises(IllegalMove, match="unknown move"):
        Betting(no_limit(2)).play("r" + "9" * 5000)


@pytest.mark.parametrize("stacks", [[], [5], [5, 0], [5, -1], [5, 5, 5]])
def test_wrong_stacks(stacks: list[int]) -> None:
    with pytest.raises(UsageError) as error:
        Betting(LEDUC, stacks)
    assert str(error.value) == f"leduc: stacks {stacks} (accepted: 2 positive numbers)"

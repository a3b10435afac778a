from dataclasses import FrozenInstanceError, replace
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from smoothcall.errors import UsageError
from smoothcall.games.betting import Call, Fold, IllegalMove, Post, Raise
from smoothcall.games.catalog import KUHN, LEDUC, RPS
from smoothcall.games.hand import Deal, Due, Hand, Outcome, deal_hand
from smoothcall.games.rules import PokerRules, Street
from tests.conftest import examples

from .random_hands import fresh_hands, no_limit, step
from .test_pots import chip_by_chip


def played(rules: PokerRules, cards: list[str], text: str, stacks: list[int] | None = None) -> Hand:
    """A hand with the cards dealt one after the other whenever some are due; `text` are one-letter moves or raises."""
    hand, left = Hand(rules, stacks), iter(cards)
    for letter in [None, *text.split()]:
        if letter is not None:
            hand.play(letter)
        while hand.due is not None:
            hand.deal(next(left))
    return hand


# Known hands


@pytest.mark.interpreted
@pytest.mark.parametrize(
    ("moves", "reason", "with_king", "with_jack"),
    [
        ("c c", "showdown", 1, -1),
        ("c r f", "fold", -1, -1),
        ("c r c", "showdown", 2, -2),
        ("r f", "fold", 1, 1),
        ("r c", "showdown", 2, -2),
    ],
)
def test_kuhn_endings(moves: str, reason: str, with_king: int, with_jack: int) -> None:
    """What seat 0 gets against a queen."""
    for card, payoff in (("K", with_king), ("J", with_jack)):
        assert played(KUHN, [card, "Q"], moves).outcome == Outcome(reason, (Fraction(payoff), Fraction(-payoff)))


@pytest.mark.interpreted
@pytest.mark.parametrize(
    ("cards", "moves", "payoff"),
    [
        (["Kh", "Qh", "Qs"], "c c c c", -1),  # a pair beats the king
        (["Kh", "Qh", "Js"], "r r c r r c", 13),
        (["Kh", "Ks", "Js"], "r r c r r c", 0),  # the same rank shares
        (["Jh", "Kh", "Js"], "r c c r r c", 11),
        (["Kh", "Qh", "Js"], "c r r c r f", 5),
        (["Kh", "Qh"], "c r f", -1),
    ],
)
def test_leduc_endings(cards: list[str], moves: str, payoff: int) -> None:
    assert played(LEDUC, cards, moves).outcome.payoffs == (payoff, -payoff)


def test_a_three_way_all_in_with_two_side_pots_and_an_odd_chip() -> None:
    """Seat 3 folds a blind of 1 into the main pot: 3 x 5 + 1 = 16 chips shared by two, the rest to the better of the others."""
    rules = no_limit(4, blinds=(0, 0, 0, 1), streets=(Street(bet=1, hole=1),))
    hand = played(rules, ["Ah", "Kh", "As", "2c"], "r5 r11 r30 f", [5, 11, 30, 30])
    assert hand.finished
    assert hand.paid == [5, 11, 30, 1]
    # main pot 16: seats 0 and 2 share; side pot 12: seat 2; 19 chips nobody called: seat 2
    assert hand.outcome.payoffs == (3, -11, 8 + 12 + 19 - 30, -1)
    assert hand.outcome.winners == (0, 2)
    hand = played(rules, ["Ah", "Ac", "As", "2c"], "r5 r11 r30 f", [5, 11, 30, 30])
    assert hand.outcome.payoffs == (Fraction(1, 3), Fraction(1, 3), Fraction(1, 3), -1)


def test_an_all_in_before_the_last_card_deals_the_rest() -> None:
    hand = played(no_limit(2), ["AhAs", "KhKs"], "")
    hand.play("r100")
    hand.play("c")
    assert hand.finished
    assert hand.outcome is None
    assert hand.due == Due(None, 1, 3)
    assert not hand.can_call()
    hand.deal("2c3c4c")
    assert hand.outcome is None
    hand.deal("5c")
    assert hand.due is None
    assert hand.text == "r100c//"
    assert hand.outcome == Outcome("showdown", (Fraction(100), Fraction(-100)))


def test_a_fold_needs_no_more_cards() -> None:
    hand = played(no_limit(2), ["AhAs", "KhKs"], "f")
    assert hand.due is None
    assert hand.outcome == Outcome("fold", (Fraction(-1), Fraction(1)))
    with pytest.raises(IllegalMove, match=r"^deal: no cards are due$"):
        hand.deal("2c3c4c")


def test_records_are_frozen_and_in_order() -> None:
    hand = played(LEDUC, ["Kh", "Qs", "Jh"], "c r c r f")
    deck = LEDUC.deck
    assert hand.records == [
        Post(0, 1, "ante"),
        Post(1, 1, "ante"),
        Deal(0, 0, deck.parse("Kh")),
        Deal(1, 0, deck.parse("Qs")),
        Call(0, 0),
        Raise(1, 2, 3, "r"),
        Call(0, 2),
        Deal(None, 1, deck.parse("Jh")),
        Raise(0, 4, 7, "r"),
        Fold(1),
    ]
    for record in hand.records:
        with pytest.raises(FrozenInstanceError):
            record.player = 1
    with pytest.raises(FrozenInstanceError):
        hand.outcome.reason = "draw"


def test_cards_may_come_on_any_street() -> None:
    rules = replace(LEDUC, streets=(Street(bet=1, hole=1, board=1, max_raises=1), Street(bet=1, hole=1, max_raises=1)))
    hand = Hand(rules)
    dues = []
    for cards in ("Kh", "Qh", "Jh", "Ks", "Qs"):
        dues.append(hand.due)
        hand.deal(cards)
        if hand.due is None:
            hand.call()
            hand.call()
    assert dues == [Due(0, 0, 1), Due(1, 0, 1), Due(None, 0, 1), Due(0, 1, 1), Due(1, 1, 1)]
    assert hand.hole == [rules.deck.parse("KhKs"), rules.deck.parse("QhQs")]
    assert hand.boards == [rules.deck.parse("Jh"), ()]
    assert hand.outcome.payoffs == (1, -1)


def test_a_dealt_hand_waits_for_its_first_move() -> None:
    hand = deal_hand(LEDUC, seed=3)
    assert hand.due is None
    assert hand.player == 0
    assert hand.hole == deal_hand(LEDUC, seed=3).hole
    assert deal_hand(no_limit(2), seed=1, stacks=[7, 9]).starting == (7, 9)
    with pytest.raises(UsageError, match=r"^only poker games are dealt$"):
        deal_hand(RPS)


def test_random_deals_are_fair() -> None:
    """Each of the 30 ordered deals of two Leduc cards comes about as often: 3000 of them, 6 standard deviations."""
    random, counts = Random(7), {}
    for _ in range(3000):
        hand = Hand(LEDUC)
        hand.deal_random(random)
        counts[tuple(hand.hole)] = counts.get(tuple(hand.hole), 0) + 1
    assert len(counts) == 30
    assert all(abs(count - 100) < 60 for count in counts.values())


# What always holds


@settings(deadline=None, max_examples=examples(250))
@given(fresh_hands(), st.integers(0, 2**32))
def test_every_hand_ends_and_every_chip_is_accounted_for(hand: Hand, seed: int) -> None:
    random, rules = Random(seed), hand.rules
    steps = 0
    while hand.outcome is None:
        assert all(0 <= paid <= stack for paid, stack in zip(hand.paid, hand.starting, strict=True))
        assert hand.pot == sum(record.amount for record in hand.records if isinstance(record, Post | Call | Raise))
        step(hand, random)
        steps += 1
    raises = [60 * rules.seats if street.max_raises is None else street.max_raises for street in rules.streets]
    assert steps <= sum((most + 1) * rules.seats + rules.seats + 1 for most in raises)
    payoffs = hand.outcome.payoffs
    assert sum(payoffs) == 0
    assert all(payoff >= -paid for payoff, paid in zip(payoffs, hand.paid, strict=True))
    assert all(stays or payoff == -paid for stays, payoff, paid in zip(hand.alive, payoffs, hand.paid, strict=True))
    if rules.checks:  # without checks whoever has paid the most may fold too
        assert max(paid for paid, stays in zip(hand.paid, hand.alive, strict=True) if stays) == max(hand.paid)
    if hand.outcome.reason == "fold":
        strength = [0] * rules.seats
    else:
        strength = [rules.order.strength(rules.deck, hole, hand.board) for hole in hand.hole]
        assert len(hand.board) == sum(street.board for street in rules.streets)
        assert {len(hole) for hole in hand.hole} == {sum(street.hole for street in rules.streets)}
    assert list(payoffs) == chip_by_chip(hand.paid, hand.alive, strength)
    dealt = [card for record in hand.records if isinstance(record, Deal) for card in record.cards]
    assert len(set(dealt)) == len(dealt)
    assert [record for record in hand.records if not isinstance(record, Deal)] == [*hand.posts, *hand.moves]
    with pytest.raises(IllegalMove, match=r"^the hand is over$"):
        hand.call()


# What is refused, and how


@pytest.mark.parametrize(
    ("cards", "message"),
    [
        ("KhQs", "deal 'KhQs' (accepted now: 1 cards, each once)"),
        ("", "deal '' (accepted now: 1 cards, each once)"),
        ((), "deal '' (accepted now: 1 cards, each once)"),
        ((5, 5), "deal 'KsKs' (accepted now: 1 cards, each once)"),
        ((6,), "deal [6]: cards are 0 to 5"),
        ((-1,), "deal [-1]: cards are 0 to 5"),
        ((99, 98), "deal [99, 98]: cards are 0 to 5"),
        ("Jh", "deal 'Jh': Jh was dealt before"),
        ("Xh", "unknown card 'Xh' in 'Xh' (accepted: Jh, Js, Qh, Qs, Kh, Ks)"),
    ],
)
def test_wrong_deals(cards: object, message: str) -> None:
    hand = Hand(LEDUC)
    hand.deal("Jh")
    before = vars(hand.copy())
    assert not hand.can_deal(cards)
    with pytest.raises(UsageError) as error:
        hand.deal(cards)
    assert str(error.value) == message
    assert vars(hand) == before


def test_cards_come_before_moves() -> None:
    hand = Hand(LEDUC)
    for act in (hand.call, hand.fold, hand.raise_to):
        with pytest.raises(IllegalMove, match=r"^cards have to be dealt first$"):
            act()
    hand.deal_random(Random(1))
    with pytest.raises(IllegalMove, match=r"^deal: no cards are due$"):
        hand.deal("Kh")

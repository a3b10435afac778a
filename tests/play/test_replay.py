"""What a table says about money, beside PokerKit's pay-offs and a division of the pots chip by chip, over random hands."""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction
from random import Random

import pokerkit
import pytest

from smoothcall.games.catalog import LEDUC_3P
from smoothcall.games.hand import Hand
from smoothcall.play.person_view import BIG_BLINDS, HandView, chips_text, money_text
from smoothcall.play.table import replay, view_hand
from tests.games.random_hands import step
from tests.games.test_pokerkit import Pair, holdem_hand, play_random, random_holdem

NAMES = ["Ann", "Bob", "Cid", "Dan", "Eve", "Fay"]


def chip_by_chip(paid: list[int], alive: list[bool]) -> tuple[list[tuple[int, list[int]]], tuple[int, int]]:
    """Return ([(chips of a pot, seats that can win it)], (seat, chips nobody called)); (-1, 0) where all were called."""
    pots: list[tuple[int, list[int]]] = []
    returned = (-1, 0)
    for chip in range(max(paid)):
        payers = [seat for seat, chips in enumerate(paid) if chips > chip]
        able = [seat for seat in payers if alive[seat]]
        if len(payers) == 1:
            returned = payers[0], returned[1] + 1
        elif pots and pots[-1][1] == able:
            pots[-1] = pots[-1][0] + len(payers), able
        else:
            pots.append((len(payers), able))
    return pots, returned


def winners(pair: Pair, able: list[int]) -> list[int]:
    """The seats with the best hand, by PokerKit's evaluator."""
    hand, names = pair.hand, pair.hand.rules.deck.names
    if len(able) == 1:
        return able
    made = {
        seat: holdem_hand(*(tuple(pokerkit.Card.parse(names(cards))) for cards in (hand.hole[seat], hand.board)))
        for seat in able
    }
    return [seat for seat in able if made[seat] == max(made.values())]


def chips_in(view: HandView, pattern: str) -> list[str]:
    return [found[1] for event in view.events if (found := re.search(pattern, event.text))]


def verify_money(pair: Pair, view: HandView, counted: Counter[str]) -> None:
    hand, seat = pair.hand, view.seat
    pots, (returning, returned) = chip_by_chip(hand.paid, hand.alive)
    total, net = sum(chips for chips, _ in pots), pair.other.payoffs[pair.seat.index(seat)]
    assert (view.pot, list(view.pots)) == (total, [chips for chips, _ in pots])
    assert [each.returned for each in view.seats] == [returned * (place == returning) for place in range(len(view.seats))]
    assert chips_in(view, "^Uncalled bet of (.*) returned") == [chips_text(returned)] * (returned > 0)
    assert chips_in(view, r"pot(?: \d)? of ([0-9,]+)") == [chips_text(chips) for chips, _ in pots]
    assert Fraction(view.won or "x") == net
    for each in view.seats:
        paid = pair.other.payoffs[pair.seat.index(each.seat)] + hand.paid[each.seat]
        assert Fraction(each.collected or "x") == paid - each.returned
    shared = [winners(pair, able) for _, able in pots]
    said = [event.text for event in view.events if event.kind == "end"]
    assert [" split " in text for text in said] == [len(best) > 1 for best in shared]
    collected = Fraction(view.you.collected or "x")
    if not hand.alive[seat]:
        expected = "You folded"
    elif view.reason == "fold":
        expected = f"You win {chips_text(total)} without a showdown"
    elif collected == 0:
        expected = "You lose: "
    elif len(pots) == 1 and len(shared[0]) > 1:
        expected = f"You split the pot of {chips_text(total)}: {chips_text(collected)} each"
    elif all(best == [seat] for best in shared):
        expected = f"You win {chips_text(total)} with "
    else:
        expected = f"You win {chips_text(collected)} of {chips_text(total)}"
    assert view.verdict.startswith(expected)
    counted[re.sub("[0-9,½⅓⅔]+", "#", expected)] += 1
    counted["returned"] += returned > 0
    counted["side pot"] += len(pots) > 1
    fractions = any(share.denominator > 1 for share in hand.outcome.payoffs)
    assert bool(re.search("[½⅓⅔¼]| [0-9]+/[0-9]+", " ".join(said))) == fractions
    counted["odd chip"] += fractions


def kinds_of_showdown(pair: Pair, view: HandView) -> None:
    """Hands that lose are told apart from the hand that beats them."""
    shown = [(each.hand, holdem_strength(pair.hand, each.seat)) for each in view.seats if each.hand]
    for name, value in shown:
        for other, strength in shown:
            assert (name == other) <= (value == strength)


def holdem_strength(hand: Hand, seat: int) -> int:
    return hand.rules.order.strength(hand.rules.deck, hand.hole[seat], hand.board)


@pytest.mark.parametrize("hands", [150, pytest.param(500, marks=pytest.mark.long)])
def test_pots_uncalled_bets_and_verdicts_of_random_hands(hands: int) -> None:
    random, counted = Random(17), Counter[str]()
    for number in range(hands):
        pair = play_random(random_holdem(random, limit=number % 4 == 0), random)
        seat = random.randrange(pair.hand.rules.seats)
        view = view_hand(pair.hand, seat, NAMES[: pair.hand.rules.seats], id=1, number=1)
        verify_money(pair, view, counted)
        kinds_of_showdown(pair, view)
    assert min(counted[kind] for kind in ("returned", "side pot", "You folded", "You lose: ", "You win # with ")) > hands / 10
    assert min(counted[kind] for kind in ("odd chip", "You split the pot of #: # each", "You win # of #")) >= hands // 150
    assert counted["You win # without a showdown"] > hands / 25


def test_pots_while_a_hand_is_played() -> None:
    """Chips in the pots are the chips that were put in; there is a side pot only where somebody is all in for less."""
    random, sides = Random(18), 0
    for _ in range(60):
        rules = random_holdem(random, limit=False)
        hand = Hand(rules, [random.randint(5, 60) for _ in range(rules.seats)])
        while hand.outcome is None:
            step(hand, random)
            if hand.due is None and hand.outcome is None:
                view = view_hand(hand, 0, NAMES[: rules.seats], id=1, number=1)
                assert sum(view.pots) == view.pot == sum(hand.paid)
                short = {hand.paid[p] for p in range(rules.seats) if hand.alive[p] and hand.stack(p) == 0} - {max(hand.paid)}
                assert len(view.pots) == 1 + len(short)
                sides += len(view.pots) > 1
    assert sides > 20


def test_small_games_split_too() -> None:
    hand = replay(LEDUC_3P, LEDUC_3P.deck.parse("KhKsJhQs"), list("rcc" + "ccc"))
    view = view_hand(hand, 2, NAMES[:3], id=1, number=1)
    assert view.verdict == "You lose: Ann and Bob win with king high"
    assert view.events[-1].text == "Ann and Bob split the pot of 9: 4½ each"


@pytest.mark.parametrize(
    ("chips", "read"), [(1200, "1,200"), (Fraction(25, 2), "12½"), (Fraction(1, 3), "⅓"), (Fraction(12, 7), "1 5/7")]
)
def test_chips(chips: int | Fraction, read: str) -> None:
    assert chips_text(chips) == read


def test_big_blinds() -> None:
    assert [money_text(chips, BIG_BLINDS, 10) for chips in (5, 10, 25, 1234567)] == ["0.5 bb", "1 bb", "2.5 bb", "123,456.7 bb"]

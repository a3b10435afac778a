"""Hands as PokerStars writes them: read beside what their text says, and written and read again."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from random import Random

import pytest

from smoothcall.errors import UsageError
from smoothcall.games.catalog import LEDUC, LIMIT_HOLDEM, rules
from smoothcall.games.hand import Hand
from smoothcall.interop.hand_files import read_hands
from smoothcall.interop.pokerstars import read_pokerstars, split_pokerstars, write_pokerstars
from tests.games.random_hands import step

# Made up by us, in the form of the site's hand histories
CASH = """PokerStars Hand #10007: Hold'em No Limit ($0.25/$0.50 USD) - 2019/07/01 12:00:00 ET
Table 'Someplace II' 6-max Seat #5 is the button
Seat 1: small ann ($50 in chips)
Seat 2: Bob: the 2nd ($40.75 in chips)
Seat 3: away ($10 in chips) is sitting out
Seat 4: Hero ($60.10 in chips)
Seat 5: dealer ($1,250 in chips)
small ann: posts small blind $0.25
Bob: the 2nd: posts big blind $0.50
Hero: posts big blind $0.50
*** HOLE CARDS ***
Dealt to Hero [Ah Kh]
Hero: checks
dealer: raises $1 to $1.50
small ann: folds
Bob: the 2nd: calls $1
Hero: raises $4.50 to $6
dealer: folds
Bob: the 2nd: calls $4.50
*** FLOP *** [2h 7h 9s]
Bob: the 2nd: checks
Hero: bets $54.10 and is all-in
Bob: the 2nd: calls $34.75 and is all-in
Uncalled bet ($19.35) returned to Hero
*** TURN *** [2h 7h 9s] [Th]
*** RIVER *** [2h 7h 9s Th] [9d]
*** SHOW DOWN ***
Bob: the 2nd: shows [7c 7d] (a full house, Sevens full of Nines)
Hero: shows [Ah Kh] (a flush, Ace high)
Bob: the 2nd collected $81.25 from pot
*** SUMMARY ***
Total pot $83.25 | Rake $2
Board [2h 7h 9s Th 9d]
"""


def test_a_cash_game() -> None:
    found = read_pokerstars(CASH)
    assert found.names == ("small ann", "Bob: the 2nd", "Hero", "dealer")
    assert found.known == (False, True, True, False)
    assert found.hand.rules.blinds == (5, 10, 10, 0)
    assert found.unit == Fraction(1, 20)
    assert found.hand.text == "cr30fcr120fc/cr1202c//"
    assert found.rake * found.unit == 2
    assert found.agrees
    assert not read_pokerstars(CASH.replace("collected $81.25", "collected $85.25")).agrees


def random_hand(random: Random) -> Hand:
    seats = random.randint(2, 6)
    game = rules("no-limit-holdem", stack=random.choice([60, 400]), small_blind=1, seats=seats)
    hand = Hand(game, [random.randint(3, 60) for _ in range(seats)])  # type: ignore[arg-type]
    hand.deal_random(random)
    while hand.outcome is None:
        step(hand, random)
    return hand


@pytest.mark.parametrize("seed", range(40))
def test_hands_come_back(seed: int) -> None:
    hand = random_hand(Random(seed))
    known = {seed % hand.rules.seats}
    text = write_pokerstars(hand, known=known, unit=Fraction(1, 4))
    found = read_pokerstars(text)
    first = hand.rules.streets[-1].first if hand.rules.seats == 2 else 0
    turn = [(first + place) % hand.rules.seats for place in range(hand.rules.seats)]
    assert found.hand.text == hand.text
    assert found.names == tuple(f"p{seat + 1}" for seat in turn)
    assert found.agrees
    won = [found.unit * chips for chips in found.hand.outcome.payoffs]  # type: ignore[union-attr]
    if found.decided:
        assert won == [Fraction(1, 4) * hand.outcome.payoffs[seat] for seat in turn]  # type: ignore[union-attr]
    for place, seat in enumerate(turn):
        shown = seat in known or (hand.alive_count > 1 and hand.alive[seat])
        assert found.known[place] == shown
        assert not shown or found.hand.hole[place] == hand.hole[seat]


def test_limit() -> None:
    hand = Hand(LIMIT_HOLDEM, [500, 500])
    hand.deal_random(Random(1))
    for letter in "rrc":
        hand.play(letter)
    hand.deal_random(Random(2))
    for letter in "rf":
        hand.play(letter)
    found = read_pokerstars(write_pokerstars(hand, ["a", "b"], known={0, 1}))
    assert (found.hand.text, found.hand.starting) == (hand.text, hand.starting)
    assert found.hand.rules.limit
    assert found.names == ("b", "a")


def test_files(tmp_path: Path) -> None:
    other = CASH.replace("Hold'em No Limit", "Omaha Pot Limit")
    (tmp_path / "session.txt").write_text("\ufeff" + "\n\n".join([CASH, other, CASH]))
    assert len(split_pokerstars((tmp_path / "session.txt").read_text())) == 3
    found = read_hands([tmp_path])
    assert (len(found.hands), found.skipped.total()) == (2, 1)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("PokerStars Hand", "Other Hand", "accepted: PokerStars"),
        ("Hero: checks", "Nobody: checks", "'Nobody' acts without a seat"),
        ("bets $54.10", "bets", "accepted: bets CHIPS"),
        ("Seat 2: Bob: the 2nd", "Seat 2: Hero", "with different names"),
        ("small ann: folds", "Hero: folds", "it is the turn of p1"),
    ],
)
def test_wrong_texts(old: str, new: str, message: str) -> None:
    assert old in CASH
    with pytest.raises(UsageError) as error:
        read_pokerstars(CASH.replace(old, new, 1))
    assert message in str(error.value)


def test_what_cannot_be_written() -> None:
    with pytest.raises(UsageError, match="is not what PHH calls"):
        write_pokerstars(Hand(LEDUC))
    with pytest.raises(UsageError, match="cannot be written"):
        write_pokerstars(Hand(LIMIT_HOLDEM))
    with pytest.raises(UsageError, match="different ones"):
        write_pokerstars(random_hand(Random(1)), ["a"] * 6)

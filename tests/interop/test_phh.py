"""PHH files beside hands played by others, and beside PokerKit, which reads what we write."""

from dataclasses import replace
from datetime import time
from fractions import Fraction
from pathlib import Path
from random import Random

import pokerkit
import pytest

from smoothcall.errors import UsageError
from smoothcall.games.betting import ENOUGH
from smoothcall.games.catalog import LIMIT_HOLDEM, LIMIT_HOLDEM_3P, holdem_streets, rules
from smoothcall.games.hand import Hand
from smoothcall.games.notation import write_hand
from smoothcall.games.rules import PokerRules
from smoothcall.interop.phh import read_phh, read_phhs, write_phh
from tests.conftest import GOLDEN
from tests.games.random_hands import step

HEADS_UP = """variant = "NT"
antes = [0, 0]
blinds_or_straddles = [1, 2]
min_bet = 2
starting_stacks = [50, 200]
actions = [
  "d dh p1 AhKh", "d dh p2 7c7d",
  "p2 cbr 6  # a raise by the button", "p1 cc",
  "d db 2h7h9s", "p1 cbr 10", "p2 cbr 194", "p1 cc",
  "p2 sm 7c7d", "p1 sm AhKh", "d db Th", "d db 9d",
]
finishing_stacks = [0, 250]
"""


def test_hands_of_others_end_with_the_recorded_stacks() -> None:
    histories = read_phhs(GOLDEN / "pluribus.phhs")
    assert len(histories) == 3
    assert all(history.agrees and history.hand.outcome is not None for history in histories)
    assert histories[0].names[5] == "Pluribus"
    assert histories[2].finishing[2] == Fraction(20775, 2)
    assert not replace(histories[0], finishing=histories[0].finishing[::-1]).agrees


def test_a_hand_of_two() -> None:
    """p1 is the big blind: second before the flop, first on it; an all-in for more than the other has is called for less."""
    history = read_phh(HEADS_UP)
    assert history.hand.rules.blinds == (2, 1)
    assert write_hand(history.hand) == "AhKh|7c7d/2h7h9s/Th/9d:r6c/r16r200c//@50,200"
    assert history.hand.outcome.payoffs == (-50, 50)
    assert history.agrees
    assert read_phh(HEADS_UP.replace("finishing", "other")).agrees  # nothing to compare with


def test_a_file_is_read_by_its_path(tmp_path: Path) -> None:
    path = tmp_path / "hand.phh"
    path.write_text(HEADS_UP)
    assert write_hand(read_phh(path).hand) == write_hand(read_phh(HEADS_UP).hand)
    with pytest.raises(UsageError, match="there is no hand history"):
        read_phh(tmp_path / "other.phh")


def test_checks_that_cannot_matter_are_passed_over() -> None:
    text = HEADS_UP.replace('"p2 cbr 194", "p1 cc",', '"p2 cbr 194", "p1 cc", "p2 cc",')
    assert read_phh(text).agrees


def random_hand(random: Random) -> Hand:
    seats = random.randint(2, 6)
    if random.randint(0, 1):
        game = rules("no-limit-holdem", seats=seats, small_blind=1)
    else:
        streets = holdem_streets(seats, (2, 2, 4, 4), (3, 4, 4, 4))
        game = replace(LIMIT_HOLDEM_3P, seats=seats, streets=streets, blinds=(1, 2), antes=(random.randint(0, 1),) * seats)
    hand = Hand(game, [random.randint(3, 60) for _ in range(seats)])
    while hand.outcome is None:
        step(hand, random)
    return hand


@pytest.mark.parametrize("seed", range(60))
def test_what_we_write_is_read_by_pokerkit_and_by_us(seed: int) -> None:
    hand = random_hand(Random(seed))
    seats = range(hand.rules.seats)
    turn = [1, 0] if len(seats) == 2 else list(seats)  # the big blind is p1 there and seat 1 here
    text = write_phh(hand, [f'it\'s "{seat}" é' for seat in seats])
    ends = [hand.starting[seat] + hand.outcome.payoffs[seat] for seat in turn]

    assert pokerkits_stacks(text) == ends
    again = read_phh(text)
    assert again.agrees
    assert [again.hand.starting[seat] + again.hand.outcome.payoffs[seat] for seat in seats] == ends
    assert again.names == tuple(f'it\'s "{seat}" é' for seat in turn)
    assert write_phh(again.hand, again.names) == text


def pokerkits_stacks(text: str) -> list[Fraction]:
    """The stacks with which PokerKit ends the one hand of a file, odd chips shared."""
    theirs = pokerkit.HandHistory.loads(text)
    theirs.divmod = lambda chips, players: (Fraction(chips, players), 0)
    *_, last = theirs
    assert not last.status
    return list(last.stacks)


def test_stacks_without_end() -> None:
    """Where raises are capped, chips that are enough stand for them: 240 can be lost; where they are not, `inf`."""
    hand = Hand(LIMIT_HOLDEM)
    hand.deal_random(Random(1))
    hand.fold()
    assert "starting_stacks = [260, 260]\n" in write_phh(hand)
    assert "finishing_stacks = [265, 255]\n" in write_phh(hand)
    assert read_phh(write_phh(hand)).hand.outcome.payoffs == (5, -5)
    hand = Hand(rules("no-limit-holdem"), [ENOUGH, 50])
    hand.deal_random(Random(1))
    hand.fold()
    assert "starting_stacks = [50, inf]\n" in write_phh(hand)
    assert "finishing" not in write_phh(hand)
    assert read_phh(write_phh(hand)).hand.outcome.payoffs == (5, -5)


@pytest.mark.parametrize("game", [LIMIT_HOLDEM, LIMIT_HOLDEM_3P])
def test_the_most_that_can_be_lost_is_not_everything(game: PokerRules) -> None:
    hand = Hand(game)
    while hand.outcome is None:
        hand.deal_random(Random(3))
        if not hand.finished:
            hand.play("r" if hand.raises is not None else "c")
    assert hand.paid == [240] * game.seats
    seats = [1, 0] if game.seats == 2 else [0, 1, 2]
    assert pokerkits_stacks(write_phh(hand)) == [260 + hand.outcome.payoffs[seat] for seat in seats]


@pytest.mark.parametrize("seed", range(40))
def test_cards_that_were_not_shown_are_not_written(seed: int) -> None:
    """One seat's view of a hand: PokerKit replays it to the same stacks, and the rest of the deck may be anything."""
    hand = random_hand(Random(seed))
    seats, me = range(hand.rules.seats), seed % hand.rules.seats
    text = write_phh(hand, known={me})
    showdown = hand.alive_count > 1
    for seat in seats:
        written = hand.rules.deck.names(hand.hole[seat]) in text
        assert written == (seat == me or (showdown and hand.alive[seat]))
    turn = [1, 0] if len(seats) == 2 else list(seats)
    assert pokerkits_stacks(text) == [hand.starting[seat] + hand.outcome.payoffs[seat] for seat in turn]
    again = read_phh(text)
    assert again.known == tuple(seat == me or (showdown and hand.alive[seat]) for seat in turn)
    assert (again.decided, again.agrees) == (True, True)
    assert again.hand.outcome.payoffs == tuple(hand.outcome.payoffs[seat] for seat in turn)


def test_what_stands_beside_a_hand() -> None:
    hand = Hand(LIMIT_HOLDEM)
    hand.deal_random(Random(1))
    hand.fold()
    fields = {"table": 'a "b"\x7f\n', "hand": 7, "time": time(12, 3, 4), "_game": "limit-holdem"}
    theirs = pokerkit.HandHistory.loads(write_phh(hand, about=fields))
    assert (theirs.table, theirs.hand, theirs.time) == ('a "b"\x7f\n', 7, time(12, 3, 4))
    assert theirs.user_defined_fields == {"_game": "limit-holdem"}


@pytest.mark.parametrize("game", [rules("leduc"), rules("no-limit-holdem-32"), replace(LIMIT_HOLDEM_3P, seats=4)])
def test_other_games_are_not_written(game: PokerRules) -> None:
    game = game if game.seats < 4 else replace(game, blinds=(5, 10, 20))
    with pytest.raises(UsageError, match=f"{game.name} is not what PHH calls Texas hold'em"):
        write_phh(Hand(game))


def test_names_of_some_only() -> None:
    with pytest.raises(UsageError, match=r"names \['a'\] \(accepted: none, or one for each of 2 seats\)"):
        write_phh(Hand(LIMIT_HOLDEM), ["a"])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"NT"', '"PO"', "the hand: variant = 'PO' (accepted: NT, FT)"),
        ('"NT"', '"FT"', "the hand: small_bet = [None] (accepted: chips)"),
        ("[1, 2]", "[1]", "the hand: blinds_or_straddles = [1] (accepted: chips of 2 players)"),
        ("[50, 200]", "[50.00000001, 200]", "the hand: chips in parts of 1/100000000 (accepted: at most six decimals)"),
        ("[50, 200]", "[-50, 200]", "the hand: starting_stacks = [-50, 200] (accepted: chips)"),
        ("[50, 200]", '["50", 200]', "the hand: starting_stacks = ['50', 200]"),
        ("antes = [0, 0]", "antes = [0, -1]", "the hand: antes = [0, -1] (accepted: chips of 2 players)"),
        ("d dh p1", "d dh p3", "the hand: 'd dh p3 AhKh' (accepted: p1 to p2)"),
        ("p2 cbr 6 ", "p1 cbr 6 ", "the hand, action 3 'p1 cbr 6': it is the turn of p2"),
        ("p2 cbr 6 ", "p3 cbr 6 ", "the hand, action 3 'p3 cbr 6': there is no such player (accepted: p1 to p2)"),
        ("p2 cbr 6 ", "p2 cbr 3 ", "the hand, action 3 'p2 cbr 3': raise to 3 (accepted: 4 to 200)"),
        ("p2 cbr 6 ", "p2 bet 6 ", "the hand, action 3 'p2 bet 6': unknown action (accepted:"),
        ("d db 2h7h9s", "d db 2h7h", "the hand, action 5 'd db 2h7h': deal '2h7h' (accepted now: 3 cards, each once)"),
        ("[0, 250]", "[250]", "the hand: finishing_stacks = [250] (accepted: chips of 2 players)"),
        ("actions = [", "actions = [1,", "the hand: actions (accepted: a list of texts)"),
        ("min_bet = 2", "min_bet = ", "as PHH: "),
    ],
)
def test_wrong_files(old: str, new: str, message: str) -> None:
    assert old in HEADS_UP
    with pytest.raises(UsageError) as error:
        read_phh(HEADS_UP.replace(old, new, 1))
    assert message in str(error.value)


def test_a_file_of_several_hands_is_one_of_tables() -> None:
    text = "\n".join(f"[{name}]\n{HEADS_UP}" for name in ("one", "two"))
    assert [history.agrees for history in read_phhs(text)] == [True, True]
    with pytest.raises(UsageError, match=r"hand \[two\], action 3 'p1 cbr 6': it is the turn of p2"):
        read_phhs(text[::-1].replace("6 rbc 2p", "6 rbc 1p", 1)[::-1])
    with pytest.raises(UsageError, match=r"hand \[variant\] is no hand"):
        read_phhs(HEADS_UP)

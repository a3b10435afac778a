"""What we write is what one person saw: PokerKit replays it to the same stacks, and no other card can be told from it."""

import json
from datetime import UTC, datetime, time, timedelta, timezone
from fractions import Fraction
from random import Random

import pokerkit
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from smoothcall.agents.view import visible_hole_cards
from smoothcall.errors import UsageError
from smoothcall.games.catalog import KUHN, KUHN_3P, LEDUC, LIMIT_HOLDEM, LIMIT_HOLDEM_3P, NO_LIMIT_HOLDEM, rules
from smoothcall.games.hand import Hand
from smoothcall.games.notation import read_hand
from smoothcall.games.rules import PokerRules
from smoothcall.play.exports import Exported, to_json, to_phh
from smoothcall.play.table import replay
from tests.games.random_hands import random_letter

THREE = rules("no-limit-holdem", seats=3)
HOLDEM = [LIMIT_HOLDEM, LIMIT_HOLDEM_3P, NO_LIMIT_HOLDEM, THREE]
SMALL = [KUHN, KUHN_3P, LEDUC]
ENDED = datetime(2024, 2, 29, 23, 59, 58, 999)


def exported(hand: Hand, seat: int, number: int = 1) -> Exported:
    names = tuple("You" if place == seat else f'"{place}" é' for place in range(hand.rules.seats))
    return Exported(hand, seat, visible_hole_cards(hand, seat), names, "t1", number, ENDED, hand.rules.name)


def random_betting(rules: PokerRules, random: Random) -> tuple[list[int], list[str]]:
    """A deck and the moves of a whole hand."""
    deck = random.sample(range(rules.deck.size), rules.deck.size)
    hand, moves = replay(rules, deck, []), []
    while hand.outcome is None:
        moves.append(random_letter(hand, random))
        hand = replay(rules, deck, moves)
    return deck, moves


def exchanged(hand: Hand, seat: int, deck: list[int], random: Random) -> list[int]:
    """The deck with everything the seat has not seen in another order."""
    shown = [place for place, cards in enumerate(visible_hole_cards(hand, seat)) if cards]
    size = hand.rules.streets[0].hole
    dealt = hand.rules.seats * size + len(hand.board)
    seen = {
        place for place in range(len(deck)) if place < dealt and (place >= hand.rules.seats * size or place // size in shown)
    }
    hidden = [place for place in range(len(deck)) if place not in seen]
    cards = [deck[place] for place in hidden]
    random.shuffle(cards)
    other = list(deck)
    for place, card in zip(hidden, cards, strict=True):
        other[place] = card
    return other


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(HOLDEM), st.integers(0, 2**32)), min_size=1, max_size=3))
def test_pokerkit_reads_what_we_write_and_agrees_on_the_result(sampled: list[tuple[PokerRules, int]]) -> None:
    hands = []
    for number, (game, seed) in enumerate(sampled, 1):
        random = Random(seed)
        hands.append(exported(replay(game, *random_betting(game, random)), random.randrange(game.seats), number))
    theirs = list(pokerkit.HandHistory.loads_all(to_phh(hands)))
    assert len(theirs) == len(hands)
    for one, history in zip(hands, theirs, strict=True):
        history.divmod = lambda chips, players: (Fraction(chips, players), 0)
        *_, last = history
        turn = [1, 0] if one.hand.rules.seats == 2 else list(range(3))  # the big blind is p1 there and seat 1 here
        gains = [Fraction(end) - start for start, end in zip(history.starting_stacks, last.stacks, strict=True)]
        assert not last.status
        assert gains == [one.hand.outcome.payoffs[seat] for seat in turn]
        assert history.players == [one.names[seat] for seat in turn]
        assert (history.table, history.hand, history.user_defined_fields) == ("t1", one.number, {"_game": one.game})
        assert (history.year, history.month, history.day, history.time) == (2024, 2, 29, time(23, 59, 58))


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(HOLDEM + SMALL), st.integers(0, 2**32))
def test_cards_that_were_not_shown_cannot_be_told(game: PokerRules, seed: int) -> None:
    """The same hand with the hidden cards exchanged gives the same bytes."""
    random = Random(seed)
    deck, moves = random_betting(game, random)
    seat = random.randrange(game.seats)
    hand = replay(game, deck, moves)
    other = replay(game, exchanged(hand, seat, deck, random), moves)
    assert to_json([exported(hand, seat)]) == to_json([exported(other, seat)])
    if game in HOLDEM:
        assert to_phh([exported(hand, seat)]) == to_phh([exported(other, seat)])


def test_a_hand_as_json() -> None:
    """Kings folded to a bet: the winner's card is nobody's business."""
    one = exported(read_hand(KUHN_3P, "K|Q|A:rff"), 1, 7)
    (found,) = json.loads(to_json([one]))["hands"]
    assert found["players"][1] == {
        "seat": 1, "name": "You", "cards": ["Q"], "stack": None, "paid": 1, "folded": True, "won": "-1",
    }  # fmt: skip
    assert [player["cards"] for player in found["players"]] == [None, ["Q"], None]
    assert found["moves"][3:] == [
        {"street": 0, "seat": 0, "move": "r", "chips": 1, "total": 2},
        {"street": 0, "seat": 1, "move": "f", "chips": 0},
        {"street": 0, "seat": 2, "move": "f", "chips": 0},
    ]
    assert (found["betting"], found["number"], found["reason"], found["pot"]) == ("rff", 7, "fold", 4)
    assert found["ended"] == "2024-02-29T23:59:58+00:00"


def test_chips_that_are_shared_stay_exact() -> None:
    one = exported(read_hand(LIMIT_HOLDEM_3P, "2h3h|AcKd|AhKs/2s7s9s/Th/9c:cfc/cc/cc/cc"), 1)
    assert [player["won"] for player in json.loads(to_json([one]))["hands"][0]["players"]] == ["-5", "+5/2", "+5/2"]


def test_times_of_other_zones_are_made_universal() -> None:
    hand = read_hand(KUHN, "K|Q:cc")
    east = datetime(2024, 3, 1, 1, 59, 58, tzinfo=timezone(timedelta(hours=2)))
    for ended in (east, ENDED, ENDED.replace(tzinfo=UTC)):
        one = Exported(hand, 0, tuple(hand.hole), ("a", "b"), "t", 1, ended, "kuhn")
        assert json.loads(to_json([one]))["hands"][0]["ended"] == "2024-02-29T23:59:58+00:00"


def test_games_without_a_variant_are_left_out_and_named() -> None:
    kuhn, leduc = exported(read_hand(KUHN, "K|Q:cc"), 0), exported(read_hand(LEDUC, "Kh|Qs:rf"), 1)
    holdem = exported(read_hand(LIMIT_HOLDEM, "AhKh|7c7d:f"), 0)
    text = to_phh([kuhn, holdem, kuhn, leduc])
    assert text.splitlines()[-2:] == [
        "# left out: 2 of kuhn, which PHH has no variant for",
        "# left out: 1 of leduc, which PHH has no variant for",
    ]
    assert len(list(pokerkit.HandHistory.loads_all(text))) == 1
    with pytest.raises(UsageError, match="PHH has no variant for kuhn, leduc: export as JSON instead"):
        to_phh([kuhn, leduc])
    assert len(json.loads(to_json([kuhn, holdem, kuhn, leduc]))["hands"]) == 4


def test_no_hands_and_wrong_ones() -> None:
    assert list(pokerkit.HandHistory.loads_all(to_phh([]))) == []
    assert json.loads(to_json([])) == {"hands": []}
    with pytest.raises(UsageError, match="not over"):
        to_json([exported(read_hand(KUHN, "K|Q:c"), 0)])

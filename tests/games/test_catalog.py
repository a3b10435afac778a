from collections import Counter
from dataclasses import replace

import pytest

from smoothcall.errors import UsageError
from smoothcall.games.betting import Betting
from smoothcall.games.cards import SHORT, STANDARD
from smoothcall.games.catalog import CATALOG, KUHN, LEDUC, RPS, rules
from smoothcall.games.hand import Hand
from smoothcall.games.matrix import MatrixGame
from smoothcall.games.notation import read_hand, write_hand
from smoothcall.games.rankings import BEST_FIVE, STARTING_HANDS
from smoothcall.games.rules import PokerRules
from smoothcall.information.named_games import options_of
from smoothcall.information.tree import poker_size

from .random_hands import after

HOLDEM = ["limit-holdem", "limit-holdem-3p", "no-limit-holdem", "no-limit-holdem-32"]


@pytest.mark.interpreted
def test_every_game_is_built_by_its_name() -> None:
    for name, entry in CATALOG.items():
        built = rules(name)
        assert built.name == name
        assert entry.summary
        assert isinstance(built, MatrixGame) or Betting(built).player == built.streets[0].first
    assert rules("rps") is RPS
    assert rules("kuhn") == KUHN
    assert rules("leduc") == LEDUC


@pytest.mark.parametrize(("name", "seats", "cards"), [("kuhn", 2, 3), ("kuhn-3p", 3, 4), ("leduc", 2, 6), ("leduc-3p", 3, 8)])
def test_seats_cards_and_antes(name: str, seats: int, cards: int) -> None:
    built = rules(name)
    assert (built.seats, built.deck.size, built.antes) == (seats, cards, (1,) * seats)


def test_the_variant_of_leduc_without_checks() -> None:
    """The program of macmanus2019: f and b at an opening, then f, c and r; 22 places of betting, 9 of them decisions."""
    built = rules("leduc", opening="bet-or-fold", showdown="starting-hands")
    assert (built.name, built.checks, built.order) == ("leduc", False, STARTING_HANDS)
    assert Betting(built).slots == ("f", None, "r")
    assert after(Betting(built), "r").slots == ("f", "c", "r")
    assert after(Betting(built), "rr").slots == ("f", "c", None)
    assert after(Betting(built), "rc").slots == ("f", None, "r")
    assert after(Betting(built), "f").finished
    with pytest.raises(UsageError, match="this game has no checks, bet or fold instead"):
        Betting(built).play("c")
    assert rules("leduc", opening="check-or-bet", showdown="pair") == LEDUC
    assert Hand(built).copy().rules.checks is False


@pytest.mark.parametrize(("name", "pot", "ante"), [("kuhn", 8, 4), ("kuhn", "8", 4), ("kuhn-3p", 9, 3)])
def test_the_pot_is_put_in_by_all_alike(name: str, pot: object, ante: int) -> None:
    built = rules(name, pot=pot)
    assert built.antes == (ante,) * built.seats


def decisions(rules: PokerRules) -> list[int]:
    """Spots where somebody decides, by street, with no cards in them."""
    counts: Counter[int] = Counter()
    waiting = [Betting(rules)]
    while waiting:
        state = waiting.pop()
        if state.finished:
            continue
        counts[state.street] += 1
        totals = rules.menu.totals(state) if rules.menu else []
        raises = [f"r{total}" for total in totals if total] if rules.menu else ["r"] * (state.raises is not None)
        waiting += [after(state.copy(), letter) for letter in ["c", *raises, *["f"] * state.can_fold()]]
    return [counts[street] for street in range(len(rules.streets))]


@pytest.mark.parametrize("name", HOLDEM)
def test_texas_holdem(name: str) -> None:
    built = rules(name)
    assert isinstance(built, PokerRules)
    assert [(street.hole, street.board) for street in built.streets] == [(2, 0), (0, 3), (0, 1), (0, 1)]
    assert built.deck == (SHORT if name == "no-limit-holdem-32" else STANDARD)
    assert built.order is BEST_FIVE
    assert {"menu"} <= set(options_of(name)) or built.limit


def test_decisions_of_limit_holdem() -> None:
    """8 decisions before the flop and 7 ways to it, then 10 decisions a street and 9 ways to the next one."""
    assert decisions(rules("limit-holdem")) == [8, 70, 630, 5670]


def test_raises_that_are_listed_are_a_menu_and_not_a_rule() -> None:
    """The tree is that of rules with so many raises; play allows all."""
    for name in ("limit-holdem", "limit-holdem-3p"):
        listed, whole = rules(name, raises="2/1/1/1"), rules(name)
        capped = [replace(street, max_raises=cap) for street, cap in zip(whole.streets, (2, 1, 1, 1), strict=True)]
        assert poker_size(listed) == poker_size(replace(whole, streets=tuple(capped)))
        state = after(Betting(listed), "rr")
        assert state.slots == ("f", "c", None)
        assert after(state, "r").raises is None, "the rules allow three"
    for text in ("2/1/1", "2/1/1/5", "4/1/1/1", "2/1/1/x", "-1/1/1/1", ""):
        with pytest.raises(UsageError, match="option raises="):
            rules("limit-holdem-3p", raises=text)


def test_decisions_of_no_limit_holdem_with_its_menu() -> None:
    assert decisions(rules("no-limit-holdem")) == [32, 136, 352, 712]
    assert decisions(rules("no-limit-holdem", menu="all-in")) == [4, 4, 4, 4]  # shove or not, on each of four streets


def test_who_acts_first() -> None:
    heads_up, three, six = rules("limit-holdem"), rules("limit-holdem-3p"), rules("no-limit-holdem", seats=6)
    assert Betting(heads_up).player == 0  # the small blind is the button
    assert after(Betting(heads_up), "cc").player == 1
    assert Betting(three).player == 2
    assert after(Betting(three), "ccc").player == 0
    assert Betting(six).player == 2
    assert after(Betting(six), "ccccfc").player == 1
    for built in (heads_up, three, six):
        assert Betting(built).paid[:2] == [5, 10]


def test_options_of_no_limit_holdem() -> None:
    built = rules("no-limit-holdem", stack=20_000, small_blind=50, seats=3, menu="pot+all-in")
    assert (built.stack, built.blinds, built.seats, str(built.menu)) == (20_000, (50, 100), 3, "pot+all-in")
    assert {street.bet for street in built.streets} == {100}
    assert Betting(built).raises == (200, 20_000)
    assert rules("no-limit-holdem").stack == 100  # pricope2021


def test_raises_of_the_game_with_32_cards() -> None:
    built = rules("no-limit-holdem-32")
    state = Betting(built)
    assert state.paid == [500, 500]
    assert state.to_call == 0
    assert built.menu.totals(state) == [1500, 2500, 3500, 4500, 10_000]  # by 1 to 4 bets (epfl2020), and all-in
    assert built.menu.totals(after(state, "r2500")) == [None, 4500, 5500, 6500, 10_000]
    assert built.menu.totals(after(state, "cr7500")) == [None, None, 10_000, None, None]  # less than a full raise is left


def test_a_hand_of_holdem_as_text() -> None:
    text = "AhKh|QsQd/Td9d2c/Qc/Jc:r30c/cc/r60c/cr100c"
    hand = read_hand(rules("no-limit-holdem"), text)
    assert isinstance(hand, Hand)
    assert write_hand(hand) == text
    assert hand.outcome.payoffs == (100, -100)  # a straight to the ace


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("no-limit-holdem", {"stack": 10}, "option stack=10 of no-limit-holdem (accepted: more than the big blind of 10)"),
        ("no-limit-holdem", {"seats": 11}, "option seats=11 (accepted: a whole number from 2 to 10)"),
        ("no-limit-holdem", {"menu": ""}, "option menu= (accepted: min, pot, all-in,"),
        ("kuhm", {}, "unknown game 'kuhm'; did you mean 'kuhn'?"),
        ("kuhn", {"pot": 7}, "option pot=7 of kuhn (accepted: a multiple of its 2 players)"),
        ("kuhn", {"pot": 0}, "option pot=0 (accepted: a whole number from 2 to 1e+06)"),
        ("kuhn", {"pots": 8}, "unknown option of kuhn 'pots'; did you mean 'pot'? (accepted: pot)"),
        ("leduc", {"pot": 8}, "unknown option of leduc 'pot' (accepted: opening, showdown)"),
    ],
)
def test_wrong_names_and_options(name: str, options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError) as error:
        rules(name, **options)
    assert message in str(error.value)

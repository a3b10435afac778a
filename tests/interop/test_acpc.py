"""Game definitions and log lines beside hands of the competition's own dealer, and beside OpenSpiel, which holds its engine."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random

import pyspiel
import pytest
from hypothesis import given, settings

from smoothcall.errors import UsageError
from smoothcall.games.catalog import CATALOG, LEDUC, LIMIT_HOLDEM, NO_LIMIT_HOLDEM, rules
from smoothcall.games.hand import Hand, deal_hand
from smoothcall.games.matrix import MatrixGame
from smoothcall.games.rules import PokerRules, Street
from smoothcall.interop.acpc import (
    State,
    read_game,
    read_log,
    read_match_state,
    read_state,
    write_game,
    write_match_state,
    write_state,
)
from tests.conftest import GOLDEN
from tests.games.random_hands import games, no_limit, random_letter, step

LIMIT_2P = """GAMEDEF
limit
numPlayers = 2
numRounds = 4
blind = 10 5
raiseSize = 10 10 20 20
firstPlayer = 2 1 1 1
maxRaises = 3 4 4 4
numSuits = 4
numRanks = 13
numHoleCards = 2
numBoardCards = 0 3 1 1
END GAMEDEF
"""
NO_LIMIT_2P = """GAMEDEF
nolimit
numPlayers = 2
numRounds = 4
stack = 20000 20000
blind = 100 50
firstPlayer = 2 1 1 1
numSuits = 4
numRanks = 13
numHoleCards = 2
numBoardCards = 0 3 1 1
END GAMEDEF
"""
LIMIT_3P = LIMIT_2P.replace("= 2\nnumR", "= 3\nnumR", 1).replace("10 5", "5 10 0").replace("2 1 1 1", "3 1 1 1")
DEFINITIONS = {"2p.limit": LIMIT_2P, "2p.nolimit": NO_LIMIT_2P, "3p.limit": LIMIT_3P}
POKER = [name for name in CATALOG if not isinstance(rules(name), MatrixGame)]


# Game definitions


@pytest.mark.parametrize("text", DEFINITIONS.values(), ids=DEFINITIONS)
def test_the_competitions_games(text: str) -> None:
    assert write_game(read_game(text)) == text


def test_what_a_definition_says() -> None:
    game = read_game(NO_LIMIT_2P, name="acpc 2p")
    assert (game.name, game.seats, game.blinds, game.stack, game.limit) == ("acpc 2p", 2, (100, 50), 20_000, False)
    assert [(street.bet, street.first) for street in game.streets] == [(100, 1), (100, 0), (100, 0), (100, 0)]
    assert Hand(game).player == 1  # the button
    assert read_game(LIMIT_2P).streets[0].max_raises == 3


def test_unequal_stacks() -> None:
    text = NO_LIMIT_2P.replace("20000 20000", "5000 20000")
    game = read_game(text)
    assert (game.stack, game.stacks, game.reopen) == (20_000, (5000, 20_000), True)
    assert Hand(game).starting == (5000, 20_000)
    assert write_game(game) == text
    line = "STATE:0:r20000c///:5d5c|9hQd/8dAs8s/4h/6d:5000|-5000:p1|p2"
    assert read_state(game, line.replace("r20000", "r5000")).agrees


def test_comments_spacing_and_letters_do_not_matter(tmp_path: Path) -> None:
    text = "# a comment\n\n" + LIMIT_2P.replace(" = ", "=").replace("numSuits", "NUMSUITS").replace("limit\n", "Limit # yes\n")
    assert read_game(text) == read_game(LIMIT_2P)
    path = tmp_path / "holdem.limit.2p.game"
    path.write_text(text)
    assert read_game(path) == replace(read_game(LIMIT_2P), name="holdem.limit.2p")
    with pytest.raises(UsageError, match="there is no game definition"):
        read_game(tmp_path / "other.game")


@pytest.mark.parametrize("name", [name for name in POKER if name != "no-limit-holdem-32"])
def test_our_games_come_back(name: str) -> None:
    game = rules(name)
    assert read_game(write_game(game), name=name) == replace(game, menu=None)


@settings(deadline=None)
@given(games())
def test_any_game_comes_back_or_is_refused(game: PokerRules) -> None:
    try:
        text = write_game(game)
    except UsageError:
        assert game.name == "any"  # those of the catalogue are not refused
    else:
        assert write_game(read_game(text)) == text


@pytest.mark.parametrize(
    ("game", "reason"),
    [
        (rules("no-limit-holdem-32"), "a smallest bet other than the largest blind"),
        (replace(NO_LIMIT_HOLDEM, antes=(1, 1)), "antes beside blinds"),
        (replace(NO_LIMIT_HOLDEM, stack=9), "blinds above the stack"),
        (replace(NO_LIMIT_HOLDEM, reopen=True), "betting that short all-ins re-open, with equal stacks"),
        (replace(NO_LIMIT_HOLDEM, stacks=(50, 100)), "betting that short all-ins do not re-open, with unequal stacks"),
        (replace(LEDUC, deck=no_limit(2).deck, streets=(Street(hole=2, bet=1, max_raises=1),)), "2 hole cards, 0 board cards"),
        (replace(LEDUC, streets=(*LEDUC.streets, Street(hole=1, bet=1, max_raises=1))), "hole cards after the first street"),
        (replace(LEDUC, streets=(LEDUC.streets[0], *[Street(bet=1, max_raises=1)] * 4)), "5 streets"),
        (replace(LEDUC, deck=replace(LEDUC.deck, suits="cd")), "a deck of 'JQK' and 'cd'"),
    ],
)
def test_what_a_definition_cannot_hold(game: PokerRules, reason: str) -> None:
    with pytest.raises(UsageError, match="cannot hold") as error:
        write_game(game)
    assert f"{game.name}: an ACPC game definition cannot hold {reason}" in str(error.value)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("blind = 10 5", "blind = 10", "line 5: blind = 10 (accepted: 2 numbers, one a player, from 0 to 2147483647)"),
        ("blind = 10 5", "blind = 10 5 0", "line 5: blind = 10 5 0 (accepted: 2 numbers, one a player,"),
        ("blind = 10 5", "blinds = 10 5", "line 5: unknown key 'blinds'; did you mean 'blind'?"),
        ("blind = 10 5", "blind = 10 x", "line 5: 'blind = 10 x' (accepted: blind = whole numbers)"),
        ("blind = 10 5", "blind =", "line 5: 'blind =' (accepted: blind = whole numbers)"),
        ("blind = 10 5\n", "", "line 12: the game definition ends without blind"),
        ("blind = 10 5\n", "blind = 10 5\nblind = 10 5\n", "line 6: blind stands on line 5 already"),
        ("raiseSize = 10 10 20 20\n", "", "line 12: the game definition ends without raiseSize, which a limit game needs"),
        ("raiseSize = 10 10 20 20", "raiseSize = 10 10", "line 6: raiseSize = 10 10 (accepted: 4 numbers, one a round, from 1"),
        ("firstPlayer = 2", "firstPlayer = 3", "line 7: firstPlayer = 3 1 1 1 (accepted: 4 numbers, one a round, from 1 to 2)"),
        ("\nlimit", "\nnolimit", "line 13: the game definition ends without stack, which a no-limit game needs"),
        ("\nlimit", "", "line 12: the game definition ends without limit or nolimit"),
        ("blind =", "stack = 100 0\nblind =", "line 5: stack = 100 0 (accepted: 2 numbers, one a player, from 1 to"),
        ("numPlayers = 2", "numPlayers = 11", "line 3: numPlayers = 11 (accepted: one number from 2 to 10)"),
        ("numSuits = 4", "numSuits = 4 4", "line 9: numSuits = 4 4 (accepted: one number from 1 to 4)"),
        ("numHoleCards = 2", "numHoleCards = 3", "line 11: numHoleCards = 3 (accepted: cards as in Kuhn poker,"),
        ("END GAMEDEF\n", "", "line 12: the text ends without END GAMEDEF"),
        ("GAMEDEF\nl", "# no beginning\nl", "line 2: 'limit' (accepted: GAMEDEF first)"),
        ("numRanks = 13", "numRanks = 2", "line 11: numHoleCards = 2 (accepted:"),
    ],
)
def test_wrong_definitions_name_the_line(old: str, new: str, message: str) -> None:
    assert old in LIMIT_2P
    text = LIMIT_2P.replace(old, new, 1)
    with pytest.raises(UsageError) as error:
        read_game(text)
    assert str(error.value).startswith(message)


# Hands


@pytest.mark.parametrize("name", DEFINITIONS)
def test_hands_of_the_dealer_are_paid_as_recorded(name: str) -> None:
    text = (GOLDEN / f"acpc.{name}.log").read_text()
    states = read_log(read_game(DEFINITIONS[name]), text)
    assert len(states) >= 3
    for state, line in zip(states, text.splitlines()[1:], strict=True):
        assert state.agrees
        assert write_state(state) == line
    assert read_log(read_game(DEFINITIONS[name]), GOLDEN / f"acpc.{name}.log")[0].names == states[0].names
    assert not replace(states[0], payoffs=states[0].payoffs[::-1]).agrees


@pytest.mark.parametrize("name", POKER)
def test_hands_of_our_games_come_back_at_every_moment(name: str) -> None:
    game, random = rules(name), Random(name)
    for number in range(20):
        hand = deal_hand(game, number)
        while hand.outcome is None:
            step(hand, random)
            if hand.due is None:
                state = read_state(game, write_state(State(number, hand)))
                assert state.hand.outcome == hand.outcome  # which each keeps from now on
                assert (state.number, vars(state.hand)) == (number, vars(hand))
        assert state.agrees
        assert state.names[0] == "p1"


def test_small_decks_hold_the_highest_cards_there() -> None:
    hand = read_state(rules("leduc"), "STATE:7:crc/rf:Qh|As/Ks").hand
    assert [LEDUC.deck.names(cards) for cards in (*hand.hole, hand.board)] == ["Jh", "Ks", "Qs"]
    assert write_state(State(7, hand, names=("a", "b"))) == "STATE:7:crc/rf:Qh|As/Ks:3|-3:a|b"


def test_thirds_of_chips() -> None:
    game = replace(LIMIT_HOLDEM, seats=4, blinds=(5, 10))
    hand = read_state(game, "STATE:0:cccc/cccc/cccc/cccc:2c3d|2d3h|2h3s|2s3c/TcJdQh/Ks/Ac").hand
    assert hand.outcome.payoffs == (0, 0, 0, 0)
    line = "STATE:0:fccc/ccc/ccc/ccc:2c3d|2d3h|2h3s|2s3c/TcJdQh/Ks/Ac:-5|1.666667|1.666667|1.666667:p1|p2|p3|p4"
    assert read_state(game, line).agrees
    assert read_state(game, line).payoffs[1] == Fraction(1666667, 1000000)
    assert write_state(read_state(game, line)) == line


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("STATE:0", "is no state (accepted: STATE:number:betting:hole|hole/board, then :values:names)"),
        ("MATCHSTATE:0:0::AhKh|", "is no state"),
        ("STATE:0::AhKh|AhQd", "Ah was dealt before"),
        ("STATE:0:rrrr:AhKh|AsQd", "raise: not allowed now"),
        ("STATE:0:cc/:AhKh|AxQd", "unknown card 'Ax'"),
        ("STATE:0:cc:AhKh|AsQd", "is not how a hand of acpc is written"),
        ("STATE:0:f:AhKh|AsQd:5:p1|p2", "values '5' in 'STATE:0:f:AhKh|AsQd:5:p1|p2' (accepted: 2 numbers"),
        ("STATE:0:f:AhKh|AsQd:5|nan:p1|p2", "values '5|nan'"),
    ],
)
def test_wrong_lines(line: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        read_state(read_game(LIMIT_2P), line)
    assert message in str(error.value)
    with pytest.raises(UsageError, match="line 2: "):
        read_log(read_game(LIMIT_2P), f"# log\n{line}\n")


def test_what_a_seat_is_told() -> None:
    game = read_game(LIMIT_2P)
    hand = read_state(game, "STATE:4:cc/r:5d5c|9hQd/8dAs8s").hand
    line = "MATCHSTATE:1:4:cc/r:|9hQd/8dAs8s"
    assert write_match_state(hand, 1, 4) == line
    told = read_match_state(game, line)
    assert (told.seat, told.number, told.betting.player, told.betting.to_call) == (1, 4, 1, 10)
    assert [game.deck.names(cards) for cards in (*told.hole, told.board)] == ["", "9hQd", "8dAs8s"]
    over = read_state(game, "STATE:0:cc/cc/cc/cc:5d5c|9hQd/8dAs8s/4h/6d").hand
    assert write_match_state(over, 0) == "MATCHSTATE:0:0:cc/cc/cc/cc:5d5c|9hQd/8dAs8s/4h/6d"
    folded = read_state(game, "STATE:0:f:5d5c|9hQd").hand
    assert write_match_state(folded, 0) == "MATCHSTATE:0:0:f:5d5c|"


@pytest.mark.parametrize(
    "line",
    [
        "MATCHSTATE:2:0::5d5c|",
        "MATCHSTATE:0:0::|9hQd",
        "MATCHSTATE:0:0:cc/:5d5c|",
        "MATCHSTATE:0:0:cc:5d5c|/8dAs8s",
        "MATCHSTATE:0:0::5d5c",
        "MATCHSTATE:0:0::5d|",
        "MATCHSTATE:0:0::5d5c|5c5h",
        "STATE:0::5d5c|9hQd",
    ],
)
def test_wrong_match_states(line: str) -> None:
    with pytest.raises(UsageError, match=r"is no match state|do not fit the betting"):
        read_match_state(read_game(LIMIT_2P), line)


# OpenSpiel's universal_poker is the competition's engine: it reads what we write and plays by it


def openspiel_game(game: PokerRules, stacks: list[int]) -> pyspiel.Game:
    given = pyspiel.universal_poker.load_universal_poker_from_acpc_gamedef(write_game(replace(game, reopen=False)))
    changes = {} if game.limit else {"bettingAbstraction": "fullgame", "stack": " ".join(map(str, stacks))}
    return pyspiel.load_game("universal_poker", given.get_parameters() | changes)


@pytest.mark.parametrize(("limit", "equal"), [(True, True), (False, True), (False, False)])
def test_random_hands_in_openspiel(limit: bool, equal: bool) -> None:
    """Turns, legal moves and pay-offs.

    One rule differs on purpose: their engine allows a raise that no other player has the chips to answer.
    """
    random, differences = Random(f"{limit} {equal}"), Counter[str]()
    for _ in range(150):
        seats = random.randint(2, 4)
        game = replace(rules("no-limit-holdem", stack=40, small_blind=1, seats=seats), menu=None, reopen=not equal)
        if limit:
            streets = tuple(replace(street, max_raises=3) for street in game.streets)
            game = replace(game, limit=True, streets=streets)
        stacks = [40] * seats if equal else [random.randint(3, 40) for _ in range(seats)]
        state, hand = openspiel_game(game, stacks).new_initial_state(), Hand(game, stacks)
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(random.choice(state.legal_actions()))
                continue
            hand.deal_random(random)
            legal = state.legal_actions()
            raises = [action for action in legal if action > 1]
            assert state.current_player() == hand.player
            assert (0 in legal) == hand.can_fold()
            assert 1 in legal
            if hand.raises is None and raises:
                others = [seat for seat in range(seats) if seat != hand.player and hand.alive[seat]]
                assert all(hand.starting[seat] <= max(hand.paid) for seat in others)
                differences["cannot be answered"] += 1
            elif not limit:
                assert hand.raises == ((raises[0], raises[-1]) if raises else None)
            else:
                assert (hand.raises is not None) == bool(raises)
            letter = random_letter(hand, random)
            state.apply_action("fcr".index(letter) if limit or letter in "fc" else int(letter[1:]))
            hand.play(letter)
        line = next(line for line in str(state).splitlines() if "ACPC State" in line).partition(": ")[2]
        assert line.split(":")[2] == hand.text
        if equal:
            played = read_state(replace(game, stack=40), ":".join(line.split(":")[:4]))
            assert played.hand.outcome.payoffs == tuple(map(Fraction, state.returns()))
    assert equal == (not differences)

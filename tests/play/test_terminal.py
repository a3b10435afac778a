"""The table in the terminal, played by scripts of lines."""

from __future__ import annotations

import io
import re
import stat
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from rich.console import Console

from smoothcall.errors import UsageError
from smoothcall.play.person_view import Choice
from smoothcall.play.service import PlayService
from smoothcall.play.terminal import Terminal, keys, letter_of, person_of
from smoothcall.store.histories import Histories
from smoothcall.store.records import Filter
from tests.conftest import shipped

LIMIT = (Choice("f", "Fold", 0), Choice("c", "Call 4", 4), Choice("r", "Raise to 8", 8))
FREE = (Choice("c", "Check", 0), Choice("r", "Bet 4", 4))
NO_LIMIT = (
    Choice("f", "Fold", 0),
    Choice("c", "Call 30", 30),
    Choice("r", "Raise", 60, low=110, high=200, presets=(("least", 110), ("1/2 pot", 130), ("all in", 200)), earlier=50),
)


@pytest.mark.parametrize(
    ("typed", "choices", "letter"),
    [
        ("f", LIMIT, "f"),
        ("c", LIMIT, "c"),
        ("  R ", LIMIT, "r"),
        ("call", LIMIT, "c"),
        ("Raise", LIMIT, "r"),
        ("bet", FREE, "r"),
        ("check", FREE, "c"),
        ("", FREE, "c"),
        ("60", NO_LIMIT, "r110"),
        ("r60", NO_LIMIT, "r110"),
        ("r 150", NO_LIMIT, "r200"),
        ("raise to 61", NO_LIMIT, "r111"),
        ("all in", NO_LIMIT, "r200"),
        ("r 1/2 pot", NO_LIMIT, "r130"),
    ],
)
def test_lines_that_are_moves(typed: str, choices: tuple[Choice, ...], letter: str) -> None:
    assert letter_of(typed, choices) == letter


@pytest.mark.parametrize(
    ("typed", "choices", "message"),
    [
        ("", LIMIT, "Enter only checks, and here it costs 4 chips to call"),
        ("check", LIMIT, "'check' is not a move here"),
        ("f", FREE, "'f' is not a move here"),
        ("40", LIMIT, "'40' is not a move here"),
        ("r", NO_LIMIT, "Raise to how many chips? 60 to 150, as r60"),
        ("59", NO_LIMIT, "Raise to 59? Choose from 60 to 150 chips"),
        ("r151", NO_LIMIT, "Raise to 151? Choose from 60 to 150 chips"),
        ("9" * 5000, NO_LIMIT, "Raise to 999999999999? Choose from 60 to 150 chips"),
        ("-60", NO_LIMIT, "'-60' is not a move here"),
        ("r1e2", NO_LIMIT, "'r1e2' is not a move here"),
        ("x" * 5000, LIMIT, "'xxxxxxxxxxxxxxxxxxxx' is not a move here"),
    ],
)
def test_lines_that_are_none(typed: str, choices: tuple[Choice, ...], message: str) -> None:
    with pytest.raises(UsageError) as error:
        letter_of(typed, choices)
    assert str(error.value) == message


def test_what_may_be_typed() -> None:
    assert keys(LIMIT) == "f Fold, c Call 4, r Raise to 8"
    assert keys(NO_LIMIT) == "f Fold, c Call 30, r60 to r150 Raise (least 60, 1/2 pot 80, all in 150)"


@pytest.fixture
def service() -> Iterator[PlayService]:
    secrets = (f"secret-{number}" for number in count())
    made = PlayService(Histories("sqlite://"), shipped(), secret=lambda: next(secrets))
    yield made
    made.close()


def transcript(
    service: PlayService, person: int, game: str, against: list[str], *lines: str, width: int = 80, cash: bool = False
) -> str:
    """Everything on the screen when these lines are typed, and then no more."""
    screen, typed = io.StringIO(), iter(lines)

    def read() -> str:
        line = next(typed, None)
        if line is None:
            raise EOFError
        return line

    console = Console(file=screen, width=width, highlight=False)
    Terminal(service, person, game, against, cash=cash, console=console, read=read).play()
    return screen.getvalue()


def newcomer(service: PlayService) -> int:
    return service.person(service.newcomer())


def test_a_hand_of_leduc_to_its_end(service: PlayService) -> None:
    person = newcomer(service)
    seen = transcript(service, person, "leduc", ["always-call"], "c", "r", "h", "k", "s", "", "q")
    for piece in (
        "Leduc hold'em against",
        "You are dealt ",
        "You check",
        "You bet 4",
        "You show ",
        "Enter next hand, k coach, h history, s statistics, t tables, ? help, q leave, or",
        "Hand 2 (no. 2)",
        "1 hand, ",
        "mbb/h",
        "VPIP",
        "Total EV loss",
    ):
        assert piece in seen, piece
    assert service.hands(person, Filter()).total == 1
    assert "\x1b" not in seen, "no colours where there is no terminal"


def test_a_table_is_left_and_goes_on_and_is_closed_for_good(service: PlayService) -> None:
    person = newcomer(service)
    transcript(service, person, "leduc", ["always-raise"], "q")
    resumed = transcript(service, person, "leduc", ["always-raise"], "close", "never read")
    assert "Resuming your table." in resumed
    assert "You fold" in resumed, "always-raise has bet, or bets after a check"
    assert resumed.index("You fold") < resumed.index("The table is closed.\n1 hand, ")
    assert "not a move" not in resumed, "nothing is asked at a closed table"
    assert service.tables(person) == []
    again = transcript(service, person, "leduc", ["always-raise"], "q")
    assert "Resuming" not in again
    over = transcript(service, person, "kuhn", ["always-call"], "c", "close")
    assert over.count("Hand 1 (no.") == 1, "the hand is not shown twice"
    assert "The table is closed." in over


def test_tables_are_listed_and_another_is_taken(service: PlayService) -> None:
    person = newcomer(service)
    transcript(service, person, "kuhn", ["always-call"], "q")
    seen = transcript(service, person, "leduc", ["always-call"], "t 1", "t", "t 3", "t 0", "t x", "t 2", "q", width=120)
    assert "'1' is not one of your tables (accepted: a number from the list, see t)" in seen
    listed = [line.split() for line in seen.splitlines() if re.match(r"[12] +\w+ .* against", line)]
    assert [(line[0], line[1], "here" in line) for line in listed] == [("1", "Leduc", True), ("2", "Kuhn", False)]
    for word in ("3", "0", "x"):
        assert f"'{word}' is not one of your tables (accepted: 1 to 2)" in seen
    assert "Kuhn poker against Always call\n\nHand 1 (no. 1)" in seen


def test_a_cash_table(service: PlayService) -> None:
    """Chips are carried over; a person without any buys in again, one with fewer may top up."""
    person = newcomer(service)
    for _ in range(10):  # until one of ten has lost; the decks are the same in every run
        seen = transcript(service, person, "no-limit-holdem", ["always-call"], "all in", "", "b", "q", width=120, cash=True)
        assert "No-limit Texas hold'em, cash against Always call" in seen
        if "b rebuy 100, k coach" in seen:
            break
        person = newcomer(service)
    assert "you have no chips left: rebuy to go on" in seen, "Enter deals no hand to a person without chips"
    assert seen.index("you have no chips left") < seen.index("Hand 2 (no. "), "after buying in the next hand is dealt"
    assert transcript(service, person, "no-limit-holdem", ["always-call"], "q").count("Resuming") == 0, "not a cash table"
    assert transcript(service, person, "no-limit-holdem", ["always-call"], "q", cash=True).count("Resuming") == 1
    with pytest.raises(UsageError, match="is no cash game"):
        transcript(service, person, "leduc", ["always-call"], "q", cash=True)
    other = newcomer(service)
    folds = ["f", "c", "f", "c", "f", "c", "f"]
    seen = transcript(service, other, "no-limit-holdem", ["always-raise"], *folds, "b", "q", width=120, cash=True)
    assert "b top up to 100, Enter next hand" in seen


def test_a_match(service: PlayService) -> None:
    """It goes on where it was left; when it is over, another begins."""
    person = newcomer(service)
    typed = ["all in", "", "c", ""] * 6

    def seen(*lines: str) -> str:
        screen, left = io.StringIO(), iter(lines)

        def read() -> str:
            line = next(left, None)
            if line is None:
                raise EOFError
            return line

        console = Console(file=screen, width=100, highlight=False)
        Terminal(service, person, "no-limit-holdem", ["always-call"], freezeouts=2, console=console, read=read).play()
        return screen.getvalue()

    first = seen("c", "q")
    assert "Resuming" not in first
    second = seen(*typed)
    assert "Resuming your table." in second
    assert "The match is over: " in second
    assert "this match is over: you have won" in second
    assert "Resuming" not in seen("q")


def test_hidden_cards_stay_hidden(service: PlayService) -> None:
    seen = transcript(service, newcomer(service), "leduc", ["always-call"], "c")
    assert len(set(re.findall(r"\b[JQK][hs]\b", seen))) == 2, "one's own card and the board"


def test_wrong_lines_are_asked_again(service: PlayService) -> None:
    person = newcomer(service)
    seen = transcript(service, person, "kuhn", ["always-call"], "x", "f", "k", "h nonsense", "h 99999", "r", "r", "k 12345")
    for piece in (
        "'x' is not a move here",
        "'f' is not a move here",
        "the coach is available once the hand is over",
        "'nonsense' is not a hand",
        "there is no hand 99999 of yours",
        "'r' is not a command here: the hand is over",
        "there is no hand 12345 of yours",
    ):
        assert piece in seen, piece
    assert service.hands(person, Filter()).total == 1


def test_the_table_waits(service: PlayService) -> None:
    """Who leaves in the middle of a hand finds it again; others sit at tables of their own."""
    person = newcomer(service)
    transcript(service, person, "kuhn", ["always-call"], "r", "", "q")
    again = transcript(service, person, "kuhn", ["always-call"], "q")
    assert "Resuming your table" in again
    assert "Hand 2 (no. 2)" in again
    assert "Resuming" not in transcript(service, person, "kuhn", ["always-raise"], "q")
    assert "Hand 2 (no. 2)" in transcript(service, person, "kuhn", ["always-call"], "q"), "also after another table"
    assert "Resuming" not in transcript(service, person, "leduc", ["always-call"], "q")
    assert "Resuming" not in transcript(service, newcomer(service), "kuhn", ["always-call"], "q")


def test_the_first_hand_waits_too(service: PlayService) -> None:
    person = newcomer(service)
    first = transcript(service, person, "leduc", ["always-call"], "c", "q")
    again = transcript(service, person, "leduc", ["always-call"], "q")
    assert "Resuming" not in first
    assert "Resuming" in again
    assert "You check" in again, "in the middle of the hand"
    assert len(service.tables(person)) == 1


def test_opponents_in_another_order_are_another_table(service: PlayService) -> None:
    person = newcomer(service)
    for against in (["random", "always-call"], ["always-call", "random"]):
        assert "Resuming" not in transcript(service, person, "kuhn-3p", against, "q")
    for against in (["random", "always-call"], ["always-call", "random"]):
        assert "Resuming" in transcript(service, person, "kuhn-3p", against, "q")
    assert len(service.tables(person)) == 2


def test_help(service: PlayService) -> None:
    seen = transcript(service, newcomer(service), "kuhn", ["always-call"], "?", "help", "q")
    assert seen.count("Type the letter of a move") == 3, "at the start, and when asked"
    assert "c Check, r Bet 1, ? help" in seen


def test_a_move_made_elsewhere(service: PlayService) -> None:
    """The same person at the same table in another window: the line is not taken for what it was not meant for."""
    person = newcomer(service)
    screen, script = io.StringIO(), iter(["elsewhere", "q"])

    def read() -> str:
        if next(script) == "elsewhere":
            table = service.tables(person)[0]
            service.act(person, table.id, "c", hand=1, move=table.hand.move)
            return "r"
        return "q"

    Terminal(service, person, "leduc", ["always-call"], console=Console(file=screen, width=80), read=read).play()
    assert "this hand has gone on in the meantime" in screen.getvalue()
    assert "You check" in screen.getvalue()
    assert service.tables(person)[0].hand.betting == "cc/"


def test_ctrl_c_leaves_quietly(service: PlayService) -> None:
    def read() -> str:
        raise KeyboardInterrupt

    screen = io.StringIO()
    person = newcomer(service)
    Terminal(service, person, "kuhn", ["always-call"], console=Console(file=screen, width=80), read=read).play()
    assert screen.getvalue().endswith("0 hands, 0 chips. Your hands are kept.\n")


@pytest.mark.parametrize("game", ["kuhn", "kuhn-3p", "leduc", "no-limit-holdem"])
def test_narrow_terminals(service: PlayService, game: str) -> None:
    """Every game in 40 columns: nothing wider, nothing cut off."""
    against = ["random", "always-call"] if game.endswith("3p") else ["random"]
    person = newcomer(service)
    seen = transcript(service, person, game, against, *["c"] * 8, "s", "h", "h 1", width=40)
    assert max(map(len, seen.splitlines())) <= 40
    assert "…" not in seen
    assert service.hands(person, Filter()).total >= 1


def test_no_limit_amounts_are_those_of_the_street(service: PlayService) -> None:
    person = newcomer(service)
    seen = transcript(service, person, "no-limit-holdem", ["always-call"], "30", "c", "r25", "q")
    assert "You raise to 30" in seen
    assert "You bet 25" in seen
    assert service.tables(person)[0].hand.betting.startswith("r30c/")


def test_colours_and_suits_on_a_terminal(service: PlayService) -> None:
    screen = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    console = Console(
        file=screen, width=80, force_terminal=True, color_system="standard", highlight=False, legacy_windows=False
    )

    def read() -> str:
        raise EOFError

    Terminal(service, newcomer(service), "leduc", ["always-call"], console=console, read=read).play()
    screen.seek(0)
    seen = screen.read()
    assert "\x1b[" in seen
    assert re.search("[JQK][♥♠]", seen)


def test_a_token_for_each_database(tmp_path: Path) -> None:
    """In a file for the user alone; another database does not take the first one's person away."""
    path = tmp_path / "data" / "terminal"
    first, second = (PlayService(Histories(f"sqlite:///{tmp_path / name}.sqlite"), shipped()) for name in ("a", "b"))
    one = person_of(first, path)
    assert person_of(first, path) == one
    newcomer(second)
    two = person_of(second, path)
    assert two != one
    assert (person_of(first, path), person_of(second, path)) == (one, two)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert len(path.read_text().split()) == 2


@pytest.mark.parametrize("case", ["a folder", "no text", "in a file"])
def test_files_that_cannot_keep_a_person(service: PlayService, tmp_path: Path, case: str) -> None:
    path = tmp_path / "data" / "terminal"
    if case == "in a file":
        path.parent.write_text("")
    elif case == "a folder":
        path.mkdir(parents=True)
    else:
        path.parent.mkdir()
        path.write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match=r"^cannot keep your token in '.*terminal': [^\[]+ \(accepted: a file"):
        person_of(service, path)


@pytest.mark.parametrize(
    ("game", "against", "message"),
    [("chess", ["random"], "chess"), ("leduc", ["nobody"], "nobody"), ("leduc", ["random", "random"], "named: 2")],
)
def test_tables_that_cannot_be(service: PlayService, game: str, against: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        transcript(service, newcomer(service), game, against)

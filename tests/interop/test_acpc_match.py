"""Dealer and client of the ACPC protocol: the recorded logs, a program written from the protocol alone, bad programs."""

from __future__ import annotations

import gzip
import json
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

import smoothcall as sc
from smoothcall.agents.registry import Registry
from smoothcall.agents.reseated import Reseated
from smoothcall.agents.view import View, view_of
from smoothcall.app import App
from smoothcall.errors import PlayerFailed, UsageError
from smoothcall.games.catalog import KUHN_3P, LIMIT_HOLDEM, LIMIT_HOLDEM_3P, rules
from smoothcall.games.hand import deal_hand
from smoothcall.games.notation import split_moves
from smoothcall.games.rules import PokerRules
from smoothcall.information.translation import rotated, same_table, seat_shift
from smoothcall.interop.acpc import read_game, read_log
from smoothcall.interop.acpc_client import Client
from smoothcall.interop.acpc_dealer import deal, deal_match, dealt_cards, in_positions, local_player
from smoothcall.interop.acpc_wire import Limits, Seat, repaired
from tests.conftest import GOLDEN, PATIENCE
from tests.interop import acpc_bot
from tests.interop.test_acpc import DEFINITIONS, LIMIT_2P, LIMIT_3P, NO_LIMIT_2P
from tests.test_cli import call  # noqa: F401

PATIENT = Limits(response=PATIENCE, hand=PATIENCE)


def recorded(name: str) -> list[str]:
    """The lines of a log of the protocol's own dealer (seed 0).

    Source: dmorrill10/acpc_poker_types on GitHub (MIT-style licence), NAME.h1000.r0.log, whole.
    """
    return gzip.decompress((GOLDEN / f"acpc.{name}.h1000.r0.log.gz").read_bytes()).decode().splitlines()


# Deals and logs


@pytest.mark.parametrize("name", DEFINITIONS)
def test_the_original_dealers_cards(name: str) -> None:
    game = read_game(DEFINITIONS[name])
    lines = [line for line in recorded(name) if line.startswith("STATE")]
    assert len(lines) == 1000
    for line, cards in zip(lines, dealt_cards(game, 0), strict=False):
        hole, *boards = line.split(":")[3].split("/")
        shown = [card for piece in (*hole.split("|"), *boards) for card in game.deck.parse(piece)]
        assert tuple(shown) == cards[: len(shown)]


def play_back(name: str, hands: int) -> tuple[list[str], list[str]]:
    """(our log, theirs) of the first hands of a recorded match, moved as recorded."""
    game, lines = read_game(DEFINITIONS[name]), recorded(name)
    theirs = [line for line in lines if line.startswith("STATE")][:hands]
    ours: list[str] = []

    class Recorded:
        def act(self, view: View) -> str:
            return split_moves(theirs[len(ours)].split(":")[2])[len(split_moves(view.text))]

    names = [f"p{seat + 1}" for seat in range(game.seats)]
    deal_match(game, [Recorded()] * game.seats, names, hands, log=ours.append)
    return ours, [*theirs, lines[-1]]


@pytest.mark.parametrize("name", DEFINITIONS)
def test_recorded_hands_played_again(name: str) -> None:
    ours, theirs = play_back(name, 60)
    assert ours[:-1] == theirs[:-1]


@pytest.mark.long
@pytest.mark.parametrize("name", DEFINITIONS)
def test_recorded_matches_played_again(name: str) -> None:
    ours, theirs = play_back(name, 1000)
    assert len(ours) == 1001
    assert ours == theirs


def test_seeds() -> None:
    first, again, other = (next(dealt_cards(LIMIT_HOLDEM, seed)) for seed in (3, 3, 4))
    assert first == again != other
    for seed in (-1, 2**32):
        with pytest.raises(UsageError, match="accepted: 0 to"):
            next(dealt_cards(LIMIT_HOLDEM, seed))


# Games and seats


@pytest.mark.parametrize(
    ("own", "text", "shift"),
    [
        (LIMIT_HOLDEM, LIMIT_2P, 1),
        (LIMIT_HOLDEM_3P, LIMIT_3P, 0),
        (rules("no-limit-holdem", stack=20_000, small_blind=50), NO_LIMIT_2P, 1),
    ],
)
def test_our_games_are_the_competitions(own: PokerRules, text: str, shift: int) -> None:
    theirs = read_game(text, "any name")
    assert seat_shift(own, theirs) == shift
    assert same_table(own, rotated(theirs, shift))
    assert same_table(in_positions(own), theirs)
    assert seat_shift(KUHN_3P, theirs) is None
    assert seat_shift(replace(own, reopen=True), theirs) is None


def test_a_reseated_player_sees_its_own_seats() -> None:
    table = read_game(LIMIT_2P)
    hand = deal_hand(table, 1)
    for letter in "rrc":
        hand.play(letter)
    hand.deal_random(Random(2))
    view = view_of(hand, 0)
    seen: list[View] = []

    class Watches:
        def act(self, view: View) -> str:
            seen.append(view)
            return "c"

        def watch(self, view: View) -> None:
            seen.append(view)

    player = Reseated(Watches(), table, 1)
    player.act(view)
    player.watch(view)
    assert seen[0] == seen[1]
    assert (seen[0].seat, seen[0].hole, seen[0].text, seen[0].slots) == (1, view.hole, view.text, view.slots)
    assert seen[0].shown == ((), view.hole)
    assert same_table(seen[0].rules, LIMIT_HOLDEM)


# Programs


@contextmanager
def program(game: acpc_bot.Game, seed: int) -> Iterator[Callable[[int], Any]]:
    """What starts a program of the protocol at a port, in a thread."""
    with ThreadPoolExecutor(2) as pool:
        yield lambda port: pool.submit(acpc_bot.play, game, "127.0.0.1", port, seed)


def dealt(source: str, names: list[str], game: acpc_bot.Game, hands: int, log: list[str]) -> tuple[Any, list[int]]:
    """(the match, hands that each program saw) of a dealer and programs at its ports."""
    started: list[Any] = []
    with program(game, 5) as start:
        found = deal(
            source, names, App().registry(), hands=hands, seed=1, limits=PATIENT, log=log.append,
            tell=lambda line: started.append(start(int(line.split()[-1]))) if "waits" in line else None,
        )  # fmt: skip
        return found, [each.result(timeout=PATIENCE) for each in started]


MATCHES = {
    "limit": (LIMIT_2P, ["limit-holdem-smooth-uct", "tcp"], acpc_bot.LIMIT),
    "no-limit": (NO_LIMIT_2P, ["tcp", "no-limit-holdem-200bb-cfr-br"], acpc_bot.NO_LIMIT),
    "limit-3p": (LIMIT_3P, ["tcp", "limit-holdem-3p-mccfr", "tcp"], acpc_bot.LIMIT_3P),
    "kuhn-3p": ("kuhn-3p", ["kuhn-3p-cfr", "tcp", "kuhn-3p-cfr:greedy"], acpc_bot.KUHN_3P),
}


def verify_match(name: str, hands: int, folder: Path, **other: str) -> None:
    """`other`: players to use in place of those named in MATCHES."""
    text, names, game = MATCHES[name]
    names = [other.get(each.replace("-", "_"), each) for each in names]
    source = text
    if text.startswith("GAMEDEF"):
        (folder / "some.game").write_text(text)
        source = str(folder / "some.game")
    log: list[str] = []
    found, seen = dealt(source, names, game, hands, log)
    assert (found.hands, found.done, found.failure) == (hands, True, "")
    assert found.changed == (0,) * len(names), "no action of the program was invalid, by its reading of the rules and by ours"
    assert seen == [hands] * names.count("tcp")
    assert sum(found.scores) == 0
    assert log[-1] == found.line
    states = read_log(in_positions(rules("kuhn-3p")) if name == "kuhn-3p" else read_game(text), "\n".join(log))  # type: ignore[arg-type]
    assert len(states) == hands
    assert all(state.agrees for state in states)


@pytest.mark.parametrize("name", MATCHES)
def test_a_program_of_the_protocol_meets_our_players(name: str, tmp_path: Path) -> None:
    others = {"limit_holdem_smooth_uct": "probe", "limit_holdem_3p_mccfr": "probe"}  # which are read in no time
    verify_match(name, 25, tmp_path, **others, no_limit_holdem_200bb_cfr_br="mostly-calls")


@pytest.mark.long
@pytest.mark.parametrize("name", MATCHES)
def test_a_long_match_with_a_program(name: str, tmp_path: Path) -> None:
    verify_match(name, 3000, tmp_path)


@pytest.mark.long
def test_a_long_match_with_the_expert(tmp_path: Path) -> None:
    verify_match("no-limit", 3000, tmp_path, no_limit_holdem_200bb_cfr_br="expert")


def test_our_client_at_our_dealer(tmp_path: Path) -> None:
    """Both sides compute the same chips; the client's player sees what a local player would."""
    with ThreadPoolExecutor(1) as pool:
        joined: list[Any] = []

        def start(line: str) -> None:
            player, table = local_player("kuhn-lp", Registry(), Random(3))
            joined.append(pool.submit(Client(player, table).play, "127.0.0.1", int(line.split()[-1])))

        found = deal("kuhn", ["tcp", "kuhn-lp:greedy"], Registry(), hands=40, limits=PATIENT, tell=start)
        report = joined[0].result(timeout=PATIENCE)
    assert report.hands == found.hands == 40
    assert report.chips == float(found.scores[0])
    assert report.decisions >= 40
    assert report.failure == ""


def test_an_address_is_a_player_in_matches() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    name = f"acpc://127.0.0.1:{port}"

    def bot() -> int:
        while True:
            try:
                return acpc_bot.play(acpc_bot.KUHN_3P, "127.0.0.1", port, 1)
            except ConnectionRefusedError:
                continue

    with ThreadPoolExecutor(1) as pool:
        joined = pool.submit(bot)
        found = App().match(["kuhn-3p-cfr", name, "always-call"], hands=30, seed=2)
    assert found.hands == 30
    assert found.engine == "hand by hand"
    assert joined.result(timeout=PATIENCE) == 30
    with pytest.raises(UsageError, match="accepted: acpc://HOST:PORT"):
        App().match(["acpc://here", "leduc-cfr"], hands=2)
    with pytest.raises(UsageError, match="acts hand by hand"):
        App().evaluate("acpc://127.0.0.1:1", of="kuhn")


# What goes wrong


@pytest.mark.parametrize(
    ("text", "betting", "action", "taken"),
    [
        (LIMIT_2P, "", "r", "r"),
        (LIMIT_2P, "rrr", "r", "c"),
        (LIMIT_2P, "c", "f", "c"),
        (LIMIT_2P, "", "x", "c"),
        (LIMIT_2P, "", "r20", "c"),
        (NO_LIMIT_2P, "", "r150", "r200"),
        (NO_LIMIT_2P, "", "r999999", "r20000"),
        (NO_LIMIT_2P, "", "r", "c"),
        (NO_LIMIT_2P, "r20000", "r20000", "c"),
        (NO_LIMIT_2P, "r20000", "f", "f"),
    ],
)
def test_invalid_actions_are_changed(text: str, betting: str, action: str, taken: str) -> None:
    hand = deal_hand(read_game(text), 0)
    for letter in split_moves(betting):
        hand.play(letter)
    assert hand.player is not None
    assert repaired(view_of(hand, hand.player), action) == taken


def seated(talk: Callable[[Any], None]) -> Any:
    """The result of a match of three hands of Kuhn poker with a program that talks so; `talk` gets its stream."""

    def run(port: int) -> None:
        with socket.create_connection(("127.0.0.1", port)) as connection, connection.makefile("rw", newline="") as stream:
            talk(stream)

    with ThreadPoolExecutor(1) as pool:
        joined: list[Any] = []
        try:
            return deal(
                "kuhn", ["tcp", "kuhn-lp"], Registry(), hands=3, limits=Limits(response=0.5),
                tell=lambda line: joined.append(pool.submit(run, int(line.split()[-1]))) if "waits" in line else None,
            )  # fmt: skip
        finally:
            for each in joined:
                each.result(timeout=PATIENCE)


def test_programs_that_fail() -> None:
    def version(stream: Any) -> None:
        stream.write("# hello\r\n; comment\r\nVERSION:2.0.0\r\n")
        stream.flush()

    def hangs_up(stream: Any) -> None:
        version(stream)
        stream.readline()

    def is_silent(stream: Any) -> None:
        version(stream)
        while stream.readline():
            pass

    def chatters(stream: Any) -> None:
        version(stream)
        stream.write("MATCHSTATE:9:9:cc:nonsense:r\r\n")
        for text in stream:
            line = text.strip()
            action = acpc_bot.answer(acpc_bot.Game((1, 1), (0,), (1,), (1,)), line, Random(1))
            if action:
                stream.write(f"# thinking\r\n{line}:q\r\n")
                stream.flush()

    assert "hung up in hand" in seated(hangs_up).failure
    assert "used up its time for this answer" in seated(is_silent).failure
    talked = seated(chatters)
    assert talked.done
    assert talked.changed[0] >= 3
    with pytest.raises(PlayerFailed, match="said 'HELLO' first"):
        seated(lambda stream: (stream.write("HELLO\r\n"), stream.flush(), stream.readline()))  # type: ignore[arg-type, return-value, func-returns-value]


def test_ports_and_waiting() -> None:
    seat = Seat()
    try:
        with pytest.raises(
            UsageError, match=rf"cannot wait at 127.0.0.1:{seat.port}: Address already in use \(accepted: a free port"
        ):
            Seat("127.0.0.1", seat.port)
        with pytest.raises(PlayerFailed, match="no program connected"):
            seat.wait("p1", PATIENT, seconds=0.01)
    finally:
        seat.close()
    for ports, names in (([1], ["kuhn-lp", "kuhn-lp"]), ([1], ["tcp", "tcp"])):
        with pytest.raises(UsageError, match="ports"):
            deal("kuhn", names, Registry(), hands=1, ports=ports)
    with pytest.raises(UsageError, match="for response"):
        Limits(response=0)


def dealer(*lines: str) -> tuple[Any, int]:
    """A dealer that says these lines and hangs up: (its thread pool, its port)."""
    server = socket.create_server(("127.0.0.1", 0))
    pool = ThreadPoolExecutor(1)

    def run() -> None:
        with server, server.accept()[0] as connection:
            connection.recv(100)
            connection.sendall("".join(f"{line}\r\n" for line in lines).encode())

    pool.submit(run)
    pool.shutdown(wait=False)
    return pool, server.getsockname()[1]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([], "the dealer hung up before the first hand"),
        (["MATCHSTATE:0:0:c:Ks|"], "the dealer hung up in hand 0"),
        (["HELLO"], "the dealer sent what is no state of kuhn: 'HELLO' is no match state"),
        (["MATCHSTATE:0:0::8s2h|"], "the dealer sent what is no state of kuhn: unknown card"),
        (["MATCHSTATE:0:0:cc:Ks|"], "the dealer sent a showdown without cards in hand 0"),
    ],
)
def test_dealers_that_fail(lines: list[str], message: str, call: Any) -> None:  # noqa: F811
    _, port = dealer(*lines)
    result = call("acpc", "play", "kuhn-lp", "127.0.0.1", str(port))
    assert result.code == 1
    assert result.err.startswith(f"smoothcall: {message}")
    assert result.err.count("\n") == 1


def test_what_was_won_is_told_when_a_dealer_fails(call: Any) -> None:  # noqa: F811
    _, port = dealer("# comment", "MATCHSTATE:0:0:cc:Ks|As", "MATCHSTATE:1:1:c:|Qs")
    result = call("acpc", "play", "kuhn-lp", "127.0.0.1", str(port), "--json")
    assert result.code == 1
    assert json.loads(result.out)["chips"] == -1
    assert "the dealer hung up in hand 1" in result.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["play", "kuhn-lp", "127.0.0.1", "1"], "there is no dealer at 127.0.0.1:1"),
        (["play", "kuhn-lp", "127.0.0.1", "99999999"], "there is no dealer at"),
        (["play", "always-call", "127.0.0.1", "1"], "always-call plays any poker game: say which one"),
        (["play", "kuhn-lp", "127.0.0.1", "1", "--game", "leduc"], "kuhn-lp plays kuhn, whose rules are not those of leduc"),
        (["play", "kuhn-lp", "127.0.0.1", "1", "--game", "no.game"], "there is no game definition 'no.game'"),
        (["deal", "rps", "random", "random"], "rps is no poker game"),
        (["deal", "kuhn", "kuhn-lp"], "1 players for kuhn (accepted: 2)"),
        (["deal", "kuhn", "kuhn-lp", "nobody"], "unknown player 'nobody'"),
        (["deal", "kuhn", "kuhn-lp", "kuhn-lp", "--hands", "0"], "hands=0"),
        (["deal", "kuhn", "kuhn-lp", "kuhn-lp", "--log", "no/where.log"], "cannot write 'no/where.log'"),
    ],
)
def test_wrong_commands(words: list[str], message: str, call: Any) -> None:  # noqa: F811
    result = call("acpc", *words)
    assert result.code == (1 if "no dealer" in message else 2)
    assert message in result.err
    assert result.err.count("\n") == 1


def test_the_dealers_command(call: Any, tmp_path: Path) -> None:  # noqa: F811
    result = call("acpc", "deal", "leduc", "leduc-cfr", "always-call", "--hands", "10", "--log", "some.log")
    assert result.code == 0
    lines = (tmp_path / "some.log").read_text().splitlines()
    assert lines[:4] == [
        "# name/game/hands/seed some leduc 10 0",
        "#--t_response 600000",
        "#--t_hand 600000",
        "#--t_per_hand 7000",
    ]
    assert lines[-1] == result.out.strip().splitlines()[-1]
    assert len(read_log(sc.game("leduc").rules, tmp_path / "some.log")) == 10  # type: ignore[arg-type]
    again = call("acpc", "deal", "leduc", "leduc-cfr", "always-call", "--log", "some.log")
    assert again.code == 2
    assert "log 'some.log' exists" in again.err

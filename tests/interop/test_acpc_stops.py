"""Ctrl-C and waiting in matches of the ACPC protocol, and players of the registry at tables read from `.game` files."""

from __future__ import annotations

import signal
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import pytest

from smoothcall.agents.outside import Watcher
from smoothcall.agents.reseated import Reseated
from smoothcall.agents.view import View
from smoothcall.app import App
from smoothcall.cli.output import ProgressLine
from smoothcall.games.catalog import rules
from smoothcall.interop import acpc_wire
from smoothcall.interop.acpc import read_game
from smoothcall.interop.acpc_client import Client
from smoothcall.interop.acpc_dealer import deal, local_player
from tests.interop import acpc_bot
from tests.interop.test_acpc import LIMIT_2P, NO_LIMIT_2P
from tests.interop.test_acpc_match import PATIENT


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(acpc_wire, "PATIENCE", 0.01)


def test_a_dealer_stops_waiting_for_programs() -> None:
    with pytest.raises(KeyboardInterrupt):
        deal("kuhn", ["tcp", "kuhn-lp"], App().registry(), hands=3, stop=lambda: True)


def test_a_dealer_stops_while_a_program_thinks() -> None:
    """The hands so far are kept."""
    stopping, log = threading.Event(), list[str]()

    def program(port: int) -> None:
        random = Random(1)
        with socket.create_connection(("127.0.0.1", port)) as connection, connection.makefile("rw", newline="") as stream:
            stream.write("VERSION:2.0.0\r\n")
            stream.flush()
            for text in stream:
                line = text.strip()
                if line.startswith(("MATCHSTATE:0:4", "MATCHSTATE:1:4")):
                    stopping.set()  # and no answer
                elif action := acpc_bot.answer(acpc_bot.Game((1, 1), (0,), (1,), (1,)), line, random):
                    stream.write(f"{line}:{action}\r\n")
                    stream.flush()

    with ThreadPoolExecutor(1) as pool:
        found = deal(
            "kuhn", ["tcp", "kuhn-lp"], App().registry(), hands=30, limits=PATIENT, log=log.append, stop=stopping.is_set,
            tell=lambda line: pool.submit(program, int(line.split()[-1])) if "waits" in line else None,  # type: ignore[arg-type, return-value]
        )  # fmt: skip
    assert (found.hands, found.done, found.failure) == (4, False, "")
    assert sum(line.startswith("STATE") for line in log) == 4
    assert not any(line.startswith("SCORE") for line in log)


def test_a_match_stops_waiting_for_its_program(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    players, told = ["kuhn-lp", f"acpc://127.0.0.1:{port}"], list[str]()
    with pytest.raises(KeyboardInterrupt):
        App().match(players, hands=2, stop=lambda: True, tell=told.append)
    with pytest.raises(KeyboardInterrupt):
        App().cross_table(players, tmp_path / "table.png", hands=2, stop=lambda: True, tell=told.append)
    assert told == [f"waiting for a program at 127.0.0.1 {port}, for 600 s at most"] * 2


def test_ctrl_c_before_anybody_looks_interrupts_at_once() -> None:
    """Reading an agent's tables may take long: a match that is not even waiting ends at the first Ctrl-C."""
    with ProgressLine("match", at_once=True), pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    with ProgressLine("match", at_once=True) as line:
        assert not line.stopped()
        signal.raise_signal(signal.SIGINT)
        assert line.stopped()
    with ProgressLine("training") as line:
        signal.raise_signal(signal.SIGINT)
        assert line.stopped()


def test_a_client_that_is_stopped_tells_what_it_won() -> None:
    class Stopped:
        def act(self, view: View) -> str:
            raise KeyboardInterrupt

    server = socket.create_server(("127.0.0.1", 0))

    def run() -> None:
        with server, server.accept()[0] as connection:
            connection.sendall(b"MATCHSTATE:0:0:cc:Ks|As\r\nMATCHSTATE:1:1:c:|Qs\r\n")
            while connection.recv(100):
                pass

    with ThreadPoolExecutor(1) as pool:
        pool.submit(run)
        report = Client(Stopped(), rules("kuhn")).play("127.0.0.1", server.getsockname()[1])  # type: ignore[arg-type]
    assert (report.hands, report.chips, report.stopped, report.failure) == (1, -1.0, True, "")


@pytest.mark.parametrize("name", ["expert", "heuristic-mc", "mostly-calls", "random"])
def test_scripted_players_know_a_game_by_its_rules(name: str) -> None:
    """Those that play no-limit hold'em by name also play the competition's, where position 0 is the big blind."""
    player, table = local_player(name, App().registry(), Random(1), read_game(NO_LIMIT_2P, "any name"))
    assert isinstance(player, Reseated)
    assert (player.shift, table.name) == (1, "any name")


def test_reading_tables_beforehand_changes_no_move() -> None:
    """A policy's player is asked for moves before the match; it draws the moves of the match as without them."""
    random = Random(5)
    player, _ = local_player("limit-holdem-smooth-uct", App().registry(), random, read_game(LIMIT_2P))
    assert not isinstance(player, Watcher)
    assert random.getstate() == Random(5).getstate()

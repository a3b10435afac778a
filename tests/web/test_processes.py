"""The page on several processes and servers: any of them answers, killed ones are replaced, limits are common."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import socket
import sys
import threading
from pathlib import Path

import numpy as np
import psutil
import pytest

from benchmarks.servers import measure
from benchmarks.web import Server
from smoothcall.cli import main
from smoothcall.errors import UsageError
from smoothcall.web import processes
from smoothcall.web.protocol import SLOTS, Limits, SharedConnections, slot_of


@pytest.mark.long  # it starts three servers; tests.play.test_shared has two services on one PostgreSQL
def test_two_servers_one_of_which_is_killed(tmp_path: Path) -> None:
    """Every request to a random server of two on one PostgreSQL; one is killed under load, and another one started."""
    how = {"servers": 2, "workers": 1, "tables": 2, "seconds": 0.0, "every": 0.5, "kills": 1, "requests": 3}
    report = asyncio.run(measure("postgresql", tmp_path, **how))  # type: ignore[arg-type]
    assert report.killed == 1
    assert (report.figures.stale, report.lost) == (0, 0)
    assert report.figures.statuses.get(409, 0) <= report.figures.statuses.get(503, 0)  # only after what was not confirmed
    assert "Traceback" not in report.logs


@pytest.mark.long  # it starts seven processes
def test_processes_of_one_server(tmp_path: Path) -> None:
    """One process is killed, and replaced; the server goes when it is told to, and its processes when it is killed."""
    how = {"servers": 1, "workers": 2, "tables": 4, "seconds": 0.0, "every": 0.5, "kills": 1, "requests": 3}
    report = asyncio.run(measure("sqlite", tmp_path, **how))  # type: ignore[arg-type]
    assert report.killed == 1
    assert (report.figures.stale, report.lost) == (0, 0)
    assert report.figures.statuses.get(409, 0) <= report.figures.statuses.get(503, 0)  # only after what was not confirmed
    assert "Traceback" not in report.logs
    server = Server(f"sqlite:///{tmp_path / 'hands.sqlite'}", tmp_path / "log-killed", "--workers", "2")
    children = psutil.Process(server.process.pid).children()
    server.kill()
    gone, left = psutil.wait_procs(children, timeout=300)
    assert len(gone) >= 2
    assert left == []


class Fake:
    """A process that says at once whether it is ready, and lives until it is told otherwise."""

    def __init__(self, ready: bool) -> None:
        self.reading, self._writing = os.pipe()
        self.alive, self.ready, self.ended = True, threading.Event(), list[str]()
        if ready:
            self.ready.set()

    sentinel = property(lambda self: self.reading)

    def die(self) -> None:
        self.alive = False
        os.write(self._writing, b".")  # wakes whoever waits for it

    def is_alive(self) -> bool:
        return self.alive

    def terminate(self) -> None:
        self.ended.append("terminate")

    def join(self, timeout: float | None = None) -> None: ...

    def kill(self) -> None:
        self.ended.append("kill")

    def close(self) -> None:
        os.close(self.reading)
        os.close(self._writing)


def supervised(monkeypatch: pytest.MonkeyPatch, *, ready: bool) -> tuple[processes._Supervisor, list[Fake]]:
    begun: list[Fake] = []

    def begin(self: object, place: int) -> tuple[Fake, threading.Event]:
        begun.append(Fake(ready))
        return begun[-1], begun[-1].ready

    monkeypatch.setattr(processes._Supervisor, "_begin", begin)
    setup = processes.Setup(None, None, "full", 1, 1, "127.0.0.1", Limits(), 1)
    return processes._Supervisor(multiprocessing.get_context("spawn"), setup, socket.socket(), 2), begun


def test_a_process_that_ends_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    supervisor, begun = supervised(monkeypatch, ready=True)
    supervisor.start()
    assert len(begun) == 2
    for dead in (0, 2, 3):  # each takes the place of the one before
        begun[dead].die()
        supervisor._replace(0)
    assert [process.alive for process in begun] == [False, True, False, False, True]
    supervisor.stop.set()
    supervisor.run()
    supervisor.end()
    assert [process.ended for process in begun] == [[], ["terminate", "kill"], [], [], ["terminate", "kill"]]
    supervisor._listening.close()
    for process in begun:
        process.close()


def test_processes_that_never_start(monkeypatch: pytest.MonkeyPatch) -> None:
    supervisor, begun = supervised(monkeypatch, ready=False)
    original = processes._Supervisor._begin

    def dying(self: object, place: int) -> tuple[Fake, threading.Event]:
        process, ready = original(self, place)  # type: ignore[arg-type]
        process.die()  # type: ignore[attr-defined]
        return process, ready  # type: ignore[return-value]

    monkeypatch.setattr(processes._Supervisor, "_begin", dying)
    with pytest.raises(UsageError, match="6 server processes ended before they accepted connections"):
        supervisor.start()
    supervisor._listening.close()
    for process in begun:
        process.close()


def test_connections_of_all_processes_are_counted() -> None:
    limits, counts = Limits(connections=5, per_address=3), np.zeros((2, 1 + SLOTS), np.int32)
    first, second = (SharedConnections(limits, counts, place) for place in range(2))
    assert [each.admit("1.1.1.1") for each in (first, second, first, second)] == [True, True, True, False]
    assert [each.admit("2.2.2.2") for each in (second, first, second)] == [True, True, False]  # five in all
    first.leave("1.1.1.1")
    assert second.admit("1.1.1.1")
    assert (first.refused, second.refused) == (0, 2)
    assert counts[:, 0].sum() == 5
    replaced = SharedConnections(limits, counts, 0)  # the first process died with its connections
    assert counts[:, slot_of("2.2.2.2")].sum() == 1
    assert [replaced.admit("2.2.2.2") for _ in range(3)] == [True, True, False]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--workers", "0"], "--workers 0 (accepted: a whole number of at least 1)"),
        (["--workers", "65"], "--workers 65 (accepted: 1 to 64)"),
        (["--workers", "2", "--database", "sqlite://"], "processes cannot share a database in memory"),
        (["--workers", "2", "--terminal", "--game", "leduc"], "belong to the page"),
    ],
)
def test_wrong_numbers_of_processes(
    options: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["smoothcall", "play", "--database", f"sqlite:///{tmp_path / 'hands.sqlite'}", *options])
    with pytest.raises(SystemExit, match="2"):
        main()
    assert said in capsys.readouterr().err

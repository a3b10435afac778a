"""The page on several processes that accept connections at one socket and share a database.

Any process may get any request: tables, people and settings are read from the database where another process may have changed
them (`PlayService`, `shared`). A process that ends is replaced; the connections it had are closed, those that wait to be
accepted go to the others. (Uvicorn's own supervisor starts its own server class from import strings, which have no place for
our limits.)
"""

from __future__ import annotations

import multiprocessing
import signal
import socket
import threading
import webbrowser
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import wait
from multiprocessing.context import SpawnContext, SpawnProcess
from pathlib import Path
from typing import Any

import numpy as np

from smoothcall.app import App
from smoothcall.errors import UsageError
from smoothcall.kernels.tables import Array
from smoothcall.play.service import PlayService
from smoothcall.web.protocol import SLOTS, Limits, SharedConnections, limited
from smoothcall.web.server import GRACE, address_of, listen, serve_on, within_files

MAX_PROCESSES = 64
FIRST_TRIES = 3  # processes in a row that may end before they accepted connections
PAUSE = 0.5  # seconds between looks at a request to stop


@dataclass(frozen=True, slots=True)
class Setup:
    """What every process needs to serve the page."""

    database: str | None
    agents: Path | None
    synchronous: str
    max_tables: int
    memory: int  # bytes of agents, of each process
    host: str
    limits: Limits  # of all processes together
    newcomers: int

    def service(self) -> PlayService:
        """Return a play service whose database other processes use too."""
        how: dict[str, Any] = {"synchronous": self.synchronous, "max_tables": self.max_tables, "shared": True}
        made = App().play_service(self.database, self.agents, **how)
        made.agents.cache.limit = self.memory
        return made


def serve_processes(setup: Setup, port: int, processes: int, open_browser: bool, tell: Callable[[str], None]) -> None:
    """Serve pages by several processes until interrupted. `tell` is called with the address once it can be opened."""
    context = multiprocessing.get_context("spawn")
    with listen(setup.host, port) as listening:
        supervisor = _Supervisor(context, setup, listening, processes)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: supervisor.stop.set())
        try:
            supervisor.start()
            address = address_of(listening, setup.host)
            tell(address)
            if open_browser:
                webbrowser.open(address)
            supervisor.run()
        finally:
            supervisor.end()


class _Supervisor:
    """Starts the processes and replaces those that end."""

    def __init__(self, context: SpawnContext, setup: Setup, listening: socket.socket, processes: int) -> None:
        self._context, self._setup, self._listening = context, setup, listening
        self._counts = context.RawArray("i", processes * (1 + SLOTS))
        self._running: list[tuple[SpawnProcess, Any]] = []  # each with an event: it accepts connections
        self._places = processes
        self.stop = threading.Event()

    def start(self) -> None:
        """Start all processes, and wait until one of them accepts connections."""
        self._running = [self._begin(place) for place in range(self._places)]
        tried = 0
        while not (self.stop.is_set() or any(ready.is_set() for _, ready in self._running)):
            tried = self._replace(tried)

    def run(self) -> None:
        """Replace processes that end, until told to stop."""
        tried = 0
        while not self.stop.is_set():
            tried = self._replace(tried)

    def end(self) -> None:
        """Stop all processes: requests under way are answered."""
        for process, _ in self._running:
            process.terminate()
        for process, _ in self._running:
            process.join(GRACE + 5)
            process.kill()
            process.join()

    def _replace(self, tried: int) -> int:
        """Wait for a moment, and replace processes that have ended. Return how many in a row never accepted connections."""
        wait([process.sentinel for process, _ in self._running], PAUSE)
        for place, (process, ready) in enumerate(self._running):
            if process.is_alive() or self.stop.is_set():
                continue
            tried = 0 if ready.is_set() else tried + 1
            if tried >= FIRST_TRIES * self._places:
                raise UsageError(f"{tried} server processes ended before they accepted connections; what they said is above")
            self._running[place] = self._begin(place)
        return tried

    def _begin(self, place: int) -> tuple[SpawnProcess, Any]:
        ready = self._context.Event()
        given = (place, self._places, self._setup, self._listening, ready, self._counts)
        process = self._context.Process(target=_serve, args=given, daemon=True)
        process.start()
        return process, ready


def _serve(place: int, places: int, setup: Setup, listening: socket.socket, ready: Any, counts: Any) -> None:
    """Serve the page in a process of its own, until it is told to stop or its parent is gone."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    service, limits = setup.service(), within_files(setup.limits)
    shared: Array = np.frombuffer(counts, np.int32).reshape(places, -1)
    try:
        with listening:
            protocol = limited(limits, SharedConnections(limits, shared, place))
            serve_on(service, listening, setup.host, ready.set, protocol, setup.newcomers)
    except KeyboardInterrupt:
        pass  # Ctrl-C in a terminal reaches all processes
    finally:
        service.close()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    signal.raise_signal(signal.SIGTERM)

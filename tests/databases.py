"""A PostgreSQL server of our own for tests: one for the freezeout, a fresh database for each who asks."""

from __future__ import annotations

import atexit
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import psycopg
import pytest

from benchmarks.children import start

USER = "smoothcall"


def _program(name: str) -> Path | None:
    """A program of the PostgreSQL server, which Debian keeps beside the path."""
    found = [*sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), reverse=True), shutil.which(name)]
    return next((Path(program) for program in found if program), None)


def _as_somebody() -> dict[str, object]:
    """The server refuses to run as root: then it runs as its own user, or as nobody."""
    if os.geteuid() != 0:
        return {}
    names = [user.pw_name for user in pwd.getpwall()]
    return {"user": "postgres" if "postgres" in names else "nobody"}


@dataclass(slots=True)
class Postgres:
    """A server in a folder of its own."""

    folder: Path
    port: int
    _process: subprocess.Popen[bytes] | None = None

    @classmethod
    def made(cls) -> Postgres:
        initdb = _program("initdb")
        if initdb is None or _program("postgres") is None:
            if os.environ.get("SMOOTHCALL_CI"):
                pytest.fail("PostgreSQL is missing: .ci/run installs it")
            pytest.skip("PostgreSQL is not installed (Debian: apt-get install postgresql); its tests are left out")
        folder, somebody = Path(tempfile.mkdtemp(prefix="smoothcall-postgres-")), _as_somebody()
        if somebody:
            shutil.chown(folder, somebody["user"])  # type: ignore[call-overload]
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = int(free.getsockname()[1])
        make = [initdb, "--pgdata", folder / "data", "--username", USER, "--auth", "trust", "--no-sync"]
        subprocess.run(make, check=True, capture_output=True, cwd=folder, **somebody)  # type: ignore[call-overload]
        return cls(folder, port)

    @classmethod
    @contextmanager
    def started(cls) -> Iterator[Postgres]:
        server = cls.made()
        server.start()
        try:
            yield server
        finally:
            server.remove()

    def start(self) -> None:
        """Start it, and wait until it answers."""
        command = [_program("postgres"), "-D", self.folder / "data", "-p", str(self.port), "-c", "listen_addresses=127.0.0.1"]
        command += ["-c", f"unix_socket_directories={self.folder}", "-c", "fsync=off"]
        with (self.folder / "log").open("ab") as log:
            self._process = start(command, end=signal.SIGINT, stdout=log, stderr=log, cwd=self.folder, **_as_somebody())  # type: ignore[arg-type]
        for _ in range(6000):
            try:
                psycopg.connect(f"host=127.0.0.1 port={self.port} user={USER} dbname=postgres").close()
                return
            except psycopg.OperationalError:
                if self._process.poll() is not None:
                    break
                time.sleep(0.05)
        raise RuntimeError((self.folder / "log").read_text())

    def restart(self) -> None:
        """Break all connections and start again."""
        self._stop()
        self.start()

    def _stop(self) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGINT)
            self._process.wait(60)

    def remove(self) -> None:
        self._stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    @contextmanager
    def database(self) -> Iterator[str]:
        """The URL of a fresh database."""
        name = f"test_{uuid.uuid4().hex}"
        with psycopg.connect(f"host=127.0.0.1 port={self.port} user={USER} dbname=postgres", autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}"')
        yield f"postgresql://{USER}@127.0.0.1:{self.port}/{name}"


@cache
def _server() -> Postgres:
    """A server that ends with the tests."""
    server = Postgres.made()
    server.start()
    atexit.register(server.remove)
    return server


@contextmanager
def postgres() -> Iterator[str]:
    """The URL of a fresh database of a server that all tests share."""
    with _server().database() as url:
        yield url

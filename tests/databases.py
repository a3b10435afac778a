"""A PostgreSQL server of our own for tests: one for the freezeout, a fresh database for each who asks."""

from __future__ import annotations

import atexit
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import psycopg
import pytest

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


@cache
def _server() -> int:
    """The port of a server that ends with the tests."""
    initdb, server = _program("initdb"), _program("postgres")
    if initdb is None or server is None:
        if os.environ.get("SMOOTHCALL_CI"):
            pytest.fail("PostgreSQL is missing: .ci/run installs it")
        pytest.skip("PostgreSQL is not installed (Debian: apt-get install postgresql); its tests are left out")
    folder = Path(tempfile.mkdtemp(prefix="smoothcall-postgres-"))
    somebody = _as_somebody()
    if somebody:
        shutil.chown(folder, somebody["user"])  # type: ignore[call-overload]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    make = [initdb, "--pgdata", folder / "data", "--username", USER, "--auth", "trust", "--no-sync"]
    subprocess.run(make, check=True, capture_output=True, cwd=folder, **somebody)  # type: ignore[call-overload]
    command = [server, "-D", folder / "data", "-p", str(port), "-c", "listen_addresses=127.0.0.1"]
    command += ["-c", f"unix_socket_directories={folder}", "-c", "fsync=off"]
    with (folder / "log").open("wb") as log:
        running = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder, **somebody)  # type: ignore[call-overload]

    def stop() -> None:
        running.terminate()
        running.wait(20)
        shutil.rmtree(folder, ignore_errors=True)

    atexit.register(stop)
    for _ in range(6000):
        try:
            psycopg.connect(f"host=127.0.0.1 port={port} user={USER} dbname=postgres").close()
            return port
        except psycopg.OperationalError:
            if running.poll() is not None:
                break
            time.sleep(0.05)
    raise RuntimeError((folder / "log").read_text())


@contextmanager
def postgres() -> Iterator[str]:
    """The URL of a fresh database."""
    port, name = _server(), f"test_{uuid.uuid4().hex}"
    with psycopg.connect(f"host=127.0.0.1 port={port} user={USER} dbname=postgres", autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
    yield f"postgresql://{USER}@127.0.0.1:{port}/{name}"

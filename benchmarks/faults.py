"""Faults under load: `python -m benchmarks.faults` prints the table of docs/security.md.

People play at many tables at once while the server is killed, its disk is full, its PostgreSQL is restarted or read-only, its
clock jumps, or several servers share a database. Each remembers the last answer they got and what they have asked since.
Afterwards a table must be as that answer said, or one step further if the step was asked for: nothing lost, nothing done twice.
"""

from __future__ import annotations

import asyncio
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Annotated, Any

import psycopg
import typer

from benchmarks.acknowledged import Player, count_lost, everything, new_players, secrets_in
from benchmarks.web import Server
from tests.databases import Postgres, postgres

# The command line with a clock that is so many days ahead as a file says
SHIFTED = """
import sys
from datetime import timedelta
from pathlib import Path
from smoothcall.store import records
present, ahead = records.now, Path(sys.argv.pop(1))
records.now = lambda: present() + timedelta(days=float(ahead.read_text()))
from smoothcall.cli import main
main()
"""


@dataclass(slots=True)
class Report:
    """A fault, and what became of the actions that had been acknowledged."""

    name: str
    times: int  # that the fault happened
    acknowledged: int
    refused: int  # requests answered with 503
    unanswered: int  # requests without an answer that had been carried out
    lost: int
    doubled: int
    secrets: int  # decks, cards, tokens, seeds in the logs
    logs: str = field(default="", repr=False)


Fault = Callable[[], Awaitable[None]]


async def under(name: str, url: str, folder: Path, servers: list[Server], fault: Fault, *, tables: int, times: int) -> Report:
    """Let people play at servers that share a database while a fault happens several times."""
    players = new_players(tables)
    stop = asyncio.Event()
    playing = [asyncio.create_task(player.play_on([server.port for server in servers], stop)) for player in players]
    for _ in range(times):
        await answers(players, playing, each=2)
        await fault()
    await answers(players, playing, each=2)
    stop.set()
    await asyncio.gather(*playing)
    return reported(name, url, folder, players, times)


def reported(name: str, url: str, folder: Path, players: list[Player], times: int) -> Report:
    logs = "".join(path.read_text() for path in folder.glob("log*"))
    return Report(
        name,
        times,
        sum(player.answered for player in players),
        sum(player.refused for player in players),
        sum(player.found_done for player in players),
        count_lost(everything(url), players),
        sum(player.doubled for player in players),
        len(secrets_in(logs, url, [player.visitor.token for player in players])),
        logs,
    )


async def answers(players: list[Player], playing: list[asyncio.Task[None]], each: int) -> None:
    """Wait until everybody has got so many more answers."""
    wanted = [player.answered + each for player in players]
    while any(player.answered < least for player, least in zip(players, wanted, strict=True)):
        await asyncio.sleep(0.01)
        for task in playing:
            if task.done():
                task.result()  # what went wrong is raised here


# Faults


@contextmanager
def started(url: str, folder: Path, count: int = 1, **how: Any) -> Iterator[list[Server]]:
    servers: list[Server] = []
    try:
        servers.extend(Server(url, folder / f"log{place}", **how) for place in range(count))
        yield servers
    finally:
        for server in servers:
            server.kill()


async def full_disk(folder: Path, *, seconds: float, tables: int, times: int) -> Report:
    """The database is in a file system of 8 MB that somebody else fills and empties; needs the right to mount one."""
    small = folder / "small"
    small.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(small)], check=True, capture_output=True)
    try:
        url, filler = f"sqlite:///{small}/hands.sqlite", small / "filler"

        async def fill() -> None:
            with suppress(OSError), filler.open("wb", buffering=0) as out:
                while True:
                    out.write(bytes(4096))
            await asyncio.sleep(seconds)
            filler.unlink()

        with started(url, folder) as servers:
            return await under("disk full, then room again", url, folder, servers, fill, tables=tables, times=times)
    finally:
        subprocess.run(["umount", "-l", str(small)], check=True)


async def file_limit(folder: Path, *, seconds: float, tables: int, times: int) -> Report:
    """The server's files may not grow for a while, as on a disk that is full."""
    url = f"sqlite:///{folder}/hands.sqlite"
    with started(url, folder) as servers:
        process = servers[0].process.pid

        async def limit() -> None:
            size = max(1, *(path.stat().st_size for path in folder.glob("hands.sqlite*")))
            unlimited = resource.RLIM_INFINITY
            resource.prlimit(process, resource.RLIMIT_FSIZE, (size // 2, unlimited))
            await asyncio.sleep(seconds)
            resource.prlimit(process, resource.RLIMIT_FSIZE, (unlimited, unlimited))

        return await under("files that may not grow", url, folder, servers, limit, tables=tables, times=times)


async def clock_jumps(folder: Path, *, tables: int, times: int) -> Report:
    url, ahead, jumps = f"sqlite:///{folder}/hands.sqlite", folder / "ahead", iter([1, 0, -1, 0] * times)
    ahead.write_text("0")
    with started(url, folder, program=[sys.executable, "-c", SHIFTED, str(ahead)]) as servers:

        async def jump() -> None:
            new = folder / "new"
            new.write_text(str(next(jumps)))
            new.replace(ahead)

        return await under("clock jumps by a day, forth and back", url, folder, servers, jump, tables=tables, times=times)


async def several(kind: str, count: int, folder: Path, *, tables: int, times: int) -> Report:
    """Every request goes to all servers at once."""
    with database(kind, folder) as url, started(url, folder, count) as servers:

        async def nothing() -> None: ...

        name = f"{count} servers on one database ({kind}), every request to all at once"
        return await under(name, url, folder, servers, nothing, tables=tables, times=times)


async def restarts(folder: Path, *, tables: int, times: int) -> Report:
    with Postgres.started() as own, own.database() as url, started(url, folder) as servers:

        async def restart() -> None:
            await asyncio.to_thread(own.restart)

        return await under("PostgreSQL restarted", url, folder, servers, restart, tables=tables, times=times)


async def read_only(folder: Path, *, seconds: float, tables: int, times: int) -> Report:
    with Postgres.started() as own, own.database() as url, started(url, folder) as servers:

        async def turn() -> None:
            for setting in ("on", "off"):
                with psycopg.connect(url, autocommit=True) as connection:
                    connection.execute("SET default_transaction_read_only = off")
                    connection.execute(f"ALTER SYSTEM SET default_transaction_read_only = {setting}")  # type: ignore[arg-type]
                    connection.execute("SELECT pg_reload_conf()")
                await asyncio.sleep(seconds)

        return await under("PostgreSQL read-only", url, folder, servers, turn, tables=tables, times=times)


async def kills(kind: str, folder: Path, *, tables: int, times: int) -> Report:
    """SIGKILL under load, and a new server on the same database each time."""
    players, random = new_players(tables), Random(7)
    with database(kind, folder) as url:
        for _ in range(times):
            server, stop = Server(url, folder / "log"), asyncio.Event()
            try:
                playing = [asyncio.create_task(player.play_on([server.port], stop)) for player in players]
                await answers(players, playing, each=random.randint(1, 4))
            finally:
                stop.set()  # players end when they have no answer
                server.kill()
            await asyncio.gather(*playing)
        with started(url, folder) as servers:
            for player in players:
                await player.look_again(servers[0].port)
        return reported(f"SIGKILL ({kind})", url, folder, players, times)


@contextmanager
def database(kind: str, folder: Path) -> Iterator[str]:
    if kind == "sqlite":
        yield f"sqlite:///{folder / 'hands.sqlite'}"
    else:
        with postgres() as url:
            yield url


# All of them

FAULTS: dict[str, Callable[..., Awaitable[Report]]] = {
    "kills-sqlite": lambda folder, tables, times: kills("sqlite", folder, tables=tables, times=times),
    "kills-postgresql": lambda folder, tables, times: kills("postgresql", folder, tables=tables, times=times),
    "full-disk": lambda folder, tables, times: full_disk(folder, seconds=1.0, tables=tables, times=times),
    "file-limit": lambda folder, tables, times: file_limit(folder, seconds=1.0, tables=tables, times=times),
    "clock": lambda folder, tables, times: clock_jumps(folder, tables=tables, times=4 * times),
    "restarts": lambda folder, tables, times: restarts(folder, tables=tables, times=times),
    "read-only": lambda folder, tables, times: read_only(folder, seconds=1.0, tables=tables, times=times),
    "two-sqlite": lambda folder, tables, times: several("sqlite", 2, folder, tables=tables, times=4 * times),
    "two-postgresql": lambda folder, tables, times: several("postgresql", 2, folder, tables=tables, times=4 * times),
    "three-postgresql": lambda folder, tables, times: several("postgresql", 3, folder, tables=tables, times=4 * times),
}


def main(
    names: Annotated[list[str] | None, typer.Argument(help="Which faults [default: all].")] = None,
    tables: Annotated[int, typer.Option(min=1)] = 18,
    times: Annotated[int, typer.Option(min=1, help="How often each fault happens; kills ten times as often.")] = 5,
) -> None:
    typer.echo(
        "| fault | times | acknowledged | answered 503 | done without an answer | lost | doubled | secrets in the logs |\n"
        + "| --- " * 8
        + "|"
    )
    for name in names or FAULTS:
        folder = Path(tempfile.mkdtemp())
        try:
            report = asyncio.run(FAULTS[name](folder, tables, 10 * times if name.startswith("kills") else times))  # type: ignore[arg-type]
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        figures = (report.times, report.acknowledged, report.refused, report.unanswered, report.lost, report.doubled)
        figures += (report.secrets,)
        typer.echo(f"| {report.name} | " + " | ".join(f"{figure:,}" for figure in figures) + " |")


if __name__ == "__main__":
    typer.run(main)

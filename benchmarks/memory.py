"""Memory after everything was tried: `python -m benchmarks.memory` prints the figures of docs/security.md.

A person plays a hand against every agent and scripted player of every game and against every agent that can search, asks the
coach about it, explores every agent, and opens every page; then everything once more. Then many tables of six are opened and
left, more than the server keeps in memory. The server is started with `--memory`, and `--workers` where several are asked for.

Another server tries everything before, so that all kernels are compiled: a process that compiles takes up to 1 GB more until it
ends (`--cold` leaves that out).
"""

from __future__ import annotations

import asyncio
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Annotated

import psutil
import typer

from benchmarks.web import RETRIES, Server, Visitor, random_letter, serving, settings
from smoothcall.agents.suffixes import SEARCH

TABLES = 3000  # tables of six that are opened and left
SIX = ("no-limit-holdem:seats=6", ("always-call",) * 5)
PAGES = ("/api/tables", "/api/hands", "/api/statistics", "/api/export?form=json", "/api/export?form=phh", "/api/settings")


@dataclass(frozen=True, slots=True)
class Memory:
    """Megabytes at a moment, of the process that uses the most, and of all with what they share counted once."""

    when: str
    megabytes: float
    peak: float  # of one process so far
    together: float


def processes(server: Server) -> Iterator[psutil.Process]:
    """Yield those that serve pages, and the one that started them."""
    first = psutil.Process(server.process.pid)
    yield from (first, *first.children(recursive=True))


def memory_of(server: Server, when: str) -> Memory:
    used, peaks, together = [], [], 0.0
    for process in processes(server):
        status = Path(f"/proc/{process.pid}/status").read_text()
        sizes = {name: int(size) / 1024 for name, size in re.findall(r"(VmHWM|VmRSS):\s+(\d+) kB", status)}
        used.append(sizes["VmRSS"])
        peaks.append(sizes["VmHWM"])
        together += process.memory_full_info().pss / (1 << 20)
    return Memory(when, round(max(used)), round(max(peaks)), round(together))


async def get(visitor: Visitor, path: str) -> int:
    """Return the status of an answer, whose body is read and dropped."""
    reader, writer = await asyncio.open_connection("127.0.0.1", visitor._port)
    head = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {visitor.token}\r\nConnection: close\r\n\r\n"
    writer.write(head.encode())
    status = int((await reader.readline()).split(b" ")[1])
    while await reader.read(1 << 16):
        pass
    writer.close()
    return status


async def get_patiently(visitor: Visitor, path: str) -> int:
    """Return the status of an answer; ask again where the server is overloaded."""
    status = await get(visitor, path)
    for _ in range(RETRIES):
        if status != 503:
            break
        await asyncio.sleep(1.0)
        status = await get(visitor, path)
    return status


async def lineups(visitor: Visitor) -> list[tuple[str, tuple[str, ...]]]:
    """Return (game, opponents) of the tables to try: everybody once, those that search last."""
    found = [(game, tuple(opponents)) for game, opponents in await settings(visitor)]
    for each in await visitor.ask("GET", "/api/games"):
        cards = await visitor.ask("GET", f"/api/agents?game={each['game']}")
        found += [(each["game"], (card["id"] + SEARCH,)) for card in cards if card["may_search"] and each["seats"] == 2]
    return list(dict.fromkeys(found))


async def reconnect(visitor: Visitor) -> None:
    """Connect anew: to any process, and not by a connection that the server closes just then because nobody used it."""
    await visitor.close()
    await visitor.connect(visitor._port)


async def try_everything(visitor: Visitor, most: int | None) -> int:
    """Play against everybody, ask for everything; return the number of tables."""
    random, tried = Random(1), await lineups(visitor)
    if most is not None:
        tried = [*tried[:most], next(each for each in tried if each[1][0].endswith(SEARCH))]
    for game, opponents in tried:
        await reconnect(visitor)
        table = await visitor.open_table(game, opponents)
        while not table["hand"]["over"]:
            await reconnect(visitor)
            choices = [each for each in table["hand"]["choices"] if each["letter"] != "f"] or table["hand"]["choices"]
            table = await visitor.act(table, random_letter(choices, random))
        for path in (f"/api/hands/{table['hand']['id']}/coach", f"/api/tables/{table['id']}/results"):
            status = await get_patiently(visitor, path)
            assert status in (200, 400, 403, 404, 422), (path, status)
    await reconnect(visitor)
    agents = await visitor.ask("GET", "/api/agents")
    for card in agents[:most]:
        assert await get_patiently(visitor, f"/api/explore/{card['id']}") in (200, 400, 404, 422)
    for path in PAGES:
        assert await get_patiently(visitor, path) == 200, path
    return len(tried)


async def open_tables(visitor: Visitor, tables: int) -> None:
    """Open tables; the first goes on afterwards as it was left."""
    await reconnect(visitor)
    first = await visitor.open_table(*SIX)
    for _ in range(tables - 1):
        await visitor.open_table(*SIX)
    assert await visitor.table(first["id"]) == first


async def measure(server: Server, tell: Callable[[Memory], None], most: int | None = None, tables: int = TABLES) -> None:
    """Call `tell` with the memory at each moment."""
    visitor = Visitor(patient=True)  # figures of memory do not depend on how busy the machine is
    await visitor.connect(server.port)
    tell(memory_of(server, "at the start"))
    for when in ("after everything was tried", "after everything was tried again"):
        await reconnect(visitor)
        count = await try_everything(visitor, most)
        tell(memory_of(server, f"{when} ({count} tables)"))
    await open_tables(visitor, tables)
    tell(memory_of(server, f"after {tables:,} more tables were opened"))
    await visitor.close()


def main(
    memory: Annotated[list[int] | None, typer.Option(help="Values of --memory, in MB [default: 512].")] = None,
    workers: Annotated[int, typer.Option(min=1, help="The server's --workers.")] = 1,
    cold: Annotated[bool, typer.Option("--cold", help="Let the measured server compile kernels.")] = False,
) -> None:
    if not cold:
        with tempfile.TemporaryDirectory() as name, _started(Path(name), (memory or (512,))[0], 1) as server:
            asyncio.run(_compile(server))
    typer.echo("| --memory | --workers | when | MB of a process | most so far | MB of all |\n" + "| --- " * 6 + "|")
    for bound in memory or (512,):

        def tell(found: Memory, bound: int = bound) -> None:
            figures = f"{found.megabytes:.0f} | {found.peak:.0f} | {found.together:.0f}"
            typer.echo(f"| {bound} | {workers} | {found.when} | {figures} |")

        with tempfile.TemporaryDirectory() as name, _started(Path(name), bound, workers) as server:
            asyncio.run(measure(server, tell))


async def _compile(server: Server) -> None:
    """Try everything once, so that the kernels are in Numba's cache."""
    visitor = Visitor(patient=True)
    await visitor.connect(server.port)
    await try_everything(visitor, None)
    await visitor.close()


def _started(folder: Path, bound: int, workers: int) -> AbstractContextManager[Server]:
    options = ("--memory", str(bound), "--workers", str(workers))
    return serving(f"sqlite:///{folder}/hands.sqlite", folder / "log", *options)


if __name__ == "__main__":
    typer.run(main)

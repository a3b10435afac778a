"""The server under abuse: `python -m benchmarks.abuse` prints the table of docs/security.md.

A few people play with short pauses while somebody does one of the things below; their moves are timed. Every attack is bounded
in time and count, and goes to a server of its own on this machine.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sqlite3
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random
from typing import Annotated

import psutil
import sqlalchemy as sql
import typer

from benchmarks.web import Server, Visitor, random_letter
from smoothcall.app import App
from smoothcall.play.opponents import Agents
from smoothcall.store.schema import PlayedHand

SLOWEST, BLOCKED = 100.0, 2100.0  # targets: ms for 95 % of moves, and for those who write to a blocked database
GETS, MOVES = 1500.0, 400.0  # targets: a second
STOPS = 5.0  # seconds until SIGTERM has ended the server
MEMORY = 512 + 1700.0  # megabytes, the bound that docs/security.md states: --memory and 1.7 GB


@dataclass(slots=True)
class Times:
    """Answers that somebody waited for."""

    took: list[float] = field(default_factory=list)  # seconds
    statuses: Counter[int] = field(default_factory=Counter)
    lost: int = 0  # connections that broke

    def add(self, status: int, seconds: float) -> None:
        self.statuses[status] += 1
        self.took.append(seconds)

    def share(self, part: float) -> float:
        """Return milliseconds that a share of the answers took at most; NaN without any."""
        ordered = sorted(self.took)
        return 1000 * ordered[min(len(ordered) - 1, int(part * len(ordered)))] if ordered else float("nan")

    @property
    def faults(self) -> int:
        """Server errors that are no 503, and broken connections."""
        return self.lost + sum(count for status, count in self.statuses.items() if status >= 500 and status != 503)


@dataclass(frozen=True, slots=True)
class Line:
    """An attack, and how people fared meanwhile."""

    name: str
    moves: int
    p50_ms: float
    p95_ms: float
    refused: int  # moves answered with 503
    static_p95_ms: float  # of a file
    faults: int
    memory_mb: float  # the most
    note: str = ""


class Player(Visitor):
    """Somebody who plays Leduc with short pauses."""

    async def sit(self, port: int) -> None:
        await self.connect(port)
        self.at = await self.open_table("leduc", ["leduc-cfr"])

    async def move(self, random: Random, times: Times) -> None:
        hand = self.at["hand"]
        if hand["over"]:
            path, body = "next", {"hand": hand["number"]}
        else:
            letter = random_letter(hand["choices"], random)
            path, body = "act", {"letter": letter, "hand": hand["number"], "move": hand["move"]}
        began = time.perf_counter()
        status, answer = await self.status("POST", f"/api/tables/{self.at['id']}/{path}", body)
        times.add(status, time.perf_counter() - began)
        if status == 200:
            self.at = answer
        elif status == 409:
            self.at = await self.table(self.at["id"])
        elif status != 503:
            raise RuntimeError(f"{status} {answer}")


async def play(players: list[Player], times: Times, done: Callable[[], bool], think: float) -> None:
    async def one(player: Player, random: Random) -> None:
        while not done():
            await asyncio.sleep(random.expovariate(1 / think) if think else 0)
            try:
                await player.move(random, times)
            except (OSError, EOFError):
                times.lost += 1
                await player.connect(player._port)

    await asyncio.gather(*(one(player, Random(place)) for place, player in enumerate(players)))


async def watch_static(port: int, times: Times, done: Callable[[], bool]) -> None:
    """Ask for a file again and again."""
    while not done():
        await asyncio.sleep(0.1)
        with suppress(OSError, EOFError):
            began = time.perf_counter()
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"GET /static/icon.svg HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
            answer = await reader.read()
            times.add(int(answer.split(b" ", 2)[1]), time.perf_counter() - began)
            writer.close()


# Attacks: each is a coroutine of (server, token, scale)


def _head(path: str, token: str = "") -> bytes:
    sign_in = f"Authorization: Bearer {token}\r\n" if token else ""
    return f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{sign_in}\r\n".encode()


async def abandoned(port: int, token: str, paths: list[str], after: float = 0.05) -> str:
    """Ask for things and leave before they are answered."""

    async def one(path: str) -> None:
        with suppress(OSError):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(_head(path, token))
            await asyncio.sleep(after)
            writer.close()

    await asyncio.gather(*map(one, paths))
    return f"{len(paths)} requests, each left after {1000 * after:.0f} ms"


async def waited_for(port: int, token: str, paths: list[str], seconds: float, *, people: bool = False) -> str:
    """Ask for things and wait for them, at most so many seconds; with `people`, each is asked for by somebody new."""
    found: Counter[int] = Counter()

    async def one(path: str) -> None:
        token = tokens.pop()
        with suppress(OSError, EOFError, asyncio.TimeoutError):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            with closing(writer):
                writer.write(_head(path, token))
                line = await asyncio.wait_for(reader.readline(), seconds)
                found[int(line.split(b" ")[1])] += 1

    tokens = [token] * len(paths) if not people else [await _newcomer(port) for _ in paths]
    await asyncio.gather(*map(one, paths))
    return f"{len(paths)} requests: {dict(sorted(found.items()))}"


async def _newcomer(port: int) -> str:
    visitor = Visitor()
    await visitor.connect(port)
    await visitor.open_table("kuhn", ["kuhn-lp"])  # who has not played counts as their address
    await visitor.close()
    return visitor.token


async def half_sent(port: int, count: int, seconds: float) -> str:
    closed = 0

    async def one() -> None:
        nonlocal closed
        with suppress(OSError, asyncio.TimeoutError):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            with closing(writer):
                writer.write(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nx: ")
                await asyncio.wait_for(reader.read(), seconds)  # until the server closes it
                closed += 1

    await asyncio.gather(*(one() for _ in range(count)))
    return f"{count} requests without an end, {closed} closed by the server within {seconds:.0f} s"


async def long_headers(port: int, megabytes: int) -> str:
    sent = 0
    with suppress(OSError):
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        with closing(writer):
            writer.write(b"GET / HTTP/1.1\r\n")
            for _ in range(megabytes * 16):
                writer.write(b"x: " + b"y" * (1 << 16) + b"\r\n")
                await writer.drain()
                sent += 1 << 16
    return f"closed after {sent >> 10} of {megabytes << 10} KB were sent"


async def visits(port: int, count: int, database: str) -> str:
    before, found = _people(database), Counter[int]()

    async def some(share: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for _ in range(share):
            writer.write(_head("/"))
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
            found[int(head.split(" ", 2)[1])] += 1
            await reader.readexactly(int(head.partition("content-length: ")[2].split("\r\n")[0]))
        writer.close()

    await asyncio.gather(*(some(count // 4) for _ in range(4)))
    return f"{dict(found)}; rows of people: {before} before, {_people(database)} after"


def _people(database: str) -> int:
    engine = sql.create_engine(database.replace("postgresql://", "postgresql+psycopg://"))
    with engine.connect() as connection:
        count = connection.execute(sql.text("SELECT count(*) FROM people")).scalar_one()
    engine.dispose()
    return int(count)


async def locked(path: str, seconds: float) -> str:
    with sqlite3.connect(path, isolation_level=None) as other:
        other.execute("BEGIN EXCLUSIVE")
        await asyncio.sleep(seconds)
        other.execute("ROLLBACK")
    return f"locked for {seconds:.0f} s"


async def frozen(port: int, seconds: float) -> str:
    """Stop every process of the PostgreSQL server that listens on a port."""
    found = [each for each in psutil.process_iter(["cmdline"]) if {"-p", str(port)} <= set(each.info["cmdline"] or ())]
    stopped = [process for each in found for process in (each, *each.children(recursive=True))]
    for process in stopped:
        process.send_signal(signal.SIGSTOP)
    await asyncio.sleep(seconds)
    for process in stopped:
        with suppress(psutil.NoSuchProcess):
            process.send_signal(signal.SIGCONT)
    return f"{len(stopped)} processes stopped for {seconds:.0f} s"


# Measuring


def seed_hands(url: str, hands: int) -> tuple[str, list[int]]:
    """Give a new person so many finished hands; return (token, some of their ids)."""
    service = App().play_service(url, Agents(), max_tables=10**9)
    token = service.newcomer()
    person, random = service.person(token), Random(1)
    table = service.open_table(person, "leduc", ["leduc-cfr"])
    for number in range(1, 41):
        while not table.hand.over:
            letter = random.choice(table.hand.choices).letter
            table = service.act(person, table.id, letter, hand=number, move=table.hand.move)
        table = service.next_hand(person, table.id, hand=number)
    histories = service._histories
    with histories._engine.begin() as connection:
        columns = [column for column in PlayedHand.__table__.columns if column.name != "id"]
        query = sql.select(*columns).where(PlayedHand.table == table.id, PlayedHand.ended.is_not(None))
        rows = [dict(row._mapping) for row in connection.execute(query)]
        last = int(connection.execute(sql.select(sql.func.max(PlayedHand.number))).scalar_one())
        copies = [{**rows[place % len(rows)], "number": last + 1 + place} for place in range(hands - len(rows))]
        for start in range(0, len(copies), 1000):
            connection.execute(sql.insert(PlayedHand), copies[start : start + 1000])
        ids = connection.execute(sql.select(PlayedHand.id).where(PlayedHand.ended.is_not(None)).limit(50)).scalars().all()
    service.close()
    return token, list(ids)


Attack = Callable[[], Awaitable[str]]


async def during(name: str, server: Server, players: list[Player], attack: Attack | None, seconds: float, think: float) -> Line:
    """Play for so many seconds, or while the attack goes on if that is longer."""
    times, static, most, ends = Times(), Times(), server.memory, time.perf_counter() + seconds
    task = asyncio.ensure_future(attack()) if attack is not None else None

    def done() -> bool:
        nonlocal most
        most = max(most, server.memory)
        return time.perf_counter() > ends and (task is None or task.done())

    await asyncio.gather(play(players, times, done, think), watch_static(server.port, static, done))
    note = "" if task is None else await task
    p50, p95 = round(times.share(0.5), 1), round(times.share(0.95), 1)
    faults = times.faults + static.faults
    return Line(
        name, len(times.took), p50, p95, times.statuses[503], round(static.share(0.95), 1), faults, round(most, 1), note
    )


async def throughput(port: int, path: str, connections: int, seconds: float) -> float:
    """Return answers a second to a GET by clients that do not think."""
    count, ends = 0, time.perf_counter() + seconds

    async def one() -> None:
        nonlocal count
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        asked = _head(path)
        while time.perf_counter() < ends:
            writer.write(asked)
            head = await reader.readuntil(b"\r\n\r\n")
            at = head.lower().index(b"content-length: ") + 16
            await reader.readexactly(int(head[at : head.index(b"\r", at)]))
            count += 1
        writer.close()

    await asyncio.gather(*(one() for _ in range(connections)))
    return count / seconds


async def moves_a_second(server: Server, connections: int, seconds: float) -> float:
    players = [Player() for _ in range(connections)]
    for player in players:
        await player.sit(server.port)
    times, ends = Times(), time.perf_counter() + seconds
    await play(players, times, lambda: time.perf_counter() > ends, 0.0)
    for player in players:
        await player.close()
    return times.statuses[200] / seconds


@contextmanager
def database_of(kind: str, folder: str) -> Iterator[str]:
    if kind == "sqlite":
        yield f"sqlite:///{folder}/hands.sqlite"
    else:
        from tests.databases import postgres

        with postgres() as url:
            yield url


async def measure(url: str, folder: Path, *, scale: float, seconds: float, think: float = 0.05) -> tuple[list[Line], float]:
    """Return the lines of all attacks, at a share `scale` of their counts, and the seconds that SIGTERM took."""
    hands = max(60, int(20_000 * scale))
    token, ids = seed_hands(url, hands)
    few, many = max(3, int(50 * scale)), max(10, int(200 * scale))
    server = Server(url, folder / "log")
    try:
        port, lines = server.port, []
        players = [Player() for _ in range(4)]
        for player in players:
            await player.sit(port)
        agents = [card["id"] for card in await players[0].ask("GET", "/api/agents") if card["kind"] == "built-in"]
        explorers = [f"/api/explore/{agents[place % len(agents)]}" for place in range(few)]
        coaches = [f"/api/hands/{ids[place % len(ids)]}/coach" for place in range(few)]
        attacks: dict[str, Attack | None] = {
            "nothing": None,
            f"{few} exports of {hands:,} hands, abandoned": lambda: abandoned(port, token, ["/api/export?form=json"] * few),
            f"{few} statistics, abandoned": lambda: abandoned(port, token, ["/api/statistics"] * few),
            f"{few} statistics, waited for": lambda: waited_for(port, token, ["/api/statistics"] * few, seconds),
            f"{few} cold explorers": lambda: waited_for(port, "", explorers, seconds),
            f"{few} cold explorers of {few} people": lambda: waited_for(port, "", explorers, seconds, people=True),
            f"{few} coaches": lambda: waited_for(port, token, coaches, seconds),
            f"{many} half-sent requests": lambda: half_sent(port, many, max(seconds, 15.0 if scale == 1 else 0.0)),
            "60 MB of headers": lambda: long_headers(port, 60),
            f"{int(10_000 * scale):,} visits without a cookie": lambda: visits(port, int(10_000 * scale), url),
        }
        blocked = max(1.0, 10 * scale)
        if url.startswith("sqlite"):
            attacks["database locked"] = lambda: locked(url.removeprefix("sqlite:///"), blocked)
        else:
            attacks["database frozen"] = lambda: frozen(sql.make_url(url).port or 0, blocked)
        for name, attack in attacks.items():
            lines.append(await during(name, server, players, attack, seconds, think))
        left = asyncio.ensure_future(abandoned(port, token, ["/api/export", "/api/statistics"] * (few // 2), 1.0))
        await asyncio.sleep(0.2)
        began = time.perf_counter()
        server.process.terminate()
        await asyncio.to_thread(server.process.wait, 60)
        took = time.perf_counter() - began
        await left
        for player in players:
            await player.close()
        return lines, took
    finally:
        server.kill()


def misses(lines: list[Line], stopped: float) -> list[str]:
    """Return the targets that were not met."""
    found = [] if stopped <= STOPS else [f"SIGTERM took {stopped:.1f} s"]
    for line in lines:
        slowest = BLOCKED if line.name.startswith("database") else SLOWEST
        if not line.p95_ms <= slowest:
            found.append(f"{line.name}: 95 % of moves within {line.p95_ms} ms, not {slowest:.0f}")
        if line.faults:
            found.append(f"{line.name}: {line.faults} faults")
        if line.refused and not line.name.startswith("database"):
            found.append(f"{line.name}: {line.refused} moves refused")
        if line.memory_mb > MEMORY:
            found.append(f"{line.name}: {line.memory_mb} MB")
    return found


def throughputs(url: str, folder: Path, seconds: float) -> dict[str, float]:
    """Return GETs and moves a second without think time; on SQLite also moves whose commits are not synchronised."""
    found, forms = {}, {"": (), "synchronous=normal": ("--synchronous", "normal")}
    for name, options in forms.items() if url.startswith("sqlite") else [("", ())]:
        server = Server(url, folder / "log", *options)
        try:
            if not name:
                found["GETs"] = asyncio.run(throughput(server.port, "/api/games", 16, seconds))
            found[f"moves {name}".strip()] = asyncio.run(moves_a_second(server, 48, seconds))
        finally:
            server.kill()
    return found


def main(
    scale: Annotated[float, typer.Option(min=0.001, max=1, help="Share of the counts.")] = 1.0,
    seconds: Annotated[float, typer.Option(min=1, help="How long each attack is watched, at least.")] = 8.0,
    kind: Annotated[str, typer.Option(help="sqlite or postgresql.")] = "sqlite",
    attacks: Annotated[bool, typer.Option(help="Without them, only what a server does without think time.")] = True,
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    with tempfile.TemporaryDirectory() as folder, database_of(kind, folder) as url:
        lines, stopped = [], 0.0
        if attacks:
            lines, stopped = asyncio.run(measure(url, Path(folder), scale=scale, seconds=seconds))
        rates = throughputs(url, Path(folder), seconds)
    load = os.getloadavg()[0]
    if as_json:
        typer.echo(json.dumps({"lines": [asdict(line) for line in lines], "stopped": stopped, "a second": rates}))
        return
    if attacks:
        typer.echo("| meanwhile | moves | p50 ms | p95 ms | 503 | file p95 ms | faults | MB | |\n" + "| --- " * 9 + "|")
        for line in lines:
            typer.echo("| " + " | ".join(map(str, asdict(line).values())) + " |")
        typer.echo(f"\nSIGTERM during exports: ended in {stopped:.1f} s. Load average {load:.1f} on {os.cpu_count()} cores.")
    shown = ", ".join(f"{rate:,.0f} {name}" for name, rate in rates.items())
    typer.echo(f"A second, without think time: {shown} (targets: {GETS:,.0f} GETs, {MOVES:.0f} moves).")
    found = misses(lines, stopped) + [f"{rates['moves']:.0f} moves/s"] * (rates["moves"] < MOVES)
    found += [f"{rates['GETs']:.0f} GETs/s"] * (rates["GETs"] < GETS)
    typer.echo("Not met: " + ("; ".join(found) or "nothing"))


if __name__ == "__main__":
    typer.run(main)

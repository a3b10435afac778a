"""The server under load: `python -m benchmarks.web` prints the figures of docs/web.md.

The server is a process of its own, started as users start it; the client plays at many tables at once over the JSON API and
shares the machine's cores with it. At each table somebody thinks for some time, makes a random legal move and waits for the
answer. Tables that were left before are in nobody's way, and go on afterwards as they were.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from itertools import cycle, islice
from pathlib import Path
from random import Random
from typing import Annotated, Any

import typer

from benchmarks.children import start
from smoothcall.play.live import OPPONENT_BYTES, SHARE, TABLE_BYTES

SLOWEST, LEAST, GROWTH = 100.0, 300.0, 0.05  # targets: ms for 95 %, actions/s, of memory in the second half
MEMORY = 128  # MB, the server's --memory: as much as makes it evict some of the idle tables
RETRIES = 60  # of a patient visitor, a second apart
IDLE_TABLES = 1300  # opened before and left alone
PROGRAM = (sys.executable, "-m", "smoothcall")
ADDRESS = re.compile(r"http://127\.0\.0\.1:(\d+)/")


class Server:
    """`smoothcall play` as a process of its own, on a free port."""

    def __init__(self, database: str, log: Path, *options: str, program: Sequence[str] = PROGRAM) -> None:
        self.log = log
        command = [*program, "play", "--no-browser", "--port", "0", "--database", database]
        command += ["--tables", "1000000", "--newcomers", "1000000", *options]  # everybody here comes from one address
        with log.open("ab") as written:
            said = written.tell()
            self.process = start(command, stdout=written, stderr=written)
        for _ in range(6000):  # a guard against hanging
            if found := ADDRESS.search(log.read_text()[said:]):
                self.port = int(found[1])
                return
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        self.kill()
        raise RuntimeError(f"the server did not start:\n{log.read_text()}")

    def kill(self) -> None:
        """At once and without warning."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        self.process.send_signal(signal.SIGINT)
        self.process.wait(300)

    @property
    def memory(self) -> float:
        """Megabytes in use."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.findall(r"VmRSS:\s+(\d+) kB", status)[0]) / 1024

    @property
    def cpu(self) -> float:
        """Seconds of processor time so far."""
        user, system = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


@contextmanager
def serving(database: str, log: Path, *options: str, program: Sequence[str] = PROGRAM) -> Iterator[Server]:
    server = Server(database, log, *options, program=program)
    try:
        yield server
        server.stop()
    finally:
        server.kill()


class Visitor:
    """Somebody with a connection that is kept, who asks one thing after another."""

    def __init__(self, *, patient: bool = False) -> None:
        """`patient`: what an overloaded server puts off is asked again, up to RETRIES times."""
        self.token, self.patient = "", patient  # no token until the first connection

    async def connect(self, port: int) -> None:
        self._port = port
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", port)
        if not self.token:
            self.token = (await self.ask("POST", "/api/people", expect=201))["token"]

    async def close(self) -> None:
        self._writer.close()
        with suppress(OSError):  # the other end may be gone
            await self._writer.wait_closed()

    async def ask(self, method: str, path: str, body: object = None, *, expect: int = 200) -> Any:
        """The answer, read from JSON; RuntimeError if its status is another."""
        try:
            status, answer = await self.status(method, path, body)
        except (EOFError, ConnectionError):  # closed as unused just when the request was sent: what only reads is asked again
            if method != "GET":
                raise
            await self.close()
            await self.connect(self._port)
            status, answer = await self.status(method, path, body)
        for _ in range(RETRIES if self.patient else 0):
            if status != 503:
                break
            await asyncio.sleep(1.0)
            status, answer = await self.status(method, path, body)
        if status != expect:
            raise RuntimeError(f"{method} {path} {body}: {status} {answer}")
        return answer

    async def status(self, method: str, path: str, body: object = None) -> tuple[int, Any]:
        """(status, answer)"""
        if self._reader.at_eof():  # servers close connections that nobody has used for a while
            await self.close()
            await self.connect(self._port)
        sent = b"" if body is None else json.dumps(body).encode()
        head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\nAuthorization: Bearer {self.token}\r\n"
        head += f"Content-Type: application/json\r\nContent-Length: {len(sent)}\r\n\r\n"
        self._writer.write(head.encode() + sent)
        answered = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        length = re.search(r"^content-length: (\d+)", answered, re.MULTILINE)
        assert length is not None, answered
        status, answer = int(answered.split(" ", 2)[1]), json.loads(await self._reader.readexactly(int(length[1])))
        if status == 503 and "\r\nretry-after: " not in answered:
            raise RuntimeError(f"{method} {path}: 503 without Retry-After")
        return status, answer

    async def act(self, table: dict[str, Any], letter: str) -> dict[str, Any]:
        """The table after a move."""
        hand = table["hand"]
        asked = {"letter": letter, "hand": hand["number"], "move": hand["move"]}
        return dict(await self.ask("POST", f"/api/tables/{table['id']}/act", asked))

    async def next_hand(self, table: dict[str, Any]) -> dict[str, Any]:
        return dict(await self.ask("POST", f"/api/tables/{table['id']}/next", {"hand": table["hand"]["number"]}))

    async def open_table(self, game: str, opponents: Sequence[str]) -> dict[str, Any]:
        return dict(await self.ask("POST", "/api/tables", {"game": game, "opponents": list(opponents)}, expect=201))

    async def table(self, id: str) -> dict[str, Any]:
        return dict(await self.ask("GET", f"/api/tables/{id}"))


def random_letter(choices: Sequence[dict[str, Any]], random: Random) -> str:
    """One of the moves a table offers; in no-limit any amount of a raise."""
    choice = random.choice(choices)
    return str(choice["letter"]) if choice["low"] is None else f"r{random.randint(choice['low'], choice['high'])}"


async def settings(visitor: Visitor) -> list[tuple[str, list[str]]]:
    """(game, opponents) of tables to open in turn: every game, every built-in agent and scripted player of it."""
    found = []
    for game in await visitor.ask("GET", "/api/games"):
        cards = await visitor.ask("GET", f"/api/agents?game={game['game']}")
        player_ids, seats = [card["id"] for card in cards if card["kind"] in ("built-in", "scripted")], game["seats"] - 1
        found.append(
            [(game["game"], list(islice(cycle(player_ids), place, place + seats))) for place in range(len(player_ids))]
        )
    turns = max(map(len, found))
    return [of_game[turn % len(of_game)] for turn in range(turns) for of_game in found]


@dataclass(slots=True)
class Load:
    """What happened while tables were played."""

    took: list[float] = field(default_factory=list)  # seconds until an action was answered
    moves: int = 0  # the others are next hands
    errors: list[str] = field(default_factory=list)


async def play(
    visitor: Visitor, table: dict[str, Any], load: Load, random: Random, think: float, done: Callable[[], bool]
) -> None:
    """Play random moves until `done`, with pauses of `think` seconds on average between them."""
    try:
        while True:
            await asyncio.sleep(random.expovariate(1 / think) if think else 0)
            if done():
                return
            started = time.perf_counter()
            if table["hand"]["over"]:
                table = await visitor.next_hand(table)
            else:
                table = await visitor.act(table, random_letter(table["hand"]["choices"], random))
                load.moves += 1
            load.took.append(time.perf_counter() - started)
    except (RuntimeError, OSError, EOFError) as error:
        load.errors.append(str(error))


@dataclass(frozen=True, slots=True)
class Report:
    tables: int
    seconds: float
    think: float  # seconds, on average
    errors: list[str]
    actions: int  # moves and next hands
    moves: int
    actions_a_second: float
    median_ms: float
    p95_ms: float
    p99_ms: float
    cpu_ms: float  # of the server, an action
    memory_mb: tuple[float, float, float]  # of the server: when all tables are open, halfway, at the end
    idle: int  # tables that were left before
    put_away: int  # how many of them the service cannot have kept in memory, at least
    came_back: int  # how many of all were as they had been left, and went on


def evicted(left: Sequence[dict[str, Any]], playing: Sequence[dict[str, Any]], memory: int) -> int:
    """Return how many of the tables that were left do not fit in memory beside those that are played.

    `memory`: the server's --memory, in MB. Moves are not counted, so that it may be more of them.
    """
    room = (memory << 20) // SHARE
    sizes = [TABLE_BYTES + OPPONENT_BYTES * len(table["opponents"]) for table in (*left, *playing)]
    kept = 0
    while sizes and room >= sizes[-1]:  # the latest stay
        room -= sizes.pop()
        kept += 1
    return min(len(left), len(left) + len(playing) - kept)


async def measure(
    server: Server,
    *,
    tables: int,
    think: float,
    idle: int,
    seconds: float = 0.0,
    actions: int | None = None,
    seed: int = 1,
    memory: int = MEMORY,
    patient: bool = False,
) -> Report:
    """Measure a server that plays `tables` tables for so many `seconds`, or until so many `actions` are answered.

    `memory`: the server's --memory, in MB; `patient`: those who play ask again where the server is overloaded.
    """
    random, host = Random(seed), Visitor(patient=True)  # opening tables and coming back is not timed
    await host.connect(server.port)
    kinds = cycle(await settings(host))
    left = [await host.open_table(*next(kinds)) for _ in range(idle)]
    visitors, opened = [Visitor(patient=True) for _ in range(tables)], []
    for visitor in visitors:
        await visitor.connect(server.port)
        opened.append(await visitor.open_table(*next(kinds)))
        visitor.patient = patient  # without patience everything that is not answered is an error from now on
    warm, load = Load(), Load()

    async def together(into: Load, seconds: float, actions: float) -> tuple[float, float]:
        """Play at all tables, for seconds or, without them, for a number of actions. Return (seconds, CPU seconds)."""
        for place, visitor in enumerate(visitors):
            opened[place] = await visitor.table(opened[place]["id"])
        started, worked, target = time.perf_counter(), server.cpu, len(into.took) + actions

        def done() -> bool:
            return time.perf_counter() > started + seconds if seconds else len(into.took) >= target or bool(into.errors)

        await asyncio.gather(*(
            play(visitor, table, into, Random(random.random()), think, done)
            for visitor, table in zip(visitors, opened, strict=True)
        ))  # fmt: skip
        return time.perf_counter() - started, server.cpu - worked

    half = seconds / 2 if actions is None else 0.0, (actions or 0) / 2
    await together(warm, min(2.0, half[0] / 2.5), half[1] / 2.5)
    used, took, cpu = [server.memory], 0.0, 0.0
    for _ in range(2):
        spent, worked = await together(load, *half)
        took, cpu = took + spent, cpu + worked
        used.append(server.memory)
    errors = warm.errors + load.errors
    came_back = sum([await _comes_back(host, table, random, errors) for table in left])
    for visitor in (host, *visitors):
        await visitor.close()
    times = sorted(load.took)
    share = lambda part: 1000 * times[min(len(times) - 1, int(part * len(times)))]  # noqa: E731
    return Report(
        tables=tables,
        seconds=round(took, 1),
        think=think,
        errors=errors,
        actions=len(times),
        moves=load.moves,
        actions_a_second=round(len(times) / took, 1),
        median_ms=round(share(0.5), 1),
        p95_ms=round(share(0.95), 1),
        p99_ms=round(share(0.99), 1),
        cpu_ms=round(1000 * cpu / len(times), 2),
        memory_mb=(round(used[0], 1), round(used[1], 1), round(used[2], 1)),
        idle=idle,
        put_away=evicted(left, opened, memory),
        came_back=came_back,
    )


async def _comes_back(host: Visitor, left: dict[str, Any], random: Random, errors: list[str]) -> bool:
    """Whether a table is as it was left, and goes on from there."""
    try:
        found = await host.table(left["id"])
        over = found["hand"]["over"]
        after = await (host.next_hand(found) if over else host.act(found, random_letter(found["hand"]["choices"], random)))
    except RuntimeError as error:
        errors.append(str(error))
        return False
    return found == left and (after["hand"]["number"] > 1 if over else after["hand"]["move"] > found["hand"]["move"])


def misses(report: Report) -> list[str]:
    """The targets that were not met."""
    _, middle, end = report.memory_mb
    met = {
        "no error": not report.errors,
        f"95 % of actions within {SLOWEST:.0f} ms": report.p95_ms < SLOWEST,
        f"{LEAST:.0f} actions/s": report.actions_a_second >= LEAST,
        "memory flat": end <= middle * (1 + GROWTH),
        "idle tables came back": report.came_back == report.idle,
    }
    return [name for name, reached in met.items() if not reached]


def main(
    tables: Annotated[int, typer.Option(min=1, help="Played at once.")] = 200,
    seconds: Annotated[float, typer.Option(min=1, help="How long.")] = 60.0,
    think: Annotated[float, typer.Option(min=0, help="Seconds between an answer and the next move, on average.")] = 0.5,
    idle: Annotated[int, typer.Option(min=0, help="Tables opened before and left alone.")] = IDLE_TABLES,
    memory: Annotated[int, typer.Option(min=1, help="The server's --memory, in MB.")] = MEMORY,
    database: Annotated[str | None, typer.Option(help="A URL [default: an SQLite file that is removed].")] = None,
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        url = database or f"sqlite:///{folder}/hands.sqlite"
        with serving(url, Path(folder) / "log", "--memory", str(memory)) as server:
            report = asyncio.run(measure(server, tables=tables, seconds=seconds, think=think, idle=idle, memory=memory))
    typer.echo(json.dumps(asdict(report), indent=1) if as_json else "\n".join(lines(report)))
    typer.echo(f"load average     {os.getloadavg()[0]:.1f} (1 minute), of all programs on this machine", err=as_json)


def lines(report: Report) -> Iterator[str]:
    first, middle, end = report.memory_mb
    yield f"{report.tables} tables for {report.seconds} s, {report.think} s of thought between moves on average"
    yield f"errors           {len(report.errors)} {' '.join(report.errors[:3])}".rstrip()
    hands = report.actions - report.moves
    yield f"actions          {report.actions_a_second} a second: {report.moves:,} moves, {hands:,} next hands"
    yield f"answered within  {report.median_ms} ms (half), {report.p95_ms} ms (95 %), {report.p99_ms} ms (99 %)"
    yield f"server's work    {report.cpu_ms} ms of processor time an action"
    yield f"server's memory  {first} MB at the start, {middle} MB halfway, {end} MB at the end"
    put_away = f"{report.put_away:,} of them put away"
    yield f"idle tables      {report.idle:,}, {put_away}; {report.came_back:,} came back as they were left"
    missed = misses(report)
    yield f"targets          {'not met: ' + ', '.join(missed) if missed else 'all met'}"


if __name__ == "__main__":
    typer.run(main)

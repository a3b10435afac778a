"""Several servers on one database: `python -m benchmarks.servers` prints the table of docs/web.md.

People play at many tables. Every request goes to a random server; a part of them look at their table at another one, which must
show what was answered last. Servers are killed one after the other while they play, and others started in their place. A person
whose connection breaks looks at the table, at any server: it must be as it was answered last, or one step further if the step
was asked for. Every status but 200 is counted.
"""

from __future__ import annotations

import asyncio
import os
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Annotated, Any

import psutil
import typer

from benchmarks.acknowledged import GONE, KINDS, Player, count_lost, everything, verify_step
from benchmarks.faults import database
from benchmarks.web import Server, Visitor, random_letter

LOOKS = 0.25  # probability of a look at the table at another server after a step


@dataclass(slots=True)
class Figures:
    """What all people counted together."""

    seconds: list[float] = field(default_factory=list)  # from a request to its answer
    statuses: Counter[int] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)  # what 503s said, by kind of request
    retried: int = 0  # requests whose connection broke
    stale: int = 0  # looks that showed something else than was answered last


@dataclass(slots=True)
class Roaming(Player):
    """A person whose requests go to random servers."""

    ports: list[int] = field(default_factory=list)  # of the servers that run now; others change it
    figures: Figures = field(default_factory=Figures)
    _visitors: dict[int, Visitor] = field(default_factory=dict)

    async def roam(self, stop: asyncio.Event) -> None:
        """Play until told to stop."""
        if not self.known:
            while True:  # a table may have been opened though its answer was lost
                with suppress(*GONE):
                    status, table = await self._request("POST", "/api/tables", self._wanted, accepted=(201, 503))
                    if status == 201:
                        self.learn(table)
                        break
        while not stop.is_set():
            await self.step_anywhere()
        for visitor in self._visitors.values():
            await visitor.close()
        self._visitors.clear()

    @property
    def _wanted(self) -> dict[str, Any]:
        return {"game": self.game, "opponents": self.opponents}

    async def step_anywhere(self) -> None:
        """Make a random move, or ask for the next hand; sometimes, look at it from another server."""
        hand, path = self.known["hand"], f"/api/tables/{self.known['id']}"
        self.asked = "next" if hand["over"] else random_letter(hand["choices"], self.random)
        body: dict[str, Any] = {"hand": hand["number"]}
        if self.asked != "next":
            body |= {"letter": self.asked, "move": hand["move"]}
        try:
            status, found = await self._request("POST", f"{path}/{'next' if self.asked == 'next' else 'act'}", body)
        except GONE:
            await self.find_out()
            return
        if status != 200:
            await self.find_out()
            return
        verify_step(self.known, self.asked, found)
        self.learn(found)
        self.answered += 1
        if self.random.random() < LOOKS:
            self.figures.stale += await self._table() != self.known

    async def find_out(self) -> None:
        found = await self._table()
        if found != self.known:
            verify_step(self.known, self.asked, found)
            self.found_done += 1
        self.learn(found)

    async def _table(self) -> dict[str, Any]:
        while True:
            with suppress(*GONE):
                status, answer = await self._request("GET", f"/api/tables/{self.known['id']}")
                if status == 200:
                    return dict(answer)

    async def _request(
        self, method: str, path: str, body: object = None, accepted: tuple[int, ...] = (200, 409, 503)
    ) -> tuple[int, Any]:
        """Send a request to a random server; GONE if the connection breaks."""
        while not self.ports:
            await asyncio.sleep(0.01)
        port = self.random.choice(self.ports)
        began = time.monotonic()
        try:
            visitor = self._visitors.get(port)
            if visitor is None:
                visitor = Visitor()
                visitor.token = self.visitor.token
                await visitor.connect(port)
                self._visitors[port], self.visitor.token = visitor, visitor.token
            status, answer = await visitor.status(method, path, body)
        except GONE:
            self.figures.retried += 1
            if (broken := self._visitors.pop(port, None)) is not None:
                await broken.close()
            await asyncio.sleep(0.01)
            raise
        self.figures.seconds.append(time.monotonic() - began)
        self.figures.statuses[status] += 1
        assert status in accepted, (status, answer)
        if status == 503:
            self.refused += 1
            what = path.rpartition("/")[2] if method == "POST" else "look"
            self.figures.refusals[f"{what}: {answer.get('error', answer)}"] += 1
            await asyncio.sleep(0.2)
        return status, answer


@dataclass(slots=True)
class Fleet:
    """The servers; `ports` has those that run."""

    url: str
    folder: Path
    options: tuple[str, ...] = ()
    servers: list[Server] = field(default_factory=list)
    ports: list[int] = field(default_factory=list)
    killed: int = 0
    spent: float = 0.0  # processor time of servers that are gone

    async def start(self) -> None:
        log = self.folder / f"log{len(self.servers)}-{self.killed}"
        server = await asyncio.to_thread(Server, self.url, log, *self.options)
        self.servers.append(server)
        self.ports.append(server.port)

    async def replace_oldest(self) -> None:
        """Kill the server that has run for the longest, and start another one."""
        server = self.servers.pop(0)
        self.spent += processor_time(server)
        server.kill()  # people notice by themselves
        self.killed += 1
        self.ports.remove(server.port)
        await self.start()

    async def kill_process(self) -> None:
        """Kill the oldest process of a server that has several; the server replaces it by itself."""
        children = psutil.Process(self.servers[0].process.pid).children()
        serving = [child for child in children if "spawn_main" in " ".join(child.cmdline())]
        os.kill(min(serving, key=lambda child: child.create_time()).pid, signal.SIGKILL)
        self.killed += 1

    @property
    def processor_time(self) -> float:
        return self.spent + sum(map(processor_time, self.servers))

    def end(self) -> None:
        for server in self.servers:
            server.stop()


def processor_time(server: Server) -> float:
    """Return the seconds of processor time of a server and its processes."""
    found = psutil.Process(server.process.pid)
    times = [each.cpu_times() for each in (found, *found.children(recursive=True))]
    return sum(each.user + each.system for each in times)


@dataclass(frozen=True, slots=True)
class Report:
    """What became of all requests."""

    name: str
    seconds: float
    killed: int
    figures: Figures
    lost: int
    unanswered: int  # requests without an answer that had been carried out
    milliseconds: float  # of processor time of the servers, a request
    logs: str = field(repr=False)

    @property
    def row(self) -> str:
        ordered = sorted(self.figures.seconds)
        p50, p95, p99 = (1000 * ordered[int(share * len(ordered))] for share in (0.5, 0.95, 0.99))
        conflicts, refused = (self.figures.statuses[status] for status in (409, 503))
        cells = [self.name, f"{self.killed}", f"{len(ordered):,}", f"{len(ordered) / self.seconds:,.0f}", f"{p50:.0f}"]
        cells += [
            f"{p95:.0f}",
            f"{p99:.0f}",
            f"{self.milliseconds:.1f}",
            f"{self.figures.retried}",
            f"{conflicts}",
            f"{refused}",
        ]
        return f"| {' | '.join([*cells, f'{self.unanswered}', f'{self.figures.stale}', f'{self.lost}'])} |"


HEADS = ("servers", "killed", "requests", "per second", "p50 ms", "p95 ms", "p99 ms", "processor ms a request")
HEADS += ("connections retried", "409", "503", "done without an answer", "stale", "lost")


async def measure(
    kind: str,
    folder: Path,
    *,
    servers: int,
    workers: int,
    tables: int,
    seconds: float,
    every: float,
    kills: int = 0,
    requests: int = 0,
) -> Report:
    """Let people play for so many seconds, and until each has so many answers after the last kill.

    `every`: seconds between kills; 0: none. `kills`: how many at most; 0: any number.
    """
    with database(kind, folder) as url:
        fleet = Fleet(url, folder, ("--workers", str(workers)) if workers > 1 else ())
        for _ in range(servers):
            await fleet.start()
        figures = Figures()
        people = [
            Roaming(*KINDS[seed % len(KINDS)], Random(seed), ports=fleet.ports, figures=figures) for seed in range(tables)
        ]
        stop, before = asyncio.Event(), fleet.processor_time
        playing = [asyncio.create_task(person.roam(stop)) for person in people]
        began = last = time.monotonic()
        wanted = requests
        while time.monotonic() - began < seconds or fleet.killed < kills or any(each.answered < wanted for each in people):
            await asyncio.sleep(0.05)
            for task in playing:
                if task.done():
                    task.result()  # what went wrong is raised here
            due = every and time.monotonic() - last >= every and min(each.answered for each in people) >= wanted - requests
            if due and (not kills or fleet.killed < kills):
                wanted = max(each.answered for each in people) + requests if requests else 0
                await (fleet.kill_process() if workers > 1 else fleet.replace_oldest())
                last = time.monotonic()
        stop.set()
        took = time.monotonic() - began
        await asyncio.gather(*playing)
        spent = fleet.processor_time - before
        fleet.end()
        name = f"{workers} processes of one server" if workers > 1 else f"{servers}"
        logs = "".join(path.read_text() for path in folder.glob("log*"))
        lost, unanswered = count_lost(everything(url), list(people)), sum(person.found_done for person in people)
        return Report(
            f"{name} ({kind})", took, fleet.killed, figures, lost, unanswered, 1000 * spent / len(figures.seconds), logs
        )


@contextmanager
def scratch() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def main(
    kind: Annotated[str, typer.Option(help="postgresql or sqlite")] = "postgresql",
    servers: Annotated[str, typer.Option(help="Numbers of servers, each measured.")] = "1,2",
    workers: Annotated[int, typer.Option(help="Processes of each server.")] = 1,
    tables: int = 100,
    seconds: float = 60.0,
    every: Annotated[float, typer.Option(help="Seconds between kills of one of several servers; 0: none.")] = 10.0,
) -> None:
    typer.echo(f"| {' | '.join(HEADS)} |\n{'| --- ' * len(HEADS)}|")
    for count in map(int, servers.split(",")):
        with scratch() as folder:
            pause = every if count * workers > 1 else 0.0
            how = {"servers": count, "workers": workers, "tables": tables, "seconds": seconds, "every": pause}
            report = asyncio.run(measure(kind, folder, **how))  # type: ignore[arg-type]
            typer.echo(report.row)
            for said, times in report.figures.refusals.items():
                typer.echo(f"503, {times} times: {said}", err=True)
            for line in report.logs.splitlines():
                if "database:" in line:
                    typer.echo(line, err=True)  # what the database said to a server


if __name__ == "__main__":
    typer.run(main)

"""`smoothcall play`: the page, or a game in the terminal."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from smoothcall.cli.arguments import app, complete_game, complete_player, folder, named, whole
from smoothcall.cli.output import print_table, say, tell
from smoothcall.errors import UsageError, unknown

if TYPE_CHECKING:
    from smoothcall.play.service import PlayService
    from smoothcall.web.protocol import Limits

HOST, PORT = "127.0.0.1", 8000  # of the page
MAX_TABLES, NEWCOMERS = 200, 120  # of a person; from one address in a minute
PROBLEMS = 10  # unreadable agents that are named


Port = Annotated[int | None, typer.Option(parser=whole, metavar="N", help=f"Where the page is served [default: {PORT}].")]
Host = Annotated[
    str | None, typer.Option(parser=named, metavar="H", help=f"Another address lets others play too [default: {HOST}].")
]
Database = Annotated[
    str | None,
    typer.Option(parser=named, metavar="URL", help="Where hands are kept [default: an SQLite file in the user's data folder]."),
]
Synchronous = Annotated[
    str,
    typer.Option(
        parser=named,
        metavar="full|normal",
        help="SQLite: whether every answered move is on the disk, or a power failure may take those of the last moments.",
    ),
]
MaxConnections = Annotated[
    int | None,
    typer.Option("--connections", parser=whole, metavar="N", help="Open connections, at most [default: 1000]."),
]
PerAddress = Annotated[
    int | None,
    typer.Option(
        "--connections-per-address",
        parser=whole,
        metavar="N",
        help="Of these from one address, at most; behind a proxy all come from the proxy's [default: 256].",
    ),
]
MaxTables = Annotated[
    int | None,
    typer.Option("--tables", parser=whole, metavar="N", help="Tables that a person may have open on the page [default: 200]."),
]
Memory = Annotated[
    int,
    typer.Option(
        parser=whole,
        metavar="MB",
        help="Agents in memory, with coaches and AIVAT computed from them, and tables, at most. Besides, the server takes up "
        "to 1.7 GB.",
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        parser=whole,
        metavar="N",
        help="Processes that serve the page and share the database; docs/web.md says when they pay [default: 1].",
    ),
]
NewPeople = Annotated[
    int | None,
    typer.Option(
        "--newcomers",
        parser=whole,
        metavar="N",
        help="People who may sit down for the first time from one address in a minute [default: 120].",
    ),
]
AgentsFolder = Annotated[
    Path | None,
    typer.Option(parser=folder, metavar="DIR", help="A folder of agent files and runs to play against [default: runs]."),
]
TerminalGame = Annotated[
    str | None, typer.Option("--game", metavar="GAME", help="With --terminal: the game.", autocompletion=complete_game)
]
Against = Annotated[
    list[str] | None,
    typer.Option(
        metavar="AGENT",
        help="With --terminal: an opponent, named as in `smoothcall match`; one for each seat. Without any, those who play the "
        "game are listed.",
        autocompletion=complete_player,
    ),
]
Freezeouts = Annotated[
    int | None,
    typer.Option(
        parser=whole,
        metavar="N",
        help="With --terminal: a match of so many freezeouts, chips kept from hand to hand until one of the two has none; in "
        "no-limit-holdem-32 for ten hands at most.",
    ),
]
Cash = Annotated[
    bool,
    typer.Option(
        "--cash",
        help="With --terminal: a cash table of a no-limit game: chips are carried over, and you may buy more between hands.",
    ),
]


def play(
    port: Port = None,
    host: Host = None,
    database: Database = None,
    agents: AgentsFolder = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Do not open the page in a browser.")] = False,
    terminal: Annotated[bool, typer.Option("--terminal", help="Play here instead of on a page.")] = False,
    of: TerminalGame = None,
    against: Against = None,
    freezeouts: Freezeouts = None,
    cash: Cash = False,
    synchronous: Synchronous = "full",
    connections: MaxConnections = None,
    per_address: PerAddress = None,
    tables: MaxTables = None,
    newcomers: NewPeople = None,
    memory: Memory = 512,
    workers: Workers = None,
) -> None:
    """Play against agents, on a page in the browser or in the terminal; every hand is kept.

    Hands are kept in the user's data folder ($SMOOTHCALL_DATA, else where the system keeps a program's data), or in
    --database. The terminal has a history of its own, known by the file `terminal` in the data folder; on the page, each
    browser has one.

    Examples: smoothcall play; smoothcall play --agents runs --port 8080;
    smoothcall play --terminal --game leduc --against leduc-cfr
    """
    _need(["sqlalchemy"] if terminal else ["fastapi", "uvicorn", "jinja2", "sqlalchemy"])
    of_page = (port, host, connections, per_address, tables, newcomers, workers)
    if terminal and (any(given is not None for given in of_page) or no_browser):
        raise UsageError("--port, --host, --no-browser and --connections belong to the page; --terminal has none")
    if not terminal and (of is not None or against or freezeouts is not None or cash):
        raise UsageError("--game, --against, --freezeouts and --cash belong to --terminal; on the page, choose in the lobby")
    if terminal and of is None:
        raise UsageError("--terminal needs a game and opponents: --game leduc --against leduc-cfr")
    if port is not None and not 0 <= port <= 65535:
        raise UsageError(f"--port {port} (accepted: 0 to 65535; 0 is any free one)")
    counted = {"connections": connections, "connections-per-address": per_address, "memory": memory, "workers": workers}
    _verify_positive({**counted, "tables": tables, "newcomers": newcomers})
    most = tables or (sys.maxsize if terminal else MAX_TABLES)
    service = app().play_service(database, agents, synchronous=synchronous, max_tables=most)
    service.agents.cache.limit = memory << 20
    try:
        _tell_problems(service.agents.problems)
        if of is None:
            page = _Page(host or HOST, port, connections, per_address, newcomers or NEWCOMERS, open_browser=not no_browser)
            if workers is None or workers == 1:
                _serve(service, page)
            else:
                _serve_processes(service, page, workers, database, agents, synchronous, most)
        elif against:
            _play_in_terminal(service, of, against, database, freezeouts=freezeouts or 0, cash=cash)
        else:
            _list_opponents(service, of)
    except KeyboardInterrupt:
        pass  # Ctrl-C is the way to leave
    finally:
        service.close()


def _verify_positive(options: dict[str, int | None]) -> None:
    for name, value in options.items():
        if value is not None and value < 1:
            raise UsageError(f"--{name} {value} (accepted: a whole number of at least 1)")


def _need(packages: list[str]) -> None:
    from importlib.util import find_spec

    if missing := [package for package in packages if find_spec(package) is None]:
        raise UsageError(f"playing needs packages that are not installed ({', '.join(missing)}): pip install 'smoothcall[web]'")


def _tell_problems(problems: list[str]) -> None:
    """Say which agents were left out, and why."""
    for problem in problems[:PROBLEMS]:
        tell(f"left out: {' '.join(problem.split())}")
    if len(problems) > PROBLEMS:
        tell(f"and {len(problems) - PROBLEMS} more")


def _list_opponents(service: PlayService, name: str) -> None:
    from smoothcall.information.named_games import game
    from smoothcall.play.stakes import PLAY_GAMES

    if name not in PLAY_GAMES:
        raise unknown("game", name, PLAY_GAMES)
    cards, seats = service.agents.cards(name), game(name).players - 1
    say(f"Who plays {PLAY_GAMES[name]}:")
    print_table(["", "", ""], [[card.id, card.name, "; ".join([card.learned, *card.measured[:1]])] for card in cards])
    choice = " ".join(f"--against {card.id}" for card in (cards * seats)[:seats])
    say(f"Choose {'one' if seats == 1 else seats}, as: smoothcall play --terminal --game {name} {choice}")


def _play_in_terminal(
    service: PlayService, game: str, against: list[str], database: str | None, *, freezeouts: int, cash: bool
) -> None:
    from smoothcall.folders import data_folder
    from smoothcall.play.terminal import Terminal, person_of

    person = person_of(service, data_folder() / "terminal")
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")  # bytes of another encoding are not a move, and not a failure
    where = data_folder() if database is None else "the database that --database names"
    kept = f"Hands played here are the terminal's own, kept in {where}; the page has another history."
    opponents = [service.agents.id_of(name, game) for name in against]
    Terminal(service, person, game, opponents, freezeouts=freezeouts, cash=cash, kept=kept).play()


@dataclass(frozen=True, slots=True)
class _Page:
    """Where and how the page is served."""

    host: str
    given_port: int | None
    connections: int | None
    per_address: int | None
    newcomers: int
    open_browser: bool

    @property
    def port(self) -> int:
        return PORT if self.given_port is None else self.given_port

    @property
    def limits(self) -> Limits:
        from smoothcall.web.protocol import Limits

        given = {"connections": self.connections, "per_address": self.per_address}
        return Limits(**{name: value for name, value in given.items() if value is not None})


def _serve(service: PlayService, page: _Page) -> None:
    from smoothcall.web.server import serve

    with _addressed(page.host) as announce:
        serve(service, page.host, page.port, page.open_browser, announce, page.limits, page.newcomers)


def _serve_processes(
    service: PlayService, page: _Page, processes: int, database: str | None, agents: Path | None, synchronous: str, tables: int
) -> None:
    """Serve the page by several processes, each with a service like this one."""
    from smoothcall.store.schema import in_memory
    from smoothcall.web.processes import MAX_PROCESSES, Setup, serve_processes

    if processes > MAX_PROCESSES:
        raise UsageError(f"--workers {processes} (accepted: 1 to {MAX_PROCESSES})")
    if database is not None and in_memory(database):
        raise UsageError("--workers: processes cannot share a database in memory (accepted: an SQLite file, PostgreSQL)")
    service.close()
    memory = service.agents.cache.limit
    setup = Setup(database, agents, synchronous, tables, memory, page.host, page.limits, page.newcomers)
    with _addressed(page.host) as announce:
        serve_processes(setup, page.port, processes, page.open_browser, announce)


@contextmanager
def _addressed(host: str) -> Iterator[Callable[[str], None]]:
    """Yield a function that announces an address; say what to do where it cannot be used."""
    from smoothcall.web.server import is_loopback

    def announce(address: str) -> None:
        if not is_loopback(host):
            tell(f"warning: on {host}, whoever can reach this machine can play here, with your agents and your database")
        tell(f"play at {address} (Ctrl-C ends it)")

    try:
        yield announce
    except UsageError as error:
        if "cannot listen" not in str(error) and "port " not in str(error):
            raise
        reason = str(error).partition(" (while ")[0]  # Python repeats the address behind it
        raise UsageError(f"{reason}; choose another with --port or --host") from None

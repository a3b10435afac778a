"""The command line: parses options, builds the App, prints. Messages and progress go to standard error.

Exit status: 0 done, 1 failed, 2 bad usage, 130 stopped by Ctrl-C (with everything saved).
"""

from __future__ import annotations

import io
import json
import os
import shlex
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from smoothcall import __version__
from smoothcall.errors import UsageError, unknown
from smoothcall.options import number
from smoothcall.progress import watched

if TYPE_CHECKING:
    from smoothcall.app import App
    from smoothcall.play.service import PlayService

HOST, PORT = "127.0.0.1", 8000  # of the page
PROBLEMS = 10  # agents left out that are named

cli = typer.Typer(
    name="smoothcall",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Learn to play games of hidden information by self-play, and know exactly how well.\n\n"
    "Try: smoothcall train leduc cfr+ --seconds 5",
)


def _whole(text: str) -> int:
    value = number(text, whole=True)
    if value is None:
        raise typer.BadParameter(f"{text!r} is not a whole number (accepted: 1000, 1e6, 1_000_000)")
    return int(value)


def _real(text: str) -> float:
    value = number(text, whole=False)
    if value is None:
        raise typer.BadParameter(f"{text!r} is not a number (accepted: 2.5, 1e3)")
    return float(value)


def _named(text: str) -> str:
    if not text.strip():
        raise typer.BadParameter(f"{text!r} names nothing (leave the option out for its default)")
    return text


def _folder(text: str) -> Path:
    return Path(_named(text))  # a path of no letters would be the current folder


Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Iterations = Annotated[int | None, typer.Option(parser=_whole, metavar="N", help="How many iterations in all, as 1e6.")]
Seed = Annotated[int, typer.Option(parser=_whole, metavar="N", help="Seed of the random generator.")]
Agent = Annotated[
    Path,
    typer.Argument(
        metavar="AGENT",
        help="An agent file, or the folder of the run that made it; or a strategy of macmanus2019 (.json). :threshold=0.05 "
        "behind it leaves out actions below 5 %.",
    ),
]
Of = Annotated[str | None, typer.Option("--game", metavar="GAME", help="Refuse an agent of another game.")]


@cli.command()
def games(as_json: Json = False) -> None:
    """List the games, their sizes and options."""
    answer = _app().games()
    if not _printed(as_json, {"games": answer}):
        rows = [[g["name"], g["players"], g["nodes"], g["deals"], g["information_states"], g["summary"]] for g in answer]
        _table(["game", "players", "nodes", "deals", "information states", ""], rows)
        _print_options(answer)


@cli.command()
def solvers(as_json: Json = False) -> None:
    """List the solvers and their options."""
    answer = _app().solvers()
    if not _printed(as_json, {"solvers": answer}):
        _table(["solver", ""], [[s["name"], s["summary"]] for s in answer])
        _print_options(answer)


@cli.command()
def train(
    game: Annotated[str, typer.Argument(metavar="GAME", help="A game, with options behind a colon: kuhn:pot=8.")],
    solver: Annotated[str, typer.Argument(metavar="SOLVER", help="A solver.")],
    iterations: Iterations = None,
    seconds: Annotated[float | None, typer.Option(parser=_real, metavar="S", help="How long to learn, instead.")] = None,
    seed: Seed = 0,
    threads: Annotated[int, typer.Option(parser=_whole, metavar="N", help="Threads; docs/threads.md says where they pay.")] = 1,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="An option of the solver; may be repeated.")
    ] = None,
    keep: Annotated[
        bool, typer.Option("--keep", help="Keep the agent at 10, 100, 1000, ... iterations too, to play against any of them.")
    ] = False,
    tensorboard: Annotated[
        bool, typer.Option("--tensorboard", help="Write evaluations for TensorBoard too, to the folder tensorboard of the run.")
    ] = False,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="A new folder [default: runs/GAME-SOLVER].")] = None,
    as_json: Json = False,
) -> None:
    """Learn a game; 10 seconds unless told otherwise. Ctrl-C stops and saves.

    Examples: smoothcall train leduc cfr+ --seconds 5; smoothcall train kuhn mccfr --iterations 1e6 --set sampling=outcome;
    smoothcall train leduc smooth-uct --iterations 1e7 --keep
    """
    options = _settings(settings or [])
    with _Watch(f"{game} {solver}") as watch:
        answer = _app().train(
            game, solver, iterations=iterations, seconds=seconds, seed=seed, threads=threads, options=options, keep=keep,
            tensorboard=tensorboard, out=out, watch=watch.progress, stop=watch.stopped,
        )  # fmt: skip
    _print_run(answer, as_json)


@cli.command()
def resume(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a run.")],
    iterations: Iterations = None,
    as_json: Json = False,
) -> None:
    """Go on with a run, bit-exactly, to its end or to so many iterations in all."""
    with _Watch(folder.name) as watch:
        answer = _app().resume(folder, iterations=iterations, watch=watch.progress, stop=watch.stopped)
    _print_run(answer, as_json)


@cli.command()
def evaluate(
    agent: Agent,
    greedy: Annotated[bool, typer.Option("--greedy", help="Evaluate the most likely action instead of the mixture.")] = False,
    of: Of = None,
    deals: Annotated[int, typer.Option(parser=_whole, metavar="N", help="Hold'em: deals of the local best response.")] = 5_000,
    episodes: Annotated[
        int, typer.Option(parser=_whole, metavar="N", help="Hold'em: episodes a seat of the learned response.")
    ] = 20_000_000,
    exact: Annotated[
        bool, typer.Option("--exact", help="Hold'em for two with few raises: an exact best response, over every deal.")
    ] = False,
    slots: Annotated[
        str | None, typer.Option(metavar="A,B,...", help="With --exact: the actions the responder may use, such as f,c,x4.")
    ] = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Say exactly how good an agent is: NashConv, exploitability, values, what each player can gain.

    Hold'em is too large for that: there, lower bounds of what a best response wins, in mbb/h with intervals.

    Examples: smoothcall evaluate runs/leduc-cfr+; smoothcall evaluate holdem.agent --episodes 1e8
    """
    with _Watch(f"evaluating {agent.name}") as watch:
        answer = _app().evaluate(
            agent, of=of, greedy=greedy, deals=deals, episodes=episodes, exact=exact, slots=slots, seed=seed,
            watch=watch.share, stop=watch.stopped,
        )  # fmt: skip
    if _printed(as_json, answer):
        return
    how = " (greedy)" if greedy else f" (threshold {share:g})" if (share := answer["card"].get("threshold")) else ""
    if "lines" in answer:
        _say(f"{answer['game']}{how}")
        for line in answer["lines"]:
            _say(line)
        if not answer["done"]:
            _say("(stopped)")
            raise typer.Exit(130)
        return
    _say(f"{answer['game']}{how}, in chips a hand")
    rows = [["NashConv", answer["nash_conv"]], ["exploitability (NashConv / players)", answer["exploitability"]]]
    rows.append(["epsilon (largest gain of one player)", answer["epsilon"]])
    if "equilibrium" in answer:
        rows.append(["mean squared error to the closest equilibrium", answer["equilibrium"]["squared_error"]])
        divergence = answer["equilibrium"]["kullback_leibler"]
        rows.append(["Kullback-Leibler divergence to the closest", "infinite" if divergence is None else divergence])
        rows.append(["probability of dominated actions, summed", answer["dominated_error"]])
    _table(["", ""], [[name, _figure(value)] for name, value in rows])
    players = zip(answer["values"], answer["best_response_values"], answer["epsilons"], strict=True)
    _table(
        ["player", "value", "best response", "gain"],
        [[number, *map(_figure, figures)] for number, figures in enumerate(players)],
    )


@cli.command()
def show(
    agent: Agent,
    key: Annotated[
        str | None, typer.Argument(metavar="[KEY]", help="An information state, such as K/Q:crrc/r, AKs:r or AhKh/Td9d2c:rc/.")
    ] = None,
    of: Of = None,
    as_json: Json = False,
) -> None:
    """Show a strategy, whole or at one information state; of hold'em, the first decision without one.

    Examples: smoothcall show runs/leduc-cfr+; smoothcall show holdem.agent AhKh/Td9d2c:rc/
    """
    answer = _app().show(agent, key, of=of)
    if _printed(as_json, answer):
        return
    rows = []
    for state in answer["states"]:
        letters = [state["letters"].get(action) for action in answer["actions"]]
        cells = [
            "" if letter is None else _bar(state["probabilities"][letter]) + ("" if letter == action else f" {letter}")
            for action, letter in zip(answer["actions"], letters, strict=True)
        ]
        rows.append([state["player"], state["key"], *cells])
    _table(["player", "information state", *answer["actions"]], rows)


@cli.command()
def match(
    players: Annotated[
        list[str],
        typer.Argument(
            metavar="A B [C...]",
            help="always-raise, always-call, probe, random; where players see positions (no-limit-holdem-32) also aggressive, "
            "all-in, call, check-fold, raise, mirror, moderate, bluffer-aggressive, bluffer-moderate; mostly-calls, and in "
            "no-limit-holdem heuristic-mc and expert; an agent file or the "
            "folder of a run, :greedy behind it for its most likely actions, :threshold=0.05 without those below 5 %.",
        ),
    ],
    hands: Annotated[
        int | None,
        typer.Option(parser=_whole, metavar="N", help="How many hands [default: 100,000; small games: the exact result]."),
    ] = None,
    freezeouts: Annotated[
        int | None,
        typer.Option(parser=_whole, metavar="N", help="Of two who see positions: so many freezeouts of ten hands instead."),
    ] = None,
    rollouts: Annotated[
        int | None,
        typer.Option(parser=_whole, metavar="N", help="With --freezeouts: estimate equities from N rollouts [default: exact]."),
    ] = None,
    seed: Seed = 0,
    of: Annotated[str | None, typer.Option("--game", metavar="GAME", help="The game, where no agent says it.")] = None,
    table: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Everybody against everybody, two by two; the picture to write.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Play a match: every deal once in each seating, winnings in mbb/h with intervals over independent deals.

    With --freezeouts, games of ten hands in which chips are kept from hand to hand (epfl2020), or until one is broke where
    players look at cards (pricope2021); winnings in chips a freezeout.

    Examples: smoothcall match runs/leduc-cfr+ probe; smoothcall match a.agent b.agent probe always-call --table table.png
    """
    with _Watch(" - ".join(Path(player).name for player in players)) as watch:
        answer = _app().match(
            players,
            hands=hands,
            freezeouts=freezeouts,
            rollouts=rollouts,
            seed=seed,
            of=of,
            picture=table,
            watch=watch.share,
            stop=watch.stopped,
        )
    if not _printed(as_json, answer):
        if table is None:
            for line in answer["lines"]:
                _say(line)
        else:
            cells = [[_winnings(cell) for cell in row] for row in answer["mbb"]]
            _table(
                [f"{answer['game']}, mbb/h (95 %)", *answer["columns"]],
                [[name, *row] for name, row in zip(answer["rows"], cells, strict=True)],
            )
            _say(f"wrote {answer['picture']}")
    if not answer["done"]:
        raise typer.Exit(130)


@cli.command()
def play(
    port: Annotated[
        int | None, typer.Option(parser=_whole, metavar="N", help=f"Where the page is served [default: {PORT}].")
    ] = None,
    host: Annotated[
        str | None, typer.Option(parser=_named, metavar="H", help=f"Another address lets others play too [default: {HOST}].")
    ] = None,
    database: Annotated[
        str | None,
        typer.Option(
            parser=_named, metavar="URL", help="Where hands are kept [default: an SQLite file in the user's data folder]."
        ),
    ] = None,
    agents: Annotated[
        Path | None,
        typer.Option(parser=_folder, metavar="DIR", help="A folder of agent files and runs to play against [default: runs]."),
    ] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Do not open the page in a browser.")] = False,
    terminal: Annotated[bool, typer.Option("--terminal", help="Play here instead of on a page.")] = False,
    of: Annotated[str | None, typer.Option("--game", metavar="GAME", help="With --terminal: the game.")] = None,
    against: Annotated[
        list[str] | None,
        typer.Option(
            metavar="AGENT",
            help="With --terminal: an opponent, :greedy behind it for its most likely actions; one for each seat. Without any, "
            "those who play the game are listed.",
        ),
    ] = None,
    games: Annotated[
        int | None,
        typer.Option(
            parser=_whole,
            metavar="N",
            help="With --terminal: a match of so many games, chips kept from hand to hand until one of the two has none.",
        ),
    ] = None,
) -> None:
    """Play against agents, on a page in the browser or in the terminal; every hand is kept.

    Hands are kept in the user's data folder ($SMOOTHCALL_DATA, else smoothcall in $XDG_DATA_HOME or ~/.local/share), or in
    --database. The terminal has a person of its own, known by the file `terminal` in the data folder: its hands are not in
    the history of the page, where each browser has its own.

    Examples: smoothcall play; smoothcall play --agents runs --port 8080;
    smoothcall play --terminal --game leduc --against leduc-cfr
    """
    _need(["sqlalchemy"] if terminal else ["fastapi", "uvicorn", "jinja2", "sqlalchemy"])
    if terminal and (port is not None or host is not None or no_browser):
        raise UsageError("--port, --host and --no-browser belong to the page; --terminal has none")
    if not terminal and (of is not None or against or games is not None):
        raise UsageError("--game, --against and --games belong to --terminal; on the page, choose in the lobby")
    if terminal and of is None:
        raise UsageError("--terminal needs a game and opponents: --game leduc --against leduc-cfr")
    if port is not None and not 0 <= port <= 65535:
        raise UsageError(f"--port {port} (accepted: 0 to 65535; 0 is any free one)")
    service = _app().play_service(database, agents)
    try:
        _tell_problems(service.agents.problems)
        if of is None:
            _serve(service, host or HOST, PORT if port is None else port, open_browser=not no_browser)
        elif against:
            _play_in_terminal(service, of, against, games or 0, "the database that --database names" if database else None)
        else:
            _list_opponents(service, of)
    except KeyboardInterrupt:
        pass  # how people leave
    finally:
        service.close()


@cli.command()
def plot(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR...", help="Folders of runs.")],
    out: Annotated[Path, typer.Option(metavar="FILE", help="The picture to write.")] = Path("curves.png"),
    x: Annotated[str, typer.Option("--x", metavar="AXIS", help="iterations, seconds or nodes.")] = "iterations",
    as_json: Json = False,
) -> None:
    """Draw the learning curves of runs on one picture."""
    answer = _app().plot(folders, out, x=x)
    if not _printed(as_json, answer):
        _say(f"wrote {answer['picture']}")


@cli.command()
def reproduce(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="A paper; without one, list them.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A small version, in seconds.")] = False,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Where the page goes [default: docs/ledger].")] = None,
    as_json: Json = False,
) -> None:
    """Run a paper's experiments again and write what it published beside what we get."""
    if name is None:
        answer = {"experiments": _app().experiments()}
        if not _printed(as_json, answer):
            _table(["paper", ""], [[paper["name"], paper["summary"]] for paper in answer["experiments"]])
        return
    answer = _app().reproduce(name, quick=quick, out=out, tell=_tell)
    if not _printed(as_json, answer):
        _table(
            ["what", "published", "ours", ""],
            [[check["what"], check["published"], check["ours"], check["verdict"]] for check in answer["checks"]],
        )
        _say(f"wrote {answer['page']}")


@cli.command()
def bench(
    names: Annotated[list[str] | None, typer.Argument(metavar="[NAME...]", help="Figures to measure; all without any.")] = None,
    repeats: Annotated[int, typer.Option(parser=_whole, metavar="N", help="Repeats behind each median.")] = 5,
    peers: Annotated[bool, typer.Option("--peers", help="Measure other packages too, where installed; minutes.")] = False,
    as_json: Json = False,
) -> None:
    """Measure speed on one core: medians of repeats, compilation excluded."""
    answer = _app().bench(names or [], repeats=repeats, peers=peers, tell=_tell)
    if not _printed(as_json, answer):
        rows = []
        for figure in answer["figures"]:
            rows.append([figure["name"], _figure(figure["value"]), figure["unit"], f"± {figure['spread']:.0%}", ""])
            for name, peer in figure["peers"].items():
                rows.append([f"  {name}", _figure(peer["value"]), peer["unit"], "", f"{peer['ratio']:.3g}"])
        heads = ["figure", "median", "unit", "spread", "we are faster by"]
        _table(heads if peers else heads[:-1], rows if peers else [row[:-1] for row in rows])


@cli.callback(invoke_without_command=True)
def _callback(
    context: typer.Context, version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False
) -> None:
    if version:
        typer.echo(__version__)
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


_PARSING: Any = typer.BadParameter.__mro__[2]  # what every error of the parser derives from; Typer does not export it


def main() -> None:
    """Entry point: every wrong input is one line on standard error and exit status 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that cannot show a bar shows something else
    try:
        with watched(_note):
            code = cli(standalone_mode=False)
    except _PARSING as error:
        code = _fail(" ".join(error.format_message().split()), 2)
    except UsageError as error:
        code = _fail(str(error), 2)
    except (typer.Abort, KeyboardInterrupt):
        code = _fail("stopped", 130)
    except BrokenPipeError:  # whoever read our output has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    except (OSError, MemoryError) as error:
        code = _fail(str(error) or type(error).__name__, 1)
    sys.exit(code or 0)


def _fail(text: str, code: int) -> int:
    typer.echo(f"smoothcall: {text}", err=True)
    return code


def _note(what: str, fraction: float) -> None:
    """Work that comes up on the way (tables built at first use): a bar on a terminal, else its beginning and end."""
    if fraction < 0:
        _tell(what)
    elif _Watch.active is not None and _Watch.active.console.is_terminal:
        _Watch.active.bar.update(_Watch.active.task, completed=fraction, text=what)
    elif sys.stderr.isatty():
        bar = "█" * round(20 * fraction)
        typer.echo(f"\r{what}  {bar:<20} {fraction:4.0%}", err=True, nl=fraction >= 1)
    elif fraction in (0, 1):
        _tell(f"{what}{': done' if fraction else ''}")


def _app() -> App:
    from smoothcall.app import App

    return App()


def _settings(pairs: list[str]) -> dict[str, str]:
    for pair in pairs:
        if "=" not in pair[1:]:
            raise UsageError(f"--set {pair} (accepted: --set name=value)")
    found = {name: value for name, _, value in (pair.partition("=") for pair in pairs)}
    if len(found) < len(pairs):
        raise UsageError(f"--set {' --set '.join(pairs)} names an option twice")
    return found


def _need(packages: list[str]) -> None:
    from importlib.util import find_spec

    if missing := [package for package in packages if find_spec(package) is None]:
        raise UsageError(f"playing needs packages that are not installed ({', '.join(missing)}): pip install 'smoothcall[web]'")


def _tell_problems(problems: list[str]) -> None:
    """Agents that were left out, and why."""
    for problem in problems[:PROBLEMS]:
        _tell(f"left out: {' '.join(problem.split())}")
    if len(problems) > PROBLEMS:
        _tell(f"and {len(problems) - PROBLEMS} more")


def _list_opponents(service: PlayService, name: str) -> None:
    from smoothcall.information.named_games import game
    from smoothcall.play.opponents import PLAY_GAMES

    if name not in PLAY_GAMES:
        raise unknown("game", name, PLAY_GAMES)
    cards, seats = service.agents.cards(name), game(name).players - 1
    _say(f"Who plays {PLAY_GAMES[name]}:")
    _table(["", "", ""], [[card.id, card.name, "; ".join([card.learned, *card.measured[:1]])] for card in cards])
    choice = " ".join(f"--against {card.id}" for card in (cards * seats)[:seats])
    _say(f"Choose {'one' if seats == 1 else seats}, as: smoothcall play --terminal --game {name} {choice}")


def _play_in_terminal(service: PlayService, game: str, against: list[str], games: int, database: str | None) -> None:
    from smoothcall.app import data_folder
    from smoothcall.play.terminal import Terminal, person_of

    person = person_of(service, data_folder() / "terminal")
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")  # letters of another encoding are no move, and no fault
    kept = f"Hands played here are the terminal's own, kept in {database or data_folder()}; the page has another history."
    Terminal(service, person, game, against, games=games, kept=kept).play()


def _serve(service: PlayService, host: str, port: int, *, open_browser: bool) -> None:
    from smoothcall.web.server import is_loopback, serve

    def tell(address: str) -> None:
        if not is_loopback(host):
            _tell(f"warning: on {host}, whoever can reach this machine can play here, with your agents and your database")
        _tell(f"play at {address} (Ctrl-C ends it)")

    try:
        serve(service, host, port, open_browser, tell)
    except UsageError as error:
        reason = str(error).partition(" (while ")[0]  # Python says the address once more
        raise UsageError(f"{reason}; choose another with --port or --host") from None


class _Watch:
    """A live progress line on standard error; the first Ctrl-C asks for a stop, a second one does not wait for it."""

    active: ClassVar[_Watch | None] = None  # the one whose line is shown now

    def __init__(self, label: str) -> None:
        from rich.console import Console

        self.console = Console(stderr=True)
        self.label, self.asked, self.told = label, False, 0.0
        self.progress: Callable[[Any], None] = self._draw if self.console.is_terminal else self._tell

    def __enter__(self) -> _Watch:
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        self.bar = Progress(
            TextColumn("{task.description}"), BarColumn(bar_width=20), TextColumn("{task.fields[text]}"),
            TimeRemainingColumn(compact=True), console=self.console, disable=not self.console.is_terminal, transient=True,
        )  # fmt: skip
        self.task = self.bar.add_task(self.label, total=1.0, text="starting (kernels are compiled on first use)")
        self.bar.start()
        _Watch.active = self
        self.before = signal.signal(signal.SIGINT, self._interrupt)
        return self

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGINT, self.before)
        _Watch.active = None
        self.bar.stop()

    def stopped(self) -> bool:
        return self.asked

    def _interrupt(self, *_: object) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True

    def _line(self, at: Any) -> str:
        measured = "" if at.nash_conv is None else f"  NashConv {at.nash_conv:.3g}"
        return f"{at.iterations:,} iterations  {at.speed:,.0f}/s{measured}"

    def _draw(self, at: Any) -> None:
        self.bar.update(self.task, completed=at.fraction, text=self._line(at))

    def share(self, fraction: float) -> None:
        """Progress of which only the share done is known; without a terminal, a plain line every five seconds."""
        if self.console.is_terminal:
            self.bar.update(self.task, completed=fraction, text=f"{fraction:.0%}")
        elif time.monotonic() - self.told >= 5:
            self.told = time.monotonic()
            _tell(f"{self.label}: {fraction:.0%}")

    def _tell(self, at: Any) -> None:
        """Without a terminal: a plain line every five seconds."""
        if at.seconds - self.told >= 5:
            self.told = at.seconds
            _tell(f"{self.label}: {self._line(at)}, {at.fraction:.0%}")


def _print_run(answer: dict[str, Any], as_json: bool) -> None:
    if not _printed(as_json, answer):
        state = "" if answer["done"] else f"  (stopped; go on with: smoothcall resume {shlex.quote(answer['folder'])})"
        _say(f"{answer['game']} {answer['solver']}: {answer['iterations']:,} iterations in {answer['seconds']:.2f} s{state}")
        values = ", ".join(f"player {player} {value:+.6f}" for player, value in enumerate(answer["values"]))
        exact = answer["nash_conv"] is not None
        measured = f"NashConv {answer['nash_conv']:.3g}   exploitability {answer['exploitability']:.3g}   " if exact else ""
        if answer["freezeouts"] is not None:
            chips, ended = answer["freezeouts"]
            _say(f"won while learning: {chips / max(1, ended):+.1f} chips a freezeout, over {ended:,} freezeouts")
        else:
            _say(f"{measured}values{'' if exact else ' in self-play'}: {values}")
        if answer["note"]:
            _say(f"note: {answer['note']}")
        _say(f"saved {' and '.join([answer['agent'], *([answer['curve']] if answer['curve'] else [])])}")
        folder = shlex.quote(answer["folder"])
        last = f"smoothcall plot {folder}" if exact else f"smoothcall match {folder} always-call"
        _say(f"try next:  smoothcall show {folder}   smoothcall evaluate {folder}   {last}")
    if not answer["done"]:
        raise typer.Exit(130)


def _print_options(answer: list[dict[str, Any]]) -> None:
    rows = [
        [entry["name"], option["name"], option["default"], option["accepted"], option["help"]]
        for entry in answer
        for option in entry["options"]
    ]
    _table(["", "option", "default", "accepted", ""], rows)


def _printed(as_json: bool, answer: dict[str, Any]) -> bool:
    if as_json:
        typer.echo(json.dumps(answer, allow_nan=False))
    return as_json


def _say(text: str) -> None:
    typer.echo(text)


def _tell(text: str) -> None:
    typer.echo(text, err=True)


def _figure(value: Any) -> str:
    return value if isinstance(value, str) else f"{value:,.0f}" if abs(value) >= 1e4 else f"{value:.6g}"


def _winnings(cell: dict[str, Any] | None) -> str:
    if cell is None:
        return ""
    if cell["interval_95"] is None:
        return f"{cell['mean']:+.1f} ± inf"
    low, high = cell["interval_95"]
    return f"{cell['mean']:+.1f} ± {(high - low) / 2:.1f}"


def _bar(chance: float) -> str:
    return f"{chance:6.1%} {'█' * round(8 * chance):<8}"


def _table(heads: list[str], rows: list[list[Any]]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold", show_header=any(heads))
    for head in heads:
        table.add_column(head, overflow="fold")  # a small terminal breaks lines and cuts nothing off
    for row in rows:
        table.add_row(*map(str, row))
    console = Console()
    (console if console.is_terminal else Console(width=200)).print(table, markup=False)

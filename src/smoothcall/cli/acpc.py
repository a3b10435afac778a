"""`smoothcall acpc`: matches with programs of the Annual Computer Poker Competition's protocol."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from smoothcall.cli.arguments import AsJson, Seed, app, complete_player, named, real, whole
from smoothcall.cli.output import STOPPED, ProgressLine, print_json, say, tell
from smoothcall.errors import UsageError

acpc = typer.Typer(
    name="acpc",
    rich_markup_mode=None,
    help="Play matches with programs of the Annual Computer Poker Competition's protocol (version 2.0.0).\n\n"
    "Examples: smoothcall acpc deal kuhn-3p kuhn-3p-cfr tcp tcp --hands 100 --log match.log; "
    "smoothcall acpc play limit-holdem-smooth-uct 127.0.0.1 18791",
)
OfPlayer = Annotated[
    str,
    typer.Argument(metavar="PLAYER", help="A name that `smoothcall players` lists, an agent file, the folder of a run, or "
                   "module:Class.", autocompletion=complete_player),
]  # fmt: skip
DealersGame = Annotated[
    str | None,
    typer.Option("--game", parser=named, metavar="GAME", help="The dealer's game: FILE.game, or one that `smoothcall games` "
                 "lists [default: the agent's]."),
]  # fmt: skip
Said = Annotated[Path | None, typer.Option("--said", metavar="FILE", help="Write every line sent and received to FILE.")]


@acpc.command()
def play(
    player: OfPlayer,
    host: Annotated[str, typer.Argument(metavar="HOST", help="Where the dealer waits.")],
    port: Annotated[int, typer.Argument(parser=whole, metavar="PORT", help="The port of the seat.")],
    of: DealersGame = None,
    seed: Seed = 0,
    said: Said = None,
    as_json: AsJson = False,
) -> None:
    """Connect a player to a dealer and play until it hangs up.

    Seats are translated: the protocol's position 0 is the big blind at a table of two.

    Examples: smoothcall acpc play limit-holdem-smooth-uct 127.0.0.1 18791; smoothcall acpc play mostly-calls 127.0.0.1 18791
    --game holdem.nolimit.2p.reverse_blinds.game
    """
    from random import Random

    from smoothcall.interop.acpc_client import Client
    from smoothcall.interop.acpc_dealer import local_player, protocol_rules

    table = None if of is None else protocol_rules(of)
    seated, rules = local_player(player, app().registry(), Random(seed), table)
    with _written(said) as write:
        report = Client(seated, rules).play(host, port, write)
    if as_json:
        print_json(report.as_dict())
    else:
        say(f"{player} won {report.chips:+g} chips in {report.hands:,} hands of {report.game} ({report.decisions:,} decisions)")
    if report.failure:
        tell(f"smoothcall: {report.failure}")
        raise typer.Exit(1)
    if report.stopped:
        raise typer.Exit(STOPPED)


@acpc.command()
def deal(
    of: Annotated[str, typer.Argument(metavar="GAME", help="FILE.game, or a game that `smoothcall games` lists.")],
    players: Annotated[
        list[str], typer.Argument(metavar="A B [C...]", help="Players as in `smoothcall match`, or tcp for a seat that waits.")
    ],
    hands: Annotated[int, typer.Option(parser=whole, metavar="N", help="How many hands.")] = 1000,
    seed: Seed = 0,
    ports: Annotated[
        str | None, typer.Option(parser=named, metavar="N,N...", help="Ports of the seats that wait [default: any free].")
    ] = None,
    host: Annotated[str, typer.Option(metavar="H", help="The address of the ports.")] = "127.0.0.1",
    log: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the log, in the format of the protocol's dealer.")
    ] = None,
    said: Said = None,
    response: Annotated[float, typer.Option("--t-response", parser=real, metavar="S", help="Seconds for an answer.")] = 600.0,
    t_hand: Annotated[float, typer.Option("--t-hand", parser=real, metavar="S", help="Seconds for a hand.")] = 600.0,
    per_hand: Annotated[float, typer.Option("--t-per-hand", parser=real, metavar="S", help="Seconds a hand on average.")] = 7.0,
    wait: Annotated[float, typer.Option(parser=real, metavar="S", help="Seconds to wait for programs.")] = 600.0,
    as_json: AsJson = False,
) -> None:
    """Deal a match to programs of the protocol and to players of the registry; one seed gives the original dealer's cards.

    Seats move on by one position each hand. Invalid actions become calls, or raises to the nearest legal amount. A program
    that hangs up or takes too long ends the match with exit status 1; the log keeps all finished hands.

    Examples: smoothcall acpc deal limit-holdem limit-holdem-smooth-uct tcp --hands 1000 --seed 7 --ports 18791 --log match.log;
    smoothcall acpc deal kuhn.limit.3p.game tcp tcp kuhn-3p-cfr
    """
    from smoothcall.interop.acpc_dealer import deal as deal_to
    from smoothcall.interop.acpc_wire import Limits

    limits = Limits(response, t_hand, per_hand)
    if log is not None and log.exists():
        raise UsageError(f"log {str(log)!r} exists (accepted: a new file)")
    chosen = [whole(port) for port in ports.split(",")] if ports is not None else []
    with _written(log) as write, _written(said) as hear, ProgressLine(" - ".join(players), at_once=True) as line:
        how = {"watch": line.fraction, "stop": line.stopped, "tell": line.tell, "hear": hear, "log": write}
        found = deal_to(
            of, players, app().registry(), hands=hands, seed=seed, ports=chosen, host=host, limits=limits, wait=wait,
            name=log.stem if log is not None else "match", **how,  # type: ignore[arg-type]
        )  # fmt: skip
    if as_json:
        print_json(found.as_dict())
    elif found.hands:
        say(found.line)
    if found.failure:
        tell(f"smoothcall: {found.failure} ({found.hands:,} of {hands:,} hands were played)")
        raise typer.Exit(1)
    if not found.done:
        raise typer.Exit(STOPPED)


@contextmanager
def _written(path: Path | None) -> Iterator[Callable[[str], None]]:
    """Yield what writes a line to a file at once, so that nothing is lost; without a file, what does nothing."""
    if path is None:
        yield lambda line: None
        return
    try:
        file = path.open("w", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {str(path)!r}: {error.strerror}") from None
    with file:

        def write(line: str) -> None:
            file.write(f"{line}\n")
            file.flush()

        yield write

"""`smoothcall train`, and the report that `resume` prints too."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from smoothcall.cli.arguments import AsJson, Cluster, Iterations, Seed, app, complete_game, complete_solver, real, whole
from smoothcall.cli.output import STOPPED, ProgressLine, print_json, say
from smoothcall.errors import UsageError

if TYPE_CHECKING:
    from smoothcall.results import TrainReport


def train(
    game: Annotated[
        str,
        typer.Argument(metavar="GAME", help="A game, with options after a colon: kuhn:pot=8.", autocompletion=complete_game),
    ],
    solver: Annotated[str, typer.Argument(metavar="SOLVER", help="A solver.", autocompletion=complete_solver)],
    iterations: Iterations = None,
    seconds: Annotated[float | None, typer.Option(parser=real, metavar="S", help="Train for S seconds instead.")] = None,
    seed: Seed = 0,
    threads: Annotated[int, typer.Option(parser=whole, metavar="N", help="Threads; docs/threads.md says where they pay.")] = 1,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="An option of the solver; may be repeated.")
    ] = None,
    keep: Annotated[
        bool, typer.Option("--keep", help="Save snapshots at 10, 100, 1000, ... iterations too, to play against any of them.")
    ] = False,
    tensorboard: Annotated[
        bool, typer.Option("--tensorboard", help="Write evaluations for TensorBoard too, to the folder tensorboard of the run.")
    ] = False,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="A new folder [default: runs/GAME-SOLVER].")] = None,
    cluster: Cluster = None,
    workers: Annotated[
        int | None,
        typer.Option(
            parser=whole,
            metavar="N",
            help="uct, smooth-uct, mccfr: N workers that exchange what they learned; networks: N actors that play for one "
            "learner; docs/cluster.md explains them [default: one; with --cluster, as many as it has places].",
        ),
    ] = None,
    shards: Annotated[
        int | None,
        typer.Option(
            parser=whole,
            metavar="N",
            help="uct, smooth-uct and mccfr: divide the table among N processes, for games larger than one machine; "
            "docs/cluster.md explains it.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Train a solver on a game, for 10 seconds by default. Ctrl-C stops and saves.

    Examples: smoothcall train leduc cfr+ --seconds 5; smoothcall train kuhn mccfr --iterations 1e6 --set sampling=outcome;
    smoothcall train leduc smooth-uct --iterations 1e7 --keep
    """
    options = read_settings(settings or [])
    with ProgressLine(f"{game} {solver}") as line:
        report = app(cluster).train(
            game, solver, iterations=iterations, seconds=seconds, seed=seed, threads=threads, options=options, keep=keep,
            tensorboard=tensorboard, workers=workers, shards=shards, out=out, watch=line.training, stop=line.stopped,
        )  # fmt: skip
    print_run(report, as_json=as_json)


def read_settings(pairs: list[str]) -> dict[str, str]:
    """Read NAME=VALUE pairs."""
    for pair in pairs:
        if "=" not in pair[1:]:
            raise UsageError(f"--set {pair} (accepted: --set name=value)")
    found = {name: value for name, _, value in (pair.partition("=") for pair in pairs)}
    if len(found) < len(pairs):
        raise UsageError(f"--set {' --set '.join(pairs)} names an option twice")
    return found


def print_run(report: TrainReport, *, as_json: bool) -> None:
    """Print the report of a run; exit with status 130 where it was stopped."""
    if as_json:
        print_json(report.as_dict())
    else:
        _print_run(report)
    if not report.done:
        raise typer.Exit(STOPPED)


def _print_run(report: TrainReport) -> None:
    folder, exact = shlex.quote(report.folder), report.nash_conv is not None
    state = "" if report.done else f"  (stopped; go on with: smoothcall resume {folder})"
    say(f"{report.game} {report.solver}: {report.iterations:,} iterations in {report.seconds:.2f} s{state}")
    values = ", ".join(f"player {player} {value:+.6f}" for player, value in enumerate(report.values))
    if report.freezeouts is not None:
        chips, ended = report.freezeouts
        say(f"won while learning: {chips / max(1, ended):+.1f} chips a freezeout, over {ended:,} freezeouts")
    elif exact:
        say(f"NashConv {report.nash_conv:.3g}   exploitability {report.exploitability:.3g}   values: {values}")
    else:
        say(f"values in self-play: {values}")
    if report.note:
        say(f"note: {report.note}")
    say(f"saved {' and '.join(filter(None, (report.agent, report.curve)))}")
    last = f"smoothcall plot {folder}" if exact else f"smoothcall match {folder} always-call"
    say(f"try next:  smoothcall show {folder}   smoothcall evaluate {folder}   {last}")

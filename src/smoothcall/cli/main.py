"""The entry point of the command line: collect the commands, run one, turn errors into exit codes.

Exit status: 0 done, 1 failed, 2 bad usage, 130 stopped by Ctrl-C (with everything saved). Nothing heavy is imported here or
at the top of a command's module, so that help and completion start quickly.
"""

from __future__ import annotations

import io
import os
import sys
from typing import Annotated, Any

import typer

from smoothcall import __version__
from smoothcall.cli.acpc import acpc
from smoothcall.cli.bench import bench
from smoothcall.cli.cluster import cluster
from smoothcall.cli.evaluate import evaluate
from smoothcall.cli.games import games
from smoothcall.cli.match import match
from smoothcall.cli.output import show_task
from smoothcall.cli.play import play
from smoothcall.cli.players import players
from smoothcall.cli.plot import plot
from smoothcall.cli.reproduce import reproduce
from smoothcall.cli.resume import resume
from smoothcall.cli.review import review
from smoothcall.cli.show import show
from smoothcall.cli.solve import solve
from smoothcall.cli.solvers import solvers
from smoothcall.cli.train import train
from smoothcall.errors import PlayerFailed, UsageError
from smoothcall.progress import watched

COMMANDS = (
    games,
    solvers,
    players,
    train,
    resume,
    evaluate,
    show,
    match,
    play,
    plot,
    solve,
    review,
    reproduce,
    cluster,
    bench,
)  # in the order of the help

cli = typer.Typer(
    name="smoothcall",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Learn to play games of hidden information by self-play, and know exactly how well.\n\n"
    "Try: smoothcall train leduc cfr+ --seconds 5",
)
for command in COMMANDS:
    cli.command()(command)
cli.add_typer(acpc)


@cli.callback(invoke_without_command=True)
def _callback(
    context: typer.Context, version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False
) -> None:
    if version:
        typer.echo(__version__)
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


BLAS_THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def use_one_blas_thread() -> None:
    """Let NumPy multiply matrices on one thread, unless the environment says otherwise. Call it before NumPy is imported.

    The products of our networks are so small that threads cost more than they give: their waiting multiplies processor time.
    """
    for name in BLAS_THREADS:
        os.environ.setdefault(name, "1")


_PARSING: Any = typer.BadParameter.__mro__[2]  # base class of every parsing error; Typer does not export it


def main() -> None:
    """Run the command line. Every wrong input is one line on standard error and exit status 2."""
    use_one_blas_thread()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that cannot show a bar shows a replacement character
    try:
        with watched(show_task):
            code = cli(standalone_mode=False)
    except _PARSING as error:
        code = _fail(" ".join(error.format_message().split()), 2)
    except UsageError as error:
        code = _fail(str(error), 2)
    except (typer.Abort, KeyboardInterrupt):
        code = _fail("stopped", 130)
    except BrokenPipeError:  # the reader of our output has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    except (OSError, MemoryError, PlayerFailed) as error:
        code = _fail(str(error) or type(error).__name__, 1)
    sys.exit(code or 0)


def _fail(text: str, code: int) -> int:
    typer.echo(f"smoothcall: {text}", err=True)
    return code

"""Arguments and options that commands share: their parsers, help and shell completion."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from smoothcall.options import number

if TYPE_CHECKING:
    from smoothcall.app import App


def app(cluster: str | None = None) -> App:
    """Return the object behind every command; imported when first used, because it is large."""
    from smoothcall.app import App

    return App(cluster=cluster)


def whole(text: str) -> int:
    value = number(text, whole=True)
    if value is None:
        raise typer.BadParameter(f"{text!r} is not a whole number (accepted: 1000, 1e6, 1_000_000)")
    return int(value)


def real(text: str) -> float:
    value = number(text, whole=False)
    if value is None:
        raise typer.BadParameter(f"{text!r} is not a number (accepted: 2.5, 1e3)")
    return float(value)


def named(text: str) -> str:
    if not text.strip():
        raise typer.BadParameter(f"{text!r} names nothing (leave the option out for its default)")
    return text


def folder(text: str) -> Path:
    return Path(named(text))  # an empty path would be the current folder


def complete_game(incomplete: str) -> list[str]:
    from smoothcall.games.catalog import CATALOG

    return [name for name in CATALOG if name.startswith(incomplete)]


def complete_solver(incomplete: str) -> list[str]:
    from smoothcall.solvers import SOLVERS

    return [name for name in SOLVERS if name.startswith(incomplete)]


def complete_player(incomplete: str) -> list[str]:
    """Complete names of players; where none fits, the shell completes file names."""
    return [name for name in app().registry().names() if name.startswith(incomplete)]


def complete_paper(incomplete: str) -> list[str]:
    from smoothcall.experiments import EXPERIMENTS

    return [name for name in EXPERIMENTS if name.startswith(incomplete)]


AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Iterations = Annotated[int | None, typer.Option(parser=whole, metavar="N", help="How many iterations in all, as 1e6.")]
Seed = Annotated[int, typer.Option(parser=whole, metavar="N", help="Seed of the random generator.")]
Agent = Annotated[
    str,
    typer.Argument(
        metavar="AGENT",
        help="A name that `smoothcall players` lists, an agent file, the folder of a run, or a strategy of macmanus2019 "
        "(.json). Append :threshold=0.05 to leave out actions below 5 %.",
        autocompletion=complete_player,
    ),
]
AgentGame = Annotated[
    str | None,
    typer.Option("--game", metavar="GAME", help="Refuse an agent of another game.", autocompletion=complete_game),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        parser=named,
        metavar="WHERE",
        help="Work on a Ray cluster: auto (this machine's), HOST:PORT, or local:N (N processes here). Results are the same.",
    ),
]

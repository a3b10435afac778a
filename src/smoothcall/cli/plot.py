"""`smoothcall plot`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from smoothcall.cli.arguments import AsJson, app
from smoothcall.cli.output import print_json, say


def plot(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR...", help="Folders of runs.")],
    out: Annotated[Path, typer.Option(metavar="FILE", help="The picture to write.")] = Path("curves.png"),
    x: Annotated[str, typer.Option("--x", metavar="AXIS", help="iterations, seconds or nodes.")] = "iterations",
    as_json: AsJson = False,
) -> None:
    """Draw the learning curves of runs on one picture."""
    report = app().plot(folders, out, x=x)
    if as_json:
        print_json(report.as_dict())
    else:
        say(f"wrote {report.picture}")

"""`smoothcall reproduce`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from smoothcall.cli.arguments import AsJson, app, complete_paper
from smoothcall.cli.output import print_json, print_table, say, tell


def reproduce(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", help="A paper; without one, list them.", autocompletion=complete_paper),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A small version, in seconds.")] = False,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Where the page goes [default: docs/ledger].")] = None,
    as_json: AsJson = False,
) -> None:
    """Run a paper's experiments again and write what it published beside what we get."""
    if name is None:
        _list_papers(as_json=as_json)
        return
    report = app().reproduce(name, quick=quick, out=out, tell=tell)
    if as_json:
        print_json(report.as_dict())
        return
    print_table(
        ["what", "published", "ours", ""],
        [[check.what, check.published, check.ours, check.verdict] for check in report.checks],
    )
    say(f"wrote {report.page}")


def _list_papers(*, as_json: bool) -> None:
    papers = app().experiments()
    if as_json:
        print_json({"experiments": [paper.as_dict() for paper in papers]})
    else:
        print_table(["paper", ""], [[paper.name, paper.summary] for paper in papers])

"""`smoothcall resume`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from smoothcall.cli.arguments import AsJson, Cluster, Iterations, app
from smoothcall.cli.output import ProgressLine
from smoothcall.cli.train import print_run


def resume(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a run.")],
    iterations: Iterations = None,
    cluster: Cluster = None,
    as_json: AsJson = False,
) -> None:
    """Resume a run bit-exactly, to its planned end or to N iterations in total."""
    with ProgressLine(folder.name) as line:
        report = app(cluster).resume(folder, iterations=iterations, watch=line.training, stop=line.stopped)
    print_run(report, as_json=as_json)

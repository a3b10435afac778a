"""`smoothcall cluster`."""

from __future__ import annotations

from typing import Annotated

import typer

from smoothcall.cli.arguments import AsJson, app, named
from smoothcall.cli.output import print_json, print_table, say
from smoothcall.errors import unknown

ACTIONS = ("status",)


def cluster(
    action: Annotated[str, typer.Argument(metavar="status", help="What to do: status lists the machines.")],
    where: Annotated[
        str, typer.Option("--cluster", parser=named, metavar="WHERE", help="auto (this machine's), HOST:PORT, or local:N.")
    ] = "auto",
    as_json: AsJson = False,
) -> None:
    """Say which machines a Ray cluster has, and whether their workers run this version.

    Example: smoothcall cluster status --cluster auto
    """
    if action not in ACTIONS:
        raise unknown("action", action, ACTIONS)
    report = app(where).cluster_status()
    if as_json:
        print_json(report.as_dict())
        return
    heads = ["machine", "address", "", "processors", "memory, GB", "version"]
    rows = [
        [node.name, node.address, "alive" if node.alive else "dead", f"{node.processors:g}", f"{node.memory / 1e9:.3g}", said]
        for node, said in zip(report.nodes, report.versions, strict=True)
    ]
    print_table(heads, rows)
    say(f"{report.processes} processes at once")

"""`smoothcall solvers`."""

from __future__ import annotations

from smoothcall.cli.arguments import AsJson, app
from smoothcall.cli.games import print_options
from smoothcall.cli.output import print_json, print_table


def solvers(as_json: AsJson = False) -> None:
    """List the solvers and their options."""
    found = app().solvers()
    if as_json:
        print_json({"solvers": [solver.as_dict() for solver in found]})
        return
    print_table(["solver", ""], [[solver.name, solver.summary] for solver in found])
    print_options(found)

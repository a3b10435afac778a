"""`smoothcall players`."""

from __future__ import annotations

from smoothcall.cli.arguments import AsJson, app
from smoothcall.cli.output import print_json, print_table


def players(as_json: AsJson = False) -> None:
    """List the players that have names: scripted players, agents of the package and of the runs."""
    found = app().players()
    if as_json:
        print_json({"players": [player.as_dict() for player in found]})
        return
    print_table(["player", "kind", "plays", ""], [[each.name, each.kind, each.games, each.summary] for each in found])

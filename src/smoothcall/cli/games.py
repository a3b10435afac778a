"""`smoothcall games`, and the table of options that `solvers` prints too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from smoothcall.cli.arguments import AsJson, app
from smoothcall.cli.output import print_json, print_table

if TYPE_CHECKING:
    from smoothcall.results import GameInfo, SolverInfo


def games(as_json: AsJson = False) -> None:
    """List the games, their sizes and options."""
    found = app().games()
    if as_json:
        print_json({"games": [game.as_dict() for game in found]})
        return
    rows = [[game.name, game.players, game.nodes, game.deals, game.information_states, game.summary] for game in found]
    print_table(["game", "players", "nodes", "deals", "information states", ""], rows)
    print_options(found)


def print_options(found: Sequence[GameInfo | SolverInfo]) -> None:
    """Print the options of games or solvers as one table."""
    rows = [[each.name, option.name, option.default, option.accepted, option.help] for each in found for option in each.options]
    print_table(["", "option", "default", "accepted", ""], rows)

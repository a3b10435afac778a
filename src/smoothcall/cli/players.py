"""`smoothcall players`."""

from __future__ import annotations

from typing import Annotated

import typer

from smoothcall.cli.arguments import AsJson, app, complete_game, complete_player, named, whole
from smoothcall.cli.output import print_json, print_table

Checked = Annotated[
    str | None,
    typer.Option("--check", parser=named, metavar="PLAYER", help="Check that a player keeps the contract: module:Class, the "
                 "name of an installed player, or an agent.", autocompletion=complete_player),
]  # fmt: skip
InGames = Annotated[
    list[str] | None,
    typer.Option("--game", metavar="GAME", help="With --check: a game to play; may be repeated [default: those that the class "
                 "lists in GAMES, else one of every kind].", autocompletion=complete_game),
]  # fmt: skip
Hands = Annotated[int, typer.Option(parser=whole, metavar="N", help="With --check: hands in each game.")]


def players(check: Checked = None, games: InGames = None, hands: Hands = 50, as_json: AsJson = False) -> None:
    """List the players that have names: scripted players, agents of the package and of the runs, and installed players.

    With --check, play hands with one player and say in which games it moves legally and is repeatable; exit status 1 if it
    fails in any.

    Examples: smoothcall players; smoothcall players --check mybot:Bot; smoothcall players --check mybot:Bot --game leduc
    """
    if check is not None:
        _check(check, games or [], hands, as_json)
        return
    found = app().players()
    if as_json:
        print_json({"players": [player.as_dict() for player in found]})
        return
    print_table(["player", "kind", "plays", ""], [[each.name, each.kind, each.games, each.summary] for each in found])


def _check(name: str, games: list[str], hands: int, as_json: bool) -> None:
    from smoothcall.evaluation.conformance import check_player

    found = check_player(name, app().registry(), games, hands=hands)
    if as_json:
        print_json({"player": name, "games": [each.as_dict() for each in found]})
    else:
        print_table(
            ["game", "moves", "slowest move", ""],
            [[each.game, each.moves, f"{1000 * each.slowest:.1f} ms", each.problem or "passed"] for each in found],
        )
    if any(each.problem for each in found):
        raise typer.Exit(1)

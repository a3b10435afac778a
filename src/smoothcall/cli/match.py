"""`smoothcall match`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from smoothcall.cli.arguments import AsJson, Cluster, Seed, app, complete_game, complete_player, whole
from smoothcall.cli.output import STOPPED, ProgressLine, print_json, print_table, say, tell
from smoothcall.errors import UsageError

if TYPE_CHECKING:
    from smoothcall.evaluation.freezeouts import FreezeoutResult
    from smoothcall.evaluation.policy_match import MatchResult
    from smoothcall.evaluation.statistics import Estimate
    from smoothcall.experiments.cross_table import CrossTable


Players = Annotated[
    list[str],
    typer.Argument(
        metavar="A B [C...]",
        help="Names that `smoothcall players` lists, agent files, folders of runs, or module:Class. Append :greedy to "
        "an agent to play its most likely actions, :threshold=0.05 to leave out those below 5 %.",
        autocompletion=complete_player,
    ),
]
Hands = Annotated[
    int | None,
    typer.Option(parser=whole, metavar="N", help="How many hands [default: 100,000; small games: the exact result]."),
]
Freezeouts = Annotated[
    int | None,
    typer.Option(parser=whole, metavar="N", help="Play N freezeouts instead of hands (two players that take observations)."),
]
Rollouts = Annotated[
    int | None,
    typer.Option(parser=whole, metavar="N", help="With --freezeouts: estimate equities from N rollouts [default: exact]."),
]
MatchGame = Annotated[
    str | None,
    typer.Option("--game", metavar="GAME", help="The game; needed if no agent determines it.", autocompletion=complete_game),
]
Picture = Annotated[
    Path | None, typer.Option("--table", metavar="FILE", help="Play all pairs and write the cross table as a picture to FILE.")
]


def match(
    players: Players,
    hands: Hands = None,
    freezeouts: Freezeouts = None,
    rollouts: Rollouts = None,
    seed: Seed = 0,
    of: MatchGame = None,
    picture: Picture = None,
    cluster: Cluster = None,
    as_json: AsJson = False,
) -> None:
    """Play a match: every deal once in each seating, winnings in mbb/h with intervals over independent deals.

    With --freezeouts, freezeouts of ten hands in which chips are kept from hand to hand (epfl2020), or until one is broke where
    players see cards (pricope2021); winnings in chips a freezeout.

    Examples: smoothcall match runs/leduc-cfr+ probe; smoothcall match a.agent b.agent probe always-call --table table.png
    """
    if freezeouts is not None and (hands is not None or picture is not None):
        raise UsageError("give a number of hands or a table, or a number of freezeouts, not both")
    if rollouts is not None and freezeouts is None:
        raise UsageError(
            f"rollouts={rollouts}: equities are estimated in freezeouts only (accepted: with a number of freezeouts)"
        )
    result: MatchResult | FreezeoutResult | CrossTable
    with ProgressLine(" - ".join(Path(player).name for player in players), at_once=True) as line:
        user = app(cluster)
        how: dict[str, Any] = {"seed": seed, "of": of, "watch": line.fraction, "stop": line.stopped}
        if freezeouts is not None:
            result = user.freezeouts(players, freezeouts, rollouts=rollouts or 0, **how)
        elif picture is not None:
            result = user.cross_table(players, picture, hands=hands, tell=line.tell, **how)
        else:
            result = user.match(players, hands=hands, tell=line.tell, **how)
    if as_json:
        print_json(result.as_dict())
    else:
        _print_result(result)
    if failure := getattr(result, "failure", ""):
        tell(f"smoothcall: {failure}")
        raise typer.Exit(1)
    if not result.done:
        raise typer.Exit(STOPPED)


def _print_result(result: MatchResult | FreezeoutResult | CrossTable) -> None:
    from smoothcall.experiments.cross_table import CrossTable

    if isinstance(result, CrossTable):
        _print_cross_table(result)
    else:
        say(str(result))


def _print_cross_table(table: CrossTable) -> None:
    rows = [[name, *map(_winnings, cells)] for name, cells in zip(table.rows, table.cells, strict=True)]
    print_table([f"{table.game}, mbb/h (95 %)", *table.columns], rows)
    say(f"engine: {', '.join(table.engines)}")
    for note in table.notes:
        say(f"note: {note}")
    say(f"wrote {table.picture}")


def _winnings(cell: Estimate | None) -> str:
    return "" if cell is None else f"{cell.mean:+.1f} ± {cell.half_width():.1f}"

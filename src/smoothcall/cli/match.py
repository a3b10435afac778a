"""`smoothcall match`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from smoothcall.cli.arguments import AsJson, Seed, app, complete_game, complete_player, whole
from smoothcall.cli.output import STOPPED, ProgressLine, print_json, print_table, say
from smoothcall.errors import UsageError

if TYPE_CHECKING:
    from smoothcall.evaluation.freezeouts import FreezeoutResult
    from smoothcall.evaluation.policy_match import MatchResult
    from smoothcall.experiments.cross_table import CrossTable


def match(
    players: Annotated[
        list[str],
        typer.Argument(
            metavar="A B [C...]",
            help="Names that `smoothcall players` lists, agent files, folders of runs, or module:Class; behind an agent :greedy "
            "for its most likely actions, :threshold=0.05 without those below 5 %.",
            autocompletion=complete_player,
        ),
    ],
    hands: Annotated[
        int | None,
        typer.Option(parser=whole, metavar="N", help="How many hands [default: 100,000; small games: the exact result]."),
    ] = None,
    freezeouts: Annotated[
        int | None,
        typer.Option(parser=whole, metavar="N", help="Of two who see equities: so many freezeouts of ten hands instead."),
    ] = None,
    rollouts: Annotated[
        int | None,
        typer.Option(parser=whole, metavar="N", help="With --freezeouts: estimate equities from N rollouts [default: exact]."),
    ] = None,
    seed: Seed = 0,
    of: Annotated[
        str | None,
        typer.Option("--game", metavar="GAME", help="The game, where no agent says it.", autocompletion=complete_game),
    ] = None,
    table: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Everybody against everybody, two by two; the picture to write.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Play a match: every deal once in each seating, winnings in mbb/h with intervals over independent deals.

    With --freezeouts, games of ten hands in which chips are kept from hand to hand (epfl2020), or until one is broke where
    players see cards (pricope2021); winnings in chips a freezeout.

    Examples: smoothcall match runs/leduc-cfr+ probe; smoothcall match a.agent b.agent probe always-call --table table.png
    """
    if freezeouts is not None and (hands is not None or table is not None):
        raise UsageError("give a number of hands or a table, or a number of freezeouts, not both")
    if rollouts is not None and freezeouts is None:
        raise UsageError(
            f"rollouts={rollouts}: equities are estimated in freezeouts only (accepted: with a number of freezeouts)"
        )
    user = app()
    result: MatchResult | FreezeoutResult | CrossTable
    with ProgressLine(" - ".join(Path(player).name for player in players)) as line:
        how: dict[str, Any] = {"seed": seed, "of": of, "watch": line.fraction, "stop": line.stopped}
        if freezeouts is not None:
            result = user.freezeouts(players, freezeouts, rollouts=rollouts or 0, **how)
        elif table is not None:
            result = user.cross_table(players, table, hands=hands, **how)
        else:
            result = user.match(players, hands=hands, **how)
    if as_json:
        print_json(result.as_dict())
    elif table is None:
        say(str(result))
    else:
        _print_cross_table(result.as_dict())
    if not result.done:
        raise typer.Exit(STOPPED)


def _print_cross_table(answer: dict[str, Any]) -> None:
    cells = [[_winnings(cell) for cell in row] for row in answer["mbb"]]
    print_table(
        [f"{answer['game']}, mbb/h (95 %)", *answer["columns"]],
        [[name, *row] for name, row in zip(answer["rows"], cells, strict=True)],
    )
    say(f"engine: {', '.join(answer['engines'])}")
    for note in answer["notes"]:
        say(note)
    say(f"wrote {answer['picture']}")


def _winnings(cell: dict[str, Any] | None) -> str:
    if cell is None:
        return ""
    if cell["interval_95"] is None:
        return f"{cell['mean']:+.1f} ± inf"
    low, high = cell["interval_95"]
    return f"{cell['mean']:+.1f} ± {(high - low) / 2:.1f}"

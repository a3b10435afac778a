"""`smoothcall review`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from smoothcall.cli.arguments import AsJson, app, complete_player, named, whole
from smoothcall.cli.output import ProgressLine, print_json, print_table, say, tell

if TYPE_CHECKING:
    from smoothcall.play.review import HandReview


def review(
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="Hands: ACPC logs (.log), PHH (.phh, .phhs), PokerStars (.txt), folders."),
    ],
    hero: Annotated[str, typer.Option(parser=named, metavar="NAME", help="The player whose decisions are reviewed.")],
    by: Annotated[
        str,
        typer.Option(parser=named, metavar="AGENT", help="The agent that judges them.", autocompletion=complete_player),
    ],
    solve: Annotated[
        bool, typer.Option("--solve", help="Sort by the EV lost in equilibria, solved from the turn on (hold'em for two).")
    ] = False,
    worst: Annotated[int, typer.Option(parser=whole, metavar="N", help="How many decisions to print.")] = 10,
    as_json: AsJson = False,
) -> None:
    """Review a player's hands: what each decision cost, the worst first.

    The cost is the EV lost against the agent, in chips: exact in games whose deals are listed and on turn and river of hold'em
    for two, with a 95 % interval where cards are sampled. With --solve it is the EV lost in an equilibrium of the rest of the
    hand. At larger tables of hold'em it is how likely the agent makes the same move. Hands of other rules are skipped and
    counted.

    Examples: smoothcall acpc deal leduc leduc-cfr random --log m.log; smoothcall review m.log --hero random --by leduc-cfr
    """
    from smoothcall.play.review import review_hands

    with ProgressLine("review", at_once=True) as line:

        def check(hands: int) -> None:
            if line.stopped():
                raise KeyboardInterrupt
            line.step(0.0, f"{hands:,} hands reviewed")

        found = review_hands(paths, hero, by, app().registry(), worst=worst, solve=solve, check=check)
    if as_json:
        print_json(found.as_dict())
    elif found.hands:
        _print_review(found, solve=solve)
    for reason, count in found.skipped.items():
        tell(f"{count:,} hands skipped: {reason}")
    if not found.hands:
        tell(f"smoothcall: no hand of {hero} was reviewed")
        raise typer.Exit(1)


def _print_review(found: HandReview, *, solve: bool) -> None:
    lost = "" if found.ev_loss is None else f", {found.ev_loss:.4g} chips of EV lost"
    say(f"{found.hero}: {found.hands:,} hands, {found.decisions:,} decisions{lost} (judged by {found.by})")
    rows = [
        [
            each.hand,
            each.key,
            each.chosen,
            _chips(each.ev_loss, each.half_width),
            *([_chips(each.solved_ev_loss)] if solve else []),
            "" if each.share is None else f"{each.share:.1%}",
            each.best,
            each.link,
        ]
        for each in found.worst
    ]
    print_table(["hand", "state", "chosen", "EV loss", *(["solved"] if solve else []), "agent", "better", "page"], rows)
    say(found.note)
    if any(each.link for each in found.worst):
        say("page: behind the address that `smoothcall play` prints")


def _chips(value: float | None, half_width: float | None = None) -> str:
    return "" if value is None else f"{value:.4g}{f' ± {half_width:.2g}' if half_width else ''}"

"""`smoothcall solve`, and how `show` prints a solved spot."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from smoothcall.cli.arguments import AsJson, app, real, whole
from smoothcall.cli.output import STOPPED, ProgressLine, bar, print_json, print_table, say
from smoothcall.errors import UsageError

if TYPE_CHECKING:
    from smoothcall.search.reports import ShownNode, SolveReport


RANGES = typer.Option(metavar="FIRST SECOND", help="Ranges, of who acts first and the other: any, 22+,A2s+, AKs:0.5.")
BETS = typer.Option(metavar="SIZES", help="Bets: 50% of the pot, 40 chips, a for all-in, or none (50%,a if not given).")
RAISES = typer.Option(metavar="SIZES", help="Raises: as bets, or 2.5x the bet (75%,a if not given).")
STREET_BETS = typer.Option(
    metavar="STREET=SIZES", help="Other sizes of a street: river=75%,a, turn.raises=3x, river.second.bets=a."
)
LIMIT = typer.Option(metavar="N[,N...]", help="Limit betting: the bet of each street to come.")
ALGORITHM = typer.Option(metavar="NAME", help="dcfr (the default), cfr+ or pcfr+ (predictive).")
STORAGE = typer.Option(
    parser=whole, metavar="BITS", help="Bits of a number in the tables: 32 (the default), or 16 in half the memory."
)
LOCK = typer.Option(metavar="FILE", help='Fixed strategies, as JSON: {":r50": {"any": {"f": 1}, "AA": {"c": 1}}}.')


def share(text: str) -> float:
    """Read a share such as 0.3% or 0.003."""
    value = real(text.removesuffix("%"))
    return value / 100 if text.endswith("%") else value


def stacks(text: str) -> int | tuple[int, ...]:
    """Read the chips of both players, or of each."""
    chips = tuple(whole(piece) for piece in text.split(","))
    return chips[0] if len(chips) == 1 else chips


def solve(
    spot: Annotated[Path | None, typer.Argument(metavar="[SPOT]", help="A saved solution to go on with.")] = None,
    board: Annotated[str | None, typer.Option(metavar="CARDS", help="Three to five cards, such as Td9d6hQc.")] = None,
    ranges: Annotated[tuple[str, str] | None, RANGES] = None,
    pot: Annotated[int | None, typer.Option(parser=whole, metavar="N", help="Chips in the middle.")] = None,
    stack: Annotated[str | None, typer.Option(metavar="N[,N]", help="Chips that each player has left.")] = None,
    bets: Annotated[str | None, BETS] = None,
    raises: Annotated[str | None, RAISES] = None,
    street_bets: Annotated[list[str] | None, STREET_BETS] = None,
    limit: Annotated[str | None, LIMIT] = None,
    accuracy: Annotated[
        float, typer.Option(parser=share, metavar="SHARE", help="Stop at this exploitability, a share of the pot.")
    ] = "0.3%",  # type: ignore[assignment]
    seconds: Annotated[float | None, typer.Option(parser=real, metavar="S", help="Stop after S seconds at the latest.")] = None,
    threads: Annotated[int, typer.Option(parser=whole, metavar="N", help="Threads; the result is the same.")] = 1,
    algorithm: Annotated[str | None, ALGORITHM] = None,
    storage: Annotated[int | None, STORAGE] = None,
    rake: Annotated[float | None, typer.Option(parser=share, metavar="SHARE", help="Rake, a share of the pot.")] = None,
    cap: Annotated[float | None, typer.Option(parser=real, metavar="CHIPS", help="The most that is taken as rake.")] = None,
    lock: Annotated[Path | None, LOCK] = None,
    out: Annotated[Path | None, typer.Option(metavar="SPOT", help="Save the solution here, as NAME.spot.")] = None,
    as_json: AsJson = False,
) -> None:
    """Solve a spot of two-player hold'em, with real cards and every hand of both ranges. Ctrl-C stops and saves.

    Examples: smoothcall solve --board Td9d6hQc --ranges any "22+,A2s+" --pot 100 --stack 400 --out turn.spot;
    smoothcall show turn.spot :r50; smoothcall solve turn.spot --accuracy 0.05%
    """
    chips: dict[str, Any] = {"board": board, "ranges": ranges, "pot": pot, "stack": stack}
    sizes = {"bets": bets, "raises": raises, "street_bets": tuple(street_bets or ()) or None, "limit": limit}
    others = {"rake": rake, "cap": cap, "algorithm": algorithm, "storage": storage, "lock": lock}
    given = {name: value for name, value in (chips | sizes | others).items() if value is not None}
    _verify_given(given, chips, spot)
    user = app()
    with ProgressLine(board or str(spot)) as line:
        how: dict[str, Any] = {"accuracy": accuracy, "seconds": seconds, "threads": threads, "out": out}
        how |= {"watch": line.step, "stop": line.stopped}
        if spot is not None:
            report = user.solve(spot, **how)
        else:
            how |= {name: given.pop(name) for name in ("algorithm", "lock", "storage") if name in given}
            report = user.solve({**given, "stack": stacks(stack or "")}, **how)
    if as_json:
        print_json(report.as_dict())
    else:
        _print_solution(report)
    if line.stopped():
        raise typer.Exit(STOPPED)


def _verify_given(given: dict[str, Any], chips: dict[str, Any], spot: Path | None) -> None:
    """Verify that a new spot has all of its cards and chips; a saved one has them already, and how it is solved."""
    missing = [f"--{name}" for name in chips if name not in given]
    if spot is None and missing:
        raise UsageError(f"{', '.join(missing)} missing (see: smoothcall solve --help)")
    if spot is not None and given:
        raise UsageError(
            f"--{next(iter(given)).replace('_', '-')}: a saved solution has its own "
            "(accepted with it: --accuracy, --seconds, --threads, --out, --json)"
        )
    if given.get("limit") == "":
        raise UsageError("--limit '' (accepted: the bet in chips of each street to come, such as 10,20)")


def _print_solution(report: SolveReport) -> None:
    say(f"{report.board}: exploitability {report.exploitability:.3%} of the pot after {report.iterations:,} iterations")
    rows = [
        [name, f"{ev:.3f}", f"{equity:.2%}"]
        for name, ev, equity in zip(("first", "second"), report.ev, report.equity, strict=True)
    ]
    print_table(["player", "EV (chips)", "equity"], rows)
    say(f"{report.cpu_seconds:.2f} s of processor time, tables of {report.memory_mb:,.1f} MB")
    if report.exhausted:
        say("more iterations of 16-bit tables come no nearer to an equilibrium; --storage 32 does, in twice the memory")
    if report.saved:
        name = quote(report.saved)
        say(f"saved {report.saved}")
        say(f"try next:  smoothcall show {name}   smoothcall show {name} :c")


def print_node(node: ShownNode, figure: str | None) -> None:
    """Print a public node: the mean strategy, and hand by hand where there are few, else a grid of a figure of all hands."""
    from smoothcall.search.reports import BETS, FIGURES

    grid = node.grid(figure or BETS)  # before anything is printed
    say(f"{node.board}, pot {node.pot:g}, player {('first', 'second')[node.player]} to act, key {node.key}")
    print_table(
        ["move", "", "frequency", "EV (chips)"], [[m.letter, m.name, bar(m.frequency), _chips(m.ev)] for m in node.moves]
    )
    if figure is not None or len(node.hands) > node.FEW_HANDS:
        print_table(["", *node.ranks], [[rank, *row] for rank, row in zip(node.ranks, grid, strict=True)])
        say(f"each cell: {FIGURES[figure or BETS].words}; suited hands on the right of the diagonal")
        say(f"one hand: smoothcall show SPOT {node.hands[0].hand}{node.key}")
        return
    heads = ["hand", "weight", "equity", "EV", *(move.letter for move in node.moves)]
    rows = [
        [each.hand, f"{each.weight:.3f}", _percent(each.equity), _chips(each.ev), *map(_percent, each.strategy)]
        for each in node.hands
    ]
    print_table(heads, rows)


def _chips(value: float | None) -> str:
    return "" if value is None else f"{value:z.3f}"


def _percent(value: float | None) -> str:
    return "" if value is None else f"{value:.1%}"

"""`smoothcall bench`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from smoothcall.cli.arguments import AsJson, app, whole
from smoothcall.cli.output import figure, print_json, print_table, tell

if TYPE_CHECKING:
    from smoothcall.results import BenchReport


def bench(
    names: Annotated[list[str] | None, typer.Argument(metavar="[NAME...]", help="Benchmarks to run [default: all].")] = None,
    repeats: Annotated[int, typer.Option(parser=whole, metavar="N", help="Repeats behind each median.")] = 5,
    peers: Annotated[bool, typer.Option("--peers", help="Measure other packages too, where installed; minutes.")] = False,
    as_json: AsJson = False,
) -> None:
    """Measure speed on one core: medians of repeats, compilation excluded."""
    report = app().bench(names or [], repeats=repeats, peers=peers, tell=tell)
    if as_json:
        print_json(report.as_dict())
    else:
        _print_figures(report, with_peers=peers)


def _print_figures(report: BenchReport, *, with_peers: bool) -> None:
    rows: list[list[Any]] = []
    for found in report.figures:
        ours = found.ours
        rows.append([ours.name, figure(ours.value), ours.unit, f"± {ours.spread:.0%}", ""])
        rows += [
            [f"  {name}", figure(peer["value"]), peer["unit"], "", f"{peer['ratio']:.3g}"] for name, peer in found.peers.items()
        ]
    heads = ["figure", "median", "unit", "spread", "we are faster by"]
    print_table(heads if with_peers else heads[:-1], rows if with_peers else [row[:-1] for row in rows])

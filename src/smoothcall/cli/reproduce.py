"""`smoothcall reproduce`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from smoothcall.cli.arguments import AsJson, Cluster, app, complete_paper
from smoothcall.cli.output import print_json, print_table, say, tell
from smoothcall.errors import UsageError

if TYPE_CHECKING:
    from smoothcall.results import LedgerRow


def reproduce(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", help="A paper; without one, list them.", autocompletion=complete_paper),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A small version, within a minute.")] = False,
    again: Annotated[bool, typer.Option("--again", help="Measure everything anew, also what is in the page's data.")] = False,
    page: Annotated[bool, typer.Option("--page", help="Measure nothing; write the page from the data there are.")] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Measure nothing; fail if the page (or any page) is not what its data give.")
    ] = False,
    list_rows: Annotated[
        bool, typer.Option("--list", help="Print every published statement with our figure and the verdict.")
    ] = False,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Where the page goes [default: docs/ledger].")] = None,
    cluster: Cluster = None,
    as_json: AsJson = False,
) -> None:
    """Run a paper's experiments again and write what it published beside what we get.

    Stopped or killed, it goes on where it was: a part that was measured is kept in the page's data, training is a run.

    Examples: `smoothcall reproduce macmanus2019 --quick`, `smoothcall reproduce --list`, `smoothcall reproduce --check`.
    """
    if check + list_rows + page + (quick or again) > 1:
        raise UsageError("--page, --check and --list measure nothing: none goes with another option but --out and --json")
    if page and name is None:
        raise UsageError("--page needs the name of a paper")
    if list_rows:
        _list_rows(name, out, as_json=as_json)
    elif check:
        _check(name, out, as_json=as_json)
    elif name is None:
        _list_papers(as_json=as_json)
    else:
        user = app(cluster)
        report = user.write_page(name, out=out) if page else user.reproduce(name, quick=quick, again=again, out=out, tell=tell)
        if as_json:
            print_json(report.as_dict())
        else:
            _print_rows(report.rows)
            say(f"wrote {report.page}")


def _list_rows(name: str | None, out: Path | None, *, as_json: bool) -> None:
    rows = app().ledger(name, out=out)
    papers = {row.paper for row in rows}
    missing = [paper.name for paper in app().experiments() if name is None and paper.name not in papers]
    if as_json:
        print_json({"rows": [row.as_dict() for row in rows], "not_measured": missing})
    else:
        _print_rows(rows)
        if missing:
            say(f"not measured in this form yet: {', '.join(missing)}")


def _check(name: str | None, out: Path | None, *, as_json: bool) -> None:
    report = app().check_ledger(name, out=out)
    if as_json:
        print_json(report.as_dict())
    else:
        for line in report.wrong:
            tell(line)
        say(f"{len(report.papers)} pages checked: " + ("they are what their data give" if not report.wrong else "not all are"))
    if report.wrong:
        raise typer.Exit(1)


def _print_rows(rows: tuple[LedgerRow, ...]) -> None:
    from smoothcall.results import count_statuses

    heads = ["paper", "in it", "statement", "published", "ours", "verdict"]
    lines = [(each.paper, each.row, each.verdict) for each in rows]
    print_table(
        heads, [[paper, row.source, row.statement, row.published or "", row.ours, found] for paper, row, found in lines]
    )
    say(f"{len(rows)} rows: " + count_statuses(rows))


def _list_papers(*, as_json: bool) -> None:
    papers = app().experiments()
    if as_json:
        print_json({"experiments": [paper.as_dict() for paper in papers]})
    else:
        print_table(["paper", ""], [[paper.name, paper.summary] for paper in papers])

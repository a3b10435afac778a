"""Documents generated from the code: `make docs` writes them, and a test fails where they are out of date."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import typer.main

from smoothcall.agents import registry
from smoothcall.app import App
from smoothcall.cli import cli
from smoothcall.experiments import EXPERIMENTS, verdicts
from smoothcall.experiments.exploitability import page
from smoothcall.experiments.verdicts import MEANINGS, Status
from smoothcall.results import LedgerRow, OptionInfo, count_statuses
from smoothcall.solvers import SOLVERS

ROOT = Path(__file__).parents[1]
COUNT, COUNT_END = "<!-- rows of the ledger, made by `make docs` -->", "<!-- end of rows -->"
NOTE = "<!-- Made by `make docs` from the code; change it there. -->"


def _table(heads: list[str], rows: list[list[object]]) -> str:
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in [heads, ["---"] * len(heads), *rows])


def _options(options: Sequence[OptionInfo]) -> str:
    if not options:
        return "It has no options."
    rows: list[list[object]] = [[f"`{each.name}`", f"`{each.default}`", each.accepted, each.help] for each in options]
    return _table(["option", "default", "accepted", "meaning"], rows)


def games() -> str:
    parts = [NOTE, "# Games", 'Options are given as `sc.game("kuhn", pot=8)`, on the command line as `kuhn:pot=8`.']
    found = App().games()
    heads = ["game", "players", "nodes", "deals", "information states"]
    rows: list[list[object]] = [[each.name, each.players, each.nodes, each.deals, each.information_states] for each in found]
    parts.append(_table(heads, rows))
    for game in found:
        parts += [f"## {game.name}", f"{game.summary}.", _options(game.options)]
    return "\n\n".join(parts) + "\n"


def solvers() -> str:
    parts = [NOTE, "# Solvers", "Options are given as `sc.solver(\"mccfr\", game, sampling=\"outcome\")`, on the command line "
             "as `--set sampling=outcome`. All take `seed` and `threads`."]  # fmt: skip
    homes = dict[str, str]()  # the first solver of each module, whose section has the module's text
    for solver in App().solvers():
        module = SOLVERS[solver.name].load().__module__
        home = homes.setdefault(module, solver.name)
        page = inspect.getdoc(sys.modules[module]) or "" if home == solver.name else f"A variant of [{home}](#{home})."
        threads = f"More than one thread: {solver.threads}." if solver.threads else "It runs on one thread."
        summary = solver.summary[0].upper() + solver.summary[1:]
        parts += [f"## {solver.name}", f"*{summary}.*", page, _options(solver.options), threads]
    return "\n\n".join(parts) + "\n"


def players() -> str:
    parts = [NOTE, "# Players", inspect.getdoc(registry) or ""]
    parts.append(
        "`match` accepts all of these names. `evaluate`, `show` and the option `against` of `train` accept all but classes "
        "with `act` and players that search: they have no table. In Python `sc.match` accepts all but ids of runs and `.json`. "
        "`play --terminal --against` accepts all of them too; hands against a class with `act` have no coach and no AIVAT. On "
        "the page and in the JSON API people name ids of listed agents and scripted players, `:greedy` and `:search`, so that "
        "no visitor can name a file of the machine. [Search](search.md) explains `:search`. `smoothcall players` lists names, "
        "those of the agents in `runs` too."
    )
    for kind, heading in ((registry.Kind.SCRIPTED, "Scripted players"), (registry.Kind.BUILT_IN, "Built-in agents")):
        found = [each for each in registry.Registry().players() if each.kind == kind]
        rows: list[list[object]] = [[f"`{each.name}`", each.games, each.summary] for each in found]
        parts += [f"## {heading}", _table(["player", "plays", ""], rows)]
    return "\n\n".join(parts) + "\n"


def _commands(group: Any) -> Iterator[tuple[str, Any]]:
    """Yield every command by its name, those of a group of commands as `group command`."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from ((f"{name} {inner}", each) for inner, each in _commands(command))
        else:
            yield name, command


def command_line() -> str:
    parts = [NOTE, "# Command line"]
    parts.append(
        "Every command but `play` takes `--json` and then prints one JSON object on standard output and nothing else there; "
        "messages and progress go to standard error. Exit status: 0 done, 1 failed, 2 bad usage, 130 stopped by Ctrl-C with "
        "everything saved. Numbers accept `1e6` and `1_000_000`."
    )
    parts.append(
        "`smoothcall --install-completion` teaches the shell to complete commands, options and the names of games, solvers, "
        "players and papers; `smoothcall --show-completion` prints the script instead."
    )
    whole = typer.main.get_command(cli)
    for name, command in _commands(whole):
        with command.make_context(name, ["placeholder"] * 2, resilient_parsing=True, terminal_width=100) as context:
            context.info_name = f"smoothcall {name}"
            parts += [f"## {name}", "```text\n" + command.get_help(context).rstrip() + "\n```"]
    return "\n\n".join(parts) + "\n"


@cache
def ledger_rows() -> tuple[LedgerRow, ...]:
    """Return the rows of all pages, which are made from their data once."""
    return App(ROOT).ledger()


def ledger() -> str:
    parts = [NOTE, "# The ledger of reproductions", inspect.getdoc(verdicts) or ""]
    parts.append(
        "`smoothcall reproduce NAME` measures what a document published and writes its page from the data; "
        "`smoothcall reproduce --list` prints all rows; `smoothcall reproduce --check` fails where a page is not what its "
        "data give."
    )
    rows = ledger_rows()
    lines: list[list[object]] = []
    for paper in dict.fromkeys(row.paper for row in rows):
        found = [row.verdict.status for row in rows if row.paper == paper]
        lines.append([f"[{paper}]({paper}.md)", *(found.count(status) or "" for status in Status), len(found)])
    total = [sum(row.verdict.status == status for row in rows) for status in Status]
    parts.append(_table(["page", *Status, "rows"], [*lines, ["all", *total, len(rows)]]))
    missing = [f"[{paper}]({paper}.md)" for paper in EXPERIMENTS if paper not in {row.paper for row in rows}]
    if missing:
        parts.append(f"Pages of an earlier form, without rows, to be measured again: {', '.join(missing)}.")
    meanings: list[list[object]] = [[status, meaning] for status, meaning in MEANINGS.items()]
    parts.append(_table(["verdict", "meaning"], meanings))
    return "\n\n".join(parts) + "\n"


def exploitability() -> str:
    return page(
        ROOT, "<!-- Made by `make docs` from docs/exploitability.json, which benchmarks/exploitability.py measures. -->"
    )


def readme() -> str:
    """Return the README with the number of rows of the ledger between its two marks."""
    text = (ROOT / "README.md").read_text()
    before, _, rest = text.partition(COUNT)
    _, _, after = rest.partition(COUNT_END)
    rows = ledger_rows()
    return f"{before}{COUNT}\n{len(rows)} rows: {count_statuses(rows)}.\n{COUNT_END}{after}"


PAGES = {
    "docs/games.md": games,
    "docs/solvers.md": solvers,
    "docs/players.md": players,
    "docs/cli.md": command_line,
    "docs/ledger/README.md": ledger,
    "docs/exploitability.md": exploitability,
    "README.md": readme,
}


def main() -> None:
    for name, made in PAGES.items():
        (ROOT / name).write_text(made())


if __name__ == "__main__":
    main()

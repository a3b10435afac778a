"""Cross tables: a match of every pair of players, or of every line-up, and a picture of the results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import isfinite, sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from smoothcall import files
from smoothcall.agents.registry import Registry
from smoothcall.errors import UsageError, unknown
from smoothcall.evaluation.match import Contender, match, seat
from smoothcall.evaluation.policy_match import MatchResult, Stop, Watch, streams
from smoothcall.evaluation.statistics import Estimate
from smoothcall.information.game import Game
from smoothcall.store.curves import new_figure, png
from smoothcall.tasks import HERE, Runner

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIN, LOSE = "#1b7837", "#b2182b"  # readable without colour vision and in print: the sign is written too


@dataclass(frozen=True, slots=True)
class CrossTable:
    """Winnings in mbb/h. Exact figures are estimates without samples.

    With two players, of the row against each column, and the average against all others; with more, one row a line-up and one
    column a place.
    """

    game: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[Estimate | None, ...], ...]  # [rows][columns], None where nobody meets
    labels: tuple[tuple[str, ...], ...]  # [rows][columns]: what is written above the figure; () where nothing is
    done: bool = True
    unit: str = "mbb/h"
    engines: tuple[str, ...] = ()  # that played the matches
    notes: tuple[str, ...] = ()  # where players were replaced by their tables
    picture: str = ""  # the file it was drawn to

    def as_dict(self) -> dict[str, Any]:
        cells = [[None if cell is None else cell.as_dict() for cell in row] for row in self.cells]
        labels = {"labels": [list(row) for row in self.labels]} if self.labels else {}
        about: dict[str, Any] = {"game": self.game, "rows": list(self.rows), "columns": list(self.columns)}
        about |= {"engines": list(self.engines), "notes": list(self.notes), "picture": self.picture}
        return {**about, **labels, "mbb": cells, "done": self.done}


def cross_table(
    of: Game,
    players: Mapping[str, Contender],
    *,
    hands: int | None = None,
    seed: int = 0,
    line_ups: Sequence[Sequence[str]] = (),
    watch: Watch | None = None,
    stop: Stop | None = None,
    runner: Runner = HERE,
) -> CrossTable:
    """Play every pair of a two-player game, `hands` hands each; in games of more players the line-ups, lists of names.

    Without a number of hands, results are exact where they can be. Each match has its own deals.
    """
    names = list(players)
    for name in (name for line_up in line_ups for name in line_up):
        if name not in players:
            raise unknown("player of a line-up", name, names)
    if of.players != 2 and not line_ups:
        raise UsageError(
            f"{of.spec} is for {of.players} players: say which line-ups play (accepted: lists of {of.players} names)"
        )
    if len(names) < 2 and not line_ups:
        raise UsageError(f"{len(names)} players against each other (accepted: 2 or more)")
    meetings = [tuple(line_up) for line_up in line_ups] or list(combinations(names, 2))
    results: dict[int, MatchResult] = {}
    for index, own_seed in enumerate(streams(seed, len(meetings))):
        if stop is not None and stop():
            break

        def tell(fraction: float, index: int = index) -> None:
            if watch is not None:
                watch((index + fraction) / len(meetings))

        met = [players[name] for name in meetings[index]]
        results[index] = match(of, met, names=meetings[index], hands=hands, seed=own_seed, watch=tell, stop=stop, runner=runner)
    engines = tuple(dict.fromkeys(str(result.engine) for result in results.values()))
    notes = tuple(dict.fromkeys(note for result in results.values() for note in result.notes))
    done = len(results) == len(meetings) and all(result.done for result in results.values())
    if line_ups:
        cells = tuple(_figures(results[index]) if index in results else (None,) * of.players for index in range(len(meetings)))
        rows = tuple(str(index + 1) for index in range(len(meetings)))
        columns = tuple(f"player {place + 1}" for place in range(of.players))
        return CrossTable(of.spec, rows, columns, cells, tuple(meetings), done, engines=engines, notes=notes)
    found: dict[tuple[str, str], Estimate] = {}
    for index, result in results.items():
        one, other = meetings[index]
        found[one, other], found[other, one] = _figures(result)
    pairs = tuple((*(found.get((row, column)) for column in names), _average(found, row)) for row in names)
    return CrossTable(of.spec, tuple(names), (*names, "average"), pairs, (), done, engines=engines, notes=notes)


def play_cross_table(
    names: Sequence[str],
    out: Path,
    *,
    registry: Registry | None = None,
    of: str | None = None,
    hands: int | None = None,
    seed: int = 0,
    watch: Watch | None = None,
    stop: Stop | None = None,
    runner: Runner = HERE,
) -> CrossTable:
    """Play the cross table of players named as in `agents.registry`, and draw it into the file `out`."""
    if not out.parent.is_dir():
        raise UsageError(f"cannot write {str(out)!r}: there is no folder {str(out.parent)!r}")
    if len(set(names)) < len(names):
        raise UsageError(f"{', '.join(names)}: a player is named twice (accepted: every player once)")
    played, players = seat(names, registry=registry, of=of, seed=seed)
    seated = dict(zip(names, players, strict=True))
    table = cross_table(played, seated, hands=hands, seed=seed, watch=watch, stop=stop, runner=runner)
    files.write(out, png(draw_table(table)))
    return replace(table, picture=str(out))


def _figures(result: MatchResult) -> tuple[Estimate, ...]:
    """Return the estimates of a match, or its exact result where no hand was played."""
    return result.estimates or tuple(Estimate(value, 0.0, 0) for value in result.exact or ())


def _average(found: Mapping[tuple[str, str], Estimate], name: str) -> Estimate | None:
    """Return the mean of a player's results; the matches are independent."""
    own = [estimate for (one, _), estimate in found.items() if one == name]
    if not own:
        return None
    error = sqrt(sum(estimate.error**2 for estimate in own)) / len(own)
    return Estimate(float(np.mean([estimate.mean for estimate in own])), error, sum(estimate.count for estimate in own))


def draw_table(table: CrossTable) -> Figure:
    """Draw the table: figures with 95 % intervals, coloured by sign, pale where the interval includes 0."""
    from matplotlib.colors import to_rgb

    rows, columns = len(table.rows), len(table.columns)
    longest = max(map(len, table.rows))
    figure = new_figure(width=1.6 + 0.08 * longest + 1.35 * columns, height=1.3 + 0.62 * rows)
    axes = figure.axes[0]
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    size = max((abs(cell.mean) for row in table.cells for cell in row if cell is not None), default=0.0) or 1.0
    picture = np.ones((rows, columns, 3))
    for row, cells in enumerate(table.cells):
        for column, cell in enumerate(cells):
            if cell is None:
                picture[row, column] = 0.94
                continue
            sure = abs(cell.mean) > cell.half_width()
            depth = 0.25 + 0.45 * sqrt(abs(cell.mean) / size) if sure else 0.08 if cell.mean else 0.0
            picture[row, column] = 1 - depth * (1 - np.array(to_rgb(WIN if cell.mean > 0 else LOSE)))
            label = f"{table.labels[row][column]}\n" if table.labels else ""
            axes.text(column, row, label + cell_text(cell), ha="center", va="center", fontsize=9)
    axes.imshow(picture, aspect="auto")
    axes.set_xticks(range(columns), table.columns, fontsize=9)
    if max(map(len, table.columns)) > 18:
        axes.tick_params(axis="x", labelrotation=20)
    axes.set_yticks(range(rows), table.rows)
    axes.tick_params(length=0)
    axes.xaxis.tick_top()
    axes.set_xticks(np.arange(columns - 1) + 0.5, minor=True)
    axes.set_yticks(np.arange(rows - 1) + 0.5, minor=True)
    axes.tick_params(which="minor", length=0)
    axes.grid(visible=True, which="minor", color="white", linewidth=2)
    axes.set_title(title_of(table), fontsize=10, pad=12)
    return figure


def title_of(table: CrossTable) -> str:
    exact = all(cell is None or cell.exact for row in table.cells for cell in row)
    how = "exact" if exact else "with 95 % intervals"
    whose = "of each line-up's players" if table.labels else "of the row's player against the column's"
    return f"{table.game}: {table.unit} {whose}, {how}"


def cell_text(cell: Estimate) -> str:
    """Return the figure with its 95 % interval; an exact figure has none."""
    if cell.exact:
        return f"{cell.mean:+,.1f}"
    half = cell.half_width()
    return f"{cell.mean:+,.1f}\n± {half:,.1f}" if isfinite(half) else f"{cell.mean:+,.1f}\n± ?"

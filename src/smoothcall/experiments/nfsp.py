"""Neural fictitious self-play on Kuhn poker and Leduc hold'em (Heinrich and Silver 2016, as macmanus2019 describes it).

The paper's settings are the solver's defaults. OURS has a higher learning rate and larger batches; the update ratio (two
updates of each network every 128 moves of a player) is the paper's in both.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from smoothcall.evaluation.exploitability import exploitability
from smoothcall.experiments.curves import Curves, draw, spaced
from smoothcall.experiments.ledger import Page
from smoothcall.information.named_games import game
from smoothcall.solvers import solver
from smoothcall.store.curves import new_figure, png

TITLE = "Neural fictitious self-play on Kuhn poker and Leduc hold'em (Heinrich and Silver 2016)"

OURS = {"policy_rate": 0.1, "batch": 512}  # a faster average policy; larger batches reduce its noise


@dataclass(frozen=True, slots=True)
class Training:
    """Training of NFSP in a game, with one curve per seed."""

    label: str
    game: str
    episodes: int
    seeds: int
    options: dict[str, Any] = field(default_factory=dict)
    until: int | None = None  # the last point that is trained; None: all of them

    @property
    def points(self) -> list[int]:
        """Numbers of episodes after which exploitability is measured."""
        return [point for point in spaced(1000, self.episodes, 40) if self.until is None or point <= self.until]

    @property
    def command(self) -> str:
        settings = "".join(f" --set {name}={value}" for name, value in self.options.items())
        return f"smoothcall train {self.game} nfsp --iterations {self.points[-1]:g}{settings} --seed 0"

    @property
    def about(self) -> str:
        """Settings that identify a saved curve."""
        return f"{self.command}, {self.seeds} seeds"


FULL = (
    Training("Kuhn, the paper's settings", "kuhn", 5_000_000, 3),
    Training("Leduc, the paper's settings", "leduc", 5_000_000, 1),
    Training("Leduc, ours", "leduc", 12_000_000, 3, OURS),
)
QUICK = (
    Training("Kuhn, ours", "kuhn", 50_000, 1, OURS),
    Training("Leduc, ours", "leduc", 30_000, 1, OURS),
)
BARS = {"kuhn": (0.02, 180), "leduc": (0.1, 1200)}  # exploitability, and seconds within which it should be reached


Found = dict[str, tuple[Curves, "np.ndarray[Any, Any]"]]  # by label: curves, and [seeds, points] seconds


def report(page: Page, wanted: Sequence[Training], folder: Path, tell: Callable[[str], None]) -> None:
    page.text(
        "Exploitability is the exact NashConv / 2 of the average policy, in chips per hand; bands are the range of the seeds. "
        "Seconds are those of training in one process; evaluations are not counted."
    )
    found = learned(wanted, read(folder / "data.json"), tell)
    for played, title in (("kuhn", "Kuhn poker"), ("leduc", "Leduc hold'em")):
        page.heading(title)
        mine = [each for each in wanted if each.game == played]
        picture(page, mine, found, name=played, title=title)
        page.table(
            ["", "episodes", "exploitability at the end, by seed", "seconds", "command"], [row(each, found) for each in mine]
        )
        bar, limit = BARS[played]
        published = {"kuhn": "(not in the paper)", "leduc": "a curve that falls below 0.1"}[played]
        check(page, mine[-1], found, played, published, bar=bar, limit=limit, judged=wanted is FULL)
    page.text(
        "Training takes most of an hour. `smoothcall reproduce` reuses the curves in this folder's `data.json` that were "
        "trained with the same settings, and trains the others."
    )
    page.data["curves"] = as_data(wanted, found)


def learned(wanted: Sequence[Training], kept: Found, tell: Callable[[str], None]) -> Found:
    """Return curves by label, those of the same settings from `kept` (by settings), and train the others."""
    return {each.label: kept.get(each.about) or followed(each, tell) for each in wanted}


def as_data(wanted: Sequence[Training], found: Found) -> dict[str, Any]:
    """Return the curves as JSON data, in the form that `read` reads."""
    return {
        each.label: found[each.label][0].as_data() | {"seconds": found[each.label][1].tolist(), "about": each.about}
        for each in wanted
    }


def read(file: Path) -> Found:
    """Return the curves of an earlier page by settings; {} if the file is missing or damaged."""
    try:
        lines = json.loads(file.read_text())["curves"].values()
        return {line["about"]: (_curves(line), np.array(line["seconds"])) for line in lines}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def _curves(line: dict[str, Any]) -> Curves:
    return Curves(line["points"], {"exploitability": np.array(line["exploitability"])})


def followed(each: Training, tell: Callable[[str], None]) -> tuple[Curves, Any]:
    """Train every seed; return (curves, [seeds, points] seconds of training)."""
    points, made = each.points, game(each.game)
    figure, seconds = np.empty((each.seeds, len(points))), np.empty((each.seeds, len(points)))
    for seed in range(each.seeds):
        tell(f"{each.label}: {points[-1]:,} episodes, seed {seed}")
        learner, spent = solver("nfsp", made, seed=seed, **each.options), 0.0
        learner.prepare()
        for index, point in enumerate(points):
            started = perf_counter()
            learner.run(point - learner.iterations)
            spent += perf_counter() - started
            figure[seed, index], seconds[seed, index] = exploitability(made, learner.policy()), spent
    return Curves(points, {"exploitability": figure}), seconds


def picture(page: Page, mine: Sequence[Training], found: Found, *, name: str, title: str, intervals: bool = False) -> None:
    """Draw all curves; bands are ranges of the seeds, or 95 % intervals of their mean."""
    figure = new_figure()
    for each in mine:
        draw(figure.axes[0], found[each.label][0], "exploitability", each.label, intervals=intervals)
    figure.axes[0].set(yscale="log", xlabel="episodes", ylabel="exploitability (NashConv / 2)")
    figure.axes[0].legend()
    page.picture(name, png(figure), f"{title}: exploitability over episodes")


def row(each: Training, found: Found) -> list[object]:
    """Return the cells of a table: label, episodes, exploitability at the end, seconds, command."""
    curves, seconds = found[each.label]
    last = ", ".join(f"{value:.3f}" for value in curves.figures["exploitability"][:, -1])
    return [each.label, f"{curves.points[-1]:,}", last, f"{seconds[:, -1].mean():.0f}", f"`{each.command}`"]


def check(
    page: Page, each: Training, found: Found, who: str, published: str, *, bar: float, limit: float, judged: bool
) -> None:
    """Add the check that every seed falls below `bar` within `limit` seconds of training, and stays there."""
    reached, last = below(each, found, bar), found[each.label][0].figures["exploitability"][:, -1]
    page.check(
        f"{who}: exploitability below {bar:g} within {limit} s, every seed",
        published,
        f"stays below after {in_words(reached)}; {last.min():.3f} to {last.max():.3f} at the end",
        passed=all(when is not None and when <= limit for when in reached) if judged else None,
    )


def in_words(reached: Sequence[float | None]) -> str:
    """Return the seconds by seed as text; "not" where the bar was not reached."""
    return ", ".join("not" if when is None else f"{when:.0f} s" for when in reached)


def below(each: Training, found: Found, bar: float) -> list[float | None]:
    """Return by seed the seconds of training after which exploitability stays below the bar; None if it does not."""
    curves, seconds = found[each.label]
    return [_reached(line, spent, bar) for line, spent in zip(curves.figures["exploitability"], seconds, strict=True)]


def _reached(line: Any, spent: Any, bar: float) -> float | None:
    """Return the seconds after which `line` stays below the bar."""
    above = np.flatnonzero(line >= bar)
    after = above[-1] + 1 if len(above) else 0
    return float(spent[after]) if after < len(line) else None

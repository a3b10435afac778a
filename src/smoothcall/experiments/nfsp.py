"""Neural fictitious self-play on Kuhn poker and Leduc hold'em (Heinrich and Silver 2016, as macmanus2019 describes it).

The paper's settings are the solver's defaults. Ours differ in what the comment beside them says; the update ratio (two updates
of each network every 128 moves of a player) is the paper's in both.
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

OURS = {"policy_rate": 0.1, "batch": 512}  # the average policy follows faster, and larger batches make that less noisy


@dataclass(frozen=True, slots=True)
class Learning:
    """Somebody who learns a game for so many episodes."""

    label: str
    game: str
    episodes: int
    seeds: int
    options: dict[str, Any] = field(default_factory=dict)
    until: int | None = None  # one of the points of so many episodes, where it stops

    @property
    def points(self) -> list[int]:
        """When it is measured."""
        return [point for point in spaced(1000, self.episodes, 40) if self.until is None or point <= self.until]

    @property
    def command(self) -> str:
        settings = "".join(f" --set {name}={value}" for name, value in self.options.items())
        return f"smoothcall train {self.game} nfsp --iterations {self.points[-1]:g}{settings} --seed 0"

    @property
    def about(self) -> str:
        """What its curve is learned with."""
        return f"{self.command}, {self.seeds} seeds"


FULL = (
    Learning("Kuhn, the paper's settings", "kuhn", 5_000_000, 3),
    Learning("Leduc, the paper's settings", "leduc", 5_000_000, 1),
    Learning("Leduc, ours", "leduc", 12_000_000, 3, OURS),
)
QUICK = (
    Learning("Kuhn, ours", "kuhn", 50_000, 1, OURS),
    Learning("Leduc, ours", "leduc", 30_000, 1, OURS),
)
BARS = {"kuhn": (0.02, 180), "leduc": (0.1, 1200)}  # exploitability, and seconds in which it should be reached


Found = dict[str, tuple[Curves, "np.ndarray[Any, Any]"]]  # by label: curves, and [seeds, points] seconds


def run(*, quick: bool, out: Path, tell: Callable[[str], None]) -> dict[str, Any]:
    page = Page("nfsp-quick" if quick else "nfsp", TITLE, "smoothcall reproduce nfsp" + (" --quick" if quick else ""))
    page.text(
        "Exploitability is NashConv / 2, exact, in chips a hand, of the average policy; bands are the range of the seeds. "
        "Seconds are those spent learning, on one process of this machine."
    )
    wanted = QUICK if quick else FULL
    found = learned(wanted, read(out / page.name / "data.json"), tell)
    for played, title in (("kuhn", "Kuhn poker"), ("leduc", "Leduc hold'em")):
        page.heading(title)
        mine = [each for each in wanted if each.game == played]
        picture(page, mine, found, name=played, title=title)
        page.table(
            ["", "episodes", "exploitability at the end, by seed", "seconds", "command"], [row(each, found) for each in mine]
        )
        bar, limit = BARS[played]
        published = {"kuhn": "(not in the paper)", "leduc": "a curve that falls below 0.1"}[played]
        check(page, mine[-1], found, played, published, bar=bar, limit=limit, quick=quick)
    page.text(
        "Learning takes most of an hour. `smoothcall reproduce` takes over curves that lie in this folder's `data.json` and "
        "were learned with the same settings, and learns the others."
    )
    page.data["curves"] = as_data(wanted, found)
    return page.write(out)


def learned(wanted: Sequence[Learning], kept: Found, tell: Callable[[str], None]) -> Found:
    """By label. Curves of the same settings are taken from those kept, which go by what they were learned with."""
    return {each.label: kept.get(each.about) or followed(each, tell) for each in wanted}


def as_data(wanted: Sequence[Learning], found: Found) -> dict[str, Any]:
    """What `read` reads."""
    return {
        each.label: found[each.label][0].as_data() | {"seconds": found[each.label][1].tolist(), "about": each.about}
        for each in wanted
    }


def read(file: Path) -> Found:
    """The curves of an earlier page, by what they were learned with; none where there is none, or it cannot be read."""
    try:
        lines = json.loads(file.read_text())["curves"].values()
        return {line["about"]: (_curves(line), np.array(line["seconds"])) for line in lines}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def _curves(line: dict[str, Any]) -> Curves:
    return Curves(line["points"], {"exploitability": np.array(line["exploitability"])})


def followed(each: Learning, tell: Callable[[str], None]) -> tuple[Curves, Any]:
    """(curves, [seeds, points] seconds spent learning)"""
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


def picture(page: Page, mine: Sequence[Learning], found: Found, *, name: str, title: str, intervals: bool = False) -> None:
    """Everybody's curve; bands are ranges of the seeds, or intervals."""
    figure = new_figure()
    for each in mine:
        draw(figure.axes[0], found[each.label][0], "exploitability", each.label, intervals=intervals)
    figure.axes[0].set(yscale="log", xlabel="episodes", ylabel="exploitability (NashConv / 2)")
    figure.axes[0].legend()
    page.picture(name, png(figure), f"{title}: exploitability over episodes")


def row(each: Learning, found: Found) -> list[object]:
    """Label, episodes, exploitability at the end, seconds, command."""
    curves, seconds = found[each.label]
    last = ", ".join(f"{value:.3f}" for value in curves.figures["exploitability"][:, -1])
    return [each.label, f"{curves.points[-1]:,}", last, f"{seconds[:, -1].mean():.0f}", f"`{each.command}`"]


def check(page: Page, each: Learning, found: Found, who: str, published: str, *, bar: float, limit: float, quick: bool) -> None:
    """Whether every seed comes below the bar, in so many seconds of learning, and stays there."""
    reached, last = below(each, found, bar), found[each.label][0].figures["exploitability"][:, -1]
    page.check(
        f"{who}: exploitability below {bar:g} within {limit} s, every seed",
        published,
        f"below for good after {in_words(reached)}; {last.min():.3f} to {last.max():.3f} at the end",
        passed=None if quick else all(when is not None and when <= limit for when in reached),
    )


def in_words(reached: Sequence[float | None]) -> str:
    """Seconds by seed, in words."""
    return ", ".join("not" if when is None else f"{when:.0f} s" for when in reached)


def below(each: Learning, found: Found, bar: float) -> list[float | None]:
    """By seed, after how many seconds of learning the exploitability was below the bar for good; None where it was not."""
    curves, seconds = found[each.label]
    return [_reached(line, spent, bar) for line, spent in zip(curves.figures["exploitability"], seconds, strict=True)]


def _reached(line: Any, spent: Any, bar: float) -> float | None:
    """When the figure was below the bar and stayed there."""
    above = np.flatnonzero(line >= bar)
    after = above[-1] + 1 if len(above) else 0
    return float(spent[after]) if after < len(line) else None

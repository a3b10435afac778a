"""heinrich2014: J. Heinrich and D. Silver, Self-Play Monte-Carlo Tree Search in Computer Poker, 2014: Kuhn poker.

IS-UCT and Smooth IS-UCT on Kuhn poker with several initial pots, both mixing schedules, and a comparison of tree search with
CFR.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from smoothcall.experiments.heinrich2014 import comparison, kuhn, rows, sections
from smoothcall.experiments.ledger import Page
from smoothcall.experiments.parts import Part, Parts

TITLE = "heinrich2014: Self-Play Monte-Carlo Tree Search in Computer Poker (Kuhn poker)"
SOURCES = ("Introduction", "MCTS", "IS-UCT", "Smooth IS-UCT", "Kuhn Poker", "Figure 1", "Figure 2", "Conclusion")


@dataclass(frozen=True, slots=True)
class Size:
    episodes: int  # of a run
    runs: int  # of the learning curves; 10 in the document
    seeds: int  # of the comparisons of schedules and pots
    sweep: int  # seeds of each exploration constant
    compared: float  # share of the full iterations in the comparison of solvers
    compared_seeds: int
    pairs: int  # timed runs of UCT and Smooth UCT


FULL = Size(1_000_000, 10, 200, 50, 1.0, 10, 20)
QUICK = Size(100_000, 3, 5, 3, 0.01, 3, 4)


def measure(parts: Parts, size: Size, folder: Path) -> None:
    """Measure the learning curves, the schedules, and the comparison with CFR."""
    settings: dict[str, Any]
    for pot, factor in kuhn.CURVES:
        settings = {"pot": pot, "factor": factor, "episodes": size.episodes, "runs": size.runs}
        parts.measure(kuhn.curves_name(pot, factor), settings, partial(kuhn.curves, **settings))
    for pot, factor in kuhn.VARIANTS:
        settings = {"pot": pot, "factor": factor, "episodes": size.episodes, "seeds": size.seeds, "rare": kuhn.RARE}
        parts.measure(kuhn.variant_name(pot, factor), settings, partial(kuhn.variant, **settings))
    for factor in kuhn.FACTORS:
        settings = {"pot": kuhn.SWEPT, "factor": factor, "episodes": size.episodes, "seeds": size.sweep, "rare": kuhn.RARE}
        parts.measure(kuhn.sweep_name(factor), settings, partial(kuhn.variant, **settings))
    for pot in kuhn.POTS:
        settings = {"pot": pot, "factor": pot / kuhn.STANDARD, "episodes": size.episodes, "seeds": size.sweep}
        parts.measure(kuhn.calls_name(pot), settings, partial(kuhn.calls, **settings))
    settings = {"episodes": size.episodes, "seeds": size.seeds, "rare": kuhn.RARE}
    parts.measure("exact folds", settings, partial(kuhn.exact_folds, **settings))
    parts.measure("eta 1", {"episodes": size.episodes}, partial(comparison.constant_mixing, size.episodes))
    timed = {"episodes": size.episodes, "pairs": size.pairs}
    parts.measure("overhead", timed, partial(comparison.overhead, **timed))
    settings = {"name": comparison.GAMES[0], "points": [comparison.EARLY, kuhn.EVERY], "seeds": size.seeds}
    parts.measure("early", settings, partial(comparison.first_learning, **settings))
    for name in comparison.GAMES:
        for label in comparison.COMPARED:
            settings = {"name": name, "label": label, "share": size.compared, "seeds": size.compared_seeds}
            parts.measure(f"{name}, {label}", settings, partial(comparison.compare, **settings))


def write(page: Page, parts: Mapping[str, Part]) -> None:
    for row in rows.rows(parts):
        page.row(row)
    sections.write(page, parts)

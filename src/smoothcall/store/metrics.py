"""Evaluations of a run, one line of `metrics.jsonl` each, at log-spaced iterations."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from smoothcall import files
from smoothcall.errors import DamagedFile
from smoothcall.evaluation.exploitability import evaluate
from smoothcall.files import field, optional
from smoothcall.policy import Policy
from smoothcall.solvers import Solver
from smoothcall.solvers.base import Winnings

METRICS = "metrics.jsonl"
POINTS_PER_DECADE = 8


@dataclass(frozen=True, slots=True)
class Metric:
    """One evaluation of the policy learned so far; values are chips a hand.

    In games whose deals are sampled, NashConv is not computed and `values` are the mean winnings in self-play so far. A learner
    that plays freezeouts has no `values` either: it counts chips won per freezeout.
    """

    iterations: int
    seconds: float
    nodes: int
    nash_conv: float | None
    exploitability: float | None
    values: tuple[float, ...]
    epsilons: tuple[float, ...]
    freezeouts: tuple[float, int] | None = None  # chips the learner has won in freezeouts so far, and how many have ended

    @property
    def shape(self) -> tuple[int, int, bool, bool]:
        """Return what all evaluations of a run have in common: numbers of values, and which figures are known."""
        return len(self.values), len(self.epsilons), self.nash_conv is None, self.freezeouts is None

    @property
    def won(self) -> Winnings | None:
        """Return the winnings so far, where the evaluation records winnings."""
        if self.freezeouts is not None:
            return Winnings(self.freezeouts[:1], self.freezeouts[1], "freezeout")
        if self.nash_conv is not None or not self.values:
            return None
        return Winnings(tuple(value * self.iterations for value in self.values), self.iterations, "hand")

    def since(self, before: Metric | None) -> Winnings | None:
        """Return the winnings since an earlier evaluation, or since the start; None where no hand or freezeout has ended."""
        now, past = self.won, before.won if before is not None else None
        if now is None or now.count == 0:
            return None
        if past is None:
            return now
        chips = (late - early for late, early in zip(now.chips, past.chips, strict=True))
        return Winnings(tuple(chips), now.count - past.count, now.each) if now.count > past.count else None


def measure(solver: Solver, seconds: float, policy: Policy | None) -> Metric:
    """Evaluate a policy of a solver after `seconds` of learning. Without a policy, or where deals are sampled: the winnings."""
    so_far: dict[str, Any] = {"iterations": solver.iterations, "seconds": round(seconds, 6), "nodes": solver.nodes}
    if policy is None or solver.game.sampled:
        won = solver.won or Winnings((), 0, "hand")
        so_far |= {"nash_conv": None, "exploitability": None, "epsilons": ()}
        if won.each == "freezeout":
            return Metric(**so_far, values=(), freezeouts=(won.chips[0], won.count))
        return Metric(**so_far, values=tuple(chips / max(1, won.count) for chips in won.chips))
    found = evaluate(solver.game, policy)
    return Metric(
        **so_far,
        nash_conv=found.nash_conv,
        exploitability=found.exploitability,
        values=found.values,
        epsilons=found.epsilons,
    )


def evaluation_points() -> Iterator[int]:
    """Yield log-spaced numbers of iterations without end: 1, 2, 3, 4, 6, 8, 10, 14, ..."""
    last, power = 0, 0
    while True:
        point = math.floor(10 ** (power / POINTS_PER_DECADE) + 0.5)
        if point > last:
            yield point
            last = point
        power += 1


def read_metrics(folder: Path) -> list[Metric]:
    """Return the evaluations of a run, up to the first line that is cut off or damaged."""
    path, metrics = folder / METRICS, list[Metric]()
    for line in files.read_bytes(path, "list of evaluations").splitlines() if path.exists() else []:
        try:
            metric = _metric_of(files.parse_json("evaluation", line))
        except DamagedFile:
            break
        if metrics and metric.shape != metrics[0].shape:
            break
        metrics.append(metric)
    return metrics


def _metric_of(line: Any) -> Metric:
    """Return the evaluation of a parsed line, its fields checked."""
    ended = optional(line, "freezeouts", list)
    if ended is not None and (len(ended) != 2 or type(ended[1]) is not int):
        raise DamagedFile("'freezeouts' (accepted: chips won, freezeouts ended)")
    return Metric(
        iterations=field(line, "iterations", int, low=0),
        seconds=field(line, "seconds", float, low=0),
        nodes=field(line, "nodes", int, low=0),
        nash_conv=optional(line, "nash_conv", float),
        exploitability=optional(line, "exploitability", float),
        values=_numbers(field(line, "values", list)),
        epsilons=_numbers(field(line, "epsilons", list)),
        freezeouts=None if ended is None else (_numbers(ended)[0], ended[1]),
    )


def _numbers(values: list[Any]) -> tuple[float, ...]:
    """Return a list of finite numbers."""
    return tuple(field({"number": value}, "number", float) for value in values)


def to_line(metric: Metric) -> str:
    """Return the line of an evaluation."""
    fields = {name: getattr(metric, name) for name in Metric.__slots__}
    if metric.freezeouts is None:
        del fields["freezeouts"]
    return json.dumps(fields) + "\n"

"""Figures of the hold'em page, read from its parts for rows and sections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from smoothcall.evaluation.statistics import Estimate
from smoothcall.experiments.heinrich2014.figures import read
from smoothcall.experiments.heinrich2014_holdem.measures import won
from smoothcall.experiments.parts import Part
from smoothcall.experiments.verdicts import Criterion, Deviation, Measured

Found = Mapping[str, Part]
NOT_MEASURED = Deviation("nothing", "not measured: it takes computing time that this size does not have")
UNIT = "mbb/h"


def iterations_of(part: Part) -> float:
    """Return the iterations of the agent that a part measures, from the command that trained it."""
    command = part.settings.get("agent") or part.settings["agents"][0]
    return float(command.split("--iterations ")[1].split()[0])


def points_of(parts: Found, label: str) -> dict[float, Any]:
    """Return the figures of an agent's learning curve by iterations."""
    found = {iterations_of(part): part.figures for name, part in parts.items() if name.rpartition(", ")[0] == f"curve, {label}"}
    return dict(sorted(found.items()))


def figure(estimate: Estimate | None, label: str = "", criterion: Criterion | None = None) -> tuple[Measured, ...]:
    """Return a figure in mbb/h as the cell of a row; () where it was not measured."""
    return () if estimate is None else (Measured(estimate, criterion, label, "+.0f", UNIT),)


def unless_measured(measured: Sequence[Measured]) -> tuple[Deviation, ...]:
    return () if measured else (NOT_MEASURED,)


def winnings(parts: Found, name: str, row: str, column: str) -> Estimate | None:
    """Return what a row wins against a column in a cross table; None where either does not play."""
    part = parts.get(name)
    if part is None or row not in part.figures["rows"] or column not in part.figures["columns"]:
        return None
    return won(part.figures, row, column)


def bound(parts: Found, label: str, form: str, kind: str) -> Estimate | None:
    """Return a lower bound of what a best response wins of an agent."""
    part = parts.get(f"bounds, {label}, {form}")
    return None if part is None or kind not in part.figures else read(part.figures[kind])

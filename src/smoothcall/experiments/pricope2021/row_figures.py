"""What a row has besides its statement: helpers of the modules that make rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import NormalDist

from smoothcall.experiments.pricope2021.data import Data
from smoothcall.experiments.pricope2021.published import FREEZEOUTS
from smoothcall.experiments.pricope2021.results import Played
from smoothcall.experiments.verdicts import Deviation, Measured, Row

Z = NormalDist().inv_cdf(0.975)


def ours(
    *measured: Measured, deviations: Sequence[Deviation] = (), smaller: float = 1.0, cause: str = "", note: str = ""
) -> Row:
    """Return what a row has besides the statement."""
    return Row("", "", "", measured, tuple(deviations), max(smaller, 1.0), cause, note)


def smaller(data: Data, label: str) -> float:
    """Return the paper's number of freezeouts of training divided by ours."""
    return FREEZEOUTS / data.points(label)[-1]


def mbb_of(data: Data) -> Callable[[Played], float]:
    return lambda played: played.mbb(data.blind).mean


def stack_of(data: Data) -> Callable[[Played], float]:
    return lambda played: played.stack(data.stack).mean


def late_version(data: Data, label: str) -> int:
    """Return the version of 45 hours."""
    return data.points(label)[-2]

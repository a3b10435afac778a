"""What a row has besides its statement: helpers of the modules that make rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from statistics import NormalDist

from smoothcall.experiments.pricope2021.data import Data
from smoothcall.experiments.pricope2021.published import FREEZEOUTS
from smoothcall.experiments.pricope2021.results import Played
from smoothcall.experiments.verdicts import Deviation, Measured, Row, deviating
from smoothcall.kernels.agents.features import FEATURES

Z = NormalDist().inv_cdf(0.975)
SHORT = 10  # a training of a smaller fraction of the paper's games is not compared
DENSE = f"dense networks on {FEATURES} numbers, not convolutional ones on images of 17 x 17 x 9"


def ours(
    *measured: Measured, deviations: Sequence[Deviation] = (), smaller: float = 1.0, cause: str = "", note: str = ""
) -> Row:
    """Return what a row has besides the statement."""
    return Row("", "", "", measured, tuple(deviations), max(smaller, 1.0), cause, note)


def dense(make: Callable[[Data], Row]) -> Callable[[Data], Row]:
    """Add to a row the deviation that its agents have dense networks, and what its criteria find for these agents."""

    @wraps(make)
    def made(data: Data) -> Row:
        return deviating(make(data), "algorithm", DENSE)

    return made


def smaller(data: Data, label: str, freezeouts: int = FREEZEOUTS) -> float:
    """Return the paper's number of freezeouts of training divided by ours, of all seeds."""
    return freezeouts / data.shared_points(label)[-1]


def too_short(data: Data, label: str) -> list[Deviation]:
    """Return the deviation of a training that is far shorter than the paper's: what it shows, or does not, decides nothing."""
    at = data.shared_points(label)[-1]
    text = f"{at:,} games of training, of the paper's {FREEZEOUTS:,}"
    return [Deviation("size", text)] if SHORT * at < FREEZEOUTS else []


def mbb_of(data: Data) -> Callable[[Played], float]:
    return lambda played: played.mbb(data.blind).mean


def stack_of(data: Data) -> Callable[[Played], float]:
    return lambda played: played.stack(data.stack).mean


def late_version(data: Data, label: str) -> int:
    """Return the version of 45 hours."""
    return data.points(label)[-2]

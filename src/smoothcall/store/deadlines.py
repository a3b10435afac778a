"""How long a call may wait for the database. A deadline belongs to the calling thread and to everything it calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic

LIMIT = 1.8  # seconds that a transaction may wait for the database, so that answers come within 2
_deadline: ContextVar[float | None] = ContextVar("deadline", default=None)
_stopped: ContextVar[Callable[[], bool] | None] = ContextVar("stopped", default=None)


class Stopped(Exception):
    """Nobody waits for the result of this work any more."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Let the calls of this block wait for so many seconds in all, or for what is left of an outer block if that is less."""
    outer, ends = _deadline.get(), monotonic() + seconds
    mark = _deadline.set(ends if outer is None else min(ends, outer))
    try:
        yield
    finally:
        _deadline.reset(mark)


def remaining() -> float:
    """Return the seconds left, not below 0."""
    ends = _deadline.get()
    return LIMIT if ends is None else max(0.0, ends - monotonic())


@contextmanager
def stoppable(stopped: Callable[[], bool]) -> Iterator[None]:
    """Let `check_stopped` in this block raise Stopped once `stopped()` is true."""
    mark = _stopped.set(stopped)
    try:
        yield
    finally:
        _stopped.reset(mark)


def check_stopped() -> None:
    """Raise Stopped if nobody waits for this work any more. Long loops call it."""
    stopped = _stopped.get()
    if stopped is not None and stopped():
        raise Stopped

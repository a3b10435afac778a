"""Progress and warnings of long work, from anywhere in the package to whoever watches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Watcher = Callable[[str, float], None]  # (what is being done, the fraction done from 0 to 1; below 0: a warning)
_watchers: list[Watcher] = []


def warn(what: str) -> None:
    """Tell watchers about something that went wrong and did no harm."""
    for watcher in _watchers:
        watcher(what, -1.0)


def report(what: str, fraction: float) -> None:
    """Tell watchers how much of some work is done."""
    for watcher in _watchers:
        watcher(what, fraction)


@contextmanager
def watched(watcher: Watcher) -> Iterator[None]:
    """Call `watcher` with every report and warning inside the `with` block."""
    _watchers.append(watcher)
    try:
        yield
    finally:
        _watchers.remove(watcher)

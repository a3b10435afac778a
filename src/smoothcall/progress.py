"""What is going on, for whoever watches: work that takes seconds says how far it is, wherever in the package it is done."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Watcher = Callable[[str, float], None]  # (what is being done, how much of it is done, from 0 to 1; below 0: a warning)
_watchers: list[Watcher] = []


def warn(what: str) -> None:
    """Something that is no error and went otherwise than it should."""
    for watcher in _watchers:
        watcher(what, -1.0)


def report(what: str, fraction: float) -> None:
    for watcher in _watchers:
        watcher(what, fraction)


@contextmanager
def watched(watcher: Watcher) -> Iterator[None]:
    """Call `watcher` with every report made inside."""
    _watchers.append(watcher)
    try:
        yield
    finally:
        _watchers.remove(watcher)

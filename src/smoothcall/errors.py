"""The errors that are the caller's to mend: they name the thing, the value given and what is accepted."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class UsageError(ValueError):
    """Wrong input. The command line prints it on one line and exits with status 2."""


class DamagedFile(UsageError):
    """A file does not hold what its format says."""


class Unauthenticated(UsageError):
    """Who asks is not known, or no longer."""


class NotFound(UsageError):
    """There is no such thing, or none that the asker may know of."""


class Forbidden(UsageError):
    """Not now: it would show what must stay hidden until a hand is over."""

    def __init__(self, text: str, table: str | None = None) -> None:
        super().__init__(text)
        self.table = table  # where that hand is played


class StorageError(UsageError):
    """What was asked could not be written down, through no fault of the asker; nothing has changed."""


class Conflict(UsageError):
    """Asked of a state that is gone: the same button twice, or an old form."""


def unknown(what: str, given: str, accepted: Iterable[str]) -> UsageError:
    """An error for a name that is not in a list, suggesting the closest one that is."""
    names = list(accepted)
    close = get_close_matches(given.lower(), names, n=1, cutoff=0.5)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    listed = ", ".join(names) if names else "none"
    return UsageError(f"unknown {what} {given!r}{hint} (accepted: {listed})")

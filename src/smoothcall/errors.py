"""Errors that a user can fix. Their texts name the thing, the value given and what is accepted."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class UsageError(ValueError):
    """Wrong input. The command line prints it on one line and exits with status 2."""


class DamagedFile(UsageError):
    """A file does not hold what its format says."""


class Unauthenticated(UsageError):
    """The person who asks is not known, or no longer."""


class NotFound(UsageError):
    """There is no such thing, or none that the person who asks may know of."""


class Forbidden(UsageError):
    """Not allowed now: it would reveal something about hidden cards while a hand is played, or the match is over."""

    def __init__(self, text: str, table: str | None = None) -> None:
        super().__init__(text)
        self.table = table  # the id of the table that is the reason


class StorageError(UsageError):
    """The database failed, through no fault of the person who asked. The text says whether something may have changed."""


class Overloaded(UsageError):
    """Too much is asked for at once; the request was not begun."""


class Conflict(UsageError):
    """The request is about an earlier state: a button pressed twice, or an old form."""


class PlayerFailed(Exception):
    """A player or a program from outside failed, through no fault of the user's input. The command line exits with status 1."""


def unknown(what: str, given: str, accepted: Iterable[str]) -> UsageError:
    """Return an error for a name that is not in a list, with the closest name that is."""
    names = list(accepted)
    close = get_close_matches(given.lower(), names, n=1, cutoff=0.5)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    listed = ", ".join(names) if names else "none"
    return UsageError(f"unknown {what} {given!r}{hint} (accepted: {listed})")

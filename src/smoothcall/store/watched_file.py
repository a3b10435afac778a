"""Notice that the file of a database was deleted or replaced: whoever has it open would go on writing into nothing."""

from __future__ import annotations

import os
from pathlib import Path


class Removed(OSError):
    """The file of the database is not the one that was opened."""


class WatchedFile:
    """The file of an SQLite database, as it was when it was opened."""

    def __init__(self, path: Path) -> None:
        self._path, self._log = os.fspath(path), f"{os.fspath(path)}-wal"
        self._identity = self._now()

    def verify(self) -> None:
        """Raise Removed if the file is gone or another one."""
        if self._now() != self._identity:
            raise Removed("the database file was removed or replaced while it was in use: start again with the right file")

    def verify_written(self) -> None:
        """Raise Removed if the file, or the log that SQLite writes commits to, is gone."""
        self.verify()
        if not os.path.exists(self._log):
            raise Removed("the write-ahead log of the database was removed while it was in use: start again")

    def _now(self) -> tuple[int, int] | None:
        try:
            found = os.stat(self._path)
        except OSError:
            return None
        return found.st_dev, found.st_ino

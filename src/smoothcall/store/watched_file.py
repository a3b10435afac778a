"""Notice that the file of a database was deleted or replaced: whoever has it open would go on writing into nothing."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from smoothcall.errors import UsageError


class Removed(OSError):
    """The file of the database is not the one that was opened."""


class WatchedFile:
    """The file of an SQLite database in WAL mode, as it was when it was opened.

    A connection that has read from it stays open. SQLite deletes the write-ahead log when the last connection is closed, so a
    missing log means that somebody else removed it.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._log = os.fspath(path), f"{os.fspath(path)}-wal"
        try:
            self._connection = sqlite3.connect(self._path, check_same_thread=False)
            self._connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except sqlite3.Error as error:
            raise UsageError(f"database {self._path!r} cannot be opened ({error})") from None
        self._identity = self._now()

    def close(self) -> None:
        self._connection.close()

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

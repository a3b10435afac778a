"""Move what was committed from SQLite's log into the database, beside the commits instead of within one of them.

SQLite does so within the commit that makes the log long (1,000 pages), and everybody who writes waits: 0.2 to 0.4 s every five
seconds with 200 tables in play. A thread that does it every second leaves those commits little to move.
"""

from __future__ import annotations

import threading

import sqlalchemy as sql
from sqlalchemy.engine import Connection, Engine

PAUSE = 1.0  # seconds between two of them


class Checkpoints:
    """A thread that moves committed pages while others read and write."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._committed, self._closed = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._work, name="checkpoints", daemon=True)
        self._thread.start()

    def committed(self) -> None:
        """Say that there is something to move."""
        self._committed.set()

    def close(self, seconds: float) -> None:
        """End the thread; wait for it for so many seconds."""
        self._closed.set()
        self._committed.set()
        self._thread.join(seconds)

    def _work(self) -> None:
        connection = None
        while not self._closed.wait(PAUSE):
            self._committed.wait()
            self._committed.clear()
            if self._closed.is_set():
                break
            try:
                connection = connection or self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
                connection.exec_driver_sql("PRAGMA wal_checkpoint(PASSIVE)").all()  # what can be moved without waiting
            except sql.exc.SQLAlchemyError:  # a later one moves it, or a commit
                _drop(connection)
                connection = None
        _drop(connection)


def _drop(connection: Connection | None) -> None:
    if connection is not None:
        connection.invalidate()
        connection.close()

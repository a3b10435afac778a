"""Commit the changes of many threads to an SQLite file together: one synchronisation with the disk for all that are waiting.

A change is a function of a connection, and `run` returns when the transaction that contains it is committed. If one of a group
fails, all are rolled back and each is carried out by itself. Savepoints would do too, but every statement gives up the
interpreter's lock, and under load gets it back late.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import sqlalchemy as sql
from sqlalchemy.engine import Connection, Engine

from smoothcall.store.checkpoints import Checkpoints
from smoothcall.store.gathering import GRACE, Gathering, Pending, seconds_left
from smoothcall.store.watched_file import WatchedFile

T = TypeVar("T")
Change = Pending[Callable[[Connection], Any], Any]


class CommitFailed(Exception):
    """The commit of a change failed. Its cause is the error of the database."""


class GroupCommit:
    """One thread that writes, for all who ask."""

    def __init__(self, engine: Engine, file: WatchedFile | None = None) -> None:
        """`file`: verified before and after each commit."""
        self._engine, self._file = engine, file
        self._connection: Connection | None = None
        self._checkpoints = Checkpoints(engine)
        self._changes: Gathering[Callable[[Connection], Any], Any] = Gathering("group commit", self._carry_out)

    def run(self, call: Callable[[Connection], T]) -> T:
        """Return what `call` returned, once it is committed."""
        return self._changes.ask(call)  # type: ignore[no-any-return]

    def close(self) -> None:
        """Finish what has been asked for, for as long as a change may take."""
        if self._changes.close():
            self._drop()
        self._checkpoints.close(GRACE)

    def _carry_out(self, group: list[Change]) -> None:
        try:
            together = self._commit(group)
        except BaseException:
            self._drop()
            raise
        for change in () if together else group:  # one of them broke the transaction: each by itself
            self._alone(change)

    def _alone(self, change: Change) -> None:
        change.error = None
        try:
            if not self._commit([change]):
                self._drop()
        except BaseException as error:
            self._drop()
            change.error = error

    def _commit(self, group: list[Change]) -> bool:
        """Carry out changes in one transaction; False, and none is carried out, if one of several failed.

        The file is verified once for all of them, before and after: every look at it gives up the interpreter's lock.
        """
        if self._file is not None:
            self._file.verify()
        if self._connection is None:
            self._connection = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        connection = self._connection
        connection.exec_driver_sql(f"PRAGMA busy_timeout={int(1000 * seconds_left(group))}")
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        for change in group:
            try:
                change.result = change.asked(connection)
            except Exception as error:
                change.error = error
                connection.exec_driver_sql("ROLLBACK")
                return len(group) == 1
        try:
            connection.exec_driver_sql("COMMIT")
            if self._file is not None:
                self._file.verify_written()
        except (sql.exc.SQLAlchemyError, OSError) as error:
            raise CommitFailed from error
        self._checkpoints.committed()
        return True

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.invalidate()
            connection.close()

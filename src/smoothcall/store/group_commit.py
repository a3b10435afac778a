"""Commit the changes of many threads to an SQLite file together: one synchronisation with the disk for all that are waiting.

A change is a function of a connection, and `run` returns when the transaction that contains it is committed. If one of a group
fails, all are rolled back and each is carried out by itself. Savepoints would do too, but every statement gives up the
interpreter's lock, and under load gets it back late.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any, TypeVar

import sqlalchemy as sql
from sqlalchemy.engine import Connection, Engine

from smoothcall.store.checkpoints import Checkpoints
from smoothcall.store.deadlines import remaining

T = TypeVar("T")
LARGEST = 64  # changes in one transaction
GRACE = 3.0  # seconds to wait for a transaction that has begun, so that its outcome is known


class NotInTime(Exception):
    """The database did not take a change in time. `begun`: whether it may yet be carried out."""

    def __init__(self, *, begun: bool) -> None:
        super().__init__("the database is busy")
        self.begun = begun


class CommitFailed(Exception):
    """The commit of a change failed. Its cause is the error of the database."""


class _Change:
    def __init__(self, call: Callable[[Connection], Any], seconds: float) -> None:
        self.call, self.seconds, self.ends = call, seconds, monotonic() + seconds
        self.lock, self.done = threading.Lock(), threading.Event()
        self.state = "waiting"  # then "begun" or "abandoned"
        self.result: Any = None
        self.error: BaseException | None = None

    def claim(self, state: str) -> bool:
        """Move from waiting to another state; False if it has moved already."""
        with self.lock:
            if self.state != "waiting":
                return False
            self.state = state
            return True


class GroupCommit:
    """One thread that writes, for all who ask."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._queue: SimpleQueue[_Change | None] = SimpleQueue()
        self._connection: Connection | None = None
        self._checkpoints = Checkpoints(engine)
        self._thread = threading.Thread(target=self._work, name="group commit", daemon=True)
        self._thread.start()

    def run(self, call: Callable[[Connection], T]) -> T:
        """Return what `call` returned, once it is committed."""
        change = _Change(call, remaining())
        self._queue.put(change)
        if not change.done.wait(change.seconds) and (change.claim("abandoned") or not change.done.wait(GRACE)):
            raise NotInTime(begun=change.state == "begun")
        if change.error is not None:
            raise change.error
        return change.result  # type: ignore[no-any-return]

    def close(self) -> None:
        """Finish what has been asked for, for as long as a change may take."""
        self._queue.put(None)
        self._thread.join(GRACE)
        self._checkpoints.close(GRACE)

    def _work(self) -> None:
        while (first := self._queue.get()) is not None:
            group, more = [first], True
            while more and len(group) < LARGEST:
                try:
                    found = self._queue.get_nowait()
                except Empty:
                    break
                if found is None:
                    self._queue.put(None)
                    more = False
                else:
                    group.append(found)
            self._carry_out([change for change in group if change.claim("begun")])
        self._drop()

    def _carry_out(self, group: list[_Change]) -> None:
        if not group:
            return
        try:
            together = self._commit(group)
        except BaseException as error:
            self._drop()
            for change in group:
                change.error = error
        else:
            for change in () if together else group:  # one of them broke the transaction: each by itself
                self._alone(change)
        for change in group:
            change.done.set()

    def _alone(self, change: _Change) -> None:
        change.error = None
        try:
            if not self._commit([change]):
                self._drop()
        except BaseException as error:
            self._drop()
            change.error = error

    def _commit(self, group: list[_Change]) -> bool:
        """Carry out changes in one transaction; False, and none is carried out, if one of several failed."""
        if self._connection is None:
            self._connection = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        connection = self._connection
        wait = int(1000 * max(0.05, min(change.ends for change in group) - monotonic()))
        connection.exec_driver_sql(f"PRAGMA busy_timeout={wait}")
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        for change in group:
            try:
                change.result = change.call(connection)
            except Exception as error:
                change.error = error
                connection.exec_driver_sql("ROLLBACK")
                return len(group) == 1
        try:
            connection.exec_driver_sql("COMMIT")
        except sql.exc.SQLAlchemyError as error:
            raise CommitFailed from error
        self._checkpoints.committed()
        return True

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.invalidate()
            connection.close()

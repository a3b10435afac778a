"""Connections to PostgreSQL that give up at the caller's deadline, also when the server does not answer at all.

A statement commits itself unless a transaction has begun. SQLAlchemy begins one with every connection (`begin`) but those with
the option SINGLE, which execute one statement: one answer of the server, where a transaction needs three.
"""

from __future__ import annotations

import select
from collections.abc import Generator
from time import monotonic
from typing import Any, cast

import sqlalchemy as sql
from psycopg import Connection, Error, OperationalError
from psycopg.pq import TransactionStatus

from smoothcall.store.deadlines import LIMIT, remaining

SINGLE = "single"  # option of SQLAlchemy's connections
SHUT_DOWN = ("57P01", "57P02")  # errors that end a connection, perhaps after a commit
MILLISECONDS = int(1000 * LIMIT)
OPTIONS = f"-c statement_timeout={MILLISECONDS} -c lock_timeout={MILLISECONDS} -c idle_in_transaction_session_timeout=10000"


class TimedConnection(Connection[Any]):
    """A connection that is closed when an answer takes longer than the caller waits: its state is unknown then."""

    @classmethod
    def _connect_gen(cls, conninfo: str = "") -> Generator[Any, Any, TimedConnection]:
        """Open a connection within the time that is left; psycopg's own time-out is two seconds at least."""
        ends, ready = monotonic() + remaining(), None
        steps: Generator[Any, Any, Any] = super()._connect_gen(conninfo)
        try:
            while True:
                wanted = steps.send(ready)
                if monotonic() >= ends:
                    raise OperationalError("the database did not answer in time")
                ready = yield wanted
        except StopIteration as opened:
            return cast(TimedConnection, opened.value)
        finally:
            steps.close()

    def wait(self, gen: Any, interval: float = 0.1, timeout: float | None = None) -> Any:
        left = remaining()
        try:
            return super().wait(gen, interval, left if timeout is None else min(left, timeout))
        except OperationalError:
            if self.pgconn.transaction_status in (TransactionStatus.ACTIVE, TransactionStatus.UNKNOWN):
                self.pgconn.finish()
            raise


def connect(dialect: object, record: object, arguments: Any, options: dict[str, Any]) -> TimedConnection:
    """Open a connection; SQLAlchemy's `do_connect`."""
    if remaining() <= 0:
        raise OperationalError("no time is left to connect")
    given = f"{options.pop('options', '')} {OPTIONS}".strip()
    return TimedConnection.connect(*arguments, **options, options=given, autocommit=True)


def begin(connection: sql.Connection) -> None:
    """Begin a transaction; SQLAlchemy's `begin`. Commits and rollbacks are psycopg's own."""
    if not connection.get_execution_options().get(SINGLE):
        connection.exec_driver_sql("BEGIN")


def undone(error: BaseException) -> bool:
    """Return whether a single statement that failed has changed nothing: the server says so, and goes on."""
    state = getattr(getattr(error, "orig", None), "sqlstate", None)
    return state is not None and state not in SHUT_DOWN


def verify_open(connection: TimedConnection, record: object, proxy: object) -> None:
    """Have SQLAlchemy replace all connections if the server has closed this one, which nobody used; a pool's `checkout`.

    There is nothing to read from a connection that is idle, so only one from which something can be read is tried. Trying each
    would double the time that the queries of a move take.
    """
    poll = select.poll()
    try:
        poll.register(connection.fileno(), select.POLLIN)
        if poll.poll(0):
            connection.execute("SELECT 1")
    except Error as error:
        raise sql.exc.InvalidatePoolError from error

"""Connections to PostgreSQL that give up at the caller's deadline, also when the server does not answer at all."""

from __future__ import annotations

from typing import Any

from psycopg import Connection, OperationalError
from psycopg.pq import TransactionStatus

from smoothcall.store.deadlines import LIMIT, remaining

MILLISECONDS = int(1000 * LIMIT)
OPTIONS = f"-c statement_timeout={MILLISECONDS} -c lock_timeout={MILLISECONDS} -c idle_in_transaction_session_timeout=10000"


class TimedConnection(Connection[Any]):
    """A connection that is closed when an answer takes longer than the caller waits: its state is unknown then."""

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
    left = remaining()
    if left <= 0:
        raise OperationalError("no time is left to connect")
    given = f"{options.pop('options', '')} {OPTIONS}".strip()
    return TimedConnection.connect(*arguments, **{"connect_timeout": max(1, round(left)), **options, "options": given})

"""Connections to PostgreSQL that give up at the caller's deadline, also when the server does not answer at all."""

from __future__ import annotations

from collections.abc import Generator
from time import monotonic
from typing import Any, cast

from psycopg import Connection, OperationalError
from psycopg.pq import TransactionStatus

from smoothcall.store.deadlines import LIMIT, remaining

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
    return TimedConnection.connect(*arguments, **options, options=given)

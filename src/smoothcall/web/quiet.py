"""A log that stays short whatever is sent: of records with the same text, a few a minute are written and the others counted."""

from __future__ import annotations

import logging
from collections.abc import Callable
from time import monotonic

FEW = 5  # records with the same text
PERIOD = 60.0  # seconds
TEXTS = 1000  # that are told apart; the next begin anew
LOGGERS = ("uvicorn.error", "asyncio", "smoothcall.store.histories", "smoothcall.web")


class Quiet(logging.Filter):
    """Lets `FEW` records of a text pass in each `PERIOD`; the first of the next period says how many were left out."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        super().__init__()
        self._clock, self._seen = clock, dict[tuple[str, str], tuple[float, int]]()

    def filter(self, record: logging.LogRecord) -> bool:
        cause = record.exc_info[0].__name__ if record.exc_info and record.exc_info[0] is not None else ""
        text, now = (str(record.msg)[:200], cause), self._clock()
        began, count = self._seen.get(text, (now, 0))
        left_out = max(0, count - FEW)
        if now - began >= PERIOD:
            began, count = now, 0
            if left_out:
                record.msg = f"{record.msg} ({left_out} more like this were left out)"
        if len(self._seen) >= TEXTS and text not in self._seen:
            self._seen.clear()
        self._seen[text] = (began, count + 1)
        return count < FEW


def keep_quiet() -> None:
    """Shorten the logs of the server, once per process."""
    for name in LOGGERS:
        logger = logging.getLogger(name)
        if not any(isinstance(known, Quiet) for known in logger.filters):
            logger.addFilter(Quiet())

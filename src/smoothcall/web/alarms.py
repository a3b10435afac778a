"""Sleep for exact times in an event loop.

Linux's epoll ends whole milliseconds after it began, and with it the sleeps of asyncio. What sleeps until a fixed time wakes
late by a part of a millisecond that tells when it fell asleep. With a timer of the kernel (timerfd) it does not.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import sys
from heapq import heappop, heappush
from time import monotonic
from weakref import WeakKeyDictionary

MONOTONIC, ABSOLUTE = 1, 1  # CLOCK_MONOTONIC, which `time.monotonic` reads; TFD_TIMER_ABSTIME
Timer = ctypes.c_long * 4  # struct itimerspec: two intervals of (seconds, nanoseconds), then repeated or not


class Alarms:
    """Those who sleep in one event loop, woken by one timer."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._library = ctypes.PyDLL(None)  # calls are short, and keep the interpreter's lock; Python 3.13 has them in `os`
        self._timer = int(self._library.timerfd_create(MONOTONIC, os.O_NONBLOCK | os.O_CLOEXEC))
        if self._timer < 0:
            raise OSError("no timer can be opened")
        self._asleep: list[tuple[float, int, asyncio.Future[None]]] = []  # a heap of (time, number, woken)
        self._count = 0
        loop.add_reader(self._timer, self._wake)

    def __del__(self) -> None:
        os.close(self._timer)

    async def sleep_until(self, time: float) -> None:
        woken = asyncio.get_running_loop().create_future()
        self._count += 1
        heappush(self._asleep, (time, self._count, woken))
        if self._asleep[0][2] is woken:
            self._set()
        await woken

    def _wake(self) -> None:
        now = monotonic()
        while self._asleep and self._asleep[0][0] <= now:
            _, _, woken = heappop(self._asleep)
            if not woken.done():
                woken.set_result(None)
        self._set()

    def _set(self) -> None:
        """Let the timer expire when the first of them is to be woken; without any, never."""
        nanoseconds = max(1, int(1e9 * self._asleep[0][0])) if self._asleep else 0
        self._library.timerfd_settime(self._timer, ABSOLUTE, Timer(0, 0, *divmod(nanoseconds, 10**9)), None)


_alarms: WeakKeyDictionary[asyncio.AbstractEventLoop, Alarms] = WeakKeyDictionary()


async def exact_sleep(seconds: float) -> None:
    """Sleep as `asyncio.sleep` does, on Linux without rounding."""
    if sys.platform != "linux":
        await asyncio.sleep(seconds)
        return
    time, loop = monotonic() + seconds, asyncio.get_running_loop()
    if loop not in _alarms:
        _alarms[loop] = Alarms(loop)
    await _alarms[loop].sleep_until(time)

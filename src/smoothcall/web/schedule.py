"""When moves are answered: a fixed period after they came, or a multiple of it, however long the opponents took.

How long an opponent takes may depend on its cards. A person who measures answers learns only how many periods passed, which is
one unless the server is busy. While a move is under way, other requests of the same person wait for its answer, so that they
cannot measure it either.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from math import floor
from time import monotonic

from smoothcall.web.alarms import exact_sleep

PERIOD = 0.025  # seconds; opponents take a few milliseconds


def due(taken: float, period: float) -> float:
    """Return when to answer what took so many seconds: the next multiple of the period."""
    return period * (floor(taken / period) + 1)


class Schedule:
    """The answers of one application that are not sent yet."""

    def __init__(
        self,
        period: float = PERIOD,
        clock: Callable[[], float] = monotonic,
        sleep: Callable[[float], Awaitable[None]] = exact_sleep,
    ) -> None:
        self.period, self._clock, self._sleep = period, clock, sleep
        self._under_way: dict[int, tuple[int, asyncio.Event]] = {}  # by person: how many, and when there are none left

    @asynccontextmanager
    async def answer(self, person: int) -> AsyncIterator[None]:
        """Carry out a move of a person in this block; the block ends when its answer is due."""
        began = self._clock()
        count, none_left = self._under_way.get(person, (0, asyncio.Event()))
        self._under_way[person] = (count + 1, none_left)
        try:
            yield
        finally:
            try:
                taken = self._clock() - began
                await self._sleep(due(taken, self.period) - taken)
            finally:
                count, none_left = self._under_way.pop(person)
                if count > 1:
                    self._under_way[person] = (count - 1, none_left)
                else:
                    none_left.set()

    async def settled(self, person: int) -> None:
        """Wait until all moves of a person that are under way are answered."""
        while person in self._under_way:
            await self._under_way[person][1].wait()

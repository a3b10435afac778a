"""Threads for the work of requests: a bounded number for each kind, with a bounded queue. The event loop does none of it.

Moves have threads of their own, so that nothing else delays them; those that opponents who search answer have another one,
which they wait for in turn. Long work (exports, statistics, coach, explorer) is done for
one request of a person at a time and stops when its client is gone. What does not fit is refused at once: `Overloaded`, a 503.
"""

from __future__ import annotations

import asyncio
import threading
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar, copy_context
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import Any, TypeVar, cast

from starlette.requests import Request

from smoothcall.errors import Overloaded
from smoothcall.store.deadlines import Stopped, stoppable, within

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of work."""

    name: str
    threads: int
    queue: int  # calls that may wait for a thread
    seconds: float  # from the request until a call has begun, and until it no longer waits for the database


MOVES = Kind("moves", threads=24, queue=400, seconds=1.8)  # most of them wait for a commit, which they share
READS = Kind("reads", threads=4, queue=200, seconds=1.8)
LOADS = Kind("loads", threads=2, queue=100, seconds=60.0)  # moves for which an agent has to be loaded first
SEARCHES = Kind("searches", threads=1, queue=20, seconds=30.0)  # moves at tables whose opponent searches
LONG = Kind("long", threads=2, queue=60, seconds=20.0)
SHORT = (MOVES, READS)  # those of one request wait for `seconds` together
LEAST = 0.05  # seconds; one that has less time left is not begun
WAITING = 3  # long requests of one person that may wait for another one of theirs
BUSY = "too much is asked for just now: try again in a moment"
SLOW = "the database is slow just now: nothing was changed, try again in a moment"
BUSY_YOURSELF = "you have asked for several things that take long: wait for one of them"


_waited: ContextVar[list[float]] = ContextVar("waited")  # [seconds that the short calls of a request have taken]


def begin_request() -> None:
    """Count the time of short calls from here on, in this task and those it starts."""
    _waited.set([0.0])


class _Results:
    """Results of calls on their way to an event loop, which is woken once for those that come together."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop, self._found = loop, deque[tuple[_Call, Any, BaseException | None]]()
        self._woken, self._lock = False, threading.Lock()

    def put(self, call: _Call, result: Any, error: BaseException | None) -> None:
        self._found.append((call, result, error))
        with self._lock:
            woken, self._woken = self._woken, True
        if not woken:
            with suppress(RuntimeError):  # the loop is closed: nobody waits
                self.loop.call_soon_threadsafe(self._finish)

    def _finish(self) -> None:
        with self._lock:
            self._woken = False
        while self._found:
            call, result, error = self._found.popleft()
            call.finish(result, error)


class _Call:
    """A call and the future of its result."""

    def __init__(self, call: Callable[[], Any], results: _Results, loop: asyncio.AbstractEventLoop) -> None:
        self.call, self.results, self.future = call, results, loop.create_future()
        self.context, self.stopped = copy_context(), False

    def run(self) -> None:
        if self.stopped:
            return
        try:
            result, error = self.context.run(self._stoppable), None
        except BaseException as raised:
            result, error = None, raised
        self.results.put(self, result, error)

    def _stoppable(self) -> Any:
        with stoppable(lambda: self.stopped):
            return self.call()

    def finish(self, result: Any, error: BaseException | None) -> None:
        if self.future.done():
            return
        if error is not None:
            self.future.set_exception(error)
        else:
            self.future.set_result(result)


class Pool:
    """The threads of one kind of work. They are daemons: the process never waits for them to end."""

    def __init__(self, kind: Kind) -> None:
        self.kind, self._calls, self._idle = kind, deque[_Call](), 0
        self._wake, self._threads = threading.Condition(), 0
        self.running = 0

    def submit(self, call: _Call) -> None:
        """Queue a call; Overloaded if the queue is full."""
        with self._wake:
            if len(self._calls) >= self.kind.queue + self.kind.threads - self.running:
                raise Overloaded(BUSY)
            self._calls.append(call)
            if not self._idle and self._threads < self.kind.threads:
                self._threads += 1
                threading.Thread(target=self._work, name=self.kind.name, daemon=True).start()
            self._wake.notify()

    def withdraw(self, call: _Call) -> bool:
        """Take a call out of the queue; False if it has begun."""
        with self._wake:
            try:
                self._calls.remove(call)
            except ValueError:
                return False
            return True

    def _work(self) -> None:
        while True:
            with self._wake:
                self._idle += 1
                while not self._calls:
                    self._wake.wait()
                self._idle -= 1
                call = self._calls.popleft()
                self.running += 1
            try:
                call.run()
            finally:
                with self._wake:
                    self.running -= 1
                del call


class Workers:
    """The pools of one application."""

    def __init__(self) -> None:
        self.pools = {kind: Pool(kind) for kind in (MOVES, READS, LOADS, SEARCHES, LONG)}
        self._results: _Results | None = None  # of the event loop that asked last
        self._turns: dict[object, asyncio.Lock] = {}
        self._asked: Counter[object] = Counter()  # long requests by person

    async def run(self, kind: Kind, call: Callable[[], T]) -> T:
        """Return the result of a call in a thread. Overloaded if it has not begun in time; it stops when the caller does.

        The look-up of a person and the move that follows wait for a database that does not answer once, not each.
        """
        loop, pool, began = asyncio.get_running_loop(), self.pools[kind], monotonic()
        waited, seconds = [0.0], kind.seconds
        if kind in SHORT:
            waited = _waited.get(waited)
            seconds -= waited[0]
            if seconds < LEAST:
                raise Overloaded(SLOW)
        if self._results is None or self._results.loop is not loop:
            self._results = _Results(loop)
        made = _Call(partial(_until, began + seconds, call), self._results, loop)
        pool.submit(made)
        late = loop.call_later(seconds, _give_up, pool, made)
        try:
            return cast(T, await made.future)
        except asyncio.CancelledError:
            made.stopped = True
            pool.withdraw(made)
            raise
        finally:
            late.cancel()
            waited[0] += monotonic() - began

    async def run_long(self, request: Request, call: Callable[[], T]) -> T:
        """Return the result of long work: done after other long work for the same person, and while the client waits."""
        async with self._turn(request):
            return cast(T, await _while_connected(request, self.run(LONG, call)))

    async def stream(self, request: Request, pieces: Iterator[str]) -> AsyncIterator[bytes]:
        """Yield the pieces of long work as they are made. Each is one call, so that work for others comes in between."""
        async with self._turn(request):
            while (piece := await self.run(LONG, partial(next, pieces, None))) is not None:
                yield piece.encode()

    @asynccontextmanager
    async def _turn(self, request: Request) -> AsyncIterator[None]:
        """Wait for other long work of the same person."""
        who = owner_of(request)
        if self._asked[who] > WAITING:
            raise Overloaded(BUSY_YOURSELF)
        self._asked[who] += 1
        turn = self._turns.setdefault(who, asyncio.Lock())
        try:
            await _while_connected(request, turn.acquire())
            try:
                yield
            finally:
                turn.release()
        finally:
            self._asked[who] -= 1
            if not self._asked[who]:
                del self._asked[who], self._turns[who]


def _until(ends: float, call: Callable[[], T]) -> T:
    with within(max(0.0, ends - monotonic())):
        return call()


def _give_up(pool: Pool, call: _Call) -> None:
    if pool.withdraw(call) and not call.future.done():
        call.future.set_exception(Overloaded(BUSY))


def owner_of(request: Request) -> object:
    """Return whose long work it is: a person's, or that of an address."""
    person = request.scope.get("state", {}).get("person")
    return person if isinstance(person, int) and person else (request.client.host if request.client else "")


async def _while_connected(request: Request, work: Any) -> Any:
    """Return the result of a coroutine, which is cancelled when the client disconnects."""
    task, gone = asyncio.ensure_future(work), asyncio.ensure_future(_disconnected(request))
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise Stopped
        return task.result()
    finally:
        for each in (task, gone):
            each.cancel()
        await asyncio.gather(task, gone, return_exceptions=True)


async def _disconnected(request: Request) -> None:
    for _ in range(2):  # the end of the body may come first
        if (await request.receive())["type"] == "http.disconnect":
            return
    await asyncio.Event().wait()  # a server that repeats the body never says that the client is gone


def workers(request: Request) -> Workers:
    return cast(Workers, request.app.state.workers)


async def read(request: Request, call: Callable[..., T], *given: Any) -> T:
    """Call a function that reads the database or a file, in a thread."""
    return await workers(request).run(READS, partial(call, *given))


async def write(request: Request, call: Callable[..., T], *given: Any) -> T:
    """Call a function that changes something, in a thread of those for moves."""
    return await workers(request).run(MOVES, partial(call, *given))


async def work(request: Request, call: Callable[..., T], *given: Any) -> T:
    """Call a function that takes long, in its turn."""
    return await workers(request).run_long(request, partial(call, *given))

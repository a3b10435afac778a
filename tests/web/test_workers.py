"""Threads for requests: bounded, moves apart from the rest, long work one at a time per person while somebody waits."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import suppress
from typing import Any

import pytest
from starlette.requests import Request

from smoothcall.errors import Overloaded
from smoothcall.store import deadlines
from smoothcall.store.deadlines import Stopped, check_stopped, remaining
from smoothcall.web import workers as workers_module
from smoothcall.web.schedule import Schedule, due
from smoothcall.web.workers import LOADS, LONG, MOVES, READS, WAITING, Kind, Pool, Workers, begin_request


def run(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(work())


def request(person: int, gone: asyncio.Event | None = None) -> Request:
    """A request of a person, whose client disconnects when `gone` is set."""

    async def receive() -> dict[str, Any]:
        await (gone or asyncio.Event()).wait()
        return {"type": "http.disconnect"}

    scope = {"type": "http", "headers": [], "state": {"person": person}, "client": ("127.0.0.1", 1)}
    return Request(scope, receive)


class Held:
    """A call that goes on until it is let go."""

    def __init__(self) -> None:
        self.begun, self.go, self.stopped = threading.Event(), threading.Event(), threading.Event()

    def __call__(self) -> str:
        self.begun.set()
        while not self.go.wait(0.005):
            try:
                check_stopped()
            except Stopped:
                self.stopped.set()
                raise
        return "done"

    async def has_begun(self) -> None:
        while not self.begun.is_set():
            await asyncio.sleep(0.001)


def test_results_and_errors_come_back() -> None:
    async def work() -> None:
        workers = Workers()
        assert await workers.run(MOVES, lambda: 7) == 7
        with pytest.raises(ZeroDivisionError):
            await workers.run(READS, lambda: 1 / 0)
        assert await workers.run(MOVES, remaining) <= MOVES.seconds  # 0 on a machine that stalls
        assert threading.current_thread().name not in {await workers.run(MOVES, lambda: threading.current_thread().name)}

    run(work)


def test_what_does_not_fit_is_refused_at_once_and_other_kinds_go_on() -> None:
    async def work() -> None:
        workers, held = Workers(), [Held() for _ in range(LONG.threads + LONG.queue)]
        tasks = [asyncio.create_task(workers.run(LONG, each)) for each in held]
        for each in held[: LONG.threads]:
            await each.has_begun()
        with pytest.raises(Overloaded):
            await workers.run(LONG, lambda: None)
        assert await workers.run(MOVES, lambda: "moved") == "moved"
        for each in held:
            each.go.set()
        assert await asyncio.gather(*tasks) == ["done"] * len(held)
        assert await workers.run(LONG, lambda: "again") == "again"

    run(work)


def test_calls_that_do_not_begin_in_time_never_do() -> None:
    async def work() -> None:
        workers, slow = Workers(), Kind("slow", threads=1, queue=5, seconds=0.01)
        workers.pools[slow] = Pool(slow)
        held, late = Held(), []
        first = asyncio.create_task(workers.run(slow, held))
        await held.has_begun()
        with pytest.raises(Overloaded):
            await workers.run(slow, lambda: late.append(1))
        held.go.set()
        assert await first == "done"
        assert late == []

    run(work)


def test_calls_of_one_request_wait_for_the_database_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a look-up that takes as long as it may, the move is refused at once; loading an agent has time of its own."""
    now = 100.0
    for module in (workers_module, deadlines):
        monkeypatch.setattr(module, "monotonic", lambda: now)

    def taking(seconds: float) -> float:
        """Return what was left when it began."""
        nonlocal now
        left = remaining()
        now += seconds
        return left

    async def one(workers: Workers) -> list[float]:
        begin_request()
        found = [await workers.run(kind, lambda: taking(1.0)) for kind in (READS, LOADS, MOVES)]
        with pytest.raises(Overloaded, match="nothing was changed"):
            await workers.run(MOVES, lambda: taking(1.0))
        return found

    async def work() -> None:
        workers = Workers()
        for _ in range(2):
            (found,) = await asyncio.gather(one(workers))  # in a task of its own, as requests are
            assert found == pytest.approx([READS.seconds, LOADS.seconds, MOVES.seconds - 1.0])
        assert await workers.run(MOVES, remaining) == pytest.approx(MOVES.seconds), "outside of requests"

    run(work)


def test_work_stops_when_its_client_is_gone() -> None:
    async def work() -> None:
        workers, gone, held = Workers(), asyncio.Event(), Held()
        task = asyncio.create_task(workers.run_long(request(1, gone), held))
        await held.has_begun()
        waiting = asyncio.create_task(workers.run_long(request(1, gone), lambda: pytest.fail("nobody waits for it")))
        await asyncio.sleep(0)
        gone.set()
        for each in (task, waiting):
            with pytest.raises(Stopped):
                await each
        while not held.stopped.is_set():
            await asyncio.sleep(0.001)
        assert await workers.run_long(request(1), lambda: "next") == "next"
        assert not workers._asked
        assert not workers._turns

    run(work)


def test_long_work_is_done_one_at_a_time_for_a_person() -> None:
    async def work() -> None:
        workers, held = Workers(), [Held() for _ in range(WAITING + 1)]
        tasks = [asyncio.create_task(workers.run_long(request(1), each)) for each in held]
        await held[0].has_begun()
        assert await workers.run_long(request(2), lambda: "another person's") == "another person's"
        assert not any(each.begun.is_set() for each in held[1:])
        with pytest.raises(Overloaded, match="several things"):
            await workers.run_long(request(1), lambda: None)
        for each in held:
            each.go.set()
        assert await asyncio.gather(*tasks) == ["done"] * len(held)

    run(work)


def test_a_stream_is_made_piece_by_piece_and_dropped_with_its_client() -> None:
    made: list[int] = []

    def pieces() -> Any:
        for number in range(1000):
            made.append(number)
            yield str(number)

    async def work() -> None:
        workers = Workers()
        stream = workers.stream(request(1), pieces())
        assert [await anext(stream) for _ in range(3)] == [b"0", b"1", b"2"]
        assert len(made) == 3
        assert isinstance(stream, AsyncIterator)
        await stream.aclose()  # type: ignore[attr-defined]
        assert not workers._asked
        assert b"".join([piece async for piece in workers.stream(request(1), iter(["a", "b"]))]) == b"ab"

    run(work)


def test_threads_never_keep_the_process() -> None:
    async def work() -> None:
        workers, held = Workers(), Held()
        task = asyncio.create_task(workers.run(LONG, held))
        await held.has_begun()
        assert all(thread.daemon for thread in threading.enumerate() if thread.name == LONG.name)
        task.cancel()
        while not held.stopped.is_set():
            await asyncio.sleep(0.001)

    run(work)


# The schedule


@pytest.mark.parametrize(("taken", "answered"), [(0.0, 25), (0.001, 25), (0.0249, 25), (0.025, 50), (0.060, 75)])
def test_answers_are_due_at_multiples_of_the_period(taken: float, answered: int) -> None:
    assert due(taken, 0.025) == pytest.approx(answered / 1000)


def test_moves_are_answered_at_the_same_time_however_long_they_took() -> None:
    async def work() -> None:
        now, answers = [0.0], []

        async def sleep(seconds: float) -> None:
            now[0] += seconds

        schedule = Schedule(0.025, lambda: now[0], sleep)
        for taken in (0.0001, 0.003, 0.02):
            began = now[0]
            async with schedule.answer(1):
                now[0] += taken
            answers.append(now[0] - began)
            began = now[0]
            with suppress(ValueError):
                async with schedule.answer(1):
                    now[0] += taken
                    raise ValueError
            answers.append(now[0] - began)
        assert answers == pytest.approx([0.025] * 6)

    run(work)


def test_other_requests_of_the_person_wait_for_the_answer() -> None:
    async def work() -> None:
        wake, order = asyncio.Event(), []

        async def sleep(seconds: float) -> None:
            await wake.wait()

        schedule = Schedule(sleep=sleep)

        async def move() -> None:
            async with schedule.answer(1):
                order.append("moved")
            order.append("answered")

        async def look(person: int) -> None:
            await schedule.settled(person)
            order.append(f"{person} looked")

        tasks = [asyncio.create_task(each) for each in (move(), look(1), look(2))]
        while len(order) < 2:
            await asyncio.sleep(0)
        wake.set()
        await asyncio.gather(*tasks)
        assert order == ["moved", "2 looked", "answered", "1 looked"]

    run(work)

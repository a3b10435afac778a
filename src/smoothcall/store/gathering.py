"""Carry out together what many threads ask for at once: one thread does it, for all who wait meanwhile.

What is asked for belongs to the caller; so does the function that carries out a group.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Generic, TypeVar

from smoothcall.store.deadlines import remaining

Asked = TypeVar("Asked")
Answer = TypeVar("Answer")
LARGEST = 64  # in one group
GRACE = 3.0  # seconds to wait for a group that has begun, so that its outcome is known


class NotInTime(Exception):
    """The database did not take a change in time. `begun`: whether it may yet be carried out."""

    def __init__(self, *, begun: bool) -> None:
        super().__init__("the database is busy")
        self.begun = begun


class Pending(Generic[Asked, Answer]):
    """What a thread asked for and waits for. Whoever carries it out sets `result` or `error`."""

    result: Answer

    def __init__(self, asked: Asked, seconds: float) -> None:
        self.asked, self.seconds, self.ends = asked, seconds, monotonic() + seconds
        self.error: BaseException | None = None
        self._lock, self.done = threading.Lock(), threading.Event()
        self.state = "waiting"  # then "begun" or "abandoned"

    def claim(self, state: str) -> bool:
        """Move from waiting to another state; False if it has moved already."""
        with self._lock:
            if self.state != "waiting":
                return False
            self.state = state
            return True


def seconds_left(group: list[Pending[Asked, Answer]]) -> float:
    """Return how long the first of a group to give up still waits."""
    return max(0.05, min(pending.ends for pending in group) - monotonic())


class Gathering(Generic[Asked, Answer]):
    """One thread that carries out groups, with a function that answers each of a group or raises for all of them."""

    def __init__(self, name: str, carry_out: Callable[[list[Pending[Asked, Answer]]], None]) -> None:
        self._carry_out = carry_out
        self._queue: SimpleQueue[Pending[Asked, Answer] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    def ask(self, asked: Asked) -> Answer:
        """Return the answer, once the group is carried out; NotInTime if that takes longer than the caller waits."""
        pending: Pending[Asked, Answer] = Pending(asked, remaining())
        self._queue.put(pending)
        if not pending.done.wait(pending.seconds) and (pending.claim("abandoned") or not pending.done.wait(GRACE)):
            raise NotInTime(begun=pending.state == "begun")
        if pending.error is not None:
            raise pending.error
        return pending.result

    def close(self) -> bool:
        """Finish what has been asked for, for as long as a group may take; return whether the thread has ended."""
        self._queue.put(None)
        self._thread.join(GRACE)
        return not self._thread.is_alive()

    def _work(self) -> None:
        while (first := self._queue.get()) is not None:
            found, more = [first], True
            while more and len(found) < LARGEST:
                try:
                    following = self._queue.get_nowait()
                except Empty:
                    break
                if following is None:
                    self._queue.put(None)
                    more = False
                else:
                    found.append(following)
            group = [pending for pending in found if pending.claim("begun")]
            try:
                if group:
                    self._carry_out(group)
            except BaseException as error:
                for pending in group:
                    pending.error = error
            for pending in group:
                pending.done.set()

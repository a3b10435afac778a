"""One cache for everything large that is computed or loaded for people: policies with their games, coaches, AIVAT."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from threading import Lock
from time import thread_time
from typing import Any, Protocol, TypeVar, cast
from weakref import WeakSet

import numpy as np

from smoothcall.holdem.hand_strength import Tables

T = TypeVar("T")
LIMIT = 1 << 29  # bytes
REMEMBERED = 10_000  # values that were dropped, and what that freed
SEARCHED = 20_000  # objects that are searched for arrays, at most
KEPT_USES = 0.9  # of the uses that were counted, each time that something is dropped
LEAST_SECONDS, LEAST_BYTES = 1e-3, 1 << 10  # of a value: what takes neither time nor memory does not count as nothing


class User(Protocol):
    """Something that holds values of a cache, and takes memory itself."""

    @property
    def nbytes(self) -> int:
        """Bytes that count in the limit of the cache."""

    def release(self, dropped: set[Hashable]) -> None:
        """Let go of the values of these keys, which were dropped."""


@dataclass(slots=True)
class _Entry:
    value: Any
    seconds: float  # processor time that it took to make
    uses: float = 1.0  # those before something was dropped count less
    arrays: dict[int, int] = field(default_factory=dict)  # bytes of its arrays, by the array's identity


class Cache:
    """Values by key, up to `limit` bytes. Thread-safe.

    Beyond the limit values are dropped that save the least processor time for their bytes: uses * seconds to make / bytes, with
    arrays that values share divided among them. Of equal ones the least recently used is dropped; the latest value is always
    kept. The order of last use alone would drop each value just before it is needed where more is used in turn than fits.

    A value that is made again finds room for what it took when it was dropped, so that both are not in memory at once.

    Tables of people who play (`users`) count too. What a value computes later is counted when the next one is made.
    """

    def __init__(self, limit: int = LIMIT, clock: Callable[[], float] = thread_time) -> None:
        """`clock` returns the processor time of this thread in seconds."""
        self.limit, self._clock = limit, clock
        self._lock, self._locks = Lock(), dict[Hashable, Lock]()  # of the table below; of each value being made
        self._values: OrderedDict[Hashable, _Entry] = OrderedDict()  # least recently used first
        self._freed: OrderedDict[Hashable, int] = OrderedDict()  # bytes that dropping a value freed, without shared arrays
        self.users: WeakSet[User] = WeakSet()

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the value of a key, made once for all who ask at the same time."""
        with self._lock:
            alone = self._locks.setdefault(key, Lock())
        with alone:
            with self._lock:
                if key in self._values:
                    self._use(key)
                    return cast(T, self._values[key].value)
            if freed := self._freed.get(key):  # room for it before it is made again, not only afterwards
                self._drop_beyond(self.limit - freed)
            began = self._clock()
            value = make()
            with self._lock:
                self._values[key] = _Entry(value, self._clock() - began)
                self._locks.pop(key, None)
            self._drop_beyond(self.limit, latest=key)
        return value

    def use(self, keys: Iterable[Hashable]) -> None:
        """Count a use of values that somebody holds; those that are not here are ignored."""
        with self._lock:
            for key in keys:
                if key in self._values:
                    self._use(key)

    def _use(self, key: Hashable) -> None:
        self._values[key].uses += 1
        self._values.move_to_end(key)

    def dropped(self, keys: Iterable[Hashable]) -> bool:
        """Return whether one of these values was dropped and not made again."""
        with self._lock:
            return any(key in self._freed and key not in self._values for key in keys)

    def _drop_beyond(self, limit: int, latest: Hashable = None) -> None:
        """Drop values beyond so many bytes, but the latest."""
        with self._lock:
            known = list(self._values.items())
        found = [(entry, arrays_of(entry.value)) for _, entry in known]  # all again: some grow when they are used
        room = limit - sum(user.nbytes for user in list(self.users))
        gone = set[Hashable]()
        with self._lock:
            for entry, arrays in found:
                entry.arrays = arrays
            total = self._total()
            while total > room and (others := [key for key in self._values if key != latest]):
                holders = Counter(array for entry in self._values.values() for array in entry.arrays)
                least = min(others, key=lambda key: _saved_per_byte(self._values[key], holders))
                del self._values[least]
                left = self._total()
                self._freed[least], total = total - left, left
                self._freed.move_to_end(least)
                gone.add(least)
            for entry in self._values.values() if gone else ():
                entry.uses *= KEPT_USES
            while len(self._freed) > REMEMBERED:
                self._freed.popitem(last=False)
        for user in list(self.users) if gone else ():
            user.release(gone)

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays in the cache; those that several values share are counted once."""
        with self._lock:
            return self._total()

    def _total(self) -> int:
        found: dict[int, int] = {}
        for entry in self._values.values():
            found |= entry.arrays
        return sum(found.values())


def _saved_per_byte(entry: _Entry, holders: Counter[int]) -> float:
    """Return the processor time that a value saves for each of its bytes; holders[array]: how many values have an array."""
    size = sum(size / holders[array] for array, size in entry.arrays.items())
    return entry.uses * max(entry.seconds, LEAST_SECONDS) / max(size, LEAST_BYTES)


def arrays_of(value: object) -> dict[int, int]:
    """Return the bytes of all NumPy arrays that an object refers to, by their identity. Lists of plain things are skipped.

    So are the tables of a deck (`holdem.Tables`): everybody shares them, and they are never dropped.
    """
    found, shared, seen, waiting = dict[int, int](), dict[int, int](), set[int](), [value]
    while waiting and len(seen) < SEARCHED:
        each = waiting.pop()
        if id(each) in seen or isinstance(each, _PLAIN):
            continue
        seen.add(id(each))
        if isinstance(each, np.ndarray):
            if each.base is None or not isinstance(each.base, np.ndarray):
                found[id(each)] = each.nbytes
            else:
                waiting.append(each.base)
        elif isinstance(each, Tables):
            shared |= arrays_of(list(vars(each).values()))
        elif isinstance(each, dict):
            waiting += () if isinstance(next(iter(each.values()), None), _PLAIN) else each.values()
        elif isinstance(each, list | tuple):
            waiting += () if each and isinstance(each[0], _PLAIN) else each
        elif type(each).__module__.startswith("smoothcall."):
            kind: Any = type(each)
            waiting += [getattr(each, name, None) for name in _names(kind)]
            waiting += vars(each).values() if hasattr(each, "__dict__") else ()
    return {own: size for own, size in found.items() if own not in shared}


_PLAIN = (str, bytes, int, float, type, type(None))


@lru_cache(maxsize=1024)
def _names(kind: type) -> tuple[str, ...]:
    """Return the slots of a class."""
    return tuple(name for each in kind.__mro__ for name in getattr(each, "__slots__", ()) if not name.startswith("__"))

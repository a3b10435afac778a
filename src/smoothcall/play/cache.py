"""One cache for everything large that is computed or loaded for people: policies with their games, coaches, AIVAT."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import lru_cache
from threading import Lock
from typing import Any, TypeVar, cast
from weakref import WeakSet

import numpy as np

from smoothcall.holdem.hand_strength import Tables

T = TypeVar("T")
LIMIT = 1 << 29  # bytes
REMEMBERED = 10_000  # sizes of values that were dropped
SEARCHED = 20_000  # objects that are searched for arrays, at most


class Cache:
    """Values by key. Beyond `limit` bytes the least recently used are dropped; the latest is always kept. Thread-safe.

    A value that is made again finds room for what it took when it was dropped, so that both are not in memory at once.

    Tables of people who play (`users`) count too. What a value computes later is counted when the next one is made.
    """

    def __init__(self, limit: int = LIMIT) -> None:
        self.limit = limit
        self._lock, self._locks = Lock(), dict[Hashable, Lock]()  # of the table below; of each value being made
        self._values: OrderedDict[Hashable, Any] = OrderedDict()  # least recently used first
        self._arrays: dict[Hashable, dict[int, int]] = {}  # bytes of the arrays of each value, by the array's identity
        self._sizes: OrderedDict[Hashable, int] = OrderedDict()  # bytes of values that were dropped
        self.users: WeakSet[Any] = WeakSet()  # told by `release()` to let go of what they hold when something is dropped;
        # their `nbytes` count too

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the value of a key, made once for all who ask at the same time."""
        with self._lock:
            alone = self._locks.setdefault(key, Lock())
        with alone:
            with self._lock:
                if key in self._values:
                    self._values.move_to_end(key)
                    return cast(T, self._values[key])
            if key in self._sizes:  # room for it before it is made again, not only afterwards
                self._drop_beyond(self.limit - self._sizes[key], keep=0)
            value = make()
            with self._lock:
                self._values[key], self._arrays[key] = value, {}
                self._locks.pop(key, None)
            self._drop_beyond(self.limit, keep=1)
        return value

    def _drop_beyond(self, limit: int, keep: int) -> None:
        """Drop the least recently used values beyond so many bytes, but the latest `keep`."""
        with self._lock:
            known = list(self._values.items())
        sizes = {own: arrays_of(held) for own, held in known}  # all again: some grow when they are used
        room = limit - sum(user.nbytes for user in list(self.users))
        with self._lock:
            self._arrays |= {own: arrays for own, arrays in sizes.items() if own in self._values}
            before = len(self._values)
            while len(self._values) > keep and self._total() > room:
                dropped, _ = self._values.popitem(last=False)
                self._sizes[dropped] = sum(self._arrays.pop(dropped).values())
                self._sizes.move_to_end(dropped)
            while len(self._sizes) > REMEMBERED:
                self._sizes.popitem(last=False)
            fewer = len(self._values) < before
        for user in list(self.users) if fewer else ():
            user.release()

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays in the cache; those that several values share are counted once."""
        with self._lock:
            return self._total()

    def _total(self) -> int:
        found: dict[int, int] = {}
        for arrays in self._arrays.values():
            found |= arrays
        return sum(found.values())


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

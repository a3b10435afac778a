"""One cache for everything large that is computed or loaded for people: policies with their games, coaches, AIVAT."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import lru_cache
from threading import Lock
from typing import Any, TypeVar, cast
from weakref import WeakSet

import numpy as np

T = TypeVar("T")
LIMIT = 1 << 30  # bytes


class Cache:
    """Values by key. Beyond `limit` bytes the least recently used are dropped; the latest is always kept. Thread-safe."""

    def __init__(self, limit: int = LIMIT) -> None:
        self.limit = limit
        self._lock, self._locks = Lock(), dict[Hashable, Lock]()  # of the table below; of each value being made
        self._values: OrderedDict[Hashable, Any] = OrderedDict()  # least recently used first
        self.users: WeakSet[Any] = WeakSet()  # told by `release()` to let go of what they hold when something is dropped

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the value of a key, made once for all who ask at the same time."""
        with self._lock:
            alone = self._locks.setdefault(key, Lock())
        with alone:
            with self._lock:
                if key in self._values:
                    self._values.move_to_end(key)
                    return cast(T, self._values[key])
            value = make()
            with self._lock:
                self._values[key] = value
                self._locks.pop(key, None)
                before = len(self._values)
                while len(self._values) > 1 and memory_of(list(self._values.values())) > self.limit:
                    self._values.popitem(last=False)
                dropped = len(self._values) < before
        if dropped:
            for user in list(self.users):
                user.release()
        return value

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays in the cache; those that several values share are counted once."""
        with self._lock:
            return memory_of(list(self._values.values()))


def memory_of(value: object) -> int:
    """Return the bytes of all NumPy arrays that an object refers to, each counted once."""
    total, seen, waiting = 0, set[int](), [value]
    while waiting:
        each = waiting.pop()
        if id(each) in seen or isinstance(each, _PLAIN):
            continue
        seen.add(id(each))
        if isinstance(each, np.ndarray):
            if each.base is None or not isinstance(each.base, np.ndarray):
                total += each.nbytes
            else:
                waiting.append(each.base)
        elif isinstance(each, dict):
            waiting += each.values()
        elif isinstance(each, list | tuple | set):
            waiting += each
        elif type(each).__module__.startswith("smoothcall."):
            kind: Any = type(each)
            waiting += [getattr(each, name, None) for name in _names(kind)]
            waiting += vars(each).values() if hasattr(each, "__dict__") else ()
    return total


_PLAIN = (str, bytes, int, float, type, type(None))


@lru_cache(maxsize=1024)
def _names(kind: type) -> tuple[str, ...]:
    """Return the slots of a class."""
    return tuple(name for each in kind.__mro__ for name in getattr(each, "__slots__", ()) if not name.startswith("__"))

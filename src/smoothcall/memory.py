"""The memory a process can still have, asked before large tables are allocated."""

from __future__ import annotations

import sys

import psutil

from smoothcall.errors import UsageError


class OutOfMemory(UsageError):
    """A table does not fit the memory that is left."""


def verify_memory(needed: int, what: str) -> None:
    """Raise where `needed` bytes for `what` are more than this process can have."""
    left = available()
    if needed > left:
        raise OutOfMemory(f"{what} needs {needed / 1e9:.2g} GB of memory, {left / 1e9:.2g} GB are left")


def available() -> int:
    """Return the bytes this process can still have: what the system has left, or less where a limit is set."""
    left: int = psutil.virtual_memory().available
    if sys.platform == "linux":  # the only system where psutil knows the limit
        process = psutil.Process()
        known = process.memory_info()
        for limit, taken in ((psutil.RLIMIT_AS, known.vms), (psutil.RLIMIT_DATA, known.data)):
            if (most := process.rlimit(limit)[0]) != psutil.RLIM_INFINITY:
                left = min(left, max(0, most - taken))
    return left

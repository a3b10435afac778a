"""The memory a process can still have, asked before large tables are allocated."""

from __future__ import annotations

import sys

import psutil

from smoothcall.errors import UsageError


def verify_memory(needed: int, what: str) -> None:
    """Raise where `needed` bytes for `what` are more than this process can have."""
    left = available()
    if needed > left:
        raise UsageError(f"{what} needs {needed / 1e9:.2g} GB of memory, {left / 1e9:.2g} GB are left")


def available() -> int:
    """Return the bytes this process can still have: what the system has left, or less where an address limit is set."""
    left: int = psutil.virtual_memory().available
    if sys.platform == "linux":  # the only system where psutil knows the limit
        process = psutil.Process()
        limit = process.rlimit(psutil.RLIMIT_AS)[0]
        if limit != psutil.RLIM_INFINITY:
            left = min(left, max(0, limit - process.memory_info().vms))
    return left

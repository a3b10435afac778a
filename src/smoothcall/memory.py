"""How much memory there is, asked before it is taken."""

from __future__ import annotations

import os
import resource
from pathlib import Path

from smoothcall.errors import UsageError


def verify_room(needed: int, what: str) -> None:
    """Raise where `needed` bytes for `what` are more than this process can have."""
    left = available()
    if left is not None and needed > left:
        raise UsageError(f"{what} needs {needed / 1e9:.2g} GB of memory, {left / 1e9:.2g} GB are left")


def available() -> int | None:
    """Bytes this process can still have, by what the system says and by its own limit; None where neither says."""
    found = []
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        found += [int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")]
    except (OSError, ValueError):
        if "SC_AVPHYS_PAGES" in os.sysconf_names:
            found.append(os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit != resource.RLIM_INFINITY:
        found.append(max(0, limit - _taken()))
    return min(found, default=None)


def _taken() -> int:
    """Bytes of address space in use."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 0

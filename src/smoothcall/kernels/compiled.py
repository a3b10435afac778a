"""Compiled kernels on disk, dropped when any source has changed.

Numba compiles a kernel again when its own file has changed, but not when a file has whose functions it calls: after a change
there, it would go on with what was compiled before.
"""

from __future__ import annotations

import os
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

SOURCES = "sources"  # beside compiled code: the digest of what it was compiled from
COMPILED = "*.nbi"  # Numba's index of the compiled forms of a function


def drop_outdated(folder: Path) -> None:
    """Delete compiled kernels of a folder whose sources are not those that they were compiled from, by size and time."""
    sources = ((path.relative_to(folder).as_posix(), path.stat()) for path in folder.rglob("*.py"))
    state = sorted((name, about.st_size, about.st_mtime_ns) for name, about in sources)
    digest, kept = sha256(repr(state).encode()).hexdigest(), folder / "__pycache__" / SOURCES
    with suppress(OSError):
        if kept.read_text() == digest:
            return
    with suppress(OSError):  # a folder that cannot be written has no compiled kernels
        for path in folder.rglob(COMPILED):
            path.unlink(missing_ok=True)
        kept.parent.mkdir(exist_ok=True)
        beside = kept.with_suffix(f".{os.getpid()}")
        beside.write_text(digest)
        beside.replace(kept)

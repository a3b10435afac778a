"""Files that are never half written: everything is written beside its final name and moved into place."""

from __future__ import annotations

import json
import os
import struct
import tempfile
import zipfile
import zlib
from pathlib import Path
from typing import Any

# What reading a cut off or overwritten file may raise, with the standard library's zip reader, JSON and NumPy behind it
DAMAGED = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, KeyError, ValueError, TypeError, AttributeError,
    NotImplementedError, RuntimeError,
)  # fmt: skip


def write(path: Path, data: bytes) -> None:
    """Write `data` to `path` so that a reader, or a crash at any moment, sees the old file or the new one whole."""
    handle, beside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(beside, 0o666 & ~_umask())
        os.replace(beside, path)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise


def write_text(path: Path, text: str) -> None:
    write(path, text.encode())


def write_json(path: Path, value: Any) -> None:
    write_text(path, json.dumps(value, indent=2, allow_nan=False) + "\n")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask

"""Files that are never half written: everything is written beside its final name and moved into place."""

from __future__ import annotations

import json
import math
import os
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from smoothcall.errors import UsageError

# What reading a cut off or overwritten file may raise, with the standard library's zip reader, JSON and NumPy behind it
DAMAGED = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, KeyError, ValueError, TypeError, AttributeError,
    NotImplementedError, RuntimeError,
)  # fmt: skip


@contextmanager
def written(path: Path) -> Iterator[BinaryIO]:
    """A file to write to, so that a reader of `path`, or a crash at any moment, sees the old file or the new one whole.

    A link is followed; what is no regular file (a device, a pipe, a folder) is refused, not replaced.
    """
    path = path.resolve()
    if path.exists() and not path.is_file():
        raise UsageError(f"cannot write {str(path)!r}: it is there and is no regular file")
    if not path.parent.is_dir():
        raise UsageError(f"cannot write {path.name!r}: there is no folder {str(path.parent)!r}")
    handle, beside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(beside, 0o666 & ~_umask())
        os.replace(beside, path)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise


def write(path: Path, data: bytes) -> None:
    """The same with what is written known at once."""
    with written(path) as file:
        file.write(data)


def write_text(path: Path, text: str) -> None:
    write(path, text.encode())


def write_json(path: Path, value: Any) -> None:
    write_text(path, to_json(value) + "\n")


def to_json(value: Any) -> str:
    """JSON that everybody can read: infinities and the like as text, which options read back."""
    return json.dumps(_plain(value), indent=2, allow_nan=False)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask

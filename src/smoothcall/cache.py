"""Tables that take long to compute and are always the same: built once, kept in a folder, checked when read.

The folder is $SMOOTHCALL_CACHE, else smoothcall in the user's cache folder. A file is a NumPy array behind the digest of it.
One that is damaged, or cannot be written, is no harm: the table is built again.
"""

from __future__ import annotations

import hashlib
import io
import os
import sys
from collections.abc import Callable
from math import prod
from pathlib import Path
from time import time

import numpy as np

from smoothcall import files
from smoothcall.errors import UsageError
from smoothcall.kernels.tables import Array
from smoothcall.progress import warn

ABANDONED = 3600.0  # seconds after which nobody writes a file any more
_DIGEST = hashlib.sha256().digest_size


def folder() -> Path:
    """Where tables are kept."""
    named = os.environ.get("SMOOTHCALL_CACHE")
    if named:
        return Path(named)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", "~")).expanduser() / "smoothcall"
    if sys.platform == "darwin":
        return Path("~/Library/Caches/smoothcall").expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "smoothcall"


def table(name: str, build: Callable[[], Array]) -> Array:
    """The table of this name, from the folder; built and put there where it is missing or damaged."""
    path = folder() / f"{name}.table"
    found = _read(path)
    if found is None:
        found = np.ascontiguousarray(build())
        _write(path, found)
    found.flags.writeable = False
    return found


def _read(path: Path) -> Array | None:
    try:
        with path.open("rb") as file:
            said = file.read(_DIGEST)
            np.lib.format.read_magic(file)
            shape, _, kind = np.lib.format.read_array_header_1_0(file)
            length = file.tell()
            file.seek(_DIGEST)
            digest = hashlib.sha256(file.read(length - _DIGEST))
            if prod(shape) * kind.itemsize != os.fstat(file.fileno()).st_size - length:
                raise ValueError("its length is wrong")
            array = np.empty(
                shape, kind
            )  # NumPy's own memory: large arrays lie on large pages, which makes them faster to read
            file.readinto(array.data.cast("B"))
        digest.update(array.data.cast("B"))
        if digest.digest() != said:
            raise ValueError("its digest is wrong")
    except OSError:
        return None
    except files.DAMAGED:
        warn(f"{path.name} in the cache folder is damaged and is built again")
        return None
    return array


def _write(path: Path, array: Array) -> None:
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, np.lib.format.header_data_from_array_1_0(array))
    digest = hashlib.sha256(head.getvalue())
    digest.update(array.data.cast("B"))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        for left in path.parent.glob(f".{path.name}.*"):  # by a process that was killed while it wrote
            if time() - left.stat().st_mtime > ABANDONED:
                left.unlink(missing_ok=True)
        with files.written(path) as file:
            file.write(digest.digest() + head.getvalue())
            file.write(array.data.cast("B"))
    except (OSError, UsageError) as error:
        warn(f"{path.name} cannot be kept in the cache folder ({error})")

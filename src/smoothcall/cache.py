"""Cached tables: built once, kept in `folders.cache_folder`, verified by a digest when read.

A file is the SHA-256 digest of a NumPy array, then the array. A damaged file is reported and the table built again; a file
that cannot be written is reported and the table used from memory.
"""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Callable
from math import prod
from pathlib import Path
from time import time

import numpy as np

from smoothcall import files
from smoothcall.errors import DamagedFile, UsageError
from smoothcall.folders import cache_folder
from smoothcall.kernels.tables import Array
from smoothcall.progress import warn

ABANDONED = 3600.0  # seconds after which a file that was never finished is deleted
_DIGEST = hashlib.sha256().digest_size


def table(name: str, build: Callable[[], Array]) -> Array:
    """Return the table of this name, read-only: from the cache folder, or built and kept there."""
    path = cache_folder() / f"{name}.table"
    found = _read(path)
    if found is None:
        found = np.ascontiguousarray(build())
        _write(path, found)
    found.flags.writeable = False
    return found


def _read(path: Path) -> Array | None:
    try:
        with files.opened(path, "table") as file:
            said = file.read(_DIGEST)
            kind, shape, _, length = files.read_npy_header(file)
            length += _DIGEST
            file.seek(_DIGEST)
            digest = hashlib.sha256(file.read(length - _DIGEST))
            if prod(shape) * kind.itemsize != os.fstat(file.fileno()).st_size - length:
                raise DamagedFile("its length is wrong")
            with files.parsing("its shape"):
                array = np.empty(
                    shape, kind
                )  # not a memory map: NumPy puts large arrays on large pages, which are faster to read
            content = array.reshape(-1).view(np.uint8)
            file.readinto(content.data)
        digest.update(content.data)
        if digest.digest() != said:
            raise DamagedFile("its digest is wrong")
    except DamagedFile:
        warn(f"{path.name} in the cache folder is damaged and is built again")
        return None
    except (OSError, UsageError):
        return None
    return array


def _write(path: Path, array: Array) -> None:
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, np.lib.format.header_data_from_array_1_0(array))
    digest = hashlib.sha256(head.getvalue())
    digest.update(array.data.cast("B"))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        for left in path.parent.glob(f".{path.name}.*"):  # left by a process that was killed while it wrote
            if time() - left.stat().st_mtime > ABANDONED:
                left.unlink(missing_ok=True)
        with files.written(path) as file:
            file.write(digest.digest() + head.getvalue())
            file.write(array.data.cast("B"))
    except (OSError, UsageError) as error:
        warn(f"{path.name} cannot be kept in the cache folder ({error})")

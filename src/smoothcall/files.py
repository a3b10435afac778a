"""Write files whole or not at all, and read foreign files with limits.

Reading checks sizes first, parses, and checks types. Whatever is wrong with the bytes is a `DamagedFile`. Only the calls that
parse foreign bytes are guarded (`parsing`), so that a programming error is never reported as a damaged file.
"""

from __future__ import annotations

import json
import math
import os
import re
import stat
import struct
import sys
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BufferedReader
from math import prod
from pathlib import Path
from secrets import token_hex
from typing import Any, BinaryIO, Final, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from smoothcall.errors import DamagedFile, UsageError

MAX_JSON_BYTES = 4 << 20  # of a card or a configuration; those in use have a few kilobytes
MAX_TEXT_BYTES = 64 << 20  # of a text file, such as a log
MAX_JSON_DEPTH = 32  # lists and dictionaries within each other
MAX_INTEGER = 2**63 - 1  # in a card or a configuration
MAX_DEFLATE_RATIO = 1032  # DEFLATE cannot expand a byte to more
CHUNK = 1 << 24  # bytes read at a time

# What zipfile, zlib, json, tomllib and NumPy raise on bytes that are not what they should be
PARSING_ERRORS = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, ValueError, OverflowError, MemoryError, RecursionError,
    NotImplementedError,
)  # fmt: skip

T = TypeVar("T")
Array = NDArray[Any]


class Stream(Protocol):
    """Bytes read from the front: a file, or an entry of an archive."""

    def read(self, size: int, /) -> bytes: ...


# Writing


@contextmanager
def written(path: Path) -> Iterator[BinaryIO]:
    """Yield a temporary file beside `path` that replaces it at the end: a reader, or a crash, sees the old file or the new one.

    Links are followed. A path that exists and is no regular file (a device, a pipe, a folder) is refused. The file gets the
    permissions of any new file: the kernel applies the process's umask.
    """
    path = path.resolve()
    beside, file = _opened_beside(path)
    try:
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def _opened_beside(path: Path) -> tuple[Path, BinaryIO]:
    try:
        if path.exists() and not path.is_file():
            raise UsageError(f"cannot write {str(path)!r}: it is there and is no regular file")
        if not path.parent.is_dir():
            raise UsageError(f"cannot write {path.name!r}: there is no folder {str(path.parent)!r}")
        beside = path.parent / f".{path.name}.{token_hex(8)}"
        return beside, beside.open("xb")
    except OSError as error:
        raise UsageError(f"cannot write {str(path)!r} ({error.strerror})") from None


def verify_writable(path: Path) -> None:
    """Raise UsageError where a file could not be written, before long work whose result would be lost."""
    beside, file = _opened_beside(path.resolve())
    file.close()
    beside.unlink()


def write(path: Path, data: bytes) -> None:
    with written(path) as file:
        file.write(data)


def write_text(path: Path, text: str) -> None:
    write(path, text.encode())


def write_json(path: Path, value: Any) -> None:
    write_text(path, to_json(value) + "\n")


def to_json(value: Any) -> str:
    """Return strict JSON: infinities and NaN become text, which options read back."""
    return json.dumps(_plain(value), indent=2, allow_nan=False)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


@contextmanager
def locked(folder: Path, *, wait: bool = True) -> Iterator[bool]:
    """Lock a folder for one holder at a time; yield whether it is locked. Without `wait` it may be locked by another already.

    The lock goes when its process does, however that ends. Windows has no such lock.
    """
    if sys.platform == "win32":
        yield True
        return
    from fcntl import LOCK_EX, LOCK_NB, flock

    place, alone = os.open(folder, os.O_RDONLY), True
    try:
        try:
            flock(place, LOCK_EX if wait else LOCK_EX | LOCK_NB)
        except BlockingIOError:
            alone = False
        yield alone
    finally:
        os.close(place)


# Reading bytes and text


@contextmanager
def parsing(what: str) -> Iterator[None]:
    """Report errors of a parser as `DamagedFile`. Wrap only the call that parses foreign bytes."""
    try:
        yield
    except PARSING_ERRORS as error:
        raise DamagedFile(f"{what}: {reason(error)}") from None


def reason(error: BaseException) -> str:
    """Return what an error says on one line, or its name where it says nothing."""
    if isinstance(error, RecursionError):
        return "nested too deeply"
    return str(error).strip().partition("\n")[0][:200] or type(error).__name__


@contextmanager
def opened(path: Path, what: str) -> Iterator[BufferedReader]:
    """Open a regular file; `what` names it in errors: "agent file". Pipes and devices are refused, not waited for."""
    try:
        file = open(path, "rb", opener=_without_waiting)  # noqa: SIM115 - closed below
    except FileNotFoundError:
        raise UsageError(f"there is no {what} {str(path)!r}") from None
    except IsADirectoryError:
        raise UsageError(f"{str(path)!r} is a folder, not a {what}") from None
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read the {what} {str(path)!r} ({reason(error)})") from None
    with file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise UsageError(f"{str(path)!r} is no regular file")
        yield file


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def read_bytes(path: Path, what: str, limit: int = MAX_TEXT_BYTES) -> bytes:
    """Return the content of a file of at most `limit` bytes."""
    with opened(path, what) as file:
        size = os.fstat(file.fileno()).st_size
        verify_size(f"{what} {path.name!r}", size, limit)
        with parsing(f"{what} {path.name!r}"):
            data = file.read(limit + 1)
    verify_size(f"{what} {path.name!r}", len(data), limit)
    return data


def read_text(path: Path, what: str, limit: int = MAX_TEXT_BYTES) -> str:
    """Return the content of a UTF-8 file of at most `limit` bytes."""
    data = read_bytes(path, what, limit)
    with parsing(f"{what} {path.name!r}"):
        return data.decode()


def verify_size(what: str, size: int, limit: int) -> None:
    if size > limit:
        raise DamagedFile(f"{what} has {size:,} bytes (accepted: at most {limit:,})")


# JSON


def parse_json(what: str, data: str | bytes) -> Any:
    """Return the value of strict JSON: finite numbers, text of whole characters, at most MAX_JSON_DEPTH levels."""
    with parsing(what):
        value = json.loads(data, parse_constant=_finite, parse_float=_finite)
    level = [value]
    for _ in range(MAX_JSON_DEPTH):
        for text in (text for outer in level for text in _texts(outer)):
            if not is_text(text):
                raise DamagedFile(f"{what}: {_shown(text)} has half a character (a lone surrogate)")
        level = [inner for outer in level for inner in _children(outer)]
        if not level:
            return value
    raise DamagedFile(f"{what}: nested too deeply")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:40]} is not a finite number")
    return number


def is_text(text: str) -> bool:
    """Return whether text can be written as UTF-8: names of files and JSON may hold lone surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _texts(value: object) -> list[str]:
    return [value] if isinstance(value, str) else list(value) if isinstance(value, dict) else []


def _children(value: object) -> list[Any]:
    return list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []


_REQUIRED: Final = object()
_NOUNS = {str: "a text", int: "a whole number", float: "a number", bool: "true, false", dict: "a dictionary", list: "a list"}


def field(table: object, name: str, kind: type[T], default: object = _REQUIRED, *, low: float = -math.inf) -> T:
    """Return the entry `name` of parsed JSON, of type `kind`, or `default` where it is missing (an error where there is none).

    Whole numbers count as numbers, `true` and `false` do not.
    """
    if not isinstance(table, dict):
        raise DamagedFile(f"{_shown(table)} where a dictionary with {name!r} is expected")
    if name not in table and default is not _REQUIRED:
        return default  # type: ignore[return-value]
    if name not in table:
        raise DamagedFile(f"{name!r} is missing")
    value = table[name]
    typed = isinstance(value, int | float if kind is float else kind) and isinstance(value, bool) == (kind is bool)
    if not typed or (kind in (int, float) and not low <= value <= MAX_INTEGER):
        least = "" if low == -math.inf else f" of at least {low:g}"
        raise DamagedFile(f"{name!r} is {_shown(value)} (accepted: {_NOUNS[kind]}{least})")
    return kind(value) if kind is float else value  # type: ignore[call-arg]


def optional(table: object, name: str, kind: type[T], *, low: float = -math.inf) -> T | None:
    """Return the entry `name` as `field` does; None where it is missing or null."""
    if isinstance(table, dict) and table.get(name) is None:
        return None
    return field(table, name, kind, low=low)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}..."


# NumPy arrays


_HEADER = re.compile(
    rb"\{'descr': '([<>|][fiub][0-9]{1,2})', 'fortran_order': (True|False), 'shape': \(((?:[0-9]{1,18},? ?)*)\), \} *\n"
)


def read_npy_header(stream: Stream) -> tuple[np.dtype[Any], tuple[int, ...], bool, int]:
    """Return (type, shape, whether in Fortran order, bytes read) from the front of an array in NumPy's format 1.0.

    NumPy evaluates the header as Python source; this pattern accepts exactly what NumPy writes for arrays of numbers.
    """
    with parsing("an array"):
        if (magic := stream.read(8)) != b"\x93NUMPY\x01\x00":
            raise ValueError(f"it begins with {magic!r}")
        (length,) = struct.unpack("<H", stream.read(2))
        header = stream.read(length)
    found = _HEADER.fullmatch(header)
    if found is None:
        raise DamagedFile(f"an array with the header {header[:80]!r} (accepted: finite numbers)")
    try:
        kind = np.dtype(found[1].decode())
    except TypeError:
        raise DamagedFile(f"an array of type {found[1].decode()!r} (accepted: finite numbers)") from None
    shape = tuple(int(size) for size in found[3].replace(b" ", b"").split(b",") if size)
    return kind, shape, found[2] == b"True", 10 + length


def read_npy(stream: Stream, size: int) -> Array:
    """Return the array of numbers that `size` bytes of a stream hold; nothing is allocated unless they can."""
    kind, shape, fortran, length = read_npy_header(stream)
    if length + prod(shape) * kind.itemsize != size:
        raise DamagedFile(f"an array {shape} of {kind} in {size:,} bytes")
    with parsing("an array"):
        array = np.empty(shape, kind, order="F" if fortran else "C")
        content = array.reshape(-1, order="A").view(np.uint8)
        for start in range(0, len(content), CHUNK):
            piece = stream.read(min(CHUNK, len(content) - start))
            content[start : start + CHUNK] = np.frombuffer(piece, np.uint8)  # a ValueError where it is short
    return array if kind.isnative else array.astype(kind.newbyteorder("="))


class Archive:
    """Entries of a zip file, read with limits: stored or deflated, not encrypted."""

    def __init__(self, file: BufferedReader) -> None:
        with parsing("zip"):
            self._zip = zipfile.ZipFile(file)
        self._entries = {entry.filename: entry for entry in self._zip.infolist()}

    def __contains__(self, name: str) -> bool:
        return name in self._entries

    @property
    def arrays(self) -> dict[str, int]:
        """Sizes in bytes of the entries that are arrays, by name without `.npy`."""
        return {name[:-4]: entry.file_size for name, entry in self._entries.items() if name.endswith(".npy")}

    def json(self, name: str) -> Any:
        entry = self._entry(name, MAX_JSON_BYTES)
        with parsing(name), self._zip.open(entry) as stream:
            data = stream.read(MAX_JSON_BYTES)
        return parse_json(name, data)

    def array(self, name: str, limit: int) -> Array:
        """Return an array of at most `limit` bytes, header included."""
        entry = self._entry(f"{name}.npy", limit)
        with parsing(entry.filename):
            stream = self._zip.open(entry)
        with stream:
            return read_npy(stream, entry.file_size)

    def _entry(self, name: str, limit: int) -> zipfile.ZipInfo:
        entry = self._entries.get(name)
        if entry is None:
            raise DamagedFile(f"{name!r} is missing")
        if entry.flag_bits & 1 or entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise DamagedFile(f"{name!r} is encrypted or compressed in another way (accepted: stored, deflated)")
        verify_size(repr(name), entry.file_size, min(limit, MAX_DEFLATE_RATIO * (entry.compress_size + 1)))
        return entry

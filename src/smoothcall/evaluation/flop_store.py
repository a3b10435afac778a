"""A file of values by flop, written as they are found: a stopped or killed computation goes on where it was.

A line of JSON says what the values are of. Behind it stand records: the number of a flop, the boards walked, the values, a
checksum. A record that is incomplete or damaged is dropped with everything behind it, and computed again.
"""

from __future__ import annotations

import json
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from smoothcall import files
from smoothcall.errors import DamagedFile, UsageError
from smoothcall.kernels.tables import Array

FORMAT = 1
MAX_HEADER_BYTES = 1 << 16
_HEAD = struct.Struct("<II")  # flop, boards
_CHECK = struct.Struct("<I")


class FlopStore:
    """Values [entries, classes] float64 of flops. Without a path they are kept in memory only."""

    def __init__(self, path: Path | None, about: dict[str, Any], shape: tuple[int, int]) -> None:
        self._path, self._shape = path, shape
        self._header = (json.dumps({"format": FORMAT, **about, "shape": list(shape)}) + "\n").encode()
        self.values: dict[int, Array] = {}
        self.boards: dict[int, int] = {}
        if path is not None:
            self._open(path)

    def _open(self, path: Path) -> None:
        if not path.exists():
            if not path.parent.is_dir():
                raise UsageError(f"cannot save {str(path)!r} (accepted: a file in a folder that exists)")
            files.write(path, self._header)
            return
        data = files.read_bytes(path, "file of flops", 1 << 32)
        head, line, rest = data.partition(b"\n")
        if head + line != self._header:
            raise UsageError(f"{str(path)!r} is not a file of flops of this agent and response ({self._difference(head)})")
        size = _HEAD.size + 8 * self._shape[0] * self._shape[1] + _CHECK.size
        whole = 0
        for begin in range(0, len(rest) - size + 1, size):
            record = rest[begin : begin + size]
            if zlib.crc32(record[: -_CHECK.size]) != _CHECK.unpack(record[-_CHECK.size :])[0]:
                break
            flop, boards = _HEAD.unpack_from(record)
            self.values[flop] = np.frombuffer(record[_HEAD.size : -_CHECK.size]).reshape(self._shape)
            self.boards[flop] = boards
            whole = begin + size
        if whole < len(rest):
            files.write(path, data[: len(self._header) + whole])

    @property
    def known(self) -> int:
        """The number of flops whose values are known."""
        return len(self.values)

    def _difference(self, head: bytes) -> str:
        """Name the first thing in which a header differs from ours."""
        try:
            found = files.parse_json("header", head[:MAX_HEADER_BYTES])
        except DamagedFile:
            return "its header is damaged"
        ours = files.parse_json("header", self._header)
        known = found if isinstance(found, dict) else {}
        return next(
            (f"{name}: {known.get(name)}, not {ours[name]}" for name in ours if known.get(name) != ours[name]), "header"
        )

    def add(self, flop: int, values: Array, boards: int) -> None:
        """Keep the values of a flop, on disk before this returns."""
        self.values[flop], self.boards[flop] = values, boards
        if self._path is not None:
            record = _HEAD.pack(flop, boards) + np.ascontiguousarray(values, np.float64).tobytes()
            with self._path.open("ab") as file:
                file.write(record + _CHECK.pack(zlib.crc32(record)))
                file.flush()

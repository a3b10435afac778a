"""A file with the sum of values over the flops done so far: a computation over all flops goes on where it was, on any machine.

A line of JSON says what the values are of, how many flops are done and the checksum of the sum, which stands behind it as
float64. Flops are done in one order, so the number of them says which ones, and the sum does not depend on interruptions. Each
flop's file replaces the one before as a whole.
"""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from smoothcall import files
from smoothcall.errors import DamagedFile, UsageError
from smoothcall.kernels.tables import Array

FORMAT = 1
MAX_BYTES = 1 << 30


class FlopSum:
    """The sum of values[entries, classes] float64 of flops times `share`[flops]. Without a path it is kept in memory only."""

    def __init__(self, path: Path | None, about: dict[str, Any], share: Array, shape: tuple[int, int]) -> None:
        self._path, self._share = path, share
        self._about = json.loads(json.dumps({"format": FORMAT, **about, "flops": len(share), "shape": shape}))
        self.total, self.known, self.boards = np.zeros(shape), 0, 0
        if path is not None and path.exists():
            self._read(path)
        elif path is not None:
            self._write(path)

    @property
    def missing(self) -> list[int]:
        return list(range(self.known, len(self._share)))

    def _read(self, path: Path) -> None:
        line, _, rest = files.read_bytes(path, "file of a sum over flops", MAX_BYTES).partition(b"\n")
        damaged = UsageError(f"{str(path)!r} is damaged (accepted: a whole file; delete it to begin again)")
        try:
            known = files.parse_json("file of a sum over flops", line)
        except DamagedFile:
            raise damaged from None
        if not isinstance(known, dict):
            raise damaged
        wrong = next((name for name in self._about if known.get(name) != self._about[name]), None)
        if wrong is not None:
            found = f"{wrong}: {known.get(wrong)}, not {self._about[wrong]}"
            raise UsageError(f"{str(path)!r} is not a sum over flops of this agent and response ({found})")
        done, boards = known.get("done"), known.get("boards")
        whole = len(rest) == self.total.nbytes and zlib.crc32(rest) == known.get("check")
        if not whole or not isinstance(done, int) or not isinstance(boards, int) or not 0 <= done <= len(self._share):
            raise damaged
        self.total, self.known, self.boards = np.frombuffer(rest).reshape(self.total.shape).copy(), done, boards

    def _write(self, path: Path) -> None:
        data = self.total.tobytes()
        known = {**self._about, "done": self.known, "boards": self.boards, "check": zlib.crc32(data)}
        files.write(path, (json.dumps(known) + "\n").encode() + data)

    def add(self, flop: int, values: Array, boards: int) -> None:
        """Add the values of the next flop, on disk before this returns."""
        assert flop == self.known
        self.total += values * self._share[flop]
        self.known, self.boards = flop + 1, self.boards + boards
        if self._path is not None:
            self._write(self._path)

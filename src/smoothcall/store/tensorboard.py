"""Event files of scalars for TensorBoard.

Own code, because the libraries that write these files install tens of megabytes for the hundred lines below.

A record is the length of its data (8 bytes, little-endian), the masked CRC of those 8, the data and its masked CRC. The data is
an `Event`: wall_time = 1 (double), step = 2 (varint), file_version = 3 (string; in the first record only) and summary = 5, of
which each value = 1 has a tag = 1 (string) and a simple_value = 2 (float).
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from smoothcall.store.metrics import Metric

VERSION = "brain.Event:2"
VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5  # how a field is written


def _remainders() -> tuple[int, ...]:
    """Return the remainder of each byte divided by Castagnoli's polynomial, lowest bits first."""
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    return tuple(table)


REMAINDERS = _remainders()


def crc32c(data: bytes) -> int:
    """Return the checksum of RFC 3720 (12.1)."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = REMAINDERS[(crc ^ byte) & 0xFF] ^ crc >> 8
    return crc ^ 0xFFFFFFFF


def whole(started: float, metrics: Sequence[Metric]) -> bytes:
    """Return a file of all evaluations of a run; `started` is in seconds since 1970."""
    pairs = zip(metrics, [None, *metrics], strict=False)
    return opening(started) + b"".join(evaluation(started, metric, before) for metric, before in pairs)


def evaluation(started: float, metric: Metric, before: Metric | None) -> bytes:
    """Return the record of one evaluation. Only time spent learning counts, so that a run stopped overnight has no gap."""
    return scalars(started + metric.seconds, metric.iterations, by_tag(metric, before))


def by_tag(metric: Metric, before: Metric | None) -> dict[str, float]:
    """Return the figures of an evaluation by tag; speed and winnings are those since the evaluation before."""
    known = {"nash_conv": metric.nash_conv, "exploitability": metric.exploitability}
    found = {tag: value for tag, value in known.items() if value is not None} | {"nodes": metric.nodes}
    done, began = (before.iterations, before.seconds) if before is not None else (0, 0.0)
    if metric.seconds > began:
        found["speed"] = (metric.iterations - done) / (metric.seconds - began)
    if (won := metric.since(before)) is not None:
        found |= {f"won_a_{won.each}/player_{player}": chips / won.count for player, chips in enumerate(won.chips)}
    if metric.won is None:
        found |= {f"value/player_{player}": value for player, value in enumerate(metric.values)}
        found |= {f"epsilon/player_{player}": value for player, value in enumerate(metric.epsilons)}
    return found


def opening(timestamp: float) -> bytes:
    """Return the record every file begins with; `timestamp` is in seconds since 1970."""
    return _record(_wall_time(timestamp) + _bytes(3, VERSION.encode()))


def scalars(timestamp: float, step: int, values: Mapping[str, float]) -> bytes:
    """Return the record of values by tag at a step."""
    summary = b"".join(_bytes(1, _bytes(1, tag.encode()) + _key(2, FIXED32) + _float(value)) for tag, value in values.items())
    return _record(_wall_time(timestamp) + _key(2, VARINT) + _varint(step) + _bytes(5, summary))


def _record(data: bytes) -> bytes:
    length = struct.pack("<Q", len(data))
    return length + _masked(length) + data + _masked(data)


def _masked(data: bytes) -> bytes:
    """Return the masked CRC of TensorFlow's record format: rotated, plus a constant."""
    crc = crc32c(data)
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def _wall_time(timestamp: float) -> bytes:
    return _key(1, FIXED64) + struct.pack("<d", timestamp)


def _float(value: float) -> bytes:
    """Return 32 bits; numbers that are too large become infinite."""
    try:
        return struct.pack("<f", value)
    except OverflowError:
        return struct.pack("<f", float("inf") if value > 0 else float("-inf"))


def _bytes(field: int, data: bytes) -> bytes:
    return _key(field, BYTES) + _varint(len(data)) + data


def _key(field: int, how: int) -> bytes:
    return _varint(field << 3 | how)


def _varint(number: int) -> bytes:
    """Return seven bits a byte, the lowest first; the top bit says that more follow."""
    parts = bytearray()
    while number > 0x7F:
        parts.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*parts, number])

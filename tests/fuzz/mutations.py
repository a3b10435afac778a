"""Damage for readers: bytes with pieces changed, and JSON values with entries replaced."""

from __future__ import annotations

import copy
from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Any

from hypothesis import settings
from hypothesis import strategies as some

from smoothcall.errors import UsageError
from tests.conftest import examples

fuzz = settings(deadline=None, max_examples=examples(100), derandomize=True)

PIECES = [
    b"", b"\0", b"\xff", b"-1", b"inf", b"-inf", b"nan", b"NaN", b"Infinity", b"1e999", b"null", b"true", b"{}", b"[]", b'""',
    b"9" * 400, b"9" * 5000, b"[" * 5000, b'{"a":' * 5000, b"/", b":", b"|", b"\n", b"r999999999999999999999",
]  # fmt: skip
VALUES: list[Any] = [
    None, True, -1, 0, 2**62, 10**400, 0.5, 1e300, "", "x", "inf", "none", "9" * 5000, [], [[]], {}, {"a": 1}, ["x"] * 3,
    [1, 2], [[[1, 2]], [[3]]],
]  # fmt: skip


@some.composite
def damaged_bytes(draw: some.DrawFn, whole: bytes) -> bytes:
    """Bytes in which up to four pieces are flipped, cut, doubled or replaced."""
    data = bytearray(whole)
    for _ in range(draw(some.integers(1, 4))):
        start = draw(some.integers(0, max(0, len(data))))
        end = min(len(data), start + draw(some.sampled_from([0, 1, 1, 2, 4, 8, 100])))
        how = draw(some.sampled_from(["flip", "piece", "noise", "double", "end"]))
        if how == "flip" and start < len(data):
            data[start] ^= 1 << draw(some.integers(0, 7))
        elif how == "piece":
            data[start:end] = draw(some.sampled_from(PIECES))
        elif how == "noise":
            data[start:end] = draw(some.binary(max_size=8))
        elif how == "double":
            data[end:end] = data[start:end]
        elif how == "end":
            del data[start:]
    return bytes(data)


def damaged_text(whole: str) -> some.SearchStrategy[str]:
    """Text damaged in the same way, or any text at all."""
    return some.one_of(damaged_bytes(whole.encode()).map(lambda data: data.decode(errors="replace")), some.text(max_size=60))


def mutated(whole: bytes, random: Random) -> str:
    """Text damaged as by `damaged_bytes`, drawn from a generator: a hundred thousand of them take seconds."""
    data = bytearray(whole)
    for _ in range(random.randint(1, 4)):
        start = random.randint(0, len(data))
        end = min(len(data), start + random.choice([0, 1, 1, 2, 4, 8, 100]))
        how = random.randrange(5)
        if how == 0 and start < len(data):
            data[start] ^= 1 << random.randrange(8)
        elif how == 1:
            data[start:end] = random.choice(PIECES)
        elif how == 2:
            data[start:end] = random.randbytes(random.randint(0, 8))
        elif how == 3:
            data[end:end] = data[start:end]
        elif how == 4 and random.random() < 0.2:
            del data[start:]
    return data.decode(errors="replace")


@some.composite
def damaged_json(draw: some.DrawFn, whole: Any) -> Any:
    """A JSON value in which one or two entries are replaced or missing."""
    root = {"root": copy.deepcopy(whole)}
    for _ in range(draw(some.integers(1, 2))):
        holder, place = root, "root"
        while draw(some.integers(0, 4)):
            inner = holder[place]
            if not isinstance(inner, dict | list) or not inner:
                break
            holder = inner  # type: ignore[assignment]
            place = draw(some.sampled_from(sorted(inner) if isinstance(inner, dict) else range(len(inner))))  # type: ignore[type-var]
        if isinstance(holder, dict) and place != "root" and draw(some.booleans()):
            del holder[place]
        else:
            holder[place] = copy.deepcopy(draw(some.sampled_from(VALUES)))
    return root["root"]


def is_read_or_refused(read: Callable[[], object]) -> None:
    """Call a reader: a result and a UsageError are both right, every other exception fails the test."""
    with suppress(UsageError):
        read()

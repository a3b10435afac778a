"""Hands of many files at once: what cannot be read is counted by its reason instead of ending the reading."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from smoothcall import files
from smoothcall.errors import UsageError
from smoothcall.interop.phh import RecordedHand, read_phh_table
from smoothcall.interop.pokerstars import read_pokerstars, split_pokerstars

SUFFIXES = (".phh", ".phhs", ".txt")
_NUMBERED = re.compile(r"(?m)^[ \t]*\[[ \t]*[0-9]+[ \t]*\]")  # the head of a table with one hand


@dataclass
class HandFiles:
    """The hands that were read, and how many were skipped for which reason."""

    hands: list[RecordedHand] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)

    @property
    def summary(self) -> str:
        lines = [f"{len(self.hands):,} hands were read, {self.skipped.total():,} skipped"]
        return "\n".join([*lines, *(f"{count:,} skipped: {reason}" for reason, count in self.skipped.most_common())])


def read_hands(paths: Iterable[Path]) -> HandFiles:
    """Read `.phh` and `.phhs` files and PokerStars texts (`.txt`), and those below folders."""
    found = HandFiles()
    for path in _files(paths):
        try:
            readers = hand_readers(files.read_text(path, "hand history"), path)
        except UsageError as error:
            found.skipped[str(error)] += 1
            continue
        for read in readers:
            try:
                found.hands.append(read())
            except UsageError as error:
                found.skipped[_reason(str(error))] += 1
    return found


def hand_readers(text: str, path: Path) -> list[Callable[[], RecordedHand]]:
    """Return what reads each hand of a file's text."""
    if path.suffix not in (".phh", ".phhs"):
        hands = split_pokerstars(text)
        if not hands:
            raise UsageError(f"{path.suffix or path.name} files without hands of PokerStars")
        return [partial(read_pokerstars, hand) for hand in hands]
    parts = _NUMBERED.split(text)[1:] if path.suffix == ".phhs" else []
    try:
        with files.parsing(f"cannot read {path.name!r} as PHH"):
            tables = tomllib.loads(text)
    except UsageError:
        if len(parts) < 2:
            raise
        return [partial(_read_part, part) for part in parts]  # the hands before and after what is damaged
    return [partial(read_phh_table, table, "") for table in (tables.values() if path.suffix == ".phhs" else [tables])]


def _read_part(text: str) -> RecordedHand:
    """Return the hand of a numbered table of a damaged file."""
    try:
        with files.parsing("a table"):
            table = tomllib.loads(text)
    except UsageError:
        raise UsageError("tables that are cut off or damaged (accepted: TOML)") from None
    return read_phh_table(table, "")


def _files(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            yield from sorted(each for each in path.rglob("*") if each.suffix in SUFFIXES and each.is_file())
        else:
            yield path


def _reason(text: str) -> str:
    """Return an error without what differs from hand to hand, so that equal reasons are counted together."""
    if "variant" in text:
        return text.partition("(accepted")[0].strip(" :") + ", another game"
    if ", action " in text:
        return f"an action that the rules do not allow: {text.partition(': ')[2].partition(' (accepted')[0]}"
    return text.partition(" (accepted")[0].strip(" :")

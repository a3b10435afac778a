"""The figures of a ledger page, measured part by part.

Each part is saved in the page's `data.json` as soon as it is measured, with its settings. A reproduction that was stopped goes
on with the part at which it stopped; a part whose settings have changed is measured again.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from smoothcall import files
from smoothcall.errors import DamagedFile, UsageError

MAX_BYTES = 64 << 20  # of a data.json
DIGITS = 9  # significant digits of saved figures
PACKAGES = ("smoothcall", "numpy", "numba")


@dataclass(frozen=True, slots=True)
class Part:
    """Measured figures, and the settings they were measured with."""

    settings: dict[str, Any]
    figures: Any
    made: dict[str, str]  # versions of packages
    seconds: float


class NotMeasured(Exception):
    """A part that a row or a section needs has not been measured yet."""


class Measurements(dict[str, Part]):
    """Measured parts by name; asking for another one raises NotMeasured."""

    def __missing__(self, name: str) -> Part:
        raise NotMeasured(name)


class Parts:
    """The parts of a page by name, kept in a file."""

    def __init__(self, file: Path, command: str, tell: Callable[[str], None], *, again: bool = False) -> None:
        """Open the parts of a page. With `again` nothing is reused."""
        self.file, self.command, self.tell = file, command, tell
        self.again = again
        self._seen: list[str] = []  # names of the parts that this reproduction has
        self.parts: dict[str, Part] = read(file) if file.exists() else Measurements()

    def kept(self, name: str, settings: Mapping[str, Any]) -> Part | None:
        """Return a saved part of the same settings."""
        found = self.parts.get(name)
        return found if found is not None and found.settings == _plain(settings) and not self.again else None

    def measure(self, name: str, settings: Mapping[str, Any], measured: Callable[[], Any]) -> Any:
        """Return the figures of a part: saved ones of the same settings, else those that `measured` returns."""
        self._seen.append(name)
        kept = self.kept(name, settings)
        if kept is None:
            self.tell(name)
            kept = self.parts[name] = self.measured_now(settings, measured)
            self.save()
        return kept.figures

    def measured_now(self, settings: Mapping[str, Any], measured: Callable[[], Any]) -> Part:
        """Return the part that `measured` gives."""
        started = perf_counter()
        figures = _plain(measured())
        made = {package: version(package) for package in PACKAGES} | {"python": platform.python_version()}
        return Part(_plain(settings), figures, made, round(perf_counter() - started, 1))

    def seen(self, other: Parts) -> None:
        """Count the parts that another reproduction of this page asked for as asked for here."""
        self._seen += other._seen

    def forget_others(self) -> None:
        """Remove the parts that were not asked for: those of an earlier form of the page."""
        if set(self.parts) != set(self._seen):
            self.parts = {name: self.parts[name] for name in self._seen}
            self.save()

    def save(self) -> None:
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"output folder {str(self.file.parent)!r} cannot be used ({error.strerror})") from None
        names = [each.name for each in fields(Part)]
        parts = {part: {name: getattr(figures, name) for name in names} for part, figures in self.parts.items()}
        files.write_text(self.file, _text({"command": self.command, "parts": parts}))


def has_parts(file: Path) -> bool:
    """Return whether a file exists and begins as the data of a page do: with its command, then its parts."""
    try:
        with file.open() as text:
            return text.readline() == "{\n" and text.readline().startswith(' "command"') and text.readline() == ' "parts": {\n'
    except (OSError, ValueError):
        return False


def read(file: Path) -> Measurements:
    """Return the parts of a data.json by name."""
    try:
        size = file.stat().st_size
        data = json.loads(file.read_text()) if size <= MAX_BYTES else None
    except OSError as error:
        raise UsageError(f"cannot read {str(file)!r} ({error.strerror})") from None
    except (ValueError, RecursionError) as error:
        raise DamagedFile(f"{str(file)!r} is damaged ({error})") from None
    found = data.get("parts") if isinstance(data, dict) else None
    names = {each.name for each in fields(Part)}
    if not isinstance(found, dict) or not all(isinstance(part, dict) and set(part) == names for part in found.values()):
        raise DamagedFile(f"{str(file)!r} is not the data of a ledger page")
    return Measurements({name: Part(**part) for name, part in found.items()})


def _plain(value: Any) -> Any:
    """Return JSON data: tuples and arrays as lists, numbers rounded to DIGITS digits, infinities and NaN as None."""
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, bool | str) or value is None:
        return value
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, int | np.integer):
        return int(value)
    number = float(value)
    return float(f"{number:.{DIGITS}g}") if np.isfinite(number) else None


def _text(data: Any, depth: int = 0) -> str:
    """Return JSON with a line for each entry of the outer four levels of objects; what is deeper stays on one line."""
    if not isinstance(data, dict) or depth > 3 or not data:
        return json.dumps(data, allow_nan=False) + ("\n" if depth == 0 else "")
    space = " " * (depth + 1)
    lines = [f"{space}{json.dumps(key)}: {_text(value, depth + 1)}" for key, value in data.items()]
    return "{\n" + ",\n".join(lines) + "\n" + " " * depth + "}" + ("\n" if depth == 0 else "")

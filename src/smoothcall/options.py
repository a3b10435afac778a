"""Declared options of games and solvers: default, range, help.

Values are Python objects or, from the command line, text; `1e6` and `1_000_000` are numbers in both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from pathlib import Path
from typing import Any

from smoothcall.errors import UsageError, unknown

Value = int | float | str | bool | None


@dataclass(frozen=True, slots=True)
class Option:
    """One option. Its type is the type of its default, or `kind` where the default is None."""

    default: Value
    help: str
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    kind: type | None = None
    form: str = ""  # what free text is accepted, in words; the user of the value checks it
    objects: str = ""  # objects accepted beside `choices`, in words ("an agent"); whoever uses the object checks it

    @property
    def type(self) -> type:
        return self.kind or type(self.default)

    @property
    def accepted(self) -> str:
        """The accepted values, in words."""
        if self.choices:
            return ", ".join(self.choices) + (f", or {self.objects}" if self.objects else "")
        if self.form:
            return self.form
        if self.type is Path:
            return "a name or a path"
        if self.type is bool:
            return "true, false"
        noun = "a whole number" if self.type is int else "a number"
        if self.low is not None and self.high is not None:
            noun += f" from {self.low:g} to {self.high:g}"
        elif self.low is not None:
            noun += f" of at least {self.low:g}"
        return noun + (", or none" if self.default is None else "")

    def read(self, name: str, given: object) -> Any:
        """Return the value of the option: a `Value`, or the object given where objects are accepted."""
        if self.objects and not isinstance(given, str | Path | Real | None):
            return given
        if self.default is None and (given is None or given in ("none", "None")):
            return None
        value = self._parse(given)
        wrong = value is None
        if isinstance(value, str):
            wrong = not value or (value not in self.choices and self.type is not Path and not self.form)
        elif isinstance(value, int | float):
            wrong = wrong or (self.low is not None and value < self.low) or (self.high is not None and value > self.high)
        if wrong:
            raise UsageError(f"option {name}={given} (accepted: {self.accepted})")
        return value

    def _parse(self, given: object) -> Value:
        if self.choices or self.form or self.type is Path:
            return str(given) if isinstance(given, str | Path) else None
        if self.type is bool:
            return {"true": True, "false": False}.get(str(given).lower())
        return number(given, whole=self.type is int)


def number(given: object, *, whole: bool) -> int | float | None:
    """Return the number that `given` is or spells, else None. NaN is none; infinities are none only where `whole` is set."""
    if isinstance(given, Integral) and not isinstance(given, bool):
        given = int(given)
    elif isinstance(given, Real) and not isinstance(given, bool):
        given = float(given)
    if isinstance(given, bool) or not isinstance(given, int | float | str):
        return None
    try:
        if isinstance(given, int) or (isinstance(given, str) and given.replace("_", "").lstrip("+-").isdecimal()):
            return int(given) if whole else float(given)
        value = float(given)
    except (ValueError, OverflowError):
        return None
    if value != value or (whole and (value in (float("inf"), float("-inf")) or value != int(value))):
        return None
    return int(value) if whole else value


def read_options(owner: str, declared: Mapping[str, Option], given: Mapping[str, object]) -> dict[str, Any]:
    """Return every declared option with its value: the given one, verified, or the default."""
    for name in given:
        if name not in declared:
            raise unknown(f"option of {owner}", name, declared)
    return {name: option.read(name, given[name]) if name in given else option.default for name, option in declared.items()}

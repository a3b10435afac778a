"""The reproduction ledger: a page per paper with published figures, our figures, and the command that made them."""

from __future__ import annotations

import json
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from smoothcall import files
from smoothcall.errors import UsageError


@dataclass(frozen=True, slots=True)
class Check:
    """A claim of a paper, and whether our figure confirms it."""

    what: str
    published: str
    ours: str
    passed: bool | None  # None: a quick run is too short for a verdict

    @property
    def verdict(self) -> str:
        return "needs the full run" if self.passed is None else "pass" if self.passed else "fail"


@dataclass
class Page:
    """A page being written: text, tables and pictures in order; checks; and the figures as data."""

    name: str
    title: str
    command: str
    parts: list[str] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    pictures: dict[str, bytes] = field(default_factory=dict)
    data: dict[str, Any] = field(default_factory=dict)

    def heading(self, text: str) -> None:
        self.parts.append(f"## {text}")

    def text(self, text: str) -> None:
        self.parts.append(text)

    def table(self, heads: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        lines = [heads, ["---"] * len(heads), *rows]
        self.parts.append("\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines))

    def picture(self, name: str, image: bytes, caption: str) -> None:
        self.pictures[name] = image
        self.parts.append(f"![{caption}]({self.name}/{name}.png)\n\n*{caption}*")

    def check(self, what: str, published: str, ours: str, *, passed: bool | None) -> None:
        self.checks.append(Check(what, published, ours, None if passed is None else bool(passed)))

    def write(self, out: Path) -> dict[str, Any]:
        """Write page, pictures and data under `out`; return the path of the page, the checks, and whether none failed."""
        try:
            (out / self.name).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"output folder {str(out)!r} cannot be used ({error.strerror})") from None
        verdicts = [[check.what, check.published, check.ours, check.verdict] for check in self.checks]
        made = ", ".join(f"{name} {version(name)}" for name in ("smoothcall", "numpy", "numba"))
        head = Page(self.name, self.title, self.command)
        head.text(f"# {self.title}")
        head.text(f"Made by `{self.command}` with {made}, Python {platform.python_version()}.")
        head.table(["what", "published", "ours", ""], verdicts)
        for name, image in self.pictures.items():
            files.write(out / self.name / f"{name}.png", image)
        data = {
            "command": self.command,
            "checks": [asdict(check) | {"verdict": check.verdict} for check in self.checks],
            **self.data,
        }
        files.write_text(out / self.name / "data.json", json.dumps(data, indent=1) + "\n")
        page = out / f"{self.name}.md"
        files.write_text(page, "\n\n".join([*head.parts, *self.parts]) + "\n")
        passed = all(check.passed is not False for check in self.checks)
        return {"page": str(page), "passed": passed, "checks": data["checks"]}

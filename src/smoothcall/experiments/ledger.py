"""The reproduction ledger: a page per paper, made from its data and from nothing else.

A page has a table of rows, each a published statement beside our figures with a verdict, and sections of text, tables and
pictures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from smoothcall import files
from smoothcall.experiments.parts import Part
from smoothcall.experiments.verdicts import Row, verdict
from smoothcall.store.curves import drawing_digest, png, png_digest

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HEADS = ["in the document", "statement", "published", "ours (95 % interval)", "verdict"]


@dataclass
class Page:
    """A page being written."""

    name: str
    title: str
    command: str
    sections: list[str] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    pictures: dict[str, Figure] = field(default_factory=dict)

    def heading(self, text: str) -> None:
        self.sections.append(f"## {text}")

    def text(self, text: str) -> None:
        self.sections.append(text)

    def table(self, heads: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        self.sections.append(table(heads, rows))

    def picture(self, name: str, figure: Figure, caption: str) -> None:
        self.pictures[name] = figure
        self.sections.append(f"![{caption}]({self.name}/{name}.png)\n\n*{caption}*")

    def row(self, row: Row) -> None:
        self.rows.append(row)

    def render(self, parts: Mapping[str, Part]) -> str:
        """Return the whole page; `parts` say which versions of packages made the figures."""
        made = sorted({", ".join(f"{name} {version}" for name, version in part.made.items()) for part in parts.values()})
        lines = [[row.source, row.statement, row.published or "", row.ours, verdict(row)] for row in self.rows]
        head = [
            f"# {self.title}",
            f"Made by `{self.command}` with {'; '.join(made)}.",
            table(HEADS, lines),
            "The verdicts are explained in [the ledger](README.md).",
        ]
        return "\n\n".join([*head, *self.sections]) + "\n"

    def write(self, out: Path, parts: Mapping[str, Part]) -> Path:
        """Write the page and its pictures under `out`; return the path of the page."""
        for name, figure in self.pictures.items():
            files.write(out / self.name / f"{name}.png", png(figure, drawing_digest(figure)))
        path = out / f"{self.name}.md"
        files.write_text(path, self.render(parts))
        return path

    def differences(self, out: Path, parts: Mapping[str, Part]) -> list[str]:
        """Return how the page and the pictures under `out` differ from this one; [] if they do not."""
        path = out / f"{self.name}.md"
        if not path.is_file():
            return [f"there is no page {str(path)!r}"]
        wanted, found = self.render(parts).splitlines(), path.read_text().splitlines()
        changed = [number for number, (one, other) in enumerate(zip(wanted, found, strict=False), 1) if one != other]
        wrong = [f"{path.name}, line {number} is not what the data give" for number in changed[:5]]
        if len(wanted) != len(found):
            wrong.append(f"{path.name} has {len(found)} lines, the data give {len(wanted)}")
        for name, figure in self.pictures.items():
            picture = out / self.name / f"{name}.png"
            if not picture.is_file() or png_digest(picture.read_bytes()) != drawing_digest(figure):
                wrong.append(f"{self.name}/{name}.png is not what the data give")
        return wrong


def table(heads: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return a Markdown table."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)

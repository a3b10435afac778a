"""A reproduction at the smallest size that runs all of its code, and the checks that every page must pass."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from smoothcall.experiments.ledger import Page
from smoothcall.experiments.parts import Part, Parts, read
from smoothcall.experiments.verdicts import Row, verdict

ROOT = Path(__file__).parents[2]
PNG = b"\x89PNG"


@dataclass(frozen=True)
class Written:
    text: str
    parts: dict[str, Part]
    rows: dict[str, Row]  # by statement
    told: list[str]

    def status(self, statement: str) -> str:
        return str(verdict(self.rows[statement]).status)


def written(paper: str, size: object, out: Path) -> Written:
    """Measure with a size of one's own, write the page, and verify that it is whole and is measured once only."""
    module: Any = import_module(f"smoothcall.experiments.{paper.replace('-', '_')}")
    told: list[str] = []
    parts = Parts(out / "tiny" / "data.json", f"smoothcall reproduce {paper}", told.append)
    module.measure(parts, size, out / "tiny")
    parts.forget_others()
    measured = len(told)
    module.measure(Parts(parts.file, parts.command, told.append), size, out / "tiny")
    assert not set(told[measured:]) & set(parts.parts), "a finished part is not measured again"
    return rendered(paper, out, told[:measured])


def rendered(paper: str, out: Path, told: list[str]) -> Written:
    """Make the page from the data in `out`/tiny and verify it."""
    module: Any = import_module(f"smoothcall.experiments.{paper.replace('-', '_')}")
    parts = read(out / "tiny" / "data.json")
    page = Page("tiny", module.TITLE, f"smoothcall reproduce {paper}")
    module.write(page, parts)
    for figure in page.pictures.values():
        figure.set_layout_engine(None)  # a layout, and ticks without labels, are most of the time that a picture takes
        for axes in figure.axes:
            axes.minorticks_off()
    text = page.write(out, parts).read_text()
    assert page.differences(out, parts) == []
    verify(page, text, out)
    missing = [source for source in module.SOURCES if not any(source in row.source for row in page.rows)]
    assert not missing, "every table and figure of the document has a row"
    return Written(text, parts, {row.statement: row for row in page.rows}, told)


def verify(page: Page, text: str, out: Path) -> None:
    """Verify that tables are rectangular, pictures exist, statements are unique, and verdicts stand on the page."""
    assert "nan" not in text.lower().split()
    for table in (part for part in text.split("\n\n") if part.startswith("|")):
        assert len({line.count(" |") for line in table.splitlines()}) == 1, table
    for part in text.split("\n\n"):
        if part.startswith("!["):
            assert (out / part.rpartition("(")[2].rstrip(")")).read_bytes()[:4] == PNG
    assert len({(row.source, row.statement) for row in page.rows}) == len(page.rows)
    for row in page.rows:
        assert f"| {row.statement} | {row.published or ''} | {row.ours} | {verdict(row)} |" in text


def verify_evidence(tests: Iterable[str]) -> None:
    """Verify that the tests that a page names as evidence exist."""
    for evidence in tests:
        path, _, name = evidence.partition("::")
        assert name in {node.name for node in ast.parse((ROOT / path).read_text()).body if isinstance(node, ast.FunctionDef)}

"""A reproduction at the smallest size that runs all of its code, and the checks that every page must pass."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from smoothcall.experiments.ledger import Page

PNG = b"\x89PNG"


@dataclass(frozen=True)
class Written:
    text: str
    data: dict[str, Any]
    checks: dict[str, dict[str, Any]]  # by what is claimed
    told: list[str]


def written(paper: str, size: object, out: Path) -> Written:
    """Write a page with a size of one's own, and verify that it is whole."""
    module = import_module(f"smoothcall.experiments.{paper.replace('-', '_')}")
    page, told = Page("tiny", module.TITLE, f"smoothcall reproduce {paper}"), list[str]()
    module.report(page, size, out / "tiny", told.append)
    answer = page.write(out)
    return verify(answer, out, told)


def verify(answer: dict[str, Any], out: Path, told: list[str]) -> Written:
    """Verify that tables are rectangular, pictures exist, and the verdicts on the page, in the data and in the answer agree."""
    page = Path(answer["page"])
    text = page.read_text()
    folder = out / page.stem
    data = json.loads((folder / "data.json").read_text())
    assert "nan" not in text.lower().split()
    for table in (part for part in text.split("\n\n") if part.startswith("|")):
        assert len({line.count(" |") for line in table.splitlines()}) == 1, table
    for part in text.split("\n\n"):
        if part.startswith("!["):
            assert (out / part.rpartition("(")[2].rstrip(")")).read_bytes()[:4] == PNG
    assert data["checks"] == answer["checks"]
    for check in data["checks"]:
        verdict = {True: "pass", False: "fail", None: "needs the full run"}[check["passed"]]
        assert check["verdict"] == verdict
        assert f"| {check['what']} | {check['published']} | {check['ours']} | {verdict} |" in text
    assert answer["passed"] == all(check["passed"] is not False for check in data["checks"])
    assert told
    return Written(text, data, {check["what"]: check for check in data["checks"]}, told)

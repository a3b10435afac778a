"""The committed pages are what their data give, every statement has an honest verdict, and the README counts them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from smoothcall.app import App
from smoothcall.experiments import EXPERIMENTS, measured_papers
from smoothcall.experiments.verdicts import NO_CAUSE, Status
from smoothcall.results import count_statuses
from tests.generated_docs import ledger_rows

ROOT = Path(__file__).parents[1]
LEDGER = ROOT / "docs" / "ledger"
PAPERS = list(EXPERIMENTS)


@pytest.mark.parametrize("paper", PAPERS)
def test_a_page_is_what_its_data_give(paper: str) -> None:
    assert App(ROOT).check_ledger(paper).wrong == ()


@pytest.mark.parametrize("paper", PAPERS)
def test_a_page_comes_from_a_full_run(paper: str) -> None:
    assert json.loads((LEDGER / paper / "data.json").read_text())["command"] == f"smoothcall reproduce {paper}"


@pytest.mark.parametrize("paper", PAPERS)
def test_no_row_differs_without_a_cause(paper: str) -> None:
    rows = [row for row in ledger_rows() if row.paper == paper]
    assert rows
    assert not [row.row.statement for row in rows if NO_CAUSE in row.verdict.reason]
    assert all(row.verdict.reason for row in rows if row.verdict.status in (Status.NOT_COMPARABLE, Status.DIFFERS))


def test_every_paper_has_a_page() -> None:
    assert set(measured_papers(LEDGER)) == set(EXPERIMENTS)


def test_the_readme_counts_the_rows() -> None:
    rows = ledger_rows()
    assert f"{len(rows)} rows: {count_statuses(rows)}" in " ".join((ROOT / "README.md").read_text().split()), "run `make docs`"


def test_a_changed_figure_is_noticed(tmp_path: Path) -> None:
    """A page or data edited by hand fails the check."""
    paper = "nfsp"
    for path in [LEDGER / f"{paper}.md", *(LEDGER / paper).glob("*.*")]:
        copy = tmp_path / path.relative_to(LEDGER)
        copy.parent.mkdir(exist_ok=True)
        copy.write_bytes(path.read_bytes())
    assert App().check_ledger(paper, out=tmp_path).wrong == ()
    page = tmp_path / f"{paper}.md"
    lines = page.read_text().splitlines()
    page.write_text("\n".join([*lines[:-1], lines[-1] + " better"]) + "\n")
    assert App().check_ledger(paper, out=tmp_path).wrong == (
        f"{paper}: {paper}.md, line {len(lines)} is not what the data give",
    )

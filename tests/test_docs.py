"""Documents cannot drift: generated pages are current, code in the README runs, everything named exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import smoothcall as sc
from smoothcall.games.catalog import CATALOG
from smoothcall.solvers import SOLVERS
from tests.generated_docs import PAGES

ROOT = Path(__file__).parents[1]
DOCUMENTS = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "benchmarks").glob("*.md")]


@pytest.mark.parametrize("name", PAGES)
def test_generated_pages_are_current(name: str) -> None:
    assert (ROOT / "docs" / name).read_text() == PAGES[name](), "run `make docs`"


def test_readme_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    examples = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert examples
    exec("".join(examples), {})
    assert (tmp_path / "leduc.agent").exists()


def test_readme_names_every_game_and_solver() -> None:
    text = (ROOT / "README.md").read_text()
    for name in (*CATALOG, *SOLVERS):
        assert f"`{name}`" in text, name


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", path.read_text()):
        assert target.startswith("https://") or (path.parent / target).exists(), target


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_no_placeholder_is_left(path: Path) -> None:
    assert not re.search(r"\b[A-Z]{3,}_[A-Z]{3,}\b", re.sub(r"`[^`]*`|```.*?```", "", path.read_text(), flags=re.DOTALL))


def test_public_names_exist() -> None:
    for name in sc.__all__:
        assert getattr(sc, name) is not None
    assert set(sc.__all__) <= set(dir(sc))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = sc.nothing

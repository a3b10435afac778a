"""Documents match the code: generated pages are current, examples in the README run, everything named exists."""

from __future__ import annotations

import pkgutil
import re
import tomllib
from collections.abc import Iterable
from pathlib import Path

import pytest

import smoothcall as sc
from smoothcall.agents.registry import SCRIPTED_PLAYERS
from smoothcall.cli.main import COMMANDS
from smoothcall.games.catalog import CATALOG
from smoothcall.solvers import SOLVERS
from tests.generated_docs import PAGES

ROOT = Path(__file__).parents[1]
DOCUMENTS = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "benchmarks").glob("*.md")]


@pytest.mark.parametrize("name", PAGES)
def test_generated_pages_are_current(name: str) -> None:
    assert (ROOT / name).read_text() == PAGES[name](), "run `make docs`"


@pytest.mark.parametrize("shorter", [True, pytest.param(False, marks=pytest.mark.long)], ids=["shorter", "whole"])
def test_readme_examples_run(shorter: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    examples = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert examples
    code, runs = re.subn(r"\.run\(([0-9_]+)_000\)", r".run(\1)", "".join(examples))  # a thousandth of the iterations
    assert runs >= 2
    exec(code if shorter else "".join(examples), {})
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


def test_package_docstring_lists_every_room() -> None:
    """In reading order, one line each; the tests of the layers say which may import which."""
    modules = {module.name for module in pkgutil.iter_modules(sc.__path__)} - {"__main__"}
    listed = re.findall(r"^    (\w+)  +\S", sc.__doc__ or "", re.MULTILINE)
    assert sorted(listed) == sorted(modules)


def test_layers_name_every_room() -> None:
    """A package that is in no layer could be imported from anywhere."""
    layers = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"][0]["layers"]
    named = {name.removeprefix("smoothcall.") for layer in layers for name in re.split(r" [:|] ", layer)}
    modules = {module.name for module in pkgutil.iter_modules(sc.__path__)} - {"__main__"}
    assert named == modules


def test_every_command_is_documented() -> None:
    text = (ROOT / "docs" / "cli.md").read_text()
    for command in COMMANDS:
        assert f"\n## {command.__name__}\n" in text
        assert command.__doc__


@pytest.mark.parametrize(
    ("page", "names"),
    [("games.md", CATALOG), ("solvers.md", SOLVERS), ("players.md", SCRIPTED_PLAYERS)],
)
def test_every_game_solver_and_scripted_player_is_documented(page: str, names: Iterable[str]) -> None:
    text = (ROOT / "docs" / page).read_text()
    for name in names:
        assert f"\n## {name}\n" in text or f"\n| `{name}` |" in text, name


def test_public_names_exist() -> None:
    for name in sc.__all__:
        assert getattr(sc, name) is not None
    assert set(sc.__all__) <= set(dir(sc))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = sc.nothing

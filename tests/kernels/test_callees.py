"""Functions that are compiled without a way in from Python (`smoothcall.kernels.callee`) are called by kernels only."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
KERNELS = ROOT / "src/smoothcall/kernels"


def callees() -> dict[str, set[str]]:
    """Return the names of the callees, by module."""
    found: dict[str, set[str]] = {}
    for path in KERNELS.rglob("*.py"):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef) and any(
                isinstance(by, ast.Name) and by.id == "callee" for by in node.decorator_list
            ):
                module = ".".join(path.relative_to(ROOT / "src").with_suffix("").parts)
                found.setdefault(module, set()).add(node.name)
    return found


def used(source: str, known: dict[str, set[str]]) -> list[str]:
    """Return the callees that a module outside the kernels imports, or reaches through a module of kernels."""
    aliases: dict[str, str] = {}
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module:
            for each in node.names:
                aliases[each.asname or each.name] = f"{node.module}.{each.name}"
                found += [each.name] if each.name in known.get(node.module, ()) else []
        elif isinstance(node, ast.Import):
            aliases |= {each.asname or each.name: each.name for each in node.names}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute):
            module = ast.unparse(node.value)
            found += [node.attr] if node.attr in known.get(aliases.get(module, module), ()) else []
    return found


def test_the_checker_finds_uses() -> None:
    known = {"smoothcall.kernels.search.endings": {"sum_hands"}}
    assert used("from smoothcall.kernels.search.endings import sum_hands", known) == ["sum_hands"]
    assert used("from smoothcall.kernels.search import endings as e\ne.sum_hands(1)", known) == ["sum_hands"]
    assert used("import smoothcall.kernels.search.endings\nsmoothcall.kernels.search.endings.sum_hands(1)", known) == [
        "sum_hands"
    ]
    assert used("from smoothcall.kernels.search.endings import Side\nSide.sum_hands", known) == []


def test_only_kernels_call_them() -> None:
    known, left = callees(), []
    assert sum(map(len, known.values())) > 40
    names = re.compile(rf"\b({'|'.join(sorted(set().union(*known.values())))})\b")
    for folder in ("src", "tests", "benchmarks", "examples"):
        for path in (ROOT / folder).rglob("*.py"):
            if KERNELS not in path.parents and "smoothcall.kernels" in (text := path.read_text()) and names.search(text):
                left += [f"{path.relative_to(ROOT)}: {name}" for name in used(text, known)]
    assert not left, "\n" + "\n".join(left)

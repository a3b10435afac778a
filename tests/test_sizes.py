"""Modules and functions stay short: 450 lines a module, 60 lines a function of the package."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).parents[1]
MODULE, FUNCTION = 450, 60  # lines
EXEMPT = "# long: "  # on the line of `def`, with the reason


def long_functions(source: str) -> list[tuple[str, int]]:
    """Return (name, lines) of the functions that are too long and give no reason."""
    lines = source.splitlines()
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            head = lines[node.lineno - 1 : node.body[0].lineno]
            if length > FUNCTION and not any(EXEMPT in line for line in head):
                found.append((node.name, length))
    return found


def test_the_checker_finds_long_functions() -> None:
    body = "    x = 1\n" * FUNCTION
    assert long_functions(f"def short():\n{body[10:]}") == []
    assert long_functions(f"def tall():\n{body}") == [("tall", FUNCTION + 1)]
    assert long_functions(f"def tall():  # long: one loop that Numba must see whole\n{body}") == []


def test_modules_are_short() -> None:
    files = [path for folder in ("src", "tests") for path in (ROOT / folder).rglob("*.py")]
    assert len(files) > 250
    lengths = {path.relative_to(ROOT): len(path.read_text().splitlines()) for path in files}
    left = [f"{path}: {length} lines" for path, length in lengths.items() if length > MODULE]
    assert not left, "\n" + "\n".join(left)


def test_functions_are_short() -> None:
    left = [
        f"{path.relative_to(ROOT)}: {name} has {length} lines"
        for path in (ROOT / "src").rglob("*.py")
        for name, length in long_functions(path.read_text())
    ]
    assert not left, "\n" + "\n".join(left)

"""The committed pages come from full runs, agree with their data, and have the prose of the code that writes them."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import smoothcall.experiments
from smoothcall.experiments import EXPERIMENTS

LEDGER = Path(__file__).parents[1] / "docs" / "ledger"
SOURCE = Path(smoothcall.experiments.__file__).parent
SHARED = {"nfsp": (), "pricope2021": ("gradient_play",)}  # modules that add sections to a page, besides its own
SHORTEST = 12  # characters of a piece of text that is looked for
WRITES = ("text", "heading", "table", "picture", "check")  # methods of Page


@pytest.mark.parametrize("paper", EXPERIMENTS)
def test_page_and_data_agree(paper: str) -> None:
    page = (LEDGER / f"{paper}.md").read_text()
    data = json.loads((LEDGER / paper / "data.json").read_text())
    assert data["command"] == f"smoothcall reproduce {paper}"
    for check in data["checks"]:
        assert check["verdict"] in ("pass", "fail")
        assert f"| {check['what']} | {check['published']} | {check['ours']} | {check['verdict']} |" in page


@pytest.mark.parametrize("paper", EXPERIMENTS)
def test_prose_is_that_of_the_code(paper: str) -> None:
    """Every constant piece of text passed to the page in the source occurs in the committed page."""
    page = (LEDGER / f"{paper}.md").read_text()
    assert not [piece for piece in pieces(paper) if piece not in page]


def test_a_changed_sentence_is_noticed() -> None:
    found = list(pieces_of(ast.parse('page.text(f"A sentence about {hands:,} hands of a match" + more)')))
    assert found == ["A sentence about", "hands of a match"]


def pieces(paper: str) -> Iterator[str]:
    name = paper.replace("-", "_")
    own = sorted((SOURCE / name).glob("*.py")) or [SOURCE / f"{name}.py"]
    for file in (*own, *(SOURCE / f"{shared}.py" for shared in SHARED.get(paper, ()))):
        yield from pieces_of(ast.parse(file.read_text()))


def pieces_of(tree: ast.AST) -> Iterator[str]:
    """Yield the constant pieces of the text passed to the methods of a page."""
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in WRITES:
            for argument in call.args:
                yield from constants(argument)


def constants(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value.strip()) >= SHORTEST:
        yield node.value.strip()
    elif isinstance(node, ast.JoinedStr | ast.BinOp | ast.List | ast.Tuple | ast.Starred | ast.GeneratorExp):
        for child in ast.iter_child_nodes(node):
            yield from constants(child)

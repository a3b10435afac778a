"""Every example runs and its assertions hold."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path: Path) -> None:
    runpy.run_path(str(path), run_name="__main__")


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 4

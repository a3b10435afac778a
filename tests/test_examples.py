"""Every example runs and its assertions hold."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))


LONG = "holdem"  # learns for seconds


@pytest.mark.parametrize(
    "path",
    [pytest.param(path, marks=[pytest.mark.long] if path.stem == LONG else [], id=path.stem) for path in EXAMPLES],
)
def test_example(path: Path) -> None:
    runpy.run_path(str(path), run_name="__main__")


def test_hold_em_learns_in_a_tenth_of_the_episodes() -> None:
    """The example of hold'em, shortened; its assertions hold."""
    (path,) = (path for path in EXAMPLES if path.stem == LONG)
    code = path.read_text().replace("3_000_000", "300_000").replace("100_000)", "20_000)")
    assert code.count("300_000") == code.count("20_000)") == 1
    exec(compile(code, str(path), "exec"), {"__name__": "__main__"})


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 4

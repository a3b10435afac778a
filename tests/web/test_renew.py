"""Figures in documents: what stands between the comments is what the command printed, and every command can be run."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest
import typer

from benchmarks.renew import Block, blocks, renew

ROOT = Path(__file__).parents[2]
NAMED = list(blocks([ROOT / "docs" / "security.md", ROOT / "docs" / "web.md"]))
DOCUMENT = """Before.

<!-- renew: python -m benchmarks.one --size 2 -->

| old |

<!-- end -->

Between.
<!-- renew: python -m benchmarks.two -->
<!-- end -->
After.
"""


def test_what_a_command_prints_replaces_its_block(tmp_path: Path) -> None:
    document = tmp_path / "page.md"
    document.write_text(DOCUMENT)
    printed = {"benchmarks.one": "| new |\n| --- |\n", "benchmarks.two": "text\n"}
    done = list(renew([document], "", lambda words: printed[words[0]]))
    assert [block.words for block in done] == [["benchmarks.one", "--size", "2"], ["benchmarks.two"]]
    after = DOCUMENT.replace("| old |", "| new |\n| --- |").replace("two -->\n", "two -->\n\n```\ntext\n```\n\n")
    assert document.read_text() == after
    assert list(renew([document], "", lambda words: printed[words[0]])) == done
    assert document.read_text() == after, "once more changes nothing"


def test_only_some_commands_run_and_one_that_fails_changes_nothing(tmp_path: Path) -> None:
    document = tmp_path / "page.md"
    document.write_text(DOCUMENT)
    assert [block.command for block in renew([document], "two", lambda _: "| x |")] == ["benchmarks.two"]
    before = document.read_text()

    def fails(words: list[str]) -> str:
        raise OSError(words[0])

    with pytest.raises(OSError, match="one"):
        list(renew([document], "one", fails))
    assert document.read_text() == before


@pytest.mark.parametrize("block", NAMED, ids=lambda block: block.command)
def test_commands_of_the_documents_are_accepted(block: Block) -> None:
    """Their modules exist and take these options."""
    module, *options = block.words
    app = typer.Typer()
    app.command()(importlib.import_module(module).main)
    typer.main.get_command(app).make_context(module, options)


def test_documents_have_such_commands() -> None:
    assert {block.words[0].removeprefix("benchmarks.") for block in NAMED} >= {"abuse", "faults", "memory", "unsynced", "web"}

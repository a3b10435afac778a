"""Renew figures in documents: `python -m benchmarks.renew docs/security.md --only abuse`.

A document has what a command prints between two comments, the first of which names the command:

    <!-- renew: python -m benchmarks.abuse --kind sqlite -->
    <!-- end -->

Each command runs by itself and takes as long as it takes; what it prints is written before the next one begins.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

BLOCK = re.compile(r"<!-- renew: python -m (?P<command>[^\n]+) -->\n(?P<printed>.*?)<!-- end -->\n", re.DOTALL)

Run = Callable[[list[str]], str]  # from a module and its options to what it prints


@dataclass(frozen=True, slots=True)
class Block:
    """What a command printed, in a document."""

    document: Path
    command: str  # a module and its options

    @property
    def words(self) -> list[str]:
        return shlex.split(self.command)

    def write(self, printed: str) -> None:
        """Replace what is in the document; text without a table becomes a block of code."""
        shown = printed.strip()
        shown = f"\n{shown}\n\n" if re.search(r"^\|", shown, re.MULTILINE) else f"\n```\n{shown}\n```\n\n"

        def replaced(found: re.Match[str]) -> str:
            if found["command"] != self.command:
                return found[0]
            return found[0].replace(f"-->\n{found['printed']}<!--", f"-->\n{shown}<!--")

        self.document.write_text(BLOCK.sub(replaced, self.document.read_text()))


def blocks(documents: Iterable[Path], only: str = "") -> Iterator[Block]:
    """Yield the blocks whose command contains a text."""
    for document in documents:
        for found in BLOCK.finditer(document.read_text()):
            if only in found["command"]:
                yield Block(document, found["command"])


def renew(documents: Iterable[Path], only: str, run: Run) -> Iterator[Block]:
    """Yield each block before its command runs; a command that fails leaves its block as it was."""
    for block in list(blocks(documents, only)):
        yield block
        block.write(run(block.words))


def printed_by(words: list[str]) -> str:
    done = subprocess.run([sys.executable, "-m", *words], check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout


def main(
    documents: Annotated[list[Path], typer.Argument(exists=True)],
    only: Annotated[str, typer.Option(help="Only commands that contain this text.")] = "",
    dry: Annotated[bool, typer.Option("--list", help="Print the commands and run none.")] = False,
) -> None:
    for block in blocks(documents, only) if dry else renew(documents, only, printed_by):
        typer.echo(f"{block.document}: python -m {block.command}")


if __name__ == "__main__":
    typer.run(main)

"""macmanus2019: J. MacManus, Learning to Play Leduc Hold'em, 2019: UCT and Smooth UCT after Heinrich's thesis of 2017.

The experiments run in Leduc hold'em, as the document describes it, and in the variant that its program plays, with that
program's search and best response; the figures that it quotes from Heinrich are measured by the solvers of this project.
"""

from __future__ import annotations

from collections.abc import Mapping

from smoothcall.experiments.ledger import Page
from smoothcall.experiments.macmanus2019 import quoted, rows
from smoothcall.experiments.macmanus2019.measurements import FULL, QUICK, Size, measure
from smoothcall.experiments.macmanus2019.page import write_sections
from smoothcall.experiments.parts import Part
from smoothcall.experiments.verdicts import Row, exact

__all__ = ["FULL", "QUICK", "SOURCES", "TITLE", "Size", "measure", "write"]

TITLE = "macmanus2019: Learning to Play Leduc Hold'em"
SOURCES = (
    *(f"Fig 2.{number}" for number in range(1, 6)),
    *(f"Fig 3.{number}" for number in range(1, 4)),
    *(f"Fig 4.{number}" for number in range(1, 7)),
    *("Section 1.1", "Section 1.2.1", "Section 2.5.2", "Section 3.1.1", "Section 3.3", "Section 3.3.4", "Section 4.3.3"),
    *("Section 4.3.4", "Section 4.4.1", "Section 4.4.2", "Section 4.4.3", "Section 4.4.4", "Section 5.1", "Section 5.3"),
    "Abstract",
)


def write(page: Page, parts: Mapping[str, Part]) -> None:
    for row in (*rows.rows(parts), _files(parts), *quoted.rows(parts)):
        page.row(row)
    write_sections(page, parts)


def _files(parts: Mapping[str, Part]) -> Row:
    """Return the row of the author's strategy files."""
    found = parts["strategy files"].figures
    measured = tuple(
        rows.pots(exact(each[figure]), None, f"{label}, {how}:", ".3f")
        for each, label in (
            (found["Deterministic_200000_random"], "200,000 episodes against a random player"),
            (found["Deterministic_10000000_self-play"], "10,000,000 episodes of self-play"),
        )
        if each is not None
        for figure, how in (("document", "its best response"), ("exact", "exact"))
    )
    return Row("Strategy files", "Exploitability of its published deterministic strategies", None, measured)

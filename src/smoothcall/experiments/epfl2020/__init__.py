"""epfl2020, Poker Agent: four learners and the scripted players they learned against, no-limit hold'em with 32 cards.

Added to the paper: a player that combines the four, how exploitable they are, and how a policy of MCCFR in the same game fares.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from smoothcall.experiments.epfl2020 import beyond, report
from smoothcall.experiments.epfl2020.measure import measure_all
from smoothcall.experiments.epfl2020.rows import rows
from smoothcall.experiments.epfl2020.settings import FULL as FULL
from smoothcall.experiments.epfl2020.settings import QUICK as QUICK
from smoothcall.experiments.epfl2020.settings import SOURCES as SOURCES
from smoothcall.experiments.epfl2020.settings import TITLE as TITLE
from smoothcall.experiments.epfl2020.settings import Size
from smoothcall.experiments.ledger import Page
from smoothcall.experiments.parts import Part, Parts


def measure(parts: Parts, size: Size, folder: Path) -> None:
    measure_all(parts, size, folder)


def write(page: Page, parts: Mapping[str, Part]) -> None:
    for row in rows(parts):
        page.row(row)
    report.write_cards(page, parts)
    report.write_choices(page)
    report.write_learning(page, parts)
    report.write_matches(page, parts)
    report.write_loss(page, parts)
    report.write_ours(page, parts)
    beyond.write_combined(page, parts)
    beyond.write_estimated(page, parts)
    beyond.write_exploitability(page, parts)

"""The page: rows, and sections of text, tables and pictures, made from the measured parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from smoothcall.experiments import gradient_play
from smoothcall.experiments.ledger import Page
from smoothcall.experiments.parts import NotMeasured, Part
from smoothcall.experiments.pricope2021 import match_sections as matches
from smoothcall.experiments.pricope2021 import training_sections as training
from smoothcall.experiments.pricope2021.data import Data
from smoothcall.experiments.pricope2021.rows import rows

Section = tuple[str, Callable[[Page, Data], None]]
SECTIONS: tuple[Section, ...] = (
    ("Agent 1", training.agent_1),
    ("Agent 2", training.agent_2),
    ("Agent 3", training.agent_3),
    ("Two copies of an agent (Figs 2 and 3)", training.copies),
    ("Returns of games and of hands", matches.episodes),
    ("Does gradient play help?", matches.gradient),
    ("Images and compact inputs, raw and hand-made", training.inputs),
    ("Agent 3 against agent 2 (Table 1)", matches.table_1),
    ("Against Random (Figs 4 and 5)", matches.against_random),
    ("Cross table: hands with full stacks", matches.cross_table),
    ("How exploitable are they?", matches.responses),
)


def write(page: Page, parts: Mapping[str, Part]) -> None:
    data = Data(parts)
    for row in rows(data):
        page.row(row)
    training.introduction(page, data)
    for title, section in SECTIONS:
        page.heading(title)
        try:
            section(page, data)
        except NotMeasured:
            page.text("Not measured yet.")
    gradient_play.write(page, parts)
    page.heading("How the agents were made")
    training.commands(page, data)

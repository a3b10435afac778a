"""Deep Reinforcement Learning from Self-Play in No-Limit Texas Hold'em (Pricope 2021): three agents and their results.

Added to the paper: an equilibrium of the same game for comparison, lower bounds of exploitability, and gradient play on Leduc
hold'em, where exploitability is exact.
"""

from __future__ import annotations

from pathlib import Path

from smoothcall.experiments import gradient_play
from smoothcall.experiments.agents import AgentFolder, Tell
from smoothcall.experiments.ledger import Page
from smoothcall.experiments.nfsp import read
from smoothcall.experiments.pricope2021.agents import train_agents
from smoothcall.experiments.pricope2021.matches import add_cross_table, add_figures_4_and_5, add_table_1
from smoothcall.experiments.pricope2021.report import Report
from smoothcall.experiments.pricope2021.settings import FULL as FULL
from smoothcall.experiments.pricope2021.settings import QUICK as QUICK
from smoothcall.experiments.pricope2021.settings import TITLE as TITLE
from smoothcall.experiments.pricope2021.settings import Size
from smoothcall.experiments.pricope2021.training import (
    add_agent_1,
    add_commands,
    add_figures_2_and_3,
    add_inputs,
    add_introduction,
    add_lower_bounds,
)
from smoothcall.information.named_games import game


def report(page: Page, size: Size, folder: Path, tell: Tell) -> None:
    made = game(size.game)
    agents = train_agents(size, made, AgentFolder(folder / "agents" if size.full else None), tell)
    report = Report(page, size, made, agents, tell)
    add_introduction(report)
    add_agent_1(report)
    add_figures_2_and_3(report)
    add_inputs(report)
    add_table_1(report)
    add_figures_4_and_5(report)
    add_cross_table(report)
    add_lower_bounds(report)
    page.data["curves"] = gradient_play.leduc(page, quick=not size.full, kept=read(folder / "data.json"), tell=tell)
    add_commands(report)

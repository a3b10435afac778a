"""Reproductions: one module or package per paper, with its games, parameters, published figures, and our figures."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from smoothcall.errors import unknown
from smoothcall.experiments.ledger import Page

EXPERIMENTS = {
    "macmanus2019": "Learning to Play Leduc Hold'em: UCT and Smooth UCT by self-play",
    "heinrich2014": "Self-Play Monte-Carlo Tree Search in Computer Poker: UCT and Smooth UCT on Kuhn poker, beside CFR",
    "heinrich2014-holdem": "Self-Play Monte-Carlo Tree Search in Computer Poker: limit Texas hold'em, two and three players",
    "nfsp": "Deep Reinforcement Learning from Self-Play in Imperfect-Information Games: NFSP on Kuhn poker and Leduc hold'em",
    "epfl2020": "Poker Agent, a Reinforcement Learning Approach: four learners, eleven scripted players, no-limit, 32 cards",
    "pricope2021": "Deep Reinforcement Learning from Self-Play in No-Limit Texas Hold'em: three agents, gradient play",
    "bahuguna2018": "Learning for Hidden Information Games: regret matching and CFR on Rock-Paper-Scissors and Kuhn poker",
}


def reproduce(name: str, *, quick: bool, out: Path, tell: Callable[[str], None]) -> dict[str, Any]:
    """Run a paper's experiments, write its page under `out`, and return the checks with their verdicts.

    A module of this package has TITLE, the sizes FULL and QUICK, and `report(page, size, folder, tell)`, which adds the
    sections to the page; `folder` is the page's own.
    """
    if name not in EXPERIMENTS:
        raise unknown("paper", name, EXPERIMENTS)
    module = import_module(f"smoothcall.experiments.{name.replace('-', '_')}")
    page = Page(f"{name}-quick" if quick else name, module.TITLE, f"smoothcall reproduce {name}{' --quick' if quick else ''}")
    module.report(page, module.QUICK if quick else module.FULL, out / page.name, tell)
    return page.write(out)

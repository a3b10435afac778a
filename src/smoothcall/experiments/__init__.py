"""One module per paper: its games, parameters, published figures, and what we get."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from smoothcall.errors import unknown

EXPERIMENTS = {
    "macmanus2019": "Learning to Play Leduc Hold'em: UCT and Smooth UCT by self-play",
    "heinrich2014": "Self-Play Monte-Carlo Tree Search in Computer Poker: UCT and Smooth UCT on Kuhn poker, beside CFR",
    "heinrich2014-holdem": "the same paper's half on limit Texas hold'em, two and three players",
    "nfsp": "Deep Reinforcement Learning from Self-Play in Imperfect-Information Games: NFSP on Kuhn poker and Leduc hold'em",
    "epfl2020": "Poker Agent, a Reinforcement Learning Approach: four learners and eleven scripted players, no-limit with 32 cards",
    "pricope2021": "Deep Reinforcement Learning from Self-Play in No-Limit Texas Hold'em: three agents, gradient play",
    "bahuguna2018": "Learning for Hidden Information Games: regret matching and CFR on Rock-Paper-Scissors and Kuhn poker",
}


def reproduce(name: str, *, quick: bool, out: Path, tell: Callable[[str], None]) -> dict[str, Any]:
    """Run a paper's experiments, write its page under `out`, and return the checks with their verdicts."""
    if name not in EXPERIMENTS:
        raise unknown("paper", name, EXPERIMENTS)
    answer: dict[str, Any] = import_module(f"smoothcall.experiments.{name.replace('-', '_')}").run(
        quick=quick, out=out, tell=tell
    )
    return answer

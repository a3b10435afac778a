"""bahuguna2018: P. Bahuguna, Learning for Hidden Information Games, University of Manchester, 2018.

Regret matching on Rock-Paper-Scissors, CFR on Kuhn poker for two and three players, and the effect of pruning, threads and
implementation on speed. Its *iteration* deals one set of cards and walks the betting tree once for all players.
"""

from __future__ import annotations

from smoothcall.experiments.bahuguna2018.measuring import measure
from smoothcall.experiments.bahuguna2018.page import write
from smoothcall.experiments.bahuguna2018.settings import FULL, QUICK, Size

__all__ = ["FULL", "QUICK", "SOURCES", "TITLE", "Size", "measure", "write"]

TITLE = "bahuguna2018: Learning for Hidden Information Games"
SOURCES = (
    *(f"Table {number}" for number in ("2.1", "5.1", "5.2", "5.3", "7.1", "7.2", "7.3")),
    *(f"Fig {number}" for number in ("2.1", "2.2", "4.1", "4.2", "7.1", "7.2", "7.3", "7.4", "7.5", "7.6", "7.7")),
    "Algorithms 1 and 2",
)

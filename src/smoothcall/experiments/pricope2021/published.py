"""What Pricope 2021 prints: its tables, and the tables and figures that must have a row."""

from __future__ import annotations

from typing import NamedTuple

SOURCES = ("Fig 1", "Fig 2", "Fig 3", "Fig 4", "Fig 5", "Table 1", "Algorithm 1")
STACK, BIG_BLIND = 100, 10  # chips
FREEZEOUTS = 150_000  # games of the training of Figs 2 and 3


class Line(NamedTuple):
    """A line of Table 1: winnings against agent 2."""

    agent: str  # GP or DP
    hours: int  # of training
    games: int
    stack: float  # final average stack
    mbb: float  # mbb/h


TABLE_1 = (
    Line("GP", 6, 250, 117.83, 263.37),
    Line("GP", 11, 250, 117.48, 318.51),
    Line("GP", 17, 250, 117.1, 338.82),
    Line("GP", 45, 250, 110.0, 340.18),
    Line("DP", 11, 250, 120.71, 318.93),
    Line("DP", 17, 250, 115.43, 309.82),
    Line("DP", 45, 250, 99.2, 192.55),
    Line("GP", 6, 1000, 118.45, 248.35),
    Line("GP", 17, 1000, 116.54, 356.17),
    Line("GP", 45, 1000, 111.9, 361.08),
    Line("DP", 11, 1000, 116.42, 299.03),
    Line("DP", 45, 1000, 102.3, 234.22),
)
ERRORS = {250: (4.5, 40.0), 1000: (2.25, 20.0)}  # by games: of the average stack and of mbb/h ("roughly halved" with 1,000)
TRAINED = {"GP": {6: 50_000, 11: 60_000, 17: 60_000, 45: 100_000}, "DP": {11: 50_000, 17: 60_000, 45: 100_000}}
# games trained in so many hours: 50,000 as printed; later ones on a line from there to the 150,000 games of 80 hours (to the
# nearest of our snapshots: 57,000 after 11 hours, 59,000 to 65,000 after 17, 99,000 to 103,000 after 45)

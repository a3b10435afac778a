"""Figures of the page, derived from its parts: results of pairs by training, and their means over trainings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from smoothcall.evaluation.statistics import Estimate, Tally
from smoothcall.experiments.epfl2020.matches import MOVES
from smoothcall.experiments.epfl2020.settings import COLUMNS, GAINS, PAPER, PUBLISHED_GAMES, SCRIPTED, WINS
from smoothcall.experiments.parts import Part

Z = 1.96


def over_trainings(values: Sequence[float]) -> Estimate:
    """Return the mean of a figure over trainings of different seeds."""
    tally = Tally(1)
    tally.add(np.array(values, float)[:, None])
    return tally.estimates()[0]


@dataclass(frozen=True, slots=True)
class Pair:
    """A match of one training: gain, deviation and win rate of the row's player against the column's."""

    gain: float  # chips a freezeout
    error: float  # standard error of the gain
    deviation: float  # of a freezeout
    wins: float
    hands: float  # of a freezeout
    moves: Mapping[str, float]  # of the row's player, by MOVES

    @classmethod
    def of(cls, data: Mapping[str, Any], freezeouts: int, *, turned: bool = False) -> Pair:
        moves = dict(zip(MOVES, data["moves"][int(turned)], strict=True))
        gain, wins = (-data["gain"], 1 - data["wins"]) if turned else (data["gain"], data["wins"])
        return cls(gain, data["error"], data["deviation"], wins, data["hands"] / freezeouts, moves)


class CrossTable:
    """Matches of one training of every learner."""

    def __init__(
        self, matches: Mapping[str, Mapping[str, Any]], freezeouts: int, before: Mapping[str, float] | None = None
    ) -> None:
        self._matches, self._freezeouts = matches, freezeouts  # by learner, then by opponent; of each match
        self.before = before or {}  # gain of each learner against scripted players just before mirror training, exploring

    def pair(self, row: str, column: str) -> Pair:
        if column in self._matches.get(row, {}):
            return Pair.of(self._matches[row][column], self._freezeouts)
        return Pair.of(self._matches[column][row], self._freezeouts, turned=True)

    def gains(self, row: str, columns: Sequence[str] = COLUMNS) -> list[float]:
        """Return the gains of a row against the columns, except against itself."""
        return [self.pair(row, column).gain for column in columns if column != row]

    def lowest(self, row: str) -> float:
        """Return the lowest gain of a row against the other learners and the final scripted players."""
        return min(self.gains(row))

    def deviation(self, row: str) -> float:
        """Return the mean standard deviation of a row's freezeouts over these opponents."""
        return float(np.mean([self.pair(row, column).deviation for column in COLUMNS if column != row]))

    def hands(self, row: str) -> float:
        """Return the mean number of hands of a freezeout against these opponents: fewer than ten where a player is broke."""
        return float(np.mean([self.pair(row, column).hands for column in COLUMNS if column != row]))

    def move(self, row: str, name: str) -> float:
        """Return the share of a move of MOVES, its mean over these opponents."""
        return float(np.mean([self.pair(row, column).moves[name] for column in COLUMNS if column != row]))

    def mean(self, row: str, columns: Sequence[str] = COLUMNS) -> float:
        return float(np.mean(self.gains(row, columns)))


def cross_tables(parts: Mapping[str, Part]) -> list[CrossTable]:
    return list(tables_by_seed(parts).values())


def tables_by_seed(parts: Mapping[str, Part]) -> dict[int, CrossTable]:
    """Return a table for every seed whose matches have all been measured."""
    found = {}
    for seed in seeds_of(parts, "matches MC"):
        names = [f"matches {label} {seed}" for label in PAPER]
        if all(name in parts for name in names):
            matches = {label: parts[name].figures for label, name in zip(PAPER, names, strict=True)}
            before = {label: gain for label in PAPER if (gain := _before_mirror(parts, label, seed)) is not None}
            found[seed] = CrossTable(matches, parts[names[0]].settings["freezeouts"], before)
    return found


def _before_mirror(parts: Mapping[str, Part], label: str, seed: int) -> float | None:
    """Return the last gain of a learning curve before mirror training; None where there is none."""
    name = f"training {label} {seed}"
    if name not in parts:
        return None
    found = parts[name].figures
    return next((gain for hands, gain in reversed(found["curve"]) if hands <= found["options"]["mirror"]), None)


def seeds_of(parts: Mapping[str, Part], start: str) -> list[int]:
    """Return the seeds of the parts whose names are `start` and a number."""
    rest = [name.removeprefix(f"{start} ") for name in parts if name.startswith(f"{start} ")]
    return sorted(int(each) for each in rest if each.isdigit())


# Published figures


@dataclass(frozen=True, slots=True)
class Published:
    """A cell of Figs 5 and 6. Half widths are of 95 % intervals for its 40 games."""

    gain: float
    deviation: float
    wins: float
    text: str

    @property
    def gain_half(self) -> float:
        return Z * self.deviation / sqrt(PUBLISHED_GAMES)

    @property
    def deviation_half(self) -> float:
        return Z * self.deviation / sqrt(2 * PUBLISHED_GAMES)

    @property
    def wins_half(self) -> float:
        """The half width of Agresti and Coull, which is not 0 where all games were won."""
        games = PUBLISHED_GAMES + Z**2
        share = (self.wins * PUBLISHED_GAMES + Z**2 / 2) / games
        return Z * sqrt(share * (1 - share) / games)


def published(row: str, column: str) -> Published:
    gain, deviation = GAINS[row].split()[COLUMNS.index(column)].split("/")
    wins = WINS[row].split()[COLUMNS.index(column)]
    return Published(float(gain), float(deviation), float(wins), f"{gain}/{deviation}, won {wins}")


def published_mean(row: str, columns: Sequence[str] = COLUMNS) -> float:
    return float(np.mean([published(row, column).gain for column in columns if column != row]))


def published_half(row: str, columns: Sequence[str]) -> float:
    """Return the half width of the published mean over columns, whose matches are independent."""
    return sqrt(sum(published(row, column).gain_half ** 2 for column in columns)) / len(columns)


def pairs() -> list[tuple[str, str]]:
    """Return every pair of Figs 5 and 6 once."""
    return [(row, column) for place, row in enumerate(PAPER) for column in (*PAPER[place + 1 :], *SCRIPTED)]
